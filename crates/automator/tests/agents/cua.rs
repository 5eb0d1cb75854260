//! The mode `cua`: models that use computers, in the wire forms of both providers that have them.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use automator::{
    AbortSignal, AgentCallbacks, AgentConfig, AgentConfirmKind, AgentEvent, AgentMode, AgentResult,
    ErrorKind, FunctionTool,
};
use automator_testing::{Answer, Fault, Kind, Request, Wire};
use serde_json::{Value, json};

use crate::rig::{Rig, model_on};
use crate::script::{Step, answering, done, experimental, is_closing};

const CLAUDE: &str = "anthropic/claude-sonnet-4-5";
const GPT: &str = "openai/gpt-5.4";
const BOTH: [&str; 2] = [CLAUDE, GPT];

/// Everything stands at a known place and notes what happens to it.
const PAGE: &str = "<style>body { margin: 0; height: 3000px } body > * { position: absolute; left: 0; box-sizing: border-box }\
    #go { top: 0; width: 200px; height: 40px } #name { top: 100px; width: 200px; height: 40px }\
    #buy { top: 200px; width: 200px; height: 40px } canvas { top: 300px } #other { top: 250px; height: 20px }</style>\
    <button id=go>Go</button><input id=name aria-label=Name><button id=buy><i>Buy</i> <b>now</b></button>\
    <a id=other href='?other'>Other</a><canvas width=400 height=200></canvas>\
    <script>seen = [];\
    for (const element of [go, buy]) for (const type of ['click', 'dblclick', 'contextmenu', 'auxclick'])\
      element.addEventListener(type, (event) => seen.push(type + ' ' + element.id + (event.ctrlKey ? ' held' : '')));\
    document.querySelector('canvas').addEventListener('mousemove', (event) => { if (event.buttons) seen.push('drag'); });\
    for (const type of ['mousedown', 'mouseup']) document.querySelector('canvas').addEventListener(type, (event) =>\
      seen.push(type + ' ' + event.clientX + ',' + event.clientY));</script>";

fn cua(rig: &Rig, name: &str) -> AgentConfig {
    AgentConfig {
        mode: Some(AgentMode::Cua),
        model: Some(model_on(&rig.model, name, false)),
        ..AgentConfig::default()
    }
}

/// What a model does with the computer: in Claude's words, and in GPT's.
fn act(claude: Value, gpt: Value) -> Step {
    batch(vec![(claude, gpt)])
}

/// Several actions at once.
fn batch(actions: Vec<(Value, Value)>) -> Step {
    Box::new(move |request| {
        let number = request.messages.len();
        match request.wire {
            Wire::Anthropic => Answer::items(actions.iter().enumerate().map(|(index, (input, _))| {
                json!({ "type": "tool_use", "id": format!("toolu_{number}_{index}"), "name": "computer", "input": input })
            })),
            _ => {
                let actions: Vec<&Value> = actions.iter().map(|(_, action)| action).collect();
                Answer::items([computer_call(&format!("call_{number}"), &json!(actions), &json!([]))])
            }
        }
    })
}

fn computer_call(id: &str, actions: &Value, checks: &Value) -> Value {
    json!({
        "type": "computer_call", "id": "cu", "call_id": id, "status": "completed", "actions": actions,
        "pending_safety_checks": checks,
    })
}

fn click(x: i32, y: i32) -> Step {
    act(
        json!({ "action": "left_click", "coordinate": [x, y] }),
        json!({ "type": "click", "button": "left", "x": x, "y": y }),
    )
}

/// Goes to an address, by the tool for it.
fn goto(url: &str) -> Step {
    let url = url.to_owned();
    Box::new(move |_| Answer::tool("goto", json!({ "url": url })))
}

