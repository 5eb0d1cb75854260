//! A frame: an address, a session, and two worlds to run JavaScript in.

use std::sync::Arc;
use std::time::Duration;

use automator_cdp::protocol::runtime::{
    CallFunctionOn, CallFunctionOnReply, Disable, Enable, Evaluate, ExceptionDetails,
    ExecutionContextCreatedEvent, RemoteObject, SerializationOptions,
};
use automator_cdp::{CdpError, Command as _, EventType as _, RawReply, Session};
use serde_json::Value;

use crate::event::EventKind;
use crate::frame_table::{FrameRecord, Worlds};
use crate::library;
use crate::script::{refused, thrown, value};
use crate::world::DocumentAt;
use crate::{Argument, BrowserError, Handle, Page};

mod evaluate;

/// How often a call is made anew because the frame got a new document right then. Each attempt waits for the
/// browser, so many of them only mean that the frame gets many documents.
const ATTEMPTS: usize = 20;

/// How long the browser may take to tell of a place where scripts run, when it does so by itself.
const CONTEXT_LIMIT: Duration = Duration::from_secs(1);

/// A frame of a page, the main frame included; a cheap clone. It stands for the frame element: when the frame
/// gets a new document, or moves to another process, it is still the same frame.
#[derive(Clone)]
pub struct Frame {
    page: Page,
    id: String,
}

impl std::fmt::Debug for Frame {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Frame({} of {:?})", self.id, self.page)
    }
}

impl PartialEq for Frame {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id && self.page == other.page
    }
}

impl Eq for Frame {}

impl Frame {
    pub(crate) fn new(page: Page, id: String) -> Self {
        Self { page, id }
    }

    /// The frame id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The page.
    pub fn page(&self) -> &Page {
        &self.page
    }

    /// The frame that holds this one; none for the main frame.
    pub fn parent(&self) -> Option<Frame> {
        self.read(|record| record.parent.clone())
            .flatten()
            .map(|id| Frame::new(self.page.clone(), id))
    }

    /// The address of its document; empty when it is gone.
    pub fn url(&self) -> String {
        self.read(|record| record.url.clone()).unwrap_or_default()
    }

    /// Its name attribute.
    pub fn name(&self) -> String {
        self.read(|record| record.name.clone()).unwrap_or_default()
    }

    /// The loader of its document: another document has another one. Empty when it is gone, or still without.
    pub fn loader_id(&self) -> String {
        self.read(|record| record.loader_id.clone()).unwrap_or_default()
    }

    /// The session that its process is reached through.
    ///
    /// # Errors
    /// [`BrowserError::FrameGone`].
    pub fn session(&self) -> Result<Session, BrowserError> {
        let state = self.page.shared().state();
        let record = state.frames.get(&self.id).ok_or(BrowserError::FrameGone)?;
        state
            .sessions
            .get(&record.session)
            .cloned()
            .ok_or(BrowserError::FrameGone)
    }

    /// Evaluates an expression where the page's own scripts run, waits for it if it is a promise, and gives
    /// its value as JSON. `undefined` and what JSON lacks is null.
    ///
    /// # Errors
    /// [`BrowserError::Evaluation`] with the message and stack of what the page threw, or when the value
    /// cannot be JSON; [`BrowserError::FrameGone`], [`BrowserError::PageClosed`], [`BrowserError::PageCrashed`].
    pub async fn evaluate_in_page(&self, expression: &str) -> Result<Value, BrowserError> {
        let mut attempts = Attempts::default();
        loop {
            let document = self.document()?;
            let outcome = not_twice(self.evaluate_once(expression).await);
            if let Some(outcome) = self.settle(document, outcome, &mut attempts) {
                return outcome.map(value);
            }
        }
    }

