//! `cacheDir` for `extract()`: values of other pages of a template without a model, and asking again when the
//! template changed.

use std::path::Path;

use automator::{Builder, EnvironmentSource, Error, ErrorKind};
use automator_testing::{Answer, Request};
use serde_json::{Value, json};

use crate::rig::Rig;

const LAMPS: &str = "all lamps with name and price";

async fn rig(folder: &Path) -> Rig {
    let folder = folder.to_owned();
    Rig::with(move |builder: Builder| builder.cache_dir(folder)).await
}

/// The files of recipes, by name.
fn files(folder: &Path) -> Vec<(String, Value)> {
    let read = |path: &Path| serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let entries = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    entries
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .map(|path| {
            (
                path.file_name().unwrap().to_string_lossy().into_owned(),
                read(&path),
            )
        })
        .collect()
}

fn list_page(lamps: &[(&str, &str)]) -> String {
    let items = lamps
        .iter()
        .map(|(name, price)| format!("<li class=lamp><h2>{name}</h2><p class=price>€ {price}</p></li>"))
        .collect::<String>();
    format!("<main><h1>Lamps</h1><ul class=lamps>{items}</ul></main>")
}

/// The same content in other elements.
fn table_page(lamps: &[(&str, &str)]) -> String {
    let rows = lamps
        .iter()
        .map(|(name, price)| format!("<tr><td>{name}<td>€ {price}"))
        .collect::<String>();
    format!("<main><h1>Lamps</h1><table><tr><th>Name<th>Price{rows}</table></main>")
}

fn list_schema() -> Value {
    let item = json!({
        "type": "object", "required": ["name", "price"],
        "properties": { "name": { "type": "string" }, "price": { "type": "number" } },
    });
    json!({ "type": "array", "items": item })
}

/// Whole numbers are written as models write them, without a point.
fn lamps(pairs: &[(&str, f64)]) -> Value {
    let number = |price: f64| match price.fract() {
        0.0 => json!(price as i64),
        _ => json!(price),
    };
    pairs
        .iter()
        .map(|(name, price)| json!({ "name": name, "price": number(*price) }))
        .collect()
}

async fn extract(rig: &Rig, path: &str, instruction: &str, schema: Value) -> Result<Value, Error> {
    rig.open(&rig.site.url(path)).await;
    rig.automator.extract(instruction).json_schema(schema).await
}

async fn extract_lamps(rig: &Rig, path: &str) -> Value {
    extract(rig, path, LAMPS, list_schema()).await.unwrap()
}

/// A model that knows one answer.
fn answers(rig: &Rig, value: Value) {
    rig.model.script(move |_: &Request| Answer::value(value.clone()));
}

fn calls(rig: &Rig) -> usize {
    rig.model.requests().len()
}

const TWO: [(&str, &str); 2] = [("Arc", "49.00"), ("Beam", "64.50")];

#[tokio::test]
async fn other_pages_of_the_template_give_their_own_values_without_a_model() {
    let folder = tempfile::tempdir().unwrap();
    let rig = rig(folder.path()).await;
    rig.site.put_at("/lamps/1", list_page(&TWO));
    rig.site
        .put_at("/lamps/2", list_page(&[("Clip", "19.90"), ("Dot", "7.25")]));
    rig.site.put_at(
        "/lamps/3",
        list_page(&[("Elm", "78.00"), ("Fly", "34.00"), ("Globe", "56.00")]),
    );
    rig.site.put_at("/lamps/4", list_page(&[("Harbour", "1,189.00")]));
    let first = lamps(&[("Arc", 49.0), ("Beam", 64.5)]);
    answers(&rig, first.clone());
    assert_eq!(extract_lamps(&rig, "/lamps/1").await, first);
    assert_eq!(extract_lamps(&rig, "/lamps/1").await, first);
    assert_eq!(
        extract_lamps(&rig, "/lamps/2").await,
        lamps(&[("Clip", 19.9), ("Dot", 7.25)])
    );
    assert_eq!(
        extract_lamps(&rig, "/lamps/3").await,
        lamps(&[("Elm", 78.0), ("Fly", 34.0), ("Globe", 56.0)])
    );
    assert_eq!(
        extract_lamps(&rig, "/lamps/4").await,
        lamps(&[("Harbour", 1189.0)])
    );
    assert_eq!(calls(&rig), 1);
    let (name, entry) = files(folder.path()).remove(0);
    assert!(name.starts_with("extract-"), "{name}");
    assert!(entry["url"].as_str().unwrap().ends_with("/lamps/*"), "{entry}");
    // The address has a port, which may hold any digits.
    let recipe = entry["recipe"].to_string();
    assert!(!recipe.contains("Arc") && !recipe.contains("49"), "{recipe}");
    rig.close().await;
}

