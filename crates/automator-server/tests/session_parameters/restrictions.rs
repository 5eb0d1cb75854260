//! What a session may reach, and on which way.

use std::sync::{Arc, Mutex};

use automator_server::Server;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

use crate::client::Client;
use crate::client::Folder;
use crate::setup::{self, Answer, Site, Tab, connect, html, next, options, session, start, text};

/// A proxy that notes the heads of what it is asked for.
struct ForeignProxy {
    port: u16,
    heads: Arc<Mutex<Vec<String>>>,
    serving: tokio::task::JoinHandle<()>,
}

impl ForeignProxy {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let heads = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&heads);
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let noted = Arc::clone(&noted);
                tokio::spawn(async move {
                    let mut stream = BufReader::new(stream);
                    let mut head = String::new();
                    while stream.read_line(&mut head).await.ok()? > 2 {}
                    let target = head.split(' ').nth(1)?.to_owned();
                    noted.lock().expect("no panic").push(head);
                    let mut server = TcpStream::connect(&target).await.ok()?;
                    stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.ok()?;
                    tokio::io::copy_bidirectional(&mut stream, &mut server).await.ok()
                });
            }
        });
        Self { port, heads, serving }
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.heads.lock().expect("no panic"))
    }
}

impl Drop for ForeignProxy {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn proxies_of_a_session_are_used_by_their_patterns_also_when_the_server_is_started_again() {
    let folder = Folder::new();
    let site = Site::start(|_| html("hello")).await;
    let proxy = ForeignProxy::start().await;
    let (server, client) = start(options(folder.path())).await;
    let parameters = json!({ "keepAlive": true, "proxies": [
        { "type": "none", "domainPattern": "^localhost$" },
        {
            "type": "external", "server": format!("http://127.0.0.1:{}", proxy.port),
            "username": "ann", "password": "hunter2-secret",
        },
    ] });
    let (created, browser) = session(&client, &parameters).await;
    let tab = Tab::open(&browser).await;
    tab.go(&site.at("localhost", "/direct")).await.expect("there");
    assert_eq!(proxy.take(), Vec::<String>::new());
    tab.go(&site.at("127.0.0.1", "/chained")).await.expect("there");
    let login = "proxy-authorization: basic yw5uomh1bnrlcjitc2vjcmv0";
    let has_login = |heads: Vec<String>| heads.iter().any(|head| head.to_lowercase().contains(login));
    assert!(has_login(proxy.take()));
    let id = text(&created, "id").to_owned();
    let (_, shown) = client.get(&format!("/v1/sessions/{id}")).await;
    assert!(!shown.to_string().contains("hunter2"), "{shown}");
    let stored = server.store().session(&id).await.expect("a store").expect("it");
    assert!(!format!("{stored:?}").contains("hunter2"), "{stored:?}");
    assert_eq!(stored.settings["proxies"][1]["type"], "external");
    // Not stopped: gone, as if it was killed.
    drop(server);

