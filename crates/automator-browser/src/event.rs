//! What happens on a page, told to whoever listens.
//!
//! One idea for all of it: [`Page::events`] gives a subscription to the kinds of events that are named. Only what
//! somebody listens to is asked of the browser, because listening is not free for the page: the console keeps what
//! it is given, and a file chooser that is listened to does not open.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use tokio::sync::{broadcast, mpsc};

use crate::browser::Inner;
use crate::console::{ConsoleMessage, PageError};
use crate::dialog::AnsweredDialog;
use crate::file_chooser::{ChooserOpened, FileChooser};
use crate::open_dialog::OpenDialog;
use crate::page_state::PageShared;
use crate::{Browser, BrowserError, DialogAnswer, Download, Page};

/// How many events a subscription keeps for a listener that is slow.
const KEPT: usize = 10_000;

/// How many news are kept for a reader that is slow; older ones are left out.
pub(crate) const KEPT_NEWS: usize = 1_000;

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

/// The kinds of [`PageEvent`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EventKind {
    /// [`PageEvent::Console`].
    Console,
    /// [`PageEvent::Error`].
    Error,
    /// [`PageEvent::Dialog`].
    Dialog,
    /// [`PageEvent::DialogOpened`]. While somebody listens to it, dialogs that the listener for all pages leaves
    /// open are not answered at once.
    DialogOpened,
    /// [`PageEvent::Download`].
    Download,
    /// [`PageEvent::FileChooser`]. While somebody listens to it, no chooser of the browser opens.
    FileChooser,
    /// [`PageEvent::PopUp`].
    PopUp,
    /// [`PageEvent::Closed`].
    Closed,
}

impl EventKind {
    /// Its name: `console`, `error`, `dialog`, `dialogOpened`, `download`, `fileChooser`, `popUp`, `closed`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Console => "console",
            Self::Error => "error",
            Self::Dialog => "dialog",
            Self::DialogOpened => "dialogOpened",
            Self::Download => "download",
            Self::FileChooser => "fileChooser",
            Self::PopUp => "popUp",
            Self::Closed => "closed",
        }
    }

    /// The kind with this [name](Self::name).
    pub fn from_name(name: &str) -> Option<Self> {
        let all = [
            Self::Console,
            Self::Error,
            Self::Dialog,
            Self::DialogOpened,
            Self::Download,
            Self::FileChooser,
            Self::PopUp,
            Self::Closed,
        ];
        all.into_iter().find(|kind| kind.name() == name)
    }
}

impl Page {
    /// Listens to these kinds of events from now on, in all frames and workers of the page.
    ///
    /// The subscription has a queue of its own for 10,000 events. When its reader is so slow that the queue is full,
    /// further events are left out and [counted](PageEvents::missed); no other listener suffers. Dropping it ends
    /// the listening.
    ///
    /// # Errors
    /// [`BrowserError::PageClosed`] when the page is closed already.
    pub async fn events(&self, kinds: &[EventKind]) -> Result<PageEvents, BrowserError> {
        let (sender, receiver) = mpsc::channel(KEPT);
        let missed = Arc::new(AtomicU64::new(0));
        let listener = Listener {
            kinds: kinds.iter().copied().collect(),
            sender,
            missed: Arc::clone(&missed),
        };
        let number = {
            let mut state = self.shared().state();
            if state.life == crate::page_state::Life::Closed {
                return Err(BrowserError::PageClosed);
            }
            state.listeners.add(listener)
        };
        let events = PageEvents {
            page: self.clone(),
            receiver,
            missed,
            _registration: Registration {
                page: Arc::downgrade(self.shared()),
                inner: Arc::downgrade(self.browser().inner()),
                number,
            },
        };
        self.browser()
            .inner()
            .bring_up_to_date(&[Arc::clone(self.shared())])
            .await;
        Ok(events)
    }
}

