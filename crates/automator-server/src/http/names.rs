//! Names of the interface: ours, and those under which the public SDKs of the hosted contract know the same things.
//! Nothing else in the crate knows that there are others.

use axum::http::HeaderMap;
use serde_json::{Map, Value};

/// Members of the request that starts a session: theirs, and ours.
const START_MEMBERS: [(&str, &str); 2] = [
    ("browserbaseSessionID", "remoteSessionID"),
    ("browserbaseSessionCreateParams", "remoteSessionCreateParams"),
];

/// Headers that switch the cache off for a request.
const CACHE_BYPASS: [(&str, &str); 2] = [
    ("x-automator-cache", "bypass"),
    ("browserbase-cache-bypass", "true"),
];

/// Headers that say whether an answer was in the cache.
pub(super) const CACHE_STATUS: [&str; 2] = ["x-automator-cache-status", "browserbase-cache-status"];

/// Carries the key of the session's model.
const MODEL_KEY: &str = "x-model-api-key";

/// The body of a request that starts a session, in our names. A member that is given under both keeps ours.
pub(super) fn start_members(mut body: Map<String, Value>) -> Map<String, Value> {
    for (theirs, ours) in START_MEMBERS {
        if let Some(value) = body.remove(theirs) {
            body.entry(ours).or_insert(value);
        }
    }
    body
}

/// What the client calls a member that is ours by this name.
pub(super) fn given_name(body: &Map<String, Value>, ours: &'static str) -> &'static str {
    let other = START_MEMBERS.into_iter().find(|(_, name)| *name == ours);
    match other {
        Some((theirs, _)) if body.contains_key(theirs) && !body.contains_key(ours) => theirs,
        _ => ours,
    }
}

/// Whether a request is to be answered without the cache.
pub(super) fn bypasses_cache(headers: &HeaderMap) -> bool {
    CACHE_BYPASS
        .into_iter()
        .any(|(name, value)| says(headers, name, value))
}

/// Whether a header has this value, in whatever case.
pub(super) fn says(headers: &HeaderMap, name: &str, value: &str) -> bool {
    let given = headers.get(name).and_then(|given| given.to_str().ok());
    given.is_some_and(|given| given.trim().eq_ignore_ascii_case(value))
}

/// The key of the session's model; an empty one is none.
pub(super) fn model_key(headers: &HeaderMap) -> Option<&str> {
    let key = headers.get(MODEL_KEY)?.to_str().ok()?;
    Some(key).filter(|key| !key.is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn both_names_mean_the_same_and_ours_wins() {
        let body = json!({ "browserbaseSessionID": "theirs", "modelName": "a/b" });
        let body = body.as_object().cloned().unwrap_or_default();
        assert_eq!(given_name(&body, "remoteSessionID"), "browserbaseSessionID");
        assert_eq!(
            given_name(&body, "remoteSessionCreateParams"),
            "remoteSessionCreateParams"
        );
        let body = start_members(body);
        assert_eq!(
            json!(body),
            json!({ "remoteSessionID": "theirs", "modelName": "a/b" })
        );
        let both = json!({ "browserbaseSessionID": "theirs", "remoteSessionID": "ours" });
        let both = both.as_object().cloned().unwrap_or_default();
        assert_eq!(given_name(&both, "remoteSessionID"), "remoteSessionID");
        let both = start_members(both);
        assert_eq!(both["remoteSessionID"], "ours");
    }

    #[test]
    fn the_cache_is_left_out_under_either_name() {
        let headers = |name: &'static str, value: &'static str| {
            HeaderMap::from_iter([(
                axum::http::HeaderName::from_static(name),
                axum::http::HeaderValue::from_static(value),
            )])
        };
        assert!(bypasses_cache(&headers("x-automator-cache", "bypass")));
        assert!(bypasses_cache(&headers("browserbase-cache-bypass", "true")));
        assert!(bypasses_cache(&headers("x-automator-cache", "BYPASS")));
        assert!(!bypasses_cache(&headers("browserbase-cache-bypass", "false")));
        assert!(!bypasses_cache(&HeaderMap::new()));
    }
}
