//! Profiles that outlive sessions, and which session writes to one.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::failure::Failure;
use super::values::LIVING;
use crate::store::{CONTEXT_HOLD, ContextRecord, StoreError, Timestamp};

pub(super) fn add(connection: &Connection, context: &ContextRecord) -> Result<(), Failure> {
    let added = connection.execute(
        "INSERT INTO contexts (id, owner, created_at, updated_at, version, writer) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT (id) DO NOTHING",
        params![
            context.id,
            context.owner,
            context.created_at,
            context.updated_at,
            context.version,
            context.writer
        ],
    )?;
    if added == 0 {
        return Err(StoreError::Exists(context.id.clone()).into());
    }
    Ok(())
}

/// A context. Its writer is one that still counts.
pub(super) fn find(
    connection: &Connection,
    id: &str,
    now: Timestamp,
) -> Result<Option<ContextRecord>, Failure> {
    let query = format!(
        "SELECT *, writer IN (SELECT id FROM sessions WHERE state IN {LIVING} OR ended_at > ?2) AS counts
         FROM contexts WHERE id = ?1"
    );
    let since = now.saturating_sub(CONTEXT_HOLD);
    let found = connection
        .prepare_cached(&query)?
        .query_row(params![id, since], |row| {
            let counts = row.get::<_, Option<bool>>("counts")?.unwrap_or_default();
            Ok(ContextRecord {
                id: row.get("id")?,
                owner: row.get("owner")?,
                created_at: row.get("created_at")?,
                updated_at: row.get("updated_at")?,
                version: row.get("version")?,
                writer: row.get::<_, Option<String>>("writer")?.filter(|_| counts),
            })
        })
        .optional()?;
    Ok(found)
}

/// Gives whether there was one.
pub(super) fn remove(connection: &Connection, id: &str) -> Result<bool, Failure> {
    Ok(connection.execute("DELETE FROM contexts WHERE id = ?1", [id])? > 0)
}

/// Makes a session the writer, unless another one is.
pub(super) fn claim(
    connection: &Connection,
    id: &str,
    session: &str,
    now: Timestamp,
) -> Result<bool, Failure> {
    let context = find(connection, id, now)?.ok_or_else(|| StoreError::NotFound(id.to_owned()))?;
    if context.writer.is_some_and(|writer| writer != session) {
        return Ok(false);
    }
    connection.execute(
        "UPDATE contexts SET writer = ?2 WHERE id = ?1",
        params![id, session],
    )?;
    Ok(true)
}

/// Ends the writing of a session, with a new version if one is given. Gives whether it was the writer.
pub(super) fn finish(
    connection: &Connection,
    id: &str,
    session: &str,
    version: Option<&str>,
    now: Timestamp,
) -> Result<bool, Failure> {
    let finished = connection.execute(
        "UPDATE contexts SET
             writer = NULL,
             version = coalesce(?3, version),
             updated_at = CASE WHEN ?3 IS NULL THEN updated_at ELSE ?4 END
         WHERE id = ?1 AND writer = ?2",
        params![id, session, version, now],
    )?;
    Ok(finished > 0)
}
