//! Operations called on a page: `act`, `observe`, and `extract` by the rules of version 2.

use std::time::Duration;

use automator::{ErrorKind, PageExtractOptions, from_json};
use automator_testing::Answer;
use serde_json::json;

use crate::acting::{action, choice};
use crate::rig::{Rig, model_on};

#[tokio::test]
async fn act_and_observe_work_on_their_page_and_not_on_the_active_one() {
    let rig = Rig::start().await;
    rig.show("<button onclick=\"document.title = 'done'\">Go</button>")
        .await;
    let other = rig.new_page().await;
    rig.model.script(|request| {
        Answer::value(json!({ "elements": [choice(request, "button: Go", "click", &[])] }))
    });
    let found = rig.page.observe("the button").await.unwrap();
    assert_eq!(found.len(), 1);
    rig.model
        .script(|request| action(request, "button: Go", "click", &[]));
    assert!(rig.page.act("press go").await.unwrap().success);
    assert_eq!(rig.page.title().await.unwrap(), "done");
    assert!(rig.page.act(&found[0]).await.unwrap().success);
    assert_eq!(rig.automator.context().unwrap().active_page().unwrap(), other);
    rig.close().await;
}

#[derive(Debug, PartialEq, serde::Deserialize, schemars::JsonSchema)]
struct Prices {
    prices: Vec<f64>,
}

#[tokio::test]
async fn extract_on_a_page_gives_text_objects_and_the_page_itself() {
    let rig = Rig::start().await;
    rig.show("<main>Lamp 49</main><footer>Imprint</footer>").await;
    rig.model.script(|request| {
        assert!(!request.text.contains("Imprint"), "{}", request.text);
        Answer::value(json!({ "extraction": "49" }))
    });
    let plain = rig.page.extract("the price").selector("main").await.unwrap();
    assert_eq!(plain.extraction, "49");
    rig.model.script(|_| Answer::value(json!({ "prices": [49.0] })));
    let prices = rig.page.extract("prices").schema::<Prices>().await.unwrap();
    assert_eq!(prices, Prices { prices: vec![49.0] });
    let before = rig.model.requests().len();
    let text = rig
        .page
        .extract_with(&PageExtractOptions::default())
        .await
        .unwrap();
    assert!(text["pageText"].as_str().unwrap().contains("Lamp 49"), "{text}");
    assert_eq!(rig.model.requests().len(), before);
    rig.close().await;
}

#[tokio::test]
async fn frames_are_read_only_on_request() {
    let rig = Rig::start().await;
    let inner = rig.site.put("<p>inside the frame</p>");
    let html = format!("<p>outside</p><iframe src='{}'></iframe>", inner.url);
    rig.show(html).await;
    let text = async |iframes: bool| {
        let options = PageExtractOptions {
            iframes,
            ..PageExtractOptions::default()
        };
        let value = rig.page.extract_with(&options).await.unwrap();
        value["pageText"].as_str().unwrap().to_owned()
    };
    let without = text(false).await;
    assert!(
        without.contains("outside") && !without.contains("inside the frame"),
        "{without}"
    );
    assert!(text(true).await.contains("inside the frame"));
    rig.close().await;
}

#[tokio::test]
async fn options_have_the_names_of_version_2() {
    let rig = Rig::start().await;
    rig.show("<p>Lamp 49</p>").await;
    let model = model_on(&rig.model, "openai/other-model", true);
    let options = json!({
        "instruction": "the price",
        "schema": { "type": "object", "properties": { "price": { "type": "number" } }, "required": ["price"] },
        "selector": "xpath=/html/body/p",
        "iframes": true,
        "modelName": "openai/other-model",
        "modelClientOptions": { "apiKey": "key", "baseURL": model.base_url, "openaiEndpointFormat": "chat" },
        "domSettleTimeoutMs": 1000,
    });
    let options: PageExtractOptions = from_json("options", &options).unwrap();
    assert_eq!(options.dom_settle_timeout, Some(Duration::from_secs(1)));
    rig.model.script(|request| {
        assert_eq!(request.model, "other-model");
        Answer::value(json!({ "price": 49 }))
    });
    let value = rig.page.extract_with(&options).await.unwrap();
    assert_eq!(value, json!({ "price": 49 }));
    let error = from_json::<PageExtractOptions>("options", &json!({ "timeout": 1 })).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    rig.close().await;
}

#[tokio::test]
async fn schemas_that_are_not_of_objects_are_refused_before_anything_is_asked() {
    let rig = Rig::start().await;
    rig.show("<p>x</p>").await;
    let error = rig.page.extract("all").schema::<Vec<Prices>>().await.unwrap_err();
    assert_eq!(
        (error.kind(), error.operation()),
        (ErrorKind::InvalidArgument, Some("extract"))
    );
    let options = PageExtractOptions {
        schema: Some(json!({ "type": "object" })),
        ..PageExtractOptions::default()
    };
    let error = rig.page.extract_with(&options).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument, "no instruction");
    assert!(rig.model.requests().is_empty());
    rig.close().await;
}