    /// Calls a function, given as its source, in our own world, where it sees the page's documents but not its
    /// scripts. It may return a promise; the result is as with [`evaluate_in_page`](Self::evaluate_in_page).
    ///
    /// A call that meets a document just as it goes away is made again in the next one, if it has not begun.
    ///
    /// # Errors
    /// As [`evaluate_in_page`](Self::evaluate_in_page).
    pub async fn call_function(
        &self,
        function: &str,
        arguments: &[Argument<'_>],
    ) -> Result<Value, BrowserError> {
        Ok(value(self.call(function, arguments, true).await?.0))
    }

    /// As [`call_function`](Self::call_function), but keeps the result in the page; none when it is no object.
    ///
    /// # Errors
    /// As [`evaluate_in_page`](Self::evaluate_in_page).
    pub async fn call_function_for_handle(
        &self,
        function: &str,
        arguments: &[Argument<'_>],
    ) -> Result<Option<Handle>, BrowserError> {
        let (result, session) = self.call(function, arguments, false).await?;
        Ok(result.object_id.map(|object_id| Handle::new(session, object_id)))
    }

    /// The execution context of our own world in the frame's present document, made when there is none yet.
    /// It ends with the document.
    ///
    /// # Errors
    /// As [`evaluate_in_page`](Self::evaluate_in_page).
    pub async fn isolated_context(&self) -> Result<i64, BrowserError> {
        if let Some(known) = self.read(|record| record.worlds.isolated).flatten() {
            return Ok(known);
        }
        let making = self.document_at()?.make_context();
        self.page.or_end(making).await
    }

    /// Calls a function of the page library by its name. As such a function only looks, one whose document went away
    /// before the answer is called again in the next one.
    pub(crate) async fn call_library(
        &self,
        name: &str,
        arguments: &[Argument<'_>],
    ) -> Result<Value, BrowserError> {
        let mut attempts = Attempts::default();
        loop {
            let document = self.document()?;
            let outcome = match self.library_call(name, arguments).await {
                Ok(command) => self.call_on(&command).await,
                Err(error) => Err(error),
            };
            if is_lost(&outcome) && attempts.another() {
                continue;
            }
            if let Some(outcome) = self.settle(document, outcome, &mut attempts) {
                return outcome.map(|(result, _)| value(result));
            }
        }
    }

    /// Calls a function of the page library and keeps its result in the page; none when it is no object.
    pub(crate) async fn call_library_for_handle(
        &self,
        name: &str,
        arguments: &[Argument<'_>],
    ) -> Result<Option<Handle>, BrowserError> {
        let command = CallFunctionOn {
            return_by_value: None,
            ..self.library_call(name, arguments).await?
        };
        let (result, session) = self.call_on(&command).await?;
        Ok(result.object_id.map(|object_id| Handle::new(session, object_id)))
    }

    /// Calls a function of the page library once. None when the document went away before the answer, and with it
    /// whatever the function was doing.
    pub(crate) async fn call_library_once(
        &self,
        name: &str,
        arguments: &[Argument<'_>],
    ) -> Result<Option<Value>, BrowserError> {
        let document = self.document()?;
        let outcome = match self.library_call(name, arguments).await {
            Ok(command) => self.call_on(&command).await,
            Err(error) => Err(error),
        };
        match outcome {
            Ok((result, _)) => Ok(Some(value(result))),
            Err(BrowserError::Protocol(error)) if is_stale_context(&error) => {
                self.page
                    .shared()
                    .remember(&self.id, document, |record| record.worlds = Worlds::default());
                Ok(None)
            }
            Err(BrowserError::Protocol(error)) if is_lost_answer(&error) => Ok(None),
            Err(BrowserError::Protocol(CdpError::SessionDetached { .. })) => {
                self.read(|_| ()).map(|()| None).ok_or(BrowserError::FrameGone)
            }
            Err(BrowserError::Protocol(CdpError::Protocol { message, .. })) => Err(refused(message)),
            Err(error) => Err(error),
        }
    }

    /// Calls a function of the page library and has its result written out in the way that `options` say.
    /// The reply comes unread, with the session that it came on.
    pub(crate) async fn call_library_raw(
        &self,
        name: &str,
        arguments: &[Argument<'_>],
        options: &SerializationOptions,
    ) -> Result<(RawReply, Session), BrowserError> {
        let mut attempts = Attempts::default();
        loop {
            let document = self.document()?;
            let outcome = self.call_library_raw_once(name, arguments, options).await;
            if is_lost(&outcome) && attempts.another() {
                continue;
            }
            if let Some(outcome) = self.settle(document, outcome, &mut attempts) {
                return outcome;
            }
        }
    }

    async fn call_library_raw_once(
        &self,
        name: &str,
        arguments: &[Argument<'_>],
        options: &SerializationOptions,
    ) -> Result<(RawReply, Session), BrowserError> {
        let command = CallFunctionOn {
            serialization_options: Some(options.clone()),
            return_by_value: None,
            ..self.library_call(name, arguments).await?
        };
        let session = self.session()?;
        let calling = async { Ok(session.send_raw(CallFunctionOn::METHOD, &command).await?) };
        let reply = self.page.or_end(calling).await?;
        let outcome: CallFunctionOnReply = reply.parse().map_err(|_| BrowserError::Unreadable {
            what: "the result of a call",
        })?;
        unless_thrown(outcome.result, outcome.exception_details)?;
        Ok((reply, session))
    }

    async fn library_call(
        &self,
        name: &str,
        arguments: &[Argument<'_>],
    ) -> Result<CallFunctionOn, BrowserError> {
        let name = Argument::from(name);
        let all = std::iter::once(&name)
            .chain(arguments)
            .map(Argument::to_protocol)
            .collect();
        Ok(CallFunctionOn {
            function_declaration: library::CALL.to_owned(),
            object_id: Some(self.library().await?),
            arguments: Some(all),
            return_by_value: Some(true),
            await_promise: Some(true),
            ..CallFunctionOn::default()
        })
    }

    /// The object in our world that holds the page library, installed when it is not there yet.
    async fn library(&self) -> Result<String, BrowserError> {
        if let Some(known) = self.read(|record| record.worlds.library.clone()).flatten() {
            return Ok(known);
        }
        let at = self.document_at()?;
        let context_id = self.isolated_context().await?;
        self.page.or_end(at.install_library(context_id)).await
    }

    async fn call(
        &self,
        function: &str,
        arguments: &[Argument<'_>],
        by_value: bool,
    ) -> Result<(RemoteObject, Session), BrowserError> {
        let mut attempts = Attempts::default();
        loop {
            let document = self.document()?;
            let outcome = match self.isolated_context().await {
                Ok(context_id) => {
                    let command = CallFunctionOn {
                        function_declaration: function.to_owned(),
                        execution_context_id: Some(context_id),
                        arguments: Some(arguments.iter().map(Argument::to_protocol).collect()),
                        return_by_value: Some(by_value),
                        await_promise: Some(true),
                        user_gesture: Some(true),
                        ..CallFunctionOn::default()
                    };
                    self.call_on(&command).await
                }
                Err(error) => Err(error),
            };
            if let Some(outcome) = self.settle(document, outcome, &mut attempts) {
                return outcome;
            }
        }
    }

    async fn call_on(&self, command: &CallFunctionOn) -> Result<(RemoteObject, Session), BrowserError> {
        let session = self.session()?;
        let calling = async { Ok(session.send(command).await?) };
        let reply = self.page.or_end(calling).await?;
        unless_thrown(reply.result, reply.exception_details).map(|result| (result, session.clone()))
    }

    /// Evaluates in the page's own world. The main document of a session is where an evaluation without a
    /// context goes; for other frames the context has to be looked up.
    async fn evaluate_once(&self, expression: &str) -> Result<RemoteObject, BrowserError> {
        let context_id = if self.is_root_of_session() {
            None
        } else {
            Some(self.main_context().await?)
        };
        let command = Evaluate {
            expression: expression.to_owned(),
            context_id,
            return_by_value: Some(true),
            await_promise: Some(true),
            user_gesture: Some(true),
            ..Evaluate::default()
        };
        let session = self.session()?;
        let evaluating = async { Ok(session.send(&command).await?) };
        let reply = self.page.or_end(evaluating).await?;
        unless_thrown(reply.result, reply.exception_details)
    }

    fn is_root_of_session(&self) -> bool {
        let state = self.page.shared().state();
        let Some(record) = state.frames.get(&self.id) else {
            return true;
        };
        let parent = record
            .parent
            .as_deref()
            .and_then(|parent| state.frames.get(parent));
        parent.is_none_or(|parent| parent.session != record.session)
    }

    /// The execution context of the page's own world. The browser tells the contexts of a session when they are
    /// being listened to, so that is done for one moment.
    async fn main_context(&self) -> Result<i64, BrowserError> {
        if let Some(known) = self.read(|record| record.worlds.main).flatten() {
            return Ok(known);
        }
        let document = self.document()?;
        let session = self.session()?;
        if let Some(told) = self.told_main_context(&session).await {
            self.page
                .shared()
                .remember(&self.id, document, |record| record.worlds.main = Some(told));
            return Ok(told);
        }
        let mut created = session.subscribe([ExecutionContextCreatedEvent::METHOD]);
        let enabling = async { Ok(session.send(&Enable {}).await?) };
        let enabled = self.page.or_end(enabling).await;
        {
            // Who listens to the console has enabled it too. Locked, so that nobody begins to between the two.
            let state = self.page.shared().state();
            if !state.listeners.want(&[EventKind::Console, EventKind::Error]) {
                drop(session.send(&Disable {}));
            }
        }
        enabled?;
        let mut found = None;
        while let Some(event) = created.try_next() {
            let Ok(event) = event.parse::<ExecutionContextCreatedEvent>() else {
                continue;
            };
            let data = event.context.aux_data.unwrap_or_default();
            let is_main = data.get("isDefault").and_then(Value::as_bool) == Some(true);
            if is_main && data.get("frameId").and_then(Value::as_str) == Some(&self.id) {
                found = Some(event.context.id);
            }
        }
        let context_id = found.ok_or(BrowserError::FrameGone)?;
        self.page
            .shared()
            .remember(&self.id, document, |record| record.worlds.main = Some(context_id));
        Ok(context_id)
    }

    /// The same context while somebody listens to the console: the browser tells it without being asked, and only once.
    async fn told_main_context(&self, session: &Session) -> Option<i64> {
        let key = (session.id()?.into(), self.id.clone());
        let shared = self.page.shared();
        let told = shared.wait_for(|state| {
            if state.listeners.want(&[EventKind::Console, EventKind::Error]) {
                state.main_contexts.get(&key).copied().map(Some)
            } else {
                Some(None)
            }
        });
        tokio::time::timeout(CONTEXT_LIMIT, told).await.ok().flatten()
    }

    /// What becomes of a call; `None` when it is to be made again, because the world that it was meant for had
    /// already gone with its document. (Calls are repeated in loops and not through closures: an `async` closure
    /// would make their futures not `Send`.)
    fn settle<T>(
        &self,
        document: u64,
        outcome: Result<T, BrowserError>,
        attempts: &mut Attempts,
    ) -> Option<Result<T, BrowserError>> {
        match outcome {
            Err(BrowserError::Protocol(error)) if is_stale_context(&error) && attempts.another() => {
                self.page
                    .shared()
                    .remember(&self.id, document, |record| record.worlds = Worlds::default());
                None
            }
            // The frame has moved to another process between looking up its session and using it.
            Err(BrowserError::Protocol(CdpError::SessionDetached { .. })) => {
                let is_here = self.read(|_| ()).is_some();
                if is_here && attempts.another() {
                    None
                } else {
                    Some(Err(BrowserError::FrameGone))
                }
            }
            // The value cannot be written down: it holds itself, or nests too deep.
            Err(BrowserError::Protocol(CdpError::Protocol { message, .. })) => Some(Err(refused(message))),
            outcome => Some(outcome),
        }
    }

    fn document_at(&self) -> Result<DocumentAt, BrowserError> {
        Ok(DocumentAt {
            document: self.document()?,
            session: self.session()?,
            shared: Arc::clone(self.page.shared()),
            frame_id: self.id.clone(),
        })
    }

    /// The number of the frame's present document.
    pub(crate) fn document(&self) -> Result<u64, BrowserError> {
        self.read(|record| record.document).ok_or_else(|| {
            if self.page.is_closed() {
                BrowserError::PageClosed
            } else {
                BrowserError::FrameGone
            }
        })
    }

    fn read<T>(&self, look: impl FnOnce(&FrameRecord) -> T) -> Option<T> {
        self.page.shared().state().frames.get(&self.id).map(look)
    }
}

/// Counts the attempts at one call.
#[derive(Default)]
struct Attempts(usize);

impl Attempts {
    /// Whether there may be another one.
    fn another(&mut self) -> bool {
        self.0 += 1;
        self.0 < ATTEMPTS
    }
}

fn unless_thrown(
    result: RemoteObject,
    details: Option<ExceptionDetails>,
) -> Result<RemoteObject, BrowserError> {
    details.map_or(Ok(result), |details| Err(thrown(details)))
}

/// What somebody else wrote may do things, so it is not run again in the process that its frame has moved to: it may
/// be what made it move.
fn not_twice<T>(outcome: Result<T, BrowserError>) -> Result<T, BrowserError> {
    match outcome {
        Err(BrowserError::Protocol(CdpError::SessionDetached { .. })) => Err(BrowserError::FrameGone),
        outcome => outcome,
    }
}

fn is_lost<T>(outcome: &Result<T, BrowserError>) -> bool {
    matches!(outcome, Err(BrowserError::Protocol(error)) if is_lost_answer(error))
}

/// Whether a call had begun when its document went away. Again, the words are all there is.
fn is_lost_answer(error: &CdpError) -> bool {
    const WORDS: [&str; 4] = [
        "Inspected target navigated or closed",
        "Execution context was destroyed",
        "Promise was collected",
        "Cannot find default execution context",
    ];
    match error {
        CdpError::Protocol { message, .. } => WORDS.iter().any(|words| message.contains(words)),
        _ => false,
    }
}

/// Whether the call was refused before it began, because its context or object was gone. The browser has one
/// code for all failures of scripts, so its words are all there is.
fn is_stale_context(error: &CdpError) -> bool {
    const WORDS: [&str; 3] = [
        "Cannot find context with specified id",
        "Could not find object with given id",
        "uniqueContextId not found",
    ];
    match error {
        CdpError::Protocol { message, .. } => WORDS.iter().any(|words| message.contains(words)),
        _ => false,
    }
}
