use std::time::{Duration, Instant};

use automator_testing::{Ending, Route, Site};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::client::{exchange, get, request};

#[tokio::test]
async fn a_page_is_served_under_both_names() {
    let site = Site::start().await;
    let page = site.put("<p>hello</p>");
    assert_eq!(page.url, format!("http://127.0.0.1:{}{}", site.port(), page.path));
    assert_eq!(
        page.cross_url,
        format!("http://localhost:{}{}", site.port(), page.path)
    );
    for host in ["127.0.0.1", "localhost"] {
        let mut stream = TcpStream::connect((host, site.port())).await.unwrap();
        stream
            .write_all(format!("GET {} HTTP/1.0\r\nConnection: close\r\n\r\n", page.path).as_bytes())
            .await
            .unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).await.unwrap();
        assert!(
            text.contains("content-type: text/html; charset=utf-8") && text.contains("<p>hello</p>"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn each_page_has_its_own_path() {
    let site = Site::start().await;
    assert_ne!(site.put("a").path, site.put("b").path);
}

#[tokio::test]
async fn unknown_paths_are_not_found_unless_there_is_a_fallback() {
    let site = Site::start().await;
    assert_eq!(get(site.port(), "/nothing").await.unwrap().status, 404);
    site.fallback(|hit| Route::text(format!("fallback for {}", hit.path)));
    assert_eq!(
        get(site.port(), "/nothing").await.unwrap().body,
        "fallback for /nothing"
    );
}

#[tokio::test]
async fn hits_hold_the_whole_request() {
    let site = Site::start().await;
    site.route("/form", Route::status(204));
    request(site.port(), "POST", "/form?x=1", "X-Mark: yes\r\n", "a=b")
        .await
        .unwrap();
    let hits = site.hits();
    assert_eq!(hits.len(), 1);
    assert_eq!(
        (
            hits[0].method.as_str(),
            hits[0].path.as_str(),
            hits[0].query.as_str(),
            hits[0].header("x-mark")
        ),
        ("POST", "/form", "x=1", Some("yes"))
    );
    assert_eq!(hits[0].form_value("a").as_deref(), Some("b"));
    assert!(site.hits_of("/other").is_empty());
}

#[tokio::test]
async fn several_requests_share_one_connection() {
    let site = Site::start().await;
    site.handler("/n", |hit| Route::text(hit.query.clone()));
    let text = exchange(
        site.port(),
        "GET /n?one HTTP/1.1\r\n\r\nGET /n?two HTTP/1.1\r\n\r\nGET /n?three HTTP/1.1\r\nConnection: close\r\n\r\n",
    )
    .await
    .unwrap();
    assert_eq!(text.matches("HTTP/1.1 200 OK").count(), 3);
    assert!(text.ends_with("three"), "{text}");
}

#[tokio::test]
async fn the_answer_to_head_has_no_body() {
    let site = Site::start().await;
    site.route("/text", Route::text("abc"));
    let reply = request(site.port(), "HEAD", "/text", "", "").await.unwrap();
    assert_eq!(
        (reply.header("content-length"), reply.body.as_str()),
        (Some("3"), "")
    );
}

#[tokio::test]
async fn a_redirect_names_its_target_and_a_download_its_file() {
    let site = Site::start().await;
    site.route("/from", Route::redirect("/to").set_cookie("seen=1; Path=/"));
    site.route("/file", Route::download("a.csv", "1,2"));
    let redirect = get(site.port(), "/from").await.unwrap();
    assert_eq!((redirect.status, redirect.header("location")), (302, Some("/to")));
    assert_eq!(redirect.header("set-cookie"), Some("seen=1; Path=/"));
    let download = get(site.port(), "/file").await.unwrap();
    assert_eq!(
        download.header("content-disposition"),
        Some("attachment; filename=\"a.csv\"")
    );
    assert_eq!(download.body, "1,2");
}

#[tokio::test]
async fn delays_hold_back_the_head_and_the_body() {
    let delay = Duration::from_millis(60);
    let site = Site::start().await;
    site.route("/slow", Route::text("abcd").delay(delay).body_delay(delay));
    let mut stream = TcpStream::connect(("127.0.0.1", site.port())).await.unwrap();
    let start = Instant::now();
    stream
        .write_all(b"GET /slow HTTP/1.1\r\nConnection: close\r\n\r\n")
        .await
        .unwrap();
    let mut first = [0; 8];
    stream.read_exact(&mut first).await.unwrap();
    assert!(start.elapsed() >= delay);
    let mut rest = String::new();
    stream.read_to_string(&mut rest).await.unwrap();
    assert!(start.elapsed() >= 2 * delay);
    assert!(rest.ends_with("abcd"));
}

#[tokio::test]
async fn a_request_that_is_never_answered_is_logged_and_counted_when_given_up() {
    let site = Site::start().await;
    site.route("/never", Route::never());
    let asked = timeout(Duration::from_millis(100), get(site.port(), "/never"));
    let (asked, hit) = tokio::join!(asked, site.wait_for_hit("/never"));
    assert!(asked.is_err(), "no answer came");
    assert_eq!(hit.path, "/never");
    timeout(Duration::from_secs(10), site.wait_for_abandoned(1))
        .await
        .unwrap();
}

#[tokio::test]
async fn a_stalled_body_stops_in_the_middle() {
    let site = Site::start().await;
    site.route("/stalled", Route::text("abcd").ending(Ending::Stalled));
    let mut stream = TcpStream::connect(("127.0.0.1", site.port())).await.unwrap();
    stream.write_all(b"GET /stalled HTTP/1.1\r\n\r\n").await.unwrap();
    let mut text = Vec::new();
    let read_all = timeout(Duration::from_millis(100), stream.read_to_end(&mut text));
    assert!(read_all.await.is_err(), "the connection stays open");
    assert!(text.ends_with(b"\r\n\r\nab"));
}

#[tokio::test]
async fn a_reset_is_no_orderly_end() {
    let site = Site::start().await;
    site.route("/reset", Route::reset());
    let error = get(site.port(), "/reset").await.err().unwrap();
    assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset);
}

#[tokio::test]
async fn a_broken_request_is_refused() {
    let site = Site::start().await;
    let text = exchange(site.port(), "nonsense\r\n\r\n").await.unwrap();
    assert!(text.starts_with("HTTP/1.1 400 "), "{text}");
    assert!(site.hits().is_empty());
}

#[tokio::test]
async fn a_handler_may_add_routes() {
    let site = std::sync::Arc::new(Site::start().await);
    let weak = std::sync::Arc::downgrade(&site);
    site.handler("/add", move |_| {
        if let Some(site) = weak.upgrade() {
            site.route("/added", Route::text("new"));
        }
        Route::status(204)
    });
    get(site.port(), "/add").await.unwrap();
    assert_eq!(get(site.port(), "/added").await.unwrap().body, "new");
}

#[tokio::test]
async fn dropping_a_site_closes_its_port_and_its_connections() {
    let site = Site::start().await;
    let port = site.port();
    site.route("/never", Route::never());
    let waiting = tokio::spawn(async move { get(port, "/never").await });
    site.wait_for_hit("/never").await;
    drop(site);
    assert!(
        timeout(Duration::from_secs(10), waiting)
            .await
            .unwrap()
            .unwrap()
            .is_err()
    );
    assert!(get(port, "/never").await.is_err());
}
