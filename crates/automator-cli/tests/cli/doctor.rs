//! `automator doctor`.

use automator_testing::{Answer, Fault, ScriptedModel};
use serde_json::{Value, json};

use crate::command::{World, asking};

async fn model_that_reads_headings() -> ScriptedModel {
    let model = ScriptedModel::start().await;
    model.script(|request| {
        assert!(request.text.contains("heading: Ready"), "{}", request.text);
        Answer::value(json!({ "heading": "Ready" }))
    });
    model
}

fn check<'v>(report: &'v Value, name: &str) -> &'v Value {
    let checks = report["checks"].as_array().unwrap();
    checks.iter().find(|check| check["name"] == name).unwrap()
}

#[tokio::test]
async fn all_is_well_with_a_browser_and_a_model() {
    let model = model_that_reads_headings().await;
    let world = World::new()
        .set("OPENAI_API_KEY", "sk-very-secret")
        .set("HTTPS_PROXY", "http://me:hidden@127.0.0.1:1");
    let [option, base_url] = asking(&model);
    let outcome = world.run(&["doctor", &option, &base_url]).await;
    let lines: Vec<Vec<&str>> = outcome
        .result()
        .lines()
        .map(|line| line.split_whitespace().take(2).collect())
        .collect();
    assert_eq!(
        lines,
        [
            ["browser", "ok"],
            ["keys", "ok"],
            ["model", "ok"],
            ["proxy", "ok"]
        ]
    );
    assert!(outcome.stdout.contains("Chromium 1"), "{outcome:?}");
    assert!(outcome.stdout.contains("set: OPENAI_API_KEY"), "{outcome:?}");
    assert!(outcome.stdout.contains("gpt-4.1-mini answers"), "{outcome:?}");
    assert!(outcome.stdout.contains("set: HTTPS_PROXY"), "{outcome:?}");
    let said = format!("{}{}", outcome.stdout, outcome.stderr);
    assert!(
        !said.contains("secret") && !said.contains("hidden"),
        "{outcome:?}"
    );
    assert_eq!(model.requests().len(), 1);
}

#[tokio::test]
async fn a_missing_key_is_a_warning_with_what_to_do() {
    let report = World::new().run(&["doctor", "--json"]).await.json();
    assert_eq!(report["ok"], true);
    assert_eq!(check(&report, "browser")["status"], "ok");
    assert_eq!(check(&report, "keys")["status"], "warning");
    assert_eq!(check(&report, "model")["status"], "warning");
    assert!(
        check(&report, "model")["toDo"]
            .as_str()
            .unwrap()
            .contains("OPENAI_API_KEY")
    );

    let world = World::new().set("ANTHROPIC_API_KEY", "sk-very-secret");
    let report = world.run(&["doctor", "--json"]).await.json();
    assert!(
        check(&report, "model")["toDo"]
            .as_str()
            .unwrap()
            .contains("--model anthropic/")
    );
}

#[tokio::test]
async fn a_chosen_model_that_cannot_be_asked_is_a_failure() {
    let outcome = World::new()
        .run(&["doctor", "--json", "--model", "groq/some-model"])
        .await;
    assert_eq!(outcome.code, 4, "{outcome:?}");
    let report: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(report["ok"], false);
    assert_eq!(check(&report, "browser")["status"], "ok");
    assert_eq!(check(&report, "model")["status"], "failed");
    assert!(
        check(&report, "model")["message"]
            .as_str()
            .unwrap()
            .contains("GROQ_API_KEY")
    );

    let outcome = World::new().run(&["doctor", "--model", "some-model"]).await;
    assert_eq!(outcome.code, 4, "{outcome:?}");
    assert!(outcome.stdout.contains("provider/model"), "{outcome:?}");
}

#[tokio::test]
async fn a_model_that_does_not_answer_in_time_is_told() {
    let model = ScriptedModel::start().await;
    model.fault_always(Some(Fault::Hang));
    let [option, base_url] = asking(&model);
    let world = World::new().set("OPENAI_API_KEY", "key");
    let outcome = world.run(&["doctor", "--timeout", "1", &option, &base_url]).await;
    assert_eq!(outcome.code, 6, "{outcome:?}");
    assert!(outcome.stdout.contains("timed out"), "{outcome:?}");
    assert!(outcome.stdout.contains("→ "), "{outcome:?}");
}

#[tokio::test]
async fn a_missing_browser_is_told_with_what_to_do_and_the_rest_still_checked() {
    let world = World::new().set("OPENAI_API_KEY", "key");
    let outcome = world
        .run(&["doctor", "--json", "--executable-path", "/nonexistent/browser"])
        .await;
    assert_eq!(outcome.code, 3, "{outcome:?}");
    let report: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let browser = check(&report, "browser");
    assert_eq!(browser["status"], "failed");
    assert!(
        browser["message"]
            .as_str()
            .unwrap()
            .contains("/nonexistent/browser")
    );
    assert!(browser["toDo"].is_string(), "{browser}");
    assert_eq!(check(&report, "keys")["status"], "ok");
    assert_eq!(check(&report, "model")["status"], "skipped");
}

#[tokio::test]
async fn a_browser_that_cannot_be_attached_to_is_told_with_how_to_start_one() {
    let outcome = World::new()
        .run(&["doctor", "--cdp-url", "http://127.0.0.1:1"])
        .await;
    assert_eq!(outcome.code, 3, "{outcome:?}");
    assert!(outcome.stdout.contains("no browser at"), "{outcome:?}");
    assert!(outcome.stdout.contains("--remote-debugging-port"), "{outcome:?}");
}
