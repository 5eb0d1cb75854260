//! How values are columns.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::store::SessionState;

/// The states that are no ends, as a list of SQL.
pub(super) const LIVING: &str = "('PENDING', 'RUNNING')";

/// The states that are ends, as a list of SQL.
pub(super) const ENDED: &str = "('ERROR', 'TIMED_OUT', 'COMPLETED')";

/// A number that counts up from 0 or 1, which SQLite can hold up to 2^63 - 1.
pub(super) struct Count(pub(super) u64);

impl ToSql for Count {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        i64::try_from(self.0)
            .map(ToSqlOutput::from)
            .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))
    }
}

impl FromSql for Count {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let number = value.as_i64()?;
        u64::try_from(number)
            .map(Self)
            .map_err(|_| FromSqlError::OutOfRange(number))
    }
}

/// A value as JSON text.
pub(super) struct Json<T>(pub(super) T);

impl<T: Serialize> ToSql for Json<T> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        serde_json::to_string(&self.0)
            .map(ToSqlOutput::from)
            .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))
    }
}

impl<T: DeserializeOwned> FromSql for Json<T> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        serde_json::from_str(value.as_str()?)
            .map(Self)
            .map_err(|error| FromSqlError::Other(error.into()))
    }
}

/// A state by its name in the interface.
pub(super) struct State(pub(super) SessionState);

impl ToSql for State {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(match self.0 {
            SessionState::Pending => "PENDING",
            SessionState::Running => "RUNNING",
            SessionState::Error => "ERROR",
            SessionState::TimedOut => "TIMED_OUT",
            SessionState::Completed => "COMPLETED",
        }))
    }
}

impl FromSql for State {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value.as_str()? {
            "PENDING" => Ok(Self(SessionState::Pending)),
            "RUNNING" => Ok(Self(SessionState::Running)),
            "ERROR" => Ok(Self(SessionState::Error)),
            "TIMED_OUT" => Ok(Self(SessionState::TimedOut)),
            "COMPLETED" => Ok(Self(SessionState::Completed)),
            other => Err(FromSqlError::Other(format!("there is no state `{other}`").into())),
        }
    }
}
