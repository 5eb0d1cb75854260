//! Where browsers and models may not be brought to, whatever way is tried.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use automator_server::egress::policy::{EgressMode, EgressPolicy};
use automator_server::egress::proxy::{EgressOptions, EgressProxy};
use automator_server::egress::resolver::{Resolver, ResolverFuture};
use automator_server::engine::{BrowserSettings, Engine as _, LocalChromium, LocalOptions};
use automator_testing::{Answer, Route, ScriptedModel, Site};
use serde_json::{Value, json};

use super::client::Folder;
use super::setup::{Tab, connect, options, session, start};
use super::text;

/// A policy of the internet, besides these ports of this machine.
fn public_and(ports: &[u16]) -> EgressPolicy {
    let rules = ports.iter().map(|port| format!("127.0.0.1:{port}").parse());
    EgressPolicy {
        allow: rules.collect::<Result<_, _>>().expect("rules"),
        ..EgressPolicy::new(EgressMode::Public)
    }
}

/// Addresses that are in no reach, with the port of a server on this machine.
fn private(port: u16) -> Vec<String> {
    let hosts = [
        "127.0.0.1",
        "localhost",
        "127.1",
        "2130706433",
        "0x7f.1",
        "0.0.0.0",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.0.1",
        "169.254.169.254",
        "[fd00::1]",
        "[fe80::1]",
        "metadata.google.internal",
    ];
    hosts.map(|host| format!("http://{host}:{port}/secret")).into()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_real_browser_reaches_no_files_no_pages_of_its_own_and_nothing_private() {
    let (site, inner) = (Site::start().await, Site::start().await);
    inner.put_at("/secret", "<title>secret</title>");
    let away = inner.url("/secret");
    site.handler("/away", move |_| Route::redirect(&away));
    site.put_at("/page", "<title>page</title>");
    let folder = Folder::new();
    let mut options = options(folder.path());
    options.platform.egress = public_and(&[site.port()]);
    let (server, client) = start(options).await;
    let (created, browser) = session(&client, &json!({})).await;
    let tab = Tab::open(&browser).await;
    for address in [
        "file:///etc/passwd",
        "FILE:///etc/passwd",
        "chrome://version",
        "chrome://settings",
        "about:version",
        "about:settings",
        "devtools://devtools/bundled/inspector.html",
        "view-source:file:///etc/passwd",
        "filesystem:file:///etc/passwd",
    ] {
        let refusal = tab.go(address).await.expect_err(address);
        assert!(!refusal.is_empty(), "{address}");
        let opened = browser
            .root()
            .send_raw("Target.createTarget", json!({ "url": address }));
        assert!(opened.await.is_err(), "{address}");
        let path = format!("/v1/sessions/{}/navigate", text(&created, "id"));
        let (status, answer) = client.post(&path, &json!({ "url": address })).await;
        assert!((400..500).contains(&status), "{address}: {status} {answer}");
    }
    tab.go(&site.url("/page")).await.expect("what is allowed");
    for address in private(inner.port()) {
        let expression = format!("fetch('{address}', {{ mode: 'no-cors' }}).then(() => 1, () => 0)");
        let _ = tab.evaluate(&expression).await;
    }
    for host in ["127.0.0.1", "localhost", "[::1]"] {
        // The proxy answers with a page that says no.
        let address = format!("http://{host}:{}/secret", inner.port());
        let _ = tab.send("Page.navigate", json!({ "url": address })).await;
        tab.go(&site.url("/page")).await.expect("it is still there");
    }
    // From within a page, and by a redirect.
    let inside = format!(
        "new Promise(done => {{
            const frame = document.createElement('iframe');
            frame.onload = frame.onerror = () => done(true);
            frame.src = '{}';
            document.body.append(frame);
        }})",
        site.url("/away")
    );
    tab.evaluate(&inside).await;
    let _ = tab
        .send("Page.navigate", json!({ "url": site.url("/away") }))
        .await;
    tab.go(&site.url("/page")).await.expect("it is still there");
    for address in ["file:///etc/passwd", "chrome://version"] {
        let expression = format!("window.open('{address}'); location.href = '{address}'; location.href");
        let at = tab.evaluate(&expression).await;
        assert_eq!(at, json!(site.url("/page")), "{address}");
    }
    assert!(site.hits_of("/away").len() >= 2, "the redirects were followed");
    assert_eq!(inner.hits().len(), 0, "{:?}", inner.hits());
    let (_, debug) = client
        .get(&format!("/v1/sessions/{}/debug", text(&created, "id")))
        .await;
    let shown = debug["pages"].to_string();
    assert!(
        !shown.contains("file:") && !shown.contains("chrome://version"),
        "{shown}"
    );
    server.stop().await;
}

