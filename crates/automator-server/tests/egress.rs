//! The egress proxy, over real sockets of this machine.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use automator_server::egress::policy::{EgressMode, EgressPolicy};
use automator_server::egress::proxy::{EgressOptions, EgressProxy};
use automator_server::egress::resolver::{Resolver, ResolverFuture};
use automator_server::egress::upstream::{ProxySettings, UpstreamProxy};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;

const HOME: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const SECOND: Duration = Duration::from_secs(1);

// Requests through the proxy.

#[tokio::test]
async fn a_request_reaches_the_server_without_what_was_for_the_proxy() {
    let server = Server::start(|_| ok("hello")).await;
    let proxy = Proxy::open(&["a.test"]).await;
    let mut client = proxy.connect().await;
    client
        .send(&format!(
            "GET http://a.test:{0}/path?x=1 HTTP/1.1\r\nUser-Agent: me\r\nHost: a.test:{0}\r\n\
             Proxy-Connection: keep-alive\r\nConnection: X-Own\r\nX-Own: 1\r\nProxy-Authorization: Basic x\r\n\
             X-CamelCase: 1\r\n\r\n",
            server.port
        ))
        .await;
    let answer = client.answer().await;
    assert_eq!((answer.status, answer.text()), (200, "hello"));
    assert_eq!(
        server.messages()[0].head,
        format!(
            "GET /path?x=1 HTTP/1.1\r\nUser-Agent: me\r\nHost: a.test:{}\r\nX-CamelCase: 1\r\n",
            server.port
        )
    );
}

#[tokio::test]
async fn one_connection_serves_several_hosts_and_keeps_the_last_server() {
    let first = Server::start(|_| ok("first")).await;
    let second = Server::start(|_| ok("second")).await;
    let proxy = Proxy::open(&["a.test", "b.test"]).await;
    let mut client = proxy.connect().await;
    for (host, server, text) in [
        ("a.test", &first, "first"),
        ("a.test", &first, "first"),
        ("b.test", &second, "second"),
        ("a.test", &first, "first"),
    ] {
        client.get(host, server.port, "/").await;
        assert_eq!(client.answer().await.text(), text);
    }
    assert_eq!((first.connections(), second.connections()), (2, 1));
    assert_eq!(proxy.names.asked("a.test"), 2);
}

#[tokio::test]
async fn a_server_that_closed_a_kept_connection_is_dialled_again() {
    let server = Server::start(|message| {
        let mut answer = ok("hello");
        if message.head.contains("/last") {
            answer.hang_up = true;
        }
        answer
    })
    .await;
    let proxy = Proxy::open(&["a.test"]).await;
    let mut client = proxy.connect().await;
    client.get("a.test", server.port, "/last").await;
    assert_eq!(client.answer().await.text(), "hello");
    server.wait_for_hang_up().await;
    client.get("a.test", server.port, "/next").await;
    assert_eq!(client.answer().await.text(), "hello");
    assert_eq!(server.connections(), 2);
}

#[tokio::test]
async fn a_server_that_breaks_off_is_a_bad_gateway_or_a_body_that_breaks_off() {
    let server = Server::start(|message| Answer {
        bytes: if message.head.contains("/half") {
            b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf".to_vec()
        } else {
            Vec::new()
        },
        hang_up: true,
    })
    .await;
    let proxy = Proxy::open(&["a.test"]).await;
    let mut client = proxy.connect().await;
    client.get("a.test", server.port, "/nothing").await;
    assert_eq!(client.answer().await.status, 502);
    client.get("a.test", server.port, "/half").await;
    assert!(client.try_answer(false).await.is_err());
}

#[tokio::test]
async fn chunked_bodies_pass_both_ways() {
    let server = Server::start(|message| {
        let mut bytes = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
        for chunk in [message.body.as_slice(), b" and back"] {
            bytes.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
            bytes.extend_from_slice(chunk);
            bytes.extend_from_slice(b"\r\n");
        }
        bytes.extend_from_slice(b"0\r\n\r\n");
        Answer::from(bytes)
    })
    .await;
    let proxy = Proxy::open(&["a.test"]).await;
    let mut client = proxy.connect().await;
    for method in ["POST", "GET"] {
        client
            .send(&format!(
                "{method} http://a.test:{0}/ HTTP/1.1\r\nHost: a.test:{0}\r\nTransfer-Encoding: chunked\r\n\r\n\
                 5\r\nthere\r\n0\r\n\r\n",
                server.port
            ))
            .await;
        assert_eq!(client.answer().await.text(), "there and back");
    }
}

#[tokio::test]
async fn large_bodies_pass_both_ways_and_are_counted() {
    const LENGTH: usize = 5 * 1024 * 1024;
    let server = Server::start(|message| {
        let mut bytes = format!(
            "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n",
            message.body.len()
        )
        .into_bytes();
        bytes.extend_from_slice(&message.body);
        Answer::from(bytes)
    })
    .await;
    let proxy = Proxy::open(&["a.test"]).await;
    let mut client = proxy.connect().await;
    let body: Vec<u8> = (0..LENGTH).map(|place| (place / 7) as u8).collect();
    client
        .send(&format!(
            "POST http://a.test:{0}/ HTTP/1.1\r\nHost: a.test:{0}\r\nContent-Length: {LENGTH}\r\n\r\n",
            server.port
        ))
        .await;
    client.stream.write_all(&body).await.unwrap();
    assert!(client.answer().await.body == body);
    let traffic = proxy.proxy.bytes();
    for count in [traffic.sent, traffic.received] {
        assert!((LENGTH as u64..LENGTH as u64 + 500).contains(&count), "{count}");
    }
}

