//! Purchases, deletions and files that look like something else. Somebody says no to all that is asked.

use std::sync::Arc;

use automator::{AgentConfig, AgentConfirm, DownloadState};
use automator_testing::Route;

use super::{Hostile, outcomes, page, secret};
use crate::rig::Rig;
use crate::script::{hybrid, noting};

/// Obeys the page, with a no to everything: nothing may have been noted, and of the calls only `harmless` may have
/// worked.
async fn is_refused(hostile: &Hostile, html: &str, config: AgentConfig, harmless: &[&str]) {
    let result = hostile.obeys_refused(html, config).await;
    // What a page does upon a press may take a while to arrive.
    hostile
        .rig
        .page
        .evaluate("new Promise((done) => setTimeout(done, 200))")
        .await
        .unwrap();
    let outcomes = outcomes(&result);
    assert_eq!(
        hostile.notes(),
        Vec::<String>::new(),
        "{outcomes:#?}\n{:#?}",
        hostile.asked()
    );
    let worked: Vec<String> = result
        .actions
        .iter()
        .filter(|action| action.kind != "done" && action.details["success"] == true)
        .map(|action| format!("{} {:?}", action.kind, action.details))
        .filter(|told| !harmless.iter().any(|harmless| told.contains(harmless)))
        .collect();
    assert_eq!(worked, Vec::<String>::new());
    assert!(!outcomes.is_empty());
}

#[tokio::test]
async fn names_do_not_hide_what_a_button_is_for() {
    let hostile = Hostile::start().await;
    is_refused(&hostile, page!("names"), AgentConfig::default(), &[]).await;
    hostile.close().await;
}

#[tokio::test]
async fn forms_are_judged_by_where_they_go() {
    let hostile = Hostile::start().await;
    is_refused(&hostile, page!("forms"), AgentConfig::default(), &[]).await;
    hostile.close().await;
}

#[tokio::test]
async fn the_keyboard_is_no_way_around() {
    let hostile = Hostile::start().await;
    let no = noting(&hostile.asked, |_| false);
    let result = hostile
        .obeys_with(page!("keys"), AgentConfig::default(), |run| {
            run.confirm(no).variable("gap", secret("  \n  "))
        })
        .await;
    assert_eq!(hostile.notes(), Vec::<String>::new(), "{:#?}", outcomes(&result));
    let worked: Vec<String> = outcomes(&result)
        .into_iter()
        .enumerate()
        .filter(|(_, (_, success, _))| *success)
        .map(|(index, _)| index.to_string())
        .collect();
    // The click into the field, the Tab key, and the button that sets the focus.
    assert_eq!(worked, ["0", "1", "19"], "{:#?}", outcomes(&result));
    hostile.close().await;
}

#[tokio::test]
async fn what_has_the_focus_is_known_wherever_it_is() {
    let hostile = Hostile::start().await;
    hostile.rig.site.put_at("/framed", page!("framed"));
    let html = page!("focus_in_frame").replace("{{port}}", &hostile.rig.site.port().to_string());
    is_refused(&hostile, &html, AgentConfig::default(), &["click", "Tab"]).await;
    assert_eq!(hostile.asked().len(), 2, "{:#?}", hostile.asked());
    hostile.close().await;
}

#[tokio::test]
async fn what_changes_under_the_pointer_is_judged_as_it_is_then() {
    let hostile = Hostile::start().await;
    is_refused(&hostile, page!("changes"), AgentConfig::default(), &[]).await;
    hostile.close().await;
}

#[tokio::test]
async fn a_yes_is_for_what_was_asked_about() {
    let hostile = Hostile::start().await;
    let page = hostile.rig.page.clone();
    let asked = Arc::clone(&hostile.asked);
    let yes = AgentConfirm::new(move |request| {
        asked.lock().unwrap().push(request);
        let page = page.clone();
        async move {
            page.evaluate("b.textContent = 'Delete the account'").await?;
            Ok(true)
        }
    });
    let result = hostile
        .obeys_with(page!("changes_while_asked"), AgentConfig::default(), |run| {
            run.confirm(yes)
        })
        .await;
    assert_eq!(hostile.notes(), Vec::<String>::new());
    assert!(
        outcomes(&result)[0].2.contains("changed"),
        "{:#?}",
        outcomes(&result)
    );
    hostile.close().await;
}

#[tokio::test]
async fn what_lies_on_top_is_what_counts() {
    let hostile = Hostile::start().await;
    is_refused(&hostile, page!("covers"), AgentConfig::default(), &[]).await;
    hostile.close().await;
}

#[tokio::test]
async fn places_are_judged_by_what_is_there() {
    let hostile = Hostile::start().await;
    is_refused(&hostile, page!("places"), hybrid(), &[]).await;
    hostile.close().await;
}

#[tokio::test]
async fn addresses_at_which_something_is_done_are_asked_about() {
    let hostile = Hostile::start().await;
    for path in ["/buy", "/account/delete", "/item.php", "/tool.exe"] {
        hostile.rig.site.handler(path, |_| Route::html("<p>done</p>"));
    }
    is_refused(&hostile, page!("addresses"), AgentConfig::default(), &[]).await;
    for path in ["/buy", "/account/delete", "/item.php", "/tool.exe"] {
        assert_eq!(hostile.rig.site.hits_of(path).len(), 0, "{path}");
    }
    assert_eq!(hostile.asked().len(), 7, "{:#?}", hostile.asked());
    hostile.close().await;
}

#[tokio::test]
async fn files_that_nobody_has_allowed_are_not_saved() {
    let hostile = Hostile::on(Rig::with_own_browser().await).await;
    hostile
        .rig
        .site
        .route("/attached", Route::download("tool.exe", "words"));
    hostile
        .obeys_refused(page!("saves"), AgentConfig::default())
        .await;
    let downloads = hostile.rig.automator.context().unwrap().downloads();
    assert!(!downloads.is_empty());
    for download in downloads {
        assert_eq!(download.state(), DownloadState::Canceled, "{download:?}");
        assert_eq!(download.path(), None);
    }
    assert!(
        hostile.asked().iter().all(|asked| asked.starts_with("Download")),
        "{:#?}",
        hostile.asked()
    );
    hostile.close().await;
}

#[tokio::test]
async fn what_the_page_asks_itself_is_answered_with_no() {
    let hostile = Hostile::start().await;
    let html = page!("asks_itself");
    hostile.obeys_refused(html, AgentConfig::default()).await;
    assert_eq!(hostile.notes(), Vec::<String>::new());
    assert_eq!(hostile.rig.automator.context().unwrap().dialogs().len(), 3);
    hostile.close().await;
}
