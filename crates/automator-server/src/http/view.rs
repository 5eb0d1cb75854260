//! The live view: the pages that people look at sessions with, and the WebSocket behind them.
//!
//! A page comes with a token in its address, for looking on or for control. What the page and the server say to each
//! other is in `view/message.rs`.

mod address;
mod browsing;
mod input;
mod line;
mod message;
mod pages;
mod screen;
mod tabs;
mod viewer;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;

use self::pages::Document;
use self::viewer::{Visit, show};
use super::Shared;
use super::extract::{Path, Query, Upgrade};
use super::failure::Failure;
use crate::platform::PlatformError;

/// The largest message of a page, in bytes: text that is pasted.
const MESSAGE_LIMIT: usize = 1 << 18;

#[derive(Deserialize)]
pub(super) struct Ticket {
    #[serde(default)]
    token: String,
    tab: Option<String>,
}

/// The list of a key's sessions. It holds nothing of anybody until it is given a key.
pub(super) async fn list_page() -> Response {
    pages::document(StatusCode::OK, Document::Sessions)
}

/// The page of a session, for whoever has a token.
pub(super) async fn session_page(
    State(shared): State<Shared>,
    Path(id): Path<String>,
    Query(ticket): Query<Ticket>,
) -> Result<Response, Failure> {
    match shared.platform.open(&ticket.token, &id).await {
        Ok(_) => Ok(pages::document(StatusCode::OK, Document::Session)),
        Err(PlatformError::NotFound(_)) => Ok(pages::document(StatusCode::NOT_FOUND, Document::Missing)),
        Err(error) => Err(error.into()),
    }
}

/// What the pages are made of.
pub(super) async fn asset(Path(name): Path<String>) -> Response {
    pages::asset(&name)
}

/// Shows a session to whoever has a token.
pub(super) async fn connect(
    State(shared): State<Shared>,
    Path(id): Path<String>,
    Query(ticket): Query<Ticket>,
    Upgrade(upgrade): Upgrade,
) -> Result<Response, Failure> {
    let platform = shared.platform;
    let opened = platform.open(&ticket.token, &id).await?;
    let (session, time_left) = platform.look_up(&id).await?;
    let visit = Visit {
        platform,
        session,
        time_left,
        opened,
        tab: ticket.tab,
    };
    Ok(upgrade
        .max_message_size(MESSAGE_LIMIT)
        .max_frame_size(MESSAGE_LIMIT)
        .on_upgrade(move |socket| show(visit, socket)))
}