#[tokio::test]
async fn a_page_that_is_built_differently_is_asked_about_and_learnt_anew() {
    let folder = tempfile::tempdir().unwrap();
    let rig = rig(folder.path()).await;
    let (arc, clip) = (
        lamps(&[("Arc", 49.0), ("Beam", 64.5)]),
        lamps(&[("Clip", 19.9), ("Dot", 7.25)]),
    );
    rig.site.put_at("/lamps/1", list_page(&TWO));
    answers(&rig, arc);
    extract_lamps(&rig, "/lamps/1").await;
    let before = files(folder.path());

    rig.site
        .put_at("/lamps/2", table_page(&[("Clip", "19.90"), ("Dot", "7.25")]));
    answers(&rig, clip.clone());
    assert_eq!(extract_lamps(&rig, "/lamps/2").await, clip);
    assert_eq!(calls(&rig), 2);
    let after = files(folder.path());
    assert_eq!((before.len(), after.len()), (1, 1));
    assert_eq!(before[0].0, after[0].0);
    assert_ne!(before[0].1["recipe"], after[0].1["recipe"]);

    rig.site.put_at("/lamps/3", table_page(&[("Elm", "78.00")]));
    assert_eq!(extract_lamps(&rig, "/lamps/3").await, lamps(&[("Elm", 78.0)]));
    assert_eq!(calls(&rig), 2);
    rig.close().await;
}

#[tokio::test]
async fn a_page_that_teaches_nothing_leaves_what_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let rig = rig(folder.path()).await;
    rig.site.put_at("/lamps/1", list_page(&TWO));
    answers(&rig, lamps(&[("Arc", 49.0), ("Beam", 64.5)]));
    extract_lamps(&rig, "/lamps/1").await;
    let before = files(folder.path());

    rig.site.put_at(
        "/lamps/2",
        "<h1>Closed for the night</h1><p>Come back tomorrow.</p>",
    );
    // An answer that stands nowhere on that page.
    answers(&rig, lamps(&[("Nothing", 0.5)]));
    assert_eq!(extract_lamps(&rig, "/lamps/2").await, lamps(&[("Nothing", 0.5)]));
    assert_eq!(calls(&rig), 2);
    assert_eq!(files(folder.path()), before);

    rig.site.put_at("/lamps/3", list_page(&[("Elm", "78.00")]));
    assert_eq!(extract_lamps(&rig, "/lamps/3").await, lamps(&[("Elm", 78.0)]));
    assert_eq!(calls(&rig), 2);
    rig.close().await;
}

#[tokio::test]
async fn a_value_that_is_not_on_the_page_is_not_learnt() {
    let folder = tempfile::tempdir().unwrap();
    let rig = rig(folder.path()).await;
    rig.site.put_at("/lamps/1", list_page(&TWO));
    answers(&rig, lamps(&[("Arc", 49.0), ("Beam", 65.0)]));
    for count in [1, 2] {
        extract_lamps(&rig, "/lamps/1").await;
        assert_eq!(calls(&rig), count);
    }
    assert_eq!(files(folder.path()), []);
    rig.close().await;
}

#[tokio::test]
async fn an_instruction_that_names_what_it_looks_for_is_not_learnt() {
    let folder = tempfile::tempdir().unwrap();
    let rig = rig(folder.path()).await;
    rig.site.put_at("/lamps/1", list_page(&TWO));
    let schema = json!({
        "type": "object", "required": ["price"], "properties": { "price": { "type": "number" } },
    });
    answers(&rig, json!({ "price": 64.5 }));
    for (count, instruction) in [
        (1, "the lamp for € 64.50: its price"),
        (2, "the price of the most expensive lamp"),
    ] {
        extract(&rig, "/lamps/1", instruction, schema.clone())
            .await
            .unwrap();
        assert_eq!(calls(&rig), count);
    }
    answers(&rig, lamps(&[("Beam", 64.5)]));
    extract(&rig, "/lamps/1", "name and price of the lamp Beam", list_schema())
        .await
        .unwrap();
    assert_eq!(files(folder.path()), []);
    rig.close().await;
}

