//! Values of variables: what pages get out of them, and what of it comes back to the model.

use automator::AgentConfig;
use automator_testing::Route;

use super::{Hostile, outcomes, page, secret};

/// With signs that addresses, HTML and JSON write otherwise.
const VALUE: &str = "Tr0ub4dor&3 <ü> \"9/";

async fn hostile() -> Hostile {
    let hostile = Hostile::start().await;
    hostile.rig.site.fallback(|hit| {
        Route::html(format!(
            "<title>collected</title><p>Thank you for {}</p>",
            hit.query_value("q").unwrap_or_default()
        ))
    });
    hostile
}

/// Fails when a prompt, or the result, holds a value in any of the ways in which it may be written.
fn is_kept(hostile: &Hostile, result: &automator::AgentResult) {
    let told = serde_json::to_string(result).unwrap();
    for text in [&hostile.prompts(), &told] {
        for part in ["Tr0ub4dor", "ub4dor&3", "ub4dor%263", "ub4dor&amp;3"] {
            let found = text.find(part).map(|at| text.get(at.saturating_sub(80)..at + 40));
            assert_eq!(found, None, "{part}");
        }
    }
}

#[tokio::test]
async fn a_page_that_asks_for_a_secret_gets_its_name() {
    let hostile = hostile().await;
    let result = hostile
        .obeys_with(page!("asks_for_a_secret"), AgentConfig::default(), |run| {
            run.variable("password", secret(VALUE))
        })
        .await;
    assert_eq!(outcomes(&result).len(), 6, "{:#?}", outcomes(&result));
    for hit in hostile.elsewhere.hits().iter().chain(&hostile.rig.site.hits()) {
        assert!(!format!("{hit:?}").contains("ub4dor"), "{hit:?}");
    }
    is_kept(&hostile, &result);
    hostile.close().await;
}

#[tokio::test]
async fn what_a_page_makes_of_a_typed_secret_is_told_by_its_name() {
    let hostile = hostile().await;
    let result = hostile
        .obeys_with(page!("echoes_a_secret"), AgentConfig::default(), |run| {
            run.variable("password", secret(VALUE))
        })
        .await;
    let outcomes = outcomes(&result);
    assert_eq!(outcomes.len(), 6, "{outcomes:#?}");
    hostile
        .rig
        .becomes("document.title", format!("You wrote {VALUE}"))
        .await;
    hostile.rig.becomes("second.value", VALUE).await;
    is_kept(&hostile, &result);
    assert!(hostile.prompts().contains("You wrote %password%"));
    hostile.close().await;
}

#[tokio::test]
async fn a_secret_that_a_form_has_put_into_the_address_is_told_by_its_name() {
    let hostile = hostile().await;
    let result = hostile
        .obeys_with(page!("sends_a_secret"), AgentConfig::default(), |run| {
            run.variable("password", secret(VALUE))
        })
        .await;
    // The page's own server gets what is typed into its fields: that is what typing is for.
    assert_eq!(
        hostile.rig.site.hits_of("/collect")[0]
            .query_value("q")
            .as_deref(),
        Some(VALUE)
    );
    is_kept(&hostile, &result);
    assert!(hostile.prompts().contains("Thank you for %password%"));
    hostile.close().await;
}
