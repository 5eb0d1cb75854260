//! What happens on a page, told to whoever listens.

use std::path::PathBuf;
use std::sync::{Arc, Weak};

use serde_json::Value;

pub use automator_browser::{
    AnsweredDialog, Dialog, DialogAnswer, DownloadState, EventKind, PageError, ScriptLocation,
};

use super::{Page, limited};
use crate::options::Env;
use crate::remote::{Remote, not_brought};
use crate::session::Session;
use crate::{Result, trace};
use tracing::Instrument as _;

/// Something that has happened on a page.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum PageEvent {
    /// A script has written to the console, or the browser has, about the page.
    Console(ConsoleMessage),
    /// A script has thrown something that nobody caught.
    Error(PageError),
    /// A dialog has opened, and been answered.
    Dialog(AnsweredDialog),
    /// A dialog has opened and waits for an answer.
    DialogOpened(OpenDialog),
    /// The page makes the browser save a file.
    Download(Download),
    /// The page wants files from the user.
    FileChooser(FileChooser),
    /// The page has opened another one.
    PopUp(Page),
    /// The page is closed. Nothing comes after it.
    Closed,
}

impl Page {
    /// Listens to these kinds of events from now on, in all frames and workers of the page.
    ///
    /// Only what somebody listens to is asked of the browser. A subscription keeps 10,000 events for a reader that
    /// is slow; dropping it ends the listening.
    ///
    /// ```no_run
    /// # async fn example(page: automator::Page) -> automator::Result<()> {
    /// use automator::{EventKind, PageEvent};
    ///
    /// let mut events = page.events(&[EventKind::Console]).await?;
    /// page.goto("https://example.com").await?;
    /// while let Some(PageEvent::Console(message)) = events.try_next() {
    ///     println!("{}: {}", message.kind(), message.text());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Closed`](crate::ErrorKind::Closed) when the page is closed already.
    pub async fn events(&self, kinds: &[EventKind]) -> Result<PageEvents> {
        let inner = limited(&self.session, "events", self.browser_page.events(kinds)).await?;
        Ok(PageEvents {
            session: Arc::clone(&self.session),
            inner,
        })
    }
}

/// A subscription to events of a page; see [`Page::events`].
#[derive(Debug)]
pub struct PageEvents {
    session: Arc<Session>,
    inner: automator_browser::PageEvents,
}

impl PageEvents {
    /// The next event; `None` once the page is closed and all that came before has been taken. Safe to cancel.
    pub async fn next(&mut self) -> Option<PageEvent> {
        let event = self.inner.next().await?;
        self.told(event)
    }

    /// The next event if it is already here.
    pub fn try_next(&mut self) -> Option<PageEvent> {
        let event = self.inner.try_next()?;
        self.told(event)
    }

    /// How many events were left out because 10,000 were waiting.
    #[must_use]
    pub fn missed(&self) -> u64 {
        self.inner.missed()
    }

    /// The page that is listened to.
    #[must_use]
    pub fn page(&self) -> Page {
        Page::new(Arc::clone(&self.session), self.inner.page().clone())
    }

    fn told(&self, event: automator_browser::PageEvent) -> Option<PageEvent> {
        use automator_browser::PageEvent as B;
        let session = || Arc::clone(&self.session);
        Some(match event {
            B::Console(message) => PageEvent::Console(ConsoleMessage {
                page: self.page(),
                message,
            }),
            B::Error(error) => PageEvent::Error(error),
            B::Dialog(dialog) => PageEvent::Dialog(dialog),
            B::DialogOpened(inner) => PageEvent::DialogOpened(OpenDialog {
                page: self.page(),
                inner,
            }),
            B::Download(download) => PageEvent::Download(Download::new(session(), download)),
            B::FileChooser(inner) => PageEvent::FileChooser(FileChooser {
                session: session(),
                inner,
            }),
            B::PopUp(page) => PageEvent::PopUp(Page::new(session(), page)),
            B::Closed => PageEvent::Closed,
            // A kind that this crate does not know cannot have been asked for.
            _ => return None,
        })
    }
}

/// A line of the console.
#[derive(Debug, Clone)]
pub struct ConsoleMessage {
    page: Page,
    message: automator_browser::ConsoleMessage,
}

