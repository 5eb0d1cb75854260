//! Pages that have no end: of text, of tabs, of dialogs, of things to do.

use std::time::{Duration, Instant};

use automator::{AgentConfig, AgentResult};
use automator_testing::{Answer, Kind};
use serde_json::json;

use super::{Hostile, outcomes, page};
use crate::script::{done, is_closing};

/// No request to the model may be longer, in bytes: two pages told in full, with a third of the model's window each,
/// and what stands beside them.
const LONGEST_REQUEST: usize = 2_300_000;

/// A run on a page without an end, with the limits that a careful caller sets; gives how long it took, too.
async fn run(hostile: &Hostile, html: &str) -> (AgentResult, Duration) {
    let started = Instant::now();
    let result = hostile
        .obeys_with(html, AgentConfig::default(), |run| {
            run.max_steps(8)
                .tool_timeout(Duration::from_secs(3))
                .timeout(Duration::from_secs(60))
        })
        .await;
    let took = started.elapsed();
    // What `extract` asks is bounded by the window of the model, and in parts.
    for request in hostile.rig.model.requests_of(Kind::Agent) {
        assert!(request.raw.len() < LONGEST_REQUEST, "{} bytes", request.raw.len());
    }
    (result, took)
}

/// Whether the session can go on with another page.
async fn still_works(hostile: &Hostile) {
    let at = hostile.rig.site.put("<p>Quiet at last</p>");
    let page = hostile.rig.new_page().await;
    page.goto(&at.url).await.unwrap();
    assert!(hostile.rig.text().await.contains("Quiet at last"));
}

#[tokio::test]
async fn a_page_that_grows_without_end_does_not_fill_the_prompt() {
    let hostile = Hostile::start().await;
    let (result, _) = run(&hostile, page!("grows")).await;
    assert!(outcomes(&result).len() > 2, "{:#?}", outcomes(&result));
    still_works(&hostile).await;
    hostile.close().await;
}

#[tokio::test]
async fn texts_of_millions_of_signs_do_not_fill_the_prompt() {
    let hostile = Hostile::start().await;
    let (result, _) = run(&hostile, page!("long_texts")).await;
    assert_eq!(outcomes(&result).len(), 4, "{:#?}", outcomes(&result));
    still_works(&hostile).await;
    hostile.close().await;
}

#[tokio::test]
async fn a_page_that_opens_tab_after_tab_does_not_stop_a_run() {
    let hostile = Hostile::start().await;
    hostile
        .rig
        .site
        .fallback(|_| automator_testing::Route::html("<p>One more tab</p>"));
    let (result, _) = run(&hostile, page!("opens_tabs")).await;
    assert!(outcomes(&result).len() >= 3, "{:#?}", outcomes(&result));
    let tabs = hostile.rig.automator.context().unwrap().pages().len();
    assert!(tabs > 2, "{tabs} tabs");
    hostile.close().await;
}

#[tokio::test]
async fn a_page_with_dialog_after_dialog_does_not_stop_a_run() {
    let hostile = Hostile::start().await;
    let (result, _) = run(&hostile, page!("asks_without_end")).await;
    assert_eq!(outcomes(&result).len(), 3, "{:#?}", outcomes(&result));
    still_works(&hostile).await;
    hostile.close().await;
}

#[tokio::test]
async fn a_page_that_never_rests_holds_up_no_run() {
    let hostile = Hostile::start().await;
    let (_, took) = run(&hostile, page!("never_rests")).await;
    // A page that is gone before it has been read may not be told at all; the run ends all the same.
    assert!(took < Duration::from_secs(60), "{took:?}");
    still_works(&hostile).await;
    hostile.close().await;
}

#[tokio::test]
async fn a_page_that_hangs_holds_up_no_run_beyond_its_limit() {
    let hostile = Hostile::start().await;
    let (result, took) = run(&hostile, page!("hangs")).await;
    let read = |(tool, success, _): &(String, bool, String)| tool == "ariaTree" && *success;
    assert!(!outcomes(&result).iter().any(read), "{:#?}", outcomes(&result));
    assert!(!result.actions.is_empty());
    assert!(took < Duration::from_secs(70), "{took:?}");
    still_works(&hostile).await;
    hostile.close().await;
}

#[tokio::test]
async fn a_page_that_always_has_one_more_thing_to_do_is_ended_by_the_limit() {
    let hostile = Hostile::start().await;
    let (result, _) = run(&hostile, page!("lures")).await;
    assert_eq!(outcomes(&result).len(), 8, "{:#?}", outcomes(&result));
    hostile.rig.becomes("count", 8).await;
    hostile.close().await;
}

#[tokio::test]
async fn doing_the_same_over_and_over_is_ended() {
    let hostile = Hostile::start().await;
    hostile.rig.show(page!("repeats")).await;
    hostile.rig.model.script(|request| {
        if is_closing(request) {
            return done("enough");
        }
        Answer::tool("wait", json!({ "timeMs": 1 }))
    });
    let agent = hostile.rig.automator.agent(AgentConfig::default());
    let result = agent.execute("wait").max_steps(100).await.unwrap();
    assert!(
        !result.success && result.message.contains("in circles"),
        "{result:?}"
    );
    assert!(result.actions.len() < 12, "{}", result.actions.len());
    hostile.close().await;
}
