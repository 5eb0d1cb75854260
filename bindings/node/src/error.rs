//! An error on its way to TypeScript, which makes one of its classes of it.

use std::error::Error as _;

use automator::ToJson as _;
use napi::{Error, Status};

use crate::callback::Thrown;

/// The outcome of everything that JavaScript calls.
pub(crate) type Result<T> = std::result::Result<T, Error>;

/// Writes down all of an error: its name, and what its class has as members.
pub(crate) fn told(error: &automator::Error) -> Error {
    let mut written = error.to_json();
    let thrown = std::iter::successors(error.source(), |cause| (*cause).source())
        .filter_map(|cause| cause.downcast_ref::<Thrown>())
        .last();
    written["thrown"] = thrown.map(|thrown| thrown.0).into();
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
