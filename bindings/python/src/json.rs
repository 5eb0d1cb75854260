//! Values as JSON text.

use automator::ReadOptions;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::Serialize;
use serde_json::Value;

use crate::error::Handed as _;

/// What the Python half has written; it writes nothing else.
pub(crate) fn parsed(text: &str) -> PyResult<Value> {
    serde_json::from_str(text).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// A value for the Python half.
pub(crate) fn written(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// The options of a call; none when there are none.
pub(crate) fn options<T: ReadOptions>(text: Option<&str>) -> PyResult<T> {
    let given = text.map(parsed).transpose()?.unwrap_or(Value::Null);
    T::read("options", &given).handed()
}
