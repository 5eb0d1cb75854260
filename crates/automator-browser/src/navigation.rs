//! Going to an address, and how far a page has to come for that.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use automator_cdp::CdpError;
use automator_cdp::protocol::page::{GetNavigationHistory, Navigate, StopLoading};
use url::Url;

use crate::frame_table::FrameRecord;
use crate::locator::Performed;
use crate::page_state::{Attaching, Life, MainDocument, PageShared, PageState};
use crate::{BrowserError, Page, Response};

/// What [`Page::goto`] waits for, and how long.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct GotoOptions {
    /// How far the page must come. Default: [`WaitUntil::DomContentLoaded`].
    pub wait_until: WaitUntil,
    /// How long it may take; `None` is no limit. Default: 15 s.
    pub timeout: Option<Duration>,
}

impl Default for GotoOptions {
    fn default() -> Self {
        Self {
            wait_until: WaitUntil::default(),
            timeout: Some(Duration::from_secs(15)),
        }
    }
}

/// How far a page has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WaitUntil {
    /// The new document is there, its content may still be coming.
    Commit,
    /// The document has been read to its end.
    #[default]
    DomContentLoaded,
    /// Images, styles and frames have been loaded, too.
    Load,
    /// The document has been read to its end, and no request has been open for 500 ms. Streams (WebSocket,
    /// EventSource) are not counted.
    NetworkIdle,
}

/// How long no request may be open for a page to be idle.
const IDLE: Duration = Duration::from_millis(500);

/// How long a page that is just being attached to may take before it is navigated all the same.
const ATTACH_LIMIT: Duration = Duration::from_secs(2);

/// How long after the end of a navigation its cause may show.
const CAUSE_SHOWS: Duration = Duration::from_millis(300);

/// How long after a navigation to an address of the browser's own a crash may show: that is what some of them
/// stand for, and a process takes its time to write down how it ended.
const CRASH_SHOWS: Duration = Duration::from_secs(5);

/// The browser's words for a server that answers with an error and no content: it shows a page of its own,
/// and for us it is an answer like any other.
const EMPTY_HTTP_ERROR: &str = "net::ERR_HTTP_RESPONSE_CODE_FAILURE";

/// How long a page may take to answer whether it goes somewhere, and the browser to begin.
const BEGINS: Duration = Duration::from_millis(500);

/// How long the new address of a document that stays is waited for.
const MOVE_SHOWS: Duration = Duration::from_secs(1);

/// How long a frame's document is waited for.
const FRAME_COMES: Duration = Duration::from_secs(2);

/// How long the first document of a page that an action has opened is waited for.
const PAGE_COMES: Duration = Duration::from_secs(2);

const ABORTED: &str = "net::ERR_ABORTED";

/// The proxy wants a login that the browser does not have.
const NO_CREDENTIALS: [&str; 3] = [
    "net::ERR_INVALID_AUTH_CREDENTIALS",
    "net::ERR_PROXY_AUTH_REQUESTED",
    "net::ERR_PROXY_AUTH_UNSUPPORTED",
];

const PROXY_AUTHENTICATION_REQUIRED: u16 = 407;

impl WaitUntil {
    /// As it is written in options: `domcontentloaded`, `load`, `networkidle`, `commit`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::DomContentLoaded => "domcontentloaded",
            Self::Load => "load",
            Self::NetworkIdle => "networkidle",
        }
    }

    pub(crate) fn is_reached(self, document: &MainDocument) -> bool {
        match self {
            Self::Commit => document.is_committed,
            Self::DomContentLoaded | Self::NetworkIdle => document.is_parsed,
            Self::Load => document.is_loaded,
        }
    }
}

/// The schemes of what browsers show.
const SCHEMES: [&str; 19] = [
    "about",
    "blob",
    "brave",
    "chrome",
    "chrome-error",
    "chrome-extension",
    "chrome-untrusted",
    "data",
    "devtools",
    "edge",
    "file",
    "filesystem",
    "http",
    "https",
    "isolated-app",
    "javascript",
    "opera",
    "view-source",
    "vivaldi",
];

