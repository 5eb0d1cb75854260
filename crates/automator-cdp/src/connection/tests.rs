use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::duplex_server::{DuplexServer, ServerMessage};
use crate::protocol::browser::GetVersion;
use crate::protocol::runtime::Evaluate;

fn start() -> (Connection, DuplexServer) {
    let (transport, server) = DuplexServer::pair();
    (Connection::new(transport), server)
}

/// Ends when the connection has handled everything that the server sent before.
async fn round_trip(connection: &Connection, server: &mut DuplexServer) {
    let call = connection.root().send_raw("Test.roundTrip", json!({}));
    loop {
        let command = server.receive().await.unwrap();
        if command.method == "Test.roundTrip" {
            server.reply(&command, json!({})).await;
            break;
        }
    }
    call.await.unwrap();
}

fn evaluate(expression: &str) -> Evaluate {
    Evaluate {
        expression: expression.to_owned(),
        ..Evaluate::default()
    }
}

#[tokio::test]
async fn commands_go_out_in_the_order_of_the_calls_and_replies_find_their_callers_in_any_order() {
    let (connection, mut server) = start();
    let (one, two) = (connection.session("one"), connection.session("two"));
    let (first, second, third) = (
        one.send(&evaluate("1")),
        two.send(&evaluate("2")),
        connection.root().send(&GetVersion {}),
    );
    let mut commands: Vec<ServerMessage> = Vec::new();
    for _ in 0..3 {
        commands.push(server.receive().await.unwrap());
    }
    let sessions: Vec<_> = commands
        .iter()
        .map(|command| command.session_id.as_deref())
        .collect();
    assert_eq!(sessions, [Some("one"), Some("two"), None]);
    assert_eq!(commands[0].params, json!({ "expression": "1" }));
    server.reply(&commands[2], json!({ "product": "Browser" })).await;
    server
        .reply(
            &commands[1],
            json!({ "result": { "type": "string", "value": "b" } }),
        )
        .await;
    server
        .reply(
            &commands[0],
            json!({ "result": { "type": "string", "value": "a" } }),
        )
        .await;
    let (first, second, third) = tokio::join!(first, second, third);
    assert_eq!(first.unwrap().result.value, Some("a".into()));
    assert_eq!(second.unwrap().result.value, Some("b".into()));
    assert_eq!(third.unwrap().product, "Browser");
}

#[tokio::test]
async fn refused_command_gives_code_message_and_data() {
    let (connection, mut server) = start();
    let call = connection.root().send_raw("No.such", json!({}));
    let command = server.receive().await.unwrap();
    let text = format!(
        r#"{{"id":{},"error":{{"code":-32601,"message":"'\ud800' wasn't found","data":"more"}}}}"#,
        command.id
    );
    server.send_text(&text).await;
    let CdpError::Protocol {
        method,
        code,
        message,
        data,
    } = call.await.unwrap_err()
    else {
        panic!()
    };
    assert_eq!(
        (method.as_str(), code, data.as_deref()),
        ("No.such", -32601, Some("more"))
    );
    assert_eq!(message, "'\u{fffd}' wasn't found");
}

#[tokio::test]
async fn dropped_call_leaves_nothing_behind_and_its_late_reply_is_ignored() {
    let (connection, mut server) = start();
    drop(connection.root().send(&evaluate("slow")));
    assert_eq!(connection.pending_calls(), 0);
    let command = server.receive().await.unwrap();
    assert_eq!(command.method, "Runtime.evaluate");
    server.reply(&command, json!({})).await;
    round_trip(&connection, &mut server).await;
    assert_eq!(connection.malformed_messages(), 0);
}

#[tokio::test]
async fn call_that_runs_into_a_time_limit_is_forgotten() {
    let (connection, mut server) = start();
    let limit = tokio::time::timeout(Duration::from_millis(5), connection.root().send(&evaluate("1")));
    assert!(limit.await.is_err());
    assert_eq!(connection.pending_calls(), 0);
    round_trip(&connection, &mut server).await;
}

