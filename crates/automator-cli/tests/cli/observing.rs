//! `automator observe`.

use automator_testing::{Answer, Request, ScriptedModel, Site};
use serde_json::json;

use crate::command::{asking, attached_with_key, choice};

const PAGE: &str =
    "<main><button>Go</button><label>Name <input></label></main><nav><a href='/sale'>Sale</a></nav>";

fn both(request: &Request) -> Answer {
    Answer::value(json!({ "elements": [
        choice(request, "button: Go", "click", &[]),
        choice(request, "textbox: Name", "fill", &["%user%\tand\u{1b}[31m"]),
    ] }))
}

#[tokio::test]
async fn each_element_is_a_line_of_four_columns() {
    let site = Site::start().await;
    let page = site.put(PAGE);
    let model = ScriptedModel::start().await;
    model.script(both);
    let [option, base_url] = asking(&model);
    let command = [
        "observe",
        "-q",
        &page.url,
        "the form",
        "--variable",
        "user=Ada",
        &option,
        &base_url,
    ];
    let outcome = attached_with_key().run(&command).await;
    let expected = "\
the button: Go\tclick\t\txpath=/html[1]/body[1]/main[1]/button[1]
the textbox: Name\tfill\t%user% and[31m\txpath=/html[1]/body[1]/main[1]/label[1]/input[1]
";
    assert_eq!(outcome.result(), expected);
    assert_eq!(outcome.stderr, "");
    assert!(model.requests()[0].text.contains("the form"));
}

#[tokio::test]
async fn json_is_an_array_of_actions() {
    let site = Site::start().await;
    let page = site.put(PAGE);
    let model = ScriptedModel::start().await;
    model.script(both);
    let [option, base_url] = asking(&model);
    let outcome = attached_with_key()
        .run(&["observe", &page.url, "--json", &option, &base_url])
        .await;
    assert_eq!(outcome.result().lines().count(), 1);
    let json = outcome.json();
    assert_eq!(json[0]["method"], "click");
    assert_eq!(json[1]["arguments"].as_array().unwrap().len(), 1);
    assert_eq!(json.as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn selectors_limit_what_the_model_gets() {
    let site = Site::start().await;
    let page = site.put(PAGE);
    let model = ScriptedModel::start().await;
    model.script(|_| Answer::value(json!({ "elements": [] })));
    let [option, base_url] = asking(&model);
    let scope = ["--selector", "main", "--ignore-selector", "button"];
    let command = [
        &["observe", &page.url, "all of it", &option, &base_url][..],
        &scope,
    ]
    .concat();
    let outcome = attached_with_key().run(&command).await;
    assert_eq!(outcome.result(), "", "no line for no element");
    assert!(
        outcome.stderr.contains("warning: nothing was found\n"),
        "{outcome:?}"
    );
    let text = model.requests()[0].text.clone();
    assert!(
        text.contains("Name") && !text.contains("Sale") && !text.contains("button: Go"),
        "{text}"
    );
    let outcome = attached_with_key()
        .run(&[&command[..], &["--json"]].concat())
        .await;
    assert_eq!(outcome.result(), "[]\n");
}
