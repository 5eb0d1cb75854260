//! Who is measured beside whom.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use serde_json::Value;

use crate::ours::Ours;
use crate::peer::Peer;

/// Who is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Contender {
    Ours,
    Peer,
}

/// One call and how long it took, measured in the process of the library.
#[derive(Debug, Clone)]
pub(crate) struct Done {
    pub(crate) took: Duration,
    /// What it gave, as JSON.
    pub(crate) value: Value,
}

/// A session of a contender, attached to a browser.
pub(crate) enum Session {
    Ours(Ours),
    Peer(Box<Peer>),
}

impl Contender {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Contender::Ours => "ours",
            Contender::Peer => "TypeScript peer",
        }
    }
}

impl Session {
    /// With `memory`, the folder for what it remembers. The peer is installed in the folder `peer`.
    pub(crate) async fn open(
        contender: Contender,
        browser: &str,
        model: &str,
        memory: Option<&Path>,
        peer: &Path,
    ) -> Result<Self> {
        Ok(match contender {
            Contender::Ours => Self::Ours(Ours::open(browser, model, memory).await?),
            Contender::Peer => Self::Peer(Box::new(Peer::open(peer, browser, model, memory).await?)),
        })
    }

    pub(crate) async fn goto(&mut self, url: &str) -> Result<()> {
        match self {
            Self::Ours(ours) => ours.goto(url).await,
            Self::Peer(peer) => peer.goto(url).await,
        }
    }

    pub(crate) async fn evaluate(&mut self, expression: &str) -> Result<Value> {
        match self {
            Self::Ours(ours) => ours.evaluate(expression).await,
            Self::Peer(peer) => peer.evaluate(expression).await,
        }
    }

    pub(crate) async fn close(self) -> Result<()> {
        match self {
            Self::Ours(ours) => ours.close().await,
            Self::Peer(peer) => peer.close().await,
        }
    }
}

/// All positions, beginning with another one from round to round, so that what the machine does besides falls on
/// all alike.
pub(crate) fn in_turn(seats: usize, round: usize) -> impl Iterator<Item = usize> {
    (0..seats).map(move |position| (position + round) % seats)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_begins_changes_from_round_to_round() {
        assert_eq!(in_turn(2, 0).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(in_turn(2, 1).collect::<Vec<_>>(), [1, 0]);
        assert_eq!(in_turn(1, 1).collect::<Vec<_>>(), [0]);
    }
}