    let server = Server::start(options(folder.path())).await.expect("a server");
    let client = Client::new(server.address(), client.key());
    let (_, again) = client.get(&format!("/v1/sessions/{id}")).await;
    let browser = connect(text(&again, "connectUrl")).await;
    let tab = Tab::open(&browser).await;
    tab.go(&site.at("127.0.0.1", "/again")).await.expect("there");
    assert!(has_login(proxy.take()));
    setup::release(&client, &again).await;
    let secret = server.store().session_secret(&id).await.expect("a store");
    assert_eq!(secret, None, "it goes with the session");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_managed_proxy_is_refused_and_true_has_no_effect() {
    let folder = Folder::new();
    let (server, client) = start(options(folder.path())).await;
    let managed = json!({ "proxies": [{ "type": "browserbase", "geolocation": { "country": "DE" } }] });
    let (status, refused) = client.post("/v1/sessions", &managed).await;
    assert_eq!(status, 400, "{refused}");
    assert!(text(&refused, "message").contains("`external`"), "{refused}");
    let (status, created) = client.post("/v1/sessions", &json!({ "proxies": true })).await;
    assert_eq!(status, 200, "{created}");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hosts_of_advertisements_are_blocked_for_sessions_that_ask_for_it() {
    let folder = Folder::new();
    let site = Site::start(|_| html("hello")).await;
    let mut options = options(folder.path());
    options.platform.block_list = vec!["localhost".to_owned()];
    let (server, client) = start(options).await;
    for (block, expected) in [(true, "refused"), (false, "200")] {
        let parameters = json!({ "browserSettings": { "blockAds": block } });
        let (_, browser) = session(&client, &parameters).await;
        let tab = Tab::open(&browser).await;
        tab.go(&site.at("127.0.0.1", "/")).await.expect("there");
        let path = format!("/{block}.js");
        let expression = format!(
            "fetch('{}', {{ mode: 'no-cors' }}).then(() => true)",
            site.at("localhost", &path)
        );
        tab.evaluate(&expression).await;
        assert_eq!(site.was_asked_for(&path), !block, "{expected}");
        let gone = tab.go(&site.at("localhost", "/page")).await;
        let status = tab.evaluate("document.body.innerText").await;
        let is_blocked = status.as_str().unwrap_or_default().contains("advertisements");
        assert_eq!(is_blocked, block, "{gone:?} {status}");
    }
    server.stop().await;
}

/// Pages of a domain that is allowed, which lead to one that is not.
fn leading_away(path: &str, port: u16) -> Answer {
    let away = |path: &str| format!("http://localhost:{port}{path}");
    match path {
        "/" => html(&format!("<a href='{}'>away</a>", away("/link"))),
        "/redirect" => (302, vec![("location", away("/redirected"))], Vec::new()),
        "/framed" => html(&format!("<iframe src='{}'></iframe>", away("/frame"))),
        _ => html("somewhere"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_stay_on_the_domains_that_the_session_allows() {
    let folder = Folder::new();
    let port = Arc::new(std::sync::OnceLock::new());
    let known = Arc::clone(&port);
    let site = Site::start(move |path| leading_away(path, *known.get().unwrap_or(&0))).await;
    port.set(site.address.port()).expect("once");
    let (server, client) = start(options(folder.path())).await;
    let parameters =
        json!({ "keepAlive": true, "browserSettings": { "allowedDomains": ["127.0.0.1", "shop.example"] } });
    let (created, browser) = session(&client, &parameters).await;
    let id = text(&created, "id").to_owned();
    stays(&site, &browser).await;
    // A server that is started again knows it, too.
    drop(server);
    let server = Server::start(options(folder.path())).await.expect("a server");
    let client = Client::new(server.address(), client.key());
    let (_, again) = client.get(&format!("/v1/sessions/{id}")).await;
    stays(&site, &connect(text(&again, "connectUrl")).await).await;
    setup::release(&client, &again).await;
    server.stop().await;
}

async fn stays(site: &Site, browser: &automator_cdp::Connection) {
    let tab = Tab::open(browser).await;
    let home = site.at("127.0.0.1", "/");
    tab.go(&home).await.expect("it is allowed");
    let is_home =
        async |tab: &Tab| assert_eq!(tab.evaluate("location.href").await, Value::from(home.as_str()));

    let refused = tab
        .go(&site.at("localhost", "/address"))
        .await
        .expect_err("refused");
    assert!(refused.contains("allowedDomains"), "{refused}");
    let opened = json!({ "url": site.at("localhost", "/target") });
    let refused = setup::send(&browser.root(), "Target.createTarget", opened).await;
    let refused = refused.expect_err("refused").to_string();
    assert!(refused.contains("allowedDomains"), "{refused}");
    is_home(&tab).await;

    let refused = tab.go(&site.at("127.0.0.1", "/redirect")).await;
    assert_eq!(refused, Err("net::ERR_ABORTED".to_owned()));
    is_home(&tab).await;

    let mut stopped = tab.session.subscribe(["Page.frameStoppedLoading"]);
    tab.evaluate("document.querySelector('a').click()").await;
    next(&mut stopped).await;
    is_home(&tab).await;

    let root = browser.root();
    let attach = json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true });
    setup::send(&root, "Target.setAutoAttach", attach)
        .await
        .expect("attached");
    for features in ["", "noopener"] {
        let mut attached = root.subscribe(["Target.attachedToTarget"]);
        let address = site.at("localhost", "/popup");
        // Not at once: the page waits for one that it opens.
        let open = format!("window.open('{address}', '', '{features}')");
        tab.evaluate(&format!("void setTimeout(() => {open})")).await;
        let popup = next(&mut attached).await;
        assert_eq!(popup["waitingForDebugger"], true, "{popup}");
        let popup = Tab {
            session: browser.session(text(&popup, "sessionId")),
        };
        let mut stopped = popup.session.subscribe(["Page.frameStoppedLoading"]);
        // Together, for it answers nothing before it runs.
        let (enabled, runs) = tokio::join!(
            popup.send("Page.enable", json!({})),
            popup.send("Runtime.runIfWaitingForDebugger", json!({}))
        );
        enabled.and(runs).expect("it runs");
        next(&mut stopped).await;
        let shown = popup.evaluate("location.href").await;
        assert!(
            !shown.as_str().unwrap_or_default().contains("localhost"),
            "{shown}"
        );
    }
    let attach = json!({ "autoAttach": false, "waitForDebuggerOnStart": false, "flatten": true });
    setup::send(&root, "Target.setAutoAttach", attach)
        .await
        .expect("detached");

    tab.go(&site.at("127.0.0.1", "/framed"))
        .await
        .expect("it is allowed");
    assert!(site.was_asked_for("/frame"), "frames are not restricted");
    for path in ["/address", "/target", "/redirected", "/link", "/popup"] {
        assert!(!site.was_asked_for(path), "{path}");
    }
}
