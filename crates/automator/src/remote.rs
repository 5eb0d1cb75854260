//! The session on a platform: found or created, connected to, and given back.
//!
//! What the platforms differ in stands behind [`Platform`]; [`place`] says from options and environment which one is
//! meant, and where it is. Everything but [`http`] is free of sockets.

mod calls;
mod cdp;
mod downloads;
mod http;
mod operations;
mod place;
mod platform;
mod reattach;
mod served;
mod stream;

use automator_browser::{Browser, BrowserError, LaunchOptions};

use crate::session::Session;
use crate::{Error, ErrorKind, Result};

pub(crate) use calls::{Accounts, Away, Common, away};
pub(crate) use downloads::not_brought;
pub(crate) use operations::Told;
pub(crate) use place::read_base_url;
pub(crate) use reattach::keep_attached;

use downloads::Downloads;
use operations::Operations;
use place::Place;
use platform::{Platform, Wanted};

/// The folder of a session's downloads on the platform, as clients call it.
const DOWNLOADS: &str = "downloads";

/// A session on a platform that is in use.
pub(crate) struct Remote {
    platform: Box<dyn Platform>,
    /// None where there are no sessions.
    pub(crate) id: Option<String>,
    /// The page of the session, which may only be looked at.
    pub(crate) session_url: Option<String>,
    /// The page of the session, from which it can be driven.
    pub(crate) debug_url: Option<String>,
    /// Whether the session goes on after a close.
    is_kept: bool,
    /// None when operations run here.
    operations: Option<Operations>,
    downloads: Downloads,
}

/// Creates the session, or finds the one to go on with, and connects to its browser.
pub(crate) async fn open(session: &Session) -> Result<(Remote, Browser)> {
    let options = &session.options;
    let place = Place::of(options)?;
    let has_sessions = place.has_sessions();
    let platform = place.platform()?;
    if options.remote_session_id.is_some() && !has_sessions {
        let message = "remoteSessionID has no meaning for the address of a browser";
        return Err(Error::invalid_argument(message)
            .hint("leave it out, or give the address of a platform as remoteBaseURL"));
    }
    let opened = platform.open(&Wanted::of(options)).await?;
    let found = opened.found;
    let is_created = options.remote_session_id.is_none();
    let is_kept = options.keep_alive.unwrap_or(found.is_kept);
    let launch = launch_options(found.running()?, has_sessions);
    match Browser::start(&launch).await {
        Ok(browser) => {
            let debug_url = match (&found.id, found.debug_url) {
                (Some(id), None) => platform.debug(id).await,
                (_, given) => given,
            };
            let remote = Remote {
                platform,
                id: found.id,
                session_url: found.session_url,
                debug_url,
                is_kept,
                operations: opened.operations,
                downloads: Downloads::new(options.local_browser_launch_options.downloads_path.clone()),
            };
            Ok((remote, browser))
        }
        Err(error) => {
            if let Some(id) = found.id.filter(|_| is_created) {
                // Nobody else knows of it.
                drop(platform.release(&id).await);
            }
            Err(not_reached(error))
        }
    }
}

/// How the browser of a session is connected to.
fn launch_options(address: &str, has_sessions: bool) -> LaunchOptions {
    let mut launch = LaunchOptions::default();
    launch.cdp_url = Some(address.to_owned());
    launch.is_remote = true;
    // A browser of somebody else saves where it always does.
    launch.downloads_path = has_sessions.then(|| DOWNLOADS.into());
    launch
}

fn not_reached(error: BrowserError) -> Error {
    let told = Error::from(error);
    let message = format!("the browser of the session cannot be reached: {}", told.message());
    Error::new(ErrorKind::Init, message).caused_by(told)
}

impl Remote {
    /// Ends the session, unless it is to go on.
    pub(crate) async fn give_back(&self) -> Result<()> {
        match &self.id {
            Some(id) if !self.is_kept => self.platform.release(id).await,
            _ => Ok(()),
        }
    }

    /// Connects anew to the browser of the session, in place of a connection that is lost.
    async fn connect_again(&self, before: &Browser) -> Result<Browser> {
        let id = self.id.as_deref().unwrap_or_default();
        let found = self.platform.get(id).await?;
        let launch = launch_options(found.running()?, true);
        before.start_again(&launch).await.map_err(not_reached)
    }
}
