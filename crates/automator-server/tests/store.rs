//! What every store does, for each way to have one, and what is particular to SQLite.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

use automator_server::store::{
    CONTEXT_HOLD, ContextRecord, Created, Idempotency, KeyRecord, Lease, SessionFilter, SessionRecord,
    SessionState, SqliteOptions, SqliteStore, Store, StoreError, Timestamp,
};
use rusqlite::Connection;
use serde_json::{Map, Value, json};
use tempfile::TempDir;
use tokio::task::JoinSet;

/// The time at the beginning of each test.
const START: Timestamp = 1_800_000_000_000;
const DAY: Timestamp = 24 * 60 * 60 * 1000;
const STATES: [SessionState; 5] = [
    SessionState::Pending,
    SessionState::Running,
    SessionState::Error,
    SessionState::TimedOut,
    SessionState::Completed,
];

#[derive(Clone)]
struct SettableClock(Arc<AtomicI64>);

impl SettableClock {
    fn new() -> Self {
        Self(Arc::new(AtomicI64::new(START)))
    }

    fn set(&self, time: Timestamp) {
        self.0.store(time, Ordering::SeqCst);
    }

    fn options(&self) -> SqliteOptions {
        let clock = self.clone();
        SqliteOptions::new().with_clock(Arc::new(move || clock.0.load(Ordering::SeqCst)))
    }
}

/// A session in a state, with nothing that need not be.
fn session(id: &str, owner: &str, created_at: Timestamp, state: SessionState) -> SessionRecord {
    SessionRecord {
        id: id.to_owned(),
        owner: owner.to_owned(),
        state,
        version: 1,
        created_at,
        started_at: None,
        updated_at: created_at,
        expires_at: created_at + DAY,
        ended_at: state.is_final().then_some(created_at),
        last_used_at: created_at,
        left_at: None,
        keep_alive: false,
        region: "here".to_owned(),
        engine_session: None,
        user_metadata: Map::new(),
        settings: Map::new(),
        end_reason: None,
    }
}

fn running(id: &str) -> SessionRecord {
    session(id, "owner", START, SessionState::Running)
}

/// A session with a value of its own in each field.
fn full_session(id: &str) -> SessionRecord {
    SessionRecord {
        id: id.to_owned(),
        owner: "öwner 'quoted'".to_owned(),
        state: SessionState::Pending,
        version: 17,
        created_at: START - 8,
        started_at: Some(START - 7),
        updated_at: START - 6,
        expires_at: START + 5,
        ended_at: Some(START - 4),
        last_used_at: START - 3,
        left_at: Some(START - 2),
        keep_alive: true,
        region: "eu-west-1".to_owned(),
        engine_session: Some(json!({"container": "x", "ports": [1, 2], "none": null})),
        user_metadata: object(
            json!({"test": "a\u{0}b ' \" 漢字 🎈", "deep": {"list": [true, 1.5, -3, u64::MAX]}}),
        ),
        settings: object(json!({"viewport": {"width": 1280}})),
        end_reason: Some("It was enough.\n".to_owned()),
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        other => panic!("{other} is no object"),
    }
}

fn key(id: &str, created_at: Timestamp) -> KeyRecord {
    KeyRecord {
        id: id.to_owned(),
        hash: vec![0, 255, 7],
        name: format!("the key {id}"),
        created_at,
        revoked_at: None,
    }
}

fn request(key: &str, request: &str) -> Idempotency {
    Idempotency {
        key: key.to_owned(),
        request: request.to_owned(),
    }
}

/// Stores a session that must be new.
async fn add(store: &dyn Store, session: &SessionRecord) {
    assert_eq!(store.create_session(session, None).await.unwrap(), Created::New);
}

async fn stored(store: &dyn Store, id: &str) -> SessionRecord {
    store.session(id).await.unwrap().unwrap()
}

async fn listed(store: &dyn Store, filter: &SessionFilter) -> Vec<String> {
    let sessions = store.sessions(filter).await.unwrap();
    sessions.into_iter().map(|session| session.id).collect()
}

fn lease(holder: &str, until: Timestamp, fence: u64) -> Lease {
    Lease {
        holder: holder.to_owned(),
        until,
        fence,
    }
}

#[track_caller]
fn assert_conflict<T: std::fmt::Debug>(outcome: &Result<T, StoreError>, id: &str) {
    assert!(
        matches!(outcome, Err(StoreError::Conflict(about)) if about == id),
        "{outcome:?}"
    );
}

#[track_caller]
fn assert_not_found<T: std::fmt::Debug>(outcome: &Result<T, StoreError>, id: &str) {
    assert!(
        matches!(outcome, Err(StoreError::NotFound(about)) if about == id),
        "{outcome:?}"
    );
}

#[track_caller]
fn assert_exists<T: std::fmt::Debug>(outcome: &Result<T, StoreError>, id: &str) {
    assert!(
        matches!(outcome, Err(StoreError::Exists(about)) if about == id),
        "{outcome:?}"
    );
}

/// The store failed, and the text names the file and has these words.
#[track_caller]
fn assert_failed<T: std::fmt::Debug>(outcome: &Result<T, StoreError>, path: &Path, words: &str) {
    let Err(StoreError::Failed(text)) = outcome else {
        panic!("{outcome:?}");
    };
    assert!(text.contains(&path.display().to_string()), "{text}");
    assert!(text.contains(words), "{text}");
}

// What every store does.

async fn time_is_that_of_the_clock(store: &dyn Store, clock: &SettableClock) {
    assert_eq!(store.now().await.unwrap(), START);
    clock.set(START + 1);
    assert_eq!(store.now().await.unwrap(), START + 1);
}

async fn secret_of_a_name_stays(store: &dyn Store, _clock: &SettableClock) {
    let secret = store.secret("tokens").await.unwrap();
    assert_eq!(secret.len(), 32);
    assert_eq!(store.secret("tokens").await.unwrap(), secret);
    let other = store.secret("keys").await.unwrap();
    assert_ne!(other, secret);
    let bytes: HashSet<u8> = secret.into_iter().chain(other).collect();
    assert!(
        bytes.len() > 16,
        "random bytes are not that much alike: {bytes:?}"
    );
}

