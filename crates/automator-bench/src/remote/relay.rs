//! The DevTools protocol through the server, beside a socket of the same browser.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::json;

use super::apart::Apart;
use super::requests::Requests;
use super::socket::Socket;
use super::{Selection, Times, release, start_session};

/// What a small evaluation asks for, and how many go out before the first reply is read.
const SMALL: &str = "1 + 1";
const AT_ONCE: usize = 2_000;

/// What a large one asks for, and how long its reply is at least.
const LARGE: &str = "'x'.repeat(20000000)";
const LARGE_BYTES: usize = 20_000_000;

/// A measurement on both sides.
#[derive(Debug, Default)]
pub(super) struct Pair {
    pub(super) direct: Times,
    pub(super) through: Times,
}

#[derive(Debug, Default)]
pub(super) struct Relayed {
    pub(super) handshake: Pair,
    pub(super) evaluate: Pair,
    pub(super) at_once: Pair,
    pub(super) large: Pair,
}

/// Both ways to one tab.
struct Sockets {
    direct: Socket,
    through: Socket,
}

/// Which way.
#[derive(Clone, Copy)]
enum Way {
    Direct,
    Through,
}

impl Pair {
    fn of(&mut self, way: Way) -> &mut Times {
        match way {
            Way::Direct => &mut self.direct,
            Way::Through => &mut self.through,
        }
    }

    /// The median through the server over the direct one.
    pub(super) fn ratio(&self) -> Option<f64> {
        Some(self.through.median()? / self.direct.median()?)
    }
}

impl Sockets {
    fn of(&mut self, way: Way) -> &mut Socket {
        match way {
            Way::Direct => &mut self.direct,
            Way::Through => &mut self.through,
        }
    }
}

pub(super) async fn measure(server: &Apart, requests: &Requests, selection: &Selection) -> Result<Relayed> {
    let session = start_session(requests, &json!({})).await?;
    let (direct, _) = server.browser_of(&session.id)?;
    let through = session.connect_url_at(server.address())?;
    let mut relayed = Relayed::default();
    let mut sockets = Sockets {
        direct: Socket::connect(&direct).await?,
        through: Socket::connect(&through).await?,
    };
    let tab = sockets.direct.open_tab().await?;
    sockets.direct.attach(&tab).await?;
    sockets.through.attach(&tab).await?;
    for round in 0..selection.handshakes {
        for way in ways(round) {
            let address = match way {
                Way::Direct => &direct,
                Way::Through => &through,
            };
            let begun = Instant::now();
            let socket = Socket::connect(address).await?;
            relayed.handshake.of(way).push(begun.elapsed());
            socket.close().await?;
        }
    }
    relayed.evaluate = evaluate(&mut sockets, SMALL, 0, selection.evaluates).await?;
    for round in 0..=selection.bulks {
        for way in ways(round) {
            let took = sockets.of(way).evaluate_at_once(SMALL, AT_ONCE).await?;
            if round > 0 {
                relayed.at_once.of(way).push(took);
            }
        }
    }
    relayed.large = evaluate(&mut sockets, LARGE, LARGE_BYTES, selection.bulks).await?;
    sockets.direct.close().await?;
    sockets.through.close().await?;
    release(requests, &session.id).await?;
    Ok(relayed)
}

/// Evaluates on both sides in turn; a tenth of the rounds before that are not counted, and one at least.
async fn evaluate(sockets: &mut Sockets, expression: &str, bytes: usize, rounds: usize) -> Result<Pair> {
    let mut pair = Pair::default();
    let uncounted = rounds.div_ceil(10);
    for round in 0..rounds + uncounted {
        for way in ways(round) {
            let (took, length): (Duration, usize) = sockets.of(way).evaluate(expression).await?;
            ensure!(length > bytes, "a reply of {length} bytes is too short");
            if round >= uncounted {
                pair.of(way).push(took);
            }
        }
    }
    Ok(pair)
}

/// Both ways, beginning with another one from round to round.
fn ways(round: usize) -> [Way; 2] {
    if round.is_multiple_of(2) {
        [Way::Direct, Way::Through]
    } else {
        [Way::Through, Way::Direct]
    }
}
