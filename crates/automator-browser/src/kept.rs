//! A browser that outlives the program that started it: what another program has to know of it, and how that one
//! ends it.

use std::path::PathBuf;
use std::time::Duration;

use automator_cdp::protocol::browser::Close;
use automator_cdp::{Connection, WebSocketOptions, WebSocketTransport};
use serde::{Deserialize, Serialize};

use crate::launch::process::Trace;
use crate::launch::profile;
use crate::{Browser, BrowserError};

/// How long the browser may take to answer, and then to save its profile and exit.
const GOODBYE: Duration = Duration::from_secs(5);

/// What a program needs to go on with a browser that another one has started, and to end it without leaving
/// anything behind. It can be written to a file and read again.
///
/// The address is a key to the browser for every program on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KeptBrowser {
    address: String,
    #[serde(flatten)]
    trace: Trace,
    profile: PathBuf,
    is_temporary: bool,
}

impl Browser {
    /// What another program needs to go on with this browser, or to end it.
    ///
    /// # Errors
    /// [`BrowserError::Discovery`] when the browser has not opened its port, and for one that was only attached to:
    /// who started it is the one to end it.
    pub async fn kept(&self) -> Result<KeptBrowser, BrowserError> {
        let address = self.connect_url().await?;
        let parts = self.own_process();
        let Some((trace, profile, is_temporary)) = parts else {
            return Err(BrowserError::Discovery {
                address,
                problem: "it was started by somebody else".to_owned(),
            });
        };
        Ok(KeptBrowser {
            address,
            trace,
            profile,
            is_temporary,
        })
    }
}

impl KeptBrowser {
    /// The WebSocket address under which it is attached to.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Whether any of its processes still runs. On systems that do not tell, this is false.
    pub async fn is_alive(&self) -> bool {
        let trace = self.trace.clone();
        tokio::task::spawn_blocking(move || trace.lives())
            .await
            .unwrap_or(false)
    }

    /// Ends it, and removes its profile if that is a temporary one. A browser whose profile stays is asked to end
    /// first, so that it saves what it has. Gives whether it still ran.
    ///
    /// A process that only has the number of the browser that is gone is left alone.
    pub async fn end(&self) -> bool {
        let mut lived = self.is_alive().await;
        if !self.is_temporary || cfg!(not(unix)) {
            let goodbye = tokio::time::timeout(GOODBYE, self.say_goodbye()).await;
            lived |= matches!(goodbye, Ok(Ok(())));
        }
        let Self { trace, profile, .. } = self.clone();
        let is_temporary = self.is_temporary;
        let ended = tokio::task::spawn_blocking(move || {
            trace.end();
            if is_temporary {
                profile::remove_abandoned(&profile);
            } else {
                profile::release(&profile);
            }
        });
        if let Err(error) = ended.await {
            tracing::warn!(%error, "cleaning up after the browser");
        }
        lived
    }

    /// Asks it to end, and waits until it has.
    async fn say_goodbye(&self) -> Result<(), BrowserError> {
        let transport = WebSocketTransport::connect(&self.address, &WebSocketOptions::default()).await?;
        let connection = Connection::new(transport);
        drop(connection.root().send(&Close {}));
        connection.closed().await;
        while self.is_alive().await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Ok(())
    }
}
