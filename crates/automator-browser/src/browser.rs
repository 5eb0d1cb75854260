//! The browser as a whole: start or attach, and end.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use automator_cdp::protocol::browser::{Close, GetVersion};
use automator_cdp::protocol::emulation::SetDeviceMetricsOverride;
use automator_cdp::protocol::security::SetIgnoreCertificateErrors;
use automator_cdp::protocol::target::{GetTargets, SetDiscoverTargets};
use automator_cdp::{CloseReason, Connection, Filter, Session};
use tokio::sync::{broadcast, watch};

use crate::attach::{attach, is_local};
use crate::dialog::{AnsweredDialog, DialogListener};
use crate::dialogs_elsewhere::DialogsElsewhere;
use crate::domain_policy::Rules;
use crate::download::{DownloadPolicy, Downloads};
use crate::event::{KEPT_NEWS, PageNews};
use crate::frame_table::SessionId;
use crate::interception::Interception;
use crate::launch::process::{BrowserProcess, Stderr, Trace};
use crate::launch::{Viewport, launch};
use crate::opening_order::first_entries;
use crate::page_setup::Wishes;
use crate::page_state::{Attaching, PageShared};
use crate::page_table::PageTable;
use crate::proxy_login::ProxyLogin;
use crate::router::{auto_attach, route};
use crate::{BrowserError, Context, LaunchOptions};

/// How long the pages that are there at the start may take to answer.
const ATTACH_LIMIT: Duration = Duration::from_secs(2);

/// How long a browser may take to say which port it has opened.
const ENDPOINT_LIMIT: Duration = Duration::from_secs(10);

/// How long a browser may take to save its profile and exit.
const BROWSER_LIMIT: Duration = Duration::from_secs(5);

/// How many answered dialogs are remembered.
const DIALOGS: usize = 1_000;

/// A browser that was started, or attached to; a cheap clone.
///
/// When the last clone, with every [`Context`], [`Page`](crate::Page) and [`Frame`](crate::Frame) made from it,
/// is dropped without [`close`](Self::close), a browser of our own is killed (unless it was to be kept alive).
/// One that was only attached to is never ended.
#[derive(Clone)]
pub struct Browser {
    handle: Arc<Handle>,
}

impl std::fmt::Debug for Browser {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let state = if self.is_connected() {
            "connected"
        } else {
            "closed"
        };
        write!(formatter, "Browser({state})")
    }
}

/// Held by every clone and by nothing else: when it goes, nobody can use the browser any more.
struct Handle {
    inner: Arc<Inner>,
}

impl Drop for Handle {
    fn drop(&mut self) {
        let process = self.inner.process().take();
        match process {
            Some(process) if self.inner.keep_alive => process.leave(),
            other => drop(other),
        }
        self.inner.connection.close();
    }
}

impl Browser {
    /// Starts a browser, or attaches to the one at `cdp_url`. Afterwards there is at least one page.
    ///
    /// A page that does not answer within 2 s when it is attached to does not hold this up: it is listed, and
    /// calls on it wait. Dropping the future ends whatever has been started.
    ///
    /// # Errors
    /// [`BrowserError::ExecutableNotFound`], [`BrowserError::Launch`] and [`BrowserError::Profile`] when a
    /// browser is started; [`BrowserError::Discovery`], [`BrowserError::InvalidUrl`] and
    /// [`BrowserError::Protocol`] when one is attached to.
    pub async fn start(options: &LaunchOptions) -> Result<Self, BrowserError> {
        let inner = match &options.cdp_url {
            Some(url) => {
                let attached = attach(url, options).await?;
                Inner::new(attached.connection, None, Some(attached.url), Vec::new(), options)
            }
            None => {
                let launched = launch(options).await?;
                Inner::new(
                    launched.connection,
                    Some(launched.process),
                    None,
                    launched.notices,
                    options,
                )
            }
        };
        let browser = Self {
            handle: Arc::new(Handle {
                inner: Arc::new(inner),
            }),
        };
        browser.inner().begin(options).await?;
        browser.context().await_first_page().await?;
        Ok(browser)
    }

