//! Options of page, locator and context calls as other languages hand them over: plain objects with the names of the
//! TypeScript interface. Rust callers fill in the structs themselves.
//!
//! Each form is private: what comes of it is the struct that the call takes.

mod context;
mod input;
mod navigation;
mod picture;

use std::time::Duration;

use serde_json::{Map, Value};

use super::read;
use crate::Error;

/// Options that can be read from a plain object.
///
/// ```
/// use automator::{GotoOptions, ReadOptions, WaitUntil};
///
/// let options = serde_json::json!({ "waitUntil": "load", "timeoutMs": 700 });
/// let options = GotoOptions::read("options", &options)?;
/// assert_eq!(options.wait_until, WaitUntil::Load);
/// # Ok::<(), automator::Error>(())
/// ```
pub trait ReadOptions: Sized {
    /// Reads the options. Members whose value is `null` count as not given, and so does `null` itself; `what` names
    /// the object in errors.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) with the full path of the member that is
    /// wrong, what it is and what it must be; for one that nobody knows the nearest that exists.
    fn read(what: &str, options: &Value) -> Result<Self, Error>;

    /// The JSON Schema of what is read.
    fn schema() -> Value;
}

/// Reads a form, for which nothing given is an object without members.
fn form<T: serde::de::DeserializeOwned + schemars::JsonSchema>(
    what: &str,
    options: &Value,
) -> Result<T, Error> {
    if options.is_null() {
        return read::from_json(what, &Value::Object(Map::new()));
    }
    read::from_json(what, options)
}

/// The JSON Schema of a form, without the name that it has here.
fn schema_of<T: schemars::JsonSchema>() -> Value {
    let mut schema = schemars::schema_for!(T);
    schema.remove("title");
    schema.to_value()
}

/// What is read by way of a form that becomes it.
macro_rules! read_by_form {
    ($($target:ty: $form:ty),+ $(,)?) => {
        $(impl $crate::options::ReadOptions for $target {
            fn read(what: &str, options: &serde_json::Value) -> Result<Self, $crate::Error> {
                $crate::options::page_calls::form::<$form>(what, options).map(Into::into)
            }

            fn schema() -> serde_json::Value {
                $crate::options::page_calls::schema_of::<$form>()
            }
        })+
    };
}
use read_by_form;

/// No time at all, for pauses that nobody asks for.
fn no_time() -> Duration {
    Duration::ZERO
}

#[cfg(test)]
mod tests;
