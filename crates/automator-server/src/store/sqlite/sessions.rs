//! Sessions, and the requests that created them.

use rusqlite::{Connection, OptionalExtension as _, Row, ToSql, named_params, params};

use super::failure::Failure;
use super::leases;
use super::values::{Count, ENDED, Json, LIVING, State};
use crate::store::{Created, Idempotency, SessionFilter, SessionRecord, StoreError, Timestamp};

/// How long a request to create a session is remembered, in milliseconds: 24 hours.
const REMEMBERED: Timestamp = 24 * 60 * 60 * 1000;

/// Stores a new session, unless the same request was made before.
pub(super) fn create(
    connection: &Connection,
    session: &SessionRecord,
    idempotency: Option<&Idempotency>,
    now: Timestamp,
) -> Result<Created, Failure> {
    forget_requests(connection, now)?;
    if let Some(before) = before(connection, &session.owner, idempotency)? {
        return Ok(before);
    }
    if find(connection, &session.id)?.is_some() {
        return Err(StoreError::Exists(session.id.clone()).into());
    }
    put(connection, session)?;
    if let Some(idempotency) = idempotency {
        connection
            .prepare_cached(
                "INSERT INTO idempotency (owner, key, request, session, created_at)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![
                session.owner,
                idempotency.key,
                idempotency.request,
                session.id,
                now
            ])?;
    }
    Ok(Created::New)
}

/// What became of the request that was made before under the same key.
fn before(
    connection: &Connection,
    owner: &str,
    idempotency: Option<&Idempotency>,
) -> Result<Option<Created>, Failure> {
    let Some(Idempotency { key, request }) = idempotency else {
        return Ok(None);
    };
    let before = connection
        .prepare_cached(
            "SELECT idempotency.request AS request, sessions.*
             FROM idempotency JOIN sessions ON sessions.id = idempotency.session
             WHERE idempotency.owner = ?1 AND idempotency.key = ?2",
        )?
        .query_row([owner, key], |row| {
            let session = of_row(row)?;
            Ok(if row.get::<_, String>("request")? == *request {
                Created::Before(Box::new(session))
            } else {
                Created::OtherRequest
            })
        })
        .optional()?;
    Ok(before)
}

/// Replaces a session that has not ended, and is as it was when it was read.
pub(super) fn update(
    connection: &Connection,
    mut session: SessionRecord,
    fence: Option<u64>,
    now: Timestamp,
) -> Result<SessionRecord, Failure> {
    let Some(stored) = find(connection, &session.id)? else {
        return Err(StoreError::NotFound(session.id).into());
    };
    let is_fenced_out = match fence {
        None => false,
        Some(fence) => leases::last(connection, &session.id)?.is_none_or(|lease| lease.fence != fence),
    };
    if stored.version != session.version || stored.state.is_final() || is_fenced_out {
        return Err(StoreError::Conflict(session.id).into());
    }
    session.version = session.version.saturating_add(1);
    session.updated_at = now;
    put(connection, &session)?;
    if session.state.is_final() {
        connection
            .prepare_cached("DELETE FROM session_secrets WHERE session = ?1")?
            .execute([&session.id])?;
    }
    Ok(session)
}

/// Keeps a secret for a session until it ends.
pub(super) fn set_secret(connection: &Connection, session: &str, secret: &[u8]) -> Result<(), Failure> {
    match find(connection, session)? {
        None => return Err(StoreError::NotFound(session.to_owned()).into()),
        Some(stored) if stored.state.is_final() => {
            return Err(StoreError::Conflict(session.to_owned()).into());
        }
        Some(_) => {}
    }
    connection.execute(
        "INSERT INTO session_secrets (session, secret) VALUES (?1, ?2)
         ON CONFLICT (session) DO UPDATE SET secret = excluded.secret",
        params![session, secret],
    )?;
    Ok(())
}

pub(super) fn secret(connection: &Connection, session: &str) -> Result<Option<Vec<u8>>, Failure> {
    let secret = connection
        .prepare_cached("SELECT secret FROM session_secrets WHERE session = ?1")?
        .query_row([session], |row| row.get(0))
        .optional()?;
    Ok(secret)
}

pub(super) fn find(connection: &Connection, id: &str) -> Result<Option<SessionRecord>, Failure> {
    let found = connection
        .prepare_cached("SELECT * FROM sessions WHERE id = ?1")?
        .query_row([id], of_row)
        .optional()?;
    Ok(found)
}