async fn key_comes_back_as_it_was(store: &dyn Store, _clock: &SettableClock) {
    let mut revoked = key("revoked", START);
    revoked.revoked_at = Some(START + 3);
    let plain = key("plain", START);
    store.add_key(&revoked).await.unwrap();
    store.add_key(&plain).await.unwrap();
    assert_eq!(store.key("revoked").await.unwrap(), Some(revoked));
    assert_eq!(store.key("plain").await.unwrap(), Some(plain));
    assert_eq!(store.key("PLAIN").await.unwrap(), None);
}

async fn keys_are_listed_oldest_first(store: &dyn Store, _clock: &SettableClock) {
    assert_eq!(store.keys().await.unwrap(), []);
    let keys = [
        key("m", START + 2),
        key("z", START + 1),
        key("a", START + 2),
        key("k", START),
    ];
    for key in &keys {
        store.add_key(key).await.unwrap();
    }
    store.revoke_key("z").await.unwrap();
    let listed = store.keys().await.unwrap();
    let ids: Vec<&str> = listed.iter().map(|key| key.id.as_str()).collect();
    assert_eq!(ids, ["k", "z", "m", "a"]);
    assert_eq!(listed[3], keys[2]);
}

async fn second_key_of_an_id_is_refused(store: &dyn Store, _clock: &SettableClock) {
    let first = key("one", START);
    store.add_key(&first).await.unwrap();
    assert_exists(&store.add_key(&key("one", START + 1)).await, "one");
    assert_eq!(store.keys().await.unwrap(), [first]);
}

async fn revoked_key_keeps_the_time_of_that(store: &dyn Store, clock: &SettableClock) {
    store.add_key(&key("one", START)).await.unwrap();
    store.add_key(&key("two", START)).await.unwrap();
    clock.set(START + 5);
    store.revoke_key("one").await.unwrap();
    clock.set(START + 6);
    store.revoke_key("one").await.unwrap();
    let revoked = store.key("one").await.unwrap().unwrap();
    assert_eq!(revoked.revoked_at, Some(START + 5));
    assert_eq!(store.key("two").await.unwrap().unwrap().revoked_at, None);
    assert_not_found(&store.revoke_key("three").await, "three");
}

async fn session_comes_back_as_it_was(store: &dyn Store, _clock: &SettableClock) {
    let full = full_session("full");
    add(store, &full).await;
    assert_eq!(stored(store, "full").await, full);
    for state in STATES {
        let sparse = session(&format!("{state:?}"), "owner", START, state);
        add(store, &sparse).await;
        assert_eq!(stored(store, &sparse.id).await, sparse);
    }
    assert_eq!(store.session("none").await.unwrap(), None);
    let mut odd = running("odd");
    odd.engine_session = Some(Value::Null);
    add(store, &odd).await;
    assert_eq!(stored(store, "odd").await, odd);
}

async fn second_session_of_an_id_is_refused(store: &dyn Store, _clock: &SettableClock) {
    let first = full_session("one");
    add(store, &first).await;
    let again = store
        .create_session(&running("one"), Some(&request("k", "r")))
        .await;
    assert_exists(&again, "one");
    assert_eq!(stored(store, "one").await, first);
    // The request came to nothing, so its name is free.
    let other = store
        .create_session(&running("two"), Some(&request("k", "other")))
        .await;
    assert_eq!(other.unwrap(), Created::New);
}

async fn same_request_gives_the_session_of_before(store: &dyn Store, _clock: &SettableClock) {
    let asked = request("k", "r");
    let create = async |id: &str, owner: &str, asked: Option<&Idempotency>| {
        let session = session(id, owner, START, SessionState::Running);
        store.create_session(&session, asked).await.unwrap()
    };
    assert_eq!(create("one", "owner", Some(&asked)).await, Created::New);
    let mut changed = stored(store, "one").await;
    changed.region = "elsewhere".to_owned();
    let changed = store.update_session(&changed, None).await.unwrap();

    let again = create("two", "owner", Some(&asked)).await;
    assert_eq!(again, Created::Before(Box::new(changed.clone())));
    let other = create("two", "owner", Some(&request("k", "another"))).await;
    assert_eq!(other, Created::OtherRequest);
    assert_eq!(store.session("two").await.unwrap(), None, "neither has stored it");
    let again = create("two", "owner", Some(&asked)).await;
    assert_eq!(
        again,
        Created::Before(Box::new(changed)),
        "the other has not replaced it"
    );

    assert_eq!(create("two", "other owner", Some(&asked)).await, Created::New);
    assert_eq!(
        create("three", "owner", Some(&request("K", "r"))).await,
        Created::New
    );
    assert_eq!(create("four", "owner", None).await, Created::New);
}

async fn request_is_remembered_for_a_day(store: &dyn Store, clock: &SettableClock) {
    let asked = request("k", "r");
    let create =
        async |id: &str, asked: &Idempotency| store.create_session(&running(id), Some(asked)).await.unwrap();
    assert_eq!(create("one", &asked).await, Created::New);
    clock.set(START + DAY - 1);
    let one = Created::Before(Box::new(running("one")));
    assert_eq!(create("two", &asked).await, one, "a repetition");
    clock.set(START + DAY);
    assert_eq!(
        create("two", &request("k", "another")).await,
        Created::New,
        "a new day"
    );
    let two = Created::Before(Box::new(running("two")));
    assert_eq!(create("three", &request("k", "another")).await, two);
    assert_eq!(stored(store, "one").await, running("one"));
}

