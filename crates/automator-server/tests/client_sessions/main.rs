//! The library with `env: REMOTE` on a server: sessions, their ends, and connections that are lost.

#[path = "../client/mod.rs"]
mod client;
mod downloads;
mod killed;

use std::path::Path;
use std::time::{Duration, Instant};

use automator::{Action, Automator, Builder, Env, EnvironmentSource, Error, ErrorKind, Locator};
use automator_server::slots::SlotLimits;
use automator_server::{Server, ServerOptions, create_key};
use automator_testing::Site;
use client::{Client, Folder, start};
use serde_json::{Value, json};

fn options(folder: &Path) -> ServerOptions {
    let mut options = client::options(folder);
    options.platform.grace = Duration::from_secs(2);
    options
}

/// A server in a folder of its own, with a key.
struct Rig {
    folder: Folder,
    server: Server,
    client: Client,
}

impl Rig {
    async fn start() -> Self {
        Self::with(|_| ()).await
    }

    async fn with(change: impl FnOnce(&mut ServerOptions)) -> Self {
        let folder = Folder::new();
        let mut options = options(folder.path());
        change(&mut options);
        let (server, client) = start(options).await;
        Self {
            folder,
            server,
            client,
        }
    }

    fn session(&self) -> Builder {
        session(self.server.public_url(), self.client.key())
    }
}

fn session(address: &str, key: &str) -> Builder {
    let (address, key) = (address.to_owned(), key.to_owned());
    Automator::builder(Env::Remote).with(|options| {
        options.environment = EnvironmentSource::new(move |name| match name {
            "REMOTE_BASE_URL" => Some(address.clone()),
            "REMOTE_API_KEY" => Some(key.clone()),
            _ => None,
        });
    })
}

async fn open(builder: Builder) -> Automator {
    let automator = builder.build().expect("usable options");
    automator.init().await.expect("a session");
    automator
}

async fn refusal(builder: Builder) -> Error {
    let automator = builder.build().expect("usable options");
    automator.init().await.expect_err("no session")
}

fn resuming(builder: Builder, id: &str) -> Builder {
    builder.with(|options| options.remote_session_id = Some(id.to_owned()))
}

