//! Looking at what keys and presses of the mouse are about to reach, just before they go out: pages move the focus, and
//! draw other things under the pointer, between two of them and between the halves of one.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use automator_browser::{InputPart, InputWatch, Locator, PressingKey, Stopping, Watch};
use automator_snapshot::{ElementId, Snapshot};

use super::classify::{Deed, Judged, is_written_in};
use super::{Confirming, Wanted, judged, unknown};
use crate::page::Page;
use crate::reading::{read, scope};

/// What is told of an element that has become another one between the two halves of a press.
const CHANGED: &str = "what it would do has changed while it was pressed, so it was let go; look at it again";

/// The keys, in questions.
const ENTER: &str = "Enter";
const SPACE: &str = "Space";
const DELETE: &str = "Delete";

/// Looks at the input of one action.
struct Watching {
    confirming: Arc<Confirming>,
    page: Page,
    /// What is done, in the question; empty for the names of the keys.
    verb: String,
    seen: Mutex<Seen>,
}

/// What is known of the input so far.
#[derive(Debug, Default)]
struct Seen {
    /// What the user has approved of this action already.
    approved: Option<Judged>,
    /// What the key or button that is going down comes to.
    current: Option<Judged>,
    /// Whether it is the space bar over a field: then no element takes its other half for a press, wherever the focus is
    /// by then.
    is_blank: bool,
}

/// How thoroughly something is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sight {
    Glance,
    Whole,
}

impl Confirming {
    /// Somebody who looks at the input of one action, about which nobody was asked yet.
    pub(in crate::agent) fn watching(self: &Arc<Self>, page: &Page, verb: &str) -> Watch {
        self.watching_approved(page, verb, None)
    }

    /// The same, for a text that is typed where the focus is. The user is asked about its first line before any of it
    /// is typed; why it must not be typed, when the user does not want it.
    pub(in crate::agent) async fn watching_text(
        self: &Arc<Self>,
        page: &Page,
        text: &str,
    ) -> Result<Watch, String> {
        let line = text.split_inclusive(['\t', '\n', '\r']).next();
        let Some(deed) = line.and_then(Deed::of_text) else {
            return Ok(self.watching(page, ""));
        };
        let verb = if deed == Deed::Enter { ENTER } else { SPACE };
        let approved = match focused(page, Sight::Whole).await {
            Ok(None) => None,
            Ok(Some(focused)) => {
                let selector = String::new();
                self.approved(page, &focused, &Wanted { deed, verb, selector })
                    .await?
            }
            Err(error) => return Err(unknown(&error.to_string())),
        };
        Ok(self.watching_approved(page, "", approved))
    }

    /// The same, once the user has approved it.
    pub(super) fn watching_approved(
        self: &Arc<Self>,
        page: &Page,
        verb: &str,
        approved: Option<Judged>,
    ) -> Watch {
        Watch::new(Watching {
            confirming: Arc::clone(self),
            page: page.clone(),
            verb: verb.to_owned(),
            seen: Mutex::new(Seen {
                approved,
                ..Seen::default()
            }),
        })
    }
}

impl InputWatch for Watching {
    fn stops(&self, part: InputPart) -> Stopping<'_> {
        Box::pin(async move {
            let looked = match part {
                InputPart::Key { key, is_first } => self.key(key, is_first).await,
                InputPart::Mouse { at, is_first } => self.mouse(at, is_first).await,
            };
            looked.err()
        })
    }
}

impl Watching {
    async fn key(&self, key: PressingKey, is_first: bool) -> Result<(), String> {
        // What the Delete key does is done as it goes down.
        if !is_first && (self.seen().is_blank || key == PressingKey::Delete) {
            return Ok(());
        }
        self.seen().is_blank = false;
        let sight = if is_first { Sight::Whole } else { Sight::Glance };
        let focused = match focused(&self.page, sight).await {
            Ok(Some(focused)) => focused,
            // Nothing has the focus, so the key leads to nothing that is known.
            Ok(None) => {
                self.seen().current = None;
                return Ok(());
            }
            Err(error) => return Err(unknown(&error.to_string())),
        };
        let (deed, name) = match key {
            PressingKey::Enter => (Deed::Enter, ENTER),
            PressingKey::Space => (Deed::Space, SPACE),
            PressingKey::Delete => (Deed::Erase, DELETE),
        };
        let verb = if self.verb.is_empty() { name } else { &self.verb };
        let wanted = Wanted {
            deed,
            verb,
            selector: String::new(),
        };
        self.look(&focused, &wanted, is_first).await?;
        if is_first {
            let mut seen = self.seen();
            // The next key is another deed.
            if seen.current.is_some() {
                seen.approved = None;
            }
        }
        Ok(())
    }