/// Plays the steps, then ends the run.
fn play(rig: &Rig, steps: Vec<Step>) {
    let steps: Mutex<VecDeque<Step>> = Mutex::new(steps.into());
    rig.model.script(move |request| {
        assert_eq!(request.kind, Kind::Agent, "{}", request.text);
        if is_closing(request) {
            return done("all finished");
        }
        let step = steps.lock().unwrap().pop_front();
        step.map_or_else(|| Answer::text("I am through."), |step| step(request))
    });
}

/// The requests of the run so far, without that for the judgement.
fn asked(rig: &Rig) -> Vec<Request> {
    let requests = rig.model.requests().into_iter();
    requests.filter(|request| !is_closing(request)).collect()
}

async fn run(rig: &Rig, name: &str, steps: Vec<Step>) -> AgentResult {
    play(rig, steps);
    let result = rig
        .automator
        .agent(cua(rig, name))
        .execute("use the page")
        .await
        .unwrap();
    assert_eq!(rig.model.failures(), Vec::<String>::new(), "{name}");
    result
}

fn message(result: &AgentResult, index: usize) -> &str {
    result.actions[index].details["message"].as_str().unwrap()
}

/// The size of the picture that Claude is told, which must be that of the picture it is shown.
async fn told_size(rig: &Rig, request: &Request) -> String {
    let tool = &request.body["tools"][0];
    let told = format!("{}x{}", tool["display_width_px"], tool["display_height_px"]);
    let content = request.body["messages"][0]["content"].as_array().unwrap();
    let data = content.last().unwrap()["source"]["data"].as_str().unwrap();
    let source = format!(
        "new Promise((ok) => {{ const picture = new Image(); picture.onload = () => ok(picture.width + 'x' + picture.height); \
         picture.src = 'data:image/jpeg;base64,{data}'; }})"
    );
    assert_eq!(rig.page.evaluate(&source).await.unwrap(), told.as_str());
    told
}

#[tokio::test]
async fn a_page_is_used_with_mouse_and_keyboard() {
    for name in BOTH {
        let rig = Rig::start().await;
        rig.show(PAGE).await;
        let steps = vec![
            click(50, 20),
            click(50, 120),
            act(
                json!({ "action": "type", "text": "Ada L" }),
                json!({ "type": "type", "text": "Ada L" }),
            ),
            act(
                json!({ "action": "key", "text": "BackSpace" }),
                json!({ "type": "keypress", "keys": ["BACKSPACE"] }),
            ),
            act(
                json!({ "action": "left_click_drag", "start_coordinate": [10, 310], "coordinate": [200, 400] }),
                json!({ "type": "drag", "path": [{ "x": 10, "y": 310 }, { "x": 100, "y": 450 }, { "x": 200, "y": 400 }] }),
            ),
            act(
                json!({ "action": "scroll", "coordinate": [300, 600], "scroll_direction": "down", "scroll_amount": 4 }),
                json!({ "type": "scroll", "x": 300, "y": 600, "scroll_x": 0, "scroll_y": 400 }),
            ),
            act(
                json!({ "action": "wait", "duration": 0.1 }),
                json!({ "type": "wait" }),
            ),
            act(json!({ "action": "screenshot" }), json!({ "type": "screenshot" })),
        ];
        let result = run(&rig, name, steps).await;
        assert!(result.success && result.completed, "{name}: {result:?}");
        assert_eq!(result.message, "all finished");
        let kinds: Vec<&str> = result.actions.iter().map(|action| action.kind.as_str()).collect();
        let expected = [
            "click",
            "click",
            "type",
            "keys",
            "dragAndDrop",
            "scroll",
            "wait",
            "screenshot",
            "done",
        ];
        assert_eq!(kinds, expected, "{name}");
        assert!(
            result.actions[..8]
                .iter()
                .all(|action| action.details["success"] == true),
            "{name}: {result:?}"
        );
        assert_eq!(result.actions[0].details["coordinates"], json!([50.0, 20.0]));
        rig.becomes("document.querySelector('#name').value", "Ada ").await;
        rig.becomes("scrollY", 400).await;
        rig.becomes(
            "seen[0] + ' ' + seen[1] + ' ' + seen.at(-1)",
            "click go mousedown 10,310 mouseup 200,400",
        )
        .await;
        rig.becomes("seen.filter((what) => what === 'drag').length > 2", true)
            .await;
        rig.close().await;
    }
}

