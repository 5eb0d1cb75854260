//! What is a circle, and what only looks like one: the same call over and over that leads on, waits, or looks.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use automator::{AgentConfig, AgentResult, FunctionTool};
use automator_testing::{Answer, Kind};
use serde_json::json;

use crate::rig::Rig;
use crate::script::{Step, act_on, call, experimental, is_closing, play};

/// How many items the list has.
const ITEMS: usize = 5;

/// Plays the steps; what is read off a page is always the same.
async fn run(rig: &Rig, steps: Vec<Step>, config: AgentConfig) -> AgentResult {
    play(rig, steps, |_| Answer::value(json!({ "extraction": "yes" })));
    let agent = rig.automator.agent(config);
    let result = agent.execute("go on").max_steps(60).await.unwrap();
    assert_eq!(rig.model.failures(), Vec::<String>::new());
    result
}

fn back() -> Step {
    call("navback", json!({ "reasoningText": "to the list" }))
}

#[tokio::test]
async fn the_way_back_to_a_list_is_no_circle() {
    let rig = Rig::start().await;
    let items: Vec<String> = (0..ITEMS)
        .map(|number| rig.site.put(format!("<h1>Item {number}</h1>")).url)
        .collect();
    let links: String = items
        .iter()
        .enumerate()
        .map(|(number, url)| format!("<li><a href='{url}'>Item {number}</a></li>"))
        .collect();
    let list = rig.show(format!("<title>List</title><ul>{links}</ul>")).await;
    for by_address in [false, true] {
        let steps = (0..ITEMS).flat_map(|number| {
            let into: Step = Box::new(move |request| {
                let id = request.id_of(&format!("link: Item {number}"));
                Answer::tool("act", json!({ "action": format!("click [{id}]") }))
            });
            let back = if by_address {
                call("goto", json!({ "url": list.url }))
            } else {
                back()
            };
            [
                into,
                call("extract", json!({ "instruction": "is it there?" })),
                back,
            ]
        });
        let result = run(&rig, steps.collect(), AgentConfig::default()).await;
        assert!(result.success, "{result:?}");
        assert_eq!(result.actions.len(), 3 * ITEMS + 1);
        let done = result
            .actions
            .iter()
            .filter(|action| action.details.get("success") == Some(&json!(true)));
        assert_eq!(done.count(), 3 * ITEMS, "{result:?}");
    }
    rig.close().await;
}

#[tokio::test]
async fn waiting_and_looking_and_asking_elsewhere_again_is_no_circle() {
    let rig = Rig::with(experimental).await;
    rig.show("<p>nothing yet</p>").await;
    let asked = Arc::new(AtomicU32::new(0));
    let mail = {
        let asked = Arc::clone(&asked);
        let parameters = json!({ "type": "object", "properties": {} });
        FunctionTool::new("mail", "The mail that has come.", parameters, move |_| {
            let number = asked.fetch_add(1, Ordering::Relaxed);
            let text = if number < 4 { "none" } else { "a code" };
            async move { Ok(text.into()) }
        })
    };
    let config = AgentConfig {
        tools: vec![Arc::new(mail)],
        ..AgentConfig::default()
    };
    let wait = || call("wait", json!({ "timeMs": 5 }));
    let mut steps: Vec<Step> = Vec::new();
    for _ in 0..5 {
        steps.extend([wait(), call("mail", json!({}))]);
    }
    for _ in 0..4 {
        steps.push(call("ariaTree", json!({})));
    }
    for _ in 0..5 {
        steps.push(call("keys", json!({ "method": "press", "value": "ArrowRight" })));
    }
    let thought = || json!({ "reasoning": "hm" });
    steps.push(Box::new(move |_| {
        (0..3).fold(Answer::tool("think", thought()), |answer, _| {
            answer.and_tool("think", thought())
        })
    }));
    let result = run(&rig, steps, config).await;
    assert!(result.success, "{result:?}");
    assert_eq!(asked.load(Ordering::Relaxed), 5);
    assert_eq!(result.actions.len(), 10 + 4 + 5 + 4 + 1);
    rig.close().await;
}

#[tokio::test]
async fn a_press_that_only_a_picture_shows_is_no_circle() {
    let rig = Rig::start().await;
    let draw =
        "const b = document.querySelector('div'); b.style.width = (parseInt(b.style.width) + 40) + 'px'";
    rig.show(format!(
        "<div style='width:10px;height:50px;background:red'></div><button onclick=\"{draw}\">More</button>"
    ))
    .await;
    let steps: Vec<Step> = (0..6).map(|_| act_on("click {}", "button: More")).collect();
    let result = run(&rig, steps, AgentConfig::default()).await;
    assert!(result.success, "{result:?}");
    assert_eq!(result.actions.len(), 7);
    rig.close().await;
}

#[tokio::test]
async fn going_to_and_fro_without_anything_new_is_told_and_stopped() {
    let rig = Rig::start().await;
    let swap = "this.textContent = this.textContent === 'On' ? 'Off' : 'On'";
    rig.show(format!("<button onclick=\"{swap}\">On</button>")).await;
    rig.model.script(|request| {
        assert!(!is_closing(request), "it is stopped before");
        // It is the same element whatever it is called.
        let id = request.id_of("button: On");
        Answer::tool("act", json!({ "action": format!("click [{id}]") }))
    });
    let agent = rig.automator.agent(AgentConfig::default());
    let result = agent.execute("turn it on").max_steps(60).await.unwrap();
    assert!(
        !result.success && result.message.contains("went in circles"),
        "{result:?}"
    );
    let requests = rig.model.requests_of(Kind::Agent);
    assert!((10..30).contains(&requests.len()), "{}", requests.len());
    let told = requests
        .iter()
        .position(|request| request.text.contains("came to the same. Do something else"));
    assert!(
        told.is_some_and(|told| told + 4 < requests.len()),
        "{told:?} of {}",
        requests.len()
    );
    rig.close().await;
}
