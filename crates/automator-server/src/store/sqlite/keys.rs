//! Keys, and the secrets that servers share.

use ring::rand::{SecureRandom as _, SystemRandom};
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::failure::Failure;
use crate::store::{KeyRecord, StoreError, Timestamp};

/// In bytes.
const SECRET_LENGTH: usize = 32;

/// The secret of this name, which is made if there is none.
pub(super) fn secret(connection: &Connection, name: &str) -> Result<Vec<u8>, Failure> {
    let known = connection
        .prepare_cached("SELECT secret FROM secrets WHERE name = ?1")?
        .query_row([name], |row| row.get(0))
        .optional()?;
    if let Some(secret) = known {
        return Ok(secret);
    }
    let mut secret = vec![0; SECRET_LENGTH];
    SystemRandom::new().fill(&mut secret).map_err(|_| {
        StoreError::Failed("the system gives no random numbers; see that it is well".to_owned())
    })?;
    connection.execute(
        "INSERT INTO secrets (name, secret) VALUES (?1, ?2)",
        params![name, secret],
    )?;
    Ok(secret)
}

pub(super) fn add(connection: &Connection, key: &KeyRecord) -> Result<(), Failure> {
    let added = connection.execute(
        "INSERT INTO keys (id, hash, name, created_at, revoked_at) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (id) DO NOTHING",
        params![key.id, key.hash, key.name, key.created_at, key.revoked_at],
    )?;
    if added == 0 {
        return Err(StoreError::Exists(key.id.clone()).into());
    }
    Ok(())
}

pub(super) fn find(connection: &Connection, id: &str) -> Result<Option<KeyRecord>, Failure> {
    let found = connection
        .prepare_cached("SELECT * FROM keys WHERE id = ?1")?
        .query_row([id], of_row)
        .optional()?;
    Ok(found)
}

pub(super) fn all(connection: &Connection) -> Result<Vec<KeyRecord>, Failure> {
    let keys = connection
        .prepare_cached("SELECT * FROM keys ORDER BY created_at, sequence")?
        .query_map([], of_row)?
        .collect::<Result<_, _>>()?;
    Ok(keys)
}

/// One that is revoked already keeps the time of that.
pub(super) fn revoke(connection: &Connection, id: &str, now: Timestamp) -> Result<(), Failure> {
    let revoked = connection.execute(
        "UPDATE keys SET revoked_at = coalesce(revoked_at, ?2) WHERE id = ?1",
        params![id, now],
    )?;
    if revoked == 0 {
        return Err(StoreError::NotFound(id.to_owned()).into());
    }
    Ok(())
}

fn of_row(row: &Row<'_>) -> rusqlite::Result<KeyRecord> {
    Ok(KeyRecord {
        id: row.get("id")?,
        hash: row.get("hash")?,
        name: row.get("name")?,
        created_at: row.get("created_at")?,
        revoked_at: row.get("revoked_at")?,
    })
}
