//! Evaluating what users write, where the page's own scripts run.

use automator_cdp::CdpError;
use automator_cdp::protocol::runtime::{CallArgument, CallFunctionOn, Evaluate};
use serde_json::Value;

use super::{Attempts, Frame, not_twice, unless_thrown};
use crate::script::value;
use crate::{BrowserError, Page};

mod source;

/// The browser's words for a source that is an expression; it has one code for all failures of scripts.
const NO_FUNCTION: &str = "does not evaluate to a function";

impl Page {
    /// Evaluates in the main frame; see [`Frame::evaluate`].
    ///
    /// # Errors
    /// As [`Frame::evaluate`].
    pub async fn evaluate(&self, source: &str, argument: Option<&Value>) -> Result<Value, BrowserError> {
        self.main_frame().evaluate(source, argument).await
    }
}

impl Frame {
    /// Evaluates where the page's own scripts run: the source of a function (`(x) => x + 1`, `function f() {}`,
    /// `async () => …`) is called with the argument, or with none; anything else is an expression or a list of
    /// statements, whose value is that of the last one. Promises are waited for. Values go in and come out as
    /// JSON; `undefined` and what JSON lacks is null.
    ///
    /// There is no limit of time. A call that meets a document just as it goes away is made again in the next
    /// one, if it has not begun.
    ///
    /// ```no_run
    /// # async fn example(page: automator_browser::Page) -> Result<(), automator_browser::BrowserError> {
    /// let title = page.evaluate("document.title", None).await?;
    /// let sum = page.evaluate("([a, b]) => a + b", Some(&serde_json::json!([1, 2]))).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`BrowserError::Evaluation`] with the name, message, stack and place of what the page threw, or when the
    /// value cannot be JSON; [`BrowserError::FrameGone`], [`BrowserError::PageClosed`],
    /// [`BrowserError::PageCrashed`].
    pub async fn evaluate(&self, source: &str, argument: Option<&Value>) -> Result<Value, BrowserError> {
        if source::is_function(source)
            && let Some(value) = self.call_in_page(source, argument).await?
        {
            return Ok(value);
        }
        self.evaluate_in_page(source).await
    }

    /// Calls a function; none when the source turns out to be something else.
    async fn call_in_page(
        &self,
        source: &str,
        argument: Option<&Value>,
    ) -> Result<Option<Value>, BrowserError> {
        let arguments = argument.map(|argument| CallArgument {
            value: Some(argument.clone()),
            ..CallArgument::default()
        });
        let mut attempts = Attempts::default();
        loop {
            let document = self.document()?;
            let outcome = match self.global(document).await {
                Ok(global) => {
                    let command = CallFunctionOn {
                        function_declaration: source.to_owned(),
                        object_id: Some(global),
                        arguments: Some(arguments.clone().into_iter().collect()),
                        return_by_value: Some(true),
                        await_promise: Some(true),
                        user_gesture: Some(true),
                        ..CallFunctionOn::default()
                    };
                    not_twice(self.call_on(&command).await)
                }
                Err(error) => Err(error),
            };
            if let Err(BrowserError::Protocol(CdpError::Protocol { message, .. })) = &outcome
                && message.contains(NO_FUNCTION)
            {
                return Ok(None);
            }
            let Some(outcome) = self.settle(document, outcome, &mut attempts) else {
                continue;
            };
            return match outcome {
                Ok((result, _)) => Ok(Some(value(result))),
                // Statements that begin like a function cannot be read as one. A function that threw such an
                // error when it was called can.
                Err(BrowserError::Evaluation { name: Some(name), .. })
                    if name == "SyntaxError" && !self.reads_as_expression(source).await? =>
                {
                    Ok(None)
                }
                Err(error) => Err(error),
            };
        }
    }

    /// Whether the source is one expression. Only asked of what looks like a function, which does nothing by being
    /// evaluated.
    async fn reads_as_expression(&self, source: &str) -> Result<bool, BrowserError> {
        match self.evaluate_in_page(&format!("void (\n{source}\n)")).await {
            Ok(_) => Ok(true),
            Err(BrowserError::Evaluation { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The global object of the page's own world.
    async fn global(&self, document: u64) -> Result<String, BrowserError> {
        if let Some(known) = self.read(|record| record.worlds.global.clone()).flatten() {
            return Ok(known);
        }
        let context_id = if self.is_root_of_session() {
            None
        } else {
            Some(self.main_context().await?)
        };
        let command = Evaluate {
            expression: "globalThis".to_owned(),
            context_id,
            ..Evaluate::default()
        };
        let session = self.session()?;
        let asking = async { Ok(session.send(&command).await?) };
        let reply = self.page.or_end(asking).await?;
        let global = unless_thrown(reply.result, reply.exception_details)?;
        let object_id = global.object_id.ok_or(BrowserError::Unreadable {
            what: "the page's global object",
        })?;
        self.page.shared().remember(&self.id, document, |record| {
            record.worlds.global = Some(object_id.clone());
        });
        Ok(object_id)
    }
}