impl ConsoleMessage {
    /// The method of `console` that wrote it, with `warning` for `warn`: `log`, `info`, `error`, `debug`, `table`,
    /// … For what the browser says about the page its level: `error`, `warning`, `info` or `verbose`.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.message.kind
    }

    /// The arguments as one text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.message.text
    }

    /// The arguments; none for what the browser says itself.
    #[must_use]
    pub fn args(&self) -> Vec<ConsoleArgument> {
        let arguments = self.message.args.iter().cloned();
        arguments.map(|inner| ConsoleArgument { inner }).collect()
    }

    /// Where it was written.
    #[must_use]
    pub fn location(&self) -> &ScriptLocation {
        &self.message.location
    }

    /// When, in milliseconds since 1970, by the browser's clock.
    #[must_use]
    pub fn timestamp(&self) -> f64 {
        self.message.timestamp
    }

    /// The page that it was written on.
    #[must_use]
    pub fn page(&self) -> &Page {
        &self.page
    }
}

/// One argument of a [`ConsoleMessage`].
#[derive(Debug, Clone)]
pub struct ConsoleArgument {
    inner: automator_browser::ConsoleArgument,
}

impl ConsoleArgument {
    /// The value as JSON. Of an object only what a glance shows: its first members, deeper ones as text.
    #[must_use]
    pub fn preview(&self) -> &Value {
        &self.inner.preview
    }

    /// The id for DevTools commands that take an `objectId`; none for plain values. The page keeps the object for
    /// as long as this argument is kept.
    #[must_use]
    pub fn object_id(&self) -> Option<&str> {
        self.inner
            .handle
            .as_deref()
            .map(automator_browser::Handle::object_id)
    }
}

/// A file that was, or is being, saved; a cheap clone that goes on telling how far it has come.
#[derive(Debug, Clone)]
pub struct Download {
    session: Arc<Session>,
    inner: automator_browser::Download,
    /// Who hands it over; none for a browser of this machine.
    remote: Option<Weak<Remote>>,
}

impl Download {
    pub(crate) fn new(session: Arc<Session>, inner: automator_browser::Download) -> Self {
        let remote = (session.options.env == Env::Remote).then(|| match session.remote() {
            Some(remote) => Arc::downgrade(&remote),
            None => Weak::new(),
        });
        Self {
            session,
            inner,
            remote,
        }
    }

    /// Where it comes from.
    #[must_use]
    pub fn url(&self) -> &str {
        self.inner.url()
    }

    /// The name that the server or the page gives it, as it was given: it may hold anything.
    #[must_use]
    pub fn suggested_filename(&self) -> &str {
        self.inner.suggested_filename()
    }

    /// The id of the page that it began in; none when that is not known.
    #[must_use]
    pub fn page_id(&self) -> Option<&str> {
        self.inner.page_id()
    }

    /// How far it has come.
    #[must_use]
    pub fn state(&self) -> DownloadState {
        self.inner.state()
    }

    /// Where it is, once it is complete; in a session of a platform, once [`finished`](Self::finished) has brought it
    /// here. On a browser that otherwise runs on another machine this is a path over there.
    #[must_use]
    pub fn path(&self) -> Option<PathBuf> {
        match &self.remote {
            None => self.inner.path(),
            Some(remote) => remote.upgrade()?.place_of(self.inner.id(), self.inner.path()),
        }
    }

    /// How many bytes have come.
    #[must_use]
    pub fn received_bytes(&self) -> u64 {
        self.inner.received_bytes()
    }

    /// How many bytes it has; none while that is not known.
    #[must_use]
    pub fn total_bytes(&self) -> Option<u64> {
        self.inner.total_bytes()
    }

    /// Waits until it is complete, and gives its path. Without a limit of its own: it takes as long as it takes.
    ///
    /// From a session of a platform it is brought to this machine: to
    /// [`downloads_path`](crate::LocalBrowserLaunchOptions::downloads_path), or else to a temporary folder that goes
    /// with the session when that is closed.
    ///
    /// # Errors
    /// [`ErrorKind::Download`](crate::ErrorKind::Download) when it fails, is canceled or refused, or the platform does
    /// not hand it over; [`ErrorKind::CdpConnectionClosed`](crate::ErrorKind::CdpConnectionClosed).
    pub async fn finished(&self) -> Result<PathBuf> {
        let finishing = self.brought().instrument(trace::span(&self.session, "download"));
        finishing.await.map_err(|error| error.during("download"))
    }

    async fn brought(&self) -> Result<PathBuf> {
        let path = self.inner.finished().await?;
        let Some(remote) = &self.remote else {
            return Ok(path);
        };
        let remote = remote.upgrade().ok_or_else(not_brought)?;
        remote.bring(self.inner.id(), path).await
    }