#[tokio::test]
async fn an_answer_that_does_not_wait_for_the_body_comes_through() {
    const LENGTH: usize = 5 * 1024 * 1024;
    let server = Raw::start(|stream| async move {
        let mut stream = BufReader::new(stream);
        read_head(&mut stream).await.unwrap();
        let answer = b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        stream.write_all(answer).await.unwrap();
        tokio::io::copy(&mut stream, &mut tokio::io::sink()).await.ok();
    })
    .await;
    let proxy = Proxy::open(&["a.test"]).await;
    let mut client = proxy.connect().await;
    client
        .send(&format!(
            "POST http://a.test:{0}/ HTTP/1.1\r\nHost: a.test:{0}\r\nContent-Length: {LENGTH}\r\n\r\n",
            server.port
        ))
        .await;
    assert_eq!(client.answer().await.status, 413);
}

#[tokio::test]
async fn a_body_is_asked_for_when_the_client_waits_for_that() {
    let server = Server::start(|message| ok(std::str::from_utf8(&message.body).unwrap())).await;
    let proxy = Proxy::open(&["a.test"]).await;
    let mut client = proxy.connect().await;
    client
        .send(&format!(
            "PUT http://a.test:{0}/ HTTP/1.1\r\nHost: a.test:{0}\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n",
            server.port
        ))
        .await;
    let mut line = String::new();
    client.stream.read_line(&mut line).await.unwrap();
    assert_eq!(line, "HTTP/1.1 100 Continue\r\n");
    client.stream.read_line(&mut line).await.unwrap();
    client.send("body").await;
    assert_eq!(client.answer().await.text(), "body");
    assert!(!server.messages()[0].head.to_ascii_lowercase().contains("expect"));
}

#[tokio::test]
async fn answers_without_a_body_end_where_they_should() {
    let server = Server::start(|message| {
        let head: &[u8] = if message.head.starts_with("HEAD") {
            b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"
        } else if message.head.contains("/304") {
            b"HTTP/1.1 304 Not Modified\r\nContent-Length: 100\r\nETag: \"x\"\r\n\r\n"
        } else if message.head.contains("/204") {
            b"HTTP/1.1 204 No Content\r\n\r\n"
        } else {
            b"HTTP/1.0 200 OK\r\n\r\nto the end"
        };
        Answer {
            bytes: head.to_vec(),
            hang_up: head.ends_with(b"end"),
        }
    })
    .await;
    let proxy = Proxy::open(&["a.test"]).await;
    let mut client = proxy.connect().await;
    client
        .send(&format!(
            "HEAD http://a.test:{0}/ HTTP/1.1\r\nHost: a.test:{0}\r\n\r\n",
            server.port
        ))
        .await;
    let answer = client.try_answer(true).await.unwrap();
    assert_eq!(answer.header("content-length"), Some("100"));
    for (path, status) in [("/304", 304), ("/204", 204)] {
        client.get("a.test", server.port, path).await;
        let answer = client.try_answer(true).await.unwrap();
        assert_eq!(answer.status, status);
        assert_eq!(answer.header("transfer-encoding"), None);
    }
    client.get("a.test", server.port, "/old").await;
    assert_eq!(client.answer().await.text(), "to the end");
    // The connection of the browser goes on.
    client.get("a.test", server.port, "/204").await;
    assert_eq!(client.try_answer(true).await.unwrap().status, 204);
}

#[tokio::test]
async fn a_tunnel_passes_bytes_both_ways_until_both_sides_end() {
    const LENGTH: usize = 5 * 1024 * 1024;
    let echo = Raw::start(|mut stream| async move {
        let (mut reader, mut writer) = stream.split();
        tokio::io::copy(&mut reader, &mut writer).await.ok();
        writer.write_all(b"bye").await.ok();
    })
    .await;
    let proxy = Proxy::open(&["a.test"]).await;
    let mut client = proxy.connect().await;
    // Early bytes belong to the tunnel.
    let request = format!(
        "CONNECT a.test:{0} HTTP/1.1\r\nHost: a.test:{0}\r\n\r\nearly",
        echo.port
    );
    client.send(&request).await;
    let answer = client.try_answer(true).await.unwrap();
    assert_eq!(answer.status, 200);
    assert_eq!(
        (
            answer.header("content-length"),
            answer.header("transfer-encoding")
        ),
        (None, None)
    );
    let (mut reader, mut writer) = client.stream.into_inner().into_split();
    let writing = tokio::spawn(async move {
        writer.write_all(&vec![7; LENGTH]).await.unwrap();
        writer.shutdown().await.unwrap();
    });
    let mut received = Vec::new();
    reader.read_to_end(&mut received).await.unwrap();
    writing.await.unwrap();
    assert!(received.starts_with(b"early\x07") && received.ends_with(b"\x07bye"));
    assert_eq!(received.len(), LENGTH + "early".len() + "bye".len());
    assert_eq!(proxy.proxy.bytes().sent, (LENGTH + "early".len()) as u64);
}

