//! Brings a page to other addresses. What goes wrong is given in words.

use automator_cdp::protocol::page::{GetNavigationHistory, Navigate, NavigateToHistoryEntry, Reload};
use automator_cdp::{CdpError, Session};

use super::message::Step;
use crate::cdp::address_problem;

/// Opens an address that was [read](super::address::read).
pub(super) async fn navigate(page: Session, url: String) -> Option<String> {
    let answer = page
        .send(&Navigate {
            url: url.clone(),
            ..Navigate::default()
        })
        .await;
    match answer {
        Ok(reply) => reply
            .error_text
            .map(|error| format!("`{url}` was not opened: {error}")),
        Err(error) => Some(format!("`{url}` was not opened: {error}")),
    }
}

/// Goes one step through the page's history, or loads the page again.
pub(super) async fn go(page: Session, step: Step) -> Option<String> {
    let gone = match step {
        Step::Reload => page.send(&Reload::default()).await.map(|_| None),
        Step::Back => walk(&page, -1).await,
        Step::Forward => walk(&page, 1).await,
    };
    gone.unwrap_or_else(|error| Some(error.to_string()))
}

async fn walk(page: &Session, steps: i64) -> Result<Option<String>, CdpError> {
    let history = page.send(&GetNavigationHistory {}).await?;
    let place = usize::try_from(history.current_index + steps).ok();
    let Some(entry) = place.and_then(|place| history.entries.get(place)) else {
        let end = if steps < 0 { "before" } else { "after" };
        return Ok(Some(format!("there is no page {end} this one")));
    };
    if let Some(problem) = address_problem(&entry.url) {
        return Ok(Some(problem));
    }
    let entry_id = entry.id;
    page.send(&NavigateToHistoryEntry { entry_id }).await?;
    Ok(None)
}