async fn update_replaces_the_session(store: &dyn Store, clock: &SettableClock) {
    let mut before = running("one");
    before.version = 17;
    add(store, &before).await;
    add(store, &running("two")).await;
    clock.set(START + 44);
    let given = full_session("one");
    let expected = SessionRecord {
        version: 18,
        updated_at: START + 44,
        ..given.clone()
    };
    assert_eq!(store.update_session(&given, None).await.unwrap(), expected);
    assert_eq!(stored(store, "one").await, expected);
    assert_eq!(stored(store, "two").await, running("two"));

    let sparse = SessionRecord {
        version: 18,
        ..running("one")
    };
    let emptied = store.update_session(&sparse, None).await.unwrap();
    assert_eq!(emptied.version, 19);
    assert_eq!(stored(store, "one").await, emptied);
    assert_eq!(emptied.engine_session, None);
}

async fn update_needs_the_version_that_is_stored(store: &dyn Store, _clock: &SettableClock) {
    add(store, &running("one")).await;
    let first = store.update_session(&running("one"), None).await.unwrap();
    for version in [0, 1, 3] {
        let given = SessionRecord {
            version,
            region: "elsewhere".to_owned(),
            ..running("one")
        };
        assert_conflict(&store.update_session(&given, None).await, "one");
    }
    assert_eq!(stored(store, "one").await, first);
    assert_not_found(&store.update_session(&running("two"), None).await, "two");
    assert_eq!(store.session("two").await.unwrap(), None);
}

async fn ended_session_never_changes(store: &dyn Store, _clock: &SettableClock) {
    for end in STATES.into_iter().filter(|state| state.is_final()) {
        let id = format!("{end:?}");
        add(store, &running(&id)).await;
        let mut ending = running(&id);
        ending.state = end;
        let ended = store.update_session(&ending, None).await.unwrap();
        for state in STATES {
            let next = SessionRecord {
                state,
                ..ended.clone()
            };
            assert_conflict(&store.update_session(&next, None).await, &id);
        }
        assert_eq!(stored(store, &id).await, ended);
    }
}

async fn sessions_are_listed_newest_first(store: &dyn Store, _clock: &SettableClock) {
    for (id, created_at) in [("m", 2), ("z", 1), ("a", 2), ("k", 3)] {
        let session = session(id, "owner", START + created_at, SessionState::Running);
        add(store, &session).await;
    }
    let all = SessionFilter::default();
    assert_eq!(listed(store, &all).await, ["k", "a", "m", "z"]);
    // A change does not move it.
    let oldest = stored(store, "z").await;
    store.update_session(&oldest, None).await.unwrap();
    let tied = stored(store, "m").await;
    let tied = store.update_session(&tied, None).await.unwrap();
    assert_eq!(listed(store, &all).await, ["k", "a", "m", "z"]);
    assert_eq!(store.sessions(&all).await.unwrap()[2], tied);
}

async fn filter_lets_through_what_it_names(store: &dyn Store, _clock: &SettableClock) {
    for owner in ["anna", "bert"] {
        for (place, state) in (0..).zip(STATES) {
            let id = format!("{owner} {state:?}");
            add(store, &session(&id, owner, START - place, state)).await;
        }
    }
    let filter = |owner: Option<&str>, state, only_living| SessionFilter {
        owner: owner.map(str::to_owned),
        state,
        only_living,
    };
    let of_anna = listed(store, &filter(Some("anna"), None, false)).await;
    let states: Vec<String> = STATES.iter().map(|state| format!("anna {state:?}")).collect();
    assert_eq!(of_anna, states);
    for state in STATES {
        let both = listed(store, &filter(None, Some(state), false)).await;
        assert_eq!(both, [format!("bert {state:?}"), format!("anna {state:?}")]);
        let living = listed(store, &filter(Some("bert"), Some(state), true)).await;
        let expected = if state.is_final() {
            vec![]
        } else {
            vec![format!("bert {state:?}")]
        };
        assert_eq!(living, expected);
    }
    let living = listed(store, &filter(None, None, true)).await;
    let expected = ["bert Pending", "anna Pending", "bert Running", "anna Running"];
    assert_eq!(living, expected);
    assert_eq!(listed(store, &filter(Some("carl"), None, false)).await, [""; 0]);
    assert_eq!(listed(store, &SessionFilter::default()).await.len(), 10);
}

async fn lease_is_held_until_it_is_over(store: &dyn Store, clock: &SettableClock) {
    add(store, &running("one")).await;
    add(store, &running("two")).await;
    let take = async |holder: &str| store.lease("one", holder, 100).await.unwrap();
    assert_eq!(take("a").await, Some(lease("a", START + 100, 1)));
    assert_eq!(take("b").await, None);
    clock.set(START + 60);
    assert_eq!(take("a").await, Some(lease("a", START + 160, 1)), "renewed");
    clock.set(START + 159);
    assert_eq!(take("b").await, None, "the renewal counts");
    let other = store.lease("two", "b", u32::MAX).await.unwrap();
    let long = START + 159 + Timestamp::from(u32::MAX);
    assert_eq!(other, Some(lease("b", long, 1)), "each session has its own");
    clock.set(START + 160);
    assert_eq!(take("b").await, Some(lease("b", START + 260, 2)));
    assert_eq!(take("a").await, None);
    clock.set(START + 260);
    assert_eq!(take("a").await, Some(lease("a", START + 360, 3)));
    assert_not_found(&store.lease("three", "a", 100).await, "three");
}

async fn fence_stays_while_nobody_else_had_the_lease(store: &dyn Store, clock: &SettableClock) {
    add(store, &running("one")).await;
    let take = async |holder: &str| store.lease("one", holder, 100).await.unwrap();
    assert_eq!(take("a").await, Some(lease("a", START + 100, 1)));
    clock.set(START + 500);
    assert_eq!(
        take("a").await,
        Some(lease("a", START + 600, 1)),
        "nobody had it meanwhile"
    );
    clock.set(START + 600);
    assert_eq!(take("b").await, Some(lease("b", START + 700, 2)));
    clock.set(START + 700);
    assert_eq!(
        take("a").await,
        Some(lease("a", START + 800, 3)),
        "another had it meanwhile"
    );
}