/// What keeps a text from being an address, in words; none when it is one.
///
/// ```
/// use automator_browser::address_problem;
///
/// assert_eq!(address_problem("https://a.test/"), None);
/// assert_eq!(address_problem("http://a b.test/").unwrap(), "its host has a blank in it");
/// ```
pub fn address_problem(address: &str) -> Option<String> {
    let address = address.trim();
    if address.is_empty() {
        return Some("it is empty".to_owned());
    }
    let error = match Url::parse(address) {
        Ok(url) if SCHEMES.contains(&url.scheme()) => return None,
        Ok(url) => return Some(format!("browsers show nothing for the scheme `{}`", url.scheme())),
        Err(error) => error,
    };
    let host = address.split_once("://").map_or(address, |(_, rest)| rest);
    let host = host.split(['/', '?', '#']).next().unwrap_or_default();
    Some(match error {
        url::ParseError::RelativeUrlWithoutBase => {
            "an address begins with its scheme, as https://".to_owned()
        }
        url::ParseError::EmptyHost => "it names no host".to_owned(),
        url::ParseError::InvalidPort => "its port is no number from 0 to 65535".to_owned(),
        _ if host.contains(char::is_whitespace) => "its host has a blank in it".to_owned(),
        url::ParseError::IdnaError | url::ParseError::InvalidDomainCharacter => {
            "its host has a character in it that hosts do not have".to_owned()
        }
        other => other.to_string(),
    })
}

/// The address, if it is one. A bare host name is not, and the error says what it lacks.
pub(crate) fn checked_url(url: &str) -> Result<String, BrowserError> {
    let invalid = |hint: Option<String>| {
        Err(BrowserError::InvalidUrl {
            url: url.to_owned(),
            hint,
        })
    };
    let trimmed = url.trim();
    let looks_like_host = |text: &str| {
        let host = text.split(['/', '?', '#']).next().unwrap_or_default();
        !host.is_empty()
            && !host.contains(char::is_whitespace)
            && (host.contains('.') || host.starts_with("localhost"))
    };
    match Url::parse(trimmed) {
        Ok(parsed) => {
            // `localhost:3000` and `shop.test:80` read as a scheme and a path.
            let rest = parsed.path().trim_start_matches('/');
            let is_port = !parsed.has_host() && rest.starts_with(|first: char| first.is_ascii_digit());
            if is_port && (parsed.scheme() == "localhost" || parsed.scheme().contains('.')) {
                return invalid(Some(format!("did you mean http://{trimmed}?")));
            }
            match address_problem(trimmed) {
                None => Ok(trimmed.to_owned()),
                problem => invalid(problem),
            }
        }
        Err(url::ParseError::RelativeUrlWithoutBase) if looks_like_host(trimmed) => {
            let scheme = if trimmed.starts_with("localhost") {
                "http"
            } else {
                "https"
            };
            invalid(Some(format!("did you mean {scheme}://{trimmed}?")))
        }
        Err(_) => invalid(address_problem(trimmed)),
    }
}

pub(crate) async fn goto(
    page: &Page,
    url: &str,
    options: GotoOptions,
) -> Result<Option<Response>, BrowserError> {
    let url = checked_url(url)?;
    let inner = page.browser().inner();
    if let Some(forbidden) = inner.interception().forbids(&url) {
        return Err(forbidden.into());
    }
    inner.interception().take_forbidden(page.id());
    let navigation = Navigation::new(page, &url);
    let running = navigation.or_stop(navigation.run(options.wait_until));
    let Some(limit) = options.timeout else {
        return running.await;
    };
    let outcome = tokio::time::timeout(limit, running).await;
    outcome.unwrap_or_else(|_| {
        Err(BrowserError::NavigationTimeout {
            url: url.clone(),
            wait_until: options.wait_until.name(),
            limit,
        })
    })
}

