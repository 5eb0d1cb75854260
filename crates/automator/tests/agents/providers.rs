//! The same run in the wire form of every provider: calls, results, a picture, the forced call at the end.

use automator::{AgentConfig, AgentMode};
use automator_testing::{Answer, Kind};
use serde_json::json;

use crate::rig::{Rig, model_on};
use crate::script::{act_on, call, is_closing, play_alone};

#[tokio::test]
async fn every_wire_form_carries_a_run() {
    let rig = Rig::start().await;
    for (name, chat) in [
        ("openai/gpt-4.1-mini", false),
        ("openai/gpt-4.1-mini", true),
        ("anthropic/claude-sonnet-4-5", false),
        ("google/gemini-2.5-flash", false),
    ] {
        rig.show("<button onclick=\"document.title = 'hit'\">Go</button>")
            .await;
        let before = rig.model.requests().len();
        let both = Box::new(|_: &automator_testing::Request| {
            Answer::tool("think", json!({ "reasoning": "one" })).and_tool("screenshot", json!({}))
        });
        play_alone(
            &rig,
            vec![
                call("scroll", json!({ "direction": "down" })),
                both,
                act_on("click {}", "button: Go"),
            ],
        );
        let config = AgentConfig {
            model: Some(model_on(&rig.model, name, chat)),
            mode: Some(AgentMode::Dom),
            ..AgentConfig::default()
        };
        let result = rig.automator.agent(config).execute("press go").await.unwrap();
        assert_eq!(rig.model.failures(), Vec::<String>::new(), "{name}");
        assert!(result.success, "{name}: {result:?}");
        assert_eq!(result.actions.len(), 5, "{name}");
        rig.becomes("document.title", "hit").await;
        let requests = rig.model.requests_of(Kind::Agent).split_off(before);
        assert_eq!(requests.len(), 5, "{name}");
        assert_eq!(requests[3].tool_results.len(), 4, "{name}: {}", requests[3].raw);
        assert_eq!(requests[2].images, 1, "{name}");
        assert!(is_closing(&requests[4]), "{name}");
        assert!(result.usage.input_tokens > 0, "{name}");
    }
    rig.close().await;
}
