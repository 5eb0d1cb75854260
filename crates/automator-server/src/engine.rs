//! Where the browsers of sessions come from.

mod local;
mod profile;
mod unfinished;

use std::fmt;
use std::future::Future;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::pin::Pin;

use serde_json::Value;

pub use local::{LocalChromium, LocalOptions};

/// How the browser of a session is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrowserSettings {
    /// The width and height of every page, in CSS pixels. Default: 1288×711.
    pub viewport: (u32, u32),
    /// Accepts any certificate. Default: false.
    pub ignore_certificate_errors: bool,
    /// The profile that it begins with. Default: a temporary one.
    pub profile: Profile,
    /// The proxy that all of its traffic goes through, loopback too. Default: none.
    pub proxy: Option<SocketAddr>,
}

/// The profile that a browser begins with: its cookies, and what sites keep in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Profile {
    /// An empty one, which cannot be saved.
    #[default]
    Temporary,
    /// An empty one.
    Empty,
    /// A copy of one that was [saved](Engine::end_saving) in this folder.
    CopyOf(PathBuf),
}

impl Default for BrowserSettings {
    fn default() -> Self {
        Self {
            viewport: (1288, 711),
            ignore_certificate_errors: false,
            profile: Profile::Temporary,
            proxy: None,
        }
    }
}

/// A browser that an engine keeps.
#[derive(Debug, Clone, PartialEq)]
pub struct EngineBrowser {
    /// The session that it was made for.
    pub session: String,
    /// What the engine needs to find it again, also in another process.
    pub handle: Value,
}

/// Why an engine did not do what it was asked to.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The browser could not be started.
    #[error("the browser did not start: {0}")]
    Start(String),
    /// There is no such browser, or it has gone.
    #[error("the browser has gone")]
    Gone,
    /// The engine itself failed.
    #[error("the engine failed: {0}")]
    Failed(String),
}

/// What a call of an engine gives.
pub type EngineFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, EngineError>> + Send + 'a>>;

/// A supplier of browsers. All of them pass the same tests (`tests/engine.rs`).
///
/// A browser belongs to the engine and not to the process that asked for it: it lives on when that one is gone, and any
/// process with its handle can go on with it.
pub trait Engine: Send + Sync + fmt::Debug {
    /// What it is called in sessions and logs.
    fn name(&self) -> &'static str;

    /// Starts a browser for a session, and gives its handle. Once it is asked for it is started, also when nobody waits
    /// for it any more: then [`list`](Self::list) has it.
    ///
    /// # Errors
    /// [`EngineError::Start`]; nothing is left of it then.
    fn create<'a>(&'a self, session: &'a str, settings: &'a BrowserSettings) -> EngineFuture<'a, Value>;

    /// Breaks off the start of a browser, as far as that can be done: [`create`](Self::create) fails then, or gives a
    /// browser that was there already. An engine that cannot do it does nothing, and the start takes its time.
    fn break_off<'a>(&'a self, _session: &'a str) -> EngineFuture<'a, ()> {
        Box::pin(async { Ok(()) })
    }

    /// The WebSocket address of its DevTools protocol.
    ///
    /// # Errors
    /// [`EngineError::Gone`].
    fn address<'a>(&'a self, handle: &'a Value) -> EngineFuture<'a, String>;

    /// Whether it runs. Whether it answers is for its user to find out.
    fn is_alive<'a>(&'a self, handle: &'a Value) -> EngineFuture<'a, bool>;

    /// The folder that the browser of a session and this process share for its files, under one path; none if they share
    /// none. It goes with the browser.
    fn folder(&self, session: &str) -> Option<PathBuf>;

    /// Ends it, with all that it has put aside. Gives whether it still ran.
    fn end<'a>(&'a self, handle: &'a Value) -> EngineFuture<'a, bool>;

    /// Ends it likewise, and saves its profile as this folder, which is not there before and is whole when it is. Gives
    /// whether that was done: a browser that does not end by itself, or has gone, leaves no profile that is whole.
    fn end_saving<'a>(&'a self, handle: &'a Value, profile: &'a Path) -> EngineFuture<'a, bool>;

    /// All that it keeps, those of earlier processes too, those that have ended by themselves and were not
    /// [ended](Self::end), and those whose start was broken off because its process was killed.
    fn list(&self) -> EngineFuture<'_, Vec<EngineBrowser>>;
}