async fn lease_that_is_given_back_is_free(store: &dyn Store, clock: &SettableClock) {
    add(store, &running("one")).await;
    let take = async |holder: &str| store.lease("one", holder, 100).await.unwrap();
    store.give_back("one", "a").await.unwrap();
    take("a").await.unwrap();
    store.give_back("one", "b").await.unwrap();
    assert_eq!(take("b").await, None, "only the holder gives it back");
    store.give_back("one", "a").await.unwrap();
    store.give_back("one", "a").await.unwrap();
    assert_eq!(take("b").await, Some(lease("b", START + 100, 2)));
    store.give_back("one", "a").await.unwrap();
    assert_eq!(take("a").await, None, "a has it no more");
    store.give_back("one", "b").await.unwrap();
    assert_eq!(
        take("b").await,
        Some(lease("b", START + 100, 2)),
        "nobody had it meanwhile"
    );
    clock.set(START + 100);
    store.give_back("one", "b").await.unwrap();
    assert_eq!(take("a").await, Some(lease("a", START + 200, 3)));
    store.give_back("none", "a").await.unwrap();
}

async fn stale_fence_is_refused(store: &dyn Store, clock: &SettableClock) {
    add(store, &running("one")).await;
    let update = async |version: u64, fence: Option<u64>| {
        let given = SessionRecord {
            version,
            ..running("one")
        };
        let outcome = store.update_session(&given, fence).await;
        outcome.map(|session| session.version)
    };
    assert_conflict(&update(1, Some(1)).await, "one");
    store.lease("one", "a", 100).await.unwrap().unwrap();
    assert_eq!(update(1, Some(1)).await.unwrap(), 2);
    assert_conflict(&update(2, Some(2)).await, "one");
    assert_conflict(&update(2, Some(0)).await, "one");
    clock.set(START + 100);
    assert_eq!(
        update(2, Some(1)).await.unwrap(),
        3,
        "over, but nobody else has it"
    );
    store.lease("one", "b", 100).await.unwrap().unwrap();
    assert_conflict(&update(3, Some(1)).await, "one");
    assert_eq!(update(3, Some(2)).await.unwrap(), 4);
    store.give_back("one", "b").await.unwrap();
    assert_eq!(
        update(4, Some(2)).await.unwrap(),
        5,
        "given back, but nobody else has it"
    );
    assert_conflict(&update(4, Some(2)).await, "one");
    assert_eq!(update(5, None).await.unwrap(), 6, "without a fence");
    assert_eq!(stored(store, "one").await.version, 6);
}

async fn what_ended_before_a_time_is_forgotten(store: &dyn Store, _clock: &SettableClock) {
    for state in STATES {
        for ended_at in [START - 2, START - 1, START] {
            let id = format!("{state:?} {}", START - ended_at);
            let mut session = session(&id, "owner", START - 10, state);
            session.ended_at = Some(ended_at);
            add(store, &session).await;
        }
    }
    for updated_at in [START - 2, START - 1] {
        let mut session = session("", "owner", START - 10, SessionState::Error);
        session.id = format!("without an end {}", START - updated_at);
        session.ended_at = None;
        session.updated_at = updated_at;
        add(store, &session).await;
    }
    assert_eq!(store.forget_before(START - 2).await.unwrap(), 0);
    assert_eq!(store.forget_before(START - 1).await.unwrap(), 4);
    let left: BTreeSet<String> = listed(store, &SessionFilter::default())
        .await
        .into_iter()
        .collect();
    let expected = STATES
        .iter()
        .flat_map(|state| [2, 1, 0].map(|age| (state, age)))
        .filter(|(state, age)| !state.is_final() || *age < 2)
        .map(|(state, age)| format!("{state:?} {age}"))
        .chain(["without an end 1".to_owned()]);
    assert_eq!(left, expected.collect());
    assert_eq!(store.forget_before(START - 1).await.unwrap(), 0);
    assert_eq!(store.forget_before(START + 1).await.unwrap(), 7);
}

async fn leases_and_requests_are_forgotten_with_the_session(store: &dyn Store, clock: &SettableClock) {
    let asked = request("k", "r");
    let kept = request("kept", "r");
    for (id, asked) in [("one", &asked), ("two", &kept)] {
        let created = store.create_session(&running(id), Some(asked)).await.unwrap();
        assert_eq!(created, Created::New);
        for (holder, at) in [("a", START), ("b", START + 10)] {
            clock.set(at);
            store.lease(id, holder, 10).await.unwrap().unwrap();
        }
    }
    let mut ending = running("one");
    ending.state = SessionState::Completed;
    ending.ended_at = Some(START + 10);
    store.update_session(&ending, None).await.unwrap();
    assert_eq!(
        store.forget_before(START + 11).await.unwrap(),
        1,
        "what belongs to it is not counted"
    );
    assert_eq!(store.session("one").await.unwrap(), None);
    assert_not_found(&store.lease("one", "a", 10).await, "one");

    let created = store.create_session(&running("one"), Some(&asked)).await.unwrap();
    assert_eq!(created, Created::New, "the request is forgotten");
    clock.set(START + 100);
    let first = store.lease("one", "a", 10).await.unwrap();
    assert_eq!(first, Some(lease("a", START + 110, 1)), "the lease is forgotten");
    let third = store.lease("two", "a", 10).await.unwrap();
    assert_eq!(
        third,
        Some(lease("a", START + 110, 3)),
        "the one of another session is not"
    );
    let again = store
        .create_session(&running("three"), Some(&kept))
        .await
        .unwrap();
    assert_eq!(again, Created::Before(Box::new(running("two"))));
}

// What every store does when much is asked for at once.

type Stores = [Arc<dyn Store>; 2];

/// Runs this many tasks at once, by turns on each of the stores, and gives their outcomes.
async fn at_once<T, F>(stores: &Stores, tasks: usize, work: impl Fn(Arc<dyn Store>, usize) -> F) -> Vec<T>
where
    T: Send + 'static,
    F: Future<Output = T> + Send + 'static,
{
    let mut running = JoinSet::new();
    for (number, store) in (0..tasks).zip(stores.iter().cycle()) {
        running.spawn(work(Arc::clone(store), number));
    }
    running.join_all().await
}

