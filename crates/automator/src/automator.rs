//! The session: options in, a browser under it, operations on top.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};

use automator_browser::{Browser, BrowserNews, KeptBrowser};
use tracing::Instrument as _;

use crate::act::{Act, ActInput};
use crate::agent::Agent;
use crate::context::Context;
use crate::extract::Extract;
use crate::log::Log;
use crate::models::Models;
use crate::observe::Observe;
use crate::options::{AgentConfig, AutomatorOptions, Env};
use crate::records::{AutomatorMetrics, HistoryEntry, Records};
use crate::remote::{self, Remote};
use crate::session::{Open, Session, State};
use crate::{Error, ErrorKind, Extraction, PageTextRequest, Result, trace};

/// How many sessions there have been.
static SESSIONS: AtomicU64 = AtomicU64::new(1);

/// A session; a cheap clone, usable from many tasks at once.
///
/// Dropping the last clone without [`close`](Self::close) ends the browser unless `keep_alive` is set.
///
/// ```no_run
/// use automator::{Automator, Env};
///
/// # async fn example() -> automator::Result<()> {
/// let automator = Automator::builder(Env::Local).model("openai/gpt-4.1-mini").build()?;
/// automator.init().await?;
/// automator.context()?.active_page()?.goto("https://example.com").await?;
/// let heading = automator.extract("the heading").await?.extraction;
/// automator.close().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Automator {
    session: Arc<Session>,
}

/// How [`Automator::close_with`] closes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CloseOptions {
    /// Cuts the browser off instead of asking it to end, also while another close is under way.
    pub force: bool,
}

impl Automator {
    /// A session that is not yet initialised.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidModelFormat`] for a model that is not `provider/model`, [`ErrorKind::InvalidArgument`]
    /// for every other option that cannot be used, such as an address that is none or an empty key.
    pub fn new(options: AutomatorOptions) -> Result<Self> {
        options.check()?;
        let models = Models::new(&options);
        let log = Log::of(&options);
        let records = Records::new(options.keeps_history);
        let session = Session {
            number: SESSIONS.fetch_add(1, Ordering::Relaxed),
            models,
            log,
            options,
            records,
            typed: Mutex::default(),
            has_told_unmasked: AtomicBool::default(),
            state: Mutex::new(State::New),
            changes: tokio::sync::watch::Sender::new(0),
            changing: tokio::sync::Mutex::new(()),
        };
        Ok(Self {
            session: Arc::new(session),
        })
    }

    /// Sets options one by one.
    pub fn builder(env: Env) -> crate::Builder {
        crate::Builder::new(env)
    }

    /// Starts the browser, or attaches to one. Afterwards there is a first page. A session that is open already
    /// stays as it is; one that was closed starts again.
    ///
    /// # Errors
    /// [`ErrorKind::Init`] when no browser comes up, with its last words and what to do;
    /// For `REMOTE`: [`ErrorKind::MissingEnvironmentVariable`] without a key, [`ErrorKind::Environment`] for a key that
    /// the platform does not accept, [`ErrorKind::RemoteSessionNotFound`] for a session to resume that is not there or
    /// has ended, [`ErrorKind::InvalidArgument`] for parameters that the platform refuses.
    pub async fn init(&self) -> Result<()> {
        let session = &self.session;
        let _changing = session.changing.lock().await;
        if session.browser().is_some() {
            return Ok(());
        }
        let opening = open(session).instrument(trace::span(session, "init"));
        let (browser, remote) = opening.await.map_err(|error| error.during("init"))?;
        for notice in browser.notices() {
            session.log.notice("init", notice);
        }
        session.log.info("init", "the browser is ready", &[]);
        tokio::spawn(tell_news(Arc::downgrade(session), browser.news()));
        if let Some(remote) = &remote {
            remote::keep_attached(session, remote, &browser);
        }
        *session.state() = State::Open(Open { browser, remote });
        session.tell_change();
        Ok(())
    }

    /// Ends the session and, unless `keep_alive` is set, the browser. Closing twice is fine.
    ///
    /// # Errors
    /// None at present.
    pub async fn close(&self) -> Result<()> {
        self.close_with(CloseOptions::default()).await
    }