#[tokio::test]
async fn the_model_is_sent_the_newest_picture_alone_and_what_it_has_done() {
    for name in BOTH {
        let rig = Rig::start().await;
        let at = rig.show(PAGE).await;
        let result = run(&rig, name, vec![click(50, 20), click(60, 20), click(70, 20)]).await;
        assert!(result.success, "{name}: {result:?}");
        let requests = asked(&rig);
        assert_eq!(requests.len(), 4, "{name}");
        for request in &requests {
            assert_eq!(request.images, 1, "{name}: {}", request.raw);
            assert!(request.system.contains("mouse and keyboard"), "{name}");
            assert!(request.text.contains("The task: use the page"), "{name}");
            assert!(
                request.text.contains(&format!("The window shows {}", at.url)),
                "{name}"
            );
        }
        let last = &requests[3].raw;
        match name {
            CLAUDE => {
                assert_eq!(last.matches("\"tool_result\"").count(), 3);
                assert_eq!(
                    requests[0].header("anthropic-beta"),
                    Some("computer-use-2025-01-24")
                );
                assert_eq!(requests[0].body["tools"][0]["type"], "computer_20250124");
                told_size(&rig, &requests[0]).await;
            }
            _ => {
                assert_eq!(last.matches("\"computer_call_output\"").count(), 1);
                assert!(
                    last.contains("Done so far") && last.contains("60.0,20.0"),
                    "{last}"
                );
                assert_eq!(requests[0].body["store"], false);
            }
        }
        let closing = rig.model.requests().pop().unwrap();
        assert!(
            is_closing(&closing) && closing.images == 1,
            "{name}: {}",
            closing.raw
        );
        assert!(closing.text.contains("I am through."), "{name}");
        rig.close().await;
    }
}

#[tokio::test]
async fn every_button_is_pressed_as_often_as_it_is_meant() {
    for name in BOTH {
        let rig = Rig::start().await;
        rig.show(PAGE).await;
        let steps = vec![
            act(
                json!({ "action": "double_click", "coordinate": [50, 20] }),
                json!({ "type": "double_click", "x": 50, "y": 20, "keys": null }),
            ),
            act(
                json!({ "action": "right_click", "coordinate": [50, 20] }),
                json!({ "type": "click", "button": "right", "x": 50, "y": 20 }),
            ),
            act(
                json!({ "action": "middle_click", "coordinate": [50, 20] }),
                json!({ "type": "click", "button": "wheel", "x": 50, "y": 20 }),
            ),
            act(
                json!({ "action": "left_click", "coordinate": [50, 20], "text": "ctrl" }),
                json!({ "type": "click", "button": "left", "x": 50, "y": 20, "keys": ["CTRL"] }),
            ),
            act(
                json!({ "action": "mouse_move", "coordinate": [60, 120] }),
                json!({ "type": "move", "x": 60, "y": 120 }),
            ),
        ];
        let result = run(&rig, name, steps).await;
        assert!(result.success, "{name}: {result:?}");
        // Systems differ in when a menu is asked for.
        let seen = "[...seen].sort().join(', ')";
        let expected =
            "auxclick go, auxclick go, click go, click go, click go held, contextmenu go, dblclick go";
        rig.becomes(seen, expected).await;
        rig.becomes("document.querySelector('#name').matches(':hover')", true)
            .await;
        rig.close().await;
    }
}

