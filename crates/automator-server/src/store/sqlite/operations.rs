//! What was done in sessions.

use rusqlite::{Connection, Row, params};

use super::failure::Failure;
use super::sessions;
use super::values::Json;
use crate::store::{OperationRecord, StoreError};

pub(super) fn add(connection: &Connection, operation: OperationRecord) -> Result<(), Failure> {
    if sessions::find(connection, &operation.session)?.is_none() {
        return Err(StoreError::NotFound(operation.session).into());
    }
    connection
        .prepare_cached(
            "INSERT INTO operations (session, id, kind, parameters, result, url, started_at, ended_at, usage)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?
        .execute(params![
            operation.session,
            operation.id,
            operation.kind,
            Json(operation.parameters),
            Json(operation.result),
            operation.url,
            operation.started_at,
            operation.ended_at,
            Json(operation.usage),
        ])?;
    Ok(())
}

pub(super) fn of_session(connection: &Connection, session: &str) -> Result<Vec<OperationRecord>, Failure> {
    let operations = connection
        .prepare_cached("SELECT * FROM operations WHERE session = ?1 ORDER BY sequence")?
        .query_map([session], of_row)?
        .collect::<Result<_, _>>()?;
    Ok(operations)
}

fn of_row(row: &Row<'_>) -> rusqlite::Result<OperationRecord> {
    Ok(OperationRecord {
        id: row.get("id")?,
        session: row.get("session")?,
        kind: row.get("kind")?,
        parameters: row.get::<_, Json<_>>("parameters")?.0,
        result: row.get::<_, Json<_>>("result")?.0,
        url: row.get("url")?,
        started_at: row.get("started_at")?,
        ended_at: row.get("ended_at")?,
        usage: row.get::<_, Json<_>>("usage")?.0,
    })
}