/// Waits until a session cannot be resumed any more, and gives what is said of it.
async fn gone(rig: &Rig, id: &str) -> Error {
    let begun = Instant::now();
    loop {
        let automator = resuming(rig.session(), id)
            .keep_alive(true)
            .build()
            .expect("usable options");
        match automator.init().await {
            Err(error) => return error,
            // Being connected would keep it.
            Ok(()) => automator.close().await.expect("a close"),
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "{id} goes on");
        tokio::time::sleep(Duration::from_secs(3)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_is_created_used_and_ended() {
    let rig = Rig::start().await;
    let site = Site::start().await;
    let automator = rig.session().build().expect("usable options");
    assert_eq!(automator.remote_session_id(), None);
    automator.init().await.expect("a session");
    let id = automator.remote_session_id().expect("an id");
    let page = automator.context().expect("open").active_page().expect("a page");
    let at = site.put("<title>Lamps</title><button onclick=\"document.title = 'Pressed'\">Press</button>");
    page.goto(&at.url).await.expect("a page");
    assert_eq!(page.title().await.expect("a title"), "Lamps");
    let size = page.evaluate("[innerWidth, innerHeight]").await.expect("a size");
    assert_eq!(size, json!([1288, 711]));
    let text = automator.page_text().await.expect("a text").page_text;
    assert!(text.contains("button: Press"), "{text}");
    let pressed = automator
        .act(Action::new("button", "click"))
        .await
        .expect("an action");
    assert!(pressed.success, "{pressed:?}");
    assert_eq!(page.title().await.expect("a title"), "Pressed");
    automator.close().await.expect("a close");
    assert_eq!(automator.remote_session_id(), None);
    let error = refusal(resuming(rig.session(), &id)).await;
    assert_eq!(error.kind(), ErrorKind::RemoteSessionNotFound);
    assert!(error.to_string().contains("COMPLETED"), "{error}");
    // Another one can be opened with the same object.
    automator.init().await.expect("a session");
    assert_ne!(automator.remote_session_id().expect("an id"), id);
    automator.close().await.expect("a close");
    rig.server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_kept_session_is_resumed_with_its_pages_and_keep_alive_counts_instead_of_the_parameter() {
    let rig = Rig::start().await;
    let site = Site::start().await;
    let at = site.put("<title>Kept</title>");
    let kept = open(rig.session().keep_alive(true)).await;
    let id = kept.remote_session_id().expect("an id");
    let page = kept.context().expect("open").active_page().expect("a page");
    page.goto(&at.url).await.expect("a page");
    kept.close().await.expect("a close");
    // As its owner left it; whether it is kept is known of the session itself.
    for _ in 0..2 {
        let again = open(resuming(rig.session(), &id)).await;
        assert_eq!(again.remote_session_id().as_deref(), Some(id.as_str()));
        let page = again.context().expect("open").active_page().expect("a page");
        assert_eq!(page.title().await.expect("a title"), "Kept");
        again.close().await.expect("a close");
    }
    let last = open(resuming(rig.session(), &id).keep_alive(false)).await;
    last.close().await.expect("a close");
    assert_eq!(gone(&rig, &id).await.kind(), ErrorKind::RemoteSessionNotFound);
    let parameters = [("keepAlive".to_owned(), json!(true))];
    let overridden = open(rig.session().keep_alive(false).with(|options| {
        options.remote_session_create_params = Some(parameters.into());
    }))
    .await;
    let id = overridden.remote_session_id().expect("an id");
    overridden.close().await.expect("a close");
    assert_eq!(gone(&rig, &id).await.kind(), ErrorKind::RemoteSessionNotFound);
    rig.server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_that_goes_without_a_close_leaves_no_session() {
    let rig = Rig::start().await;
    let automator = open(rig.session()).await;
    let id = automator.remote_session_id().expect("an id");
    drop(automator);
    let error = gone(&rig, &id).await;
    assert!(error.to_string().contains("connected"), "{error}");
    rig.server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_keeps_a_session_from_opening_is_told_apart() {
    let rig = Rig::with(|options| {
        options.platform.slots = SlotLimits {
            slots: 1,
            per_owner: 1,
            waiting: 0,
        };
    })
    .await;
    let address = format!("http://{}", rig.server.address());
    let wrong = refusal(session(&address, "amk_00000000_wrong")).await;
    assert_eq!(wrong.kind(), ErrorKind::Environment, "{wrong}");
    assert!(wrong.to_string().contains("REMOTE_API_KEY"), "{wrong}");
    let unknown = refusal(resuming(rig.session(), "no/such session")).await;
    assert_eq!(unknown.kind(), ErrorKind::RemoteSessionNotFound, "{unknown}");
    let refused = refusal(rig.session().with(|options| {
        options.remote_session_create_params = Some([("timeout".to_owned(), json!(5))].into());
    }))
    .await;
    assert_eq!(refused.kind(), ErrorKind::InvalidArgument);
    assert!(refused.to_string().contains("timeout"), "{refused}");

    let own = open(rig.session()).await;
    let id = own.remote_session_id().expect("an id");
    let stranger = create_key(rig.server.store().as_ref(), "stranger")
        .await
        .expect("a key");
    let foreign = refusal(resuming(session(&address, stranger.reveal()), &id)).await;
    assert_eq!(foreign.kind(), ErrorKind::RemoteSessionNotFound);
    let full = refusal(rig.session()).await;
    assert_eq!(full.kind(), ErrorKind::Init, "{full}");
    own.close().await.expect("a close");

    rig.server.stop().await;
    let nobody = refusal(session(&address, rig.client.key())).await;
    assert_eq!(nobody.kind(), ErrorKind::Init);
    let text = nobody.to_string();
    assert!(
        text.contains(&address) && text.contains("automator serve"),
        "{text}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_go_to_the_browser_by_their_content() {
    let rig = Rig::start().await;
    let site = Site::start().await;
    let automator = open(rig.session()).await;
    let page = automator.context().expect("open").active_page().expect("a page");
    let at = site.put("<input type=file>");
    page.goto(&at.url).await.expect("a page");
    let file = rig.folder.path().join("order.txt");
    std::fs::write(&file, "two lamps").expect("a file");
    let input: Locator = page.locator("input");
    input.set_input_files([&file]).await.expect("taken");
    let read = "document.querySelector('input').files[0].text()";
    assert_eq!(page.evaluate(read).await.expect("a text"), "two lamps");
    automator.close().await.expect("a close");
    rig.server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_goes_on_when_the_server_is_started_again() {
    let rig = Rig::start().await;
    let site = Site::start().await;
    let automator = open(rig.session().keep_alive(true)).await;
    let context = automator.context().expect("open");
    context
        .add_init_script("window.isMarked = true")
        .await
        .expect("a script");
    let page = context.active_page().expect("a page");
    let at = site.put("<title>First</title>");
    page.goto(&at.url).await.expect("a page");
    let other = context.new_page("about:blank").await.expect("a page");
    let second = site.put("<title>Second</title>");
    other.goto(&second.url).await.expect("a page");
    context.set_active_page(&page);
    let hanging = tokio::spawn(async move { other.evaluate("new Promise(() => {})").await });
    let Rig {
        folder,
        server,
        client: _,
    } = rig;
    let address = server.address();
    server.stop().await;
    let lost = hanging.await.expect("an outcome").expect_err("it fails");
    assert!(
        matches!(lost.kind(), ErrorKind::CdpConnectionClosed | ErrorKind::Closed),
        "{lost:?}"
    );
    let early = automator.context().and_then(|context| context.active_page());
    assert!(early.is_err(), "{early:?}");
    let mut options = options(folder.path());
    options.listen = address;
    let server = Server::start(options).await.expect("a server");
    // Waits until the connection is there.
    let begun = Instant::now();
    automator.page_text().await.expect("a text");
    assert!(begun.elapsed() < Duration::from_secs(10));
    let titles = |pages: Vec<automator::Page>| async move {
        let mut titles = Vec::new();
        for page in pages {
            titles.push(page.title().await.expect("a title"));
        }
        titles
    };
    // The context from before goes on, too; its pages are taken anew.
    assert_eq!(titles(context.pages()).await, ["First", "Second"]);
    let again = context.active_page().expect("a page");
    assert_eq!(again.id(), page.id());
    again.goto(&at.url).await.expect("a page");
    assert_eq!(
        again.evaluate("window.isMarked").await.expect("a value"),
        Value::Bool(true)
    );
    let stale = page.title().await.expect_err("its connection is gone");
    assert!(stale.to_string().contains("context"), "{stale}");
    automator.close().await.expect("a close");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_is_ended_elsewhere_says_so() {
    let rig = Rig::start().await;
    let automator = open(rig.session().keep_alive(true)).await;
    let id = automator.remote_session_id().expect("an id");
    let other = open(resuming(rig.session(), &id).keep_alive(false)).await;
    other.close().await.expect("a close");
    let begun = Instant::now();
    let error = loop {
        let error = automator.page_text().await.expect_err("it has ended");
        if error.kind() == ErrorKind::NotInitialized {
            break error;
        }
        assert!(begun.elapsed() < Duration::from_secs(10), "{error}");
    };
    assert!(error.to_string().contains("COMPLETED"), "{error}");
    assert_eq!(automator.remote_session_id(), None);
    automator.close().await.expect("a close");
    rig.server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_address_of_a_browser_is_enough() {
    let rig = Rig::start().await;
    let owner = open(rig.session()).await;
    let address = owner.connect_url().await.expect("an address");
    let guest =
        open(Automator::builder(Env::Remote).with(|options| options.remote_base_url = Some(address.clone())))
            .await;
    assert_eq!(guest.remote_session_id(), None);
    assert_eq!(guest.context().expect("open").pages().len(), 1);
    guest.close().await.expect("a close");
    owner.page_text().await.expect("it goes on");
    let error = refusal(Automator::builder(Env::Remote).with(|options| {
        options.remote_base_url = Some(address);
        options.remote_session_id = Some("1".to_owned());
    }))
    .await;
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    owner.close().await.expect("a close");
    rig.server.stop().await;
}
