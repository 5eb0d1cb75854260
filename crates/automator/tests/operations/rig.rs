//! A site, a scripted model and a session for one test.

use std::time::Duration;

use automator::{
    Action, Automator, Builder, GotoOptions, LocalBrowserLaunchOptions, ModelOptions, Page, Secret, WaitUntil,
};
use automator_testing::{PageAt, Request, ScriptedModel, Site};
use serde_json::{Value, json};

use crate::place::Place;

/// Keeps the browser from calling out; tests only ever reach this computer.
pub(crate) const QUIET: [&str; 4] = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
];

pub(crate) struct Rig {
    pub(crate) site: Site,
    pub(crate) model: ScriptedModel,
    pub(crate) automator: Automator,
    pub(crate) page: Page,
}

impl Rig {
    pub(crate) async fn start() -> Self {
        Self::with(|builder| builder).await
    }

    pub(crate) async fn with(change: impl FnOnce(Builder) -> Builder) -> Self {
        Self::of(|builder| Place::of_this_run().lend(change(builder))).await
    }

    /// With a browser that is started for this test, which is about beginnings, ends or what only such a one does.
    pub(crate) async fn with_own_browser() -> Self {
        Self::of(|builder| builder).await
    }

    async fn of(change: impl FnOnce(Builder) -> Builder) -> Self {
        let site = Site::start().await;
        let model = ScriptedModel::start().await;
        let place = Place::of_this_run();
        let builder = place.builder().model(model_options(&model));
        let automator = place.check(change(builder)).build().unwrap();
        automator.init().await.unwrap();
        let page = automator.context().unwrap().active_page().unwrap();
        Self {
            site,
            model,
            automator,
            page,
        }
    }

    /// Puts HTML on the site and opens it.
    pub(crate) async fn show(&self, html: impl Into<String>) -> PageAt {
        let at = self.site.put(html);
        self.open(&at.url).await;
        at
    }

    /// Another page, blank and active.
    pub(crate) async fn new_page(&self) -> Page {
        let context = self.automator.context().unwrap();
        context.new_page("about:blank").await.unwrap()
    }

    pub(crate) async fn open(&self, url: &str) {
        let options = GotoOptions {
            wait_until: WaitUntil::Load,
            timeout: Duration::from_secs(30),
        };
        self.page.goto_with(url, options).await.unwrap();
    }

    pub(crate) async fn text(&self) -> String {
        self.automator.page_text().await.unwrap().page_text
    }

    /// Reads until the text holds all of these, for frames that are still coming.
    pub(crate) async fn text_with(&self, wanted: &[&str]) -> String {
        for _ in 0..100 {
            let text = self.text().await;
            if wanted.iter().all(|wanted| text.contains(wanted)) {
                return text;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("{wanted:?} did not come:\n{}", self.text().await);
    }

    /// Does an action, which must succeed.
    pub(crate) async fn does(&self, action: Action) {
        let result = self.automator.act(&action).await.unwrap();
        assert!(result.success, "{action:?}: {result:?}");
    }

    /// Waits until an expression has a value; what a page does may trail what was done to it.
    pub(crate) async fn becomes(&self, expression: &str, expected: impl Into<Value>) {
        let expected = expected.into();
        let mut value = Value::Null;
        for _ in 0..60 {
            value = self.page.evaluate(expression).await.unwrap();
            if value == expected {
                return;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        assert_eq!(value, expected, "{expression}");
    }

    pub(crate) async fn close(self) {
        self.automator.close().await.unwrap();
    }
}

pub(crate) fn quiet() -> LocalBrowserLaunchOptions {
    LocalBrowserLaunchOptions {
        args: QUIET.map(str::to_owned).to_vec(),
        ..LocalBrowserLaunchOptions::default()
    }
}

pub(crate) fn model_options(model: &ScriptedModel) -> ModelOptions {
    let mut options = ModelOptions::new("openai/gpt-4.1-mini");
    options.api_key = Some(Secret::new("sk-test"));
    options.base_url = Some(model.base_url());
    options
}

/// The line that holds a text, without its indentation.
pub(crate) fn line<'t>(text: &'t str, part: &str) -> &'t str {
    text.lines()
        .map(str::trim_start)
        .find(|line| line.contains(part))
        .unwrap_or_else(|| panic!("no {part:?} in\n{text}"))
}

/// The id on the line that holds a text.
pub(crate) fn id_on<'t>(text: &'t str, part: &str) -> &'t str {
    let line = line(text, part);
    let start = line.find('[').unwrap() + 1;
    &line[start..line.find(']').unwrap()]
}

/// The id of one of several elements that are told alike, counted from 1.
pub(crate) fn id_of_nth(request: &Request, role_and_name: &str, number: usize) -> String {
    let text = request.text.as_str();
    let line = format!("] {role_and_name}");
    let found = text.match_indices(&line).nth(number - 1);
    let (end, _) = found.unwrap_or_else(|| panic!("no {number} times {role_and_name:?} in\n{text}"));
    let start = text[..end].rfind('[').unwrap() + 1;
    text[start..end].to_owned()
}

/// A model of the scripted server, in the wire form of its provider.
pub(crate) fn model_on(model: &ScriptedModel, name: &str, chat: bool) -> ModelOptions {
    let mut object = json!({ "modelName": name, "apiKey": "key", "baseURL": model.base_url() });
    if chat {
        object["openaiEndpointFormat"] = "chat".into();
    }
    serde_json::from_value(object).unwrap()
}
