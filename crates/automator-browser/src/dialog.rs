//! Dialogs of pages. Unless somebody listens, they are answered at once, because everything else in the page waits
//! for them.

use std::sync::Arc;
use std::time::Duration;

use automator_cdp::protocol::page::{
    HandleJavaScriptDialog, HandleJavaScriptDialogReply, JavascriptDialogOpeningEvent, Navigate, dialog_type,
};
use automator_cdp::protocol::{fetch, network};
use automator_cdp::{Call, EventType as _, Session};

/// An address that is never looked up: the request for it is stopped before it leaves the browser.
const NOWHERE: &str = "http://dialog.invalid/";

/// How long closing an unseen dialog may take.
const CLOSE_LIMIT: Duration = Duration::from_secs(1);

/// A dialog that a page has opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dialog {
    /// `alert`, `confirm`, `prompt` or `beforeunload`.
    pub kind: String,
    /// Its text.
    pub message: String,
    /// What a prompt offers as an answer.
    pub default_prompt: Option<String>,
    /// The address of the frame that opened it.
    pub url: String,
}

/// What to do with a dialog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DialogAnswer {
    /// Accepts it, with this text if it is a prompt.
    Accept(Option<String>),
    /// Dismisses it.
    Dismiss,
}

/// A dialog that has been answered.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AnsweredDialog {
    /// The dialog.
    pub dialog: Dialog,
    /// The answer that it got, by a listener or by the policy.
    pub answer: DialogAnswer,
    /// The id of the page that opened it.
    pub page_id: String,
}

/// Decides about dialogs; `None` leaves it to the policy. It is called on the task that takes all events, so it
/// must not wait for anything.
pub type DialogListener = Arc<dyn Fn(&Dialog) -> Option<DialogAnswer> + Send + Sync>;

impl From<JavascriptDialogOpeningEvent> for Dialog {
    fn from(opening: JavascriptDialogOpeningEvent) -> Self {
        Self {
            kind: opening.r#type,
            message: opening.message,
            default_prompt: opening.default_prompt,
            url: opening.url,
        }
    }
}

/// Answers a dialog. The command is on its way when this returns; its reply need not be waited for.
pub(crate) fn send(
    session: &Session,
    dialog: &Dialog,
    answer: &DialogAnswer,
) -> Call<HandleJavaScriptDialogReply> {
    // Neither what is typed into it nor what it says: both may hold a secret.
    let accepted = matches!(answer, DialogAnswer::Accept(_));
    tracing::info!(kind = dialog.kind, accepted, "answered a dialog");
    let prompt_text = match answer {
        DialogAnswer::Accept(text) => text.clone(),
        DialogAnswer::Dismiss => None,
    };
    session.send(&HandleJavaScriptDialog {
        accept: accepted,
        prompt_text,
    })
}

/// What becomes of a dialog that nobody decides about: `alert` and `beforeunload` are accepted, the others dismissed.
pub(crate) fn policy(dialog: &Dialog) -> DialogAnswer {
    match dialog.kind.as_str() {
        dialog_type::ALERT | dialog_type::BEFOREUNLOAD => DialogAnswer::Accept(None),
        _ => DialogAnswer::Dismiss,
    }
}

/// Closes a dialog that was open before the session was attached.
///
/// The browser does not announce such a dialog, answers `Page.handleJavaScriptDialog` with "No dialog is
/// showing", and lets every other command wait for the page. What does close it (as dismissed) is the start of
/// a navigation. So one is started and stopped before its request leaves the browser, which changes neither
/// the document nor the history. A page that is merely busy may come to another process by it, which the router sees.
pub(crate) async fn close_unseen(session: &Session) {
    let mut paused = session.subscribe([fetch::RequestPausedEvent::METHOD]);
    let pattern = fetch::RequestPattern {
        url_pattern: Some("*".to_owned()),
        resource_type: Some(network::resource_type::DOCUMENT.to_owned()),
        request_stage: None,
    };
    let enable = fetch::Enable {
        patterns: Some(vec![pattern]),
        handle_auth_requests: None,
    };
    drop(session.send(&enable));
    let navigation = session.send(&Navigate {
        url: NOWHERE.to_owned(),
        ..Navigate::default()
    });
    let stopping = async {
        while let Some(event) = paused.next().await {
            let Ok(event) = event.parse::<fetch::RequestPausedEvent>() else {
                continue;
            };
            if event.request.url == NOWHERE {
                let error_reason = network::error_reason::ABORTED.to_owned();
                drop(session.send(&fetch::FailRequest {
                    request_id: event.request_id,
                    error_reason,
                }));
            } else {
                let request_id = event.request_id;
                drop(session.send(&fetch::ContinueRequest {
                    request_id,
                    ..fetch::ContinueRequest::default()
                }));
            }
        }
    };
    let closing = async {
        tokio::select! {
            _ = navigation => {}
            () = stopping => {}
        }
    };
    if tokio::time::timeout(CLOSE_LIMIT, closing).await.is_err() {
        tracing::debug!("a page stays silent");
    }
    drop(session.send(&fetch::Disable {}));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policy_accepts_what_only_informs_and_dismisses_what_asks() {
        let answer = |kind: &str| {
            policy(&Dialog {
                kind: kind.to_owned(),
                message: String::new(),
                default_prompt: None,
                url: String::new(),
            })
        };
        assert_eq!(answer("alert"), DialogAnswer::Accept(None));
        assert_eq!(answer("beforeunload"), DialogAnswer::Accept(None));
        assert_eq!(answer("confirm"), DialogAnswer::Dismiss);
        assert_eq!(answer("prompt"), DialogAnswer::Dismiss);
        assert_eq!(answer("something new"), DialogAnswer::Dismiss);
    }
}