    /// Attaches once more to a browser, in place of a connection that has ended: what the user wanted of all pages
    /// and of single ones holds again, dialogs go to the same listener, and the same page is active. Handles from the
    /// connection before stay dead.
    ///
    /// # Errors
    /// As [`start`](Self::start), for a browser that is attached to.
    pub async fn start_again(&self, options: &LaunchOptions) -> Result<Self, BrowserError> {
        let address = options.cdp_url.as_deref().unwrap_or_default();
        let attached = attach(address, options).await?;
        let inner = Arc::new(Inner::new(
            attached.connection,
            None,
            Some(attached.url),
            Vec::new(),
            options,
        ));
        let browser = Self {
            handle: Arc::new(Handle {
                inner: Arc::clone(&inner),
            }),
        };
        let before = self.inner();
        inner.wishes().clone_from(&before.wishes());
        inner.interception.follow(&inner.root, &before.interception);
        browser.set_dialog_listener(before.dialog_listener());
        inner.begin(options).await?;
        browser.context().await_first_page().await?;
        let left = before.table().left().clone();
        inner.table().order_as(&left);
        for (target, wishes) in left.wishes {
            if let Some(page) = inner.page_of_target(&target) {
                page.state().wishes = wishes;
            }
        }
        inner.bring_up_to_date(&inner.pages()).await;
        if let Some(active) = left.active {
            inner.activate(&active);
        }
        Ok(browser)
    }

    /// The set of pages.
    pub fn context(&self) -> Context {
        Context::new(self.clone())
    }

    /// Things that the user should hear once, as that the browser runs without its sandbox.
    pub fn notices(&self) -> &[String] {
        &self.inner().notices
    }

    /// Whether the browser runs on this machine, so that it can read the files here.
    pub fn is_on_this_machine(&self) -> bool {
        let inner = self.inner();
        let attached_to = inner.endpoint.as_deref();
        let is_here = |url| url::Url::parse(url).is_ok_and(|url| is_local(&url));
        attached_to.is_none_or(|url| !inner.is_remote && is_here(url))
    }

    /// The WebSocket address under which other libraries reach this browser.
    ///
    /// # Errors
    /// [`BrowserError::Discovery`] when the browser has not opened its port.
    pub async fn connect_url(&self) -> Result<String, BrowserError> {
        let inner = self.inner();
        if let Some(url) = &inner.endpoint {
            return Ok(url.clone());
        }
        let said = match &inner.stderr {
            Some(stderr) => tokio::time::timeout(ENDPOINT_LIMIT, stderr.endpoint())
                .await
                .ok()
                .flatten(),
            None => None,
        };
        said.ok_or_else(|| BrowserError::Discovery {
            address: "the browser's own port".to_owned(),
            problem: "it has not said which one it is".to_owned(),
        })
    }

    /// Whether the browser was started by us, and not only attached to.
    pub fn is_own(&self) -> bool {
        self.inner().stderr.is_some()
    }

    /// The process id of a browser of our own, while it runs.
    pub fn process_id(&self) -> Option<u32> {
        self.inner().process().as_ref().map(BrowserProcess::id)
    }

    /// The profile folder of a browser of our own, while it runs.
    pub fn profile_path(&self) -> Option<PathBuf> {
        self.inner()
            .process()
            .as_ref()
            .and_then(|process| process.profile_path().map(PathBuf::from))
    }

    /// The processes of a browser of our own, its profile folder, and whether that is a temporary one.
    pub(crate) fn own_process(&self) -> Option<(Trace, PathBuf, bool)> {
        let process = self.inner().process();
        let process = process.as_ref()?;
        let profile = process.profile_path()?.to_owned();
        Some((process.trace()?, profile, process.has_temporary_profile()))
    }

    /// The DevTools session of the browser itself.
    pub fn session(&self) -> &Session {
        self.inner().root()
    }

    /// Whether the browser can still be spoken to.
    pub fn is_connected(&self) -> bool {
        !self.inner().connection.is_closed()
    }

    /// Waits until all that the browser has told of by now is known here, as after something that was done over another
    /// connection.
    ///
    /// # Errors
    /// [`BrowserError::ConnectionClosed`].
    pub async fn catch_up(&self) -> Result<(), BrowserError> {
        let inner = self.inner();
        // Whatever came before the answer has been received with it.
        inner.root().send(&GetVersion {}).await?;
        inner.catch_up().await;
        Ok(())
    }

