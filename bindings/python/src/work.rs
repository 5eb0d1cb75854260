//! Calls that take time.

use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use pyo3::IntoPyObjectExt as _;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use tokio::task::AbortHandle;

use crate::attach::{attached, has_ended};
use crate::messenger::{self, deliver};
use crate::runtime::{check_process, runtime};

/// How often a thread that waits looks whether the user has pressed Ctrl+C: seldom enough to cost nothing, and at
/// once for a person.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// What a call gives, still to be made an object of Python's.
type Given = Box<dyn FnOnce(Python<'_>) -> PyResult<Py<PyAny>> + Send>;

type Future = Pin<Box<dyn std::future::Future<Output = PyResult<Given>> + Send>>;

/// A call that has not begun. It is waited for once, in one of two ways; whichever way ends early drops it, and with
/// it all that it does.
#[pyclass(frozen, module = "automator._native")]
pub(crate) struct Work {
    future: Mutex<Option<Future>>,
}

/// A call that gives what this future gives.
pub(crate) fn work<T>(future: impl std::future::Future<Output = PyResult<T>> + Send + 'static) -> Work
where
    T: for<'py> IntoPyObject<'py> + Send + 'static,
{
    let given = async move {
        let value = future.await?;
        Ok(Box::new(move |py: Python<'_>| value.into_py_any(py)) as Given)
    };
    Work {
        future: Mutex::new(Some(Box::pin(given))),
    }
}

#[pymethods]
impl Work {
    /// Begins, and gives a future of the event loop that runs. To cancel that is to end the call.
    fn start<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        check_process()?;
        let event_loop = py.import("asyncio")?.call_method0("get_running_loop")?;
        let future = event_loop.call_method0("create_future")?;
        let running = runtime().spawn(self.taken()?);
        let ending = Ending {
            work: running.abort_handle(),
        };
        future.call_method1("add_done_callback", (ending,))?;
        let (event_loop, promised) = (event_loop.unbind(), future.clone().unbind());
        runtime().spawn(async move {
            let outcome = match running.await {
                Ok(outcome) => outcome,
                // The loop has cancelled its future, and waits for nothing.
                Err(end) if end.is_cancelled() => return,
                Err(_) => Err(PyRuntimeError::new_err(
                    "the library has panicked; this is a bug of it",
                )),
            };
            deliver(move |py| {
                let (value, error) = match outcome.and_then(|given| given(py)) {
                    Ok(value) => (Some(value), None),
                    Err(error) => (None, Some(error.into_value(py))),
                };
                // A loop that is closed waits for nothing, either.
                let _ = Settling::of(py).and_then(|settling| {
                    event_loop.call_method1(py, "call_soon_threadsafe", (settling, promised, value, error))
                });
            });
        });
        Ok(future)
    }

    /// Begins, and waits in this thread; a signal that raises ends the call.
    fn wait(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let future = self.taken()?;
        if messenger::is_here() {
            return Err(PyRuntimeError::new_err(
                "a handler of the logging module cannot wait for calls of this library; start a thread for them",
            ));
        }
        let outcome = py.detach(|| {
            let outcome = runtime().block_on(unless_interrupted(future));
            messenger::flush();
            outcome
        });
        outcome?(py)
    }
}

impl Work {
    fn taken(&self) -> PyResult<Future> {
        check_process()?;
        if has_ended() {
            return Err(PyRuntimeError::new_err("the program has ended"));
        }
        let mut future = self.future.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = future.take();
        taken.ok_or_else(|| PyRuntimeError::new_err("this call has been waited for already"))
    }
}

/// Waits until a future is through, but no longer than the handlers of signals let it.
pub(crate) async fn unless_interrupted<T>(
    future: impl std::future::Future<Output = PyResult<T>>,
) -> PyResult<T> {
    let mut looks = tokio::time::interval(LOOK_EVERY);
    let mut future = std::pin::pin!(future);
    loop {
        let outcome = tokio::select! {
            biased;
            outcome = &mut future => Some(outcome),
            _ = looks.tick() => interrupted().map(Err),
        };
        if has_ended() {
            // This thread must not come back into Python, which takes itself apart; the process is about to end.
            std::future::pending::<()>().await;
        }
        if let Some(outcome) = outcome {
            return outcome;
        }
    }
}

/// What the handler of a signal has raised, in the thread that runs them.
fn interrupted() -> Option<PyErr> {
    attached(|py| py.check_signals().err())?
}

/// Ends a call when the future of the event loop that stands for it is cancelled.
#[pyclass(frozen)]
struct Ending {
    work: AbortHandle,
}

#[pymethods]
impl Ending {
    /// When the call is through, this does nothing.
    fn __call__(&self, _future: Py<PyAny>) {
        self.work.abort();
    }
}

/// Settles a future, in the thread of its event loop.
#[pyclass(frozen)]
struct Settling {}

impl Settling {
    fn of(py: Python<'_>) -> PyResult<Py<Self>> {
        Py::new(py, Self {})
    }
}

#[pymethods]
impl Settling {
    fn __call__(
        &self,
        future: &Bound<'_, PyAny>,
        value: Option<Py<PyAny>>,
        error: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        // It may have been cancelled meanwhile.
        if future.call_method0("done")?.is_truthy()? {
            return Ok(());
        }
        match error {
            Some(error) => future.call_method1("set_exception", (error,))?,
            None => future.call_method1("set_result", (value,))?,
        };
        Ok(())
    }
}
