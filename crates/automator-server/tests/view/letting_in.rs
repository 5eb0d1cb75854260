//! Who is let in, and for how long.

use std::time::{Duration, Instant};

use automator_cdp::{Connection, WebSocketOptions, WebSocketTransport};
use serde_json::{Value, json};

use super::{stage, text, until, until_coloured};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_tokens_show_nothing_and_an_address_that_expires_stops_showing() {
    let mut stage = stage().await;
    stage.program_opens("/green").await;
    let url = stage.view_url();
    let token = url.split("token=").nth(1).expect("a token").to_owned();
    let connect_url = stage.session["connectUrl"].as_str().expect("an address");
    let for_programs = connect_url.split("token=").nth(1).expect("a token").to_owned();
    let mut last = token.chars();
    let ending = if last.next_back() == Some('A') { 'B' } else { 'A' };
    for wrong in [
        String::new(),
        format!("{}{ending}", last.as_str()),
        token.replacen(".view.", ".control.", 1),
        for_programs,
    ] {
        let path = format!("/sessions/{}?token={wrong}", stage.id());
        let (status, body) = stage.client.get(&path).await;
        assert_eq!(status, 404, "{wrong}");
        let body = body.as_str().unwrap_or_default();
        assert!(
            body.contains("nothing to see") && !body.contains("canvas"),
            "{body}"
        );
        let socket = format!(
            "ws://{}/v1{}",
            stage.server.address(),
            path.replacen('?', "/view?", 1)
        );
        let refused = WebSocketTransport::connect(&socket, &WebSocketOptions::default()).await;
        assert!(refused.is_err(), "{wrong}");
    }
    let elsewhere = format!("/sessions/another?token={token}");
    assert_eq!(stage.client.get(&elsewhere).await.0, 404);
    // A token for the page opens no way for programs.
    let cdp = format!(
        "ws://{}/v1/cdp/{}?token={token}",
        stage.server.address(),
        stage.id()
    );
    assert!(
        WebSocketTransport::connect(&cdp, &WebSocketOptions::default())
            .await
            .is_err()
    );
    // Pages of others may not look, whatever they know.
    let socket = format!("/v1/sessions/{}/view?token={token}", stage.id());
    let (status, _) = stage
        .client
        .get_with(&socket, &[("origin", "http://evil.example")])
        .await;
    assert_eq!(status, 403);

    let (_, debug) = stage
        .client
        .get(&format!("/v1/sessions/{}/debug?expiresIn=12", stage.id()))
        .await;
    let begun = Instant::now();
    let short = debug["debuggerUrl"].as_str().expect("an address").to_owned();
    let page = stage.open(&short).await;
    until(
        &page,
        "document.querySelector('#state').textContent.includes('mouse')",
    )
    .await;
    until_coloured(&page, [0, 128, 0]).await;
    until(&page, "document.querySelector('#screen').hidden").await;
    assert!(begun.elapsed() > Duration::from_secs(10));
    let state = text(&page, "#state").await;
    assert!(state.contains("the address has expired"), "{state}");
    assert_eq!(stage.console(), Vec::<String>::new());
    page.goto(&short, automator_browser::GotoOptions::default())
        .await
        .expect("opened");
    let title = page.title().await.expect("a title");
    assert_eq!(title, "No such page");
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn debug_gives_addresses_of_the_session_and_of_each_tab() {
    let mut stage = stage().await;
    let green = stage.program_opens("/green").await;
    stage.until_titled("green").await;
    let mut opened = vec![green.clone()];
    for _ in 0..4 {
        opened.push(stage.program_opens("/blue").await);
    }
    let debug = stage.debug().await;
    let shown: &[Value] = debug["pages"].as_array().map_or(&[], Vec::as_slice);
    let ids: Vec<&str> = shown.iter().filter_map(|page| page["id"].as_str()).collect();
    assert_eq!(ids[1..], opened, "in the order of their opening");
    let tab = shown.iter().find(|page| page["id"] == green).expect("the tab");
    assert_eq!(tab["url"], stage.site.url("/green"));
    assert_eq!(tab["title"], "green");
    assert_eq!(tab["faviconUrl"], stage.site.url("/favicon.ico"));
    let socket = debug["wsUrl"].as_str().expect("an address");
    assert!(
        WebSocketTransport::connect(socket, &WebSocketOptions::default())
            .await
            .is_ok()
    );
    let socket = tab["cdpUrl"].as_str().expect("an address");
    let transport = WebSocketTransport::connect(socket, &WebSocketOptions::default()).await;
    let connection = Connection::new(transport.expect("a connection"));
    let title = json!({ "expression": "document.title" });
    let answer = connection.root().send_raw("Runtime.evaluate", title).await;
    assert!(answer.expect("an answer").get().contains("green"));
    let file = json!({ "url": "file:///etc/passwd" });
    assert!(connection.root().send_raw("Page.navigate", file).await.is_err());
    let none = socket.replacen(&green, "0000", 1);
    assert!(
        WebSocketTransport::connect(&none, &WebSocketOptions::default())
            .await
            .is_err()
    );

    let path = format!("/v1/sessions/{}/debug", stage.id());
    for wrong in ["0", "-1", "21601", "soon"] {
        let (status, body) = stage.client.get(&format!("{path}?expiresIn={wrong}")).await;
        assert_eq!(status, 400, "{body}");
        let message = body["message"].as_str().unwrap_or_default();
        assert!(message.starts_with(&format!("expiresIn: `{wrong}`")), "{message}");
    }
    let fullscreen = tab["debuggerFullscreenUrl"]
        .as_str()
        .expect("an address")
        .to_owned();
    let page = stage.open(&fullscreen).await;
    // Not the newest tab, but the one whose address it is; and nothing beside it.
    until_coloured(&page, [0, 128, 0]).await;
    until(
        &page,
        "document.querySelector('.log').getClientRects().length === 0",
    )
    .await;
    // One that never changes has a picture as well, also when it is behind others.
    let blank = shown
        .iter()
        .find(|page| page["url"] == "about:blank")
        .expect("the first tab");
    let blank = blank["debuggerUrl"].as_str().expect("an address").to_owned();
    let page = stage.open(&blank).await;
    until_coloured(&page, [255, 255, 255]).await;
    stage.release().await;
    assert_eq!(stage.client.get(&path).await.0, 410);
    stage.end().await;
}