/// A subscription to events of a page; see [`Page::events`].
#[derive(Debug)]
pub struct PageEvents {
    page: Page,
    receiver: mpsc::Receiver<Happening>,
    missed: Arc<AtomicU64>,
    /// Ends the listening when it goes.
    _registration: Registration,
}

impl PageEvents {
    /// The next event; `None` once the page is closed and all that came before has been taken. Safe to cancel.
    pub async fn next(&mut self) -> Option<PageEvent> {
        let happening = self.receiver.recv().await?;
        Some(self.told(happening))
    }

    /// The next event if it is already here.
    pub fn try_next(&mut self) -> Option<PageEvent> {
        let happening = self.receiver.try_recv().ok()?;
        Some(self.told(happening))
    }

    /// How many events were left out because the queue was full.
    pub fn missed(&self) -> u64 {
        self.missed.load(Ordering::Relaxed)
    }

    /// The page that is listened to.
    pub fn page(&self) -> &Page {
        &self.page
    }

    fn told(&self, happening: Happening) -> PageEvent {
        match happening {
            Happening::Console(message) => PageEvent::Console(message),
            Happening::Error(error) => PageEvent::Error(error),
            Happening::Dialog(dialog) => PageEvent::Dialog(dialog),
            Happening::DialogOpened(opened) => PageEvent::DialogOpened(opened),
            Happening::Download(download) => PageEvent::Download(download),
            Happening::FileChooser(opened) => {
                PageEvent::FileChooser(FileChooser::new(self.page.clone(), opened))
            }
            Happening::PopUp(opened) => PageEvent::PopUp(Page::new(self.page.browser().clone(), opened)),
            Happening::Closed => PageEvent::Closed,
        }
    }
}

/// An event of any page in few words, for those who keep a log.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PageNews {
    /// The id of the page.
    pub page_id: String,
    /// What kind of event it was.
    pub kind: EventKind,
    /// The address, message or text that tells it from others of its kind; may be empty.
    pub text: String,
}

/// A reader of [`PageNews`]; see [`Browser::news`].
#[derive(Debug)]
pub struct BrowserNews(broadcast::Receiver<PageNews>);

impl Browser {
    /// What happens on all pages from now on. Unlike [`Page::events`] it asks nothing of the browser: console,
    /// errors and file choosers are told only while somebody listens to them. A reader that is slow misses the
    /// oldest ones beyond 1,000. The reader does not keep the browser alive.
    pub fn news(&self) -> BrowserNews {
        BrowserNews(self.inner().news().subscribe())
    }
}

impl BrowserNews {
    /// The next one; `None` once the browser is gone. Safe to cancel.
    pub async fn next(&mut self) -> Option<PageNews> {
        loop {
            match self.0.recv().await {
                Ok(news) => return Some(news),
                Err(broadcast::error::RecvError::Lagged(_)) => {}
                Err(broadcast::error::RecvError::Closed) => return None,
            }
        }
    }
}

impl Inner {
    /// Tells those who listen to the page, and those who read news.
    pub(crate) fn tell(&self, page: &PageShared, happening: &Happening) {
        page.state().listeners.tell(happening);
        self.tell_news(page, happening);
    }

    /// Tells those who read news.
    pub(crate) fn tell_news(&self, page: &PageShared, happening: &Happening) {
        if self.news().receiver_count() == 0 {
            return;
        }
        // That nobody reads any more is no failure.
        let _ = self.news().send(PageNews {
            page_id: page.target_id.clone(),
            kind: happening.kind(),
            text: happening.in_words(),
        });
    }
}

/// Takes a listener off the list when it goes.
#[derive(Debug)]
struct Registration {
    page: Weak<PageShared>,
    inner: Weak<Inner>,
    number: u64,
}

impl Drop for Registration {
    fn drop(&mut self) {
        let Some(page) = self.page.upgrade() else { return };
        page.state().listeners.remove(self.number);
        if let Some(inner) = self.inner.upgrade() {
            drop(inner.tell_page(&page));
        }
    }
}