    /// Waits until the browser can no longer be spoken to. The future does not keep the browser alive.
    pub fn closed(&self) -> impl Future<Output = CloseReason> + Send + 'static {
        self.inner().connection.closed()
    }

    /// Decides about dialogs from now on; `None` goes back to the policy, which accepts `alert` and
    /// `beforeunload` and dismisses the others.
    pub fn set_dialog_listener(&self, listener: Option<DialogListener>) {
        *self
            .inner()
            .dialog_listener
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = listener;
    }

    /// Ends the browser: with a profile that stays it is asked to, so that it saves what it has; then all of its
    /// processes go, then a temporary profile. One that was attached to, or is to be kept alive, is only let
    /// go of.
    ///
    /// A second call waits for the first; the work goes on when the future is dropped. After it, calls on
    /// anything made from this browser fail with [`BrowserError::ConnectionClosed`].
    pub async fn close(&self) {
        let inner = self.inner();
        let begins = inner.closing.send_if_modified(|phase| {
            let begins = *phase == Closing::No;
            if begins {
                *phase = Closing::Begun;
            }
            begins
        });
        if begins {
            tokio::spawn(Arc::clone(inner).close());
        }
        // The sender lives in `inner`, so the wait cannot fail.
        let _ = inner
            .closing
            .subscribe()
            .wait_for(|phase| *phase == Closing::Done)
            .await;
    }

    /// As [`close`](Self::close), but without waiting for anything that can hang; also cuts short a `close`
    /// that is under way.
    pub async fn close_now(&self) {
        self.inner().cut.send_replace(true);
        self.close().await;
    }

    pub(crate) fn inner(&self) -> &Arc<Inner> {
        &self.handle.inner
    }
}

/// What the handles and the router share.
pub(crate) struct Inner {
    connection: Connection,
    root: Session,
    settings: PageSettings,
    pages: Mutex<PageTable>,
    page_changes: watch::Sender<u64>,
    downloads: Mutex<Downloads>,
    dialogs: Mutex<VecDeque<AnsweredDialog>>,
    wishes: Mutex<Wishes>,
    interception: Arc<Interception>,
    pop_ups: Mutex<PopUps>,
    dialog_listener: Mutex<Option<DialogListener>>,
    dialogs_elsewhere: Option<DialogsElsewhere>,
    news: broadcast::Sender<PageNews>,
    /// The number of the event that was handled last.
    handled_event: watch::Sender<u64>,
    proxy_login: Option<Arc<ProxyLogin>>,
    process: Mutex<Option<BrowserProcess>>,
    stderr: Option<Arc<Stderr>>,
    endpoint: Option<String>,
    is_remote: bool,
    keep_alive: bool,
    notices: Vec<String>,
    closing: watch::Sender<Closing>,
    cut: watch::Sender<bool>,
}

/// When pages last opened others: the announcement comes before the page.
#[derive(Debug, Default)]
struct PopUps {
    announced: Option<Instant>,
    arrived: Option<Instant>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Closing {
    No,
    Begun,
    Done,
}

/// What every page is made to look like.
#[derive(Debug, Clone)]
pub(crate) struct PageSettings {
    pub(crate) viewport: Option<Viewport>,
    pub(crate) device_scale_factor: Option<f64>,
    pub(crate) has_touch: bool,
    pub(crate) locale: Option<String>,
}

impl PageSettings {
    /// The command that gives a page its viewport.
    pub(crate) fn metrics(&self) -> Option<SetDeviceMetricsOverride> {
        if self.viewport.is_none() && self.device_scale_factor.is_none() {
            return None;
        }
        // Zero means the real value.
        let (width, height) = self
            .viewport
            .map_or((0, 0), |viewport| (viewport.width, viewport.height));
        Some(SetDeviceMetricsOverride {
            width: i64::from(width),
            height: i64::from(height),
            device_scale_factor: self.device_scale_factor.unwrap_or(0.0),
            mobile: false,
            ..SetDeviceMetricsOverride::default()
        })
    }
}

impl Inner {
    fn new(
        connection: Connection,
        process: Option<BrowserProcess>,
        endpoint: Option<String>,
        notices: Vec<String>,
        options: &LaunchOptions,
    ) -> Self {
        let own_viewport = process.is_some().then(Viewport::default);
        let proxy = options.proxy.as_ref().filter(|_| process.is_some());
        let login = proxy.and_then(|proxy| {
            let username = proxy.username.as_deref()?;
            let password = proxy.password.as_deref().unwrap_or_default();
            Some(Arc::new(ProxyLogin::new(&proxy.server, username, password)))
        });
        let downloads = Downloads::new(DownloadPolicy::new(
            options,
            process.as_ref().and_then(BrowserProcess::profile_path),
            endpoint.as_deref(),
        ));
        Self {
            root: connection.root(),
            connection,
            settings: PageSettings {
                viewport: options.viewport.or(own_viewport),
                device_scale_factor: options.device_scale_factor,
                has_touch: options.has_touch,
                locale: options.locale.clone(),
            },
            pages: Mutex::default(),
            page_changes: watch::Sender::new(0),
            downloads: Mutex::new(downloads),
            dialogs: Mutex::default(),
            wishes: Mutex::default(),
            interception: Arc::default(),
            pop_ups: Mutex::default(),
            dialog_listener: Mutex::default(),
            dialogs_elsewhere: options.dialogs_elsewhere.clone(),
            news: broadcast::Sender::new(KEPT_NEWS),
            handled_event: watch::Sender::new(0),
            proxy_login: login,
            stderr: process.as_ref().map(|process| Arc::clone(process.stderr())),
            process: Mutex::new(process),
            endpoint,
            is_remote: options.is_remote,
            keep_alive: options.keep_alive,
            notices,
            closing: watch::Sender::new(Closing::No),
            cut: watch::Sender::new(false),
        }
    }