    /// Stops it. One that has ended stays as it is.
    ///
    /// # Errors
    /// [`ErrorKind::CdpConnectionClosed`](crate::ErrorKind::CdpConnectionClosed).
    pub async fn cancel(&self) -> Result<()> {
        limited(&self.session, "cancel", self.inner.cancel()).await
    }

    pub(crate) fn id(&self) -> &str {
        self.inner.id()
    }

    /// Stops it, and leaves nothing of it on this machine.
    pub(crate) async fn discard(&self) -> Result<()> {
        limited(&self.session, "cancel", self.inner.discard()).await
    }
}

/// A dialog that a page has opened and that nobody has answered yet; a cheap clone. The page stands still meanwhile.
///
/// It comes to those who listen to [`EventKind::DialogOpened`], when the
/// [listener for all pages](crate::Context::set_dialog_listener) leaves it open. The first answer counts. The policy
/// answers, accepting `alert` and `beforeunload` and dismissing the others, when the dialog is left to it, when every
/// clone is dropped, and after 10 s.
///
/// ```no_run
/// # async fn example(page: automator::Page) -> automator::Result<()> {
/// use automator::{EventKind, PageEvent};
///
/// let mut events = page.events(&[EventKind::DialogOpened]).await?;
/// let button = page.locator("#rename");
/// let answering = async {
///     if let Some(PageEvent::DialogOpened(dialog)) = events.next().await {
///         dialog.accept_with("a new name").await?;
///     }
///     Ok(())
/// };
/// let (clicked, answered) = tokio::join!(button.click(), answering);
/// clicked.and(answered)
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct OpenDialog {
    page: Page,
    inner: automator_browser::OpenDialog,
}

impl OpenDialog {
    /// What it says.
    #[must_use]
    pub fn dialog(&self) -> &Dialog {
        self.inner.dialog()
    }

    /// The page that opened it.
    #[must_use]
    pub fn page(&self) -> &Page {
        &self.page
    }

    /// Accepts it, a prompt with what it offers, and waits until it has gone.
    ///
    /// # Errors
    /// [`ErrorKind::Closed`](crate::ErrorKind::Closed) when it has been answered, or has gone with its page;
    /// [`ErrorKind::CdpConnectionClosed`](crate::ErrorKind::CdpConnectionClosed).
    pub async fn accept(&self) -> Result<()> {
        let dialog = self.dialog();
        let offered = dialog.default_prompt.clone().filter(|_| dialog.kind == "prompt");
        self.answer(DialogAnswer::Accept(offered)).await
    }

    /// Accepts a prompt with this text; another dialog as [`accept`](Self::accept) does.
    ///
    /// # Errors
    /// As [`accept`](Self::accept).
    pub async fn accept_with(&self, text: &str) -> Result<()> {
        self.answer(DialogAnswer::Accept(Some(text.to_owned()))).await
    }

    /// Dismisses it, and waits until it has gone.
    ///
    /// # Errors
    /// As [`accept`](Self::accept).
    pub async fn dismiss(&self) -> Result<()> {
        self.answer(DialogAnswer::Dismiss).await
    }

    /// Leaves it to the policy, now. Does nothing when it has been answered already.
    pub fn leave(&self) {
        self.inner.leave();
    }

    async fn answer(&self, answer: DialogAnswer) -> Result<()> {
        limited(&self.page.session, "dialog", self.inner.answer(answer)).await
    }
}

/// A file chooser that a page has opened. No window is shown: the page waits for files, and does so without harm
/// when none are given.
#[derive(Debug, Clone)]
pub struct FileChooser {
    session: Arc<Session>,
    inner: automator_browser::FileChooser,
}

impl FileChooser {
    /// The page that wants the files.
    #[must_use]
    pub fn page(&self) -> Page {
        Page::new(Arc::clone(&self.session), self.inner.page().clone())
    }

    /// Whether several files may be given.
    #[must_use]
    pub fn is_multiple(&self) -> bool {
        self.inner.is_multiple()
    }

    /// Gives it these files; none empties the input.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) when one of them is not there, or several
    /// are given where one is wanted; [`ErrorKind::DomProcess`](crate::ErrorKind::DomProcess) when the input has
    /// gone.
    pub async fn set_files(&self, paths: impl IntoIterator<Item = impl Into<PathBuf>>) -> Result<()> {
        let paths: Vec<PathBuf> = paths.into_iter().map(Into::into).collect();
        limited(&self.session, "set_files", self.inner.set_files(&paths)).await
    }
}
