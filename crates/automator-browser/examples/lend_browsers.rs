//! Lends browsers to programs that need one each for a short while, as tests do.
//!
//! Starting a browser costs a processor about a second; making a used one as good as new costs a few milliseconds.
//! Prints the address it listens at. Whoever connects gets one line, the DevTools address of a browser that nobody
//! else has, or an empty line when too many are lent; the browser is given back by closing the connection.
//! All of them end with the standard input of this program.
//!
//! ```sh
//! cargo run --package automator-browser --example lend_browsers
//! ```
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this program talks to the one that started it"
)]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use automator_browser::{Browser, LaunchOptions};
use automator_cdp::{Connection, Session, WebSocketOptions, WebSocketTransport};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// How many may be lent at once: four programs with tests of another language have up to three each.
const AT_MOST: usize = 16;
/// How often a browser is lent before a new one takes its place.
const OFTEN: u32 = 100;
/// How long a browser may take to become as good as new; one that takes longer is replaced.
const PATIENCE: Duration = Duration::from_secs(5);

/// A browser to lend.
struct Lent {
    address: String,
    /// Beside that of the borrower, and quiet as long as the browser is lent.
    connection: Connection,
    times: u32,
}

/// The browsers that are here, and how many there are in all.
#[derive(Default)]
struct Shelf {
    ready: Vec<Lent>,
    count: usize,
}

#[tokio::main]
async fn main() -> Outcome<()> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    println!("{}", listener.local_addr()?);
    let shelf = Arc::new(Mutex::new(Shelf::default()));
    let (end_all, ending) = watch::channel(());
    let mut lendings = JoinSet::new();
    let lending = async {
        loop {
            let (stream, _) = listener.accept().await?;
            let (shelf, ending) = (Arc::clone(&shelf), ending.clone());
            lendings.spawn(async move {
                if let Err(error) = lend(&shelf, stream, ending).await {
                    eprintln!("lending a browser: {error}");
                }
            });
        }
    };
    let input = tokio::task::spawn_blocking(|| std::io::copy(&mut std::io::stdin(), &mut std::io::sink()));
    tokio::select! {
        ended = input => drop(ended??),
        outcome = lending => return outcome,
    }
    // Those that are lent just now, or start, end with their lending.
    drop(end_all);
    lendings.join_all().await;
    let ready = std::mem::take(&mut shelf.lock().expect("nobody panics with it").ready);
    for lent in ready {
        end(lent).await;
    }
    Ok(())
}

/// Lends one browser to one borrower, who has it until the connection, or all lending, ends.
async fn lend(shelf: &Mutex<Shelf>, mut stream: TcpStream, mut ending: watch::Receiver<()>) -> Outcome<()> {
    let Some(mut lent) = take(shelf).await? else {
        stream.write_all(b"\n").await?;
        return Ok(());
    };
    let line = format!("{}\n", lent.address);
    lent.times += 1;
    // A borrower sends nothing, so that what comes is the end.
    if stream.write_all(line.as_bytes()).await.is_ok() {
        let mut nothing = Vec::new();
        tokio::select! {
            _ = stream.read_to_end(&mut nothing) => {}
            // The sender says nothing but goes.
            _ = ending.changed() => {}
        }
    }
    let is_new = lent.times < OFTEN
        && matches!(
            tokio::time::timeout(PATIENCE, renew(&lent.connection)).await,
            Ok(Ok(()))
        );
    if is_new {
        shelf.lock().expect("nobody panics with it").ready.push(lent);
    } else {
        end(lent).await;
        shelf.lock().expect("nobody panics with it").count -= 1;
    }
    Ok(())
}

/// One that is here, else a new one; none when there are too many.
async fn take(shelf: &Mutex<Shelf>) -> Outcome<Option<Lent>> {
    {
        let mut shelf = shelf.lock().expect("nobody panics with it");
        if let Some(lent) = shelf.ready.pop() {
            return Ok(Some(lent));
        }
        if shelf.count == AT_MOST {
            return Ok(None);
        }
        shelf.count += 1;
    }
    let started = start().await;
    if started.is_err() {
        shelf.lock().expect("nobody panics with it").count -= 1;
    }
    started.map(Some)
}

async fn start() -> Outcome<Lent> {
    let mut options = LaunchOptions::default();
    options.keep_alive = true;
    let quiet = "--disable-background-networking --disable-component-update --disable-sync";
    options.args.extend(quiet.split(' ').map(str::to_owned));
    // Nothing beyond this computer.
    options
        .args
        .push("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost".to_owned());
    let browser = Browser::start(&options).await?;
    let address = browser.connect_url().await?;
    // The library lets go of it, or it would take part in what the borrower does.
    browser.close().await;
    let transport = WebSocketTransport::connect(&address, &WebSocketOptions::default()).await?;
    Ok(Lent {
        address,
        connection: Connection::new(transport),
        times: 0,
    })
}

/// Makes a browser that was used as good as new: one blank page, nothing stored, nothing allowed.
async fn renew(connection: &Connection) -> Outcome<()> {
    let root = connection.root();
    let contexts = ask(&root, "Target.getBrowserContexts", json!({})).await?;
    for id in contexts["browserContextIds"].as_array().unwrap_or(&Vec::new()) {
        ask(
            &root,
            "Target.disposeBrowserContext",
            json!({ "browserContextId": id }),
        )
        .await?;
    }
    let blank = ask(&root, "Target.createTarget", json!({ "url": "about:blank" })).await?;
    let blank = &blank["targetId"];
    loop {
        let targets = ask(&root, "Target.getTargets", json!({})).await?;
        let others = other_pages(&targets["targetInfos"], blank);
        if others.is_empty() {
            break;
        }
        for other in others {
            // It may have gone by itself.
            let close = json!({ "targetId": other });
            let _closed = ask(&root, "Target.closeTarget", close).await;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    ask(&root, "Storage.clearCookies", json!({})).await?;
    ask(&root, "Browser.resetPermissions", json!({})).await?;
    ask(
        &root,
        "Browser.setDownloadBehavior",
        json!({ "behavior": "default" }),
    )
    .await?;
    let attach = json!({ "targetId": blank, "flatten": true });
    let attached = ask(&root, "Target.attachToTarget", attach).await?;
    let session_id = attached["sessionId"].as_str().ok_or("no session")?;
    let page = connection.session(session_id);
    ask(&page, "Network.clearBrowserCache", json!({})).await?;
    let everything = json!({ "origin": "*", "storageTypes": "all" });
    ask(&page, "Storage.clearDataForOrigin", everything).await?;
    ask(
        &root,
        "Target.detachFromTarget",
        json!({ "sessionId": session_id }),
    )
    .await?;
    Ok(())
}

/// The ids of the pages but one.
fn other_pages(targets: &Value, one: &Value) -> Vec<Value> {
    let targets = targets.as_array().into_iter().flatten();
    targets
        .filter(|target| target["type"] == "page" && target["targetId"] != *one)
        .map(|target| target["targetId"].clone())
        .collect()
}

async fn ask(session: &Session, method: &str, parameters: Value) -> Outcome<Value> {
    let reply = session.send_raw(method, parameters).await?;
    Ok(serde_json::from_slice(reply.bytes())?)
}

async fn end(lent: Lent) {
    let closed = ask(&lent.connection.root(), "Browser.close", json!({})).await;
    if closed.is_ok() {
        // The connection ends with the browser.
        let _gone = tokio::time::timeout(PATIENCE, lent.connection.closed()).await;
    }
}
