//! The threads that do the work.

use std::sync::OnceLock;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use tokio::runtime::Runtime;

static RUNTIME: OnceLock<Runtime> = OnceLock::new();

/// The process that the threads live in.
static PROCESS: OnceLock<u32> = OnceLock::new();

/// The runtime of all sessions; it ends with the process.
pub(crate) fn runtime() -> &'static Runtime {
    RUNTIME
        .get_or_init(|| Runtime::new().expect("a computer that can start no thread can run nothing of this"))
}

/// Threads do not follow into a process that is made by `fork`: there a call would wait for ever.
pub(crate) fn check_process() -> PyResult<()> {
    let here = std::process::id();
    if *PROCESS.get_or_init(|| here) == here {
        return Ok(());
    }
    Err(PyRuntimeError::new_err(
        "automator was used before this process was forked, and does not work in the fork; start processes with \
         multiprocessing.get_context(\"spawn\")",
    ))
}
