//! An error on its way to Python, where it is one of the classes of `automator/errors.py`.

use std::error::Error as _;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::attach::attached;
use crate::callback::Raised;

/// The exception for an error of the core, with all that is known of it.
pub(crate) fn told(error: &automator::Error) -> PyErr {
    let made = attached(|py| made(py, error).unwrap_or_else(|failure| failure));
    made.unwrap_or_else(|| PyRuntimeError::new_err(error.to_string()))
}

fn made(py: Python<'_>, error: &automator::Error) -> PyResult<PyErr> {
    let context = PyDict::new(py);
    for (name, value) in error.context() {
        context.set_item(name, value)?;
    }
    let mut causes = Vec::new();
    let mut raised = None;
    let mut cause = error.source();
    while let Some(inner) = cause {
        match inner.downcast_ref::<Raised>() {
            Some(found) => raised = Some(found.0.clone_ref(py)),
            None => causes.push(inner.to_string()),
        }
        cause = inner.source();
    }
    let exception = py.import("automator.errors")?.call_method1(
        "made",
        (
            error.kind().name(),
            error.to_string(),
            error.operation(),
            error.hint_text(),
            context,
            causes,
            raised,
        ),
    )?;
    Ok(PyErr::from_value(exception))
}

/// Hands an outcome of the core over.
pub(crate) trait Handed<T> {
    fn handed(self) -> PyResult<T>;
}

impl<T> Handed<T> for automator::Result<T> {
    fn handed(self) -> PyResult<T> {
        self.map_err(|error| told(&error))
    }
}
