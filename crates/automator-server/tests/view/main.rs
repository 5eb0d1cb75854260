//! The live view of sessions: one browser looks at another.

mod appearance;
#[path = "../client/mod.rs"]
mod client;
mod controlling;
mod keeping_up;
mod letting_in;
mod listing;
mod looking;

use std::time::{Duration, Instant};

use automator_browser::{Browser, GotoOptions, LaunchOptions, Page};
use automator_cdp::{Connection, Events, WebSocketOptions, WebSocketTransport};
use automator_server::Server;
use automator_testing::Site;
use client::{Client, Folder, options, start};
use serde_json::{Value, json};

/// A page on which a click on its upper half, and typing, change the title. Its ground is green.
const GREEN: &str = "<!doctype html><title>green</title><body style='margin:0;background:rgb(0,128,0)'>\
    <div style='position:fixed;inset:0 0 50% 0' onmousedown='document.title=`pressed ${event.button}`'\
     onclick='document.title=`clicked ${Math.round(event.clientX)} ${Math.round(event.clientY)}`'></div>\
    <input autofocus style='position:fixed;bottom:0;left:0;width:50%' oninput='document.title=`typed ${value}`'>";

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// A server with one session, which somebody looks at.
struct Stage {
    server: Server,
    client: Client,
    session: Value,
    site: Site,
    /// The session's browser, as a program has it.
    program: Connection,
    /// The browser that looks on.
    browser: Browser,
    errors: Option<Events>,
    _folder: Folder,
}

async fn stage() -> Stage {
    let folder = Folder::new();
    let (server, client) = start(options(folder.path())).await;
    let site = Site::start().await;
    site.put_at("/green", GREEN);
    site.put_at(
        "/blue",
        "<!doctype html><title>blue</title><body style='background:rgb(0,0,160)'>",
    );
    let (launch, create) = (LaunchOptions::default(), json!({ "keepAlive": true }));
    let (launched, created) = tokio::join!(Browser::start(&launch), client.post("/v1/sessions", &create));
    let (status, session) = created;
    assert_eq!(status, 200, "{session}");
    let url = session["connectUrl"].as_str().expect("an address");
    let transport = WebSocketTransport::connect(url, &WebSocketOptions::default()).await;
    Stage {
        server,
        client,
        session,
        site,
        program: Connection::new(transport.expect("a connection")),
        browser: launched.expect("a browser"),
        errors: None,
        _folder: folder,
    }
}

impl Stage {
    fn id(&self) -> &str {
        self.session["id"].as_str().expect("an id")
    }

    fn view_url(&self) -> String {
        self.session["sessionUrl"]
            .as_str()
            .expect("an address")
            .to_owned()
    }

    async fn debug(&self) -> Value {
        let (status, debug) = self
            .client
            .get(&format!("/v1/sessions/{}/debug", self.id()))
            .await;
        assert_eq!(status, 200, "{debug}");
        debug
    }

    async fn control_url(&self) -> String {
        self.debug().await["debuggerUrl"]
            .as_str()
            .expect("an address")
            .to_owned()
    }

    /// The browser that looks on opens an address. From then on its errors are collected.
    async fn open(&mut self, url: &str) -> Page {
        let page = self.browser.context().await_active_page().await.expect("a page");
        let session = page.session();
        for domain in ["Log.enable", "Runtime.enable"] {
            session.send_raw(domain, json!({})).await.expect("enabled");
        }
        self.errors = Some(session.subscribe([
            "Log.entryAdded",
            "Runtime.consoleAPICalled",
            "Runtime.exceptionThrown",
        ]));
        page.goto(url, GotoOptions::default()).await.expect("opened");
        page
    }

    /// What has been written to the console of the page that looks on.
    fn console(&mut self) -> Vec<String> {
        let mut written = Vec::new();
        while let Some(event) = self.errors.as_mut().and_then(Events::try_next) {
            written.push(event.params().get().to_owned());
        }
        written
    }

