//! Looking on.

use automator_browser::ClickOptions;
use automator_server::platform::OperationNews;
use std::time::Duration;

use super::{place, stage, text, until, until_coloured};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_looks_sees_the_page_its_tabs_and_what_is_done_until_the_end() {
    let mut stage = stage().await;
    let green = stage.program_opens("/green").await;
    let earlier = OperationNews {
        time: 1_700_000_000_000,
        method: "act".to_owned(),
        instruction: "press <b>the</b> button".to_owned(),
        selector: Some("xpath=/html/body/div".to_owned()),
        tokens: Some(321),
        ok: true,
    };
    stage.server.platform().announce(stage.id(), earlier.clone());
    let url = stage.view_url();
    let page = stage.open(&url).await;
    until_coloured(&page, [0, 128, 0]).await;
    assert!(text(&page, "#state").await.contains("looking on"));
    until(
        &page,
        "document.querySelector('#time').textContent.includes('59 min')",
    )
    .await;
    until(
        &page,
        "document.querySelector('[aria-selected=true]').textContent === 'green'",
    )
    .await;
    let line = text(&page, "#operations li").await;
    for part in [
        "act",
        "press <b>the</b> button",
        "321 tokens",
        "xpath=/html/body/div",
    ] {
        assert!(line.contains(part), "{line}");
    }

    // The newest tab is followed, and one that is behind another can be looked at.
    let blue = stage.program_opens("/blue").await;
    until_coloured(&page, [0, 0, 160]).await;
    page.locator(&format!("#tab-{green}"))
        .click(&Default::default())
        .await
        .expect("chosen");
    until_coloured(&page, [0, 128, 0]).await;
    page.press("ArrowRight", Duration::ZERO).await.expect("pressed");
    until_coloured(&page, [0, 0, 160]).await;
    let focused = format!("document.activeElement.id === 'tab-{blue}'");
    until(&page, &focused).await;
    stage.program_closes(&blue).await;
    until_coloured(&page, [0, 128, 0]).await;
    until(&page, &format!("!document.querySelector('#tab-{blue}')")).await;

    let later = OperationNews {
        method: "extract".to_owned(),
        ok: false,
        ..earlier
    };
    stage.server.platform().announce(stage.id(), later);
    until(
        &page,
        "document.querySelector('#operations li:nth-child(2) .failed') !== null",
    )
    .await;

    stage.release().await;
    until(&page, "document.querySelector('#screen').hidden").await;
    let state = text(&page, "#state").await;
    assert!(state.contains("ended") && state.contains("its owner"), "{state}");
    assert_eq!(stage.console(), Vec::<String>::new());
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_only_looks_changes_nothing_in_the_browser() {
    let mut stage = stage().await;
    stage.program_opens("/green").await;
    let url = stage.view_url();
    let page = stage.open(&url).await;
    until_coloured(&page, [0, 128, 0]).await;
    let (x, y) = place(&page, 0.25, 0.25).await;
    page.click(x, y, &ClickOptions::default()).await.expect("clicked");
    page.type_text("words", Duration::ZERO).await.expect("typed");
    until(&page, "document.querySelector('#bar').hidden").await;

    // Neither does one whose page is another than ours.
    let refused = "new Promise((resolve) => {
        const address = new URL(`/v1${location.pathname}/view${location.search}`, location);
        address.protocol = 'ws:';
        const socket = new WebSocket(address);
        const messages = [
            { type: 'mouse', action: 'press', x: 20, y: 20, button: 'left', clicks: 1 },
            { type: 'navigate', address: 'about:blank' },
            { type: 'open' },
            { type: 'evaluate', expression: 'document.title = 1' },
        ];
        const answers = [];
        socket.onopen = () => messages.forEach((message) => socket.send(JSON.stringify(message)));
        socket.onmessage = ({ data }) => {
            if (typeof data === 'string' && JSON.parse(data).type === 'problem') answers.push(JSON.parse(data).message);
            if (answers.length === messages.length) { socket.close(); resolve(answers.join('\\n')); }
        };
    })";
    let answers = page.evaluate_in_page(refused).await.expect("answers");
    let answers = answers.as_str().unwrap_or_default();
    assert_eq!(answers.matches("for looking on").count(), 3, "{answers}");
    assert!(answers.contains("cannot be read"), "{answers}");
    // What was sent would have been there by now: the answers come in the order of the messages.
    let titles = stage.titles().await;
    assert!(
        titles.contains(&"green".to_owned()) && titles.len() == 2,
        "{titles:?}"
    );
    assert_eq!(stage.console(), Vec::<String>::new());
    stage.end().await;
}
