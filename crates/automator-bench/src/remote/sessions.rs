//! How many sessions a server makes and ends in a minute, and what memory one takes.

use std::time::Instant;

use anyhow::{Context as _, Result};
use serde_json::json;

use super::apart::Apart;
use super::memory::{Share, of_process, of_tree};
use super::requests::Requests;
use super::{Selection, release, start_session};

/// How many at once.
pub(super) const AT_ONCE: usize = 4;

#[derive(Debug)]
pub(super) struct Rates {
    /// Sessions a minute, one after the other and [`AT_ONCE`].
    pub(super) one: f64,
    pub(super) four: f64,
}

#[derive(Debug)]
pub(super) struct Footprint {
    /// The server without sessions.
    pub(super) server: Share,
    /// What it has more for each of [`AT_ONCE`] sessions.
    pub(super) more: Share,
    /// The browser of a session, all its processes.
    pub(super) browser: Share,
}

pub(super) async fn rates(requests: &Requests, selection: &Selection) -> Result<Rates> {
    // The first one reads the browser from the disk.
    live(requests, 1).await?;
    Ok(Rates {
        one: rate(requests, 1, selection.sessions).await?,
        four: rate(requests, AT_ONCE, selection.sessions).await?,
    })
}

/// Makes and ends `sessions` in each of `lanes`, and gives how many that is a minute.
async fn rate(requests: &Requests, lanes: usize, sessions: usize) -> Result<f64> {
    let begun = Instant::now();
    let lives = (0..lanes).map(|_| live(requests, sessions));
    futures_util::future::try_join_all(lives).await?;
    Ok((lanes * sessions) as f64 * 60.0 / begun.elapsed().as_secs_f64())
}

async fn live(requests: &Requests, sessions: usize) -> Result<()> {
    for _ in 0..sessions {
        let session = start_session(requests, &json!({})).await?;
        release(requests, &session.id).await?;
    }
    Ok(())
}

/// Measures with browsers that show an empty page.
pub(super) async fn footprint(server: &Apart, requests: &Requests) -> Result<Footprint> {
    let untold = "the system does not tell the memory of a process";
    let process = server.process()?;
    let before = of_process(process).context(untold)?;
    let mut sessions = Vec::new();
    for _ in 0..AT_ONCE {
        sessions.push(start_session(requests, &json!({})).await?);
    }
    let with_sessions = of_process(process).context(untold)?;
    let mut browsers = Share::default();
    for session in &sessions {
        let (_, process) = server.browser_of(&session.id)?;
        let browser = of_tree(process).context(untold)?;
        browsers.proportional += browser.proportional;
        browsers.resident += browser.resident;
    }
    for session in sessions {
        release(requests, &session.id).await?;
    }
    let each = |bytes: u64| bytes / AT_ONCE as u64;
    Ok(Footprint {
        server: before,
        more: Share {
            proportional: each(with_sessions.proportional.saturating_sub(before.proportional)),
            resident: each(with_sessions.resident.saturating_sub(before.resident)),
        },
        browser: Share {
            proportional: each(browsers.proportional),
            resident: each(browsers.resident),
        },
    })
}
