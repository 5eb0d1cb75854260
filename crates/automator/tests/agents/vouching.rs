//! `cacheDir`: what a run from memory says is true of the pages as they are now.

use std::path::Path;

use automator::{AgentConfig, AgentResult};
use automator_testing::{Answer, Kind};
use serde_json::{Value, json};

use crate::rig::Rig;
use crate::script::{Step, act_on, call, experimental, is_closing};

const TASK: &str = "tell the price";

fn price_schema() -> Value {
    json!({ "type": "object", "properties": { "price": { "type": "number" } }, "required": ["price"] })
}

fn lamp(price: u32) -> String {
    format!(
        "<title>Lamp</title><h1>Lamp</h1><p>Price: <b>{price}</b></p>
         <button onclick=\"document.title = 'bought'\">Buy</button>"
    )
}

fn extract(instruction: &'static str) -> Step {
    call(
        "extract",
        json!({ "instruction": instruction, "schema": price_schema() }),
    )
}

async fn remembering(folder: &Path) -> Rig {
    let folder = folder.to_owned();
    Rig::with(|builder| experimental(builder.cache_dir(folder))).await
}

/// Runs from an address with a model that takes these steps and reads this price; gives what the model was asked.
async fn told(rig: &Rig, url: &str, price: u32, steps: Vec<Step>) -> (AgentResult, Vec<Kind>) {
    rig.open(url).await;
    let steps = std::sync::Mutex::new(std::collections::VecDeque::from(steps));
    rig.model.script(move |request| match request.kind {
        Kind::Agent if is_closing(request) => Answer::tool(
            "done",
            json!({ "reasoning": format!("it costs {price}"), "taskComplete": true, "output": { "price": price } }),
        ),
        Kind::Agent => match steps.lock().unwrap().pop_front() {
            Some(step) => step(request),
            None => Answer::text("that is all"),
        },
        _ => Answer::value(json!({ "price": price })),
    });
    let before = rig.model.requests().len();
    let agent = rig.automator.agent(AgentConfig::default());
    let result = agent.execute(TASK).output_schema(price_schema()).await.unwrap();
    assert_eq!(rig.model.failures(), Vec::<String>::new());
    assert!(result.success, "{result:?}");
    let asked = rig
        .model
        .requests()
        .iter()
        .skip(before)
        .map(|request| request.kind)
        .collect();
    (result, asked)
}

fn assert_says(result: &AgentResult, price: u32) {
    assert_eq!(result.output, Some(json!({ "price": price })), "{result:?}");
    assert_eq!(result.message, format!("it costs {price}"));
}

/// Teaches the steps at one price, then runs at others; a run asks nothing when the price is that of the one before,
/// and one last question when it is not.
async fn follows_the_price(steps: fn() -> Vec<Step>) {
    let folder = tempfile::tempdir().unwrap();
    let rig = remembering(folder.path()).await;
    let at = rig.site.put(lamp(5));
    told(&rig, &at.url, 5, steps()).await;
    for (price, expected) in [
        (5, vec![]),
        (9, vec![Kind::Agent]),
        (9, vec![]),
        (5, vec![Kind::Agent]),
    ] {
        rig.site.put_at(&at.path, lamp(price));
        let (result, asked) = told(&rig, &at.url, price, vec![]).await;
        assert_says(&result, price);
        assert_eq!(asked, expected, "{price}");
    }
    rig.close().await;
}

#[tokio::test]
async fn an_output_follows_what_is_extracted_now() {
    follows_the_price(|| vec![extract("the price")]).await;
}

#[tokio::test]
async fn an_output_that_nothing_vouches_for_follows_the_page() {
    follows_the_price(|| vec![act_on("click {}", "button: Buy")]).await;
}