#[tokio::test]
async fn the_history_and_addresses_can_be_gone_to() {
    let rig = Rig::start().await;
    let first = rig.show(PAGE).await;
    let second = rig.site.put("<title>Second</title>");
    for name in BOTH {
        rig.open(&first.url).await;
        let steps = vec![
            goto(&second.url),
            act(
                json!({ "action": "key", "text": "alt+Left" }),
                json!({ "type": "click", "button": "back", "x": 0, "y": 0 }),
            ),
            act(
                json!({ "action": "key", "text": "alt+Right" }),
                json!({ "type": "click", "button": "forward", "x": 0, "y": 0 }),
            ),
        ];
        let before = asked(&rig).len();
        let result = run(&rig, name, steps).await;
        let urls: Vec<&str> = result
            .actions
            .iter()
            .map(|action| action.page_url.as_str())
            .collect();
        assert_eq!(
            urls[..3],
            [&second.url, &first.url, &second.url],
            "{name}: {result:?}"
        );
        let told = &asked(&rig)[before + 1].text;
        assert!(
            told.contains(&format!("The window shows {}", second.url)),
            "{name}: {told}"
        );
    }
    rig.close().await;
}

#[tokio::test]
async fn of_a_large_window_a_smaller_picture_is_shown_and_its_places_are_meant() {
    for name in BOTH {
        let rig = Rig::start().await;
        rig.page.set_viewport_size(2800, 1400).await.unwrap();
        rig.show(PAGE).await;
        let result = run(&rig, name, vec![click(50, 10)]).await;
        assert_eq!(result.actions[0].details["success"], true, "{name}: {result:?}");
        rig.becomes("seen.join()", "click go").await;
        if name == CLAUDE {
            let size = told_size(&rig, &asked(&rig)[0]).await;
            assert!(size.starts_with("1400x"), "{size}");
        }
        rig.close().await;
    }
}

#[tokio::test]
async fn places_outside_the_window_are_told_and_what_follows_is_not_done() {
    for name in BOTH {
        let rig = Rig::start().await;
        rig.show(PAGE).await;
        let outside = (
            json!({ "action": "left_click", "coordinate": [99_999, 1] }),
            json!({ "type": "click", "button": "left", "x": 99_999, "y": 1 }),
        );
        let inside = (
            json!({ "action": "left_click", "coordinate": [50, 20] }),
            json!({ "type": "click", "button": "left", "x": 50, "y": 20 }),
        );
        let result = run(&rig, name, vec![batch(vec![outside, inside])]).await;
        assert!(
            message(&result, 0).contains("outside the window"),
            "{name}: {result:?}"
        );
        assert!(
            message(&result, 1).contains("came before it failed"),
            "{name}: {result:?}"
        );
        assert!(asked(&rig)[1].text.contains("outside the window"), "{name}");
        rig.becomes("seen.length", 0).await;
        rig.close().await;
    }
}

#[tokio::test]
async fn what_cannot_be_read_is_told_and_the_run_goes_on() {
    for name in BOTH {
        let rig = Rig::start().await;
        rig.show(PAGE).await;
        let steps = vec![
            act(json!({ "action": "fly" }), json!({ "type": "fly" })),
            act(json!(null), json!(null)),
            Box::new(|_: &Request| Answer::tool("nothing", json!({}))) as Step,
            act(
                json!({ "action": "key", "text": "Nokey" }),
                json!({ "type": "keypress", "keys": ["NOKEY"] }),
            ),
            click(50, 20),
        ];
        let result = run(&rig, name, steps).await;
        assert!(result.success, "{name}: {result:?}");
        assert!(
            message(&result, 0).contains("no such action"),
            "{name}: {result:?}"
        );
        assert!(
            message(&result, 2).contains("no tool \"nothing\""),
            "{name}: {result:?}"
        );
        assert_eq!(result.actions[3].details["success"], false, "{name}: {result:?}");
        rig.becomes("seen.join()", "click go").await;
        rig.close().await;
    }
}

