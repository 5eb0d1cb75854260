//! Values as JSON text.

use automator::ReadOptions;
use napi::{Error, Status};
use serde::Serialize;
use serde_json::Value;

use crate::error::{Handed as _, Result};

/// What the TypeScript half has written; it writes nothing else.
pub(crate) fn parsed(text: &str) -> Result<Value> {
    serde_json::from_str(text).map_err(|error| Error::new(Status::InvalidArg, error.to_string()))
}

/// A value for the TypeScript half.
pub(crate) fn written(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Error::new(Status::GenericFailure, error.to_string()))
}

/// The options of a call; none when there are none.
pub(crate) fn options<T: ReadOptions>(text: Option<&str>) -> Result<T> {
    let given = text.map(parsed).transpose()?.unwrap_or(Value::Null);
    T::read("options", &given).handed()
}