/// The sessions that the filter lets through, the newest first; of those of one time, the one that came last.
pub(super) fn list(connection: &Connection, filter: &SessionFilter) -> Result<Vec<SessionRecord>, Failure> {
    let state = filter.state.map(State);
    let mut conditions = vec!["TRUE".to_owned()];
    let mut values: Vec<&dyn ToSql> = Vec::new();
    if let Some(owner) = &filter.owner {
        conditions.push("owner = ?".to_owned());
        values.push(owner);
    }
    if let Some(state) = &state {
        conditions.push("state = ?".to_owned());
        values.push(state);
    }
    if filter.only_living {
        conditions.push(format!("state IN {LIVING}"));
    }
    let query = format!(
        "SELECT * FROM sessions WHERE {} ORDER BY created_at DESC, sequence DESC",
        conditions.join(" AND ")
    );
    let sessions = connection
        .prepare_cached(&query)?
        .query_map(&*values, of_row)?
        .collect::<Result<_, _>>()?;
    Ok(sessions)
}

/// Forgets sessions that ended before this time, with their leases and the requests for them.
pub(super) fn forget_before(
    connection: &Connection,
    time: Timestamp,
    now: Timestamp,
) -> Result<u64, Failure> {
    forget_requests(connection, now)?;
    let query =
        format!("DELETE FROM sessions WHERE state IN {ENDED} AND coalesce(ended_at, updated_at) < ?1");
    connection.prepare_cached(&query)?.execute([time])?;
    Ok(connection.changes())
}

/// Forgets requests that are a day old.
fn forget_requests(connection: &Connection, now: Timestamp) -> Result<(), Failure> {
    connection
        .prepare_cached("DELETE FROM idempotency WHERE created_at <= ?1")?
        .execute([now.saturating_sub(REMEMBERED)])?;
    Ok(())
}

/// Stores a session in the place of the one with its id, if there is one.
fn put(connection: &Connection, session: &SessionRecord) -> Result<(), Failure> {
    connection
        .prepare_cached(
            "INSERT INTO sessions (
                 id, owner, state, version, created_at, started_at, updated_at, expires_at, ended_at,
                 last_used_at, left_at, keep_alive, region, engine_session, user_metadata, settings, end_reason
             ) VALUES (
                 :id, :owner, :state, :version, :created_at, :started_at, :updated_at, :expires_at, :ended_at,
                 :last_used_at, :left_at, :keep_alive, :region, :engine_session, :user_metadata, :settings,
                 :end_reason
             ) ON CONFLICT (id) DO UPDATE SET
                 owner = excluded.owner, state = excluded.state, version = excluded.version,
                 created_at = excluded.created_at, started_at = excluded.started_at,
                 updated_at = excluded.updated_at, expires_at = excluded.expires_at,
                 ended_at = excluded.ended_at, last_used_at = excluded.last_used_at,
                 left_at = excluded.left_at, keep_alive = excluded.keep_alive, region = excluded.region,
                 engine_session = excluded.engine_session, user_metadata = excluded.user_metadata,
                 settings = excluded.settings, end_reason = excluded.end_reason",
        )?
        .execute(named_params! {
            ":id": session.id,
            ":owner": session.owner,
            ":state": State(session.state),
            ":version": Count(session.version),
            ":created_at": session.created_at,
            ":started_at": session.started_at,
            ":updated_at": session.updated_at,
            ":expires_at": session.expires_at,
            ":ended_at": session.ended_at,
            ":last_used_at": session.last_used_at,
            ":left_at": session.left_at,
            ":keep_alive": session.keep_alive,
            ":region": session.region,
            ":engine_session": session.engine_session.as_ref().map(Json),
            ":user_metadata": Json(&session.user_metadata),
            ":settings": Json(&session.settings),
            ":end_reason": session.end_reason,
        })?;
    Ok(())
}

fn of_row(row: &Row<'_>) -> rusqlite::Result<SessionRecord> {
    Ok(SessionRecord {
        id: row.get("id")?,
        owner: row.get("owner")?,
        state: row.get::<_, State>("state")?.0,
        version: row.get::<_, Count>("version")?.0,
        created_at: row.get("created_at")?,
        started_at: row.get("started_at")?,
        updated_at: row.get("updated_at")?,
        expires_at: row.get("expires_at")?,
        ended_at: row.get("ended_at")?,
        last_used_at: row.get("last_used_at")?,
        left_at: row.get("left_at")?,
        keep_alive: row.get("keep_alive")?,
        region: row.get("region")?,
        engine_session: row
            .get::<_, Option<Json<_>>>("engine_session")?
            .map(|json| json.0),
        user_metadata: row.get::<_, Json<_>>("user_metadata")?.0,
        settings: row.get::<_, Json<_>>("settings")?.0,
        end_reason: row.get("end_reason")?,
    })
}