    /// As [`close`](Self::close), with options.
    ///
    /// # Errors
    /// None at present.
    pub async fn close_with(&self, options: CloseOptions) -> Result<()> {
        let session = &self.session;
        if options.force {
            // Does not wait for a close that hangs: cutting the browser off ends that one, too.
            if let Some(browser) = session.browser() {
                browser.close_now().await;
            }
        }
        let _changing = session.changing.lock().await;
        let remote = session.remote();
        let browser = session.browser();
        if browser.is_some() {
            *session.state() = State::Closed { because: None };
            session.tell_change();
        }
        if let Some(browser) = browser {
            // Before the platform ends a remote session: what still waits is to hear that it was closed from here.
            browser.close().instrument(trace::span(session, "close")).await;
            if let Some(remote) = remote
                && let Err(error) = remote.give_back().await
            {
                // Without a connection it ends by itself before long.
                let message = format!("the remote session could not be ended: {}", error.message());
                session.log.error("init", message, &[]);
            }
            session.log.info("init", "the session is closed", &[]);
            session.records.clear_history();
        }
        Ok(())
    }

    /// The pages.
    ///
    /// # Errors
    /// [`ErrorKind::NotInitialized`].
    pub fn context(&self) -> Result<Context> {
        let browser = self.session.live("context")?;
        Ok(Context::new(Arc::clone(&self.session), browser.context()))
    }

    /// The id of the remote session, for `remote_session_id` of another one. None for `LOCAL`, and before `init()`.
    #[must_use]
    pub fn remote_session_id(&self) -> Option<String> {
        self.session.remote()?.id.clone()
    }

    /// The address of a page on which the remote session can be watched; can be given to others. None for `LOCAL`, and
    /// when the platform gives none.
    #[must_use]
    pub fn remote_session_url(&self) -> Option<String> {
        self.session.remote()?.session_url.clone()
    }

    /// The address of a page on which the remote session can be driven by hand. None for `LOCAL`, and when the platform
    /// gives none.
    #[must_use]
    pub fn remote_debug_url(&self) -> Option<String> {
        self.session.remote()?.debug_url.clone()
    }

    /// The WebSocket address under which other libraries reach the browser.
    ///
    /// # Errors
    /// [`ErrorKind::NotInitialized`]; [`ErrorKind::Init`] when the browser has opened no port.
    pub async fn connect_url(&self) -> Result<String> {
        let browser = self.session.live("connect_url")?;
        browser
            .connect_url()
            .await
            .map_err(|error| Error::from(error).during("connect_url"))
    }

    /// What another program needs to go on with the browser of this session, or to end it; for one that was started
    /// with `keep_alive`, and is to be ended by [`KeptBrowser::end`].
    ///
    /// # Errors
    /// [`ErrorKind::NotInitialized`]; [`ErrorKind::Init`] when the browser has opened no port, and when it was only
    /// attached to.
    pub async fn kept_browser(&self) -> Result<KeptBrowser> {
        let browser = self.session.live("kept_browser")?;
        browser
            .kept()
            .await
            .map_err(|error| Error::from(error).during("kept_browser"))
    }

    /// Waits until the browser can no longer be spoken to, whoever ended it.
    ///
    /// # Errors
    /// [`ErrorKind::NotInitialized`].
    pub async fn closed(&self) -> Result<()> {
        let mut closed = self.session.live("closed")?.closed();
        loop {
            closed.await;
            if self.session.remote().is_none() {
                return Ok(());
            }
            // A connection to a remote browser that was lost may come back.
            match self.session.live_again("closed").await {
                Ok(browser) => closed = browser.closed(),
                Err(_) => return Ok(()),
            }
        }
    }

