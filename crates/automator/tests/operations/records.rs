//! Metrics, history, log, inference files.

use std::sync::{Arc, Mutex};

use automator::{HistoryMethod, LogLine, Verbosity};
use automator_testing::{Answer, Usage};
use serde_json::json;

use crate::rig::Rig;

#[tokio::test]
async fn metrics_count_every_call_and_survive_a_close() {
    let rig = Rig::start().await;
    rig.show("<p>x</p>").await;
    assert_eq!(rig.automator.metrics(), automator::AutomatorMetrics::default());
    rig.model.set_usage(Usage {
        input: 100,
        output: 20,
        reasoning: 3,
        cached: 5,
    });
    rig.model.script(|_| Answer::value(json!({ "extraction": "ok" })));
    rig.automator.extract("it").await.unwrap();
    rig.automator.page_text().await.unwrap();
    let metrics = rig.automator.metrics();
    assert_eq!(
        (metrics.extract_prompt_tokens, metrics.extract_completion_tokens),
        (100, 20)
    );
    assert_eq!(
        (
            metrics.extract_reasoning_tokens,
            metrics.extract_cached_input_tokens
        ),
        (3, 5)
    );
    assert_eq!(metrics.total_prompt_tokens, 100);
    rig.automator.close().await.unwrap();
    assert_eq!(rig.automator.metrics(), metrics);
    assert!(rig.automator.history().is_empty());
}

#[tokio::test]
async fn history_holds_navigations_and_extractions_in_order() {
    let rig = Rig::start().await;
    let at = rig.show("<p>x</p>").await;
    rig.model.script(|_| Answer::value(json!({ "extraction": "ok" })));
    rig.automator.extract("it").selector("p").await.unwrap();
    let history = rig.automator.history();
    assert_eq!(
        history.iter().map(|entry| entry.method).collect::<Vec<_>>(),
        [HistoryMethod::Navigate, HistoryMethod::Extract]
    );
    assert_eq!(history[0].parameters["url"], at.url);
    assert_eq!(
        history[1].parameters,
        json!({ "instruction": "it", "selector": "p" })
    );
    assert_eq!(history[1].result, json!({ "extraction": "ok" }));
    assert!(history[1].timestamp.ends_with('Z'));
    rig.close().await;
}

#[tokio::test]
async fn the_logger_hears_what_the_verbosity_allows_and_may_panic() {
    for (verbose, expected) in [
        (Verbosity::Minimal, false),
        (Verbosity::Standard, true),
        (Verbosity::Detailed, true),
    ] {
        let lines: Arc<Mutex<Vec<LogLine>>> = Arc::default();
        let kept = Arc::clone(&lines);
        let rig = Rig::with(|builder| {
            builder.verbose(verbose).logger(move |line| {
                kept.lock().unwrap().push(line.clone());
                assert!(
                    line.category != "extraction",
                    "a logger that panics harms nothing"
                );
            })
        })
        .await;
        rig.show("<p>x</p>").await;
        rig.model.script(|_| Answer::value(json!({ "extraction": "ok" })));
        rig.automator.extract("it").await.unwrap();
        let lines = lines.lock().unwrap().clone();
        assert!(lines.iter().all(|line| line.level <= verbose), "{lines:?}");
        assert_eq!(lines.iter().any(|line| line.category == "extraction"), expected);
        assert_eq!(
            lines.iter().any(|line| line.category == "llm"),
            verbose == Verbosity::Detailed
        );
        rig.close().await;
    }
}
