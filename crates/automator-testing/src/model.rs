use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::sync::watch;

use crate::hit::Hit;
use crate::route::{Body, Ending, Route};
use crate::server::{Handler, Server};

pub(crate) mod answer;
pub(crate) mod fault;
pub(crate) mod outline;
pub(crate) mod request;
mod schema;
pub(crate) mod shop_script;
pub(crate) mod wire;

use answer::{Answer, Finish, Reply, Usage};
use fault::Fault;
use request::{Kind, Request};
use wire::Wire;

/// A model server that answers as a test tells it to.
///
/// It speaks four wire forms, told apart by the path: OpenAI Responses (`POST …/responses`), OpenAI
/// Chat (`POST …/chat/completions`), Anthropic (`POST …/messages`) and Google
/// (`POST …:generateContent` and `…:streamGenerateContent`), each plain or streamed. Every request is
/// reduced to one neutral [`Request`], shown to the script, and the script's [`Answer`] goes back in the
/// form the request came in. Keys are not checked. Dropping the handle stops the server.
///
/// A script that panics, and a request for which there is no answer, is answered 400 with the reason,
/// and the reason is kept in [`failures`](Self::failures).
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// use automator_testing::{Answer, Fault, ScriptedModel};
/// use serde_json::json;
///
/// let model = ScriptedModel::start().await;
/// model.script(|request| Answer::value(json!({ "link": request.id_of("link: Sale") })));
/// model.fault_next(Fault::ServerError(500)); // the first request fails, the second is answered
/// assert!(model.base_url().ends_with("/v1"));
/// assert!(model.requests().is_empty());
/// # }
/// ```
#[derive(Debug)]
pub struct ScriptedModel {
    server: Server,
    state: Arc<State>,
}

type Script = Arc<dyn Fn(&Request) -> Answer + Send + Sync>;

impl ScriptedModel {
    /// Starts a model without a script.
    ///
    /// # Panics
    /// When no port is free on the loopback interface.
    pub async fn start() -> Self {
        let state = Arc::new(State::default());
        let server = Server::start(Arc::clone(&state) as Arc<dyn Handler>).await;
        Self { server, state }
    }

    /// Starts a stand-in for a model that can use the bundled shop: it compares words and understands nothing.
    ///
    /// It needs no prepared answers. Extract requests: names, prices, availability, ratings and links of
    /// products come from the page text of each request and are put into the members of the request's
    /// schema by their names and types; a list of objects whose members are called as the columns of a
    /// table is read from that table. It does not understand conditions in an instruction ("under € 50").
    ///
    /// Act and observe requests: the element whose role and name share most words with the instruction is
    /// taken, or none when no word is shared. It knows `type … into …`, `fill … with …`, `choose … in …`,
    /// `press`, `click`, `open`, `follow`, `tick`, `hover`, `scroll …` and names of keys; any other sentence
    /// is read as a click. No synonyms, no conditions, no conclusions from the layout of a page.
    ///
    /// Agent requests: each sentence of the task is one call of `act`, in their order; then the task is said to be done,
    /// and data that is asked for is read from the page as for an extract request.
    ///
    /// # Panics
    /// When no port is free on the loopback interface.
    pub async fn for_shop() -> Self {
        let model = Self::start().await;
        model.script(shop_script::answer);
        model
    }

