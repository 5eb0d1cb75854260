//! The list of sessions.

use super::{stage, text, until};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_list_asks_for_the_key_and_shows_and_releases_sessions() {
    let mut stage = stage().await;
    let url = format!("{}/sessions", stage.server.public_url());
    let page = stage.open(&url).await;
    until(&page, "!document.querySelector('#sign-in').hidden").await;
    let click = |selector: &'static str| {
        let locator = page.locator(selector);
        async move { locator.click(&Default::default()).await.expect("clicked") }
    };
    page.locator("#key")
        .fill(stage.client.key(), None)
        .await
        .expect("filled");
    click("#sign-in button").await;
    until(&page, "document.querySelectorAll('.card').length === 1").await;
    let facts = text(&page, ".card .facts").await;
    assert!(facts.contains("Running") && facts.contains("local"), "{facts}");
    let watch = page
        .evaluate_in_page("document.querySelector('[data-do=watch]').href")
        .await;
    assert_eq!(watch.expect("an address"), stage.view_url());
    let stored = page
        .evaluate_in_page("localStorage.length + document.cookie.length + sessionStorage.length")
        .await;
    assert_eq!(stored.expect("a number"), 1, "the key is kept for the tab alone");

    click("[data-do=release]").await;
    assert_eq!(text(&page, "[data-do=release]").await, "Release: sure?");
    click("[data-do=release]").await;
    until(&page, "document.querySelectorAll('.card').length === 0").await;
    click("#ended").await;
    until(
        &page,
        "document.querySelector('.card .facts')?.textContent.includes('its owner has ended it')",
    )
    .await;
    click("#sign-out").await;
    until(
        &page,
        "sessionStorage.length === 0 && document.querySelectorAll('.card').length === 0",
    )
    .await;
    assert_eq!(stage.console(), Vec::<String>::new());

    page.locator("#key")
        .fill("amk_wrong", None)
        .await
        .expect("filled");
    click("#sign-in button").await;
    until(
        &page,
        "document.querySelector('#problem').textContent.includes('not valid')",
    )
    .await;
    until(
        &page,
        "document.activeElement.id === 'key' && sessionStorage.length === 0",
    )
    .await;
    stage.end().await;
}
