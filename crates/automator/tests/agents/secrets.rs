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
    let config = AgentConfig {
        system_prompt: Some(format!("the password is {SECRET}")),
        ..AgentConfig::default()
    };
    let agent = rig.automator.agent(config);
    let task = format!("log in with {SECRET}");
    let described = Variable::new(SECRET).described(format!("it is {SECRET}"));
    agent.execute(task).variable("pw", described).await.unwrap();
    for request in rig.model.requests() {
        assert!(!request.raw.contains(SECRET));
    }
    rig.close().await;
}

/// What a page says to a run that comes after one that has typed `Berlin` as `%city%`.
async fn told_after_berlin(rig: &Rig, later: &[(&str, &str)]) -> String {
    rig.show("<input aria-label=City><p>Hotels in Berlin</p>").await;
    play(rig, vec![act_on("type %city% into {}", "textbox: City")], |_| {
        Answer::value(json!({}))
    });
    let agent = rig.automator.agent(AgentConfig::default());
    let first = agent.execute("look").variable("city", "Berlin").await.unwrap();
    assert!(first.success, "{first:?}");
    rig.model.forget_requests();
    play_alone(rig, vec![]);
    let mut run = agent.execute("what is there?");
    for (name, value) in later {
        run = run.variable(*name, *value);
    }
    run.await.unwrap();
    rig.model.requests()[0].text.clone()
}

#[tokio::test]
async fn what_an_earlier_run_has_typed_is_hidden_in_fields_alone() {
    let rig = Rig::start().await;
    let told = told_after_berlin(&rig, &[]).await;
    assert!(told.contains("Hotels in Berlin"), "{told}");
    assert!(told.contains("textbox: City = %city%"), "{told}");
    let told = told_after_berlin(&rig, &[("city", "Paris")]).await;
    assert!(told.contains("Hotels in Berlin"), "{told}");
    assert!(
        told.contains("textbox: City = ***"),
        "the name is that of Paris now: {told}"
    );
    for name in ["city", "town"] {
        let told = told_after_berlin(&rig, &[(name, "Berlin")]).await;
        assert!(told.contains(&format!("textbox: City = %{name}%")), "{told}");
    }
    rig.close().await;
}

#[tokio::test]
async fn what_an_address_holds_is_hidden_in_the_history_too() {
    let rig = Rig::start().await;
    rig.show(&format!(
        "{ECHO}<a href=\"https://shop.example/?by={SECRET}\">Mine</a>"
    ))
    .await;
    let address = json!({
        "type": "object",
        "properties": { "link": { "type": "string", "format": "uri" } },
        "required": ["link"],
    });
    play(
        &rig,
        vec![
            act_on("type %pw% into {}", "textbox: Pass"),
            call(
                "extract",
                json!({ "instruction": "my address", "schema": address }),
            ),
        ],
        |request| Answer::value(json!({ "link": request.id_of("link: Mine") })),
    );
    let agent = rig.automator.agent(AgentConfig::default());
    let result = agent
        .execute("log in with %pw%")
        .variable("pw", secret())
        .await
        .unwrap();
    let told = serde_json::to_string(&result).unwrap();
    assert!(told.contains("?by=%pw%") && !told.contains(SECRET), "{told}");
    let history = format!("{:?}", rig.automator.history());
    assert!(
        history.contains("?by=%pw%") && !history.contains(SECRET),
        "{history}"
    );
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
