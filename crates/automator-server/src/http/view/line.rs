//! The way to a viewer's page, and why it is left.

use std::time::Duration;

use axum::body::Bytes;
use axum::extract::ws::{CloseFrame, Message, WebSocket};
use futures_util::SinkExt as _;
use futures_util::stream::SplitSink;
use tokio::time::timeout;

use super::message::ToPage;

/// How long a page may take to read one message.
const READING: Duration = Duration::from_secs(20);

/// Why a viewer is left. The page connects again when it makes sense, by the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leaving {
    /// The page has hung up, and hears no reason.
    Gone,
    SessionEnded,
    TokenExpired,
    NotYet,
    TooSlow,
    Crowded,
    BrowserGone,
}

impl Leaving {
    /// The close code, and the reason in words.
    fn told(self) -> Option<(u16, &'static str)> {
        Some(match self {
            Self::Gone => return None,
            Self::SessionEnded => (4000, "the session has ended"),
            Self::TokenExpired => (4001, "the address has expired"),
            Self::NotYet => (4002, "the browser does not run yet"),
            Self::TooSlow => (4008, "the page does not read or answer"),
            Self::Crowded => (4029, "too many look at the session"),
            Self::BrowserGone => (1011, "the browser cannot be reached"),
        })
    }
}

#[derive(Debug)]
pub(super) struct Line {
    page: SplitSink<WebSocket, Message>,
}

impl Line {
    pub(super) fn new(page: SplitSink<WebSocket, Message>) -> Self {
        Self { page }
    }

    pub(super) async fn say(&mut self, message: &ToPage) -> Result<(), Leaving> {
        // It is made of texts and numbers, so it can always be written.
        let text = serde_json::to_string(message).unwrap_or_default();
        self.send(Message::Text(text.into())).await
    }

    pub(super) async fn tell_problem(&mut self, message: impl Into<String>) -> Result<(), Leaving> {
        let message = message.into();
        self.say(&ToPage::Problem { message }).await
    }

    pub(super) async fn show(&mut self, picture: Vec<u8>) -> Result<(), Leaving> {
        self.send(Message::Binary(picture.into())).await
    }

    pub(super) async fn ping(&mut self) -> Result<(), Leaving> {
        self.send(Message::Ping(Bytes::new())).await
    }

    async fn send(&mut self, message: Message) -> Result<(), Leaving> {
        match timeout(READING, self.page.send(message)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(Leaving::Gone),
            Err(_) => Err(Leaving::TooSlow),
        }
    }

    /// Hangs up.
    pub(super) async fn leave(mut self, leaving: Leaving) {
        if let Some((code, reason)) = leaving.told() {
            let reason = reason.into();
            // One that has gone needs no reason.
            let _ = self.send(Message::Close(Some(CloseFrame { code, reason }))).await;
        }
    }
}
