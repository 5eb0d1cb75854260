//! `automator act`.

use automator_testing::{Answer, Fault, ScriptedModel, Shop, Site};
use serde_json::json;

use crate::command::{TELL, World, action, asking, attached_with_key, choice};

fn page() -> String {
    format!(
        "{TELL}<label>Name <input id=name></label>
         <button id=go onclick=\"tell('/done/' + document.querySelector('#name').value)\">Go</button>
         <button id=off disabled>Off</button>"
    )
}

#[tokio::test]
async fn an_instruction_is_done_at_an_address() {
    let site = Site::start().await;
    let page = site.put(page());
    let model = ScriptedModel::start().await;
    model.script(|request| action(request, "button: Go", "click", &[]));
    let [option, base_url] = asking(&model);
    let outcome = attached_with_key()
        .run(&["act", "-q", &page.url, "press go", &option, &base_url])
        .await;
    assert!(outcome.result().contains("click"), "{outcome:?}");
    assert_eq!((outcome.stdout.lines().count(), outcome.stderr.as_str()), (1, ""));
    site.wait_for_hit("/done/").await;
    assert_eq!(model.requests().len(), 1);
}

#[tokio::test]
async fn an_exact_action_asks_no_model() {
    let site = Site::start().await;
    let page = site.put(page());
    let world = World::attached();
    let exact = ["act", &page.url, "--selector", "#go", "--method", "click"];
    world.run(&exact).await.result();
    site.wait_for_hit("/done/").await;
    let arguments = [
        "--selector",
        "text=Go",
        "--method",
        "fill",
        "--argument",
        "-5",
        "--json",
    ];
    let outcome = world.run(&[&["act", &page.url][..], &arguments].concat()).await;
    assert_eq!(outcome.code, 7, "a button takes no text: {outcome:?}");
    let gone = [
        "act",
        &page.url,
        "--selector",
        "#gone",
        "--method",
        "click",
        "--timeout",
        "2",
    ];
    let outcome = attached_with_key().run(&gone).await;
    assert_eq!(outcome.code, 7, "{outcome:?}");
    assert!(
        outcome.stdout.contains("#gone"),
        "no model is asked to find it: {outcome:?}"
    );
}

#[tokio::test]
async fn json_is_the_whole_result_on_one_line() {
    let site = Site::start().await;
    let page = site.put(page());
    let arguments = [
        "--selector",
        "#name",
        "--method",
        "fill",
        "--argument",
        "Ada",
        "--json",
    ];
    let outcome = World::attached()
        .run(&[&["act", &page.url][..], &arguments].concat())
        .await;
    assert_eq!(outcome.result().lines().count(), 1);
    let json = outcome.json();
    assert_eq!(json["success"], true);
    let expected =
        json!([{ "selector": "#name", "description": "", "method": "fill", "arguments": ["Ada"] }]);
    assert_eq!(json["actions"], expected);
    assert!(json["message"].is_string() && json["actionDescription"].is_string());
}

#[tokio::test]
async fn what_the_page_does_not_let_happen_ends_with_code_7_and_its_reason() {
    let site = Site::start().await;
    let page = site.put(page());
    let off = [
        "act",
        &page.url,
        "--selector",
        "#off",
        "--method",
        "click",
        "--timeout",
        "3",
    ];
    let outcome = World::attached().run(&off).await;
    assert_eq!(outcome.code, 7, "{outcome:?}");
    assert!(outcome.stdout.contains("disabled"), "{outcome:?}");
    let outcome = World::attached().run(&[&off[..], &["--json"]].concat()).await;
    assert_eq!(outcome.code, 7, "{outcome:?}");
    assert!(outcome.stdout.contains("\"success\":false"), "{outcome:?}");
    let model = ScriptedModel::start().await;
    model.script(|_| Answer::value(json!({ "action": null, "twoStep": false })));
    let [option, base_url] = asking(&model);
    let outcome = attached_with_key()
        .run(&["act", &page.url, "fly away", &option, &base_url])
        .await;
    assert_eq!(outcome.code, 7, "{outcome:?}");
    assert!(outcome.stdout.contains("nothing on the page fits"), "{outcome:?}");
}

#[tokio::test]
async fn a_model_that_cannot_be_asked_or_hangs_has_its_own_code() {
    let site = Site::start().await;
    let page = site.put(page());
    World::attached()
        .run(&["act", &page.url, "press go"])
        .await
        .assert_failed(4, &["OPENAI_API_KEY"]);
    let model = ScriptedModel::start().await;
    model.fault_always(Some(Fault::Hang));
    let [option, base_url] = asking(&model);
    for command in ["act", "observe"] {
        attached_with_key()
            .run(&[
                command,
                &page.url,
                "press go",
                "--timeout",
                "2",
                &option,
                &base_url,
            ])
            .await
            .assert_failed(6, &["timed out", "--timeout"]);
    }
}

#[tokio::test]
async fn what_has_worked_is_done_again_without_a_model() {
    let shop = Shop::start().await;
    let page = format!("{}product/arc-lamp", shop.url);
    let model = ScriptedModel::start().await;
    model.script(|request| action(request, "button: Add to basket", "click", &[]));
    let [option, base_url] = asking(&model);
    let world = attached_with_key();
    let command = [
        "act",
        &page,
        "put it in the basket",
        "--cache-dir",
        "memory",
        &option,
        &base_url,
    ];
    world.run(&command).await.result();
    world.run(&command).await.result();
    assert_eq!(model.requests().len(), 1);
    assert_eq!(std::fs::read_dir(world.work().join("memory")).unwrap().count(), 1);
}

#[tokio::test]
async fn a_drop_down_of_the_pages_own_takes_two_steps() {
    let site = Site::start().await;
    let page = site.put(format!(
        "{TELL}<button onclick='menu.hidden = false'>Colour</button>
         <ul id=menu hidden role=listbox><li role=option onclick=\"tell('/chose/blue')\">Blue</ul>"
    ));
    let model = ScriptedModel::start().await;
    model.script(|request| match request.find_id("option: Blue") {
        Some(_) => action(request, "option: Blue", "click", &[]),
        None => Answer::value(
            json!({ "action": choice(request, "button: Colour", "click", &[]), "twoStep": true }),
        ),
    });
    let [option, base_url] = asking(&model);
    let command = ["act", &page.url, "choose blue", &option, &base_url, "--json"];
    let outcome = attached_with_key().run(&command).await;
    assert_eq!(outcome.json()["actions"].as_array().unwrap().len(), 2);
    site.wait_for_hit("/chose/blue").await;
}