async fn exactly_one_update_of_a_version_succeeds(stores: &Stores, _clock: &SettableClock) {
    let store = stores[0].as_ref();
    add(store, &running("one")).await;
    for version in 1..=20 {
        let before = stored(store, "one").await;
        assert_eq!(before.version, version);
        let outcomes = at_once(stores, 8, |store, number| {
            let given = SessionRecord {
                region: number.to_string(),
                ..before.clone()
            };
            async move { store.update_session(&given, None).await }
        });
        let (won, lost): (Vec<_>, Vec<_>) = outcomes.await.into_iter().partition(Result::is_ok);
        assert_eq!(won.len(), 1, "version {version}: {won:?}");
        assert_eq!(won[0].as_ref().unwrap(), &stored(store, "one").await);
        for outcome in lost {
            assert_conflict(&outcome, "one");
        }
    }
}

async fn no_increment_is_lost(stores: &Stores, _clock: &SettableClock) {
    add(stores[0].as_ref(), &running("one")).await;
    let won = at_once(stores, 8, |store, _| async move {
        let mut won = Vec::new();
        while won.len() < 10 {
            let mut session = stored(store.as_ref(), "one").await;
            let count = session.user_metadata.get("count").and_then(Value::as_u64);
            let next = count.unwrap_or_default() + 1;
            session.user_metadata.insert("count".to_owned(), next.into());
            match store.update_session(&session, None).await {
                Ok(updated) => won.push(updated.version),
                Err(error) => assert_conflict::<()>(&Err(error), "one"),
            }
        }
        won
    });
    let mut versions: Vec<u64> = won.await.concat();
    versions.sort_unstable();
    assert_eq!(versions, (2..=81).collect::<Vec<u64>>());
    for store in stores {
        assert_eq!(stored(store.as_ref(), "one").await.user_metadata["count"], 80);
    }
}

async fn one_of_many_same_requests_creates(stores: &Stores, _clock: &SettableClock) {
    let outcomes = at_once(stores, 16, |store, number| async move {
        let session = running(&format!("session {number}"));
        let created = store.create_session(&session, Some(&request("k", "r"))).await;
        (session, created.unwrap())
    });
    let outcomes = outcomes.await;
    let all = stores[1].sessions(&SessionFilter::default()).await.unwrap();
    assert_eq!(all.len(), 1);
    for (session, created) in outcomes {
        let expected = if session == all[0] {
            Created::New
        } else {
            Created::Before(Box::new(all[0].clone()))
        };
        assert_eq!(created, expected);
    }
}

async fn one_of_many_holders_gets_the_lease(stores: &Stores, clock: &SettableClock) {
    add(stores[0].as_ref(), &running("one")).await;
    let mut last = String::new();
    let mut fence = 0;
    for round in 1..=10 {
        let now = START + round * 100;
        clock.set(now);
        let taken = at_once(stores, 8, |store, number| async move {
            let holder = format!("holder {number}");
            store.lease("one", &holder, 100).await.unwrap()
        });
        let taken: Vec<Lease> = taken.await.into_iter().flatten().collect();
        assert_eq!(taken.len(), 1, "round {round}: {taken:?}");
        let holder = &taken[0].holder;
        fence += u64::from(*holder != last);
        assert_eq!(taken[0].fence, fence, "round {round}: {holder} after {last}");
        assert_eq!(taken[0].until, now + 100);
        last.clone_from(holder);
    }
}

async fn all_get_the_same_secret(stores: &Stores, _clock: &SettableClock) {
    for name in ["tokens", "keys"] {
        let secrets = at_once(
            stores,
            8,
            |store, _| async move { store.secret(name).await.unwrap() },
        )
        .await;
        let different: HashSet<&Vec<u8>> = secrets.iter().collect();
        assert_eq!(different.len(), 1);
    }
    assert_ne!(
        stores[0].secret("tokens").await.unwrap(),
        stores[1].secret("keys").await.unwrap()
    );
}

async fn each_sees_what_the_other_wrote(stores: &Stores, clock: &SettableClock) {
    let [first, second] = stores;
    add(first.as_ref(), &running("one")).await;
    let seen = stored(second.as_ref(), "one").await;
    second.update_session(&seen, None).await.unwrap();
    assert_conflict(&first.update_session(&seen, None).await, "one");
    first.add_key(&key("k", START)).await.unwrap();
    second.revoke_key("k").await.unwrap();
    assert_eq!(first.key("k").await.unwrap().unwrap().revoked_at, Some(START));
    first.lease("one", "a", 100).await.unwrap().unwrap();
    assert_eq!(second.lease("one", "b", 100).await.unwrap(), None);
    clock.set(START + 100);
    assert_eq!(
        second.lease("one", "b", 100).await.unwrap(),
        Some(lease("b", START + 200, 2))
    );
    let fenced_out = first
        .update_session(&stored(first.as_ref(), "one").await, Some(1))
        .await;
    assert_conflict(&fenced_out, "one");
}

async fn secret_of_a_session_goes_with_its_end(store: &dyn Store, _clock: &SettableClock) {
    add(store, &running("one")).await;
    add(store, &running("other")).await;
    assert_eq!(store.session_secret("one").await.unwrap(), None);
    store.set_session_secret("one", b"first").await.unwrap();
    store.set_session_secret("one", b"\0second\xff").await.unwrap();
    store.set_session_secret("other", b"of the other").await.unwrap();
    assert_eq!(
        store.session_secret("one").await.unwrap(),
        Some(b"\0second\xff".to_vec())
    );
    let shown = format!("{:?}", stored(store, "one").await);
    assert!(!shown.contains("second"), "{shown}");
    let mut ended = stored(store, "one").await;
    ended.state = SessionState::Completed;
    store.update_session(&ended, None).await.unwrap();
    assert_eq!(store.session_secret("one").await.unwrap(), None);
    assert!(store.session_secret("other").await.unwrap().is_some());
    assert_conflict(&store.set_session_secret("one", b"late").await, "one");
    assert_not_found(&store.set_session_secret("none", b"x").await, "none");
}