#[tokio::test]
async fn answers_that_are_none_end_the_run_without_success() {
    for name in BOTH {
        let rig = Rig::start().await;
        rig.show(PAGE).await;
        for (fault, words) in [
            (Fault::MalformedBody, "cannot be read"),
            (Fault::ServerError(400), "HTTP 400"),
            (Fault::Refusal, "declined"),
        ] {
            play(&rig, vec![]);
            rig.model.fault_next(fault);
            let agent = rig.automator.agent(cua(&rig, name));
            let result = agent.execute("go").await.unwrap();
            assert!(!result.success && !result.completed, "{name}: {result:?}");
            assert!(
                result.message.starts_with("Failed to execute task"),
                "{name}: {result:?}"
            );
            assert!(result.message.contains(words), "{name}: {result:?}");
        }
        rig.model.fault_next(Fault::RateLimited { retry_after: None });
        let result = run(&rig, name, vec![click(50, 20)]).await;
        assert!(result.success, "{name}: {result:?}");
        rig.close().await;
    }
}

#[tokio::test]
async fn usage_is_that_of_the_agent() {
    for name in BOTH {
        let rig = Rig::start().await;
        rig.show(PAGE).await;
        let result = run(&rig, name, vec![click(50, 20)]).await;
        // Two turns and the judgement.
        let usage = result.usage;
        assert_eq!((usage.input_tokens, usage.output_tokens), (300, 60), "{name}");
        assert_eq!(
            (usage.cached_input_tokens, usage.reasoning_tokens),
            (15, 9),
            "{name}"
        );
        let metrics = rig.automator.metrics();
        assert_eq!(
            (metrics.agent_prompt_tokens, metrics.total_prompt_tokens),
            (300, 300),
            "{name}"
        );
        rig.close().await;
    }
}

/// Moves the mouse on and on.
fn restless(rig: &Rig) {
    rig.model.script(|request| {
        if is_closing(request) {
            return Answer::tool(
                "done",
                json!({ "reasoning": "not finished", "taskComplete": false }),
            );
        }
        let x = request.raw.len() % 1000;
        act(
            json!({ "action": "mouse_move", "coordinate": [x, 5] }),
            json!({ "type": "move", "x": x, "y": 5 }),
        )(request)
    });
}

#[tokio::test]
async fn limits_end_the_run_and_are_named() {
    for name in BOTH {
        let rig = Rig::start().await;
        rig.show(PAGE).await;
        restless(&rig);
        let agent = rig.automator.agent(cua(&rig, name));
        let result = agent.execute("go").max_steps(2).await.unwrap();
        assert_eq!(
            (result.success, result.message.as_str()),
            (false, "not finished"),
            "{name}"
        );
        assert_eq!(
            rig.model.requests().len(),
            3,
            "{name}: two steps and the judgement"
        );

        let result = agent.execute("go").max_tokens(200).await.unwrap();
        let told = "Stopped: the run reached its limit of 200 tokens: it has taken 240";
        assert_eq!((result.success, result.message.as_str()), (false, told), "{name}");

        let mut config = cua(&rig, name);
        if let Some(model) = &mut config.model {
            model.price = Some(json!({ "input": 1, "cachedInput": 0, "output": 10 }));
        }
        let priced = rig.automator.agent(config);
        let result = priced.execute("go").max_cost(0.0005).await.unwrap();
        let told = "Stopped: the run reached its limit of cost, 0.0005: it has cost 0.000590";
        assert_eq!((result.success, result.message.as_str()), (false, told), "{name}");
        let error = agent.execute("go").max_cost(1.0).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{name}");

        rig.model.fault_always(Some(Fault::Hang));
        let started = Instant::now();
        let result = agent
            .execute("go")
            .timeout(Duration::from_millis(800))
            .await
            .unwrap();
        assert_eq!(
            result.message, "Stopped: the run reached its timeout of 800 ms",
            "{name}"
        );
        assert!(started.elapsed() < Duration::from_secs(8), "{name}");
        rig.close().await;
    }
}

