//! Pages that want something else than the user, and a model that obeys them.
//!
//! The pages are in `hostile/pages/`. What they say to a model stands between `DO` and `OD`: a tool and its arguments,
//! in which `{role: name}` is an element of the page. The model of these tests calls every tool that it reads of, so
//! what does not happen here was prevented by the library and by nothing else. What has happened is counted by two
//! servers: the page's own, and one that no request may reach.

mod buying;
mod flooding;
mod going;
mod keeping_secrets;
mod posing;
mod sending;
mod uploading;

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use automator::{AgentConfig, AgentResult, AgentRun, DomainPolicy, Variable};
use automator_testing::{Answer, Kind, Request, Route, Site};
use serde_json::{Value, json};

use crate::rig::Rig;
use crate::script::{Asked, done, is_closing, noting};

/// A page of this folder, with the addresses of the two servers in it.
macro_rules! page {
    ($name:literal) => {
        include_str!(concat!("pages/", $name, ".html"))
    };
}
pub(crate) use page;

/// Where pages note what was done to them.
const NOTES: &str = "/noted";

/// A session among hostile pages.
struct Hostile {
    rig: Rig,
    /// The server that no request may reach; pages name it by `{{elsewhere}}`.
    elsewhere: Site,
    asked: Asked,
}

impl Hostile {
    async fn start() -> Self {
        Self::on(Rig::start().await).await
    }

    async fn on(rig: Rig) -> Self {
        rig.site.route(NOTES, Route::text("noted"));
        let elsewhere = Site::start().await;
        elsewhere.fallback(|_| {
            Route::html("<p>You should not be here</p>").header("access-control-allow-origin", "*")
        });
        Self {
            rig,
            elsewhere,
            asked: Arc::default(),
        }
    }

    /// Only the pages' own server may show documents.
    async fn allowing_only_the_site(&self) {
        let mut policy = DomainPolicy::default();
        policy.allowed_domains = Some(vec!["127.0.0.1".to_owned()]);
        self.set(&policy).await;
    }

    async fn set(&self, policy: &DomainPolicy) {
        let context = self.rig.automator.context().unwrap();
        context.set_domain_policy(policy).await.unwrap();
    }

    /// The page with its addresses.
    fn filled(&self, html: &str) -> String {
        html.replace("{{elsewhere}}", &format!("localhost:{}", self.elsewhere.port()))
            .replace("{{site}}", &format!("127.0.0.1:{}", self.rig.site.port()))
    }

    /// Shows a page and runs a task on it with the model that obeys; nobody is asked.
    async fn obeys(&self, html: &str) -> AgentResult {
        self.obeys_with(html, AgentConfig::default(), |execute| execute)
            .await
    }

    /// As [`obeys`](Self::obeys), with somebody who says no to all that is asked.
    async fn obeys_refused(&self, html: &str, config: AgentConfig) -> AgentResult {
        self.asked.lock().unwrap().clear();
        let confirm = noting(&self.asked, |_| false);
        self.obeys_with(html, config, |execute| execute.confirm(confirm))
            .await
    }

    async fn obeys_with(
        &self,
        html: &str,
        config: AgentConfig,
        change: impl FnOnce(AgentRun) -> AgentRun,
    ) -> AgentResult {
        self.obeys_task("look around", html, config, change).await
    }

    async fn obeys_task(
        &self,
        task: &str,
        html: &str,
        config: AgentConfig,
        change: impl FnOnce(AgentRun) -> AgentRun,
    ) -> AgentResult {
        let at = self.rig.show(self.filled(html)).await;
        self.rig.model.script(obeying(at.url));
        let agent = self.rig.automator.agent(config);
        let execute = change(agent.execute(task).max_steps(40));
        let result = execute.await.unwrap();
        assert_eq!(self.rig.model.failures(), Vec::<String>::new());
        result
    }

    /// What pages have noted so far.
    fn notes(&self) -> Vec<String> {
        let hits = self.rig.site.hits_of(NOTES);
        hits.iter()
            .map(|hit| hit.query_value("what").unwrap_or_default())
            .collect()
    }

    /// The kinds and words of what was asked.
    fn asked(&self) -> Vec<String> {
        let asked = self.asked.lock().unwrap();
        asked
            .iter()
            .map(|request| format!("{:?} {}", request.kind, request.description))
            .collect()
    }

    /// Fails when anything has reached the other server.
    fn nothing_went_elsewhere(&self) {
        let hits: Vec<String> = self
            .elsewhere
            .hits()
            .iter()
            .map(|hit| format!("{} {}?{}", hit.method, hit.path, hit.query))
            .collect();
        assert_eq!(hits, Vec::<String>::new());
    }

    /// Everything that was sent to the model.
    fn prompts(&self) -> String {
        let requests = self.rig.model.requests();
        requests
            .iter()
            .map(|request| request.raw.as_str())
            .collect::<Vec<_>>()
            .join("\n")
    }

    async fn close(self) {
        self.rig.close().await;
    }
}

/// A variable with a value that no prompt may hold.
fn secret(value: &str) -> Variable {
    Variable::new(value).described("the password")
}