/// One navigation of ours; the ones before it are superseded.
pub(crate) struct Navigation<'a> {
    page: &'a Page,
    url: &'a str,
    number: u64,
    /// The loader of the navigation that began last before this one.
    started_before: String,
    moves_before: u64,
    /// Whether the browser has said how the navigation itself went.
    pub(crate) is_answered: AtomicBool,
}

impl<'a> Navigation<'a> {
    pub(crate) fn new(page: &'a Page, url: &'a str) -> Self {
        let (number, started_before, moves_before) = page.shared().update(|state| {
            state.navigations += 1;
            (state.navigations, state.started_loader.clone(), state.moves)
        });
        Self {
            page,
            url,
            number,
            started_before,
            moves_before,
            is_answered: AtomicBool::new(false),
        }
    }

    async fn run(&self, wait_until: WaitUntil) -> Result<Option<Response>, BrowserError> {
        // A page that is navigated before it has taken all that it is prepared with crashes now and then. One that
        // is silent for other reasons may well be helped by going elsewhere.
        let attached = self
            .page
            .shared()
            .wait_for(|state| (state.attaching == Attaching::Done).then_some(()));
        let _ = tokio::time::timeout(ATTACH_LIMIT, attached).await;
        let Some(loader) = self.begin().await? else {
            // The document tells of its new address by itself, before or after the browser's answer.
            let shared = self.page.shared();
            let moved = async {
                shared
                    .wait_for(|state| (state.moves != self.moves_before).then_some(()))
                    .await;
                Ok(())
            };
            let _ = tokio::time::timeout(MOVE_SHOWS, self.page.or_end(moved)).await;
            return Ok(None);
        };
        let arriving = async {
            let shared = self.page.shared();
            shared
                .wait_for(|state| self.arrived(state, &loader, wait_until))
                .await?;
            if wait_until == WaitUntil::NetworkIdle {
                shared
                    .wait_for_idle_network(|state| self.superseded(state))
                    .await?;
            }
            Ok(())
        };
        self.page.or_end(arriving).await?;
        let response = {
            let state = self.page.shared().state();
            state
                .current_document()
                .and_then(|document| Response::of(document, self.page))
        };
        let login = self.page.browser().inner().proxy_login();
        let refused_by_proxy = login.is_some_and(|login| login.is_refused());
        let asks = |response: &Response| response.status() == PROXY_AUTHENTICATION_REQUIRED;
        if response.as_ref().is_some_and(asks) || (refused_by_proxy && response.is_none()) {
            return Err(self.proxy_error());
        }
        Ok(response)
    }

    /// Starts loading. Returns the loader of the new document; none when the document stays.
    async fn begin(&self) -> Result<Option<String>, BrowserError> {
        let mut may_log_in = true;
        loop {
            let reply = self.navigate().await?;
            self.is_answered.store(true, Ordering::Relaxed);
            let error_text = reply
                .error_text
                .filter(|text| !text.is_empty() && text != EMPTY_HTTP_ERROR);
            let loader = reply.loader_id.filter(|loader| !loader.is_empty());
            let Some(error_text) = error_text else {
                return Ok(loader);
            };
            let login = self.page.browser().inner().proxy_login();
            if NO_CREDENTIALS.contains(&error_text.as_str()) {
                // The browser has forgotten the login since it was last asked for, as after a crash of its
                // network process: listen for the question once more.
                if login.is_some_and(|login| may_log_in && !login.is_refused()) {
                    may_log_in = false;
                    let inner = self.page.browser().inner();
                    inner.interception().listen_for_login(inner.root(), true);
                    continue;
                }
                return Err(self.proxy_error());
            }
            if login.is_some_and(|login| login.is_refused()) {
                return Err(self.proxy_error());
            }
            let is_download = reply.is_download.unwrap_or_default();
            return Err(self.failed(error_text, loader.as_deref(), is_download).await);
        }
    }

