//! Who looks after which session.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::failure::Failure;
use super::values::Count;
use crate::store::{Lease, StoreError, Timestamp};

/// Takes or renews the lease on a session, unless somebody else holds it.
pub(super) fn take(
    connection: &Connection,
    session: &str,
    holder: &str,
    now: Timestamp,
    milliseconds: u32,
) -> Result<Option<Lease>, Failure> {
    let is_known = connection
        .prepare_cached("SELECT 1 FROM sessions WHERE id = ?1")?
        .exists([session])?;
    if !is_known {
        return Err(StoreError::NotFound(session.to_owned()).into());
    }
    let Some(lease) = next(last(connection, session)?, holder, now, milliseconds) else {
        return Ok(None);
    };
    connection
        .prepare_cached(
            "INSERT INTO leases (session, holder, until, fence) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (session) DO UPDATE
             SET holder = excluded.holder, until = excluded.until, fence = excluded.fence",
        )?
        .execute(params![session, lease.holder, lease.until, Count(lease.fence)])?;
    Ok(Some(lease))
}

/// Lets the next one have the lease at once. Nothing happens if somebody else holds it.
pub(super) fn give_back(
    connection: &Connection,
    session: &str,
    holder: &str,
    now: Timestamp,
) -> Result<(), Failure> {
    connection
        .prepare_cached("UPDATE leases SET until = min(until, ?3) WHERE session = ?1 AND holder = ?2")?
        .execute(params![session, holder, now])?;
    Ok(())
}

/// The last lease on a session, whether it is over or not.
pub(super) fn last(connection: &Connection, session: &str) -> Result<Option<Lease>, Failure> {
    let lease = connection
        .prepare_cached("SELECT holder, until, fence FROM leases WHERE session = ?1")?
        .query_row([session], |row| {
            Ok(Lease {
                holder: row.get(0)?,
                until: row.get(1)?,
                fence: row.get::<_, Count>(2)?.0,
            })
        })
        .optional()?;
    Ok(lease)
}

/// The lease that somebody gets who asks for it. At its end a lease is free for others, and until one of them has
/// taken it, the last holder gets it back as it was.
fn next(last: Option<Lease>, holder: &str, now: Timestamp, milliseconds: u32) -> Option<Lease> {
    let fence = match last {
        None => 1,
        Some(lease) if lease.holder == holder => lease.fence,
        Some(lease) if lease.until <= now => lease.fence.saturating_add(1),
        Some(_) => return None,
    };
    Some(Lease {
        holder: holder.to_owned(),
        until: now.saturating_add(milliseconds.into()),
        fence,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lease(holder: &str, until: Timestamp, fence: u64) -> Lease {
        Lease {
            holder: holder.to_owned(),
            until,
            fence,
        }
    }

    #[test]
    fn fence_grows_with_new_holders_only() {
        assert_eq!(next(None, "one", 10, 5), Some(lease("one", 15, 1)));
        let held = || Some(lease("one", 15, 4));
        assert_eq!(next(held(), "one", 12, 5), Some(lease("one", 17, 4)), "renewed");
        assert_eq!(
            next(held(), "one", 99, 5),
            Some(lease("one", 104, 4)),
            "taken again"
        );
        assert_eq!(next(held(), "two", 14, 5), None, "held");
        assert_eq!(next(held(), "two", 15, 5), Some(lease("two", 20, 5)), "over");
    }
}
