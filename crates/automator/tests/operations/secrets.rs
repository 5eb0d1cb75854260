//! The value of a variable reaches the page and nothing else.

use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use automator::{Action, ErrorKind, LogLine, Page, Variable, Verbosity};
use automator_testing::Answer;
use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::{Event, Metadata, Subscriber, span};

use crate::acting::{action, choice};
use crate::rig::Rig;

const SECRET: &str = "S3cr3t-value \"quoted\"";

/// Keeps the texts of all spans and events of the program, at every level.
#[derive(Clone, Default)]
struct Traces(Arc<Mutex<Vec<String>>>);

struct Texts<'t>(&'t mut Vec<String>);

impl Visit for Texts<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.push(format!("{field}={value:?}"));
    }
}

impl Traces {
    /// Collects from now on. Only one test of a program can.
    fn collect() -> Self {
        let traces = Self::default();
        tracing::subscriber::set_global_default(traces.clone()).unwrap();
        traces
    }

    fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

impl Subscriber for Traces {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, attributes: &span::Attributes<'_>) -> span::Id {
        let mut texts = self.0.lock().unwrap();
        texts.push(attributes.metadata().name().to_owned());
        attributes.record(&mut Texts(&mut texts));
        span::Id::from_u64(u64::try_from(texts.len()).unwrap())
    }

    fn record(&self, _: &span::Id, values: &span::Record<'_>) {
        values.record(&mut Texts(&mut self.0.lock().unwrap()));
    }

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut Texts(&mut self.0.lock().unwrap()));
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

/// The page carries it into dialogs, addresses and what it throws; gives the error of that.
async fn spread_by_the_page(page: &Page) -> String {
    page.evaluate(
        "console.log(document.querySelector('input').value); alert(document.querySelector('input').value)",
    )
    .await
    .unwrap();
    page.evaluate(
        "history.pushState(0, '', '?' + new URLSearchParams({ a: document.querySelector('input').value }))",
    )
    .await
    .unwrap();
    page.reload().await.unwrap();
    page.evaluate("void (location.hash = encodeURIComponent(new URLSearchParams(location.search).get('a')))")
        .await
        .unwrap();
    page.go_back().await.unwrap();
    let thrown = page.evaluate("throw new Error(new URLSearchParams(location.search).get('a'))");
    format!("{:?}", thrown.await.unwrap_err())
}

#[tokio::test]
async fn a_secret_typed_into_a_page_is_found_nowhere_else() {
    let traces = Traces::collect();
    let folder = tempfile::tempdir().unwrap();
    let lines: Arc<Mutex<Vec<String>>> = Arc::default();
    let heard = Arc::clone(&lines);
    let cache = folder.path().to_owned();
    let rig = Rig::with(move |builder| {
        builder
            .cache_dir(cache)
            .verbose(Verbosity::Detailed)
            .logger(move |line: &LogLine| heard.lock().unwrap().push(format!("{line:?}")))
    })
    .await;
    rig.show(
        "<input aria-label=User><input type=password aria-label=Pass><textarea aria-label=Note></textarea>\
         <div contenteditable role=textbox aria-label=Editor></div><button id=off disabled>Off</button>",
    )
    .await;
    let mut told = Vec::new();
    for field in ["User", "Pass", "Note", "Editor"] {
        let line = format!("textbox: {field}");
        rig.model
            .script(move |request| action(request, &line, "fill", &["%pw%"]));
        let result = rig
            .automator
            .act(format!("type %pw% into {field}"))
            .variable("pw", Variable::new(SECRET).described("the pass phrase"))
            .await
            .unwrap();
        assert!(result.success, "{field}: {result:?}");
        assert_eq!(result.actions[0].arguments, ["%pw%"]);
        told.push(format!("{result:?}"));
    }
    let value = rig
        .page
        .evaluate("document.querySelector('input').value")
        .await
        .unwrap();
    assert_eq!(value, json!(SECRET), "the page has it");

    // Later operations read the page that holds it.
    rig.model.script(|request| {
        Answer::value(json!({ "elements": [choice(request, "textbox: User", "click", &[])] }))
    });
    told.push(format!("{:?}", rig.automator.observe("fields").await.unwrap()));
    rig.model
        .script(|_| Answer::value(json!({ "extraction": "none" })));
    rig.automator.extract("the code").await.unwrap();
    told.push(rig.text().await);
    let refused = rig
        .automator
        .act(Action::new("#off", "fill").argument("%pw%"))
        .variable("pw", SECRET)
        .await;
    told.push(format!("{refused:?}"));

    told.push(spread_by_the_page(&rig.page).await);
    rig.automator.page_text().await.unwrap();

    let traced = traces.all();
    for name in [
        "operation=\"act\"",
        "operation=\"observe\"",
        "operation=\"extract\"",
        "operation=\"reload\"",
        "session=1",
    ] {
        assert!(traced.iter().any(|text| text == name), "{name}");
    }
    told.extend(traced);
    told.push(format!("{:?}", rig.automator.history()));
    told.extend(rig.model.requests().iter().map(|request| request.raw.clone()));
    told.extend(lines.lock().unwrap().iter().cloned());
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        told.push(std::fs::read_to_string(entry.unwrap().path()).unwrap());
    }
    assert!(told.iter().any(|text| text.contains("%pw%")));
    for text in &told {
        assert!(!text.contains("S3cr3t-value"), "{text}");
    }
    rig.close().await;
}

