//! Where the parts of a result stand.

use automator_testing::Answer;
use serde_json::{Value, json};

use crate::rig::Rig;

#[tokio::test]
async fn each_value_is_led_back_to_its_elements_without_a_model_call() {
    let rig = Rig::start().await;
    let inner = rig.site.put("<p>Stock: <b>12</b> pieces</p>");
    rig.show(format!(
        "<main><h1>Arc lamp</h1><p class=price>€ 1,299.00</p><p>Arc lamp, a lamp</p><a href='/arc'>Details</a>
        <iframe src='{}'></iframe><x-card><span>Made in Graz</span></x-card></main>
        <script>customElements.define('x-card', class extends HTMLElement {{ constructor() {{ super();
          this.attachShadow({{mode: 'open'}}).innerHTML = '<em>Seal</em><slot></slot>' }} }})</script>",
        inner.cross_url
    ))
    .await;
    rig.text_with(&["Stock"]).await;
    rig.model.script(|request| {
        Answer::value(json!({
            "name": "Arc lamp", "price": 1299, "stock": 12, "link": request.id_of("link: Details"),
            "origin": "Made in Graz", "seal": "Seal", "invented": "Never said", "isGood": true, "none": null,
        }))
    });
    let schema = json!({ "type": "object", "properties": {
        "name": { "type": "string" }, "price": { "type": "number" }, "stock": { "type": "integer" },
        "link": { "type": "string", "format": "uri" }, "origin": { "type": "string" }, "seal": { "type": "string" },
        "invented": { "type": "string" }, "isGood": { "type": "boolean" }, "none": { "type": ["string", "null"] } } });
    let found = rig
        .automator
        .extract("all")
        .json_schema(schema)
        .with_provenance()
        .await
        .unwrap();
    assert_eq!(rig.model.requests().len(), 1);
    assert_eq!(found.value["price"], 1299);
    let paths = |pointer: &str| -> Vec<String> {
        found
            .provenance
            .get(pointer)
            .unwrap()
            .iter()
            .map(|source| source.xpath.clone())
            .collect()
    };
    assert_eq!(paths("/name"), ["/html[1]/body[1]/main[1]/h1[1]"]);
    assert_eq!(paths("/price"), ["/html[1]/body[1]/main[1]/p[1]"]);
    assert_eq!(
        paths("/stock"),
        ["/html[1]/body[1]/main[1]/iframe[1]/html[1]/body[1]/p[1]/b[1]"]
    );
    assert_eq!(paths("/link"), ["/html[1]/body[1]/main[1]/a[1]"]);
    assert!(found.provenance.get("/link").unwrap()[0].id.is_some());
    assert_eq!(paths("/seal"), ["/html[1]/body[1]/main[1]/x-card[1]//em[1]"]);
    assert_eq!(paths("/origin"), ["/html[1]/body[1]/main[1]/x-card[1]/span[1]"]);
    let nowhere: Vec<&str> = found.provenance.found_nowhere().collect();
    assert_eq!(nowhere, ["/invented", "/isGood"]);
    assert_eq!(found.provenance.get("/none"), None);
    rig.close().await;
}

#[tokio::test]
async fn several_places_come_in_page_order() {
    let rig = Rig::start().await;
    rig.show("<ul><li>Oak</li><li>Elm</li><li>Oak</li></ul>").await;
    rig.model.script(|_| Answer::value(json!({ "value": "Oak" })));
    let found = rig
        .automator
        .extract("a tree")
        .json_schema(json!({ "type": "string" }))
        .with_provenance()
        .await
        .unwrap();
    assert_eq!(found.value, Value::from("Oak"));
    let places: Vec<&str> = found
        .provenance
        .get("")
        .unwrap()
        .iter()
        .map(|source| source.xpath.as_str())
        .collect();
    assert_eq!(
        places,
        ["/html[1]/body[1]/ul[1]/li[1]", "/html[1]/body[1]/ul[1]/li[3]"]
    );
    rig.close().await;
}

#[tokio::test]
async fn what_stands_below_slots_in_frames_has_its_whole_path() {
    let rig = Rig::start().await;
    let card = "<x-card><span>Made in Graz</span><span>Sold in Wien</span></x-card><script>
        customElements.define('x-card', class extends HTMLElement { constructor() { super();
          this.attachShadow({mode: 'open'}).innerHTML = '<slot></slot>' } })</script>";
    let far = rig.site.put(card.replace("Graz", "Wels"));
    rig.show(format!(
        "<iframe srcdoc=\"{card}\"></iframe><iframe src='{}'></iframe>",
        far.cross_url
    ))
    .await;
    rig.text_with(&["Made in Graz", "Made in Wels"]).await;
    rig.model
        .script(|_| Answer::value(json!({ "near": "Made in Graz", "far": "Made in Wels" })));
    let schema = json!({ "type": "object", "properties": { "near": { "type": "string" }, "far": { "type": "string" } } });
    let found = rig
        .automator
        .extract("all")
        .json_schema(schema)
        .with_provenance()
        .await
        .unwrap();
    let path = |pointer: &str| found.provenance.get(pointer).unwrap()[0].xpath.clone();
    assert_eq!(
        path("/near"),
        "/html[1]/body[1]/iframe[1]/html[1]/body[1]/x-card[1]/span[1]"
    );
    assert_eq!(
        path("/far"),
        "/html[1]/body[1]/iframe[2]/html[1]/body[1]/x-card[1]/span[1]"
    );
    rig.close().await;
}
