//! `--cdp-url`: a browser that is not ours to end.

use std::process::Stdio;
use std::time::Duration;

use automator_testing::Site;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::process::Child;

use crate::command::World;

/// A browser that a user has running, at a page.
struct RunningBrowser {
    process: Child,
    address: String,
}

impl RunningBrowser {
    async fn start(world: &World, page: &str) -> Self {
        let mut process = world
            .program("chromium")
            // Its own temporary files go with the rest, also when it is killed.
            .env("TMPDIR", world.work())
            .args([
                "--headless",
                "--no-sandbox",
                "--remote-debugging-port=0",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                &format!("--user-data-dir={}", world.work().join("profile").display()),
                page,
            ])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let address = loop {
            let line = lines
                .next_line()
                .await
                .unwrap()
                .expect("the browser says its address");
            if let Some(address) = line.strip_prefix("DevTools listening on ") {
                break address.to_owned();
            }
        };
        Self { process, address }
    }

    fn host(&self) -> &str {
        self.address
            .trim_start_matches("ws://")
            .split('/')
            .next()
            .unwrap()
    }

    /// The addresses of its pages.
    async fn pages(&self) -> Vec<String> {
        self.list("url").await
    }

    /// The titles of its pages.
    async fn titles(&self) -> Vec<String> {
        self.list("title").await
    }

    /// One member of each entry in the browser's own list of pages.
    async fn list(&self, member: &str) -> Vec<String> {
        let mut stream = TcpStream::connect(self.host()).await.unwrap();
        let request = format!(
            "GET /json/list HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
            self.host()
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut head = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            head.read_line(&mut line).await.unwrap();
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            if line.trim().is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        head.read_exact(&mut body).await.unwrap();
        let list: serde_json::Value = serde_json::from_slice(&body).unwrap();
        let pages = list
            .as_array()
            .unwrap()
            .iter()
            .filter(|target| target["type"] == "page");
        pages
            .map(|target| target[member].as_str().unwrap().to_owned())
            .collect()
    }
}

#[tokio::test]
async fn a_running_browser_is_used_and_left_as_it_was() {
    let site = Site::start().await;
    let own = site.put("<p>What the user reads</p>");
    let wanted = site.put("<p>What the command reads</p>");
    let missing = site.put("<p>Nothing to see</p>");
    let home = World::new();
    let mut browser = RunningBrowser::start(&home, &own.url).await;
    // Its port is open before its first page has loaded, and the list names pages before they have.
    while browser.titles().await != ["fixture"] {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let by_port = format!("http://{}", browser.host());
    for address in [browser.address.clone(), by_port] {
        let outcome = World::new()
            .run(&["snapshot", &wanted.url, "--cdp-url", &address])
            .await;
        assert!(outcome.result().contains("What the command reads"), "{outcome:?}");
        let outcome = World::new()
            .run(&[
                "snapshot",
                &missing.url,
                "--selector",
                "h1",
                "--cdp-url",
                &address,
            ])
            .await;
        outcome.assert_failed(1, &["h1"]);
        assert_eq!(browser.pages().await, [own.url.as_str()]);
    }
    browser.process.kill().await.unwrap();
    home.wait_until_no_process_is_left().await;
}
