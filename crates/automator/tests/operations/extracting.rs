//! `extract()`: forms, schemas, addresses, options, limits.

use std::time::{Duration, Instant};

use automator::{ErrorKind, ExtractOptions, GenerateFuture, GenerateReply, GenerateRequest, LlmClient};
use automator_testing::{Answer, Fault};
use serde_json::{Value, json};

use crate::place::Place;
use crate::rig::{Rig, model_on};

#[derive(Debug, PartialEq, serde::Deserialize, schemars::JsonSchema)]
struct Product {
    name: String,
    price: f64,
    #[schemars(url)]
    link: Option<String>,
    note: Option<String>,
}

#[tokio::test]
async fn an_instruction_alone_gives_text_and_one_model_call() {
    let rig = Rig::start().await;
    rig.show("<p>The code is QX-77.</p>").await;
    rig.model
        .answers([Answer::value(json!({ "extraction": "QX-77" }))]);
    assert_eq!(
        rig.automator
            .extract("find the code word")
            .await
            .unwrap()
            .extraction,
        "QX-77"
    );
    let requests = rig.model.requests();
    assert_eq!(requests.len(), 1);
    assert!(
        requests[0].text.contains("find the code word") && requests[0].text.contains("The code is QX-77.")
    );
    assert_eq!(requests[0].temperature, None);
    rig.close().await;
}

#[tokio::test]
async fn a_type_gives_a_value_of_that_type_with_absolute_addresses() {
    let rig = Rig::start().await;
    let at = rig
        .show("<h1>Arc lamp</h1><a href='/alpha?q=1'>Details</a><p>€ 49.00</p>")
        .await;
    rig.model.script(|request| {
        assert!(
            !request.text.contains("alpha?q=1"),
            "addresses do not go to the model"
        );
        Answer::value(
            json!({ "name": "Arc lamp", "price": 49, "link": request.id_of("link: Details"), "note": null }),
        )
    });
    let product: Product = rig.automator.extract("the product").schema().await.unwrap();
    let link = format!("{}/alpha?q=1", at.url.rsplit_once('/').unwrap().0);
    assert_eq!(
        product,
        Product {
            name: "Arc lamp".to_owned(),
            price: 49.0,
            link: Some(link),
            note: None
        }
    );
    assert_eq!(rig.model.failures(), Vec::<String>::new());
    rig.close().await;
}

#[tokio::test]
async fn arrays_and_scalars_come_back_as_such() {
    let rig = Rig::start().await;
    rig.show("<p>x</p>").await;
    let cases = [
        (
            json!({ "type": "array", "items": { "type": "object", "properties": { "n": { "type": "number" } } } }),
            json!([{ "n": 1 }, { "n": 2 }]),
        ),
        (json!({ "type": "string" }), json!("word")),
        (json!({ "type": "number" }), json!(12.5)),
        (json!({ "type": "boolean" }), json!(false)),
        (json!({ "enum": ["on", "off"] }), json!("off")),
    ];
    for (schema, value) in cases {
        rig.model.answers([Answer::value(json!({ "value": value }))]);
        let got: Value = rig
            .automator
            .extract("get it")
            .json_schema(schema.clone())
            .await
            .unwrap();
        assert_eq!(got, value, "{schema}");
    }
    rig.close().await;
}

#[tokio::test]
async fn an_answer_that_breaks_the_schema_is_asked_once_more_and_then_refused() {
    let rig = Rig::start().await;
    rig.show("<p>x</p>").await;
    rig.model
        .script(|_| Answer::value(json!({ "price": "not a number" })));
    let schema =
        json!({ "type": "object", "properties": { "price": { "type": "number" } }, "required": ["price"] });
    let error = rig
        .automator
        .extract("price")
        .json_schema(schema)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SchemaValidation);
    assert!(
        error.context().any(|pair| pair == ("pointer", "/price")),
        "{error}"
    );
    assert_eq!(rig.model.requests().len(), 2);
    rig.close().await;
}

#[tokio::test]
async fn an_id_that_no_element_has_is_an_error_of_that_member() {
    let rig = Rig::start().await;
    rig.show("<a href=/x>Link</a>").await;
    rig.model.script(|_| Answer::value(json!({ "link": "0-999" })));
    let schema = json!({ "type": "object", "properties": { "link": { "type": "string", "format": "uri" } }, "required": ["link"] });
    let error = rig
        .automator
        .extract("link")
        .json_schema(schema)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SchemaValidation);
    assert!(error.to_string().contains("0-999"), "{error}");
    rig.close().await;
}

