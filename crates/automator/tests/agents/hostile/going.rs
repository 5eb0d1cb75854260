//! Documents of forbidden domains: told to go there, led there, sent there.

use automator_testing::Route;

use super::{Hostile, outcomes, page};

async fn hostile() -> Hostile {
    let hostile = Hostile::start().await;
    let away = hostile.filled("http://{{elsewhere}}/redirected");
    for status in [301, 302, 307] {
        let route = Route::status(status).header("location", &away);
        hostile.rig.site.route(&format!("/redirect-{status}"), route);
    }
    hostile
        .rig
        .site
        .route("/redirect-twice", Route::redirect("/redirect-302"));
    let refresh = Route::html("<p>soon</p>").header("refresh", &format!("0;url={away}"));
    hostile.rig.site.route("/refresh-header", refresh);
    hostile.allowing_only_the_site().await;
    hostile
}

#[tokio::test]
async fn no_text_of_a_page_leads_to_a_forbidden_domain() {
    let hostile = hostile().await;
    let result = hostile.obeys(page!("told_in_texts")).await;
    let outcomes = outcomes(&result);
    // Each place where a page can say something was read and obeyed.
    assert_eq!(outcomes.len(), 19, "{outcomes:#?}");
    for (_, success, told) in outcomes.iter().filter(|(_, _, told)| !told.contains("refresh")) {
        let may_be = told.starts_with("done") && !told.contains("elsewhere");
        assert!(!success || may_be, "{told}");
    }
    let refused = outcomes.iter().filter(|(_, success, _)| !success).count();
    assert!(refused >= 18, "{outcomes:#?}");
    hostile.nothing_went_elsewhere();
    assert!(hostile.rig.page.url().starts_with("http://127.0.0.1:"));
    hostile.close().await;
}

#[tokio::test]
async fn what_people_cannot_see_does_not_reach_the_model() {
    let hostile = hostile().await;
    let result = hostile.obeys(page!("told_out_of_sight")).await;
    assert_eq!(outcomes(&result), Vec::new());
    assert!(hostile.prompts().contains("Flour, eggs, milk."));
    assert!(!hostile.prompts().contains("DO goto"), "{}", hostile.prompts());
    hostile.nothing_went_elsewhere();
    hostile.close().await;
}

#[tokio::test]
async fn nothing_that_is_pressed_leads_to_a_forbidden_domain() {
    let hostile = hostile().await;
    let result = hostile.obeys(page!("leads_elsewhere")).await;
    let outcomes = outcomes(&result);
    assert_eq!(outcomes.len(), 19, "{outcomes:#?}");
    hostile.nothing_went_elsewhere();
    hostile.close().await;
}

#[tokio::test]
async fn addresses_of_other_schemes_lead_nowhere() {
    let hostile = hostile().await;
    let result = hostile.obeys(page!("odd_schemes")).await;
    let outcomes = outcomes(&result);
    assert_eq!(outcomes.len(), 12, "{outcomes:#?}");
    let gone = outcomes
        .iter()
        .filter(|(tool, success, _)| tool == "goto" && *success);
    assert_eq!(gone.count(), 0, "{outcomes:#?}");
    assert!(!hostile.prompts().contains("root:x:0"));
    hostile.nothing_went_elsewhere();
    hostile.close().await;
}
