//! `automator agent`.

use automator_testing::{Answer, Kind, Request, ScriptedModel, Site};
use serde_json::json;

use crate::command::{Outcome, TELL, World, asking, attached_with_key};
use crate::output::run_typing;

fn page() -> String {
    format!(
        "{TELL}<label>Name <input id=name></label>
         <button onclick=\"tell('/went/' + document.querySelector('#name').value)\">Go on</button>
         <button onclick=\"tell('/bought/')\">Buy now</button>"
    )
}

/// A step that does something to the element of a line, as often as it is asked until it has been done.
fn step(request: &Request, done: usize, action: &str, line: &str) -> Option<Answer> {
    let action = || action.replace("{}", &format!("[{}]", request.id_of(line)));
    (request.tool_results.len() == done).then(|| Answer::tool("act", json!({ "action": action() })))
}

/// Does one thing, then is done with it.
fn one_step(model: &ScriptedModel, action: &'static str, line: &'static str, judgement: serde_json::Value) {
    model.script(move |request| {
        assert_eq!(request.kind, Kind::Agent, "{}", request.text);
        if request.tools.len() == 1 {
            return Answer::tool("done", judgement.clone());
        }
        step(request, 0, action, line).unwrap_or_else(|| Answer::text("That is all."))
    });
}

async fn run(world: &World, model: &ScriptedModel, arguments: &[&str]) -> Outcome {
    let [option, base_url] = asking(model);
    let outcome = world
        .run(&[&["agent"][..], arguments, &[&option, &base_url]].concat())
        .await;
    assert_eq!(model.failures(), Vec::<String>::new(), "{outcome:?}");
    outcome
}

/// What is told of the task, without what is told of the browser.
fn told(outcome: &Outcome) -> Vec<&str> {
    let lines = outcome.stderr.lines();
    lines.filter(|line| !line.starts_with("warning: ")).collect()
}

#[tokio::test]
async fn a_task_is_done_its_steps_are_told_and_the_answer_is_printed() {
    let site = Site::start().await;
    let page = site.put(page());
    let model = ScriptedModel::start().await;
    model.script(|request| {
        if request.tools.len() == 1 {
            return Answer::tool(
                "done",
                json!({ "reasoning": "Ada went on.", "taskComplete": true }),
            );
        }
        step(request, 0, "type %name% into {}", "textbox: Name")
            .or_else(|| step(request, 1, "click {}", "button: Go on"))
            .unwrap_or_else(|| Answer::text("That is all."))
    });
    let arguments = [&page.url, "go on as %name%", "--variable", "name=Ada"];
    let outcome = run(&attached_with_key(), &model, &arguments).await;
    assert_eq!(outcome.result(), "%name% went on.\n");
    site.wait_for_hit("/went/Ada").await;
    let steps = told(&outcome);
    assert_eq!(steps.len(), 2, "{outcome:?}");
    assert!(
        steps[0].starts_with("step 1: act type %name% into ["),
        "{outcome:?}"
    );
    assert!(steps[1].starts_with("step 2: act click ["), "{outcome:?}");
}

#[tokio::test]
async fn data_is_given_as_json_that_fits_the_schema() {
    let site = Site::start().await;
    let page = site.put(page());
    let model = ScriptedModel::start().await;
    let judgement =
        json!({ "reasoning": "It is Go on.", "taskComplete": true, "output": { "button": "Go on" } });
    one_step(&model, "click {}", "button: Go on", judgement);
    let schema = r#"{"type":"object","properties":{"button":{"type":"string"}},"required":["button"]}"#;
    let world = attached_with_key();
    world.write("button.json", schema);
    let arguments = [&page.url, "which button?", "--output", "button.json", "-q"];
    let outcome = run(&world, &model, &arguments).await;
    assert_eq!(
        (outcome.json(), outcome.stderr.as_str()),
        (json!({ "button": "Go on" }), "")
    );
    let outcome = run(
        &world,
        &model,
        &[&arguments[..], &["--json", "--mode", "dom"]].concat(),
    )
    .await;
    let result = outcome.json();
    assert_eq!(outcome.result().lines().count(), 1);
    assert_eq!(
        (&result["success"], &result["output"]["button"]),
        (&json!(true), &json!("Go on"))
    );
    assert_eq!(result["actions"][0]["type"], "act");
    assert!(result["usage"]["input_tokens"].as_u64() > Some(0), "{result}");
}