/// The first answer is 127.0.0.1, and all later ones are another address of this machine.
#[derive(Debug, Default)]
struct Changing {
    asked: AtomicUsize,
}

impl Resolver for Changing {
    fn resolve<'a>(&'a self, name: &'a str) -> ResolverFuture<'a> {
        let answer: &str = match name.trim_end_matches('.') {
            "changing.test" if self.asked.fetch_add(1, Ordering::SeqCst) == 0 => "127.0.0.1",
            _ => "127.0.0.2",
        };
        let answer: IpAddr = answer.parse().expect("an address");
        Box::pin(async move { Ok(vec![answer]) })
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_name_that_leads_elsewhere_later_is_judged_again() {
    let site = Site::start().await;
    site.route(
        "/page",
        Route::html("<title>page</title>").header("connection", "close"),
    );
    let inner = tokio::net::TcpListener::bind(("127.0.0.2", site.port()))
        .await
        .expect("the same port of another address");
    let names = Arc::new(Changing::default());
    let resolver: Arc<Changing> = Arc::clone(&names);
    let proxy = EgressProxy::start_with(EgressOptions {
        resolver,
        listen: ([127, 0, 0, 1], 0).into(),
        ..EgressOptions::new(public_and(&[site.port()]))
    })
    .await
    .expect("a proxy");
    let folder = Folder::new();
    let browsers = folder.path().join("browsers");
    let engine = LocalChromium::new(LocalOptions::new(browsers)).expect("an engine");
    let settings = BrowserSettings {
        proxy: Some(proxy.address()),
        ..BrowserSettings::default()
    };
    let handle = engine.create("one", &settings).await.expect("a browser");
    let browser = connect(&engine.address(&handle).await.expect("an address")).await;
    let tab = Tab::open(&browser).await;
    let page = format!("http://changing.test:{}/page", site.port());
    tab.go(&page).await.expect("there");
    assert_eq!(tab.evaluate("document.title").await, "page");
    assert_eq!(site.hits_of("/page").len(), 1);
    let fetched = format!("fetch('{page}').then(answer => answer.status, () => 0)");
    let status = tab.evaluate(&fetched).await;
    assert_ne!(status, 200, "it leads to another address now");
    assert!(names.asked.load(Ordering::SeqCst) >= 2, "it was asked for again");
    assert_eq!(site.hits_of("/page").len(), 1);
    let nobody = tokio::time::timeout(std::time::Duration::ZERO, inner.accept()).await;
    assert!(nobody.is_err(), "nobody has come to the other address");
    engine.end(&handle).await.expect("ended");
    proxy.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_model_is_reached_where_callers_may_not_send_the_server() {
    let (allowed, model) = (Site::start().await, ScriptedModel::start().await);
    model.script(|_| Answer::value(json!({ "extraction": "secret" })));
    let away = model.base_url();
    allowed.fallback(move |hit| {
        let path = hit.path.clone();
        Route::redirect(&format!("{away}{}", path.trim_start_matches("/v1")))
    });
    let folder = Folder::new();
    let mut options = options(folder.path());
    options.platform.model_egress = public_and(&[allowed.port()]);
    let (server, client) = start(options).await;
    let (created, _browser) = session(&client, &json!({ "keepAlive": true })).await;
    let path = format!("/v1/sessions/{}/extract", text(&created, "id"));
    let extract = |base_url: &str| {
        json!({ "instruction": "the secret", "options": { "model": {
            "modelName": "openai/gpt-4.1-mini", "apiKey": "sk-test", "baseURL": base_url,
        } } })
    };
    let model_port = url::Url::parse(&model.base_url())
        .expect("an address")
        .port()
        .expect("a port");
    let mut addresses = private(model_port);
    addresses.extend(["file:///etc/passwd".to_owned(), "chrome://version".to_owned()]);
    // It redirects to where the server may not go.
    addresses.push(allowed.url("/v1"));
    for address in addresses {
        let (status, answer) = client.post(&path, &extract(&address)).await;
        assert!(status >= 400, "{address}: {answer}");
        assert!(is_refusal(&answer), "{address}: {status} {answer}");
    }
    assert!(!allowed.hits().is_empty(), "the redirect was tried");
    assert_eq!(model.requests().len(), 0, "{:?}", model.requests());
    server.stop().await;
}

/// Whether an answer tells that nothing was done.
fn is_refusal(answer: &Value) -> bool {
    answer["success"] == json!(false) || answer["statusCode"].as_u64() >= Some(400)
}