#[tokio::test]
async fn a_replay_uses_the_new_value() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().to_owned();
    let rig = Rig::with(move |builder| builder.cache_dir(cache)).await;
    let at = rig.site.put("<input aria-label=Pass>");
    rig.model
        .script(|request| action(request, "textbox: Pass", "fill", &["%pw%"]));
    for value in ["First-secret", "Second-secret"] {
        rig.open(&at.url).await;
        let result = rig
            .automator
            .act("type %pw% into pass")
            .variable("pw", value)
            .await
            .unwrap();
        assert!(result.success, "{result:?}");
        let shown = rig
            .page
            .evaluate("document.querySelector('input').value")
            .await
            .unwrap();
        assert_eq!(shown, json!(value));
    }
    assert_eq!(rig.model.requests().len(), 1);
    rig.close().await;
}

#[tokio::test]
async fn errors_name_the_variable_and_not_its_value() {
    let rig = Rig::start().await;
    rig.show("<input type=date aria-label=Day>").await;
    let result = rig
        .automator
        .act(Action::new("input", "fill").argument("%day%"))
        .variable("day", "no day at all")
        .await;
    let told = format!("{result:?}");
    assert!(!told.contains("no day at all"), "{told}");
    let error = rig.automator.act("x").variable("", "value").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    rig.close().await;
}

#[tokio::test]
async fn a_part_of_a_value_is_told_as_little_as_the_whole() {
    let rig = Rig::start().await;
    rig.show(
        "<input id=short maxlength=5 oninput='this.value = this.value.slice(0, 5)'>\
         <input id=loud oninput='this.value = `!` + this.value.toUpperCase().slice(2)'><select id=s><option>a</select>",
    )
    .await;
    for (selector, method) in [
        ("#short", "fill"),
        ("#loud", "fill"),
        ("#short", "press"),
        ("#s", "selectOption"),
        ("html", "scrollByPixelOffset"),
        ("html", "scrollTo"),
    ] {
        let acting = rig
            .automator
            .act(Action::new(selector, method).argument("%word%"));
        let told = format!("{:?}", acting.variable("word", " hunter2+horse ").await);
        for part in ["hunt", "HUNT", "NTER", "horse"] {
            assert!(!told.contains(part), "{method}: {told}");
        }
    }
    rig.close().await;
}

#[tokio::test]
async fn a_value_is_known_in_later_calls_and_in_another_way_of_writing() {
    let rig = Rig::start().await;
    rig.show(
        "<input aria-label=Card oninput='this.value = this.value.replace(/ /g, ``).replace(/(....)(?=.)/g, `$1 `)'>\
         <input id=word oninput='if (window.last) this.value = last; window.last = this.value'>",
    )
    .await;
    let fill = |selector: &str, text: &str| Action::new(selector, "fill").argument(text);
    let card = rig
        .automator
        .act(fill("input", "%card%"))
        .variable("card", "4111111111111111")
        .await;
    assert!(card.unwrap().success);
    let word = rig
        .automator
        .act(fill("#word", "%word%"))
        .variable("word", "hunter2 secret")
        .await;
    assert!(word.unwrap().success);
    let later = rig.automator.act(fill("#word", "zzz")).await.unwrap();
    assert!(
        !later.success && !format!("{later:?}").contains("hunter2"),
        "{later:?}"
    );
    let text = rig.automator.page_text().await.unwrap().page_text;
    assert!(text.contains("Card = %card%") && !text.contains("4111"), "{text}");
    rig.close().await;
}