fn context(id: &str) -> ContextRecord {
    ContextRecord {
        id: id.to_owned(),
        owner: "öwner".to_owned(),
        created_at: START,
        updated_at: START,
        version: None,
        writer: None,
    }
}

async fn context_comes_back_until_it_is_removed(store: &dyn Store, _clock: &SettableClock) {
    store.add_context(&context("one")).await.unwrap();
    assert_exists(&store.add_context(&context("one")).await, "one");
    assert_eq!(store.context("one").await.unwrap(), Some(context("one")));
    assert_eq!(store.context("none").await.unwrap(), None);
    assert!(store.remove_context("one").await.unwrap());
    assert!(!store.remove_context("one").await.unwrap());
    assert_eq!(store.context("one").await.unwrap(), None);
    assert_not_found(&store.claim_context("one", "s").await, "one");
    assert!(!store.finish_context("one", "s", Some("v")).await.unwrap());
}

async fn context_has_one_writer_at_a_time(store: &dyn Store, clock: &SettableClock) {
    store.add_context(&context("one")).await.unwrap();
    for id in ["first", "second"] {
        add(store, &running(id)).await;
    }
    assert!(store.claim_context("one", "first").await.unwrap());
    assert!(store.claim_context("one", "first").await.unwrap());
    assert!(!store.claim_context("one", "second").await.unwrap());
    assert!(
        !store
            .finish_context("one", "second", Some("stolen"))
            .await
            .unwrap()
    );
    clock.set(START + 5);
    assert!(store.finish_context("one", "first", Some("v1")).await.unwrap());
    let written = ContextRecord {
        updated_at: START + 5,
        version: Some("v1".to_owned()),
        ..context("one")
    };
    assert_eq!(store.context("one").await.unwrap(), Some(written.clone()));
    assert!(store.claim_context("one", "second").await.unwrap());
    clock.set(START + 6);
    assert!(store.finish_context("one", "second", None).await.unwrap());
    assert_eq!(store.context("one").await.unwrap(), Some(written));
}

async fn writer_that_ended_without_writing_is_none_after_a_while(store: &dyn Store, clock: &SettableClock) {
    store.add_context(&context("one")).await.unwrap();
    add(store, &running("first")).await;
    add(store, &running("second")).await;
    assert!(store.claim_context("one", "first").await.unwrap());
    let mut ended = stored(store, "first").await;
    ended.state = SessionState::Error;
    ended.ended_at = Some(START);
    store.update_session(&ended, None).await.unwrap();
    clock.set(START + CONTEXT_HOLD - 1);
    assert!(!store.claim_context("one", "second").await.unwrap());
    clock.set(START + CONTEXT_HOLD);
    assert_eq!(store.context("one").await.unwrap().unwrap().writer, None);
    assert!(store.claim_context("one", "second").await.unwrap());
    assert!(!store.finish_context("one", "first", Some("late")).await.unwrap());
    // One that is not stored at all never counts.
    assert!(store.finish_context("one", "second", None).await.unwrap());
    assert!(store.claim_context("one", "unknown").await.unwrap());
    assert!(store.claim_context("one", "second").await.unwrap());
}

/// One test for each behaviour and each way to have a store.
macro_rules! conformance {
    (one: $($one:ident)*; many: $($many:ident)*;) => {
        mod in_memory {
            use super::*;

            $(#[tokio::test]
            async fn $one() {
                let clock = SettableClock::new();
                let store = clock.options().in_memory().unwrap();
                super::$one(&store, &clock).await;
            })*

            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $many() {
                let clock = SettableClock::new();
                let store: Arc<dyn Store> = Arc::new(clock.options().in_memory().unwrap());
                super::$many(&[Arc::clone(&store), store], &clock).await;
            })*
        }

        mod in_a_file {
            use super::*;

            $(#[tokio::test]
            async fn $one() {
                let folder = TempDir::new().unwrap();
                let clock = SettableClock::new();
                let store = clock.options().open(&folder.path().join("store.db")).unwrap();
                super::$one(&store, &clock).await;
            })*

            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $many() {
                let folder = TempDir::new().unwrap();
                let clock = SettableClock::new();
                let store = clock.options().open(&folder.path().join("store.db")).unwrap();
                let store: Arc<dyn Store> = Arc::new(store);
                super::$many(&[Arc::clone(&store), store], &clock).await;
            })*
        }

        mod of_two_in_a_file {
            use super::*;

            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $many() {
                let folder = TempDir::new().unwrap();
                let clock = SettableClock::new();
                let path = folder.path().join("store.db");
                let first = clock.options().open(&path).unwrap();
                let second = clock.options().open(&path).unwrap();
                super::$many(&[Arc::new(first), Arc::new(second)], &clock).await;
            })*
        }
    };
}

conformance! {
    one:
        time_is_that_of_the_clock
        secret_of_a_name_stays
        key_comes_back_as_it_was
        keys_are_listed_oldest_first
        second_key_of_an_id_is_refused
        revoked_key_keeps_the_time_of_that
        session_comes_back_as_it_was
        second_session_of_an_id_is_refused
        same_request_gives_the_session_of_before
        request_is_remembered_for_a_day
        update_replaces_the_session
        update_needs_the_version_that_is_stored
        ended_session_never_changes
        sessions_are_listed_newest_first
        filter_lets_through_what_it_names
        lease_is_held_until_it_is_over
        fence_stays_while_nobody_else_had_the_lease
        lease_that_is_given_back_is_free
        stale_fence_is_refused
        what_ended_before_a_time_is_forgotten
        leases_and_requests_are_forgotten_with_the_session
        secret_of_a_session_goes_with_its_end
        context_comes_back_until_it_is_removed
        context_has_one_writer_at_a_time
        writer_that_ended_without_writing_is_none_after_a_while;
    many:
        exactly_one_update_of_a_version_succeeds
        no_increment_is_lost
        one_of_many_same_requests_creates
        one_of_many_holders_gets_the_lease
        all_get_the_same_secret
        each_sees_what_the_other_wrote;
}