#[tokio::test]
async fn what_was_not_done_ends_with_code_7_and_a_limit_of_time_with_6() {
    let site = Site::start().await;
    let page = site.put(page());
    let model = ScriptedModel::start().await;
    let judgement = json!({ "reasoning": "There is no door.", "taskComplete": false });
    one_step(&model, "click {}", "button: Go on", judgement);
    let world = attached_with_key();
    let outcome = run(&world, &model, &[&page.url, "open the door"]).await;
    assert_eq!(
        (outcome.code, outcome.stdout.as_str()),
        (7, "There is no door.\n"),
        "{outcome:?}"
    );
    let limited = [&page.url, "open the door", "--max-tokens", "50"];
    let outcome = run(&world, &model, &limited).await;
    assert_eq!(outcome.code, 7, "{outcome:?}");
    assert!(outcome.stdout.starts_with("Stopped: "), "{outcome:?}");
    let priced = [
        &page.url,
        "open the door",
        "--max-cost",
        "0.00001",
        "--price",
        "1/2",
    ];
    let outcome = run(&world, &model, &priced).await;
    assert_eq!(outcome.code, 7, "{outcome:?}");
    assert!(outcome.stdout.starts_with("Stopped: "), "{outcome:?}");
    let with_data = [&limited[..], &["--output", r#"{"type":"object"}"#]].concat();
    run(&world, &model, &with_data)
        .await
        .assert_failed(7, &["Stopped: "]);
    model.script(|_| Answer::tool("wait", json!({ "timeMs": 60000 })));
    let outcome = run(&world, &model, &[&page.url, "open the door", "--timeout", "4"]).await;
    assert_eq!(outcome.code, 6, "{outcome:?}");
    assert!(outcome.stdout.starts_with("Stopped: "), "{outcome:?}");
}

#[tokio::test]
async fn purchases_need_a_yes() {
    let site = Site::start().await;
    let page = site.put(page());
    let model = ScriptedModel::start().await;
    let judgement = json!({ "reasoning": "Seen.", "taskComplete": true });
    one_step(&model, "click {}", "button: Buy now", judgement);
    let world = attached_with_key();
    for refusing in [&[][..], &["--confirm", "refuse"]] {
        let arguments = [&[page.url.as_str(), "buy it"][..], refusing].concat();
        let outcome = run(&world, &model, &arguments).await;
        assert_eq!(outcome.code, 0, "{outcome:?}");
        let lines = told(&outcome);
        assert!(
            lines[0].starts_with("refused: click \"Buy now\", a purchase, on "),
            "{outcome:?}"
        );
        assert!(lines[1].contains("not done: "), "{outcome:?}");
    }
    assert!(site.hits_of("/bought/").is_empty());
    let outcome = run(&world, &model, &[&page.url, "buy it", "--confirm", "allow"]).await;
    assert_eq!(outcome.code, 0, "{outcome:?}");
    site.wait_for_hit("/bought/").await;
}

#[tokio::test]
async fn a_terminal_is_asked() {
    let site = Site::start().await;
    let page = site.put(page());
    let model = ScriptedModel::start().await;
    let judgement = json!({ "reasoning": "Seen.", "taskComplete": true });
    one_step(&model, "click {}", "button: Buy now", judgement);
    let world = attached_with_key();
    let [option, base_url] = asking(&model);
    let arguments = ["agent", &page.url, "buy it", &option, &base_url];
    let (shown, output) = run_typing(&world, &arguments, "\n").await;
    assert!(shown.contains("click \"Buy now\", a purchase, on "), "{shown:?}");
    assert!(shown.contains(": do it? [y/N] "), "{shown:?}");
    assert_eq!(Outcome::of(output).result(), "Seen.\n");
    assert!(site.hits_of("/bought/").is_empty());
    let (_, output) = run_typing(&world, &arguments, "y\n").await;
    assert_eq!(Outcome::of(output).result(), "Seen.\n");
    site.wait_for_hit("/bought/").await;
}

#[tokio::test]
async fn a_model_without_a_key_cannot_be_asked() {
    let site = Site::start().await;
    let page = site.put(page());
    World::attached()
        .run(&["agent", &page.url, "go on"])
        .await
        .assert_failed(4, &["OPENAI_API_KEY"]);
}

#[tokio::test]
async fn a_model_that_uses_computers_does_a_task() {
    let site = Site::start().await;
    let page = site.put(format!(
        "{TELL}<style>body {{ margin: 0 }} button {{ width: 200px; height: 50px }}</style>\
         <button onclick=\"tell('/went/')\">Go on</button>"
    ));
    let model = ScriptedModel::start().await;
    model.script(|request| match request.tools.len() {
        1 => Answer::tool(
            "done",
            json!({ "reasoning": "It went on.", "taskComplete": true }),
        ),
        _ if request.tool_results.is_empty() => Answer::items([json!({
            "type": "tool_use", "id": "t", "name": "computer",
            "input": { "action": "left_click", "coordinate": [100, 25] },
        })]),
        _ => Answer::text("That is all."),
    });
    let arguments = [
        page.url.as_str(),
        "go on",
        "--mode",
        "cua",
        "--model",
        "anthropic/claude-sonnet-4-5",
    ];
    let world = attached_with_key().set("ANTHROPIC_API_KEY", "sk-scripted-key");
    let outcome = run(&world, &model, &arguments).await;
    assert_eq!(outcome.result(), "It went on.\n");
    site.wait_for_hit("/went/").await;
    let steps = told(&outcome);
    assert!(
        steps[0].starts_with("step 1: click {") && steps[0].contains("[100"),
        "{outcome:?}"
    );

    let arguments = [page.url.as_str(), "go on", "--mode", "cua"];
    let outcome = run(&attached_with_key(), &model, &arguments).await;
    assert!(outcome.stderr.contains("does not use computers"), "{outcome:?}");
}