    async fn navigate(&self) -> Result<automator_cdp::protocol::page::NavigateReply, BrowserError> {
        let command = Navigate {
            url: self.url.to_owned(),
            ..Navigate::default()
        };
        let call = self.page.session().send(&command);
        let superseded = self.page.shared().wait_for(|state| self.superseded(state));
        let work = async {
            tokio::select! {
                biased;
                reply = call => match reply {
                    Err(CdpError::Protocol { message, .. }) => {
                        Err(BrowserError::InvalidUrl { url: self.url.to_owned(), hint: Some(message) })
                    }
                    reply => Ok(reply?),
                },
                error = superseded => Err(error),
            }
        };
        // A crashed page comes back by being navigated, so only its closing ends this.
        self.page.or_end_unless_crashed(work).await
    }

    pub(crate) fn superseded(&self, state: &PageState) -> Option<BrowserError> {
        let url = self.url.to_owned();
        (state.navigations != self.number).then_some(BrowserError::NavigationSuperseded { url })
    }

    /// Whether the page is where it should be. A document that takes over before ours has come so far is the
    /// work of the page's own script, and counts in its place.
    fn arrived(
        &self,
        state: &PageState,
        loader: &str,
        wait_until: WaitUntil,
    ) -> Option<Result<(), BrowserError>> {
        if let Some(error) = self.superseded(state) {
            return Some(Err(error));
        }
        let current = state.main_loader();
        let ours_was_there = state
            .known_document(loader)
            .is_some_and(|document| document.is_committed);
        if current != loader && !ours_was_there {
            return None;
        }
        let document = state.known_document(current)?;
        wait_until.is_reached(document).then_some(Ok(()))
    }

    async fn failed(&self, error_text: String, loader: Option<&str>, is_download: bool) -> BrowserError {
        let url = self.url.to_owned();
        if is_download {
            return BrowserError::NotAPage { url, download: true };
        }
        let interception = self.page.browser().inner().interception();
        if let Some(forbidden) = interception.take_forbidden(self.page.id()) {
            return forbidden.into();
        }
        if error_text != ABORTED {
            return BrowserError::Navigation { url, error_text };
        }
        // The browser tells the end of this navigation before what ended it: the beginning of another one, or a
        // crash. Without a loader nothing of ours had begun.
        let cause = self.page.shared().wait_for(|state| {
            if state.life == Life::Crashed {
                return Some(BrowserError::PageCrashed);
            }
            let other_began = state.started_loader != loader.unwrap_or(&self.started_before);
            let by_page = || other_began.then(|| BrowserError::NavigationSuperseded { url: url.clone() });
            self.superseded(state).or_else(by_page)
        });
        let limit = if is_browser_address(&url) {
            CRASH_SHOWS
        } else {
            CAUSE_SHOWS
        };
        tokio::time::timeout(limit, cause)
            .await
            .unwrap_or(BrowserError::NotAPage {
                url: self.url.to_owned(),
                download: false,
            })
    }

    fn proxy_error(&self) -> BrowserError {
        let login = self.page.browser().inner().proxy_login();
        BrowserError::ProxyAuthentication {
            url: self.url.to_owned(),
            server: login.map(|login| login.server().to_owned()),
        }
    }

    /// Runs the navigation. When it is dropped before its end, at the limit or because its caller gives up, nothing
    /// may happen any more: a server that answers later must not change the page.
    pub(crate) async fn or_stop<T>(&self, run: impl Future<Output = T>) -> T {
        struct Unfinished<'n, 'a>(Option<&'n Navigation<'a>>);
        impl Drop for Unfinished<'_, '_> {
            fn drop(&mut self) {
                if let Some(navigation) = self.0 {
                    navigation.stop_if_pending();
                }
            }
        }
        let mut unfinished = Unfinished(Some(self));
        let outcome = run.await;
        unfinished.0 = None;
        outcome
    }

