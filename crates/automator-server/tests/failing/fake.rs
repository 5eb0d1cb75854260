//! An engine without browsers: each of them is a DevTools endpoint that answers what a test asks it to.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use automator_server::engine::{BrowserSettings, Engine, EngineBrowser, EngineFuture};
use automator_server::store::Store;
use automator_server::{Server, ServerOptions};
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;
use tokio_tungstenite::tungstenite::Message;

use crate::client::{Client, Folder};

/// A DevTools endpoint. `Test.large` is answered with as many bytes as it asks for, `Test.never` is not answered, and
/// everything else with what `Browser.getVersion` is.
#[derive(Debug)]
pub(crate) struct FakeBrowser {
    pub(crate) address: String,
    accepting: AbortHandle,
}

impl FakeBrowser {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = format!("ws://{}/", listener.local_addr().expect("an address"));
        let accepting = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream));
            }
        });
        Self {
            address,
            accepting: accepting.abort_handle(),
        }
    }
}

impl Drop for FakeBrowser {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// Its only tab.
const TAB: &str = "A1";

async fn answer(stream: TcpStream) {
    let Ok(mut socket) = tokio_tungstenite::accept_async(stream).await else {
        return;
    };
    while let Some(Ok(message)) = socket.next().await {
        let Message::Text(text) = message else { continue };
        let command: Value = serde_json::from_str(&text).expect("a command");
        let result = match command["method"].as_str() {
            Some("Test.never") => continue,
            Some("Test.large") => {
                let bytes = command["params"]["bytes"].as_u64().expect("a number");
                json!({ "data": "x".repeat(usize::try_from(bytes).expect("a size")) })
            }
            Some("Target.getTargets") => json!({ "targetInfos": [{
                "targetId": TAB, "type": "page", "title": "", "url": "about:blank", "attached": false,
                "canAccessOpener": false,
            }] }),
            _ => json!({
                "protocolVersion": "1.3", "product": "Fake/1", "revision": "@1", "userAgent": "fake", "jsVersion": "1",
            }),
        };
        let reply = json!({ "id": command["id"], "result": result }).to_string();
        if socket.send(Message::text(reply)).await.is_err() {
            return;
        }
    }
}

/// The engine. All of its browsers are one endpoint.
#[derive(Debug)]
pub(crate) struct FakeEngine {
    address: String,
    living: Mutex<BTreeMap<String, Value>>,
    /// The sessions in the order in which their browsers were asked for.
    created: Mutex<Vec<String>>,
}

impl FakeEngine {
    pub(crate) fn new(address: &str) -> Self {
        Self {
            address: address.to_owned(),
            living: Mutex::default(),
            created: Mutex::default(),
        }
    }

    pub(crate) fn living(&self) -> usize {
        self.living.lock().expect("the browsers").len()
    }

    pub(crate) fn created(&self) -> Vec<String> {
        self.created.lock().expect("the sessions").clone()
    }
}

impl Engine for FakeEngine {
    fn name(&self) -> &'static str {
        "fake"
    }

    fn create<'a>(&'a self, session: &'a str, _settings: &'a BrowserSettings) -> EngineFuture<'a, Value> {
        let handle = json!({ "of": session });
        self.created
            .lock()
            .expect("the sessions")
            .push(session.to_owned());
        self.living
            .lock()
            .expect("the browsers")
            .insert(session.to_owned(), handle.clone());
        Box::pin(async move { Ok(handle) })
    }

    fn address<'a>(&'a self, _handle: &'a Value) -> EngineFuture<'a, String> {
        Box::pin(async { Ok(self.address.clone()) })
    }

    fn is_alive<'a>(&'a self, handle: &'a Value) -> EngineFuture<'a, bool> {
        let lives = self
            .living
            .lock()
            .expect("the browsers")
            .values()
            .any(|living| living == handle);
        Box::pin(async move { Ok(lives) })
    }

    fn folder(&self, _session: &str) -> Option<PathBuf> {
        None
    }

    fn end<'a>(&'a self, handle: &'a Value) -> EngineFuture<'a, bool> {
        let session = handle["of"].as_str().expect("a session");
        let lived = self
            .living
            .lock()
            .expect("the browsers")
            .remove(session)
            .is_some();
        Box::pin(async move { Ok(lived) })
    }

    fn end_saving<'a>(&'a self, handle: &'a Value, _profile: &'a Path) -> EngineFuture<'a, bool> {
        Box::pin(async move {
            self.end(handle).await?;
            Ok(false)
        })
    }

    fn list(&self) -> EngineFuture<'_, Vec<EngineBrowser>> {
        let living = self.living.lock().expect("the browsers").clone();
        let browsers = living
            .into_iter()
            .map(|(session, handle)| EngineBrowser { session, handle })
            .collect();
        Box::pin(async move { Ok(browsers) })
    }
}

/// A server on a fake engine.
pub(crate) struct Rig {
    pub(crate) server: Server,
    pub(crate) client: Client,
    pub(crate) engine: Arc<FakeEngine>,
    _browser: FakeBrowser,
    _folder: Folder,
}

impl Rig {
    pub(crate) async fn start(store: Arc<dyn Store>, change: impl FnOnce(&mut ServerOptions)) -> Self {
        let folder = Folder::new();
        let browser = FakeBrowser::start().await;
        let engine = Arc::new(FakeEngine::new(&browser.address));
        let mut options = ServerOptions::new(folder.path());
        options.listen = ([127, 0, 0, 1], 0).into();
        options.platform.round = std::time::Duration::from_millis(10);
        // What is tested here is not how often somebody may ask.
        options.limits.key_rate.burst = 100_000;
        change(&mut options);
        let served = Arc::clone(&engine);
        let server = Server::start_with(options, store, served)
            .await
            .expect("a server");
        let key = server.first_key().await.expect("a key").expect("the first one");
        let client = Client::new(server.address(), key.reveal());
        Self {
            server,
            client,
            engine,
            _browser: browser,
            _folder: folder,
        }
    }
}
