//! A long run of everything: memory and descriptors of the server stay flat. Some seconds in a normal run; with
//! `AUTOMATOR_SOAK` as many minutes as it says, 20 if it is no number.

use std::time::{Duration, Instant};

use automator_testing::{Answer, ScriptedModel, Site};
use serde_json::{Value, json};

use super::child::{Reaper, ServerProcess, nothing_is_left};
use super::client::{Client, Folder};
use super::{connect, create, figure, is_soak, release, text, until};

/// How long it goes on, and how long of that is warming up.
fn durations() -> (Duration, Duration) {
    if !is_soak() {
        return (Duration::from_secs(12), Duration::from_secs(6));
    }
    let minutes = std::env::var_os("AUTOMATOR_SOAK").and_then(|minutes| minutes.to_str()?.parse().ok());
    // A `1` only says that it is wanted.
    let minutes: u64 = minutes.filter(|minutes| *minutes > 1).unwrap_or(20);
    (
        Duration::from_secs(minutes * 60),
        Duration::from_secs(minutes * 10),
    )
}

/// What may be added after warming up: in kB, and in descriptors.
const MOST_GROWTH: u64 = 25_000;
const MOST_DESCRIPTORS: usize = 10;

struct Run<'a> {
    client: &'a Client,
    site: &'a Site,
    model: &'a ScriptedModel,
}

impl Run<'_> {
    /// A session from its creation to its end: operations, a viewer, connections that come and go, one that breaks off.
    async fn round(&self, number: usize) {
        let session = create(self.client, &json!({ "keepAlive": number.is_multiple_of(2) })).await;
        let id = text(&session, "id");
        let page = self
            .site
            .put(format!("<h1>Lamp {number}</h1><p>It costs {number} euros.</p>"));
        let model = json!({
            "modelName": "openai/gpt-4.1-mini", "apiKey": "sk-test", "baseURL": self.model.base_url(),
        });
        self.operate(id, "navigate", &json!({ "url": page.url })).await;
        let extract = json!({ "instruction": "the name", "options": { "model": model } });
        let extracted = self.operate(id, "extract", &extract).await;
        assert_eq!(extracted["data"]["result"]["extraction"], "a lamp", "{extracted}");
        let (status, debug) = self.client.get(&format!("/v1/sessions/{id}/debug")).await;
        assert_eq!(status, 200, "{debug}");
        let viewer = text(&session, "sessionUrl").replacen("http", "ws", 1);
        let viewer = viewer.replacen(
            &format!("/sessions/{id}?"),
            &format!("/v1/sessions/{id}/view?"),
            1,
        );
        let (viewer, _) = tokio_tungstenite::connect_async(viewer).await.expect("a viewer");
        for polite in [true, false] {
            let browser = connect(text(&session, "connectUrl")).await;
            let answer = browser.root().send_raw("Browser.getVersion", json!({})).await;
            answer.expect("an answer");
            if polite {
                browser.close();
                let _ = browser.closed().await;
            }
        }
        drop(viewer);
        assert_eq!(release(self.client, &session).await.0, 200);
    }

    async fn operate(&self, session: &str, operation: &str, body: &Value) -> Value {
        let path = format!("/v1/sessions/{session}/{operation}");
        let (status, answer) = self.client.post(&path, body).await;
        assert_eq!(status, 200, "{answer}");
        answer
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn memory_and_descriptors_of_a_server_stay_flat() {
    let folder = Folder::new();
    let _reaper = Reaper(folder.path());
    let (site, model) = (Site::start().await, ScriptedModel::start().await);
    model.script(|_| Answer::from(json!({ "extraction": "a lamp" })));
    let server = ServerProcess::start(folder.path(), &json!({ "slots": 2, "grace": 10_000 })).await;
    let client = server.client();
    let run = Run {
        client: &client,
        site: &site,
        model: &model,
    };
    let (whole, warming) = durations();
    let begun = Instant::now();
    let (mut rounds, mut before) = (0, None);
    while begun.elapsed() < whole || before.is_none() {
        if begun.elapsed() >= warming && before.is_none() {
            quiet(&client).await;
            before = Some((rounds, server.resident(), server.descriptors()));
        }
        tokio::join!(run.round(2 * rounds), run.round(2 * rounds + 1));
        rounds += 1;
    }
    quiet(&client).await;
    let (warm, memory, descriptors) = before.expect("it was warm");
    let grown = server.resident().saturating_sub(memory);
    let opened = server.descriptors().saturating_sub(descriptors);
    eprintln!(
        "{grown} kB and {opened} descriptors more over {} rounds, after {warm} ({memory} kB)",
        rounds - warm
    );
    assert!(rounds > warm, "nothing was measured");
    assert!(grown < MOST_GROWTH, "{grown} kB over {} rounds", rounds - warm);
    assert!(opened <= MOST_DESCRIPTORS, "{opened} descriptors");
    nothing_is_left(folder.path()).await;
}

/// Waits until nobody is connected and no session runs.
async fn quiet(client: &Client) {
    until("all have gone", async || {
        figure(client, "automator_cdp_sockets").await == 0.0
            && figure(client, "automator_slots_used").await == 0.0
    })
    .await;
}