#[tokio::test]
async fn one_action_has_its_limit_of_time() {
    let rig = Rig::start().await;
    rig.show(PAGE).await;
    play(
        &rig,
        vec![act(
            json!({ "action": "wait", "duration": 60 }),
            json!({ "type": "wait" }),
        )],
    );
    let agent = rig.automator.agent(cua(&rig, CLAUDE));
    let result = agent
        .execute("go")
        .tool_timeout(Duration::from_millis(300))
        .await
        .unwrap();
    assert!(
        message(&result, 0).contains("wait timed out after 300 ms"),
        "{result:?}"
    );
    rig.close().await;
}

#[tokio::test]
async fn a_run_that_goes_in_circles_is_told_once_and_later_stopped() {
    for name in BOTH {
        let rig = Rig::start().await;
        rig.show("<p>still</p>").await;
        rig.model.script(|request| click(5, 300)(request));
        let agent = rig.automator.agent(cua(&rig, name));
        let result = agent.execute("press").await.unwrap();
        assert!(!result.success, "{name}");
        assert!(
            result.message.contains("went in circles: `click`"),
            "{name}: {result:?}"
        );
        let told = |request: &Request| {
            request
                .text
                .matches("came to the same. Do something else")
                .count()
        };
        let warned: Vec<usize> = asked(&rig).iter().map(told).collect();
        assert_eq!(warned[..3], [0, 0, 1], "{name}");
        assert_eq!(warned.len(), 4, "{name}: once more after that");
        rig.close().await;
    }
}

/// Everything that buys.
fn dangerous() -> Vec<(&'static str, Vec<Step>)> {
    let focus = || {
        act(
            json!({ "action": "left_click_drag", "start_coordinate": [350, 20], "coordinate": [360, 20] }),
            json!({ "type": "drag", "path": [{ "x": 350, "y": 20 }, { "x": 360, "y": 20 }] }),
        )
    };
    let key = |claude: &str, gpt: &str| {
        act(
            json!({ "action": "key", "text": claude }),
            json!({ "type": "keypress", "keys": [gpt] }),
        )
    };
    let other_button = |claude: &str, gpt: &str| {
        act(
            json!({ "action": claude, "coordinate": [50, 220] }),
            json!({ "type": "click", "button": gpt, "x": 50, "y": 220 }),
        )
    };
    let tabs = |last: Step| {
        vec![
            focus(),
            key("Tab", "TAB"),
            key("Tab", "TAB"),
            key("Tab", "TAB"),
            last,
        ]
    };
    vec![
        ("click", vec![click(20, 220)]),
        (
            "double click",
            vec![act(
                json!({ "action": "double_click", "coordinate": [20, 220] }),
                json!({ "type": "double_click", "x": 20, "y": 220, "keys": [] }),
            )],
        ),
        (
            "drag inside of it",
            vec![act(
                json!({ "action": "left_click_drag", "start_coordinate": [88, 220], "coordinate": [115, 220] }),
                json!({ "type": "drag", "path": [{ "x": 88, "y": 220 }, { "x": 115, "y": 220 }] }),
            )],
        ),
        ("right button", vec![other_button("right_click", "right")]),
        ("middle button", vec![other_button("middle_click", "wheel")]),
        ("key", tabs(key("Return", "ENTER"))),
        ("space bar", tabs(key("space", "SPACE"))),
        (
            "tabs and a line break",
            vec![
                focus(),
                act(
                    json!({ "action": "type", "text": "\t\t\t\n" }),
                    json!({ "type": "type", "text": "\t\t\t\n" }),
                ),
            ],
        ),
        (
            "tabs and a blank",
            vec![
                focus(),
                act(
                    json!({ "action": "type", "text": "\t\t\t " }),
                    json!({ "type": "type", "text": "\t\t\t " }),
                ),
            ],
        ),
        (
            "line break",
            tabs(act(
                json!({ "action": "type", "text": "\n" }),
                json!({ "type": "type", "text": "\n" }),
            )),
        ),
    ]
}

