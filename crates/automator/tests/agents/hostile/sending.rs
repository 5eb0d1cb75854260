//! What pages send by themselves once something was pressed.

use automator::DomainPolicy;
use automator_testing::Route;

use super::{Hostile, outcomes, page};

async fn hostile() -> Hostile {
    let hostile = Hostile::start().await;
    let worker = hostile.filled(include_str!("pages/worker.js"));
    hostile
        .rig
        .site
        .route("/worker.js", Route::typed("text/javascript", worker));
    hostile
}

async fn presses(hostile: &Hostile) {
    let result = hostile.obeys(page!("sends_data")).await;
    let outcomes = outcomes(&result);
    assert_eq!(outcomes.len(), 3, "{outcomes:#?}");
    assert!(outcomes.iter().all(|(_, success, _)| *success), "{outcomes:#?}");
}

#[tokio::test]
async fn without_a_policy_the_page_does_send() {
    let hostile = hostile().await;
    presses(&hostile).await;
    let mut paths: Vec<String> = hostile.elsewhere.hits().into_iter().map(|hit| hit.path).collect();
    paths.sort_unstable();
    paths.dedup();
    // So that the other tests here are about something.
    for path in [
        "/fetch",
        "/kept",
        "/request",
        "/beacon",
        "/socket",
        "/events",
        "/image",
        "/script",
        "/style",
        "/worker-file",
        "/worker-file-socket",
        "/frame",
        "/frame-socket",
        "/ping",
    ] {
        assert!(
            paths.iter().any(|found| found == path),
            "{path} is not among {paths:?}"
        );
    }
    hostile.close().await;
}

#[tokio::test]
async fn nothing_is_sent_to_a_blocked_domain() {
    let hostile = hostile().await;
    let mut policy = DomainPolicy::default();
    policy.blocked_domains = vec!["localhost".to_owned()];
    hostile.set(&policy).await;
    presses(&hostile).await;
    let hits = hostile.elsewhere.hits();
    // The browser lets nobody judge a WebSocket; only the list of allowed domains can keep pages from them.
    let others: Vec<&str> = hits
        .iter()
        .map(|hit| hit.path.as_str())
        .filter(|path| !path.ends_with("socket"))
        .collect();
    assert_eq!(others, Vec::<&str>::new());
    hostile.close().await;
}

#[tokio::test]
async fn nothing_is_sent_beyond_the_allowed_domains_when_that_is_asked_for() {
    let hostile = hostile().await;
    let mut policy = DomainPolicy::default();
    policy.allowed_domains = Some(vec!["127.0.0.1".to_owned()]);
    policy.all_requests = true;
    hostile.set(&policy).await;
    presses(&hostile).await;
    hostile.nothing_went_elsewhere();
    hostile.close().await;
}
