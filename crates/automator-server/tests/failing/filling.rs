//! A store that has no room for more.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use automator_cdp::{WebSocketOptions, WebSocketTransport};
use automator_server::store::{
    ContextRecord, Created, Idempotency, KeyRecord, Lease, OperationRecord, SessionFilter, SessionRecord,
    SqliteOptions, SqliteStore, Store, StoreError, StoreFuture, Timestamp,
};
use serde_json::{Value, json};

use super::fake::Rig;
use super::{closed, connect, create, figure, release, retrieve, text, until, until_status};

/// What fills a database fast.
fn large() -> Value {
    json!({ "keepAlive": true, "userMetadata": { "note": "n".repeat(3_500) } })
}

async fn answers(session: &Value) -> automator_cdp::Connection {
    let browser = connect(text(session, "connectUrl")).await;
    let answer = browser.root().send_raw("Browser.getVersion", json!({})).await;
    answer.expect("an answer");
    browser
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_database_refuses_new_sessions_and_those_that_run_go_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = SqliteOptions::new()
        .with_max_pages(60)
        .open(&folder.path().join("small.db"))
        .expect("a store");
    let rig = Rig::start(Arc::new(store), |options| {
        options.platform.slots.slots = 100;
        options.platform.slots.per_owner = 100;
    })
    .await;
    let first = create(&rig.client, &json!({ "keepAlive": true })).await;
    let browser = answers(&first).await;
    let mut sessions = vec![first];
    let refusal = loop {
        let (status, answer) = rig.client.post("/v1/sessions", &large()).await;
        match status {
            200 => sessions.push(answer),
            _ => break (status, answer),
        }
        assert!(sessions.len() < 100, "the database takes everything");
    };
    assert_eq!(refusal.0, 507, "{}", refusal.1);
    let message = text(&refusal.1, "message");
    assert!(
        message.contains("no room") && message.contains("disk"),
        "{message}"
    );
    let used = figure(&rig.client, "automator_slots_used").await;
    assert_eq!(used, sessions.len() as f64, "who is refused has no place");

    let answer = browser.root().send_raw("Browser.getVersion", json!({})).await;
    answer.expect("who is connected goes on");
    for session in &sessions {
        answers(session).await;
        let (status, ended) = release(&rig.client, session).await;
        assert_eq!((status, &ended["status"]), (200, &json!("COMPLETED")), "{ended}");
    }
    closed(&browser).await;
    assert_eq!(figure(&rig.client, "automator_slots_used").await, 0.0);
    assert_eq!(rig.engine.living(), 0);
    rig.server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_end_also_when_nothing_can_be_stored_and_the_store_is_told_later() {
    let store = Arc::new(FullDisk::new());
    let served: Arc<FullDisk> = Arc::clone(&store);
    let rig = Rig::start(served, |options| options.platform.slots.slots = 3).await;
    let kept = json!({ "keepAlive": true });
    let released = create(&rig.client, &kept).await;
    let dying = create(&rig.client, &kept).await;
    let running = create(&rig.client, &kept).await;

    store.is_full.store(true, Ordering::SeqCst);
    let heard = answers(&released).await;
    let (status, answer) = rig.client.post("/v1/sessions", &kept).await;
    assert_eq!(status, 507, "there is no room even in the queue: {answer}");
    let (status, ended) = release(&rig.client, &released).await;
    assert_eq!((status, &ended["status"]), (200, &json!("COMPLETED")), "{ended}");
    let (code, reason) = closed(&heard).await;
    assert_eq!(code, Some(4000), "{reason}");
    assert_eq!(release(&rig.client, &released).await.1["status"], "COMPLETED");
    // A browser that is asked to end, by its own command.
    let closing = answers(&dying).await;
    drop(closing.root().send_raw("Browser.close", json!({})));
    closed(&closing).await;
    until_status(&rig.client, &dying, "COMPLETED").await;
    until("the browsers have gone", async || rig.engine.living() == 1).await;
    assert_eq!(figure(&rig.client, "automator_slots_used").await, 1.0);
    assert_eq!(retrieve(&rig.client, &running).await["status"], "RUNNING");
    let (_, list) = rig.client.get("/v1/sessions?status=RUNNING").await;
    assert_eq!(list.as_array().map(Vec::len), Some(1), "{list}");
    let options = WebSocketOptions::default();
    let refused = WebSocketTransport::connect(text(&released, "connectUrl"), &options);
    assert!(refused.await.is_err(), "it has ended");
    let id = text(&released, "id");
    let stored = store.session(id).await.expect("an answer").expect("it is there");
    assert!(!stored.state.is_final(), "the store could not take it");

    store.is_full.store(false, Ordering::SeqCst);
    until("the store is told", async || {
        let stored = store.session(id).await.expect("an answer");
        stored.is_some_and(|stored| stored.state.is_final())
    })
    .await;
    release(&rig.client, &create(&rig.client, &kept).await).await;
    answers(&running).await;
    rig.server.stop().await;
}

/// A store whose disk is full when it is told to be: it reads, and takes nothing.
#[derive(Debug)]
struct FullDisk {
    store: SqliteStore,
    is_full: AtomicBool,
}

impl FullDisk {
    fn new() -> Self {
        Self {
            store: SqliteStore::in_memory().expect("a store"),
            is_full: AtomicBool::new(false),
        }
    }

    fn write<'a, T: Send + 'a>(&self, written: StoreFuture<'a, T>) -> StoreFuture<'a, T> {
        if self.is_full.load(Ordering::SeqCst) {
            return Box::pin(async { Err(StoreError::Full("there is no room".to_owned())) });
        }
        written
    }
}

impl Store for FullDisk {
    fn now(&self) -> StoreFuture<'_, Timestamp> {
        self.store.now()
    }

    fn secret<'a>(&'a self, name: &'a str) -> StoreFuture<'a, Vec<u8>> {
        self.write(self.store.secret(name))
    }

    fn add_key<'a>(&'a self, key: &'a KeyRecord) -> StoreFuture<'a, ()> {
        self.write(self.store.add_key(key))
    }

    fn key<'a>(&'a self, id: &'a str) -> StoreFuture<'a, Option<KeyRecord>> {
        self.store.key(id)
    }

    fn keys(&self) -> StoreFuture<'_, Vec<KeyRecord>> {
        self.store.keys()
    }

    fn revoke_key<'a>(&'a self, id: &'a str) -> StoreFuture<'a, ()> {
        self.write(self.store.revoke_key(id))
    }

    fn create_session<'a>(
        &'a self,
        session: &'a SessionRecord,
        idempotency: Option<&'a Idempotency>,
    ) -> StoreFuture<'a, Created> {
        self.write(self.store.create_session(session, idempotency))
    }

    fn session<'a>(&'a self, id: &'a str) -> StoreFuture<'a, Option<SessionRecord>> {
        self.store.session(id)
    }

    fn sessions<'a>(&'a self, filter: &'a SessionFilter) -> StoreFuture<'a, Vec<SessionRecord>> {
        self.store.sessions(filter)
    }

    fn update_session<'a>(
        &'a self,
        session: &'a SessionRecord,
        fence: Option<u64>,
    ) -> StoreFuture<'a, SessionRecord> {
        self.write(self.store.update_session(session, fence))
    }

    fn lease<'a>(
        &'a self,
        session: &'a str,
        holder: &'a str,
        milliseconds: u32,
    ) -> StoreFuture<'a, Option<Lease>> {
        self.write(self.store.lease(session, holder, milliseconds))
    }

    fn give_back<'a>(&'a self, session: &'a str, holder: &'a str) -> StoreFuture<'a, ()> {
        self.write(self.store.give_back(session, holder))
    }

    fn add_operation<'a>(&'a self, operation: &'a OperationRecord) -> StoreFuture<'a, ()> {
        self.write(self.store.add_operation(operation))
    }

    fn operations<'a>(&'a self, session: &'a str) -> StoreFuture<'a, Vec<OperationRecord>> {
        self.store.operations(session)
    }

    fn set_session_secret<'a>(&'a self, session: &'a str, secret: &'a [u8]) -> StoreFuture<'a, ()> {
        self.write(self.store.set_session_secret(session, secret))
    }

    fn session_secret<'a>(&'a self, session: &'a str) -> StoreFuture<'a, Option<Vec<u8>>> {
        self.store.session_secret(session)
    }

    fn add_context<'a>(&'a self, context: &'a ContextRecord) -> StoreFuture<'a, ()> {
        self.write(self.store.add_context(context))
    }

    fn context<'a>(&'a self, id: &'a str) -> StoreFuture<'a, Option<ContextRecord>> {
        self.store.context(id)
    }

    fn remove_context<'a>(&'a self, id: &'a str) -> StoreFuture<'a, bool> {
        self.write(self.store.remove_context(id))
    }

    fn claim_context<'a>(&'a self, id: &'a str, session: &'a str) -> StoreFuture<'a, bool> {
        self.write(self.store.claim_context(id, session))
    }

    fn finish_context<'a>(
        &'a self,
        id: &'a str,
        session: &'a str,
        version: Option<&'a str>,
    ) -> StoreFuture<'a, bool> {
        self.write(self.store.finish_context(id, session, version))
    }

    fn forget_before(&self, time: Timestamp) -> StoreFuture<'_, u64> {
        self.write(self.store.forget_before(time))
    }
}
