//! Models that were made for using computers: the seam. No provider of them is connected yet.
//!
//! A step shows the model the window and gets back what to do there; the loop around it, the limits and the result
//! are those of the other modes.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use automator_llm::{Image, ModelOptions, TokenCounts};
use serde_json::Value;

use crate::{Error, Result};

/// What one step asks.
#[expect(dead_code, reason = "for the providers that are still to be connected")]
pub(super) struct CuaQuestion<'q> {
    /// The task, and the instructions of session and agent.
    pub(super) instruction: &'q str,
    pub(super) system_prompt: &'q str,
    /// The window, one pixel for each CSS pixel.
    pub(super) picture: &'q Image,
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) url: &'q str,
    /// What the provider keeps from one step to the next, as its last answer gave it; null before the first.
    pub(super) state: &'q Value,
    /// What came of the actions of the last answer, one each: none for one that worked.
    pub(super) problems: &'q [Option<String>],
}

/// Something to do in the window. Places are CSS pixels.
#[expect(dead_code, reason = "for the providers that are still to be connected")]
#[derive(Debug, Clone, PartialEq)]
pub(super) enum CuaAction {
    Click {
        x: f64,
        y: f64,
        /// `left`, `right` or `middle`.
        button: String,
        count: u32,
    },
    Move {
        x: f64,
        y: f64,
    },
    Drag {
        path: Vec<(f64, f64)>,
    },
    Scroll {
        x: f64,
        y: f64,
        across: f64,
        down: f64,
    },
    Type {
        text: String,
    },
    /// A key or a combination, as `keys` takes it.
    Press {
        keys: String,
    },
    Wait {
        milliseconds: u64,
    },
    Goto {
        url: String,
    },
    Back,
    Forward,
    /// Nothing but another look.
    Screenshot,
}

/// What one step gets back.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CuaAnswer {
    pub(super) text: String,
    /// None when the model thinks that the run is over.
    pub(super) actions: Vec<CuaAction>,
    /// For the next question.
    pub(super) state: Value,
    pub(super) tokens: TokenCounts,
}

/// What [`CuaModel::step`] gives.
pub(super) type CuaFuture<'m> = Pin<Box<dyn Future<Output = Result<CuaAnswer>> + Send + 'm>>;

/// A model that uses computers.
pub(super) trait CuaModel: Send + Sync {
    /// Asks for the next actions.
    #[expect(dead_code, reason = "for the providers that are still to be connected")]
    fn step<'m>(&'m self, question: CuaQuestion<'m>) -> CuaFuture<'m>;
}

/// The model of this name.
///
/// # Errors
/// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for one that does not use computers, which at
/// present is every one.
pub(super) fn model(options: &ModelOptions) -> Result<Arc<dyn CuaModel>> {
    let message = format!("mode \"cua\" is not there yet for {}", options.model_name);
    Err(Error::invalid_argument(message).hint("use mode \"dom\" or \"hybrid\""))
}
