//! How threads of the library come into Python: not at all once the program ends.
//!
//! A thread that is in Python while the interpreter takes itself apart is torn out of the middle of its work, and the
//! process aborts. So all come in through [`attached`], and when the program ends the gate is closed first and those
//! who are in are waited for.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;

/// How long the end of the program waits for threads that are in Python: they only hand something over.
const WAIT_FOR_THREADS: Duration = Duration::from_secs(2);

struct Gate {
    inside: usize,
    is_closed: bool,
}

static GATE: Mutex<Gate> = Mutex::new(Gate {
    inside: 0,
    is_closed: false,
});
static LEFT: Condvar = Condvar::new();

/// Runs something with Python's lock; nothing when the program ends.
pub(crate) fn attached<R>(run: impl FnOnce(Python<'_>) -> R) -> Option<R> {
    let _inside = Inside::enter()?;
    Python::try_attach(run)
}

/// Whether the program is about to end.
pub(crate) fn has_ended() -> bool {
    gate().is_closed
}

/// Lets no thread in any more, and waits until those who are in have left.
#[pyfunction]
pub(crate) fn end(py: Python<'_>) {
    py.detach(|| {
        let mut gate = gate();
        gate.is_closed = true;
        let left = LEFT.wait_timeout_while(gate, WAIT_FOR_THREADS, |gate| gate.inside > 0);
        drop(left);
    });
}

fn gate() -> MutexGuard<'static, Gate> {
    GATE.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Inside;

impl Inside {
    fn enter() -> Option<Self> {
        let mut gate = gate();
        if gate.is_closed {
            return None;
        }
        gate.inside += 1;
        Some(Self)
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        gate().inside -= 1;
        LEFT.notify_all();
    }
}
