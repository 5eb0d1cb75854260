//! Variables: names reach the model, values only the page.

use std::sync::{Arc, Mutex};

use automator::{AgentConfig, Variable};
use automator_testing::Answer;
use serde_json::json;

use crate::rig::Rig;
use crate::script::{act_on, action, call, play, play_alone, results};

const SECRET: &str = "Topsecret-9";

fn secret() -> Variable {
    Variable::new(SECRET).described("login password")
}

/// Echoes what is typed as its own text.
const ECHO: &str =
    "<input aria-label=Pass oninput=\"echo.textContent = 'You wrote ' + this.value\"><p id=echo>nothing</p>";

#[tokio::test]
async fn names_reach_the_model_and_values_reach_only_the_page() {
    let lines = Arc::new(Mutex::new(String::new()));
    let written = Arc::clone(&lines);
    let rig = Rig::with(move |builder| {
        builder
            .verbose(automator::Verbosity::Detailed)
            .logger(move |line| {
                written.lock().unwrap().push_str(&format!("{line:?}\n"));
            })
    })
    .await;
    rig.show(ECHO).await;
    play(
        &rig,
        vec![
            call("act", json!({ "action": "type %pw% into Pass" })),
            act_on("type %pw% into {}", "textbox: Pass"),
            call("keys", json!({ "method": "type", "value": "%pw%" })),
            call("extract", json!({ "instruction": "what was written" })),
            call("ariaTree", json!({})),
        ],
        |request| match request.kind {
            automator_testing::Kind::Act => action(request, "textbox: Pass", "fill", &["%pw%"]),
            _ => {
                assert!(request.text.contains("You wrote %pw%"), "{}", request.text);
                Answer::value(json!({ "extraction": "You wrote %pw%" }))
            }
        },
    );
    let agent = rig.automator.agent(AgentConfig::default());
    let result = agent
        .execute("log in with %pw%")
        .variable("pw", secret())
        .await
        .unwrap();
    assert_eq!(rig.model.failures(), Vec::<String>::new());
    assert!(result.success, "{result:?}");
    rig.becomes(
        "document.querySelector('input').value",
        format!("{SECRET}{SECRET}"),
    )
    .await;
    for request in rig.model.requests() {
        assert!(!request.raw.contains(SECRET), "{}", request.raw);
    }
    let first = &rig.model.requests()[0];
    assert!(first.text.contains("%pw%: login password"), "{}", first.text);
    assert!(results(&rig)[4].contains("You wrote %pw%"), "{:?}", results(&rig));
    let told = serde_json::to_string(&result).unwrap();
    assert!(!told.contains(SECRET), "{told}");
    assert!(!format!("{:?}", rig.automator.history()).contains(SECRET));
    let lines = lines.lock().unwrap().clone();
    assert!(lines.contains("agent") && !lines.contains(SECRET));
    rig.close().await;
}

#[tokio::test]
async fn a_name_without_a_value_is_refused() {
    let rig = Rig::start().await;
    let agent = rig.automator.agent(AgentConfig::default());
    let error = agent.execute("log in with %pw%").await.unwrap_err();
    assert_eq!(error.kind(), automator::ErrorKind::InvalidArgument);
    rig.close().await;
}

#[tokio::test]
async fn a_value_in_the_task_itself_is_told_by_its_name() {
    let rig = Rig::start().await;
    play_alone(&rig, vec![]);
    let agent = rig.automator.agent(AgentConfig::default());
    let task = format!("log in with {SECRET}");
    agent.execute(task).variable("pw", secret()).await.unwrap();
    for request in rig.model.requests() {
        assert!(!request.raw.contains(SECRET));
    }
    rig.close().await;
}

#[tokio::test]
async fn values_too_short_to_be_masked_are_told_of_once() {
    let lines: Arc<Mutex<Vec<String>>> = Arc::default();
    let noting = Arc::clone(&lines);
    let rig = Rig::with(|builder| {
        builder
            .verbose(automator::Verbosity::Detailed)
            .logger(move |line| {
                if line.category == "variables" {
                    noting
                        .lock()
                        .unwrap()
                        .push(format!("{} {:?}", line.message, line.auxiliary));
                }
            })
    })
    .await;
    rig.show("<p>x</p>").await;
    play_alone(&rig, vec![]);
    let agent = rig.automator.agent(AgentConfig::default());
    agent.execute("go").variable("long", "lamp").await.unwrap();
    assert_eq!(*lines.lock().unwrap(), Vec::<String>::new());
    for _ in 0..2 {
        agent
            .execute("go")
            .variable("age", "47")
            .variable("long", "lamp")
            .await
            .unwrap();
    }
    let lines = lines.lock().unwrap().clone();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(
        lines[0].contains("fewer than 3 characters") && lines[0].contains("age") && !lines[0].contains("47"),
        "{lines:?}"
    );
    rig.close().await;
}
