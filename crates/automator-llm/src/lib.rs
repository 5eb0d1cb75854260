//! Language models behind one trait: names, providers, dialects, checked answers, usage.
//!
//! **What it does.** [`connect`] turns a model object ([`ModelOptions`]) into an [`LlmClient`].
//! [`ResponseSchema`] turns a caller's JSON Schema into the one the model sees and leads the answer back.
//! [`ask_structured`] asks, repairs, judges, asks again where that helps, and counts.
//!
//! **What it refuses to do.** It knows nothing of browsers and pages: element ids are strings that a closure
//! looks up. It writes no prompts beyond the two files in `prompts/` (the schema for models that must read it, and
//! the request for a correction). It reads neither the environment (the HTTP library looks for proxies there) nor files, keeps no deadline of its own, spawns
//! nothing and never puts a key into a message.
//!
//! **Where to start reading.** `ask.rs` is the flow of one question. `provider.rs` is the table of providers,
//! `endpoint.rs` and `route.rs` how one of them is addressed, `dialect.rs` how it is brought to answer in JSON. `genai_client.rs` is
//! the only module that sees the `genai` crate; it and `computer/http.rs` open sockets. `computer.rs` is for models that
//! use computers. `retry.rs` is what happens on a 429.
#![deny(missing_docs)]

mod ask;
mod client;
mod computer;
mod connections;
mod dialect;
mod endpoint;
mod environment;
mod error;
mod failure;
mod genai_client;
mod lower;
mod model;
mod models;
mod preview;
mod provider;
mod repair;
mod reply;
mod request;
mod retry;
mod revealed;
mod route;
mod schema;
mod secret;
mod tokens;
mod turn;
mod usage;

pub use ask::{Answered, Ask, AskFailure, Judge, ask_structured};
pub use client::{GenerateFuture, LlmClient, connect, connect_through};
pub use computer::{
    ComputerAction, ComputerButton, ComputerCall, ComputerClient, ComputerFuture, ComputerReply,
    ComputerRequest, ComputerResult, ComputerTurn, HeldKeys, Place, SafetyCheck, Screen, Wanted,
    connect_computer, use_computer,
};
pub use connections::{ModelConnections, ModelProxy, ProxyFailure};
pub use environment::Environment;
pub use error::{ClientFailure, LlmError, RetryAdvice, Violation};
pub use model::{ModelName, ModelOptions, OpenAiEndpointFormat, ReasoningEffort};
pub use preview::{PREVIEW_CHARACTERS, preview};
pub use provider::Provider;
pub use repair::repair;
pub use reply::{FinishReason, GenerateReply};
pub use request::{
    GenerateRequest, Image, ImageFormat, Message, Part, Reasoning, ResponseFormat, Role, Tool, ToolCall,
    ToolChoice, ToolResult,
};
pub use retry::RetryPolicy;
pub use schema::{ResponseSchema, Urls};
pub use secret::Secret;
pub use tokens::estimate_tokens;
pub use turn::take_turn;
pub use usage::{TokenCounts, Usage, UsageMeter};