// What is particular to SQLite.

fn new_path() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("store.db");
    (folder, path)
}

/// Drops a store and waits for the end of its thread, which takes the log away when it is the last.
async fn close(store: SqliteStore, path: &Path) {
    let log = path.with_extension("db-wal");
    assert!(log.exists());
    drop(store);
    let deadline = Instant::now() + Duration::from_secs(10);
    while log.exists() {
        assert!(Instant::now() < deadline, "the thread goes on");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

#[tokio::test]
async fn time_is_that_of_the_system_unless_another_clock_is_given() {
    let store = SqliteStore::in_memory().unwrap();
    let system = jiff::Timestamp::now().as_millisecond();
    let now = store.now().await.unwrap();
    assert!((system - 1000..system + 60_000).contains(&now), "{now}, {system}");
}

#[tokio::test]
async fn all_is_there_after_it_was_closed() {
    let (_folder, path) = new_path();
    let clock = SettableClock::new();
    let store = clock.options().open(&path).unwrap();
    let secret = store.secret("tokens").await.unwrap();
    store.add_key(&key("k", START)).await.unwrap();
    let session = full_session("one");
    let asked = request("k", "r");
    store.create_session(&session, Some(&asked)).await.unwrap();
    store.lease("one", "a", 10).await.unwrap();
    clock.set(START + 10);
    store.lease("one", "b", 10).await.unwrap();
    close(store, &path).await;

    let store = clock.options().open(&path).unwrap();
    assert_eq!(store.secret("tokens").await.unwrap(), secret);
    assert_eq!(store.keys().await.unwrap(), [key("k", START)]);
    assert_eq!(stored(&store, "one").await, session);
    let again = SessionRecord {
        id: "two".to_owned(),
        ..session.clone()
    };
    let created = store.create_session(&again, Some(&asked)).await.unwrap();
    assert_eq!(created, Created::Before(Box::new(session)));
    assert_eq!(store.lease("one", "a", 10).await.unwrap(), None);
    clock.set(START + 20);
    assert_eq!(
        store.lease("one", "a", 10).await.unwrap(),
        Some(lease("a", START + 30, 3))
    );
}

#[cfg(unix)]
#[tokio::test]
async fn only_the_owner_can_read_the_files() {
    use std::os::unix::fs::PermissionsExt as _;

    let (folder, path) = new_path();
    let store = SqliteStore::open(&path).unwrap();
    add(&store, &running("one")).await;
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&folder).unwrap() {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode();
        names.push(entry.file_name().into_string().unwrap());
        assert_eq!(mode & 0o777, 0o600, "{names:?}");
    }
    names.sort_unstable();
    assert_eq!(names, ["store.db", "store.db-shm", "store.db-wal"]);
}

#[tokio::test]
async fn dropping_a_store_ends_its_thread() {
    let told = Arc::new(AtomicI64::new(START));
    let held = Arc::downgrade(&told);
    let options = SqliteOptions::new().with_clock(Arc::new(move || told.load(Ordering::SeqCst)));
    let store = options.in_memory().unwrap();
    add(&store, &running("one")).await;
    assert!(held.upgrade().is_some());
    drop(store);
    let deadline = Instant::now() + Duration::from_secs(10);
    while held.upgrade().is_some() {
        assert!(Instant::now() < deadline, "the thread goes on, with its clock");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

#[tokio::test]
async fn many_can_open_a_new_file_at_once() {
    for round in 0..10 {
        let (_folder, path) = new_path();
        let start = Arc::new(Barrier::new(6));
        let mut opening = JoinSet::new();
        for _ in 0..6 {
            let (path, start) = (path.clone(), Arc::clone(&start));
            opening.spawn_blocking(move || {
                start.wait();
                SqliteStore::open(&path).unwrap()
            });
        }
        let stores = opening.join_all().await;
        for (number, store) in stores.iter().enumerate() {
            add(store, &running(&number.to_string())).await;
        }
        for store in &stores {
            let count = store.sessions(&SessionFilter::default()).await.unwrap().len();
            assert_eq!(count, 6, "round {round}");
        }
    }
}

#[tokio::test]
async fn newer_schema_is_refused() {
    let (_folder, path) = new_path();
    close(SqliteStore::open(&path).unwrap(), &path).await;
    let connection = Connection::open(&path).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    drop(connection);
    let before = std::fs::read(&path).unwrap();
    let refused = SqliteStore::open(&path);
    assert_failed(&refused, &path, "newer version of this program (its schema is 99");
    assert!(std::fs::read(&path).unwrap() == before, "it is as it was");
}

#[tokio::test]
async fn file_of_another_program_is_refused() {
    let (_folder, path) = new_path();
    let connection = Connection::open(&path).unwrap();
    connection
        .execute_batch("CREATE TABLE recipes (name TEXT)")
        .unwrap();
    drop(connection);
    let before = std::fs::read(&path).unwrap();
    assert_failed(&SqliteStore::open(&path), &path, "of another program");
    assert!(std::fs::read(&path).unwrap() == before, "it is as it was");
}

#[tokio::test]
async fn file_that_is_no_database_is_refused() {
    let (_folder, path) = new_path();
    std::fs::write(&path, "This is not a database. ".repeat(500)).unwrap();
    assert_failed(&SqliteStore::open(&path), &path, "not an SQLite file");
}

#[tokio::test]
async fn damaged_file_is_named() {
    let (_folder, path) = new_path();
    let store = SqliteStore::open(&path).unwrap();
    for number in 0..50 {
        add(&store, &full_session(&number.to_string())).await;
    }
    close(store, &path).await;
    let mut bytes = std::fs::read(&path).unwrap();
    assert!(bytes.len() > 3 * 4096);
    bytes[4096..].fill(0xA5);
    std::fs::write(&path, bytes).unwrap();
    let outcome = async {
        SqliteStore::open(&path)?
            .sessions(&SessionFilter::default())
            .await
    };
    assert_failed(&outcome.await, &path, "is damaged");
}

#[tokio::test]
async fn value_that_is_none_of_the_store_is_named() {
    let (_folder, path) = new_path();
    let store = SqliteStore::open(&path).unwrap();
    add(&store, &running("one")).await;
    for change in [
        "state = 'ASLEEP'",
        "state = 'RUNNING', settings = '{'",
        "settings = '{}', version = -1",
    ] {
        let connection = Connection::open(&path).unwrap();
        connection
            .execute(&format!("UPDATE sessions SET {change}"), [])
            .unwrap();
        assert_failed(&store.session("one").await, &path, "changed by hand");
    }
    let connection = Connection::open(&path).unwrap();
    connection.execute("UPDATE sessions SET version = 1", []).unwrap();
    assert_eq!(stored(&store, "one").await, running("one"));
}

#[tokio::test]
async fn place_where_no_file_can_be_is_named() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("missing").join("store.db");
    assert_failed(&SqliteStore::open(&path), &path, "its folder exists");
    let outcome = SqliteStore::open(folder.path());
    assert_failed(&outcome, folder.path(), "cannot be opened");
    let outcome = SqliteStore::open(Path::new(""));
    assert_failed(&outcome, Path::new(""), "cannot be made");
}

#[tokio::test]
async fn full_store_says_so_and_can_be_read() {
    let (_folder, path) = new_path();
    let clock = SettableClock::new();
    let store = clock.options().with_max_pages(50).open(&path).unwrap();
    let secret = store.secret("tokens").await.unwrap();
    let large = |id: &str| {
        let mut session = session(id, "owner", START, SessionState::Completed);
        session.end_reason = Some("x".repeat(3000));
        session
    };
    let mut count = 0;
    let refused = loop {
        let asked = request(&count.to_string(), "r");
        match store
            .create_session(&large(&count.to_string()), Some(&asked))
            .await
        {
            Ok(created) => assert_eq!(created, Created::New),
            Err(error) => break error,
        }
        count += 1;
        assert!(count < 1000, "it is never full");
    };
    let StoreError::Full(text) = &refused else {
        panic!("{refused:?}");
    };
    assert!(text.contains(&path.display().to_string()), "{text}");
    assert!(count > 5, "{count}");

    let again = store.create_session(&large("again"), None).await;
    assert!(matches!(again, Err(StoreError::Full(_))), "{again:?}");
    let all = listed(&store, &SessionFilter::default()).await;
    assert_eq!(all.len(), count, "what was refused has left nothing");
    assert_eq!(stored(&store, "0").await, large("0"));
    assert_eq!(store.secret("tokens").await.unwrap(), secret);

    assert_eq!(store.forget_before(START + 1).await.unwrap(), count as u64);
    add(&store, &large("again")).await;
}

#[tokio::test]
async fn new_store_without_room_says_so() {
    let (_folder, path) = new_path();
    let outcome = SqliteOptions::new().with_max_pages(3).open(&path);
    assert!(matches!(outcome, Err(StoreError::Full(_))), "{outcome:?}");
    let store = SqliteStore::open(&path).unwrap();
    add(&store, &running("one")).await;
}

/// A connection of somebody else that holds the lock for writing until it is dropped.
fn writer(path: &Path) -> Connection {
    let connection = Connection::open(path).unwrap();
    connection.execute_batch("BEGIN IMMEDIATE").unwrap();
    connection
}

#[tokio::test]
async fn writing_waits_for_others() {
    let (_folder, path) = new_path();
    let clock = SettableClock::new();
    let store = Arc::new(clock.options().open(&path).unwrap());
    let reader = SqliteStore::open(&path).unwrap();
    add(store.as_ref(), &running("one")).await;
    let others = writer(&path);
    let waiting = tokio::spawn({
        let store = Arc::clone(&store);
        async move { store.lease("one", "a", 10).await.unwrap() }
    });
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(!waiting.is_finished());
    assert_eq!(
        stored(&reader, "one").await,
        running("one"),
        "reading does not wait"
    );
    clock.set(START + 200);
    drop(others);
    let taken = waiting.await.unwrap();
    assert_eq!(taken, Some(lease("a", START + 210, 1)), "from when it has it");
}

#[tokio::test]
async fn opening_waits_for_others() {
    let (_folder, path) = new_path();
    let others = writer(&path);
    let opening = tokio::task::spawn_blocking({
        let path = path.clone();
        move || SqliteStore::open(&path)
    });
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(!opening.is_finished(), "{opening:?}");
    drop(others);
    add(&opening.await.unwrap().unwrap(), &running("one")).await;
}

#[tokio::test]
async fn file_that_others_do_not_let_go_is_named() {
    let (_folder, path) = new_path();
    let store = SqliteStore::open(&path).unwrap();
    let others = writer(&path);
    let outcome = store.create_session(&running("one"), None).await;
    assert_failed(&outcome, &path, "in use by another program");
    drop(others);
    add(&store, &running("one")).await;
}

#[tokio::test]
async fn what_nobody_waits_for_is_not_begun() {
    let (_folder, path) = new_path();
    let store = Arc::new(SqliteStore::open(&path).unwrap());
    let others = writer(&path);
    let waiting = tokio::spawn({
        let store = Arc::clone(&store);
        async move { add(store.as_ref(), &running("one")).await }
    });
    tokio::task::yield_now().await;
    let abandoned = running("two");
    let asked = store.create_session(&abandoned, None);
    tokio::time::timeout(Duration::ZERO, asked).await.unwrap_err();
    drop(others);
    waiting.await.unwrap();
    assert_eq!(listed(store.as_ref(), &SessionFilter::default()).await, ["one"]);
}
