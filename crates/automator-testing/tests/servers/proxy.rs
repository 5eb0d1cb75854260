use automator_testing::{ProxyServer, Route, Site};

use crate::client::{Reply, exchange, request};

/// `user:secret` in Base64.
const RIGHT: &str = "Proxy-Authorization: Basic dXNlcjpzZWNyZXQ=\r\n";

async fn site_and_proxy() -> (Site, ProxyServer) {
    let site = Site::start().await;
    site.handler("/page", |hit| {
        Route::text(format!("{} {} {}", hit.method, hit.query, hit.text()))
    });
    let proxy = ProxyServer::start("user", "secret").await;
    proxy.map_host("shop.test", site.port());
    (site, proxy)
}

async fn ask(proxy: &ProxyServer, address: &str, headers: &str) -> Reply {
    request(proxy.port(), "POST", address, headers, "body")
        .await
        .unwrap()
}

#[tokio::test]
async fn a_request_without_credentials_is_asked_for_them() {
    let (site, proxy) = site_and_proxy().await;
    // The connection stays open after a refusal, so the second request ends it.
    let text = exchange(
        proxy.port(),
        &format!(
            "GET http://shop.test/page HTTP/1.1\r\n\r\nGET http://shop.test/page?again HTTP/1.1\r\n{RIGHT}\r\n"
        ),
    )
    .await
    .unwrap();
    assert!(
        text.starts_with("HTTP/1.1 407 ") && text.contains("proxy-authenticate: Basic realm="),
        "{text}"
    );
    assert!(text.ends_with("GET again "), "{text}");
    assert_eq!(
        (proxy.refused().len(), proxy.accepted().len(), site.hits().len()),
        (1, 1, 1)
    );
}

#[tokio::test]
async fn a_request_with_credentials_reaches_the_site_without_them() {
    let (site, proxy) = site_and_proxy().await;
    let reply = ask(&proxy, "http://shop.test/page?x=1", RIGHT).await;
    assert_eq!((reply.status, reply.body.as_str()), (200, "POST x=1 body"));
    assert_eq!(proxy.accepted()[0].path, "http://shop.test/page");
    assert_eq!(site.hits()[0].header("proxy-authorization"), None);
}

#[tokio::test]
async fn a_tunnel_carries_bytes_both_ways() {
    let (site, proxy) = site_and_proxy().await;
    let text = exchange(
        proxy.port(),
        &format!(
            "CONNECT 127.0.0.1:{} HTTP/1.1\r\n{RIGHT}\r\nGET /page?inside HTTP/1.1\r\nConnection: close\r\n\r\n",
            site.port()
        ),
    )
    .await
    .unwrap();
    assert!(
        text.starts_with("HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 200 OK"),
        "{text}"
    );
    assert!(text.ends_with("GET inside "), "{text}");
}

#[tokio::test]
async fn other_computers_are_never_reached() {
    let proxy = ProxyServer::start_open().await;
    let text = exchange(
        proxy.port(),
        "CONNECT other.test:443 HTTP/1.1\r\n\r\nnonsense\r\n\r\n",
    )
    .await
    .unwrap();
    assert!(text.starts_with("HTTP/1.1 502 "), "{text}");
}
