//! Wrong, revoked and other owners' keys, on every route.

use automator_server::create_key;
use automator_server::key::ApiKey;
use serde_json::json;

use super::client::Client;
use super::routes::{all, belongings, public};
use super::{ask, patient};

/// The same key with another last letter.
fn forged(key: &str) -> String {
    let (start, last) = key.split_at(key.len() - 1);
    // The last letter holds spare bits; another of the first four is another key.
    format!("{start}{}", if last == "A" { "Q" } else { "A" })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_route_takes_a_wrong_or_revoked_key() {
    let rig = patient().await;
    let (session, context) = belongings(&rig.client).await;
    let store = rig.server.store();
    let revoked = create_key(store.as_ref(), "revoked").await.expect("a key");
    let revoked = revoked.reveal().to_owned();
    store.revoke_key(public(&revoked)).await.expect("revoked");
    let unknown = ApiKey::generate().expect("a key");
    let right = rig.client.key();
    let keys = [
        "",
        "amk_",
        "nonsense",
        unknown.reveal(),
        &forged(right),
        &right.to_uppercase(),
        public(right),
        &revoked,
    ]
    .map(str::to_owned);
    for route in all().iter().filter(|route| !route.is_open()) {
        let path = route.about(&session, &context);
        for key in &keys {
            let bearer = format!("Bearer {key}");
            for header in [("x-bb-api-key", key.as_str()), ("authorization", &bearer)] {
                let (status, answer) = ask(
                    rig.server.address(),
                    route.method,
                    &path,
                    &[header],
                    &route.body(),
                )
                .await;
                let expected = if route.takes_only_tokens() { 404 } else { 401 };
                assert_eq!(status, expected, "{route:?} with `{key}`: {answer}");
                assert!(key.len() < 20 || !answer.contains(key.as_str()), "{answer}");
            }
        }
    }
    let (_, after) = rig.client.get(&format!("/v1/sessions/{session}")).await;
    assert_eq!(after["status"], "RUNNING", "{after}");
    let (_, list) = rig.client.get("/v1/sessions").await;
    assert_eq!(
        list.as_array().map(Vec::len),
        Some(1),
        "nobody has made another one"
    );
    rig.server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_belongs_to_another_key_is_not_there() {
    let rig = patient().await;
    let (session, context) = belongings(&rig.client).await;
    let other = create_key(rig.server.store().as_ref(), "other")
        .await
        .expect("a key");
    let other = other.reveal();
    let of_one = |path: &str| path.contains("{id}");
    for route in all()
        .iter()
        .filter(|route| !route.is_open() && of_one(route.path))
    {
        let path = route.about(&session, &context);
        let header = ("x-bb-api-key", other);
        let (status, answer) = ask(
            rig.server.address(),
            route.method,
            &path,
            &[header],
            &route.body(),
        )
        .await;
        assert_eq!(status, 404, "{route:?}: {answer}");
        let nowhere = route.about(
            "00000000-0000-4000-8000-000000000000",
            "00000000-0000-4000-8000-000000000000",
        );
        let (_, unknown) = ask(
            rig.server.address(),
            route.method,
            &nowhere,
            &[header],
            &route.body(),
        )
        .await;
        let body = |answer: &str| answer.rsplit("\r\n").next().map(str::to_owned);
        let same = body(&answer).map(|body| body.replace(&session, "ID").replace(&context, "ID"));
        let as_unknown =
            body(&unknown).map(|body| body.replace("00000000-0000-4000-8000-000000000000", "ID"));
        assert_eq!(same, as_unknown, "nobody is told which ids there are");
    }
    let other = Client::new(rig.server.address(), other);
    assert_eq!(other.get("/v1/sessions").await, (200, json!([])));
    let start = json!({ "modelName": "openai/gpt-4.1-mini", "remoteSessionID": session });
    let (status, answer) = other.post("/v1/sessions/start", &start).await;
    assert_eq!(status, 404, "{answer}");
    let with_context = json!({ "browserSettings": { "context": { "id": context, "persist": true } } });
    let (status, answer) = other.post("/v1/sessions", &with_context).await;
    assert_eq!(status, 404, "{answer}");
    let (_, after) = rig.client.get(&format!("/v1/sessions/{session}")).await;
    assert_eq!(after["status"], "RUNNING", "{after}");
    let (status, _) = rig.client.get(&format!("/v1/contexts/{context}")).await;
    assert_eq!(status, 200);
    rig.server.stop().await;
}
