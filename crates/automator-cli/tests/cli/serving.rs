//! `automator serve` and `automator keys`.

use std::net::SocketAddr;
use std::process::Stdio;

use automator_testing::Site;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::process::Child;

use crate::command::World;

/// Starts a server in a folder of the world, and gives it with what it says first.
async fn serve(world: &World) -> (Child, Value) {
    let arguments = ["serve", "--listen", "127.0.0.1:0", "--folder", "server", "--json"];
    let mut child = world
        .automator(&arguments)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let line = lines.next_line().await.unwrap().unwrap();
    (child, serde_json::from_str(&line).unwrap())
}

/// Creates a session with a key, and gives the status with the answer.
async fn create(server: &Value, key: &str) -> (u16, Value) {
    let url = server["url"].as_str().unwrap();
    let address: SocketAddr = url.trim_start_matches("http://").parse().unwrap();
    let request = format!(
        "POST /v1/sessions HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {key}\r\n\
         content-length: 0\r\nconnection: close\r\n\r\n"
    );
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, serde_json::from_str(body).unwrap())
}

async fn interrupt(mut child: Child) -> i32 {
    let id = child.id().unwrap().to_string();
    let sent = tokio::process::Command::new("kill")
        .args(["-INT", &id])
        .status()
        .await;
    assert!(sent.unwrap().success());
    child.wait().await.unwrap().code().unwrap()
}

#[tokio::test]
async fn one_command_serves_a_browser_that_another_one_uses() {
    let site = Site::start().await;
    let page = site.put("<title>Lamps</title><h1>Desk lamps</h1>");
    let world = World::new();
    let (server, said) = serve(&world).await;
    let key = said["apiKey"].as_str().unwrap();
    let (status, session) = create(&said, key).await;
    assert_eq!(
        (status, session["status"].as_str()),
        (200, Some("RUNNING")),
        "{session}"
    );
    let address = session["connectUrl"].as_str().unwrap();
    let read = world
        .run_beside(&["snapshot", "-q", "--cdp-url", address, &page.url])
        .await;
    assert_eq!(read.code, 0, "{read:?}");
    assert!(read.stdout.contains("Desk lamps"), "{read:?}");
    assert_eq!(interrupt(server).await, 0);
    assert_eq!(world.processes(), Vec::<String>::new(), "no browser is left");
}

#[tokio::test]
async fn keys_are_made_listed_and_revoked_while_the_server_runs() {
    let world = World::new();
    let (server, said) = serve(&world).await;
    let folder = ["--folder", "server"];
    let made = world
        .run_beside(&[&["keys", "create", "nightly"][..], &folder].concat())
        .await;
    let key = made.stdout.trim().to_owned();
    let public = key.split('_').nth(1).unwrap().to_owned();
    let listed = world.run_beside(&[&["keys", "list"][..], &folder].concat()).await;
    assert!(
        listed.stdout.contains(&format!("{public}\tnightly\tvalid")),
        "{listed:?}"
    );
    assert!(!listed.stdout.contains(&key));
    let revoked = world
        .run_beside(&[&["keys", "revoke", &public][..], &folder].concat())
        .await;
    assert_eq!(revoked.code, 0, "{revoked:?}");
    assert_eq!(create(&said, &key).await.0, 401);
    let unknown = world
        .run_beside(&[&["keys", "revoke", "nobody22"][..], &folder].concat())
        .await;
    assert_eq!(unknown.code, 2, "{unknown:?}");
    assert!(unknown.stderr.contains("nobody22"), "{unknown:?}");
    assert_eq!(interrupt(server).await, 0);
}