#[tokio::test]
async fn values_in_frames_and_shadow_roots_are_found_again() {
    let folder = tempfile::tempdir().unwrap();
    let rig = rig(folder.path()).await;
    let page = |name: &str, price: &str| {
        format!(
            "<h1>Lamp</h1><div id=host></div><iframe srcdoc=\"<dl><dt>Price</dt><dd class=price>€ {price}</dd></dl>\">\
             </iframe><script>host.attachShadow({{ mode: 'closed' }}).innerHTML = \
             '<p>Name</p><p class=name>{name}</p>'</script>"
        )
    };
    let schema = json!({
        "type": "object", "required": ["name", "price"],
        "properties": { "name": { "type": "string" }, "price": { "type": "number" } },
    });
    answers(&rig, json!({ "name": "Arc lamp", "price": 49 }));
    for (path, name, price, value) in [
        (
            "/lamp/1",
            "Arc lamp",
            "49.00",
            json!({ "name": "Arc lamp", "price": 49 }),
        ),
        (
            "/lamp/2",
            "Elm light",
            "78.50",
            json!({ "name": "Elm light", "price": 78.5 }),
        ),
    ] {
        rig.site.put_at(path, page(name, price));
        rig.open(&rig.site.url(path)).await;
        rig.text_with(&[name, price]).await;
        let instruction = "the lamp's name and price";
        let extracted = rig
            .automator
            .extract(instruction)
            .json_schema(schema.clone())
            .await;
        let extracted = extracted.unwrap();
        assert_eq!(extracted["name"], value["name"]);
        assert_eq!(extracted["price"].as_f64(), value["price"].as_f64());
        assert_eq!(calls(&rig), 1);
    }
    rig.close().await;
}

#[tokio::test]
async fn a_session_without_a_key_replays_and_asks_for_one_only_when_the_model_is_needed() {
    let folder = tempfile::tempdir().unwrap();
    let first = rig(folder.path()).await;
    first.site.put_at("/lamps/1", list_page(&TWO));
    first.site.put_at("/lamps/2", list_page(&[("Clip", "19.90")]));
    first.site.put_at("/lamps/3", table_page(&[("Dot", "7.25")]));
    answers(&first, lamps(&[("Arc", 49.0), ("Beam", 64.5)]));
    extract_lamps(&first, "/lamps/1").await;

    let folder_again = folder.path().to_owned();
    let keyless = Rig::with(move |builder| {
        let builder = builder.model("openai/gpt-4.1-mini").cache_dir(folder_again);
        builder.with(|options| options.environment = EnvironmentSource::new(|_| None))
    })
    .await;
    let ask = async |path: &str| {
        keyless.open(&first.site.url(path)).await;
        keyless.automator.extract(LAMPS).json_schema(list_schema()).await
    };
    assert_eq!(ask("/lamps/2").await.unwrap(), lamps(&[("Clip", 19.9)]));
    assert_eq!(keyless.automator.metrics().extract_prompt_tokens, 0);
    let error = ask("/lamps/3").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::MissingLlmConfiguration);
    keyless.close().await;
    first.close().await;
}

#[tokio::test]
async fn a_change_while_the_page_is_open_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let rig = rig(folder.path()).await;
    rig.site.put_at("/lamps/1", list_page(&TWO));
    answers(&rig, lamps(&[("Arc", 49.0), ("Beam", 64.5)]));
    extract_lamps(&rig, "/lamps/1").await;
    rig.page
        .evaluate("document.querySelector('.price').textContent = '€ 39.00'")
        .await
        .unwrap();
    let again = rig
        .automator
        .extract(LAMPS)
        .json_schema(list_schema())
        .await
        .unwrap();
    assert_eq!(again, lamps(&[("Arc", 39.0), ("Beam", 64.5)]));
    assert_eq!(calls(&rig), 1);
    rig.close().await;
}