    /// The base address for every provider, `http://127.0.0.1:port/v1`.
    pub fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.server.port())
    }

    /// Replaces the script. Logs and faults stay.
    pub fn script(&self, script: impl Fn(&Request) -> Answer + Send + Sync + 'static) {
        self.state.plan().script = Some(Arc::new(script));
    }

    /// Replaces the script by a list of answers, given out one a request in this order; a request after
    /// the last is a failure.
    pub fn answers<A: Into<Answer>>(&self, answers: impl IntoIterator<Item = A>) {
        let answers: Mutex<VecDeque<Answer>> = Mutex::new(answers.into_iter().map(Into::into).collect());
        self.script(move |_| {
            let next = answers.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            next.unwrap_or_else(|| panic!("the list of answers has run out"))
        });
    }

    /// Adds a fault to the next request that has none yet: called twice, it spoils the next two requests.
    pub fn fault_next(&self, fault: Fault) {
        self.state.plan().faults.push_back(fault);
    }

    /// Adds a fault to every request from now on, or with `None` to none; those of
    /// [`fault_next`](Self::fault_next) come first.
    pub fn fault_always(&self, fault: Option<Fault>) {
        self.state.plan().standing_fault = fault;
    }

    /// The numbers reported for answers that bring none of their own.
    pub fn set_usage(&self, usage: Usage) {
        self.state.plan().usage = usage;
    }

    /// Every request so far, oldest first, those that ended in a fault too.
    pub fn requests(&self) -> Vec<Request> {
        self.state.requests.borrow().clone()
    }

    /// The requests of one kind so far, oldest first.
    pub fn requests_of(&self, kind: Kind) -> Vec<Request> {
        self.state
            .requests
            .borrow()
            .iter()
            .filter(|request| request.kind == kind)
            .cloned()
            .collect()
    }

    /// Forgets the requests so far, so that the memory of a long run is its own.
    pub fn forget_requests(&self) {
        self.state.requests.send_modify(Vec::clear);
    }

    /// Waits until there were at least `count` requests. It has no limit of its own.
    pub async fn wait_for_requests(&self, count: usize) {
        let mut requests = self.state.requests.subscribe();
        // The sender lives as long as `self`, so this ends only when the number is reached.
        let _reached = requests.wait_for(|requests| requests.len() >= count).await;
    }

    /// What went wrong in scripts and requests so far. Empty in a test that went as planned.
    pub fn failures(&self) -> Vec<String> {
        self.state.plan().failures.clone()
    }

    /// How many requests the other side gave up before it had its whole answer.
    pub fn abandoned(&self) -> usize {
        *self.state.abandoned.borrow()
    }

    /// Waits until at least `count` requests were given up. It has no limit of its own.
    pub async fn wait_for_abandoned(&self, count: usize) {
        let mut abandoned = self.state.abandoned.subscribe();
        let _reached = abandoned.wait_for(|number| *number >= count).await;
    }
}

#[derive(Default)]
struct State {
    plan: Mutex<Plan>,
    requests: watch::Sender<Vec<Request>>,
    abandoned: watch::Sender<usize>,
    replies: AtomicUsize,
}

#[derive(Default)]
struct Plan {
    script: Option<Script>,
    faults: VecDeque<Fault>,
    standing_fault: Option<Fault>,
    usage: Usage,
    failures: Vec<String>,
}

impl State {
    fn plan(&self) -> MutexGuard<'_, Plan> {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the script; its panic becomes the error.
    fn ask(&self, request: &Request) -> Result<Answer, Failure> {
        let script = self.plan().script.clone();
        let script = script.ok_or_else(|| Failure("the model has no script".to_owned()))?;
        catch_unwind(AssertUnwindSafe(|| script(request)))
            .map_err(|panic| Failure(panic_text(panic.as_ref())))
    }

    /// A failure of the test itself: kept, and told the client as a 400, which nobody retries.
    fn fail(&self, wire: Wire, failure: Failure) -> Route {
        let route = error_route(wire, 400, &failure.0);
        self.plan().failures.push(failure.0);
        route
    }

    /// The fault that is due for this request.
    fn next_fault(&self) -> Option<Fault> {
        let mut plan = self.plan();
        plan.faults.pop_front().or_else(|| plan.standing_fault.clone())
    }
}

impl fmt::Debug for State {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("State")
            .field("requests", &self.requests.borrow().len())
            .finish_non_exhaustive()
    }
}

/// Why a request could not be answered as planned.
struct Failure(String);

