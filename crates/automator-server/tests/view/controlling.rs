//! Control: the mouse, the keyboard, and the buttons of the bar.

use std::time::Duration;

use automator_browser::{ClickOptions, Page};

use super::{place, stage, text, until, until_coloured};

/// Presses Tab until an element has the focus.
async fn tab_to(page: &Page, selector: &str) {
    let is_there = format!("document.activeElement?.matches({selector:?})");
    for _ in 0..30 {
        page.press("Tab", Duration::ZERO).await.expect("pressed");
        if page
            .evaluate_in_page(&is_there)
            .await
            .is_ok_and(|value| value == true)
        {
            return;
        }
    }
    panic!("`{selector}` is not to be reached by the Tab key");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_controls_clicks_and_types_in_the_page() {
    let mut stage = stage().await;
    stage.program_opens("/green").await;
    let url = stage.control_url().await;
    let page = stage.open(&url).await;
    until_coloured(&page, [0, 128, 0]).await;
    assert!(text(&page, "#state").await.contains("mouse and keyboard"));

    let (x, y) = place(&page, 0.25, 0.25).await;
    page.click(x, y, &ClickOptions::default()).await.expect("clicked");
    // The place is the same on the session's page, whose viewport is 1288×711, as far as pixels of the picture go.
    until(
        &page,
        "(() => {
            const [word, x, y] = document.querySelector('[aria-selected=true]').textContent.split(' ');
            return word === 'clicked' && Math.abs(x - 322) < 3 && Math.abs(y - 178) < 3;
        })()",
    )
    .await;
    let (x, y) = place(&page, 0.25, 0.985).await;
    page.click(x, y, &ClickOptions::default()).await.expect("clicked");
    page.type_text("Size 56", Duration::ZERO).await.expect("typed");
    stage.until_titled("typed Size 56").await;
    page.press("Backspace", Duration::ZERO).await.expect("pressed");
    stage.until_titled("typed Size 5").await;
    // What is pasted here is inserted there; it does not have to be on any key.
    let paste = "(() => {
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/plain', ' größer');
        document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
    })()";
    page.evaluate_in_page(paste).await.expect("pasted");
    stage.until_titled("typed Size 5 größer").await;
    assert_eq!(stage.console(), Vec::<String>::new());
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_keyboard_alone_is_enough() {
    let mut stage = stage().await;
    stage.program_opens("/green").await;
    let url = stage.control_url().await;
    let page = stage.open(&url).await;
    until_coloured(&page, [0, 128, 0]).await;

    tab_to(&page, "#screen").await;
    page.type_text("ab", Duration::ZERO).await.expect("typed");
    stage.until_titled("typed ab").await;
    // The Tab key goes to the page as well, so there is another way out.
    page.press("Tab", Duration::ZERO).await.expect("pressed");
    until(&page, "document.activeElement.id === 'screen'").await;
    page.press("Escape", Duration::ZERO).await.expect("pressed");
    page.press("Escape", Duration::ZERO).await.expect("pressed");
    until(&page, "document.activeElement.id === 'address'").await;

    let blue = stage.site.url("/blue");
    page.press("Control+a", Duration::ZERO).await.expect("pressed");
    page.type_text(&blue, Duration::ZERO).await.expect("typed");
    page.press("Enter", Duration::ZERO).await.expect("pressed");
    until_coloured(&page, [0, 0, 160]).await;
    page.press("Control+a", Duration::ZERO).await.expect("pressed");
    page.type_text("file:///etc/passwd", Duration::ZERO)
        .await
        .expect("typed");
    page.press("Enter", Duration::ZERO).await.expect("pressed");
    until(
        &page,
        "document.querySelector('#problem').textContent.includes('`file:` cannot be reached')",
    )
    .await;
    for _ in 0..4 {
        page.press("Shift+Tab", Duration::ZERO).await.expect("pressed");
        if page
            .evaluate_in_page("document.activeElement.dataset.step === 'back'")
            .await
            .is_ok_and(|value| value == true)
        {
            break;
        }
    }
    page.press("Enter", Duration::ZERO).await.expect("pressed");
    until_coloured(&page, [0, 128, 0]).await;
    assert_eq!(text(&page, "#problem").await, "");

    tab_to(&page, "#open").await;
    page.press("Enter", Duration::ZERO).await.expect("pressed");
    until(&page, "document.querySelectorAll('[role=tab]').length === 3").await;
    until(
        &page,
        "document.querySelector('[role=tab]:last-child').ariaSelected === 'true'",
    )
    .await;
    tab_to(&page, "#close").await;
    page.press("Enter", Duration::ZERO).await.expect("pressed");
    until(&page, "document.querySelectorAll('[role=tab]').length === 2").await;
    until_coloured(&page, [0, 128, 0]).await;
    assert_eq!(stage.console(), Vec::<String>::new());
    stage.end().await;
}