    /// The session's program opens a page of the site in a tab, and gives its target.
    async fn program_opens(&self, path: &str) -> String {
        let opened = self
            .program
            .root()
            .send_raw("Target.createTarget", json!({ "url": self.site.url(path) }));
        let reply: Value = opened.await.expect("a tab").parse().expect("JSON");
        reply["targetId"].as_str().expect("an id").to_owned()
    }

    async fn program_closes(&self, target: &str) {
        let closed = self
            .program
            .root()
            .send_raw("Target.closeTarget", json!({ "targetId": target }));
        closed.await.expect("closed");
    }

    /// The titles of the session's tabs, as its program sees them.
    async fn titles(&self) -> Vec<String> {
        let reply = self.program.root().send_raw("Target.getTargets", json!({}));
        let reply: Value = reply.await.expect("the targets").parse().expect("JSON");
        let targets = reply["targetInfos"].as_array().cloned().unwrap_or_default();
        let pages = targets.iter().filter(|target| target["type"] == "page");
        pages
            .filter_map(|target| target["title"].as_str().map(str::to_owned))
            .collect()
    }

    /// Waits until a tab of the session has a title.
    async fn until_titled(&self, title: &str) {
        let begun = Instant::now();
        loop {
            let titles = self.titles().await;
            if titles.iter().any(|known| known == title) {
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "no `{title}`: {titles:?}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    async fn release(&self) {
        let path = format!("/v1/sessions/{}", self.id());
        let (status, body) = self
            .client
            .post(&path, &json!({ "status": "REQUEST_RELEASE" }))
            .await;
        assert_eq!(status, 200, "{body}");
    }

    async fn end(self) {
        self.browser.close().await;
        self.release().await;
        self.server.stop().await;
    }
}

/// Waits until an expression is true in a page.
async fn until(page: &Page, expression: &str) {
    let begun = Instant::now();
    loop {
        let value = page.evaluate_in_page(expression).await;
        if matches!(value, Ok(Value::Bool(true))) {
            return;
        }
        if begun.elapsed() > PATIENCE {
            let text = page.evaluate_in_page("document.body.innerText").await;
            panic!("`{expression}` is {value:?} on {text:?}");
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn text(page: &Page, selector: &str) -> String {
    let expression = format!("document.querySelector({selector:?}).textContent");
    let value = page.evaluate_in_page(&expression).await.expect("a text");
    value.as_str().unwrap_or_default().to_owned()
}

/// Waits until the middle of the picture has a colour, but for what the compression changes.
async fn until_coloured(page: &Page, [red, green, blue]: [u8; 3]) {
    let expression = format!(
        "(() => {{
            const screen = document.querySelector('#screen');
            if (screen.hidden) return false;
            const at = [Math.round(screen.width / 2), Math.round(screen.height / 3)];
            // On a canvas of our own: reading from the page's would have the browser complain to its console.
            const copy = new OffscreenCanvas(1, 1).getContext('2d', {{ willReadFrequently: true }});
            copy.drawImage(screen, -at[0], -at[1]);
            const seen = copy.getImageData(0, 0, 1, 1).data;
            return [{red}, {green}, {blue}].every((part, index) => Math.abs(part - seen[index]) < 12);
        }})()"
    );
    until(page, &expression).await;
}

/// Where on the page that looks on a place of the session's page is; places are parts of the picture's sides.
async fn place(page: &Page, across: f64, down: f64) -> (f64, f64) {
    let expression = format!(
        "(() => {{
            const screen = document.querySelector('#screen');
            screen.scrollIntoView({{ block: 'nearest' }});
            const box = screen.getBoundingClientRect();
            return [box.left + box.width * {across}, box.top + box.height * {down}];
        }})()"
    );
    let place = page.evaluate_in_page(&expression).await.expect("a place");
    let part = |index: usize| place[index].as_f64().expect("a number");
    (part(0), part(1))
}