#[tokio::test]
async fn reply_of_twenty_megabytes_arrives_whole() {
    let (connection, mut server) = start();
    let call = connection.root().send(&evaluate("big"));
    let raw = connection.root().send_raw("Test.big", json!({}));
    let text = "x".repeat(20 * 1024 * 1024);
    let result = json!({ "result": { "type": "string", "value": text } });
    for _ in 0..2 {
        let command = server.receive().await.unwrap();
        server.reply(&command, &result).await;
    }
    let (typed, raw) = tokio::join!(call, raw);
    assert_eq!(
        typed
            .unwrap()
            .result
            .value
            .and_then(|value| value.as_str().map(str::len)),
        Some(text.len())
    );
    assert!(raw.unwrap().get().contains(&text));
    round_trip(&connection, &mut server).await;
}

#[tokio::test]
async fn malformed_and_unknown_messages_between_good_ones_are_skipped() {
    let (connection, mut server) = start();
    let mut events = connection.subscribe(Filter::all());
    for text in [
        "",
        "{",
        "[]",
        "null",
        "{}",
        r#"{"id":"x"}"#,
        r#"{"id":-1}"#,
        "\u{1}",
        r#"{"method":{}}"#,
    ] {
        server.send_text(text).await;
        server.event(None, "Test.good", json!({ "after": text })).await;
    }
    server.send_text(r#"{"id":999999,"result":{}}"#).await;
    server
        .send_text(r#"{"error":{"code":-32700,"message":"bad"}}"#)
        .await;
    round_trip(&connection, &mut server).await;
    let mut seen = 0;
    while let Some(event) = events.try_next() {
        assert_eq!(event.method(), "Test.good");
        seen += 1;
    }
    assert_eq!((seen, connection.malformed_messages()), (9, 9));
}

#[tokio::test]
async fn reply_that_cannot_be_read_ends_its_call() {
    let (connection, mut server) = start();
    let call = connection.root().send_raw("Test.broken", json!({}));
    let command = server.receive().await.unwrap();
    server
        .send_text(&format!(r#"{{"id":{},"result":{{"#, command.id))
        .await;
    assert!(matches!(call.await, Err(CdpError::Malformed { .. })));
    let typed = connection.root().send(&evaluate("1"));
    let command = server.receive().await.unwrap();
    server.reply(&command, json!({ "result": 5 })).await;
    assert!(matches!(typed.await, Err(CdpError::Malformed { .. })));
}

#[tokio::test]
async fn bytes_that_are_no_utf8_are_mended() {
    let (client, mut browser) = tokio::io::duplex(1024);
    let (reader, writer) = tokio::io::split(client);
    let connection = Connection::new(crate::PipeTransport::new(reader, writer));
    let mut events = connection.subscribe(Filter::all());
    tokio::io::AsyncWriteExt::write_all(
        &mut browser,
        b"{\"method\":\"Test.x\",\"params\":{\"a\":\"\xff\"}}\0",
    )
    .await
    .unwrap();
    let event = events.next().await.unwrap();
    assert_eq!(event.parse::<Value>().unwrap(), json!({ "a": "\u{fffd}" }));
}

#[tokio::test]
async fn every_pending_and_later_call_ends_when_the_browser_goes() {
    let (connection, server) = start();
    let calls: Vec<_> = (0..100).map(|_| connection.root().send(&evaluate("1"))).collect();
    let mut events = connection.subscribe(Filter::all());
    let closed = connection.closed();
    drop(server);
    for call in calls {
        let error = call.await.unwrap_err();
        assert!(
            matches!(
                error,
                CdpError::Closed {
                    reason: CloseReason::EndOfStream
                }
            ),
            "{error}"
        );
    }
    assert!(events.next().await.is_none());
    assert!(matches!(closed.await, CloseReason::EndOfStream));
    assert!(connection.is_closed());
    assert!(matches!(
        connection.root().send(&evaluate("1")).await,
        Err(CdpError::Closed { .. })
    ));
    assert!(connection.subscribe(Filter::all()).next().await.is_none());
}

#[tokio::test]
async fn closing_ends_calls_but_still_sends_what_was_queued() {
    let (connection, mut server) = start();
    let call = connection.root().send(&evaluate("1"));
    drop(connection.root().send_raw("Browser.close", json!({})));
    connection.close();
    connection.close();
    assert!(matches!(
        call.await,
        Err(CdpError::Closed {
            reason: CloseReason::Requested
        })
    ));
    assert_eq!(server.receive().await.unwrap().method, "Runtime.evaluate");
    assert_eq!(server.receive().await.unwrap().method, "Browser.close");
    assert!(server.receive().await.is_none());
}

#[tokio::test]
async fn dropping_the_last_handle_ends_the_connection() {
    let (connection, mut server) = start();
    let session = connection.session("s");
    let closed = connection.closed();
    drop(connection);
    let call = session.send(&evaluate("1"));
    assert!(server.receive().await.is_some());
    drop(session);
    assert!(matches!(closed.await, CloseReason::Requested));
    assert!(call.await.is_err());
    assert!(server.receive().await.is_none());
}

#[tokio::test]
async fn detached_session_ends_its_calls_and_those_of_sessions_below_it_only() {
    let (connection, mut server) = start();
    let attached =
        |id: &str| json!({ "sessionId": id, "targetInfo": { "targetId": id }, "waitingForDebugger": false });
    server
        .event(None, "Target.attachedToTarget", attached("page"))
        .await;
    server
        .event(Some("page"), "Target.attachedToTarget", attached("frame"))
        .await;
    server
        .event(Some("frame"), "Target.attachedToTarget", attached("inner"))
        .await;
    server
        .event(None, "Target.attachedToTarget", attached("other"))
        .await;
    round_trip(&connection, &mut server).await;
    let call = |id: &str| connection.session(id).send(&evaluate("1"));
    let (page, frame, inner, other) = (call("page"), call("frame"), call("inner"), call("other"));
    server
        .event(
            Some("page"),
            "Target.detachedFromTarget",
            json!({ "sessionId": "frame" }),
        )
        .await;
    assert!(matches!(frame.await, Err(CdpError::SessionDetached { .. })));
    assert!(matches!(inner.await, Err(CdpError::SessionDetached { .. })));
    assert_eq!(connection.pending_calls(), 2);
    let late = connection.session("frame").send_raw("Test.late", json!({}));
    for _ in 0..5 {
        let command = server.receive().await.unwrap();
        if command.method == "Test.late" {
            server
                .refuse(&command, -32001, "Session with given id not found.")
                .await;
        } else {
            server.reply(&command, json!({})).await;
        }
    }
    assert!(matches!(late.await, Err(CdpError::SessionDetached { .. })));
    assert!(page.await.is_ok() && other.await.is_ok());
}

#[tokio::test]
async fn subscribers_get_what_they_asked_for() {
    let (connection, mut server) = start();
    let page = connection.session("page");
    let mut all = connection.subscribe(Filter::all());
    let mut root = connection.subscribe(Filter::all().session(&connection.root()));
    let mut named = page.subscribe(["Page.loadEventFired"]);
    drop(connection.subscribe(Filter::all()));
    server.event(None, "Target.targetCreated", json!({})).await;
    server.event(Some("page"), "Page.frameNavigated", json!({})).await;
    server.event(Some("page"), "Page.loadEventFired", json!({})).await;
    server
        .event(Some("other"), "Page.loadEventFired", json!({}))
        .await;
    round_trip(&connection, &mut server).await;
    let count = |events: &mut Events| std::iter::from_fn(|| events.try_next()).count();
    assert_eq!((count(&mut all), count(&mut root), count(&mut named)), (4, 1, 1));
    drop((all, root, named));
    assert_eq!(connection.shared().lock().subscribers.len(), 0);
}

#[tokio::test]
async fn slow_subscriber_gets_a_hundred_thousand_events_in_order_and_holds_up_nobody() {
    let (connection, mut server) = start();
    let mut slow = connection.subscribe(Filter::all());
    let mut quick = connection.subscribe(Filter::all());
    const COUNT: u64 = 100_000;
    let sending = tokio::spawn(async move {
        for number in 0..COUNT {
            server
                .event(None, "Test.count", json!({ "number": number }))
                .await;
        }
        server
    });
    for number in 0..COUNT {
        assert_eq!(
            quick.next().await.unwrap().parse::<Value>().unwrap()["number"],
            number
        );
    }
    let mut server = sending.await.unwrap();
    round_trip(&connection, &mut server).await;
    for number in 0..COUNT {
        assert_eq!(
            slow.try_next().unwrap().parse::<Value>().unwrap()["number"],
            number
        );
    }
}
