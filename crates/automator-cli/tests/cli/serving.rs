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
    serve_with(world, &[]).await
}

async fn serve_with(world: &World, arguments: &[&str]) -> (Child, Value) {
    let usual = ["serve", "--listen", "127.0.0.1:0", "--folder", "server", "--json"];
    let mut child = world
        .automator(&[&usual[..], arguments].concat())
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

async fn end_by(signal: &str, mut child: Child) -> i32 {
    let id = child.id().unwrap().to_string();
    let sent = tokio::process::Command::new("kill")
        .args([signal, &id])
        .status()
        .await;
    assert!(sent.unwrap().success());
    child.wait().await.unwrap().code().unwrap()
}

/// Ends a server, and gives its exit code with what it has written to standard error.
async fn ended(mut child: Child) -> (i32, String) {
    let mut errors = child.stderr.take().unwrap();
    let code = interrupt(child).await;
    let mut text = String::new();
    errors.read_to_string(&mut text).await.unwrap();
    (code, text)
}

async fn interrupt(child: Child) -> i32 {
    end_by("-INT", child).await
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
    let nowhere = world.run_beside(&["keys", "list", "--folder", "servr"]).await;
    assert_eq!(nowhere.code, 2, "{nowhere:?}");
    assert!(nowhere.stderr.contains("servr"), "{nowhere:?}");
    assert_eq!(made.stderr, "", "the server's own store");
    let misspelt = world.run_beside(&["keys", "create", "--folder", "servr"]).await;
    assert_eq!(misspelt.code, 0, "{misspelt:?}");
    assert!(misspelt.stdout.starts_with("amk_"), "{misspelt:?}");
    let words = "warning: no server has ever run in servr: a new store was made there";
    assert!(misspelt.stderr.starts_with(words), "{misspelt:?}");
    world.write("file", "");
    for command in ["list", "create"] {
        let no_folder = world.run_beside(&["keys", command, "--folder", "file"]).await;
        assert_eq!(no_folder.code, 2, "{no_folder:?}");
        let words = "error: file cannot be the server's folder: Not a directory";
        assert!(no_folder.stderr.starts_with(words), "{no_folder:?}");
    }
    assert_eq!(interrupt(server).await, 0);
}

#[tokio::test]
async fn a_terminated_server_ends_its_sessions_and_lets_the_next_one_begin() {
    let world = World::new();
    let (server, said) = serve(&world).await;
    let key = said["apiKey"].as_str().unwrap();
    let (status, session) = create(&said, key).await;
    assert_eq!(status, 200, "{session}");
    let folder = ["--folder", "server"];
    let second = world
        .run_beside(&[&["serve", "--listen", "127.0.0.1:0"][..], &folder].concat())
        .await;
    let process = server.id().unwrap().to_string();
    second.assert_failed(1, &["another server works in the folder", &process]);
    let address = said["url"].as_str().unwrap().trim_start_matches("http://");
    let same_port = world
        .run_beside(&["serve", "--listen", address, "--folder", "other"])
        .await;
    same_port.assert_failed(1, &["cannot listen on", address, "hint: --listen"]);
    assert_eq!(end_by("-TERM", server).await, 0);
    assert_eq!(world.processes(), Vec::<String>::new(), "no browser is left");

    let (server, said) = serve(&world).await;
    assert_eq!(said["apiKey"], Value::Null, "there is a key already");
    let (status, _) = create(&said, key).await;
    assert_eq!(status, 200, "the key is still good");
    assert_eq!(end_by("-TERM", server).await, 0);
    let log = std::fs::read_to_string(world.work().join("server/audit.jsonl")).unwrap();
    let count = |event: &str| log.matches(&format!("\"event\":\"{event}\"")).count();
    assert_eq!((count("server_started"), count("server_ended")), (2, 2), "{log}");
    assert_eq!((count("key_created"), count("session_ended")), (1, 2), "{log}");
    assert!(log.contains("\"cause\":\"server_ended\""), "{log}");
}

#[tokio::test]
async fn a_flag_comes_before_a_variable_and_a_variable_before_the_file() {
    let world = World::new()
        .set("AUTOMATOR_SERVE_SLOTS", "2")
        .set("AUTOMATOR_SERVE_QUEUE", "2")
        .set("AUTOMATOR_SERVE_EGRESS_ALLOW", "a.example,b.example:80");
    world.write(
        "serve.toml",
        "# where it is\nslots = 3\nqueue = 3\nregion = \"three\"\negress-allow = ['c.example']\nlisten = '0.0.0.0:1'\n\
         public-url = 'https://b.example'\n",
    );
    let print = [
        "serve",
        "--folder",
        "server",
        "--config",
        "serve.toml",
        "--print-config",
    ];
    let printed = world.run(&[&print[..], &["--slots", "1"]].concat()).await;
    let printed = printed.result();
    for line in [
        "slots = 1",
        "slots-per-key = 1",
        "queue = 2",
        "region = \"three\"",
        "egress-allow = [\"a.example\", \"b.example:80\"]",
        "grace = 30",
        "egress = \"public\"",
        "model-egress = \"public\"",
    ] {
        assert!(
            printed.lines().any(|found| found == line),
            "{line} is not in\n{printed}"
        );
    }
    assert!(!world.work().join("server").exists(), "nothing was started");
    world.write("again.toml", printed);
    let again = World::new();
    again.write("again.toml", printed);
    let again = again
        .run(&["serve", "--config", "again.toml", "--print-config"])
        .await;
    assert_eq!(again.result(), printed);
}

#[tokio::test]
async fn what_is_wrong_with_settings_is_named() {
    let world = World::new();
    world.write("wrong.toml", "slots = 3\nslot-per-key = 3\n");
    world.write("hosts", "ads.example\nnot a host\n");
    world.write(
        "user.toml",
        "slots = 3\npublic-url = 'http://ann:sekret@x.example'\n",
    );
    world.write("unlike.toml", "api-key = 'x'\n");
    for (arguments, words) in [
        (
            &["--config", "wrong.toml"][..],
            &["wrong.toml, line 2", "`slots-per-key`"][..],
        ),
        (&["--config", "none.toml"], &["none.toml", "cannot be read"]),
        (&["--block-list", "hosts"], &["hosts, line 2", "`not a host`"]),
        (&["--listen", "0.0.0.0:0"], &["--public-url"]),
        (
            &["--public-url", "ftp://x.example"],
            &["--public-url: ", "ftp://x.example"],
        ),
        (
            &["--public-url", "http://ann:sekret@x.example"],
            &[
                "--public-url: ",
                "`http://x.example/`",
                "a user and a password do not belong",
            ],
        ),
        (
            &["--config", "user.toml"],
            &["user.toml, line 2: public-url: ", "a user and a password"],
        ),
        (
            &["--config", "unlike.toml"],
            &["line 1: there is no setting `api-key`\n"],
        ),
        (&["--egress", "closed"], &["closed", "open"]),
        (&["--slots", "0"], &["--slots", "from 1 to 65535"]),
        (
            &["--slots", "x"],
            &["'x' for '--slots", "a whole number from 1 to 65535"],
        ),
        (
            &["--slots", "-1"],
            &["'-1' for '--slots", "a whole number from 1"],
        ),
        (
            &["--cache-size", "-1"],
            &["'-1' for '--cache-size", "a whole number"],
        ),
        (
            &["--requests-per-key", "1.5"],
            &["'1.5' for '--requests-per-key", "to 100000"],
        ),
        (&["--trusted-proxy", "proxy.example"], &["proxy.example"]),
        (&["--allow-origin", "desk.example"], &["desk.example"]),
        (
            &["--executable-path", "/nowhere/chromium"],
            &["/nowhere/chromium"],
        ),
        (&["--block-list", "/dev/zero"], &["/dev/zero", "16 MB"]),
    ] {
        let folder = ["serve", "--folder", "server"];
        for way in [&[][..], &["--print-config"]] {
            let refused = world.run(&[&folder[..], arguments, way].concat()).await;
            refused.assert_failed(2, words);
            assert!(!refused.stderr.contains("sekret"), "{refused:?}");
        }
    }
    let misspelt = World::new().set("AUTOMATOR_SERVE_EGRES", "public");
    let refused = misspelt.run(&["serve", "--folder", "server"]).await;
    refused.assert_failed(2, &["AUTOMATOR_SERVE_EGRES ", "AUTOMATOR_SERVE_EGRESS"]);
    let refused = world
        .run(&["keys", "create", "red \u{1b}[31m", "--folder", "server"])
        .await;
    refused.assert_failed(2, &["\\u{1b}[31m", "name of a key"]);
}

#[tokio::test]
async fn log_lines_can_be_json() {
    let world = World::new();
    let (server, said) = serve_with(&world, &["--log-format", "json", "-v"]).await;
    assert_eq!(create(&said, "amk_wrong").await.0, 401);
    let (code, errors) = ended(server).await;
    assert_eq!(code, 0);
    let lines: Vec<Value> = errors
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let is_refusal =
        |line: &Value| line["target"] == "audit" && line["message"].as_str().unwrap().contains("key_refused");
    assert!(lines.iter().any(is_refusal), "{errors}");
}

#[tokio::test]
async fn more_places_for_a_key_than_there_are_is_told() {
    let world = World::new();
    let usual = ["serve", "--folder", "server", "--print-config", "--slots-per-key"];
    let more = world.run(&[&usual[..], &["20"]].concat()).await;
    let words = "warning: --slots-per-key 20 has no effect: there are only 10 slots";
    assert_eq!(more.code, 0, "{more:?}");
    assert!(more.stderr.starts_with(words), "{more:?}");
    let all = world.run(&[&usual[..], &["10"]].concat()).await;
    assert_eq!((all.code, all.stderr.as_str()), (0, ""), "{all:?}");
}