/// An event as the router knows it: without the handles that keep a browser alive.
#[derive(Debug, Clone)]
pub(crate) enum Happening {
    Console(ConsoleMessage),
    Error(PageError),
    Dialog(AnsweredDialog),
    DialogOpened(OpenDialog),
    Download(Download),
    FileChooser(ChooserOpened),
    PopUp(Arc<PageShared>),
    Closed,
}

impl Happening {
    fn kind(&self) -> EventKind {
        match self {
            Self::Console(_) => EventKind::Console,
            Self::Error(_) => EventKind::Error,
            Self::Dialog(_) => EventKind::Dialog,
            Self::DialogOpened(_) => EventKind::DialogOpened,
            Self::Download(_) => EventKind::Download,
            Self::FileChooser(_) => EventKind::FileChooser,
            Self::PopUp(_) => EventKind::PopUp,
            Self::Closed => EventKind::Closed,
        }
    }

    fn in_words(&self) -> String {
        match self {
            Self::Console(message) => format!("{}: {}", message.kind, message.text),
            Self::Error(error) => error.message.clone(),
            Self::Dialog(answered) => {
                // Without what is typed into it, which may be a secret.
                let done = match answered.answer {
                    DialogAnswer::Accept(_) => "accepted",
                    DialogAnswer::Dismiss => "dismissed",
                };
                format!("{} {done}: {}", answered.dialog.kind, answered.dialog.message)
            }
            Self::Download(download) => download.url().to_owned(),
            Self::DialogOpened(_) | Self::FileChooser(_) | Self::Closed => String::new(),
            Self::PopUp(page) => page.target_id.clone(),
        }
    }
}

/// Who listens to a page.
#[derive(Debug, Default)]
pub(crate) struct Listeners {
    all: HashMap<u64, Listener>,
    last_number: u64,
}

#[derive(Debug)]
pub(crate) struct Listener {
    kinds: HashSet<EventKind>,
    sender: mpsc::Sender<Happening>,
    missed: Arc<AtomicU64>,
}

impl Listeners {
    fn add(&mut self, listener: Listener) -> u64 {
        self.last_number += 1;
        self.all.insert(self.last_number, listener);
        self.last_number
    }

    fn remove(&mut self, number: u64) {
        self.all.remove(&number);
    }

    /// Whether somebody listens to one of these.
    pub(crate) fn want(&self, kinds: &[EventKind]) -> bool {
        let wants = |listener: &Listener| kinds.iter().any(|kind| listener.kinds.contains(kind));
        self.all.values().any(wants)
    }

    /// Tells everybody who wants to know. Never waits.
    pub(crate) fn tell(&self, happening: &Happening) {
        for listener in self
            .all
            .values()
            .filter(|listener| listener.kinds.contains(&happening.kind()))
        {
            if listener.sender.try_send(happening.clone()).is_err() {
                listener.missed.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// The page is closed: tells so, and ends all subscriptions.
    pub(crate) fn end(&mut self) {
        self.tell(&Happening::Closed);
        self.all.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_listener_misses_what_does_not_fit_and_is_told_how_much() {
        let mut listeners = Listeners::default();
        let (sender, mut receiver) = mpsc::channel(2);
        let missed = Arc::new(AtomicU64::new(0));
        let kinds = HashSet::from([EventKind::Closed]);
        let number = listeners.add(Listener {
            kinds,
            sender,
            missed: Arc::clone(&missed),
        });
        for _ in 0..5 {
            listeners.tell(&Happening::Closed);
        }
        assert_eq!(missed.load(Ordering::Relaxed), 3);
        assert!(receiver.try_recv().is_ok() && receiver.try_recv().is_ok());
        assert!(receiver.try_recv().is_err());
        assert!(
            listeners.want(&[EventKind::Closed, EventKind::Dialog]) && !listeners.want(&[EventKind::Dialog])
        );
        listeners.remove(number);
        assert!(!listeners.want(&[EventKind::Closed]));
    }
}
