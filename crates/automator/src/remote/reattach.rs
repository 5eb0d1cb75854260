//! A connection to a remote browser that is lost, as when the server is started again, is made anew.
//!
//! Calls that were under way fail, and are never made again: an action may have had its effect. The session itself
//! goes on: its pages are found by their target ids, and what was set for them holds again.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use automator_browser::{Browser, BrowserError};
use futures_util::future::{BoxFuture, FutureExt as _};

use super::Remote;
use crate::ErrorKind;
use crate::session::Session;

/// How long it is tried.
const PATIENCE: Duration = Duration::from_secs(60);

/// The first pause between two tries, and the longest one.
const PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// Watches the connection of a session and makes it anew, until the session closes or its remote session ends. Keeps
/// neither session nor browser alive.
pub(crate) fn keep_attached(session: &Arc<Session>, remote: &Arc<Remote>, browser: &Browser) {
    // The address of a browser alone does not tell whether there is anything to come back to.
    if remote.id.is_none() {
        return;
    }
    let (session, remote) = (Arc::downgrade(session), Arc::downgrade(remote));
    let mut loss = loss_of(browser);
    tokio::spawn(async move {
        loop {
            let lost = loss.await;
            if lost.is_own_end() {
                return;
            }
            match again(&session, &remote, &lost).await {
                Some(browser) => loss = loss_of(&browser),
                None => return,
            }
        }
    });
}

/// The end of a connection; does not keep it alive.
fn loss_of(browser: &Browser) -> BoxFuture<'static, BrowserError> {
    let closed = browser.closed();
    async move { BrowserError::ConnectionClosed { reason: closed.await } }.boxed()
}

/// Connects again; none when that is over.
async fn again(session: &Weak<Session>, remote: &Weak<Remote>, lost: &BrowserError) -> Option<Browser> {
    let begun = Instant::now();
    let mut pause = PAUSE;
    let mut problem = lost.to_string();
    loop {
        {
            let (session, remote) = (session.upgrade()?, remote.upgrade()?);
            let before = session.browser_of(&remote)?;
            match remote.connect_again(&before).await {
                Ok(browser) => {
                    if !session.replace_browser(&remote, browser.clone()) {
                        return None;
                    }
                    let details = [("why", problem)];
                    session
                        .log
                        .info("init", "connected to the remote session again", &details);
                    return Some(browser);
                }
                Err(error) => {
                    problem = error.message().to_owned();
                    let may_pass = matches!(error.kind(), ErrorKind::Init | ErrorKind::ConnectionTimeout);
                    if !may_pass || begun.elapsed() > PATIENCE {
                        session.end(&remote, &problem);
                        return None;
                    }
                    let details = [("why", problem.clone())];
                    session.log.debug(
                        "init",
                        "the remote session cannot be reached; trying again",
                        &details,
                    );
                }
            }
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}
