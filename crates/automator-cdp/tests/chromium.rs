//! Both transports against a real Chromium: `CHROME_PATH`, or `chromium` on the search path.

use std::ffi::OsString;
use std::process::Stdio;
use std::time::Duration;

use automator_cdp::protocol::browser::{Close, GetVersion};
use automator_cdp::protocol::runtime::Evaluate;
use automator_cdp::protocol::target::{AttachToTarget, CreateTarget, TargetDestroyedEvent};
use automator_cdp::{
    CdpError, Connection, Filter, PipeTransport, Session, WebSocketOptions, WebSocketTransport,
};
use automator_testing::ProfileFolder;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

const LIMIT: Duration = Duration::from_secs(60);

/// A browser with a profile of its own; both go with the value.
struct Chromium {
    child: Child,
    _profile: ProfileFolder,
}

impl Chromium {
    /// Starts it with the standard streams of the given command.
    fn start(mut command: Command, transport: &str) -> Self {
        let profile = ProfileFolder::new();
        command
            .args([
                "--headless",
                "--no-sandbox",
                "--no-first-run",
                "--disable-dev-shm-usage",
            ])
            .args([
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            // Its own temporary files go with the profile, also when it is killed.
            .env("TMPDIR", profile.path())
            .args([transport, "about:blank"])
            .kill_on_drop(true);
        Self {
            child: command.spawn().unwrap(),
            _profile: profile,
        }
    }

    async fn wait_for_exit(mut self) {
        tokio::time::timeout(LIMIT, self.child.wait())
            .await
            .unwrap()
            .unwrap();
    }
}

fn executable() -> OsString {
    std::env::var_os("CHROME_PATH").unwrap_or_else(|| "chromium".into())
}

/// The shell moves its standard streams to the descriptors 3 and 4, where Chromium looks for its pipe.
fn over_pipe() -> (Chromium, Connection) {
    let (browser_reads, we_write) = std::io::pipe().unwrap();
    let (we_read, browser_writes) = std::io::pipe().unwrap();
    let mut command = Command::new("/bin/sh");
    command
        .args(["-c", r#"exec "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1"#, "sh"])
        .arg(executable())
        .stdin(browser_reads)
        .stdout(browser_writes);
    let chromium = Chromium::start(command, "--remote-debugging-pipe");
    let reader = tokio::net::unix::pipe::Receiver::from_owned_fd(we_read.into()).unwrap();
    let writer = tokio::net::unix::pipe::Sender::from_owned_fd(we_write.into()).unwrap();
    (chromium, Connection::new(PipeTransport::new(reader, writer)))
}

async fn over_web_socket() -> (Chromium, Connection) {
    let mut command = Command::new(executable());
    command.stderr(Stdio::piped()).stdout(Stdio::null());
    let mut chromium = Chromium::start(command, "--remote-debugging-port=0");
    let mut lines = BufReader::new(chromium.child.stderr.take().unwrap()).lines();
    let url = loop {
        let line = lines
            .next_line()
            .await
            .unwrap()
            .expect("the browser names its address");
        if let Some(url) = line.strip_prefix("DevTools listening on ") {
            break url.to_owned();
        }
    };
    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    let options = WebSocketOptions {
        connect_timeout: Some(LIMIT),
        ..WebSocketOptions::default()
    };
    let transport = WebSocketTransport::connect(&url, &options).await.unwrap();
    (chromium, Connection::new(transport))
}

async fn new_page(connection: &Connection) -> (Session, String) {
    let root = connection.root();
    let create = CreateTarget {
        url: "about:blank".to_owned(),
        ..CreateTarget::default()
    };
    let target_id = root.send(&create).await.unwrap().target_id;
    let attach = AttachToTarget {
        target_id: target_id.clone(),
        flatten: Some(true),
    };
    (
        connection.session(&root.send(&attach).await.unwrap().session_id),
        target_id,
    )
}

async fn evaluate(session: &Session, expression: &str) -> Result<serde_json::Value, CdpError> {
    let command = Evaluate {
        expression: expression.to_owned(),
        return_by_value: Some(true),
        await_promise: Some(true),
        ..Evaluate::default()
    };
    Ok(session.send(&command).await?.result.value.unwrap_or_default())
}

async fn speaks_with_the_browser_and_its_pages(chromium: Chromium, connection: Connection) {
    let work = async {
        let version = connection.root().send(&GetVersion {}).await.unwrap();
        assert!(version.product.contains("Chrome"), "{}", version.product);

        let (page, _) = new_page(&connection).await;
        assert_eq!(evaluate(&page, "6 * 7").await.unwrap(), 42);
        assert_eq!(evaluate(&page, r"'a\ud800b'").await.unwrap(), "a\u{fffd}b");
        let unknown = connection.root().send_raw("No.such", serde_json::json!({})).await;
        assert!(matches!(unknown, Err(CdpError::Protocol { code: -32601, .. })));
        let refused = connection.session("no such session").send(&GetVersion {}).await;
        assert!(matches!(refused, Err(CdpError::SessionDetached { .. })));

        let big = evaluate(&page, "'x'.repeat(50 * 1024 * 1024)").await.unwrap();
        assert_eq!(big.as_str().map(str::len), Some(50 * 1024 * 1024));

        closing_a_page_ends_its_pending_calls(&connection).await;

        drop(connection.root().send(&Close {}));
        connection.closed().await;
        assert!(matches!(evaluate(&page, "1").await, Err(CdpError::Closed { .. })));
        chromium.wait_for_exit().await;
    };
    tokio::time::timeout(LIMIT, work).await.unwrap();
}

async fn closing_a_page_ends_its_pending_calls(connection: &Connection) {
    let (page, target_id) = new_page(connection).await;
    let discover = automator_cdp::protocol::target::SetDiscoverTargets {
        discover: true,
        filter: None,
    };
    let mut destroyed = connection.subscribe(Filter::all().methods(["Target.targetDestroyed"]));
    connection.root().send(&discover).await.unwrap();
    let never = page.send(&Evaluate {
        expression: "new Promise(() => {})".to_owned(),
        await_promise: Some(true),
        ..Evaluate::default()
    });
    let close = automator_cdp::protocol::target::CloseTarget {
        target_id: target_id.clone(),
    };
    connection.root().send(&close).await.unwrap();
    assert!(never.await.is_err());
    let event: TargetDestroyedEvent = destroyed.next().await.unwrap().parse().unwrap();
    assert_eq!(event.target_id, target_id);
}

#[tokio::test]
async fn pipe_speaks_with_chromium() {
    let (chromium, connection) = over_pipe();
    speaks_with_the_browser_and_its_pages(chromium, connection).await;
}

#[tokio::test]
async fn web_socket_speaks_with_chromium() {
    let (chromium, connection) = over_web_socket().await;
    speaks_with_the_browser_and_its_pages(chromium, connection).await;
}

#[tokio::test]
async fn browser_leaves_when_its_pipe_closes() {
    let (chromium, connection) = over_pipe();
    connection.root().send(&GetVersion {}).await.unwrap();
    drop(connection);
    chromium.wait_for_exit().await;
}