    fn stop_if_pending(&self) {
        let is_ours = self.page.shared().state().navigations == self.number;
        if is_ours && !self.is_answered.load(Ordering::Relaxed) {
            drop(self.page.session().send(&StopLoading {}));
        }
    }
}

fn is_browser_address(url: &str) -> bool {
    url.starts_with("chrome:")
}

impl Page {
    /// Waits for the navigations that an action has begun, or is just about to begin, until their documents have been
    /// read, at most `limit`, and 2 s for those of frames and of a page that it has opened. Ends at once when there are none, and when the page closes or
    /// crashes.
    pub async fn follow(&self, after: &Performed, limit: Duration) {
        let shared = self.shared();
        let before = shared.state().departures_before_input;
        if self.follow_main(after, limit).await {
            let frames_are_there =
                shared.frames_are_no_longer(|frames| frames.any_is_under_way_since(before));
            let _ = tokio::time::timeout(limit.min(FRAME_COMES), frames_are_there).await;
        }
    }

    /// As [`follow`](Self::follow), without the documents of frames. Whether there was time for them.
    pub async fn follow_main(&self, after: &Performed, limit: Duration) -> bool {
        let shared = self.shared();
        let before = shared.state().departures_before_input;
        if !after.has_told {
            tokio::select! {
                biased;
                () = shared.main_is_no_longer(|main| !main.has_set_out_since(before)) => {}
                () = self.let_begin() => {}
            }
        }
        self.browser().inner().catch_up().await;
        let arriving = async {
            loop {
                let begun = shared.frames_are_no_longer(|frames| frames.any_sets_out_since(before));
                let _ = tokio::time::timeout(BEGINS, begun).await;
                shared.main_is_no_longer(FrameRecord::is_under_way).await;
                // A document that is only there to lead on has said so by the time it has been read.
                let main_goes_on = shared
                    .state()
                    .frames
                    .main_record()
                    .is_some_and(FrameRecord::goes_elsewhere);
                if !main_goes_on {
                    break;
                }
            }
        };
        if tokio::time::timeout(limit, arriving).await.is_err() {
            tracing::debug!(?limit, "a navigation goes on for longer than it is waited for");
            return false;
        }
        self.opened_page_arrives(limit.min(PAGE_COMES)).await;
        true
    }

    /// Waits for the first document of the page that an action has opened, so that its address is known.
    async fn opened_page_arrives(&self, limit: Duration) {
        if let Some(opened) = self.browser().context().await_active_page().await
            && opened.opener().as_ref() == Some(self)
        {
            opened.arrive(limit).await;
        }
    }

    /// Waits until a page that was opened with an address has its first document, and that has been read, at most
    /// `limit`. A page that came with a document is as good as new until that has been read, or `limit` has passed
    /// since it was met. Ends at once on pages that a call has sent somewhere, which says itself how far they should
    /// come, and when the page closes or crashes.
    pub async fn arrive(&self, limit: Duration) {
        let shared = self.shared();
        let rest = {
            let state = shared.state();
            let main = state.frames.main_record();
            let awaits = main.is_some_and(FrameRecord::awaits_first_document);
            let coming_since = main.and_then(FrameRecord::coming_since);
            match coming_since {
                _ if awaits => limit,
                Some(since) if state.navigations == 0 => limit.saturating_sub(since.elapsed()),
                _ => return,
            }
        };
        let arrived = shared.main_is_no_longer(|main| main.awaits_first_document() || main.is_under_way());
        if tokio::time::timeout(rest, arrived).await.is_err() {
            tracing::debug!(?limit, "a new page does not get its document");
        }
    }