    async fn mouse(&self, at: (f64, f64), is_first: bool) -> Result<(), String> {
        let page = self.page.browser_page();
        let path = match page.xpath_at(at.0, at.1).await {
            Ok(path) if path.is_empty() => {
                self.seen().current = None;
                return Ok(());
            }
            Ok(path) => format!("xpath={path}"),
            Err(error) => return Err(unknown(&error.to_string())),
        };
        let wanted = Wanted {
            deed: Deed::Press,
            verb: &self.verb,
            selector: path.clone(),
        };
        self.look(&page.deep_locator(&path), &wanted, is_first).await?;
        if is_first {
            let mut seen = self.seen();
            // The presses of one gesture are one deed.
            if let Some(current) = seen.current.clone() {
                seen.approved = Some(current);
            }
        }
        Ok(())
    }

    /// Judges what a part would reach. Before the first one the user may be asked; later ones must come to the same, as
    /// nobody can be asked while a key or a button is down.
    async fn look(&self, locator: &Locator, wanted: &Wanted<'_>, is_first: bool) -> Result<(), String> {
        let (purpose, now) = judged(locator, wanted.deed).await?;
        self.seen().is_blank = wanted.deed == Deed::Space && is_written_in(&purpose);
        let Some(now) = now else {
            if is_first {
                self.seen().current = None;
            }
            return Ok(());
        };
        if !is_first {
            let is_same = self.seen().current.as_ref() == Some(&now);
            return if is_same { Ok(()) } else { Err(CHANGED.to_owned()) };
        }
        // An element and what lies on top of it may be called differently.
        let is_approved = self
            .seen()
            .approved
            .as_ref()
            .is_some_and(|approved| approved.kind == now.kind);
        let current = if is_approved {
            Some(now)
        } else {
            self.confirming.approved(&self.page, locator, wanted).await?
        };
        self.seen().current = current;
        Ok(())
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What has the focus, in whatever frame or shadow tree. The page text is asked last: it does not tell of all elements.
async fn focused(page: &Page, by: Sight) -> crate::Result<Option<Locator>> {
    // Frames that hold the focus have it, too: the innermost counts, and those within come later.
    for frame in page.browser_page().frames().into_iter().rev() {
        let locator = frame.locator(":focus");
        // So do hosts of shadow trees.
        if let Some(last) = locator.count().await.ok().and_then(|count| count.checked_sub(1)) {
            return Ok(Some(locator.nth(last)));
        }
    }
    if by == Sight::Glance {
        return Ok(None);
    }
    let snapshot = read(page, &scope(None, &[], Duration::ZERO)?).await?;
    let Some(element) = focused_id(&snapshot).and_then(|id| snapshot.element(id)) else {
        return Ok(None);
    };
    Ok(Some(Locator::of_element(
        page.browser_page().element(element)?,
        None,
    )))
}

fn focused_id(snapshot: &Snapshot) -> Option<ElementId> {
    focused_in(snapshot.text())?.parse().ok()
}

/// The id in front of the state `[focused]`. Frames that hold the focus are told as focused, too: the innermost
/// counts, which comes last.
fn focused_in(text: &str) -> Option<&str> {
    let line = text.lines().rfind(|line| line.contains("[focused]"))?;
    let before = line.split("[focused]").next()?;
    let is_id = |id: &&str| {
        id.split_once('-').is_some_and(|(frame, number)| {
            let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            digits(frame) && digits(number)
        })
    };
    before
        .split('[')
        .filter_map(|part| Some(part.split_once(']')?.0))
        .rfind(is_id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_element_with_the_focus_is_found_in_the_text() {
        let text = "[0-0] RootWebArea: A\n  [0-1] button: [1-9] odd\n  row: a | [0-4] link: PDF [current] [focused] | [0-5] link: CSV";
        assert_eq!(focused_in(text), Some("0-4"));
        assert_eq!(focused_in("[0-0] RootWebArea: A"), None);
        let frame = "[0-2] Iframe [focused]\n  [1-0] RootWebArea\n  [1-3] textbox: Card [focused]";
        assert_eq!(focused_in(frame), Some("1-3"));
    }
}