#[tokio::test]
async fn what_cannot_be_taken_back_is_asked_for_however_it_is_done() {
    for name in BOTH {
        let rig = Rig::start().await;
        for answer in [false, true] {
            for (way, steps) in dangerous() {
                rig.show(PAGE).await;
                let last = steps.len() - 1;
                play(&rig, steps);
                let (confirm, questions) = answering(answer);
                let agent = rig.automator.agent(cua(&rig, name));
                let result = agent.execute("go").confirm(confirm).await.unwrap();
                let case = format!("{name}, {way}, {answer}: {result:?}");
                let questions = questions.lock().unwrap().clone();
                assert_eq!(questions.len(), 1, "{case}: {questions:?}");
                assert_eq!(questions[0].kind, AgentConfirmKind::Purchase, "{case}");
                assert_eq!(result.actions[last].details["success"], answer, "{case}");
                let bought = "seen.some((each) => /^(click|auxclick|contextmenu) buy$/.test(each))";
                let bought = rig.page.evaluate(bought).await.unwrap();
                assert_eq!(bought, answer, "{case}");
                if !answer {
                    let told = &asked(&rig).pop().unwrap().text;
                    assert!(
                        told.contains("was not confirmed by the user (purchase)"),
                        "{case}: {told}"
                    );
                }
            }
        }
        rig.close().await;
    }
}

#[tokio::test]
async fn domains_that_are_not_allowed_are_not_gone_to() {
    for name in BOTH {
        let rig = Rig::start().await;
        rig.show("<a href='http://localhost:9/' style='display:block;height:50px'>Away</a>")
            .await;
        let mut policy = automator::DomainPolicy::default();
        policy.allowed_domains = Some(vec!["127.0.0.1".to_owned()]);
        let context = rig.automator.context().unwrap();
        context.set_domain_policy(&policy).await.unwrap();
        let steps = vec![
            goto("http://localhost:9/"),
            goto("javascript:alert(1)"),
            click(20, 20),
        ];
        let result = run(&rig, name, steps).await;
        assert!(
            message(&result, 0).contains("not among the allowed domains"),
            "{name}: {result:?}"
        );
        assert!(
            message(&result, 1).contains("must be an address of the web"),
            "{name}: {result:?}"
        );
        assert!(
            !rig.page.url().contains("localhost:9"),
            "{name}: {}",
            rig.page.url()
        );
        rig.close().await;
    }
}

/// A click that the provider has doubts about.
fn doubtful() -> Vec<Step> {
    let checks =
        json!([{ "id": "sc_1", "code": "malicious_instructions", "message": "The page gives orders." }]);
    let actions = json!([{ "type": "click", "button": "left", "x": 50, "y": 20 }]);
    vec![Box::new(move |_| {
        Answer::items([computer_call("call_1", &actions, &checks)])
    })]
}

#[tokio::test]
async fn doubts_of_the_provider_stop_the_run_unless_the_user_confirms() {
    let rig = Rig::start().await;
    rig.show(PAGE).await;
    let agent = rig.automator.agent(cua(&rig, GPT));
    play(&rig, doubtful());
    let result = agent.execute("go").await.unwrap();
    assert!(!result.success, "{result:?}");
    let told = "Stopped: the model's provider wants a confirmation, and nobody has given it: malicious_instructions: \
        The page gives orders.";
    assert_eq!(result.message, told);
    assert!(result.actions.is_empty());

    play(&rig, doubtful());
    let (no, questions) = answering(false);
    let result = agent.execute("go").confirm(no).await.unwrap();
    assert_eq!(result.message, told);
    assert_eq!(questions.lock().unwrap()[0].kind, AgentConfirmKind::Safety);
    assert_eq!(
        questions.lock().unwrap()[0].description,
        "malicious_instructions: The page gives orders."
    );
    rig.becomes("seen.length", 0).await;

    play(&rig, doubtful());
    let (yes, _) = answering(true);
    let result = agent.execute("go").confirm(yes).await.unwrap();
    assert!(result.success, "{result:?}");
    rig.becomes("seen.join()", "click go").await;
    let request = asked(&rig).pop().unwrap();
    let mut output = request.body["input"].as_array().unwrap().iter();
    let output = output
        .rfind(|item| item["type"] == "computer_call_output")
        .unwrap();
    assert_eq!(output["acknowledged_safety_checks"][0]["id"], "sc_1", "{output}");
    rig.close().await;
}