impl Handler for State {
    fn answer(&self, hit: &Hit) -> Route {
        let Some(wire) = Wire::of_path(&hit.path) else {
            return Route {
                status: 404,
                ..Route::text("no model is served at this path")
            };
        };
        let request = match serde_json::from_slice::<Value>(&hit.body) {
            Ok(body) => Request::new(wire, hit, body),
            Err(error) => return self.fail(wire, Failure(format!("the request is not JSON: {error}"))),
        };
        self.requests
            .send_modify(|requests| requests.push(request.clone()));
        let due = self.next_fault();
        // A request that is never answered as planned needs no script.
        if let Some(route) = due.as_ref().and_then(|fault| fault_route(wire, fault)) {
            return route;
        }
        let mut answer = match self.ask(&request) {
            Ok(answer) => answer,
            Err(failure) => return self.fail(wire, failure),
        };
        answer.faults.extend(due);
        if let Some(route) = answer.faults.iter().find_map(|fault| fault_route(wire, fault)) {
            return route;
        }
        let id = self.replies.fetch_add(1, Ordering::Relaxed) + 1;
        let usage = self.plan().usage;
        answer_route(&request, &answer, id, usage)
    }

    fn gone(&self, _hit: &Hit) {
        self.abandoned.send_modify(|count| *count += 1);
    }
}

/// The route of a fault that leaves nothing of the answer.
fn fault_route(wire: Wire, fault: &Fault) -> Option<Route> {
    match fault {
        Fault::RateLimited { retry_after } => {
            let route = error_route(wire, 429, "too many requests, slow down");
            Some(match retry_after {
                // Whole seconds, rounded up, as the header wants them.
                Some(wait) => route.header("retry-after", &wait.as_millis().div_ceil(1000).to_string()),
                None => route,
            })
        }
        Fault::ServerError(status) => Some(error_route(wire, *status, "the server had an error")),
        Fault::ConnectionReset => Some(Route::reset()),
        Fault::Hang => Some(Route::never()),
        Fault::Slow(_)
        | Fault::CutOff
        | Fault::Refusal
        | Fault::Fenced
        | Fault::Prose
        | Fault::ReasoningTags
        | Fault::WrongIds
        | Fault::Empty
        | Fault::MalformedBody
        | Fault::ConnectionCut => None,
    }
}

fn error_route(wire: Wire, status: u16, message: &str) -> Route {
    Route {
        status,
        ..Route::json(&wire.error(status, message))
    }
}

fn answer_route(request: &Request, answer: &Answer, id: usize, usage: Usage) -> Route {
    let mut route = Route::default();
    let mut reply = answer.to_reply(request, id, usage);
    let mut malformed = false;
    for fault in &answer.faults {
        match fault {
            Fault::Slow(wait) => route.delay = *wait,
            Fault::MalformedBody => malformed = true,
            Fault::ConnectionCut => route.ending = Ending::CutOff,
            other => other.spoil(&mut reply, request),
        }
    }
    let (content_type, mut body) = if request.stream {
        let pieces = request.wire.stream(&reply, request);
        let content_type = if request.wire == Wire::Google && !request.server_events {
            "application/json"
        } else {
            "text/event-stream"
        };
        (
            content_type,
            Body::Pieces(pieces.into_iter().map(String::into_bytes).collect()),
        )
    } else {
        (
            "application/json",
            Body::Whole(request.wire.body(&reply).to_string().into_bytes()),
        )
    };
    if malformed {
        cut_in_half(&mut body);
    }
    Route {
        headers: vec![("content-type".to_owned(), content_type.to_owned())],
        body,
        ..route
    }
}

/// Drops the second half, so that what is left is well-formed HTTP around a broken document.
fn cut_in_half(body: &mut Body) {
    match body {
        Body::Whole(bytes) => bytes.truncate(bytes.len() / 2),
        Body::Pieces(pieces) => {
            pieces.truncate(pieces.len() / 2 + 1);
            if let Some(last) = pieces.last_mut() {
                last.truncate(last.len() / 2);
                // Ends the event, or a reader of events would wait for the rest of it and drop it.
                last.extend_from_slice(b"\n\n");
            }
        }
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied());
    format!("the script panicked: {}", text.unwrap_or("without a message"))
}

impl Reply {
    /// Whether the reply ends because the output limit was reached.
    pub(crate) fn is_cut_off(&self) -> bool {
        self.finish == Finish::Length
    }
}