    /// Lets what the page has put off come about: a form is sent in a task of its own. The browser answers the
    /// second question after it has heard of a navigation that began before the answer to the first.
    async fn let_begin(&self) {
        let asking = async {
            let _ = self.main_frame().call_library_once("takeTurn", &[]).await;
            let _ = self.session().send(&GetNavigationHistory {}).await;
        };
        let _ = tokio::time::timeout(BEGINS, asking).await;
    }

    /// As [`or_end`](Self::or_end), for what brings a crashed page back.
    pub(crate) async fn or_end_unless_crashed<T>(
        &self,
        work: impl Future<Output = Result<T, BrowserError>>,
    ) -> Result<T, BrowserError> {
        let was_crashed = self.shared().state().life == Life::Crashed;
        if was_crashed {
            self.shared().update(|state| state.life = Life::Open);
        }
        self.or_end(work).await
    }
}

impl PageShared {
    /// Waits until no request has been open for a while, or `give_up` says otherwise.
    pub(crate) async fn wait_for_idle_network(
        &self,
        give_up: impl Fn(&PageState) -> Option<BrowserError>,
    ) -> Result<(), BrowserError> {
        loop {
            let rest = {
                let state = self.state();
                if let Some(error) = give_up(&state) {
                    return Err(error);
                }
                state
                    .network
                    .quiet_for(Instant::now())
                    .map(|quiet| IDLE.saturating_sub(quiet))
            };
            match rest {
                Some(Duration::ZERO) => return Ok(()),
                Some(rest) => {
                    let restless = self
                        .wait_for(|state| state.network.quiet_for(Instant::now()).is_none().then_some(()));
                    let _ = tokio::time::timeout(rest, restless).await;
                }
                None => {
                    self.wait_for(|state| {
                        let changed = state.network.quiet_for(Instant::now()).is_some();
                        (changed || give_up(state).is_some()).then_some(())
                    })
                    .await;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_with_a_scheme_pass_as_they_are() {
        let good = [
            "https://example.com",
            "http://localhost:3000/a?b#c",
            "file:///tmp/a.html",
            "data:text/html,<p>1",
            "about:blank",
            "chrome://version",
            "https://[::1]:8080/",
        ];
        for url in good {
            assert_eq!(checked_url(url).unwrap(), url);
        }
        assert_eq!(
            checked_url("  https://example.com \n").unwrap(),
            "https://example.com"
        );
    }

    #[test]
    fn bare_names_are_refused_with_a_hint() {
        let hint = |url: &str| match checked_url(url) {
            Err(BrowserError::InvalidUrl { hint, .. }) => hint.unwrap_or_default(),
            other => panic!("{url}: {other:?}"),
        };
        assert_eq!(hint("example.com"), "did you mean https://example.com?");
        assert_eq!(
            hint("example.com/a?b=c"),
            "did you mean https://example.com/a?b=c?"
        );
        assert_eq!(
            hint("example.com:8080/x"),
            "did you mean http://example.com:8080/x?"
        );
        assert_eq!(hint("localhost:3000"), "did you mean http://localhost:3000?");
        assert_eq!(hint("localhost/x"), "did you mean http://localhost/x?");
        for (url, why) in [
            ("", "it is empty"),
            ("   ", "it is empty"),
            ("some words", "an address begins with its scheme, as https://"),
            ("/path", "an address begins with its scheme, as https://"),
            ("http://", "it names no host"),
            ("https://a b/", "its host has a blank in it"),
            ("http://exa mple.test/a", "its host has a blank in it"),
            (
                "http://a<b.test/",
                "its host has a character in it that hosts do not have",
            ),
            ("http://a.test:99999/", "its port is no number from 0 to 65535"),
            ("htp:/x", "browsers show nothing for the scheme `htp`"),
            ("htps://a.test/", "browsers show nothing for the scheme `htps`"),
        ] {
            assert_eq!(hint(url), why, "{url:?}");
        }
    }
}