#[tokio::test]
async fn tools_of_ones_own_and_callbacks_are_there() {
    for name in BOTH {
        let rig = Rig::with(experimental).await;
        rig.show(PAGE).await;
        let tool = FunctionTool::new(
            "code",
            "Tells the code.",
            json!({ "type": "object" }),
            |_| async { Ok("4711".into()) },
        );
        let mut config = cua(&rig, name);
        config.tools = vec![Arc::new(tool)];
        play(
            &rig,
            vec![Box::new(|_| Answer::tool("code", json!({}))), click(50, 20)],
        );
        let heard: Arc<Mutex<Vec<String>>> = Arc::default();
        let noting = Arc::clone(&heard);
        let callbacks = AgentCallbacks::new(move |event| {
            if let AgentEvent::ToolResult { step, tool_name, .. } = event {
                noting.lock().unwrap().push(format!("{step} {tool_name}"));
            }
        });
        let agent = rig.automator.agent(config);
        let result = agent.execute("go").callbacks(callbacks).await.unwrap();
        assert!(result.success, "{name}: {result:?}");
        assert!(asked(&rig)[1].text.contains("4711"), "{name}");
        assert_eq!(*heard.lock().unwrap(), ["1 code", "2 click"], "{name}");
        rig.close().await;
    }
}

#[tokio::test]
async fn a_tab_that_is_opened_is_the_next_picture() {
    let rig = Rig::start().await;
    let second = rig.site.put("<title>Second</title>");
    rig.show(format!(
        "<a target=_blank href='{}' style='display:block;height:50px'>Open</a>",
        second.url
    ))
    .await;
    let result = run(&rig, CLAUDE, vec![click(20, 20)]).await;
    assert_eq!(result.actions[0].page_url, second.url, "{result:?}");
    assert!(
        asked(&rig)[1]
            .text
            .contains(&format!("The window shows {}", second.url))
    );
    rig.close().await;
}

#[tokio::test]
async fn what_cua_does_not_have_is_refused() {
    let rig = Rig::with(experimental).await;
    let agent = rig.automator.agent(cua(&rig, GPT));
    let signal = AbortSignal::new();
    for (run, part) in [
        (agent.execute("go").variable("a", "b"), "variables"),
        (agent.execute("go").exclude_tool("goto"), "excludeTools"),
        (agent.execute("go").signal(&signal), "signal"),
        (agent.execute("go").messages(Vec::new()), "messages"),
        (
            agent.execute("go").output_schema(json!({ "type": "number" })),
            "output",
        ),
    ] {
        let error = run.await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert!(error.to_string().contains(part), "{error}");
    }
    let error = agent.execute("go").stream().result().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(error.to_string().contains("streaming"), "{error}");
    assert!(rig.model.requests().is_empty());
    rig.close().await;
}

#[tokio::test]
async fn models_that_do_not_use_computers_are_refused_with_those_that_do() {
    let rig = Rig::start().await;
    let mut by_chat = cua(&rig, GPT);
    by_chat.model = Some(model_on(&rig.model, GPT, true));
    let mut by_session = cua(&rig, GPT);
    by_session.model = None;
    for config in [
        cua(&rig, "openai/gpt-4.1-mini"),
        cua(&rig, "google/gemini-3-pro"),
        by_chat,
        by_session,
    ] {
        let error = rig.automator.agent(config).execute("go").await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
        for words in ["does not use computers", CLAUDE, GPT, "Responses"] {
            assert!(error.to_string().contains(words), "{error}");
        }
    }
    assert!(rig.model.requests().is_empty());
    rig.close().await;
}
