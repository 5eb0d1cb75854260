//! An error on its way to TypeScript, which makes one of its classes of it.

use std::error::Error as _;

use napi::{Error, Status};
use serde_json::{Map, Value, json};

use crate::callback::Thrown;

/// The outcome of everything that JavaScript calls.
pub(crate) type Result<T> = std::result::Result<T, Error>;

/// Writes down all of an error: its name, and what its class has as members.
pub(crate) fn told(error: &automator::Error) -> Error {
    let context: Map<String, Value> = error
        .context()
        .map(|(name, value)| (name.to_owned(), value.into()))
        .collect();
    let mut causes = Vec::new();
    let mut thrown = None;
    let mut cause = error.source();
    while let Some(inner) = cause {
        thrown = inner.downcast_ref::<Thrown>().map(|thrown| thrown.0);
        causes.push(inner.to_string());
        cause = inner.source();
    }
    let written = json!({
        "automator": error.kind().name(),
        "message": error.message(),
        "operation": error.operation(),
        "hint": error.hint_text(),
        "context": context,
        "causes": causes,
        "thrown": thrown,
    });
    Error::new(Status::GenericFailure, written.to_string())
}

/// Hands an outcome of the core over.
pub(crate) trait Handed<T> {
    fn handed(self) -> Result<T>;
}

impl<T> Handed<T> for automator::Result<T> {
    fn handed(self) -> Result<T> {
        self.map_err(|error| told(&error))
    }
}