#[tokio::test]
async fn scope_and_removal_cut_what_the_model_sees() {
    let rig = Rig::start().await;
    rig.show("<main><p>wanted</p><p class=ad>advert</p></main><footer>imprint</footer>")
        .await;
    rig.model.script(|_| Answer::value(json!({ "extraction": "ok" })));
    rig.automator
        .extract("it")
        .selector("main")
        .ignore_selector(".ad")
        .await
        .unwrap();
    let sent = &rig.model.requests()[0].text;
    assert!(sent.contains("wanted") && !sent.contains("advert") && !sent.contains("imprint"));
    rig.close().await;
}

#[tokio::test]
async fn two_instructions_on_one_page_share_the_request_up_to_the_end_of_the_page_text() {
    const LAST: &str = "the last words of the page";
    let rig = Rig::start().await;
    rig.show(format!("<h1>Shared</h1><p>{LAST}</p>")).await;
    rig.model.script(|_| Answer::value(json!({ "extraction": "ok" })));
    let wires = [
        ("openai/gpt-4.1-mini", false),
        ("openai/gpt-4.1-mini", true),
        ("anthropic/claude-haiku-4-5", false),
        ("google/gemini-2.5-flash", false),
    ];
    for (number, (name, chat)) in wires.into_iter().enumerate() {
        let model = model_on(&rig.model, name, chat);
        for instruction in ["the first thing", "something else entirely"] {
            rig.automator
                .extract(instruction)
                .model(model.clone())
                .await
                .unwrap();
        }
        let requests = rig.model.requests();
        let [one, two] = [&requests[number * 2].raw, &requests[number * 2 + 1].raw];
        let end = one.find(LAST).unwrap() + LAST.len();
        assert_eq!(one.get(..end), two.get(..end), "{name}");
    }
    rig.close().await;
}

#[tokio::test]
async fn the_system_prompt_is_in_the_prompt() {
    let rig = Rig::with(|builder| builder.system_prompt("Prices are in euro.")).await;
    rig.show("<p>x</p>").await;
    rig.model.script(|_| Answer::value(json!({ "extraction": "ok" })));
    rig.automator.extract("it").await.unwrap();
    assert!(rig.model.requests()[0].system.contains("Prices are in euro."));
    rig.close().await;
}

#[tokio::test]
async fn a_screenshot_goes_along_when_it_is_asked_for() {
    let rig = Rig::start().await;
    rig.show("<p>x</p>").await;
    rig.model.script(|_| Answer::value(json!({ "extraction": "ok" })));
    rig.automator.extract("it").screenshot(true).await.unwrap();
    rig.automator.extract("it").await.unwrap();
    assert_eq!(
        rig.model
            .requests()
            .iter()
            .map(|request| request.images)
            .collect::<Vec<_>>(),
        [1, 0]
    );
    rig.close().await;
}

#[tokio::test]
async fn the_limit_cuts_off_a_model_that_does_not_answer() {
    let rig = Rig::start().await;
    rig.show("<p>x</p>").await;
    rig.model.fault_always(Some(Fault::Hang));
    let started = Instant::now();
    let options = ExtractOptions {
        timeout: Some(Duration::from_secs(2)),
        ..ExtractOptions::default()
    };
    let error = rig.automator.extract("it").options(options).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ExtractTimeout);
    assert_eq!(error.kind().parent(), Some(ErrorKind::Timeout));
    assert!(started.elapsed() < Duration::from_secs(10));
    rig.model.wait_for_abandoned(1).await;
    rig.close().await;
}

#[tokio::test]
async fn another_page_than_the_active_one_can_be_read() {
    let rig = Rig::start().await;
    rig.show("<h1>active words</h1>").await;
    let context = rig.automator.context().unwrap();
    let at = rig.site.put("<h1>other words</h1>");
    let other = context.new_page("about:blank").await.unwrap();
    other.goto(&at.url).await.unwrap();
    context.set_active_page(&rig.page);
    assert!(
        rig.automator
            .page_text()
            .page(&other)
            .await
            .unwrap()
            .page_text
            .contains("other words")
    );
    assert!(rig.text().await.contains("active words"));
    rig.close().await;
}

