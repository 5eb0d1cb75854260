//! The thread that hands things over to Python: results to event loops, lines to loggers, events to listeners.
//!
//! Python's lock may be held for seconds by code that computes. Only this thread waits for it then, and not those that
//! speak with the browser. It also keeps the order: a line of the log comes before the result of the call that wrote it.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use pyo3::prelude::*;

use crate::attach::attached;

/// How many things are handed over before others get Python's lock.
const AT_A_TIME: usize = 64;

/// How long a call that is through waits for its lines of the log.
const FLUSH_LIMIT: Duration = Duration::from_secs(1);

type Message = Box<dyn FnOnce(Python<'_>) + Send>;

static MESSENGER: OnceLock<Sender<Message>> = OnceLock::new();

/// Messages that are not handed over yet.
static WAITING: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static IS_MESSENGER: Cell<bool> = const { Cell::new(false) };
}

/// Hands something over in its turn; nothing when the program ends. It must not wait for anything.
pub(crate) fn deliver(message: impl FnOnce(Python<'_>) + Send + 'static) {
    let messenger = MESSENGER.get_or_init(|| {
        let (sender, receiver) = channel();
        let thread = std::thread::Builder::new().name("automator messenger".to_owned());
        thread
            .spawn(move || run(&receiver))
            .expect("a computer that can start no thread can run nothing of this");
        sender
    });
    WAITING.fetch_add(1, Ordering::AcqRel);
    if messenger.send(Box::new(message)).is_err() {
        WAITING.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Waits until all that has been written so far is handed over, without Python's lock.
pub(crate) fn flush() {
    if WAITING.load(Ordering::Acquire) == 0 {
        return;
    }
    let (done, waiting) = channel();
    deliver(move |_| _ = done.send(()));
    // What takes longer comes later.
    let _ = waiting.recv_timeout(FLUSH_LIMIT);
}

/// Whether this is the thread that hands over: what is called here must not wait for it.
pub(crate) fn is_here() -> bool {
    IS_MESSENGER.get()
}

fn run(messages: &Receiver<Message>) {
    IS_MESSENGER.set(true);
    while let Ok(first) = messages.recv() {
        attached(|py| {
            hand_over(py, first);
            let more = messages.try_iter().take(AT_A_TIME);
            more.for_each(|message| hand_over(py, message));
        });
    }
}

fn hand_over(py: Python<'_>, message: Message) {
    // The thread must live on, whatever one of them does.
    let _ = catch_unwind(AssertUnwindSafe(|| message(py)));
    WAITING.fetch_sub(1, Ordering::AcqRel);
}