#[tokio::test]
async fn a_switch_of_protocols_that_nobody_asked_for_is_a_bad_gateway() {
    let server = Server::start(|_| {
        Answer::from(b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n".to_vec())
    })
    .await;
    let proxy = Proxy::open(&["a.test"]).await;
    let mut client = proxy.connect().await;
    client.get("a.test", server.port, "/").await;
    assert_eq!(client.answer().await.status, 502);
}

// The policy.

#[tokio::test]
async fn loopback_is_refused_under_public_and_allowed_under_open() {
    let server = Server::start(|_| ok("hello")).await;
    let public = Proxy::start(EgressMode::Public, &[], &["a.test"]).await;
    let open = Proxy::start(EgressMode::Open, &[], &["a.test"]).await;
    for (host, reason) in [
        ("a.test", "a.test leads to a loopback address"),
        ("127.0.0.1", "127.0.0.1 is a loopback address"),
        ("0x7f.1", "127.0.0.1 is a loopback address"),
        ("2130706433", "127.0.0.1 is a loopback address"),
        ("[::ffff:127.0.0.1]", "[::ffff:7f00:1] is a loopback address"),
    ] {
        let mut client = public.connect().await;
        client.get(host, server.port, "/").await;
        let answer = client.answer().await;
        assert_eq!((answer.status, answer.reason()), (403, Some(reason)));
        assert!(answer.text().contains(reason));
        // The connection goes on after a refusal.
        client.open_tunnel(host, server.port).await;
        let answer = client.answer().await;
        assert_eq!((answer.status, answer.reason()), (403, Some(reason)));

        let mut client = open.connect().await;
        client.get(host, server.port, "/").await;
        assert_eq!(client.answer().await.text(), "hello", "{host}");
    }
    assert_eq!(public.proxy.bytes().sent, 0);
}

#[tokio::test]
async fn a_list_allows_by_host_port_and_range_alone() {
    let server = Server::start(|_| ok("hello")).await;
    let other = Server::start(|_| ok("other")).await;
    let by_port = format!("b.test:{}", server.port);
    let names = ["a.test", "www.a.test", "b.test", "c.test"];
    let by_host = Proxy::start(EgressMode::List, &["a.test", &by_port], &names).await;
    for (host, port, status) in [
        ("a.test", server.port, 200),
        ("A.TEST.", server.port, 200),
        ("www.a.test", server.port, 403),
        ("b.test", server.port, 200),
        ("b.test", other.port, 403),
        ("c.test", server.port, 403),
        ("127.0.0.1", server.port, 403),
    ] {
        assert_eq!(by_host.status(host, port).await, status, "{host}:{port}");
    }
    // What cannot be allowed is not even resolved.
    assert_eq!(by_host.names.asked("c.test"), 0);

    let by_range = Proxy::start(EgressMode::List, &["127.0.0.0/30"], &["c.test", "127.0.0.4"]).await;
    assert_eq!(by_range.status("c.test", server.port).await, 200);
    assert_eq!(by_range.status("127.0.0.1", server.port).await, 200);
    assert_eq!(by_range.status("127.0.0.4", server.port).await, 403);
}

#[tokio::test]
async fn a_redirect_to_a_forbidden_host_is_refused_when_it_is_followed() {
    let inner = Server::start(|_| ok("secret")).await;
    let location = format!("http://127.0.0.1:{}/", inner.port);
    let answer = format!("HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n");
    let server = Server::start(move |_| Answer::from(answer.clone().into_bytes())).await;
    let proxy = Proxy::start(EgressMode::Public, &["a.test"], &["a.test"]).await;
    let mut client = proxy.connect().await;
    client.get("a.test", server.port, "/").await;
    let answer = client.answer().await;
    assert_eq!(
        (answer.status, answer.header("location")),
        (302, Some(&*location))
    );
    client.get("127.0.0.1", inner.port, "/").await;
    assert_eq!(client.answer().await.status, 403);
    assert_eq!(inner.connections(), 0);
}

#[tokio::test]
async fn a_name_that_leads_elsewhere_later_is_dialled_where_it_was_judged() {
    let server = Server::start(|_| ok("hello")).await;
    let proxy = Proxy::start(EgressMode::Public, &["127.0.0.1"], &[]).await;
    proxy
        .names
        .set("a.test", &[&["127.0.0.1"], &["127.0.0.2"], &["169.254.169.254"]]);
    let mut client = proxy.connect().await;
    for _ in 0..3 {
        client.get("a.test", server.port, "/").await;
        assert_eq!(client.answer().await.text(), "hello");
    }
    assert_eq!(proxy.names.asked("a.test"), 1);
    assert_eq!(proxy.status("a.test", server.port).await, 403);
    assert_eq!(proxy.status("a.test", server.port).await, 403);
    assert_eq!(server.connections(), 1);
}

/// Elsewhere than on Linux and Windows, 127.0.0.2 has to be set up first.
#[cfg(any(target_os = "linux", windows))]
#[tokio::test]
async fn of_several_addresses_only_allowed_ones_are_dialled() {
    let allowed = Server::start(|_| ok("allowed")).await;
    let address = SocketAddr::new("127.0.0.2".parse().unwrap(), allowed.port);
    let forbidden = Server::start_at(address, |_| ok("forbidden")).await;
    let proxy = Proxy::start(EgressMode::Public, &["127.0.0.1"], &[]).await;
    proxy.names.set(
        "a.test",
        &[
            &["127.0.0.2", "169.254.169.254", "127.0.0.1"],
            &["127.0.0.1", "127.0.0.2"],
            &["127.0.0.2", "169.254.169.254"],
        ],
    );
    assert_eq!(proxy.status("a.test", allowed.port).await, 200);
    assert_eq!(proxy.status("a.test", allowed.port).await, 200);
    assert_eq!(proxy.status("a.test", allowed.port).await, 403);
    assert_eq!((allowed.connections(), forbidden.connections()), (2, 0));
}

/// As above.
#[cfg(any(target_os = "linux", windows))]
#[tokio::test]
async fn the_next_address_is_tried_when_one_cannot_be_reached() {
    let server = Server::start(|_| ok("hello")).await;
    let proxy = Proxy::open(&[]).await;
    proxy
        .names
        .set("a.test", &[&["127.0.0.2", "127.0.0.3", "127.0.0.1"]]);
    assert_eq!(proxy.status("a.test", server.port).await, 200);
}

#[tokio::test]
async fn link_local_and_metadata_are_refused_in_each_mode_even_when_listed() {
    let rules = [
        "0.0.0.0/0",
        "::/0",
        "169.254.169.254",
        "a.test",
        "metadata.google.internal",
    ];
    for mode in [EgressMode::Open, EgressMode::Public, EgressMode::List] {
        let proxy = Proxy::start(mode, &rules, &["metadata.google.internal"]).await;
        proxy.names.set("a.test", &[&["169.254.169.254"]]);
        for host in [
            "a.test",
            "169.254.169.254",
            "0xa9fea9fe",
            "169.254.10.10",
            "[fe80::1]",
            "[::ffff:a9fe:a9fe]",
            "[64:ff9b::a9fe:a9fe]",
            "[fd00:ec2::254]",
            "100.100.100.200",
            "168.63.129.16",
            "192.0.0.192",
            "METADATA.google.internal.",
        ] {
            assert_eq!(proxy.status(host, 80).await, 403, "{mode} {host}");
            let mut client = proxy.connect().await;
            client.open_tunnel(host, 443).await;
            assert_eq!(client.answer().await.status, 403, "{mode} {host}");
        }
    }
}

#[tokio::test]
async fn other_schemes_are_refused() {
    let proxy = Proxy::open(&["a.test"]).await;
    for (scheme, status) in [("ftp", 403), ("ws", 403), ("gopher", 403), ("https", 400)] {
        let mut client = proxy.connect().await;
        client
            .send(&format!(
                "GET {scheme}://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n"
            ))
            .await;
        assert_eq!(client.answer().await.status, status, "{scheme}");
    }
    assert_eq!(proxy.names.asked("a.test"), 0);
}

#[tokio::test]
async fn the_proxy_does_not_connect_to_itself() {
    let proxy = Proxy::open(&["a.test"]).await;
    let port = proxy.proxy.address().port();
    for host in ["127.0.0.1", "a.test", "0.0.0.0", "[::ffff:127.0.0.1]"] {
        assert_eq!(proxy.status(host, port).await, 403, "{host}");
    }
}

// What cannot be answered.

#[tokio::test]
async fn malformed_requests_are_bad_requests() {
    let proxy = Proxy::open(&["a.test"]).await;
    for request in [
        "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n",
        "GET http://a.test/ HTTP/1.1\r\n\r\n",
        "GET http://a.test/ HTTP/1.1\r\nHost: b.test\r\n\r\n",
        "GET http://a.test/ HTTP/1.1\r\nHost: a.test:8080\r\n\r\n",
        "GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\nHost: a.test\r\n\r\n",
        "GET http://me:x@a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n",
        "GET http://a.test:0/ HTTP/1.1\r\nHost: a.test\r\n\r\n",
        "GET http://a..test/ HTTP/1.1\r\nHost: a..test\r\n\r\n",
        "GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\nNo colon\r\n\r\n",
        "GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\nBad name: 1\r\n\r\n",
        "POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Length: x\r\n\r\n",
        "POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked, gzip\r\n\r\n",
        "GET  http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n",
        "GET http://a.test/\r\n\r\n",
        "CONNECT a.test HTTP/1.1\r\n\r\n",
        "CONNECT a.test:443 HTTP/1.1\r\nHost: b.test:443\r\n\r\n",
        "CONNECT me@a.test:443 HTTP/1.1\r\n\r\n",
        "CONNECT /path HTTP/1.1\r\n\r\n",
        "\x16\x03\x01\x02\x00\x01\r\n\r\n",
    ] {
        let mut client = proxy.connect().await;
        client.send(request).await;
        assert_eq!(client.answer().await.status, 400, "{request:?}");
    }
    assert_eq!(proxy.names.asked("a.test"), 0);
}

#[tokio::test]
async fn headers_are_limited() {
    let server = Server::start(|message| {
        let length = if message.head.contains("/long") {
            70_000
        } else {
            60_000
        };
        let filler = "x".repeat(length);
        Answer::from(format!("HTTP/1.1 200 OK\r\nX: {filler}\r\nContent-Length: 0\r\n\r\n").into_bytes())
    })
    .await;
    let proxy = Proxy::open(&["a.test"]).await;
    for (length, status) in [(60_000, 200), (70_000, 431), (200_000, 431)] {
        let mut client = proxy.connect().await;
        let filler = "x".repeat(length);
        let request = format!(
            "GET http://a.test:{0}/ HTTP/1.1\r\nHost: a.test:{0}\r\nX: {filler}\r\n\r\n",
            server.port
        );
        // The rest of a header that is too long may not be read any more.
        client.stream.write_all(request.as_bytes()).await.ok();
        assert_eq!(client.answer().await.status, status, "{length}");
    }
    let mut client = proxy.connect().await;
    client.get("a.test", server.port, "/long").await;
    assert_eq!(client.answer().await.status, 502);
}

#[tokio::test]
async fn what_cannot_be_reached_is_a_bad_gateway_and_what_does_not_answer_a_timeout() {
    // Of a service that nobody has any more.
    let port = 1;
    let proxy = Proxy::start_with(|options| {
        options.connect_timeout = Duration::from_millis(100);
    })
    .await;
    proxy.names.set("a.test", &[&["127.0.0.1"]]);
    proxy.names.set("nothing.test", &[&[]]);
    proxy.names.set("never.test", &[]);
    for (host, status, reason) in [
        ("unknown.test", 502, "unknown.test cannot be resolved".to_owned()),
        ("nothing.test", 502, "nothing.test cannot be resolved".to_owned()),
        (
            "a.test",
            502,
            format!("a.test:{port} cannot be reached: connection refused"),
        ),
        (
            "never.test",
            504,
            format!("never.test:{port} did not answer within 0.1 s"),
        ),
    ] {
        let mut client = proxy.connect().await;
        client.get(host, port, "/").await;
        let answer = client.answer().await;
        assert_eq!((answer.status, answer.reason()), (status, Some(&*reason)));
    }
}

// Proxies of the session.

#[tokio::test]
async fn the_first_proxy_that_matches_is_used_with_its_credentials_for_http_and_tunnels() {
    let server = Server::start(|_| ok("hello")).await;
    let upstream = Upstream::start("Basic bWU6c2VjcmV0").await;
    let upstreams = upstreams(&format!(
        r#"[
            {{"type": "none", "domainPattern": "direct.a.test"}},
            {{"type": "external", "server": "http://proxy.test:{}", "username": "me", "password": "secret",
              "domainPattern": "a.test"}}
        ]"#,
        upstream.port
    ));
    let names = ["proxy.test", "a.test", "direct.a.test", "b.test"];
    let proxy = Proxy::start_with(|options| options.upstreams = upstreams).await;
    proxy.names.set_all(&names);
    assert_eq!(proxy.status("a.test", server.port).await, 200);
    assert_eq!(proxy.status("direct.a.test", server.port).await, 200);
    assert_eq!(proxy.status("b.test", server.port).await, 200);
    let mut client = proxy.connect().await;
    client.open_tunnel("a.test", server.port).await;
    assert_eq!(client.try_answer(true).await.unwrap().status, 200);
    client.send("GET /inner HTTP/1.1\r\n\r\n").await;
    assert_eq!(client.answer().await.text(), "hello");
    // The name is handed on, not the address.
    let asked = format!("a.test:{}", server.port);
    assert_eq!(upstream.asked(), [asked.clone(), asked]);
}

