//! The library with `env: REMOTE` on a server: operations beside the browser, and over the socket, are those of `LOCAL`.

mod cases;
#[path = "../client/mod.rs"]
mod client;
#[expect(dead_code, reason = "the example has a `main` that is not called here")]
#[path = "../../../../examples/rust/remote.rs"]
mod remote;
mod rig;
mod tasks;
mod uploads;

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use automator::{
    Action, Builder, CacheStatus, DialogAnswer, EnvironmentSource, ErrorKind, ExtractOptions, GenerateFuture,
    GenerateReply, GenerateRequest, LlmClient, LogLine, RemotePlatform, Verbosity,
};
use automator_testing::{Answer, Fault, ScriptedModel, Shop, Site};
use serde_json::{Value, json};

use cases::{CASES, PAGE, click};
use rig::{Rig, local, model_on, open, scripted};

/// What a run leaves behind, without what differs from run to run.
struct Left {
    results: Vec<(&'static str, Value)>,
    history: Vec<Value>,
    metrics: Value,
}

async fn run(builder: Builder, site: &Site) -> Left {
    let model = scripted().await;
    let (automator, page) = open(builder.model(model_on(&model))).await;
    let mut results = Vec::new();
    for (name, script, work) in CASES {
        let at = site.put_at("/shop", PAGE);
        page.goto(&at.url).await.expect("a page");
        model.script(*script);
        results.push((*name, work(&automator, &page).await));
    }
    let history = automator.history().into_iter();
    let history = history.map(|entry| json!([entry.method, entry.parameters, entry.result]));
    let mut metrics = json!(automator.metrics());
    if let Value::Object(counters) = &mut metrics {
        counters.retain(|name, _| !name.ends_with("InferenceTimeMs"));
    }
    let left = Left {
        results,
        history: history.collect(),
        metrics,
    };
    automator.close().await.expect("a close");
    left
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn results_errors_history_and_metrics_are_those_of_a_local_run() {
    let rig = Rig::start().await;
    let here = run(
        local().with(|options| {
            options.environment = EnvironmentSource::new(|name| match name {
                "OPENAI_API_KEY" => Some("sk-test".to_owned()),
                _ => None,
            });
        }),
        &rig.site,
    )
    .await;
    let beside = run(rig.remote(), &rig.site).await;
    // Nothing experimental happens, but what does would have to be that of one version.
    let over_socket = run(
        rig.remote().with(|options| options.experimental = true),
        &rig.site,
    )
    .await;
    for (place, there) in [("beside the browser", beside), ("over the socket", over_socket)] {
        for ((name, expected), (_, found)) in here.results.iter().zip(&there.results) {
            assert_eq!(found, expected, "{name}, {place}");
        }
        for (expected, found) in here.history.iter().zip(&there.history) {
            assert_eq!(found, expected, "{place}");
        }
        assert_eq!(here.history.len(), there.history.len());
        assert_eq!(there.metrics, here.metrics, "{place}");
    }
    rig.server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn repeated_calls_are_answered_by_the_server_unless_it_is_kept_out() {
    let rig = Rig::start().await;
    let model = scripted().await;
    let (automator, page) = open(rig.remote().model(model_on(&model))).await;
    page.goto(&rig.site.put(PAGE).url).await.expect("a page");
    model.script(|_| Answer::value(json!({ "extraction": "Arc lamp" })));
    let first = automator.extract("the name").await.expect("a name");
    let second = automator.extract("the name").await.expect("a name");
    assert_eq!(
        (first.cache_status, second.cache_status),
        (Some(CacheStatus::Miss), Some(CacheStatus::Hit))
    );
    assert_eq!(model.requests().len(), 1);
    assert_eq!(automator.metrics().extract_prompt_tokens, 100);
    let options = ExtractOptions {
        server_cache: Some(false),
        ..ExtractOptions::default()
    };
    let third = automator
        .extract("the name")
        .options(options)
        .await
        .expect("a name");
    assert_eq!((third.cache_status, model.requests().len()), (None, 2));

    let schema = json!({ "type": "string" });
    let name = || automator.extract("the name of it").json_schema(schema.clone());
    model.script(|_| Answer::value(json!({ "value": "Arc lamp" })));
    let first = name().with_cache_status().await.expect("a name");
    let second = name().with_cache_status().await.expect("a name");
    assert_eq!(
        (first.cache_status, second.cache_status),
        (Some(CacheStatus::Miss), Some(CacheStatus::Hit))
    );
    assert_eq!(second.value, "Arc lamp");
    let text = automator.page_text().await.expect("a text");
    assert!(text.cache_status.is_some(), "{text:?}");
    model.script(|_| Answer::value(json!({ "elements": [] })));
    let found = automator
        .observe("lamps")
        .with_cache_status()
        .await
        .expect("an answer");
    assert_eq!(found.cache_status, Some(CacheStatus::Miss));
    let pressed = automator
        .act(Action::new("button", "click"))
        .await
        .expect("an action");
    assert!(pressed.success);
    rig.close(&automator).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_lines_of_the_log_are_those_of_a_local_run() {
    let rig = Rig::start().await;
    let mut heard = Vec::new();
    for builder in [local(), rig.remote()] {
        let model = scripted().await;
        model.script(|_| Answer::value(json!({ "extraction": "Arc lamp" })));
        let mut options = model_on(&model);
        options.api_key = Some("sk-test".to_owned().into());
        let lines: Arc<Mutex<Vec<LogLine>>> = Arc::default();
        let kept = Arc::clone(&lines);
        let (automator, page) = open(
            builder
                .model(options)
                .verbose(Verbosity::Detailed)
                .logger(move |line| kept.lock().expect("the lines").push(line.clone())),
        )
        .await;
        page.goto(&rig.site.put_at("/shop", PAGE).url)
            .await
            .expect("a page");
        lines.lock().expect("the lines").clear();
        automator.extract("the name").await.expect("a name");
        automator
            .extract("the name")
            .selector("#gone")
            .await
            .expect_err("nothing there");
        let lines = lines.lock().expect("the lines").clone();
        let told: Vec<Value> = lines
            .iter()
            // What happens on pages comes when it comes.
            .filter(|line| line.category != "page")
            .map(|line| json!([line.category, line.message, line.level, line.auxiliary]))
            .collect();
        heard.push(told);
        automator.close().await.expect("a close");
    }
    assert_eq!(heard[1], heard[0]);
    assert!(heard[0].len() > 3, "{:?}", heard[0]);
    rig.server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_that_an_action_opens_becomes_active_and_the_address_is_the_new_one() {
    let rig = Rig::start().await;
    let model = scripted().await;
    let (automator, page) = open(rig.remote().model(model_on(&model))).await;
    let next = rig.site.put("<title>Next</title><h1>Next</h1>");
    let html = format!(
        "<a target=_blank href='{}'>New tab</a><a href='{}'>Same tab</a>",
        next.url, next.url
    );
    page.goto(&rig.site.put(html).url).await.expect("a page");
    model.script(|request| click(request, "link: New tab"));
    let acted = automator.act("open the new tab").await.expect("an action");
    assert!(acted.success, "{acted:?}");
    let context = automator.context().expect("open");
    let active = context.await_active_page().await.expect("a page");
    assert_ne!(active.id(), page.id());
    assert!(
        automator
            .page_text()
            .await
            .expect("a text")
            .page_text
            .contains("Next")
    );
    context.set_active_page(&page);
    model.script(|request| click(request, "link: Same tab"));
    automator.act("go on in the same tab").await.expect("an action");
    assert_eq!(page.url(), next.url);
    rig.close(&automator).await;
}

/// What a page asks while an operation runs on the server is for the program to answer, as on this machine.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dialog_that_an_action_opens_is_answered_by_the_program() {
    let rig = Rig::start().await;
    let model = scripted().await;
    let (automator, page) = open(rig.remote().model(model_on(&model))).await;
    let html = "<button onclick=\"this.textContent = prompt('How many?')\">Order</button>";
    page.goto(&rig.site.put(html).url).await.expect("a page");
    let context = automator.context().expect("open");
    context.set_dialog_listener(|_| Some(DialogAnswer::Accept(Some("three".to_owned()))));
    model.script(|request| click(request, "button: Order"));
    let acted = automator.act("order").await.expect("an action");
    assert!(acted.success, "{acted:?}");
    assert_eq!(
        page.evaluate("document.querySelector('button').textContent")
            .await
            .expect("a text"),
        "three"
    );

    // Without a listener the policy has its say, once.
    context.remove_dialog_listener();
    page.goto(&rig.site.put(html).url).await.expect("a page");
    automator.act("order").await.expect("an action");
    assert_eq!(
        page.evaluate("document.querySelector('button').textContent")
            .await
            .expect("a text"),
        ""
    );
    assert_eq!(context.dialogs().len(), 2);
    rig.close(&automator).await;
}

/// A model of the program's own.
struct OwnModel;

impl LlmClient for OwnModel {
    fn generate<'a>(&'a self, _: &'a GenerateRequest) -> GenerateFuture<'a> {
        Box::pin(async { Ok(GenerateReply::from_text(r#"{"extraction":"from here"}"#)) })
    }

    fn model_name(&self) -> &str {
        "own/model"
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_of_ones_own_answers_here_and_no_cache_has_a_say() {
    let rig = Rig::start().await;
    let (automator, page) = open(rig.remote().llm_client(OwnModel)).await;
    page.goto(&rig.site.put(PAGE).url).await.expect("a page");
    let found = automator.extract("the name").await.expect("a name");
    assert_eq!(
        (found.extraction.as_str(), found.cache_status),
        ("from here", None)
    );
    rig.close(&automator).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_folder_of_this_machine_is_asked_before_the_server() {
    let rig = Rig::start().await;
    let memory = tempfile::tempdir().expect("a folder");
    let model = scripted().await;
    let (automator, page) = open(rig.remote().model(model_on(&model)).cache_dir(memory.path())).await;
    let at = rig.site.put(PAGE);
    page.goto(&at.url).await.expect("a page");
    model.script(|request| {
        if request.text.contains("the buttons") {
            let element = json!({ "elementId": request.id_of("button: Order"), "description": "order", "method": "click", "arguments": [] });
            Answer::value(json!({ "elements": [element] }))
        } else if request.text.contains("press order") {
            click(request, "button: Order")
        } else {
            Answer::value(json!({ "name": "Arc lamp" }))
        }
    });
    let schema =
        json!({ "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] });
    let mut statuses = Vec::new();
    for _ in 0..2 {
        page.goto(&at.url).await.expect("a page");
        let extracted = automator
            .extract("the name")
            .json_schema(schema.clone())
            .with_cache_status();
        statuses.push(extracted.await.expect("a name").cache_status);
        let observed = automator
            .observe("the buttons")
            .with_cache_status()
            .await
            .expect("buttons");
        assert_eq!(observed.value.len(), 1);
        statuses.push(observed.cache_status);
        let acted = automator.act("press order").await.expect("an action");
        assert!(acted.success, "{acted:?}");
        statuses.push(acted.cache_status);
    }
    let miss = Some(CacheStatus::Miss);
    assert_eq!(statuses, [miss, miss, miss, None, None, None]);
    assert_eq!(model.requests().len(), 3);
    rig.close(&automator).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_is_given_up_ends_on_the_server() {
    let rig = Rig::start().await;
    let model = scripted().await;
    let (automator, page) = open(rig.remote().model(model_on(&model))).await;
    page.goto(&rig.site.put(PAGE).url).await.expect("a page");
    model.fault_always(Some(Fault::Hang));
    let limit = Duration::from_secs(2);
    let asking = tokio::time::timeout(limit, async { automator.extract("the name").await });
    assert!(asking.await.is_err(), "the model hangs");
    let begun = Instant::now();
    while model.abandoned() == 0 {
        assert!(
            begun.elapsed() < Duration::from_secs(10),
            "the server goes on asking"
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    model.fault_always(None);
    rig.close(&automator).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_without_a_key_is_named_as_on_this_machine() {
    let rig = Rig::start().await;
    let (automator, page) = open(rig.remote().with(|options| {
        options.environment = EnvironmentSource::new(|_| None);
    }))
    .await;
    page.goto(&rig.site.put(PAGE).url).await.expect("a page");
    let error = automator.extract("the name").await.expect_err("there is no key");
    assert_eq!(error.kind(), ErrorKind::MissingLlmConfiguration, "{error}");
    rig.close(&automator).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_ends_under_a_call_ends_the_call() {
    let rig = Rig::start().await;
    let model = scripted().await;
    let (automator, page) = open(rig.remote().keep_alive(true).model(model_on(&model))).await;
    page.goto(&rig.site.put(PAGE).url).await.expect("a page");
    model.fault_always(Some(Fault::Hang));
    let id = automator.remote_session_id().expect("an id");
    let asking = tokio::spawn({
        let automator = automator.clone();
        async move { automator.extract("the name").await }
    });
    let begun = Instant::now();
    while model.requests().is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(10), "the model is asked");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let (other, _) = open(
        rig.remote()
            .keep_alive(false)
            .with(|options| options.remote_session_id = Some(id)),
    )
    .await;
    other.close().await.expect("a close");
    let error = asking.await.expect("an outcome").expect_err("it is over");
    assert!(
        matches!(
            error.kind(),
            ErrorKind::RemoteSessionNotFound | ErrorKind::CdpConnectionClosed | ErrorKind::Closed
        ),
        "{error:?}"
    );
    rig.close(&automator).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_example_reads_a_price_in_a_second_session() {
    let rig = Rig::start().await;
    let shop = Shop::start().await;
    let model = ScriptedModel::for_shop().await;
    let session = || rig.remote().model(remote::bundled::stand_in(&model));
    let price = remote::run(session, &shop.url).await.expect("a price");
    assert!(price.contains("49"), "{price}");
    rig.server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_names_and_the_two_addresses_of_the_hosted_platform_are_spoken() {
    let rig = Rig::start().await;
    let model = scripted().await;
    let address = format!("http://{}/v1/", rig.server.address());
    let (automator, page) = open(rig.remote().model(model_on(&model)).with(|options| {
        options.remote_platform = Some(RemotePlatform::Hosted);
        options.environment = EnvironmentSource::new(move |name| match name {
            "OPENAI_API_KEY" => Some("sk-test".to_owned()),
            "REMOTE_API_URL" => Some(address.clone()),
            _ => None,
        });
    }))
    .await;
    page.goto(&rig.site.put(PAGE).url).await.expect("a page");
    model.script(|_| Answer::value(json!({ "extraction": "Arc lamp" })));
    let found = automator.extract("the name").await.expect("a name");
    assert_eq!(found.cache_status, Some(CacheStatus::Miss));
    let options = ExtractOptions {
        server_cache: Some(false),
        ..ExtractOptions::default()
    };
    let kept_out = automator
        .extract("the name")
        .options(options)
        .await
        .expect("a name");
    assert_eq!((kept_out.cache_status, model.requests().len()), (None, 2));
    rig.close(&automator).await;
}
