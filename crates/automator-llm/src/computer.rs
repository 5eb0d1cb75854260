//! Models that use computers: they are shown a window, and say what to do there with mouse and keyboard.
//!
//! [`connect_computer`] gives the client of such a model, [`use_computer`] one turn. Each provider has a file with two
//! pure functions: `anthropic.rs` and `openai.rs`. Everything that a model must know is sent with each request and
//! nothing is left with the provider; of the pictures only the newest is sent.

mod anthropic;
mod http;
mod keys;
mod openai;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::connections::ModelConnections;
use crate::environment::Environment;
use crate::error::LlmError;
use crate::model::ModelOptions;
use crate::preview::preview;
use crate::reply::FinishReason;
use crate::request::{Image, Tool};
use crate::retry::RetryPolicy;
use crate::route::Route;
use crate::usage::{TokenCounts, UsageMeter};
use http::{Dialect, HttpComputerClient};

/// What one turn is about.
#[derive(Debug, Clone, PartialEq)]
pub struct ComputerRequest {
    /// Standing instructions.
    pub system: String,
    /// What is to be done.
    pub task: String,
    /// The turns that are not in `turns` any more, in words; empty when there are none.
    pub earlier: String,
    /// Earlier turns, oldest first.
    pub turns: Vec<ComputerTurn>,
    /// The window as it is now.
    pub screen: Screen,
    /// Tools besides mouse and keyboard.
    pub tools: Vec<Tool>,
}

/// What a window shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Screen {
    /// The picture, one that providers do not make smaller themselves: at most 1,400 pixels a side.
    pub picture: Image,
    /// Its pixels, which places are told in.
    pub width: u32,
    /// Its pixels from top to bottom.
    pub height: u32,
}

/// What the model said, and what came of it.
///
/// Its safety checks count as confirmed: a turn with checks that nobody has confirmed must not be sent.
#[derive(Debug, Clone, PartialEq)]
pub struct ComputerTurn {
    /// [`ComputerReply::said`].
    pub said: Vec<Value>,
    /// One for each call, in their order.
    pub results: Vec<ComputerResult>,
    /// Said to the model after it.
    pub note: Option<String>,
}

/// What came of one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComputerResult {
    /// [`ComputerCall::id`].
    pub call_id: String,
    /// What is told of it.
    pub text: String,
    /// Whether it did not work.
    pub is_error: bool,
}

/// What the model answered.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ComputerReply {
    /// The text; empty when there is none.
    pub text: String,
    /// What is to be done, in order. None when the model thinks that it is through.
    pub calls: Vec<ComputerCall>,
    /// The answer in the provider's own form, to be sent back.
    pub said: Vec<Value>,
    /// What the call cost.
    pub tokens: TokenCounts,
    /// Why the model stopped.
    pub finish: FinishReason,
}

/// Something that the model wants done.
#[derive(Debug, Clone, PartialEq)]
pub struct ComputerCall {
    /// The provider's id. Several actions of one call have the same.
    pub id: String,
    /// What it is.
    pub wanted: Wanted,
    /// What the provider wants confirmed before any of it is done.
    pub checks: Vec<SafetyCheck>,
}

/// What a call asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum Wanted {
    /// Mouse, keyboard, time.
    Action(ComputerAction),
    /// A tool besides these.
    Tool {
        /// Its name.
        name: String,
        /// The arguments. A text when the model wrote something that is not JSON.
        arguments: Value,
    },
    /// Something that cannot be done, and why, for the model to read.
    Unusable {
        /// What the model called it.
        name: String,
        /// Why not.
        problem: String,
    },
}

/// A place in the picture, in its pixels.
pub type Place = (f64, f64);

/// Something done with mouse or keyboard.
#[derive(Debug, Clone, PartialEq)]
pub enum ComputerAction {
    /// A button is pressed and let go.
    Click {
        /// None for where the mouse is.
        at: Option<Place>,
        /// Which button.
        button: ComputerButton,
        /// How often in a row.
        count: u32,
        /// Keys that are held meanwhile.
        held: HeldKeys,
    },
    /// The mouse moves.
    Move {
        /// Where to.
        at: Place,
        /// Keys that are held meanwhile.
        held: HeldKeys,
    },
    /// The left button is pressed at the first place and let go at the last; there are two at least.
    Drag {
        /// The places on the way.
        path: Vec<Place>,
        /// Keys that are held meanwhile.
        held: HeldKeys,
    },
    /// The wheel turns.
    Scroll {
        /// None for where the mouse is.
        at: Option<Place>,
        /// How far to the right and down, in pixels of the picture.
        by: (f64, f64),
        /// Keys that are held meanwhile.
        held: HeldKeys,
    },
    /// A text, where the focus is.
    Type {
        /// The text.
        text: String,
    },
    /// Keys, where the focus is.
    Press {
        /// One after the other, each a key or a combination such as `Control+A`, named as browsers name keys.
        keys: Vec<String>,
        /// How often all of it.
        times: u32,
    },
    /// A key is held.
    Hold {
        /// The key or combination.
        keys: String,
        /// How long.
        time: Duration,
    },
    /// Time passes.
    Wait {
        /// How much.
        time: Duration,
    },
    /// The page before.
    Back,
    /// The page after.
    Forward,
    /// Nothing but another look.
    Screenshot,
    /// Where the mouse is.
    CursorPosition,
}

