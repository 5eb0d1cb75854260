//! More requests than there are places.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use automator_server::create_key;
use automator_server::slots::SlotLimits;
use automator_server::store::SqliteStore;
use futures_util::future::join_all;
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use super::client::Client;
use super::fake::Rig;
use super::{PATIENCE, create, figure, release, text, until, until_status};

/// How many sessions there may be at once.
const SLOTS: usize = 4;
/// How many requests may wait.
const WAITING: usize = 100;

async fn crowd() -> (Rig, Client) {
    let store = Arc::new(SqliteStore::in_memory().expect("a store"));
    let rig = Rig::start(store, |options| {
        options.platform.slots = SlotLimits {
            slots: SLOTS,
            per_owner: SLOTS,
            waiting: WAITING,
        };
    })
    .await;
    let other = create_key(rig.server.store().as_ref(), "other")
        .await
        .expect("a key");
    let other = Client::new(rig.server.address(), other.reveal());
    (rig, other)
}

/// Asks for a session, and releases it as soon as it is there. Gives it.
fn use_one(client: &Client) -> JoinHandle<Value> {
    let client = client.clone();
    tokio::spawn(async move {
        let session = create(&client, &json!({})).await;
        let (status, ended) = release(&client, &session).await;
        assert_eq!((status, &ended["status"]), (200, &json!("COMPLETED")), "{ended}");
        session
    })
}

/// A session on every place.
async fn hold_all(client: &Client) -> Vec<Value> {
    join_all((0..SLOTS).map(|_| async { create(client, &json!({})).await })).await
}

async fn until_waiting(client: &Client, count: usize) {
    until("the queue", async || {
        figure(client, "automator_queue_length").await == count as f64
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_a_hundred_requests_on_four_places_none_is_lost_and_two_keys_take_turns() {
    let (rig, other) = crowd().await;
    let held = hold_all(&rig.client).await;
    let mut many: Vec<_> = (0..80).map(|_| use_one(&rig.client)).collect();
    until_waiting(&rig.client, 80).await;
    let few: Vec<_> = (0..20).map(|_| use_one(&other)).collect();
    until_waiting(&rig.client, WAITING).await;

    let (status, head, body) = rig.client.send_bytes("POST", "/v1/sessions", &[], b"{}").await;
    let body = String::from_utf8_lossy(&body);
    assert_eq!(status, 429, "{body}");
    assert!(
        head.contains("retry-after: 5") && body.contains("100 requests wait"),
        "{head}{body}"
    );

    // Who hangs up leaves the queue.
    for given_up in many.drain(..10) {
        given_up.abort();
    }
    until_waiting(&rig.client, WAITING - 10).await;
    for session in &held {
        release(&rig.client, session).await;
    }
    let begun = Instant::now();
    let served = join_all(many.into_iter().chain(few)).await;
    let served: Vec<Value> = served
        .into_iter()
        .map(|session| session.expect("it was served"))
        .collect();
    assert_eq!(served.len(), 90);
    assert!(begun.elapsed() < PATIENCE);

    let owners: BTreeMap<&str, &str> = served
        .iter()
        .map(|session| (text(session, "id"), text(session, "projectId")))
        .collect();
    let order: Vec<&str> = rig
        .engine
        .created()
        .iter()
        .filter_map(|id| owners.get(id.as_str()).copied())
        .collect();
    assert_eq!(order.len(), 90);
    let few = text(served.last().expect("a session"), "projectId");
    let last = order
        .iter()
        .rposition(|owner| *owner == few)
        .expect("it was served");
    // 20 turns of each, and those that were under way when the other key came.
    assert!(
        (38..=40 + 2 * SLOTS).contains(&last),
        "the last one was served as number {last}"
    );
    assert_eq!(figure(&rig.client, "automator_slots_used").await, 0.0);
    assert_eq!(rig.engine.living(), 0);
    rig.server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_is_released_while_it_waits_leaves_the_queue_at_once() {
    let (rig, _) = crowd().await;
    let held = hold_all(&rig.client).await;
    let waiting = tokio::spawn({
        let client = rig.client.clone();
        async move { client.post("/v1/sessions", &json!({})).await }
    });
    until_waiting(&rig.client, 1).await;
    let (_, pending) = rig.client.get("/v1/sessions?status=PENDING").await;
    release(&rig.client, &pending[0]).await;
    let answered = tokio::time::timeout(PATIENCE, waiting).await;
    let (status, body) = answered.expect("an answer at once").expect("an answer");
    assert_eq!(status, 410, "{body}");
    until_waiting(&rig.client, 0).await;
    until_status(&rig.client, &pending[0], "COMPLETED").await;
    for session in &held {
        release(&rig.client, session).await;
    }
    assert_eq!(rig.engine.created().len(), SLOTS, "no browser was started for it");
    rig.server.stop().await;
}
