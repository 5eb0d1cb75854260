//! The contenders: our page text, and the ways to ask the browser for a page that it is held against.
//!
//! A floor is only the browser's raw answer, not parsed and not made into text: whoever reads pages that way
//! cannot be faster.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use automator_browser::{Page, SnapshotOptions};
use serde_json::json;

use crate::figures::median;
use crate::processor::processor_time;

/// How long one reading may take; the accessibility tree of the largest table needs half a minute.
const LIMIT: Duration = Duration::from_secs(300);

/// Readings after the first; their median counts.
const WARM_READINGS: usize = 3;

/// A way to read a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Contender {
    /// Our page text, everything included.
    Ours,
    /// The whole DOM and the accessibility tree, asked for at once.
    DomAndAx,
    /// A DOM snapshot with five computed styles.
    S4o,
}

/// How long a contender took on one page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Timing {
    /// The first reading after the page was loaded.
    pub(crate) cold: Cost,
    /// Readings of the unchanged page after that: the median of each figure.
    pub(crate) warm: Cost,
    /// Bytes of the answer, or of the text.
    pub(crate) bytes: usize,
}

/// What one reading took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cost {
    /// Milliseconds until the answer was there.
    pub(crate) wall: f64,
    /// Milliseconds of processor time of this process, all threads.
    pub(crate) processor: f64,
}

impl Timing {
    /// The middle of each figure of several loadings of one page.
    pub(crate) fn middle(timings: &[Timing]) -> Self {
        let costs = |of: fn(&Timing) -> Cost| timings.iter().map(of).collect::<Vec<_>>();
        Self {
            cold: Cost::middle(&costs(|timing| timing.cold)),
            warm: Cost::middle(&costs(|timing| timing.warm)),
            bytes: timings.last().map_or(0, |timing| timing.bytes),
        }
    }
}

impl Cost {
    /// The median of each figure.
    fn middle(costs: &[Cost]) -> Self {
        let of = |figure: fn(&Cost) -> f64| median(costs.iter().map(figure)).unwrap_or(f64::NAN);
        Self {
            wall: of(|cost| cost.wall),
            processor: of(|cost| cost.processor),
        }
    }
}

impl Contender {
    pub(crate) const ALL: [Contender; 3] = [Contender::Ours, Contender::DomAndAx, Contender::S4o];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Contender::Ours => "ours",
            Contender::DomAndAx => "DOM+AX",
            Contender::S4o => "S4o",
        }
    }

    /// The order on the page at this position: each comes first on every third page.
    pub(crate) fn in_turn(position: usize) -> impl Iterator<Item = Contender> {
        let all = Self::ALL;
        (0..all.len()).map(move |offset| all[(position + offset) % all.len()])
    }

    /// Reads a page that has just been loaded several times.
    pub(crate) async fn time(self, page: &Page) -> Result<Timing> {
        let (cold, bytes) = self.time_once(page).await?;
        let mut warm = Vec::new();
        for _ in 0..WARM_READINGS {
            warm.push(self.time_once(page).await?.0);
        }
        Ok(Timing {
            cold,
            warm: Cost::middle(&warm),
            bytes,
        })
    }

    async fn time_once(self, page: &Page) -> Result<(Cost, usize)> {
        let (processor, start) = (processor_time(), Instant::now());
        let bytes = tokio::time::timeout(LIMIT, self.read(page))
            .await
            .with_context(|| format!("{} took more than {LIMIT:?}", self.name()))??;
        let cost = Cost {
            wall: start.elapsed().as_secs_f64() * 1e3,
            processor: (processor_time() - processor).as_secs_f64() * 1e3,
        };
        Ok((cost, bytes))
    }

    async fn read(self, page: &Page) -> Result<usize> {
        let session = page.session();
        Ok(match self {
            Contender::Ours => page.snapshot(&SnapshotOptions::default()).await?.text().len(),
            Contender::DomAndAx => {
                let document = session.send_raw("DOM.getDocument", json!({ "depth": -1, "pierce": true }));
                let tree = session.send_raw("Accessibility.getFullAXTree", json!({}));
                let (document, tree) = tokio::join!(document, tree);
                document?.bytes().len() + tree?.bytes().len()
            }
            Contender::S4o => {
                let styles = ["visibility", "cursor", "opacity", "overflow-y", "overflow-x"];
                let snapshot =
                    session.send_raw("DOMSnapshot.captureSnapshot", json!({ "computedStyles": styles }));
                snapshot.await?.bytes().len()
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_contender_that_starts_changes_from_page_to_page() {
        let first = |position| Contender::in_turn(position).next();
        let starts: Vec<_> = (0..4).filter_map(first).collect();
        assert_eq!(
            starts,
            [
                Contender::Ours,
                Contender::DomAndAx,
                Contender::S4o,
                Contender::Ours
            ]
        );
        assert_eq!(Contender::in_turn(5).count(), 3);
    }
}
