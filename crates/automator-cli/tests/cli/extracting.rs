//! `automator extract`.

use std::time::Duration;

use automator_testing::{Answer, Fault, ScriptedModel, Shop, Site};
use serde_json::json;

use crate::command::{Outcome, World, all, asking, attached_with_key};

const SCHEMA: &str = r#"{
    "type": "array",
    "items": {
        "type": "object",
        "properties": { "name": { "type": "string" }, "price": { "type": "number" } },
        "required": ["name", "price"]
    }
}"#;

/// Runs `extract` on the shop's first page with the shop's model.
async fn extract_from_shop(world: &World, arguments: &[&str]) -> (Outcome, ScriptedModel) {
    let shop = Shop::start().await;
    let model = ScriptedModel::for_shop().await;
    let [option, base_url] = asking(&model);
    let arguments = all(&[&["extract", &shop.url], arguments, &[&option, &base_url]]);
    let outcome = world.run(&arguments).await;
    assert_eq!(model.failures(), Vec::<String>::new());
    (outcome, model)
}

/// Runs `extract` with a schema on a small page with a model that answers as the script says.
async fn extract_with(model: &ScriptedModel, arguments: &[&str]) -> Outcome {
    let site = Site::start().await;
    let page = site.put("<h1>Arc lamp</h1><p>49.00</p>");
    let [option, base_url] = asking(model);
    let schema = r#"{"type":"object","properties":{"price":{"type":"number"}},"required":["price"]}"#;
    let given: &[&str] = &[
        "extract",
        &page.url,
        "the price",
        "--schema",
        schema,
        &option,
        &base_url,
    ];
    attached_with_key().run(&all(&[given, arguments])).await
}

#[tokio::test]
async fn without_an_instruction_the_page_is_printed_and_no_model_asked() {
    let (outcome, model) = extract_from_shop(&World::attached(), &[]).await;
    assert!(outcome.result().starts_with("[0-0] RootWebArea: "), "{outcome:?}");
    let (outcome, _) = extract_from_shop(&World::attached(), &["--json", "--selector", "h1"]).await;
    assert!(outcome.json()["pageText"].as_str().unwrap().contains("heading"));
    assert!(model.requests().is_empty());
}

#[tokio::test]
async fn an_instruction_alone_gives_text() {
    let (outcome, model) = extract_from_shop(&attached_with_key(), &["every product with its price"]).await;
    assert!(outcome.result().contains("Arc lamp: € 49.00\n"), "{outcome:?}");
    assert_eq!(model.requests().len(), 1);
    assert_eq!(model.requests()[0].model, "gpt-4.1-mini");
}

#[tokio::test]
async fn json_without_a_schema_holds_the_text() {
    let (outcome, _) = extract_from_shop(&attached_with_key(), &["every product", "--json"]).await;
    assert_eq!(outcome.result().lines().count(), 1);
    let json = outcome.json();
    assert!(
        json["extraction"].as_str().unwrap().contains("Arc lamp"),
        "{json}"
    );
    assert_eq!(json.as_object().unwrap().len(), 1);
}

#[tokio::test]
async fn a_schema_gives_exactly_the_value_indented_or_on_one_line() {
    let (pretty, _) = extract_from_shop(&attached_with_key(), &["all products", "--schema", SCHEMA]).await;
    assert!(pretty.result().lines().count() > 10, "{pretty:?}");
    let value = pretty.json();
    let arc = json!({ "name": "Arc lamp", "price": 49.0 });
    assert!(value.as_array().unwrap().contains(&arc), "{value}");

    let world = attached_with_key();
    world.write("products.json", SCHEMA);
    let (compact, _) =
        extract_from_shop(&world, &["all products", "--schema", "products.json", "--json"]).await;
    assert_eq!(compact.result().lines().count(), 1);
    assert_eq!(compact.json(), value);
}

#[tokio::test]
async fn provenance_says_where_each_value_stands() {
    let arguments = [
        "all products",
        "--schema",
        SCHEMA,
        "--provenance",
        "--selector",
        "main",
    ];
    let (outcome, model) = extract_from_shop(&attached_with_key(), &arguments).await;
    let json = outcome.json();
    let position = json["value"]
        .as_array()
        .unwrap()
        .iter()
        .position(|product| product["name"] == "Arc lamp");
    let places = &json["provenance"][format!("/{}/name", position.unwrap())];
    assert!(
        places[0]["xpath"]
            .as_str()
            .unwrap()
            .starts_with("/html[1]/body[1]/"),
        "{places}"
    );
    assert_eq!(model.requests().len(), 1, "no further call");

    let (outcome, _) = extract_from_shop(&attached_with_key(), &["all products", "--provenance"]).await;
    let json = outcome.json();
    assert!(json["value"]["extraction"].is_string(), "{json}");
    assert!(json["provenance"]["/extraction"].is_array(), "{json}");
}