/// A button of the mouse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComputerButton {
    /// The one that presses.
    Left,
    /// The one that opens menus.
    Right,
    /// The wheel.
    Middle,
}

/// Keys that are held while the mouse does something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HeldKeys {
    /// Alt.
    pub alt: bool,
    /// Control.
    pub control: bool,
    /// Windows, or Command.
    pub meta: bool,
    /// Shift.
    pub shift: bool,
}

/// Something that a provider wants a person to confirm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SafetyCheck {
    /// What it is about, in the provider's words.
    pub code: String,
    /// The same for people.
    pub message: String,
}

/// The future of one turn. Dropping it ends the call.
pub type ComputerFuture<'a> = Pin<Box<dyn Future<Output = Result<ComputerReply, LlmError>> + Send + 'a>>;

/// A model that uses computers. As [`LlmClient`](crate::LlmClient), it sends one request and does not retry.
pub trait ComputerClient: Send + Sync {
    /// Asks for the next turn.
    fn step<'a>(&'a self, request: &'a ComputerRequest) -> ComputerFuture<'a>;

    /// The model as `provider/model`, for errors and logs.
    fn model_name(&self) -> &str;

    /// How many earlier turns it can be sent without a picture of their own; the others are told in words.
    fn turns_in_full(&self) -> usize;
}

/// Builds the client of a model that uses computers; none for a model that does not.
///
/// Nothing is sent and no connection is opened; `connections` are those to share, if any.
///
/// # Errors
///
/// As [`connect`](crate::connect).
///
/// ```
/// use automator_llm::{ModelOptions, connect_computer};
///
/// let environment = |_: &str| None;
/// assert!(connect_computer(&ModelOptions::new("anthropic/claude-sonnet-4-5"), &environment, None)?.is_some());
/// assert!(connect_computer(&ModelOptions::new("openai/gpt-4.1-mini"), &environment, None)?.is_none());
/// # Ok::<(), automator_llm::LlmError>(())
/// ```
pub fn connect_computer(
    options: &ModelOptions,
    environment: &dyn Environment,
    connections: Option<&ModelConnections>,
) -> Result<Option<Arc<dyn ComputerClient>>, LlmError> {
    let route = Route::resolve(options, environment)?;
    let dialect = Dialect::of(&route);
    Ok(dialect.map(|dialect| {
        let client = HttpComputerClient::new(route, dialect, connections.cloned());
        Arc::new(client) as Arc<dyn ComputerClient>
    }))
}

/// Asks a model for the next turn: words, calls, or both. An empty answer is asked for once more.
///
/// There is no limit of time here: dropping the future ends the call.
///
/// # Errors
///
/// [`LlmError::Refused`]; [`LlmError::CutOff`] for words that the output limit cut off;
/// [`LlmError::UnusableReply`] for a second empty answer; what the client reports.
pub async fn use_computer(
    client: &dyn ComputerClient,
    request: &ComputerRequest,
    retry: RetryPolicy,
    meter: &UsageMeter,
) -> Result<ComputerReply, LlmError> {
    let mut has_asked_again = false;
    loop {
        let reply = retry.run(|| counted(client, request, meter)).await?;
        let model = || client.model_name().to_owned();
        if let FinishReason::Refused(message) = &reply.finish {
            return Err(LlmError::Refused {
                model: model(),
                message: preview(message),
            });
        }
        if !reply.calls.is_empty() {
            return Ok(reply);
        }
        if reply.finish == FinishReason::Length {
            return Err(LlmError::CutOff {
                model: model(),
                limit: None,
                preview: preview(&reply.text),
            });
        }
        if !reply.text.trim().is_empty() {
            return Ok(reply);
        }
        if has_asked_again {
            return Err(LlmError::UnusableReply {
                model: model(),
                reason: "it is empty".to_owned(),
                preview: String::new(),
            });
        }
        has_asked_again = true;
    }
}

/// One request, counted.
async fn counted(
    client: &dyn ComputerClient,
    request: &ComputerRequest,
    meter: &UsageMeter,
) -> Result<ComputerReply, LlmError> {
    let running = meter.start();
    let result = client.step(request).await;
    match &result {
        Ok(reply) => running.finish(reply.tokens),
        Err(error) if error.reached_provider() => running.finish(error.tokens()),
        Err(_) => running.discard(),
    }
    result
}

fn text_at<'a>(value: &'a Value, place: &str) -> &'a str {
    value.pointer(place).and_then(Value::as_str).unwrap_or_default()
}

fn list_at<'a>(value: &'a Value, place: &str) -> &'a [Value] {
    let list = value.pointer(place).and_then(Value::as_array);
    list.map_or(&[], Vec::as_slice)
}

fn count_at(value: &Value, place: &str) -> u64 {
    value.pointer(place).and_then(Value::as_u64).unwrap_or_default()
}

/// A number that can be counted with.
fn number(value: Option<&Value>) -> Option<f64> {
    value.and_then(Value::as_f64).filter(|number| number.is_finite())
}

/// The picture as an address that holds it.
fn data_url(picture: &Image) -> String {
    format!(
        "data:{};base64,{}",
        picture.format.media_type(),
        base64_of(picture)
    )
}

fn base64_of(picture: &Image) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(&picture.bytes)
}

#[cfg(test)]
mod tests;