#[tokio::test]
async fn an_output_that_was_read_on_the_way_follows_the_page_there() {
    let folder = tempfile::tempdir().unwrap();
    let rig = remembering(folder.path()).await;
    let end = rig.site.put("<title>End</title><p>Thank you</p>");
    let page = |price: u32| format!("{}<a href=\"{}\">Leave</a>", lamp(price), end.url);
    let at = rig.site.put(page(5));
    told(&rig, &at.url, 5, vec![act_on("click {}", "link: Leave")]).await;
    for (price, expected) in [(5, vec![]), (9, vec![Kind::Agent]), (9, vec![])] {
        rig.site.put_at(&at.path, page(price));
        let (result, asked) = told(&rig, &at.url, price, vec![]).await;
        assert_says(&result, price);
        assert_eq!(asked, expected, "{price}");
        assert_eq!(rig.page.url(), end.url);
    }
    let closing = rig.model.requests().pop().unwrap().text;
    assert!(
        closing.contains("the page said:") && closing.contains("Price: 9"),
        "{closing}"
    );
    rig.close().await;
}

#[tokio::test]
async fn what_was_decided_by_a_value_is_decided_anew_when_it_has_changed() {
    let folder = tempfile::tempdir().unwrap();
    let rig = remembering(folder.path()).await;
    let at = rig.site.put(lamp(5));
    let steps = || vec![extract("the price"), act_on("click {}", "button: Buy")];
    told(&rig, &at.url, 5, steps()).await;
    rig.becomes("document.title", "bought").await;
    rig.site.put_at(&at.path, lamp(900));
    let (result, asked) = told(&rig, &at.url, 900, vec![]).await;
    assert_says(&result, 900);
    assert_eq!(
        asked,
        [Kind::Agent, Kind::Agent],
        "one step in words, and the end"
    );
    assert_eq!(rig.page.title().await.unwrap(), "Lamp", "nobody has bought it");
    let kinds: Vec<&str> = result.actions.iter().map(|action| action.kind.as_str()).collect();
    assert_eq!(kinds, ["extract", "done"]);
    rig.close().await;
}

#[tokio::test]
async fn a_value_that_cannot_be_taken_from_memory_is_that_of_the_same_page_or_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let rig = remembering(folder.path()).await;
    let page = |price: u32| format!("{}<p>Another lamp: {}</p>", lamp(price), price + 1);
    let at = rig.site.put(page(5));
    // Nothing is learnt from a choice.
    let steps = || vec![extract("the cheapest price")];
    told(&rig, &at.url, 5, steps()).await;
    let extraction = |result: &AgentResult| result.actions[0].details["extraction"].clone();
    for (price, expected) in [(5, vec![]), (9, vec![Kind::Extract, Kind::Agent])] {
        rig.site.put_at(&at.path, page(price));
        let (result, asked) = told(&rig, &at.url, price, vec![]).await;
        assert_says(&result, price);
        assert_eq!(extraction(&result), json!({ "price": price }));
        assert_eq!(asked, expected, "{price}");
    }
    rig.close().await;
}

#[tokio::test]
async fn a_plan_that_does_not_know_its_pages_comes_to_know_them() {
    let folder = tempfile::tempdir().unwrap();
    let rig = remembering(folder.path()).await;
    let at = rig.site.put(lamp(5));
    told(&rig, &at.url, 5, vec![act_on("click {}", "button: Buy")]).await;
    let path = std::fs::read_dir(folder.path())
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let mut plan: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    assert!(
        plan.as_object_mut().unwrap().remove("lastPage").is_some(),
        "{plan}"
    );
    assert!(
        plan["steps"][0].as_object_mut().unwrap().remove("page").is_some(),
        "{plan}"
    );
    std::fs::write(&path, plan.to_string()).unwrap();
    for expected in [vec![Kind::Agent], vec![]] {
        let (result, asked) = told(&rig, &at.url, 5, vec![]).await;
        assert_says(&result, 5);
        assert_eq!(asked, expected);
    }
    rig.close().await;
}
