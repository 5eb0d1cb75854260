//! Sessions whose time is over, to the millisecond, by a clock that the test moves.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use automator_server::options::PlatformOptions;
use automator_server::store::{SessionRecord, SqliteOptions};
use serde_json::{Value, json};

use super::fake::Rig;
use super::{closed, connect, create, figure, retrieve, text, until, until_status};

/// A server, and the clock that it goes by.
async fn start() -> (Rig, Arc<AtomicI64>) {
    let clock = Arc::new(AtomicI64::new(1_700_000_000_000));
    let told = Arc::clone(&clock);
    let store = SqliteOptions::new()
        .with_clock(Arc::new(move || told.load(Ordering::SeqCst)))
        .in_memory()
        .expect("a store");
    (Rig::start(Arc::new(store), |_| {}).await, clock)
}

async fn stored(rig: &Rig, session: &Value) -> SessionRecord {
    let found = rig.server.store().session(text(session, "id")).await;
    found.expect("an answer").expect("the session")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_ends_when_its_time_is_over_and_not_before_whatever_is_under_way() {
    let (rig, clock) = start().await;
    let body = json!({ "timeout": 60, "keepAlive": true });
    let first = create(&rig.client, &body).await;
    clock.fetch_add(1, Ordering::SeqCst);
    let second = create(&rig.client, &body).await;
    let record = stored(&rig, &second).await;
    assert_eq!(record.expires_at - record.created_at, 60_000);
    let browser = connect(text(&second, "connectUrl")).await;
    let in_flight = tokio::spawn(browser.root().send_raw("Test.never", json!({})));

    clock.fetch_add(59_999, Ordering::SeqCst);
    let ended = until_status(&rig.client, &first, "TIMED_OUT").await;
    assert_eq!(text(&ended, "endedAt"), text(&ended, "expiresAt"));
    // It has a millisecond left, and the same round has looked at it.
    assert_eq!(retrieve(&rig.client, &second).await["status"], "RUNNING");
    assert!(!in_flight.is_finished());

    clock.fetch_add(1, Ordering::SeqCst);
    let (code, reason) = closed(&browser).await;
    assert_eq!((code, reason.as_str()), (Some(4000), "its time was over"));
    assert!(in_flight.await.expect("no panic").is_err());
    let ended = until_status(&rig.client, &second, "TIMED_OUT").await;
    assert_eq!(text(&ended, "endedAt"), text(&ended, "expiresAt"));
    until("the browsers have gone", async || rig.engine.living() == 0).await;
    assert_eq!(figure(&rig.client, "automator_slots_used").await, 0.0);
    rig.server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_kept_session_outlives_its_connections_and_another_one_the_grace() {
    let (rig, clock) = start().await;
    let kept = create(&rig.client, &json!({ "keepAlive": true })).await;
    let left = create(&rig.client, &json!({})).await;
    let later = create(&rig.client, &json!({})).await;
    for session in [&kept, &left] {
        connect(text(session, "connectUrl")).await.close();
    }
    until("nobody is connected", async || {
        stored(&rig, &kept).await.left_at.is_some() && stored(&rig, &left).await.left_at.is_some()
    })
    .await;
    clock.fetch_add(1, Ordering::SeqCst);
    connect(text(&later, "connectUrl")).await.close();
    until("nobody is connected", async || {
        stored(&rig, &later).await.left_at.is_some()
    })
    .await;

    let grace = i64::try_from(PlatformOptions::default().grace.as_millis()).expect("a number");
    clock.fetch_add(grace - 1, Ordering::SeqCst);
    let ended = until_status(&rig.client, &left, "COMPLETED").await;
    assert!(text(&ended, "endReason").contains("connected"), "{ended}");
    assert_eq!(retrieve(&rig.client, &later).await["status"], "RUNNING");
    let again = connect(text(&kept, "connectUrl")).await;
    let answer = again.root().send_raw("Browser.getVersion", json!({})).await;
    answer.expect("it answers as before");
    clock.fetch_add(1, Ordering::SeqCst);
    until_status(&rig.client, &later, "COMPLETED").await;
    assert_eq!(retrieve(&rig.client, &kept).await["status"], "RUNNING");
    rig.server.stop().await;
}