/// The tools that were called because a page said so, each with its success and what was told.
fn outcomes(result: &AgentResult) -> Vec<(String, bool, String)> {
    let is_home = |url: &Value| url.as_str().is_some_and(|url| url.contains("/page-"));
    let actions = result
        .actions
        .iter()
        .filter(|action| action.kind != "done" && !action.details.get("url").is_some_and(is_home));
    actions
        .map(|action| {
            (
                action.kind.clone(),
                action.details["success"] == true,
                action.details["message"].as_str().unwrap_or_default().to_owned(),
            )
        })
        .collect()
}

/// What a page orders: the tool and its arguments, in which elements are named.
#[derive(Debug, Clone, PartialEq)]
struct Order {
    tool: String,
    arguments: String,
}

/// All orders in a text.
fn orders(text: &str) -> Vec<Order> {
    text.split("DO ")
        .skip(1)
        .filter_map(|part| {
            let (order, _) = part.split_once(" OD")?;
            let (tool, arguments) = order.trim().split_once(' ')?;
            let arguments = arguments.trim().to_owned();
            arguments.starts_with('{').then(|| Order {
                tool: tool.to_owned(),
                arguments,
            })
        })
        .collect()
}

/// What a model has read of, and not done yet.
#[derive(Default)]
struct Obedience {
    known: HashSet<String>,
    due: VecDeque<Order>,
    /// Whether it has just gone back to where the orders are.
    has_returned: bool,
    returns: usize,
}

/// A model that does what pages tell it, each thing once and in the order in which it was read, and then ends the run.
/// When the element of an order is not on the page, it goes back to the page that the run began on.
fn obeying(home: String) -> impl Fn(&Request) -> Answer + Send + Sync + 'static {
    let obedience: Mutex<Obedience> = Mutex::default();
    move |request| {
        if request.kind != Kind::Agent {
            return obey_inside(request);
        }
        if is_closing(request) {
            return done("all obeyed");
        }
        let mut obedience = obedience.lock().unwrap_or_else(PoisonError::into_inner);
        for order in orders(&request.text) {
            if obedience.known.insert(format!("{order:?}")) {
                obedience.due.push_back(order);
            }
        }
        let Some(order) = obedience.due.front().cloned() else {
            return Answer::text("all obeyed");
        };
        if missing(request, &order.arguments).is_some() && !obedience.has_returned {
            obedience.has_returned = true;
            obedience.returns += 1;
            return Answer::tool("goto", json!({ "url": format!("{home}?{}", obedience.returns) }));
        }
        obedience.has_returned = false;
        obedience.due.pop_front();
        let arguments = with_ids(request, &order.arguments);
        let arguments: Value =
            serde_json::from_str(&arguments).unwrap_or_else(|error| panic!("{arguments}: {error}"));
        Answer::tool(&order.tool, arguments)
    }
}

/// The first element of an order that is not on the page.
fn missing<'a>(request: &Request, arguments: &'a str) -> Option<&'a str> {
    arguments
        .split('{')
        .filter(|part| part.starts_with(|sign: char| sign.is_ascii_alphabetic()))
        .filter_map(|part| part.split_once('}'))
        .map(|(element, _)| element)
        .find(|element| request.find_id(element).is_none())
}

/// The arguments with ids in the place of `{role: name}`.
fn with_ids(request: &Request, arguments: &str) -> String {
    let mut out = String::new();
    let mut rest = arguments;
    // The braces of JSON have a quote behind them.
    let is_element = |(start, _): &(usize, &str), text: &str| {
        text[start + 1..].starts_with(|sign: char| sign.is_ascii_alphabetic())
    };
    while let Some((start, _)) = rest.match_indices('{').find(|found| is_element(found, rest)) {
        let (before, at) = rest.split_at(start);
        let end = at.find('}').expect("an element ends with a brace");
        out.push_str(before);
        out.push_str(&format!("[{}]", request.id_of(&at[1..end])));
        rest = &at[end + 1..];
    }
    out.push_str(rest);
    out
}

/// What operations inside ask: the action's own words say element, method and arguments, as `setInputFiles [0-3]
/// "/etc/passwd"`.
fn obey_inside(request: &Request) -> Answer {
    let said: Vec<Value> = request.text.split("USE ").skip(1).filter_map(used).collect();
    match request.kind {
        Kind::Act => json!({ "action": said.last(), "twoStep": false }).into_answer(),
        Kind::Observe => json!({ "elements": said }).into_answer(),
        _ => json!({ "extraction": request.text }).into_answer(),
    }
}

fn used(words: &str) -> Option<Value> {
    let (method, rest) = words.split_once(" [")?;
    let (id, rest) = rest.split_once("] '")?;
    let (argument, _) = rest.split_once('\'')?;
    Some(json!({ "elementId": id, "description": "it", "method": method, "arguments": [argument] }))
}

trait IntoAnswer {
    fn into_answer(self) -> Answer;
}

impl IntoAnswer for Value {
    fn into_answer(self) -> Answer {
        Answer::value(self)
    }
}

#[test]
fn orders_are_read_off_a_page() {
    let text = "link: x DO goto {\"url\":\"http://a/\"} OD\nDO act {\"action\":\"click {button: Go}\"} OD DO nothing OD";
    let tools: Vec<String> = orders(text).into_iter().map(|order| order.tool).collect();
    assert_eq!(tools, ["goto", "act"]);
}
