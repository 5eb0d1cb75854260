//! One viewer of a session: what happens in the browser goes to the page, and what the page asks for to the browser.

use std::time::Duration;

use axum::extract::ws::{Message, Utf8Bytes, WebSocket};
use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, SplitStream};
use futures_util::{FutureExt as _, StreamExt as _};
use serde_json::json;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until, timeout};

use super::line::{Leaving, Line};
use super::message::{FromPage, ToPage, read};
use super::screen::{Screen, Seen};
use super::{address, browsing, input};
use crate::platform::{Opened, Platform, PlatformError, Watched};
use crate::store::SessionRecord;

/// How often a page is pinged, and how long it may be silent.
const PING: Duration = Duration::from_secs(15);
const SILENCE: Duration = Duration::from_secs(45);

/// How often the browser is asked for the titles of its tabs. It tells by itself only those that come with a document.
const REFRESH: Duration = Duration::from_secs(1);

/// How long after its browser the end of a session may become known.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// How many commands may wait for the browser. What is done beyond is left out: the page hangs.
const UNDER_WAY: usize = 256;

/// How often at most it is noted that somebody uses the session.
const NOTING: Duration = Duration::from_secs(5);

/// What became of a command: what the viewer is to be told.
type Outcome = BoxFuture<'static, Option<String>>;

/// Somebody who has come to look at a session.
#[derive(Debug)]
pub(super) struct Visit {
    pub(super) platform: Platform,
    pub(super) session: SessionRecord,
    /// How long the session goes on at most.
    pub(super) time_left: Duration,
    /// What the visitor may do.
    pub(super) opened: Opened,
    /// The tab that is to be looked at first.
    pub(super) tab: Option<String>,
}

/// Shows a session until the viewer goes, the session ends or the address expires.
pub(super) async fn show(visit: Visit, socket: WebSocket) {
    let (page, from_page) = socket.split();
    let mut line = Line::new(page);
    let leaving = match begin(visit, &mut line).await {
        Ok((mut viewer, watched)) => {
            let leaving = viewer.run(&mut line, from_page, watched).await;
            leaving.err().unwrap_or(Leaving::Gone)
        }
        Err(leaving) => leaving,
    };
    line.leave(leaving).await;
}

/// Says what there is to be seen, and connects to the browser.
async fn begin(visit: Visit, line: &mut Line) -> Result<(Viewer, Watched), Leaving> {
    let session = &visit.session;
    line.say(&ToPage::Session {
        state: session.state,
        region: session.region.clone(),
        keep_alive: session.keep_alive,
        control: visit.opened.control,
        created_at: session.created_at,
        time_left: u64::try_from(visit.time_left.as_millis()).unwrap_or(u64::MAX),
    })
    .await?;
    let watched = match visit.platform.watch_browser(session).await {
        Ok(watched) => watched,
        Err(PlatformError::Ended { reason, .. }) => {
            if !session.state.is_final() {
                return Err(Leaving::NotYet);
            }
            let state = session.state;
            line.say(&ToPage::Ended { state, reason }).await?;
            return Err(Leaving::SessionEnded);
        }
        Err(error @ PlatformError::Crowded(_)) => {
            line.tell_problem(error.to_string()).await?;
            return Err(Leaving::Crowded);
        }
        Err(error) => {
            tracing::warn!(session = session.id, %error, "a session cannot be looked at");
            return Err(Leaving::BrowserGone);
        }
    };
    let screen = Screen::connect(&watched.address, &watched.seat.targets, visit.tab)
        .await
        .map_err(|error| {
            tracing::warn!(session = visit.session.id, %error, "a browser cannot be looked at");
            Leaving::BrowserGone
        })?;
    line.say(&screen.tabs()).await?;
    let viewer = Viewer {
        platform: visit.platform,
        session: visit.session.id,
        control: visit.opened.control,
        until: Instant::now() + visit.opened.left,
        screen,
        under_way: FuturesUnordered::new(),
        noted: None,
    };
    Ok((viewer, watched))
}

/// Somebody who looks at a browser.
#[derive(Debug)]
struct Viewer {
    platform: Platform,
    session: String,
    control: bool,
    /// When the address expires.
    until: Instant,
    screen: Screen,
    under_way: FuturesUnordered<Outcome>,
    /// When it was last noted that somebody uses the session.
    noted: Option<Instant>,
}

impl Viewer {
    /// Goes on until there is a reason to leave.
    async fn run(
        &mut self,
        line: &mut Line,
        mut from_page: SplitStream<WebSocket>,
        watched: Watched,
    ) -> Result<(), Leaving> {
        // The seat is held to the end.
        let Watched {
            mut ended, mut seat, ..
        } = watched;
        for operation in std::mem::take(&mut seat.earlier) {
            line.say(&ToPage::Operation(operation)).await?;
        }
        let mut pings = interval(PING);
        let mut titles = interval(REFRESH);
        titles.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut heard = Instant::now();
        loop {
            tokio::select! {
                message = from_page.next() => {
                    heard = Instant::now();
                    match message {
                        Some(Ok(Message::Text(text))) => self.hear(line, &text).await?,
                        Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                        Some(Ok(Message::Binary(_) | Message::Close(_)) | Err(_)) | None => {
                            return Err(Leaving::Gone);
                        }
                    }
                }
                event = self.screen.next() => match event {
                    Some(event) => self.see(line, event).await?,
                    None => break,
                },
                Some(problem) = self.under_way.next() => {
                    if let Some(problem) = problem {
                        line.tell_problem(problem).await?;
                    }
                }
                operation = seat.news.recv() => match operation {
                    Ok(operation) => line.say(&ToPage::Operation(operation)).await?,
                    Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => break,
                },
                () = until_told(&mut ended) => break,
                () = sleep_until(self.until) => return Err(Leaving::TokenExpired),
                _ = titles.tick() => {
                    if self.screen.refresh().await {
                        line.say(&self.screen.tabs()).await?;
                    }
                }
                _ = pings.tick() => {
                    if heard.elapsed() > SILENCE {
                        return Err(Leaving::TooSlow);
                    }
                    line.ping().await?;
                }
            }
        }
        Err(self.end(line, &mut ended).await)
    }