    /// Extracts what the instruction describes; await the request. Without a schema the result is text.
    ///
    /// ```no_run
    /// # async fn example(automator: automator::Automator) -> automator::Result<()> {
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Product {
    ///     name: String,
    ///     price: f64,
    /// }
    /// let product: Product = automator.extract("the product").schema::<Product>().selector("main").await?;
    /// let price = automator.extract("the price").await?.extraction;
    /// # Ok(())
    /// # }
    /// ```
    pub fn extract(&self, instruction: &str) -> Extract<Extraction> {
        Extract::new(Arc::clone(&self.session), instruction)
    }

    /// Does something on the page: what an instruction says, or exactly one [`Action`](crate::Action). Await the
    /// request.
    ///
    /// Success means that the page shows the effect. An instruction takes one model call, and a second one for an
    /// action in two steps or when the element was gone by then.
    ///
    /// ```no_run
    /// # async fn example(automator: automator::Automator) -> automator::Result<()> {
    /// automator.act("type %password% into the password field").variable("password", "...").await?;
    /// let done = automator.act("press the log-in button").await?;
    /// println!("{}: {}", done.success, done.message);
    /// # Ok(())
    /// # }
    /// ```
    pub fn act(&self, input: impl Into<ActInput>) -> Act {
        Act::new(Arc::clone(&self.session), input.into())
    }

    /// Finds what the instruction describes, each as an [`Action`](crate::Action) that [`act`](Self::act) does
    /// without a model. An empty instruction finds what can be used on the page.
    ///
    /// ```no_run
    /// # async fn example(automator: automator::Automator) -> automator::Result<()> {
    /// let buttons = automator.observe("the buttons of the cart").await?;
    /// if let Some(first) = buttons.first() {
    ///     automator.act(first).await?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn observe(&self, instruction: &str) -> Observe {
        Observe::new(Arc::clone(&self.session), instruction)
    }

    /// An agent, which does tasks of many steps on its own: it looks at the page, acts, and looks again, until the task
    /// is done or a limit is reached. Nothing is done until it is told to [`execute`](Agent::execute) something.
    ///
    /// Each step is a model call. What the model reads on pages is data to it, and `confirm` is asked before what
    /// cannot be taken back. With `cacheDir` a run that was a success is remembered, and done again without a model for
    /// as long as the pages are as they were.
    ///
    /// ```no_run
    /// # async fn example(automator: automator::Automator) -> automator::Result<()> {
    /// use automator::{AgentConfig, AgentConfirm, AgentConfirmKind};
    ///
    /// let agent = automator.agent(AgentConfig::default());
    /// let never_buys = AgentConfirm::new(|request| async move { Ok(request.kind != AgentConfirmKind::Purchase) });
    /// let result = agent.execute("put two desk lamps into the basket").confirm(never_buys).await?;
    /// println!("{} ({} steps)", result.message, result.actions.len());
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn agent(&self, config: AgentConfig) -> Agent {
        Agent::new(Arc::clone(&self.session), config)
    }

    /// The page as text, without a model; await the request.
    pub fn page_text(&self) -> PageTextRequest {
        PageTextRequest::new(Arc::clone(&self.session))
    }

    /// Tokens and time so far. They survive a close.
    #[must_use]
    pub fn metrics(&self) -> AutomatorMetrics {
        self.session.records.metrics()
    }

    /// All operations so far, the oldest first. A close empties it.
    #[must_use]
    pub fn history(&self) -> Vec<HistoryEntry> {
        self.session.records.history()
    }
}

/// Logs what happens on pages for as long as session and browser live; keeps neither alive.
async fn tell_news(session: Weak<Session>, mut news: BrowserNews) {
    while let Some(news) = news.next().await {
        let Some(session) = session.upgrade() else { return };
        let details = [("text", session.masked(&news.text))];
        let message = format!("page event: {}", news.kind.name());
        session.log.debug("page", message, &details);
    }
}

/// Starts the browser or attaches to one, here or on a platform.
async fn open(session: &Session) -> Result<(Browser, Option<Arc<Remote>>)> {
    let options = &session.options;
    if options.env == Env::Remote {
        let (remote, browser) = remote::open(session).await?;
        return Ok((browser, Some(Arc::new(remote))));
    }
    let mut launch = options
        .local_browser_launch_options
        .to_launch(options.keep_alive.unwrap_or_default(), &options.environment);
    launch.dialogs_elsewhere.clone_from(&options.dialogs_elsewhere);
    let browser = Browser::start(&launch).await.map_err(init_error)?;
    Ok((browser, None))
}

fn init_error(error: automator_browser::BrowserError) -> Error {
    let error = Error::from(error);
    if matches!(
        error.kind(),
        ErrorKind::InvalidArgument | ErrorKind::Init | ErrorKind::ConnectionTimeout
    ) {
        return error;
    }
    Error::new(ErrorKind::Init, error.to_string()).caused_by(error)
}