    pub(crate) fn note_handled(&self, event: u64) {
        self.handled_event.send_replace(event);
    }

    /// Waits until what the browser has told so far is in the tables.
    pub(crate) async fn catch_up(&self) {
        let received = self.connection.received_events();
        let mut handled = self.handled_event.subscribe();
        // The sender lives in `self`.
        let _ = handled.wait_for(|event| *event >= received).await;
    }

    /// Starts the router and attaches to the pages that are there. All commands go out together.
    async fn begin(self: &Arc<Self>, options: &LaunchOptions) -> Result<(), BrowserError> {
        let events = self.connection.subscribe(Filter::all());
        self.note_handled(self.connection.received_events());
        tokio::spawn(route(events, Arc::clone(self)));
        if self.proxy_login.is_some() {
            self.interception.listen_for_login(&self.root, true);
        }
        if options.ignore_https_errors {
            drop(self.root.send(&SetIgnoreCertificateErrors { ignore: true }));
        }
        if let Some(behavior) = self.downloads().behavior(options) {
            drop(self.root.send(&behavior));
        }
        drop(self.root.send(&SetDiscoverTargets {
            discover: true,
            filter: None,
        }));
        let attaching = self.root.send(&auto_attach(&["page"]));
        let targets = self.root.send(&GetTargets::default());
        attaching.await?;
        let targets = targets.await?.target_infos;
        let expected = targets.iter().filter(|info| info.r#type == "page").count();
        let settled = self.wait_for_pages(|pages| {
            let attached = |page: &Arc<PageShared>| page.state().attaching == Attaching::Done;
            (pages.len() >= expected && pages.iter().all(attached)).then_some(())
        });
        if tokio::time::timeout(ATTACH_LIMIT, settled).await.is_err() {
            tracing::info!("not every page that was open has answered; going on without");
        }
        let pages = self.pages();
        if pages.len() > 1 {
            let opened = first_entries(&pages).await;
            self.table().order_by_opening(&opened);
            self.pages_changed();
        }
        Ok(())
    }

    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    pub(crate) fn root(&self) -> &Session {
        &self.root
    }

    pub(crate) fn settings(&self) -> &PageSettings {
        &self.settings
    }

    pub(crate) fn proxy_login(&self) -> Option<&Arc<ProxyLogin>> {
        self.proxy_login.as_ref()
    }

    pub(crate) fn dialog_listener(&self) -> Option<DialogListener> {
        self.dialog_listener
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Whether another client answers dialogs.
    pub(crate) fn dialogs_elsewhere(&self) -> Option<&DialogsElsewhere> {
        self.dialogs_elsewhere.as_ref()
    }

    /// Where news of pages go.
    pub(crate) fn news(&self) -> &broadcast::Sender<PageNews> {
        &self.news
    }

    pub(crate) fn interception(&self) -> &Arc<Interception> {
        &self.interception
    }

    pub(crate) async fn set_rules(&self, rules: Option<Rules>) -> Result<(), BrowserError> {
        self.interception.set_rules(&self.root, rules).await?;
        Ok(())
    }

    /// What the user wants of all pages. Locked before the state of a page, never after it.
    pub(crate) fn wishes(&self) -> MutexGuard<'_, Wishes> {
        self.wishes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn dialogs(&self) -> Vec<AnsweredDialog> {
        let dialogs = self.dialogs.lock().unwrap_or_else(PoisonError::into_inner);
        dialogs.iter().cloned().collect()
    }

    pub(crate) fn add_dialog(&self, dialog: AnsweredDialog) {
        let mut dialogs = self.dialogs.lock().unwrap_or_else(PoisonError::into_inner);
        if dialogs.len() >= DIALOGS {
            dialogs.pop_front();
        }
        dialogs.push_back(dialog);
    }

    fn pop_ups(&self) -> MutexGuard<'_, PopUps> {
        self.pop_ups.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn announce_pop_up(&self, opener: &PageShared) {
        PageTable::opens(opener);
        self.pop_ups().announced = Some(Instant::now());
    }

    pub(crate) fn pop_up_announced(&self) -> Option<Instant> {
        self.pop_ups().announced
    }

    pub(crate) fn pop_up_arrived(&self) -> Option<Instant> {
        self.pop_ups().arrived
    }

    pub(crate) fn downloads(&self) -> MutexGuard<'_, Downloads> {
        self.downloads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn process(&self) -> MutexGuard<'_, Option<BrowserProcess>> {
        self.process.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn table(&self) -> MutexGuard<'_, PageTable> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pages_changed(&self) {
        self.page_changes
            .send_modify(|count| *count = count.wrapping_add(1));
    }

    pub(crate) fn pages(&self) -> Vec<Arc<PageShared>> {
        self.table().pages().to_vec()
    }

    pub(crate) fn page_of_session(&self, session: &str) -> Option<Arc<PageShared>> {
        self.table().of_session(session)
    }

    pub(crate) fn page_of_target(&self, target: &str) -> Option<Arc<PageShared>> {
        self.table().of_target(target)
    }

    pub(crate) fn active_page(&self) -> Option<Arc<PageShared>> {
        self.table().active()
    }

    pub(crate) fn activate(&self, target: &str) {
        self.table().activate(target);
        self.pages_changed();
    }

    pub(crate) fn add_page(&self, page: &Arc<PageShared>) {
        if page.opener.is_some() {
            let mut pop_ups = self.pop_ups();
            let now = Instant::now();
            // The browser does not announce every kind.
            if pop_ups.announced <= pop_ups.arrived {
                pop_ups.announced = Some(now);
            }
            pop_ups.arrived = Some(now);
        }
        self.table().add(page);
        self.pages_changed();
    }

    pub(crate) fn add_session(&self, session: &SessionId, page: &Arc<PageShared>) {
        self.table().add_session(session, page);
    }

    pub(crate) fn remove_session(&self, session: &SessionId) -> Option<Arc<PageShared>> {
        self.table().remove_session(session)
    }

    pub(crate) fn remove_page(&self, page: &PageShared) {
        self.table().remove(&page.target_id);
        self.pages_changed();
    }

    /// Tells those who wait for pages that something about one of them has changed.
    pub(crate) fn page_changed(&self) {
        self.pages_changed();
    }

    /// Waits until `look` finds something among the pages; it is asked again after every change of the list,
    /// and when a page has been attached.
    pub(crate) async fn wait_for_pages<T>(&self, mut look: impl FnMut(&[Arc<PageShared>]) -> Option<T>) -> T {
        let mut changes = self.page_changes.subscribe();
        loop {
            changes.mark_unchanged();
            if let Some(found) = look(&self.pages()) {
                return found;
            }
            if changes.changed().await.is_err() {
                // The sender lives in `self`, so this cannot happen; never wake up then.
                std::future::pending::<()>().await;
            }
        }
    }

    /// Without a connection no page can be used any more.
    pub(crate) fn connection_ended(&self) {
        let pages = self.table().clear();
        for page in pages {
            page.update(|state| {
                state.life = crate::page_state::Life::Closed;
                state.listeners.end();
            });
        }
        self.pages_changed();
    }

    async fn close(self: Arc<Self>) {
        let process = self.process().take();
        match process {
            Some(process) if self.keep_alive => {
                process.leave();
                self.connection.close();
            }
            Some(mut process) => {
                let mut cut = self.cut.subscribe();
                tokio::select! {
                    biased;
                    // The sender lives in `self`, so the wait cannot fail.
                    _ = cut.wait_for(|cut| *cut) => {}
                    () = self.say_goodbye(&mut process) => {}
                }
                self.connection.close();
                process.end().await;
            }
            None => self.connection.close(),
        }
        self.closing.send_replace(Closing::Done);
    }

    /// Asks the browser to end, so that it saves its profile. It runs no last scripts of pages then, so with a
    /// temporary profile there is nothing to ask for.
    async fn say_goodbye(&self, process: &mut BrowserProcess) {
        if process.has_temporary_profile() {
            return;
        }
        drop(self.root.send(&Close {}));
        if process.exited(BROWSER_LIMIT).await.is_none() {
            tracing::warn!("the browser did not exit within {BROWSER_LIMIT:?} and is killed");
        }
    }
}