#[tokio::test]
async fn a_proxy_of_the_session_that_refuses_is_a_bad_gateway_and_no_password_is_shown() {
    let upstream = Upstream::start("Basic other").await;
    let with_login = format!(
        r#"[{{"type": "external", "server": "http://127.0.0.1:{}", "username": "me", "password": "secret"}}]"#,
        upstream.port
    );
    let without = with_login.replace(r#", "username": "me", "password": "secret""#, "");
    for (settings, reason) in [
        (&with_login, "it did not accept the user name and the password"),
        (&without, "it wants a user name and a password"),
    ] {
        let proxy = Proxy::start_with(|options| options.upstreams = upstreams(settings)).await;
        proxy.names.set_all(&["a.test"]);
        let mut client = proxy.connect().await;
        client.open_tunnel("a.test", 443).await;
        let answer = client.answer().await;
        assert_eq!(answer.status, 502);
        assert_eq!(answer.header("proxy-authenticate"), None);
        assert!(answer.text().contains(reason), "{}", answer.text());
        assert!(!answer.text().contains("secret") && !format!("{:?}", proxy.proxy).contains("secret"));
    }
}

#[tokio::test]
async fn targets_are_judged_before_a_proxy_of_the_session_hears_of_them() {
    let upstream = Upstream::start("").await;
    let settings = format!(
        r#"[{{"type": "external", "server": "http://127.0.0.1:{}"}}]"#,
        upstream.port
    );
    let rule = format!("127.0.0.1:{}", upstream.port);
    let proxy = Proxy::start_with(|options| {
        options.policy = policy(EgressMode::Public, &[&rule]);
        options.upstreams = upstreams(&settings);
    })
    .await;
    proxy.names.set("inner.test", &[&["10.0.0.1"]]);
    proxy.names.set("mixed.test", &[&["8.8.8.8", "10.0.0.1"]]);
    proxy.names.set("public.test", &[&["8.8.8.8"]]);
    for (host, status) in [
        ("inner.test", 403),
        ("mixed.test", 403),
        ("10.0.0.1", 403),
        ("169.254.169.254", 403),
        ("metadata.google.internal", 403),
        ("unknown.test", 502),
    ] {
        assert_eq!(proxy.status(host, 80).await, status, "{host}");
    }
    assert!(upstream.asked().is_empty());
    // It is asked for this one, and does not know it.
    assert_eq!(proxy.status("public.test", 80).await, 502);
    assert_eq!(upstream.asked(), ["public.test:80"]);
}

#[tokio::test]
async fn the_address_of_a_proxy_of_the_session_is_judged_unless_it_is_listed() {
    let upstream = Upstream::start("").await;
    let settings = |host: &str| {
        format!(
            r#"[{{"type": "external", "server": "http://{host}:{}"}}]"#,
            upstream.port
        )
    };
    for (host, rules, is_asked) in [
        ("127.0.0.1", &[][..], false),
        ("proxy.test", &[], false),
        ("proxy.test", &["proxy.test"], true),
        ("169.254.1.1", &["169.254.1.1"], false),
    ] {
        let proxy = Proxy::start_with(|options| {
            options.policy = policy(EgressMode::Public, rules);
            options.upstreams = upstreams(&settings(host));
        })
        .await;
        proxy.names.set_all(&["proxy.test"]);
        proxy.names.set("a.test", &[&["8.8.8.8"]]);
        let before = upstream.asked().len();
        let status = proxy.status("a.test", 80).await;
        assert_eq!(status, if is_asked { 502 } else { 403 }, "{host}");
        assert_eq!(upstream.asked().len() > before, is_asked, "{host}");
    }
}

#[tokio::test]
async fn a_session_whose_proxy_is_this_one_does_not_go_round_in_circles() {
    let port = free_port().await;
    let settings = format!(r#"[{{"type": "external", "server": "http://127.0.0.1:{port}"}}]"#);
    let proxy = Proxy::start_with(|options| {
        options.listen.set_port(port);
        options.upstreams = upstreams(&settings);
    })
    .await;
    proxy.names.set_all(&["a.test"]);
    assert_eq!(proxy.status("a.test", 80).await, 403);
}

#[tokio::test]
async fn socks_proxies_are_used_with_their_credentials() {
    let server = Server::start(|_| ok("hello")).await;
    let port = server.port;
    let socks = Raw::start(move |mut stream| async move {
        let mut greeting = [0; 3];
        stream.read_exact(&mut greeting).await.unwrap();
        assert_eq!(greeting, [5, 1, 2]);
        stream.write_all(&[5, 2]).await.unwrap();
        let mut login = [0; 11];
        stream.read_exact(&mut login).await.unwrap();
        if login != *b"\x01\x02me\x06secret" {
            stream.write_all(&[1, 1]).await.unwrap();
            return;
        }
        stream.write_all(&[1, 0]).await.unwrap();
        let mut request = [0; 13];
        stream.read_exact(&mut request).await.unwrap();
        assert_eq!(request[..11], *b"\x05\x01\x00\x03\x06a.test");
        let mut target = TcpStream::connect((HOME, port)).await.unwrap();
        // What the server says at once belongs to the tunnel.
        stream
            .write_all(&[5, 0, 0, 3, 4, b'h', b'o', b's', b't', 0, 80])
            .await
            .unwrap();
        tokio::io::copy_bidirectional(&mut stream, &mut target).await.ok();
    })
    .await;
    for (password, status) in [("secret", 200), ("sesame", 502)] {
        let settings = format!(
            r#"[{{"type": "external", "server": "socks5://127.0.0.1:{}", "username": "me", "password": "{password}"}}]"#,
            socks.port
        );
        let proxy = Proxy::start_with(|options| options.upstreams = upstreams(&settings)).await;
        proxy.names.set_all(&["a.test"]);
        assert_eq!(proxy.status("a.test", server.port).await, status);
    }
}

// Limits and the end.

#[tokio::test]
async fn dropping_the_proxy_closes_all_connections() {
    let (received, mut ended) = mpsc::unbounded_channel();
    let silent = Raw::start(move |mut stream| {
        let received = received.clone();
        async move {
            let result = stream.read_to_end(&mut Vec::new()).await;
            received.send(result.is_ok()).unwrap();
        }
    })
    .await;
    let proxy = Proxy::open(&["a.test"]).await;
    let mut idle = proxy.connect().await;
    let mut tunnel = proxy.connect().await;
    tunnel.open_tunnel("a.test", silent.port).await;
    assert_eq!(tunnel.try_answer(true).await.unwrap().status, 200);
    let mut waiting = proxy.connect().await;
    waiting.get("a.test", silent.port, "/").await;
    silent.wait_for_connections(2).await;
    let address = proxy.proxy.address();
    drop(proxy);
    for client in [&mut idle, &mut tunnel, &mut waiting] {
        client.wait_for_end().await;
    }
    for _ in 0..2 {
        timeout(10 * SECOND, ended.recv()).await.unwrap().unwrap();
    }
    assert!(TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn a_server_is_left_when_the_browser_goes() {
    let (received, mut ended) = mpsc::unbounded_channel();
    let silent = Raw::start(move |mut stream| {
        let received = received.clone();
        async move {
            stream.read_to_end(&mut Vec::new()).await.ok();
            received.send(()).unwrap();
        }
    })
    .await;
    let proxy = Proxy::open(&["a.test"]).await;
    let mut waiting = proxy.connect().await;
    waiting.get("a.test", silent.port, "/").await;
    silent.wait_for_connections(1).await;
    let mut tunnel = proxy.connect().await;
    tunnel.open_tunnel("a.test", silent.port).await;
    assert_eq!(tunnel.try_answer(true).await.unwrap().status, 200);
    for client in [waiting, tunnel] {
        drop(client);
        timeout(10 * SECOND, ended.recv()).await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_proxy_comes_back_on_the_port_of_the_one_before() {
    let server = Server::start(|_| ok("hello")).await;
    let proxy = Proxy::open(&["a.test"]).await;
    let mut client = proxy.connect().await;
    client.get("a.test", server.port, "/").await;
    assert_eq!(client.answer().await.status, 200);
    let address = proxy.proxy.address();
    proxy.proxy.stop().await;
    let again = Proxy::start_with(|options| options.listen = address).await;
    again.names.set_all(&["a.test"]);
    assert_eq!(again.proxy.address(), address);
    assert_eq!(again.status("a.test", server.port).await, 200);
}

#[tokio::test]
async fn it_listens_on_loopback_only() {
    for address in ["0.0.0.0:0", "[::]:0", "10.0.0.1:0"] {
        let policy = EgressPolicy::new(EgressMode::Public);
        let error = EgressProxy::start(policy, Vec::new(), address.parse().unwrap())
            .await
            .unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
    }
}

#[tokio::test]
async fn further_connections_wait_until_one_ends() {
    let server = Server::start(|_| ok("hello")).await;
    let proxy = Proxy::start_with(|options| options.connection_limit = 2).await;
    proxy.names.set_all(&["a.test"]);
    let mut clients = Vec::new();
    for _ in 0..2 {
        let mut client = proxy.connect().await;
        client.get("a.test", server.port, "/").await;
        assert_eq!(client.answer().await.status, 200);
        clients.push(client);
    }
    let mut third = proxy.connect().await;
    third.get("a.test", server.port, "/").await;
    assert!(timeout(Duration::from_millis(300), third.answer()).await.is_err());
    clients.pop();
    assert_eq!(third.answer().await.status, 200);
    assert_eq!(server.connections(), 3);
}

#[tokio::test]
async fn a_client_that_does_not_read_makes_the_server_wait() {
    const LENGTH: usize = 32 * 1024 * 1024;
    let server = Raw::start(|mut stream| async move {
        // For a tunnel, this is what stands in it.
        let mut reader = BufReader::new(&mut stream);
        read_head(&mut reader).await.unwrap();
        let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {LENGTH}\r\n\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        let block = vec![1; 1024 * 1024];
        for _ in 0..LENGTH / block.len() {
            stream.write_all(&block).await.unwrap();
        }
    })
    .await;
    let proxy = Proxy::open(&["a.test"]).await;
    for is_tunnel in [false, true] {
        let before = proxy.proxy.bytes().received;
        let mut client = proxy.connect_slowly().await;
        if is_tunnel {
            client.open_tunnel("a.test", server.port).await;
            assert_eq!(client.try_answer(true).await.unwrap().status, 200);
            client.send("GET / HTTP/1.1\r\n\r\n").await;
        } else {
            client.get("a.test", server.port, "/").await;
        }
        let mut received = 0;
        loop {
            tokio::time::sleep(SECOND / 2).await;
            let now = proxy.proxy.bytes().received - before;
            if now == received && now > 0 {
                break;
            }
            received = now;
        }
        // What the system holds for the client, and a few buffers.
        assert!(received < 16 * 1024 * 1024, "{received}");
        assert_eq!(client.answer().await.body.len(), LENGTH);
    }
}

// The other sides.

/// A proxy that resolves made-up names.
struct Proxy {
    proxy: EgressProxy,
    names: Arc<Names>,
}

impl Proxy {
    /// One that allows loopback; these names lead there.
    async fn open(names: &[&str]) -> Self {
        Self::start(EgressMode::Open, &[], names).await
    }

    async fn start(mode: EgressMode, rules: &[&str], names: &[&str]) -> Self {
        let proxy = Self::start_with(|options| options.policy = policy(mode, rules)).await;
        proxy.names.set_all(names);
        proxy
    }

    async fn start_with(change: impl FnOnce(&mut EgressOptions)) -> Self {
        let names = Arc::new(Names::default());
        let mut options = EgressOptions::new(EgressPolicy::new(EgressMode::Open));
        options.resolver = Arc::clone(&names) as Arc<dyn Resolver>;
        change(&mut options);
        let proxy = EgressProxy::start_with(options).await.unwrap();
        Self { proxy, names }
    }

    async fn connect(&self) -> Client {
        let stream = TcpStream::connect(self.proxy.address()).await.unwrap();
        Client {
            stream: BufReader::new(stream),
        }
    }

    /// With a small buffer of the system.
    async fn connect_slowly(&self) -> Client {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(16 * 1024).unwrap();
        let stream = socket.connect(self.proxy.address()).await.unwrap();
        Client {
            stream: BufReader::new(stream),
        }
    }

    /// The status of a request on a connection of its own.
    async fn status(&self, host: &str, port: u16) -> u16 {
        let mut client = self.connect().await;
        client.get(host, port, "/").await;
        client.answer().await.status
    }
}

fn policy(mode: EgressMode, rules: &[&str]) -> EgressPolicy {
    EgressPolicy {
        mode,
        allow: rules.iter().map(|rule| rule.parse().unwrap()).collect(),
    }
}

fn upstreams(settings: &str) -> Vec<UpstreamProxy> {
    let settings: Vec<ProxySettings> = serde_json::from_str(settings).unwrap();
    settings
        .iter()
        .map(|settings| UpstreamProxy::new(settings).unwrap())
        .collect()
}

/// Made-up names.
#[derive(Debug, Default)]
struct Names(Mutex<HashMap<String, Name>>);

/// Each time it is asked for it has the next of its answers, and the last one from then on.
#[derive(Debug, Default)]
struct Name {
    asked: usize,
    answers: VecDeque<Vec<IpAddr>>,
}

impl Names {
    /// Without any answer, it never answers.
    fn set(&self, name: &str, answers: &[&[&str]]) {
        let answers = answers
            .iter()
            .map(|addresses| addresses.iter().map(|address| address.parse().unwrap()).collect())
            .collect();
        let name_and_answers = (name.to_owned(), Name { asked: 0, answers });
        self.0.lock().unwrap().extend([name_and_answers]);
    }

    /// These lead to 127.0.0.1.
    fn set_all(&self, names: &[&str]) {
        for name in names {
            self.set(name, &[&["127.0.0.1"]]);
        }
    }

    /// How often it was asked for.
    fn asked(&self, name: &str) -> usize {
        self.0.lock().unwrap()[name].asked
    }
}

impl Resolver for Names {
    fn resolve<'a>(&'a self, name: &'a str) -> ResolverFuture<'a> {
        let mut names = self.0.lock().unwrap();
        let answer = names.get_mut(name.trim_end_matches('.')).map(|name| {
            name.asked += 1;
            let next = name.answers.front().cloned();
            if name.answers.len() > 1 {
                name.answers.pop_front();
            }
            next
        });
        Box::pin(async move {
            match answer {
                Some(Some(addresses)) => Ok(addresses),
                Some(None) => std::future::pending().await,
                None => Err(io::Error::other("no such name")),
            }
        })
    }
}

/// A browser's connection.
struct Client {
    stream: BufReader<TcpStream>,
}

#[derive(Debug)]
struct HttpAnswer {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Client {
    async fn send(&mut self, text: &str) {
        self.stream.write_all(text.as_bytes()).await.unwrap();
    }

    async fn get(&mut self, host: &str, port: u16, path: &str) {
        self.send(&format!(
            "GET http://{host}:{port}{path} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n"
        ))
        .await;
    }

    async fn open_tunnel(&mut self, host: &str, port: u16) {
        self.send(&format!(
            "CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n"
        ))
        .await;
    }

    async fn answer(&mut self) -> HttpAnswer {
        self.try_answer(false).await.unwrap()
    }

    async fn try_answer(&mut self, has_no_body: bool) -> io::Result<HttpAnswer> {
        let head = read_head(&mut self.stream).await?;
        let status = head.get(9..12).and_then(|status| status.parse().ok());
        let mut answer = HttpAnswer {
            status: status.ok_or(io::ErrorKind::InvalidData)?,
            head,
            body: Vec::new(),
        };
        if !has_no_body {
            answer.body = read_body(&mut self.stream, &answer.head).await?;
        }
        Ok(answer)
    }

    async fn wait_for_end(&mut self) {
        let mut rest = Vec::new();
        // A reset is an end as well.
        timeout(10 * SECOND, self.stream.read_to_end(&mut rest))
            .await
            .unwrap()
            .ok();
        assert!(rest.is_empty());
    }
}

impl HttpAnswer {
    fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    fn header(&self, name: &str) -> Option<&str> {
        header(&self.head, name)
    }

    fn reason(&self) -> Option<&str> {
        self.header("x-automator-egress")
    }
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines()
        .filter_map(|line| line.split_once(": "))
        .find(|(own, _)| own.eq_ignore_ascii_case(name))
        .map(|(_, value)| value)
}

/// All lines up to the empty one, without that.
async fn read_head(stream: &mut (impl AsyncBufReadExt + Unpin)) -> io::Result<String> {
    let mut head = String::new();
    loop {
        let before = head.len();
        if timeout(20 * SECOND, stream.read_line(&mut head)).await?? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if &head[before..] == "\r\n" {
            head.truncate(before);
            return Ok(head);
        }
    }
}

async fn read_body(stream: &mut (impl AsyncBufReadExt + Unpin), head: &str) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    if header(head, "transfer-encoding") == Some("chunked") {
        loop {
            let mut line = String::new();
            stream.read_line(&mut line).await?;
            let length = usize::from_str_radix(line.trim_end(), 16).map_err(io::Error::other)?;
            let mut chunk = vec![0; length + 2];
            stream.read_exact(&mut chunk).await?;
            if length == 0 {
                return Ok(body);
            }
            body.extend_from_slice(&chunk[..length]);
        }
    }
    let length = header(head, "content-length").unwrap_or("0");
    body.resize(length.parse().map_err(io::Error::other)?, 0);
    stream.read_exact(&mut body).await?;
    Ok(body)
}

/// A server that does the same on each connection. It ends when it is dropped.
struct Raw {
    port: u16,
    connections: Arc<watch::Sender<usize>>,
    _serving: JoinSet<()>,
}

impl Raw {
    async fn start<F>(serve: impl Fn(TcpStream) -> F + Send + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        Self::start_at(SocketAddr::new(HOME, 0), serve).await
    }

    async fn start_at<F>(address: SocketAddr, serve: impl Fn(TcpStream) -> F + Send + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind(address).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let connections = Arc::new(watch::Sender::new(0));
        let counted = Arc::clone(&connections);
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            let mut open = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                counted.send_modify(|count| *count += 1);
                open.spawn(serve(stream));
            }
        });
        Self {
            port,
            connections,
            _serving: serving,
        }
    }

    async fn wait_for_connections(&self, wanted: usize) {
        let mut count = self.connections.subscribe();
        timeout(10 * SECOND, count.wait_for(|count| *count >= wanted))
            .await
            .unwrap()
            .unwrap();
    }
}

/// A server that speaks HTTP.
struct Server {
    port: u16,
    raw: Raw,
    messages: Arc<Mutex<Vec<Message>>>,
    has_hung_up: Arc<watch::Sender<bool>>,
}

#[derive(Debug, Clone)]
struct Message {
    head: String,
    body: Vec<u8>,
}

struct Answer {
    bytes: Vec<u8>,
    hang_up: bool,
}

impl From<Vec<u8>> for Answer {
    fn from(bytes: Vec<u8>) -> Self {
        Self {
            bytes,
            hang_up: false,
        }
    }
}

fn ok(text: &str) -> Answer {
    let length = text.len();
    Answer::from(format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{text}").into_bytes())
}

impl Server {
    async fn start(answer: impl Fn(&Message) -> Answer + Send + Sync + 'static) -> Self {
        Self::start_at(SocketAddr::new(HOME, 0), answer).await
    }

    async fn start_at(
        address: SocketAddr,
        answer: impl Fn(&Message) -> Answer + Send + Sync + 'static,
    ) -> Self {
        let messages = Arc::new(Mutex::new(Vec::new()));
        let has_hung_up = Arc::new(watch::Sender::new(false));
        let (log, ends, answer) = (Arc::clone(&messages), Arc::clone(&has_hung_up), Arc::new(answer));
        let raw = Raw::start_at(address, move |stream| {
            let (log, ends, answer) = (Arc::clone(&log), Arc::clone(&ends), Arc::clone(&answer));
            async move {
                let mut stream = BufReader::new(stream);
                while let Ok(head) = read_head(&mut stream).await {
                    let body = read_body(&mut stream, &head).await.unwrap();
                    let message = Message { head, body };
                    let answer = answer(&message);
                    log.lock().unwrap().push(message);
                    stream.write_all(&answer.bytes).await.ok();
                    if answer.hang_up {
                        stream.shutdown().await.ok();
                        ends.send_replace(true);
                        return;
                    }
                }
            }
        })
        .await;
        Self {
            port: raw.port,
            raw,
            messages,
            has_hung_up,
        }
    }

    fn connections(&self) -> usize {
        *self.raw.connections.borrow()
    }

    fn messages(&self) -> Vec<Message> {
        self.messages.lock().unwrap().clone()
    }

    async fn wait_for_hang_up(&self) {
        let mut has_hung_up = self.has_hung_up.subscribe();
        timeout(10 * SECOND, has_hung_up.wait_for(|has_hung_up| *has_hung_up))
            .await
            .unwrap()
            .unwrap();
    }
}

/// A proxy of a session. It connects to 127.0.0.1 whatever the name, but not for `public.test`.
struct Upstream {
    port: u16,
    asked: Arc<Mutex<Vec<String>>>,
    _raw: Raw,
}

impl Upstream {
    /// It wants this in `Proxy-Authorization`, unless that is empty.
    async fn start(authorization: &'static str) -> Self {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&asked);
        let raw = Raw::start(move |stream| {
            let log = Arc::clone(&log);
            async move {
                let mut stream = BufReader::new(stream);
                let head = read_head(&mut stream).await.unwrap();
                if header(&head, "proxy-authorization").unwrap_or("") != authorization {
                    let refusal: &[u8] =
                        b"HTTP/1.1 407 No\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n";
                    stream.write_all(refusal).await.unwrap();
                    return;
                }
                let authority = head.split(' ').nth(1).unwrap().to_owned();
                assert!(head.starts_with("CONNECT "));
                log.lock().unwrap().push(authority.clone());
                let (name, port) = authority.rsplit_once(':').unwrap();
                if port == "80" {
                    stream.write_all(b"HTTP/1.1 503 No\r\n\r\n").await.unwrap();
                    return;
                }
                assert!(name.ends_with(".test"));
                let mut target = TcpStream::connect((HOME, port.parse().unwrap())).await.unwrap();
                stream.write_all(b"HTTP/1.1 200 Yes\r\n\r\n").await.unwrap();
                tokio::io::copy_bidirectional(&mut stream, &mut target).await.ok();
            }
        })
        .await;
        Self {
            port: raw.port,
            asked,
            _raw: raw,
        }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

/// A port that nobody listens on.
async fn free_port() -> u16 {
    let listener = TcpListener::bind((HOME, 0)).await.unwrap();
    listener.local_addr().unwrap().port()
}
