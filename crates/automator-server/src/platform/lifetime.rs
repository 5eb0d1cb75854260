//! How long a session goes on; pure.

use super::EndCause;
use crate::options::PlatformOptions;
use crate::store::{SessionRecord, SessionState, Timestamp};

/// Whether a session's time is over, and why. `users`: how many sockets are open and operations under way.
pub(super) fn is_over(
    session: &SessionRecord,
    users: usize,
    now: Timestamp,
    options: &PlatformOptions,
) -> Option<EndCause> {
    if session.state.is_final() {
        return None;
    }
    if now >= session.expires_at {
        return Some(EndCause::TimeOver);
    }
    if session.state == SessionState::Pending || session.keep_alive || users > 0 {
        return None;
    }
    let since = |time: Timestamp| u128::try_from(now - time).unwrap_or_default();
    match session.left_at {
        Some(left) if since(left.max(session.last_used_at)) >= options.grace.as_millis() => {
            Some(EndCause::Left)
        }
        None if since(session.last_used_at) >= options.idle.as_millis() => Some(EndCause::Unused),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::*;

    const CREATED: Timestamp = 1_000_000;

    fn session() -> SessionRecord {
        SessionRecord {
            id: "s".to_owned(),
            owner: "ann".to_owned(),
            state: SessionState::Running,
            version: 1,
            created_at: CREATED,
            started_at: Some(CREATED),
            updated_at: CREATED,
            expires_at: CREATED + 3_600_000,
            ended_at: None,
            last_used_at: CREATED,
            left_at: None,
            keep_alive: false,
            region: "local".to_owned(),
            engine_session: None,
            user_metadata: Map::new(),
            settings: Map::new(),
            end_reason: None,
        }
    }

    fn state_of(session: &SessionRecord, users: usize, after: i64) -> Option<SessionState> {
        is_over(session, users, CREATED + after, &PlatformOptions::default()).map(|cause| cause.state())
    }

    #[test]
    fn no_session_lives_longer_than_its_time() {
        let mut kept = session();
        kept.keep_alive = true;
        for session in [session(), kept] {
            assert_eq!(state_of(&session, 1, 3_599_999), None);
            assert_eq!(state_of(&session, 1, 3_600_000), Some(SessionState::TimedOut));
        }
    }

    #[test]
    fn one_that_is_left_goes_on_for_the_grace() {
        let mut left = session();
        left.left_at = Some(CREATED + 50_000);
        left.last_used_at = CREATED + 50_000;
        assert_eq!(state_of(&left, 0, 79_999), None);
        assert_eq!(state_of(&left, 0, 80_000), Some(SessionState::Completed));
        assert_eq!(state_of(&left, 1, 80_000), None);
        left.last_used_at = CREATED + 60_000;
        assert_eq!(state_of(&left, 0, 80_000), None);
        left.keep_alive = true;
        assert_eq!(state_of(&left, 0, 3_000_000), None);
    }

    #[test]
    fn one_that_nobody_ever_connected_to_goes_on_for_ten_minutes_after_each_call() {
        let mut session = session();
        assert_eq!(state_of(&session, 0, 599_999), None);
        assert_eq!(state_of(&session, 0, 600_000), Some(SessionState::Completed));
        session.last_used_at = CREATED + 1;
        assert_eq!(state_of(&session, 0, 600_000), None);
    }

    #[test]
    fn one_that_waits_for_a_place_is_bound_by_its_time_alone_and_ends_are_final() {
        let mut session = session();
        session.state = SessionState::Pending;
        assert_eq!(state_of(&session, 0, 700_000), None);
        assert_eq!(state_of(&session, 0, 3_600_000), Some(SessionState::TimedOut));
        session.state = SessionState::Error;
        assert_eq!(state_of(&session, 0, 3_600_000), None);
    }
}