#[tokio::test]
async fn bad_input_is_named() {
    let rig = Rig::start().await;
    rig.show("<p>x</p>").await;
    let error = rig.automator.extract("  ").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    let error = rig
        .automator
        .extract("it")
        .json_schema(json!({ "type": "nonsense" }))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
    assert!(rig.model.requests().is_empty());
    rig.close().await;
}

/// A client of the user's own that answers without a server and takes no pictures.
struct Own;

impl LlmClient for Own {
    fn generate<'a>(&'a self, request: &'a GenerateRequest) -> GenerateFuture<'a> {
        assert!(!request.has_images());
        Box::pin(async {
            Ok(GenerateReply::from_text(
                r#"{"extraction": "from my own client"}"#,
            ))
        })
    }

    fn model_name(&self) -> &str {
        "own/client"
    }

    fn accepts_images(&self) -> bool {
        false
    }
}

#[tokio::test]
async fn a_client_of_the_users_own_answers_and_may_take_no_pictures() {
    let rig = Rig::with(|builder| builder.llm_client(Own)).await;
    rig.show("<p>x</p>").await;
    assert_eq!(
        rig.automator.extract("it").await.unwrap().extraction,
        "from my own client"
    );
    let error = rig.automator.extract("it").screenshot(true).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnsupportedModel);
    assert!(error.to_string().contains("own/client"), "{error}");
    assert!(rig.model.requests().is_empty());
    rig.close().await;
}

#[tokio::test]
async fn many_extractions_at_once_on_one_page_all_get_their_own_answer() {
    let rig = Rig::start().await;
    rig.show("<p>x</p>").await;
    rig.model.script(|request| {
        let words = request.text.rsplit("number ").next().unwrap().to_owned();
        Answer::value(json!({ "extraction": words }))
    });
    let all = (0..20).map(|number| {
        let automator = rig.automator.clone();
        tokio::spawn(async move {
            automator
                .extract(&format!("number {number}"))
                .await
                .unwrap()
                .extraction
        })
    });
    let answers = futures_util::future::join_all(all).await;
    for (number, answer) in answers.into_iter().enumerate() {
        assert_eq!(answer.unwrap(), number.to_string());
    }
    assert_eq!(rig.automator.history().len(), 21);
    rig.close().await;
}

#[tokio::test]
async fn a_server_that_answers_in_plain_text_answers_a_question_for_text() {
    let rig = Rig::start().await;
    rig.show("<p>The code is QX-77.</p>").await;
    let model = model_on(&rig.model, "openai/gpt-4.1-mini", true);
    for reply in ["It is QX-77", "\"It is QX-77\""] {
        rig.model.answers([Answer::text(reply)]);
        let found = rig
            .automator
            .extract("the code")
            .model(model.clone())
            .await
            .unwrap();
        assert_eq!(found.extraction, "It is QX-77");
    }
    assert_eq!(rig.model.requests().len(), 2);
    rig.close().await;
}

#[tokio::test]
async fn a_schema_that_nothing_fits_and_an_xpath_without_elements_reach_no_model() {
    let rig = Rig::start().await;
    rig.show("<p>x</p>").await;
    let schema = json!({ "type": "object", "properties": { "n": { "type": "number", "minimum": 2, "maximum": 1 } }, "required": ["n"] });
    let error = rig
        .automator
        .extract("the number")
        .json_schema(schema)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert_eq!(error.context().next(), Some(("pointer", "/properties/n/minimum")));
    let error = rig
        .automator
        .extract("the number")
        .selector("xpath=count(//p)")
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(error.to_string().contains("count(//p)"), "{error}");
    assert!(error.to_string().contains("does not lead to elements"), "{error}");
    assert_eq!(rig.model.requests().len(), 0);
    rig.close().await;
}

#[tokio::test]
async fn only_a_platform_says_whether_it_remembers_and_only_of_what_it_ran() {
    let rig = Rig::start().await;
    rig.show("<p>x</p>").await;
    let options = ExtractOptions {
        server_cache: Some(true),
        ..ExtractOptions::default()
    };
    let read = rig.automator.page_text().options(options).await.unwrap();
    assert!(read.page_text.contains('x'));
    let is_served = Place::of_this_run() == Place::Served;
    assert_eq!(read.cache_status.is_some(), is_served, "{read:?}");
    rig.close().await;
}