#[tokio::test]
async fn a_screenshot_goes_to_the_model_only_when_asked_for() {
    for (arguments, images) in [(&["it"][..], 0), (&["it", "--screenshot"], 1)] {
        let (outcome, model) = extract_from_shop(&attached_with_key(), arguments).await;
        assert_eq!(outcome.code, 0, "{outcome:?}");
        assert_eq!(model.requests()[0].images, images);
    }
}

#[tokio::test]
async fn selectors_limit_what_the_model_gets() {
    let arguments = ["it", "--selector", "main", "--ignore-selector", "h1"];
    let (_, model) = extract_from_shop(&attached_with_key(), &arguments).await;
    let text = model.requests()[0].text.clone();
    assert!(
        text.contains("Arc lamp") && !text.contains("RootWebArea"),
        "{text}"
    );
}

#[tokio::test]
async fn another_model_is_asked_by_its_name() {
    let arguments = [
        "all products",
        "--schema",
        SCHEMA,
        "--model",
        "workshop/tiny-7b",
        "--json",
    ];
    let (outcome, model) = extract_from_shop(&World::attached(), &arguments).await;
    assert!(outcome.result().contains("Arc lamp"), "{outcome:?}");
    assert_eq!(model.requests()[0].model, "tiny-7b");
}

#[tokio::test]
async fn answers_that_do_not_fit_end_with_code_1() {
    let model = ScriptedModel::start().await;
    model.script(|_| Answer::text(r#"{"price": "dear"}"#));
    extract_with(&model, &[])
        .await
        .assert_failed(1, &["does not fit the schema", "/price"]);
    model.script(|_| Answer::text("{}").with(Fault::Refusal));
    extract_with(&model, &[]).await.assert_failed(1, &["declined"]);
}

#[tokio::test]
async fn escape_codes_in_an_answer_do_not_reach_the_terminal() {
    let site = Site::start().await;
    let page = site.put("<p>&#27;[31mred&#27;]0;title&#7; &#155;1m</p>");
    let model = ScriptedModel::start().await;
    model.script(|_| Answer::value(json!({ "extraction": "\u{1b}[2Jgone\u{9b}31m\r\nnext\n\n" })));
    let [option, base_url] = asking(&model);
    let outcome = attached_with_key()
        .run(&["extract", &page.url, "it", &option, &base_url])
        .await;
    assert_eq!(outcome.result(), "[2Jgone31m\nnext\n");
    let outcome = World::attached().run(&["snapshot", &page.url]).await;
    assert!(outcome.result().contains("red"), "{outcome:?}");
    assert!(
        !outcome.stdout.contains(|c: char| c.is_control() && c != '\n'),
        "{outcome:?}"
    );
}

#[tokio::test]
async fn models_that_cannot_be_asked_end_with_code_4() {
    let site = Site::start().await;
    let page = site.put("<h1>Arc lamp</h1>");
    let world = World::attached();
    world
        .run(&["extract", &page.url, "it"])
        .await
        .assert_failed(4, &["OPENAI_API_KEY", "automator doctor"]);
    world
        .run(&["extract", &page.url, "it", "--model", "gpt-4"])
        .await
        .assert_failed(4, &["gpt-4", "provider/model"]);
    world
        .run(&["extract", &page.url, "it", "--model", "nobody/model"])
        .await
        .assert_failed(4, &["nobody/model"]);
    let model = ScriptedModel::start().await;
    model.fault_always(Some(Fault::ServerError(401)));
    let refused = extract_with(&model, &[]).await;
    refused.assert_failed(4, &["refused the API key"]);
    assert!(!refused.stderr.contains("sk-scripted-key"), "{refused:?}");
}

#[tokio::test]
async fn a_model_that_does_not_answer_ends_with_code_6() {
    let model = ScriptedModel::start().await;
    model.fault_always(Some(Fault::Hang));
    let outcome = extract_with(&model, &["--timeout", "3"]).await;
    outcome.assert_failed(6, &["timed out", "--timeout"]);
}

#[tokio::test]
async fn a_slow_model_is_waited_for_when_there_is_no_limit() {
    let model = ScriptedModel::start().await;
    model.answers([Answer::value(json!({ "price": 49.0 })).with(Fault::Slow(Duration::from_millis(300)))]);
    let outcome = extract_with(&model, &["--timeout", "0", "--json"]).await;
    assert_eq!(outcome.result(), "{\"price\":49.0}\n");
}
