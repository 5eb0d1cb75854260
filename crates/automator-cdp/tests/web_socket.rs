//! Addresses, headers, limits and TLS of the WebSocket transport, against small servers of the test's own.

use std::sync::Arc;
use std::time::Duration;

use automator_cdp::{CdpError, ConnectProblem, Connection, WebSocketOptions, WebSocketTransport};
use futures_util::{SinkExt as _, StreamExt as _};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tokio_tungstenite::tungstenite::protocol::CloseFrame;

/// Answers one command with the headers of the handshake, then says good-bye.
#[expect(
    clippy::result_large_err,
    reason = "the callback's type is set by the library"
)]
async fn serve(stream: impl AsyncRead + AsyncWrite + Unpin) {
    let mut headers = serde_json::Map::new();
    let callback = |request: &Request, response: Response| -> Result<Response, ErrorResponse> {
        for (name, value) in request.headers() {
            headers.insert(name.to_string(), value.to_str().unwrap().into());
        }
        headers.insert("target".to_owned(), request.uri().to_string().into());
        Ok(response)
    };
    let mut socket = tokio_tungstenite::accept_hdr_async(stream, callback)
        .await
        .unwrap();
    socket
        .send(Message::Ping(b"are you there".to_vec().into()))
        .await
        .unwrap();
    while let Some(Ok(message)) = socket.next().await {
        if let Message::Text(text) = message {
            let command: serde_json::Value = serde_json::from_str(&text).unwrap();
            let reply = serde_json::json!({ "id": command["id"], "result": headers });
            socket.send(Message::text(reply.to_string())).await.unwrap();
            socket.close(None::<CloseFrame>).await.unwrap();
        }
    }
}

async fn listen() -> (TcpListener, u16) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    (listener, port)
}

async fn seen_headers(url: &str, options: &WebSocketOptions) -> serde_json::Value {
    let connection = Connection::new(WebSocketTransport::connect(url, options).await.unwrap());
    let reply = connection
        .root()
        .send_raw("Test.headers", serde_json::json!({}))
        .await
        .unwrap();
    connection.closed().await;
    reply.parse().unwrap()
}

#[tokio::test]
async fn headers_user_and_password_go_with_the_handshake() {
    let (listener, port) = listen().await;
    let server = tokio::spawn(async move { serve(listener.accept().await.unwrap().0).await });
    let headers = vec![
        ("X-Team".to_owned(), "blue".to_owned()),
        ("User-Agent".to_owned(), "us".to_owned()),
    ];
    let options = WebSocketOptions {
        headers,
        ..WebSocketOptions::default()
    };
    let seen = seen_headers(
        &format!("ws://u%20ser:p%3Aw@127.0.0.1:{port}/devtools?token=x"),
        &options,
    )
    .await;
    assert_eq!(
        (&seen["x-team"], &seen["user-agent"]),
        (&"blue".into(), &"us".into())
    );
    assert_eq!(seen["authorization"], "Basic dSBzZXI6cDp3");
    assert_eq!(seen["target"], "/devtools?token=x");
    server.await.unwrap();
}

#[tokio::test]
async fn tls_offers_only_http_one_to_a_server_that_prefers_two() {
    let (listener, port) = listen().await;
    let certificate = CertificateDer::from(include_bytes!("certificate/localhost.der").as_slice());
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(
        include_bytes!("certificate/localhost.key.der").as_slice(),
    ));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.clone()], key)
        .unwrap();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let server = tokio::spawn(async move {
        let refused = acceptor.accept(listener.accept().await.unwrap().0).await;
        assert!(refused.is_err(), "a certificate nobody vouches for was accepted");
        let stream = acceptor.accept(listener.accept().await.unwrap().0).await.unwrap();
        assert_eq!(stream.get_ref().1.alpn_protocol(), Some(b"http/1.1".as_slice()));
        serve(stream).await;
    });
    let url = format!("wss://localhost:{port}/");
    let stranger = WebSocketTransport::connect(&url, &WebSocketOptions::default()).await;
    assert!(matches!(stranger, Err(CdpError::Connect { .. })));
    let root_certificates = vec![certificate.to_vec()];
    let options = WebSocketOptions {
        root_certificates,
        ..WebSocketOptions::default()
    };
    assert_eq!(seen_headers(&url, &options).await["target"], "/");
    server.await.unwrap();
}

async fn problem(url: &str, options: &WebSocketOptions) -> (ConnectProblem, String) {
    let error = WebSocketTransport::connect(url, options).await.unwrap_err();
    let text = format!("{error} {error:?}");
    let CdpError::Connect { problem, .. } = error else {
        panic!("{text}")
    };
    (problem, text)
}

#[tokio::test]
async fn server_that_never_answers_runs_into_the_limit() {
    let (listener, port) = listen().await;
    let limit = Some(Duration::from_millis(50));
    let options = WebSocketOptions {
        connect_timeout: limit,
        ..WebSocketOptions::default()
    };
    let url = format!("ws://key:secret@127.0.0.1:{port}/x?token=secret");
    let (problem, text) = problem(&url, &options).await;
    assert!(matches!(problem, ConnectProblem::Timeout(_)));
    assert!(
        !text.contains("secret") && text.contains(&port.to_string()),
        "{text}"
    );
    drop(listener);
}

#[tokio::test]
async fn refusals_say_what_happened() {
    let options = WebSocketOptions::default();
    assert!(matches!(
        problem("http://127.0.0.1/", &options).await.0,
        ConnectProblem::Address
    ));
    assert!(matches!(
        problem("not an address", &options).await.0,
        ConnectProblem::Address
    ));
    let bad_header = WebSocketOptions {
        headers: vec![("a b".into(), "x".into())],
        ..options.clone()
    };
    assert!(matches!(
        problem("ws://127.0.0.1:1/", &bad_header).await.0,
        ConnectProblem::Header(_)
    ));
    assert!(matches!(
        problem("ws://127.0.0.1:1/", &options).await.0,
        ConnectProblem::Io(_)
    ));
    let (listener, port) = listen().await;
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = [0; 1024];
        let _ = tokio::io::AsyncReadExt::read(&mut stream, &mut request).await;
        let answer = b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n";
        tokio::io::AsyncWriteExt::write_all(&mut stream, answer)
            .await
            .unwrap();
    });
    let refused = problem(&format!("ws://127.0.0.1:{port}/"), &options).await.0;
    assert!(matches!(refused, ConnectProblem::Status(403)));
}