    /// Says how the session has ended, if it has.
    async fn end(&mut self, line: &mut Line, ended: &mut watch::Receiver<Option<String>>) -> Leaving {
        let told = timeout(LAST_WORDS, until_told(ended)).await;
        if told.is_err() || ended.borrow().is_none() {
            return Leaving::BrowserGone;
        }
        let Ok((session, _)) = self.platform.look_up(&self.session).await else {
            return Leaving::SessionEnded;
        };
        let ending = ToPage::Ended {
            state: session.state,
            reason: session.end_reason.unwrap_or_default(),
        };
        match line.say(&ending).await {
            Ok(()) => Leaving::SessionEnded,
            Err(leaving) => leaving,
        }
    }

    /// Tells what has happened in the browser.
    async fn see(&mut self, line: &mut Line, event: automator_cdp::Event) -> Result<(), Leaving> {
        let mut next = Some(event);
        let mut has_other_tabs = false;
        // All that is there already at once: titles may change faster than anybody reads.
        while let Some(event) = next {
            match self.screen.take(&event) {
                Seen::Picture(picture) => line.show(picture).await?,
                Seen::Tabs => has_other_tabs = true,
                Seen::Nothing => {}
            }
            next = self.screen.next_if_here();
        }
        if has_other_tabs {
            self.screen.follow().await;
            line.say(&self.screen.tabs()).await?;
        }
        Ok(())
    }

    /// Does what the page asks for.
    async fn hear(&mut self, line: &mut Line, text: &Utf8Bytes) -> Result<(), Leaving> {
        let message = match read(text, self.control) {
            Ok(message) => message,
            Err(error) => return line.tell_problem(error.to_string()).await,
        };
        match message {
            FromPage::Shown => {
                self.screen.shown();
                return Ok(());
            }
            FromPage::Look { tab } => {
                if !self.screen.choose(&tab) {
                    return line.tell_problem("this tab is not there any more").await;
                }
                self.screen.follow().await;
                return line.say(&self.screen.tabs()).await;
            }
            _ => {}
        }
        match self.control(message) {
            Ok(()) => Ok(()),
            Err(problem) => line.tell_problem(problem).await,
        }
    }

    /// Does something in the browser, or says why not.
    fn control(&mut self, message: FromPage) -> Result<(), String> {
        if self.under_way.len() >= UNDER_WAY {
            return Ok(());
        }
        self.note_use();
        let page = || self.screen.page().ok_or_else(|| "there is no tab".to_owned());
        let command = match message {
            FromPage::Mouse(mouse) => input::mouse(&mouse),
            FromPage::Key(key) => input::key(&key),
            FromPage::Text { text } => ("Input.insertText", json!({ "text": text })),
            FromPage::Navigate { address } => {
                let url = address::read(&address)?;
                let outcome = browsing::navigate(page()?, url);
                self.under_way.push(outcome.boxed());
                return Ok(());
            }
            FromPage::History { step } => {
                let outcome = browsing::go(page()?, step);
                self.under_way.push(outcome.boxed());
                return Ok(());
            }
            FromPage::Open => {
                self.ask_browser("Target.createTarget", &json!({ "url": "about:blank" }));
                return Ok(());
            }
            FromPage::Close { tab } => {
                self.screen.may_close(&tab)?;
                self.ask_browser("Target.closeTarget", &json!({ "targetId": tab }));
                return Ok(());
            }
            FromPage::Shown | FromPage::Look { .. } => return Ok(()),
        };
        let (method, parameters) = command;
        let answer = page()?.send_raw(method, parameters);
        // Input that comes too late for its page is nothing to tell.
        self.under_way.push(answer.map(|_| None).boxed());
        Ok(())
    }

    fn ask_browser(&self, method: &str, parameters: &serde_json::Value) {
        let answer = self.screen.ask_browser(method, parameters);
        let outcome = answer.map(|answer| answer.err().map(|error| error.to_string()));
        self.under_way.push(outcome.boxed());
    }

    /// Who uses the mouse and the keyboard uses the session: it does not end meanwhile for want of use.
    fn note_use(&mut self) {
        if self.noted.is_some_and(|noted| noted.elapsed() < NOTING) {
            return;
        }
        self.noted = Some(Instant::now());
        let (platform, session) = (self.platform.clone(), self.session.clone());
        let noting = async move {
            match platform.note_use(&session).await {
                Ok(()) | Err(PlatformError::Ended { .. }) => {}
                Err(error) => tracing::warn!(session, %error, "the use of a session could not be stored"),
            }
            None
        };
        self.under_way.push(noting.boxed());
    }
}

/// Waits until it is told why the session has ended, or nobody will tell it any more.
async fn until_told(ended: &mut watch::Receiver<Option<String>>) {
    let _ = ended.wait_for(Option::is_some).await.map(drop);
}
