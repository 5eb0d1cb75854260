//! Files that clients upload, and files that browsers download.

use automator_server::token::{Purpose, Signer};
use automator_server::{Server, create_key};
use serde_json::{Value, json};

use crate::client::Client;
use crate::client::Folder;
use crate::setup::{self, Answer, Site, Tab, html, next, options, send, session, start, text};

/// What is downloaded: no text in UTF-8.
const REPORT: &[u8] = b"report \xff\x00\r\n\r\n of the day";

fn pages(path: &str) -> Answer {
    match path {
        "/report" => {
            let disposition = "attachment; filename=\"report 1.bin\"".to_owned();
            let kind = "application/octet-stream".to_owned();
            let headers = vec![("content-disposition", disposition), ("content-type", kind)];
            (200, headers, REPORT.to_vec())
        }
        _ => html("<input type=file multiple><a href='/report'>report</a>"),
    }
}

async fn post_file(client: &Client, path: &str, kind: &str, body: &[u8]) -> (u16, Value) {
    let headers = [("content-type", kind)];
    let (status, _, body) = client.send_bytes("POST", path, &headers, body).await;
    (status, serde_json::from_slice(&body).unwrap_or_default())
}

async fn token(server: &Server, id: &str, purpose: Purpose) -> String {
    let secret = server.store().secret("addresses 1").await.expect("a secret");
    let expiry = server.store().now().await.expect("a time") / 1000 + 60;
    Signer::new(1, &secret).sign(id, purpose, expiry)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn uploads_are_given_to_file_inputs_by_their_names() {
    let folder = Folder::new();
    let site = Site::start(pages).await;
    let (server, client) = start(options(folder.path())).await;
    let (created, browser) = session(&client, &json!({})).await;
    let path = format!("/v1/sessions/{}/uploads", text(&created, "id"));
    let form = "--x\r\ncontent-disposition: form-data; name=\"other\"\r\n\r\nno\r\n--x\r\n\
        content-disposition: form-data; name=\"file\"; filename=\"../letter.txt\"\r\ncontent-type: text/plain\r\n\r\n\
        dear form\r\n--x--\r\n";
    let (status, first) = post_file(&client, &path, "multipart/form-data; boundary=x", form.as_bytes()).await;
    assert_eq!((status, text(&first, "name")), (200, "letter.txt"), "{first}");
    let part = "--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\na\r\n";
    for (kind, form, words) in [
        (
            "multipart/form-data; boundary=x",
            format!("{part}{part}--x--\r\n"),
            "`file` twice",
        ),
        (
            "multipart/form-data; boundary=x",
            part.to_owned(),
            "did not come in whole",
        ),
        (
            "multipart/form-data; boundary=x",
            "--x--\r\n".to_owned(),
            "no member `file`",
        ),
        ("multipart/form-data", part.to_owned(), "no `boundary`"),
    ] {
        let (status, refused) = post_file(&client, &path, kind, form.as_bytes()).await;
        assert_eq!(status, 400, "{form}: {refused}");
        assert!(text(&refused, "message").contains(words), "{form}: {refused}");
    }
    let named = format!("{path}?name=letter.txt");
    let (status, second) = post_file(&client, &named, "text/plain", b"dear body").await;
    assert_eq!(
        (status, text(&second, "name")),
        (200, "letter (2).txt"),
        "{second}"
    );
    let (_, list) = client.get(&path).await;
    assert_eq!(list.as_array().map(Vec::len), Some(2), "{list}");
    assert_eq!((&list[0]["size"], &list[1]["size"]), (&json!(9), &json!(9)));

    let tab = Tab::open(&browser).await;
    tab.go(&site.at("127.0.0.1", "/")).await.expect("there");
    let root = tab.send("DOM.getDocument", json!({})).await.expect("a document");
    let asked = json!({ "nodeId": root["root"]["nodeId"], "selector": "input" });
    let input = tab.send("DOM.querySelector", asked).await.expect("the input")["nodeId"].clone();
    let set = json!({ "files": ["letter.txt", "letter (2).txt"], "nodeId": input });
    tab.send("DOM.setFileInputFiles", set).await.expect("set");
    let read = "Promise.all([...document.querySelector('input').files].map((file) => file.text()))";
    assert_eq!(tab.evaluate(read).await, json!(["dear form", "dear body"]));
    for foreign in ["/etc/passwd", "../browser.json", "other.txt"] {
        let set = json!({ "files": [foreign], "nodeId": input });
        let refused = tab.send("DOM.setFileInputFiles", set).await.expect_err("refused");
        assert!(refused.to_string().contains("uploads"), "{refused}");
    }
    setup::release(&client, &created).await;
    assert_eq!(client.get(&path).await.0, 410);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrong_uploads_are_refused_and_files_are_seen_by_their_owner_alone() {
    let folder = Folder::new();
    let (server, client) = start(options(folder.path())).await;
    let (_, created) = client.post("/v1/sessions", &json!({})).await;
    let (_, another) = client.post("/v1/sessions", &json!({})).await;
    let id = text(&created, "id");
    let path = format!("/v1/sessions/{id}/uploads");
    let (status, refused) = post_file(&client, &path, "text/plain", b"x").await;
    assert_eq!(status, 400);
    assert!(text(&refused, "message").starts_with("name: "), "{refused}");
    let empty = post_file(&client, &path, "multipart/form-data; boundary=x", b"--x--\r\n").await;
    assert_eq!(empty.0, 400, "{empty:?}");
    let long = [("content-length", "62914560"), ("content-type", "text/plain")];
    let (status, _, body) = client
        .send_bytes("POST", &format!("{path}?name=a"), &long, b"")
        .await;
    assert_eq!(status, 413, "{}", String::from_utf8_lossy(&body));

    let stranger = create_key(server.store().as_ref(), "stranger")
        .await
        .expect("a key");
    let stranger = Client::new(server.address(), stranger.reveal());
    let nobody = Client::new(server.address(), "");
    for (who, expected) in [(&stranger, 404), (&nobody, 401)] {
        for path in [path.clone(), format!("/v1/sessions/{id}/downloads")] {
            assert_eq!(who.get(&path).await.0, expected, "{path}");
        }
        let posted = post_file(who, &format!("{path}?name=a"), "text/plain", b"x").await;
        assert_eq!(posted.0, expected);
    }
    let files = token(&server, id, Purpose::Files).await;
    let (status, taken) = post_file(
        &nobody,
        &format!("{path}?name=a&token={files}"),
        "text/plain",
        b"x",
    )
    .await;
    assert_eq!((status, text(&taken, "name")), (200, "a"));
    assert_eq!(
        nobody.get(&format!("{path}?token={files}")).await.1[0]["name"],
        "a"
    );
    let view = token(&server, id, Purpose::View).await;
    assert_eq!(nobody.get(&format!("{path}?token={view}")).await.0, 404);
    let other = format!("/v1/sessions/{}/uploads?token={files}", text(&another, "id"));
    assert_eq!(nobody.get(&other).await.0, 404);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn downloads_are_fetched_one_by_one_or_as_a_zip_file_also_after_the_end() {
    let folder = Folder::new();
    let site = Site::start(pages).await;
    let (server, client) = start(options(folder.path())).await;
    let (created, browser) = session(&client, &json!({})).await;
    let path = format!("/v1/sessions/{}/downloads", text(&created, "id"));
    let elsewhere = folder.path().join("elsewhere");
    let behavior = json!({ "behavior": "allow", "downloadPath": elsewhere, "eventsEnabled": true });
    send(&browser.root(), "Browser.setDownloadBehavior", behavior)
        .await
        .expect("allowed");
    let tab = Tab::open(&browser).await;
    tab.go(&site.at("127.0.0.1", "/")).await.expect("there");
    let mut progress = browser.root().subscribe(["Browser.downloadProgress"]);
    tab.evaluate("document.querySelector('a').click()").await;
    while next(&mut progress).await["state"] != "completed" {}
    assert!(!elsewhere.exists(), "downloads go to the session's own folder");

    let json = [("accept", "application/json")];
    let (status, list) = client.get_with(&path, &json).await;
    assert_eq!(
        (status, &list[0]["name"]),
        (200, &json!("report 1.bin")),
        "{list}"
    );
    let one = format!("{path}/report%201.bin");
    let (status, head, body) = client.send_bytes("GET", &one, &[], b"").await;
    assert_eq!((status, body.as_slice()), (200, REPORT));
    assert!(head.contains("filename*=UTF-8''report%201.bin"), "{head}");
    for wrong in ["..%2Fbrowser.json", "none", "%2Fetc%2Fpasswd"] {
        assert_eq!(client.get(&format!("{path}/{wrong}")).await.0, 404, "{wrong}");
    }
    setup::release(&client, &created).await;
    let (status, _, zip) = client.send_bytes("GET", &path, &[], b"").await;
    assert_eq!(status, 200);
    assert_eq!(unzipped(&zip), [("report 1.bin".to_owned(), REPORT.to_vec())]);
    assert_eq!(client.send_bytes("DELETE", &one, &[], b"").await.0, 204);
    assert_eq!(client.send_bytes("DELETE", &one, &[], b"").await.0, 404);
    assert_eq!(client.get_with(&path, &json).await, (200, json!([])));
    server.stop().await;
}

/// The files in a zip file, as Python reads it, which checks what belongs together.
fn unzipped(zip: &[u8]) -> Vec<(String, Vec<u8>)> {
    const READ: &str = include_str!("unzip.py");
    let folder = Folder::new();
    let file = folder.path().join("files.zip");
    std::fs::write(&file, zip).expect("written");
    let python = std::process::Command::new("python3")
        .args(["-c", READ])
        .arg(&file)
        .output()
        .expect("Python");
    let problem = String::from_utf8_lossy(&python.stderr);
    assert!(python.status.success(), "{problem}");
    let files: Vec<(String, Vec<u8>)> = serde_json::from_slice(&python.stdout).expect("JSON");
    files
}
