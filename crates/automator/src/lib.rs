//! Drive a web browser with the help of a language model.
//!
//! A session ([`Automator`]) starts a browser or attaches to one. `extract()` asks a model about the page and
//! gives a checked value; `page_text()` gives the page as text without a model.
//!
//! This crate holds the operations and their prompts. It opens no socket itself but for the platform of a remote
//! session (`remote/http.rs`): the browser is reached through `automator-browser`, models through `automator-llm`; pages become text in `automator-snapshot`. Start reading
//! with `extract.rs`: every operation has its shape.
//!
//! ```no_run
//! use automator::{Automator, Env};
//!
//! # async fn example() -> automator::Result<()> {
//! #[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
//! struct Lamp {
//!     name: String,
//!     price: f64,
//! }
//!
//! let automator = Automator::builder(Env::Local).model("openai/gpt-4.1-mini").build()?;
//! automator.init().await?;
//! automator.context()?.active_page()?.goto("https://lamps.example").await?;
//! let lamps = automator.extract("all desk lamps").schema::<Vec<Lamp>>().await?;
//! automator.close().await?;
//! # Ok(())
//! # }
//! ```

#![deny(missing_docs)]

mod act;
mod action;
mod agent;
mod asking;
mod automator;
mod brief;
mod builder;
mod cache;
mod choice;
mod context;
mod deadline;
mod error;
mod extract;
mod frame;
mod json_client;
mod locator;
mod log;
mod masking;
mod models;
mod named_files;
mod observe;
mod options;
mod page;
mod prompts;
mod provenance;
mod reading;
mod recipe;
mod records;
mod remote;
mod replay;
mod response;
mod service;
mod session;
mod signs;
mod time_text;
mod to_json;
mod trace;
mod variables;

pub use act::{Act, ActInput};
pub use action::{ActResult, Action, Method};
pub use agent::{
    AbortSignal, Agent, AgentAction, AgentCallbacks, AgentConfirm, AgentConfirmError, AgentConfirmKind,
    AgentConfirmRequest, AgentEvent, AgentResult, AgentRun, AgentStream, AgentTool, AgentToolError,
    AgentToolFuture, AgentToolOutput, AgentUsage, FunctionTool,
};
pub use automator::{Automator, CloseOptions};
pub use automator_browser::{DialogsElsewhere, KeptBrowser};
pub use automator_llm::{
    ClientFailure, Environment, GenerateFuture, GenerateReply, GenerateRequest, LlmClient, LlmError,
    ModelConnections, ModelName, ModelOptions, ModelProxy, Provider, ProxyFailure, RetryAdvice, Secret,
    TokenCounts, Usage, UsageMeter,
};
pub use automator_snapshot::{ElementId, Snapshot, XPath};
pub use builder::Builder;
pub use context::{
    Clipboard, Context, Cookie, CookieFilter, DomainPolicy, InitScript, NewCookie, SameSite, TextFilter,
};
pub use error::{Error, ErrorKind, Result};
pub use extract::{
    CacheStatus, Extract, ExtractWithCacheStatus, ExtractWithProvenance, Extraction, PageText,
    PageTextRequest, RequestFuture, WithCacheStatus, WithProvenance, check_schema,
};
pub use frame::Frame;
pub use json_client::{JsonClient, JsonClientError};
pub use locator::{
    BoundingBox, ElementClickOptions, ElementDragOptions, ElementPosition, ElementState, FilePayload,
    FillOptions, FrameLocator, HighlightOptions, Locator, Modifiers, MouseButton, PointerOptions,
    SelectorWaitOptions, SendClickOptions, TypeOptions,
};
pub use log::{Auxiliary, LogLine, Logger};
pub use observe::{Observe, ObserveWithCacheStatus};
pub use options::{
    ActOptions, AgentConfig, AgentExecuteOptions, AgentIntegration, AgentMode, AutomatorOptions,
    DEFAULT_MODEL, Env, EnvironmentSource, ExtractOptions, IgnoreDefaultArgs, LocalBrowserLaunchOptions,
    ObserveOptions, PageExtractOptions, ProxyOptions, ReadOptions, RemotePlatform, SnapshotOptions,
    Verbosity, ViewportOptions, from_json,
};
pub use page::{
    Animations, AnsweredDialog, Caret, ClickOptions, Clip, ConsoleArgument, ConsoleMessage, Dialog,
    DialogAnswer, Download, DownloadState, DragOptions, EventKind, FileChooser, GotoOptions, HoverOptions,
    ImageFormat, KeyPressOptions, OpenDialog, Page, PageError, PageEvent, PageEvents, PageExtract,
    ReloadOptions, Scale, ScreenshotOptions, ScriptLocation, ScrollOptions, TapOptions, TypingOptions,
    ViewportSizeOptions, WaitUntil,
};
pub use provenance::{Provenance, Source};
pub use records::{AutomatorMetrics, HistoryEntry, HistoryMethod};
pub use response::{Response, SecurityDetails, ServerAddress};
pub use service::{AnswerCache, AnswerFuture, Service, Shares, Steps, UsageShares};
pub use to_json::ToJson;
pub use variables::Variable;

/// The programs in the README compile.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// So do those of the guide to remote browsers.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/remote.md")]
struct RemoteGuide;

/// And that to agents.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/agents.md")]
struct AgentsGuide;
