//! Members of the query of an address: those that nobody knows are refused, since a misspelt filter would let all pass.

use axum::extract::{MatchedPath, Request};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::description::query_members;
use super::failure::Failure;
use super::guard::has_key;

/// Lets requests through whose query has only members that its address takes.
pub(super) async fn check_query(request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>();
    let known = route.and_then(|route| query_members(request.method(), route.as_str()));
    // Who needs a key and has none is told that.
    let known = known.filter(|known| known.contains(&"token") || has_key(request.headers()));
    let problem = known.and_then(|known| problem(request.uri().query().unwrap_or_default(), &known));
    match problem {
        None => next.run(request).await,
        Some(problem) => Failure::bad_request(problem).into_response(),
    }
}

/// What is wrong with a query.
fn problem(query: &str, known: &[&str]) -> Option<String> {
    let mut given = url::form_urlencoded::parse(query.as_bytes());
    let (unknown, _) = given.find(|(name, _)| !known.contains(&name.as_ref()))?;
    let unknown = unknown.escape_debug();
    Some(if known.is_empty() {
        format!("`{unknown}` is no member of the query of this address, which has none")
    } else {
        let known: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
        format!(
            "`{unknown}` is no member of the query of this address; there are {}",
            known.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_unknown_is_named_and_what_is_known_listed() {
        let known = ["status", "q"];
        assert_eq!(problem("", &known), None);
        assert_eq!(problem("q=a%26b&status=RUNNING", &known), None);
        for (query, name) in [
            ("statuz=RUNNING", "statuz"),
            ("status=RUNNING&limit=5", "limit"),
            ("Status=RUNNING", "Status"),
            ("%00", "\\0"),
            ("=RUNNING", ""),
        ] {
            let problem = problem(query, &known).expect(query);
            assert!(
                problem.starts_with(&format!("`{name}` is no member")),
                "{problem}"
            );
            assert!(problem.ends_with("there are `status`, `q`"), "{problem}");
        }
        let problem = problem("a", &[]).expect("a problem");
        assert!(problem.ends_with("which has none"), "{problem}");
    }
}
