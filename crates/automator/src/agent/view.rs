//! What the model knows of the page: a whole page once, then what changes.

use std::time::Duration;

use automator_llm::estimate_tokens;
use automator_snapshot::{Difference, Snapshot};

use super::repeats::hash_of;
use super::tools::screenshot::picture;
use crate::brief::{brief, usable_lines, without_alike, words_of};
use crate::page::Page;
use crate::reading::{read, scope};
use crate::replay::Mask;
use crate::time_text::time_text;
use crate::{Error, ErrorKind, Result};

/// Changes that are longer than this share of the page are told as the page.
const LARGEST_CHANGE: f64 = 0.6;

/// Changes of one page may add up to this many times the page before it is told anew and they are dropped.
const MOST_CHANGES: f64 = 1.0;

/// Fewest tokens of changes that are let add up, for pages that say little.
const LEAST_CHANGES: usize = 1_500;

/// Pages of fewer tokens stay as they are.
const LEAST_SHORTENED: usize = 800;

/// Most characters of texts that are left of a page that was told some steps ago.
const LONGEST_LEFT: usize = 24;

/// Most characters of a text on the page that a run begins on, which the task may not be about.
const LONGEST_AT_FIRST: usize = 80;

/// Most lines that have gone which are told one by one.
const MOST_GONE: usize = 6;

/// Most characters of a line that has gone.
const LONGEST_GONE: usize = 60;

/// Most characters of a line of a page that there is no room for as a whole.
const LONGEST_WHERE_CUT: usize = 2_000;

/// Characters of a token, at the least.
const CHARACTERS: usize = 3;

/// Most characters of an address that are told.
const LONGEST_ADDRESS: usize = 300;

/// The share of a model's window that a page may take: one of so many.
const WINDOW_SHARE: usize = 3;

/// Tokens of a page for a model whose window nobody knows.
const USUAL_ROOM: usize = 100_000;

/// How long it may take to see how the window looks.
const GLIMPSE: Duration = Duration::from_secs(3);

/// How much of the page is to be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Want {
    /// What has changed since the model has seen it; all of it when it has not.
    Change,
    /// All of it.
    Whole,
}

/// A page, or what has changed on it, as the model is to be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) text: String,
    /// The address, of a whole page.
    pub(super) url: Option<String>,
    /// What is left of a whole page once it has been told in full for a while; none for what is short.
    pub(super) rest: Option<String>,
    /// Which whole page it is, or belongs to. All of an earlier one is out of date.
    pub(super) epoch: u32,
}

/// What one look at the page has brought.
#[derive(Debug)]
pub(super) struct Look {
    /// None when nothing has changed.
    pub(super) shown: Option<Shown>,
}

/// The page as the model has seen it last.
#[derive(Debug)]
pub(super) struct Seen {
    page: String,
    document: String,
    pub(super) snapshot: Snapshot,
    /// A hash of its text.
    state: u64,
}

/// The sight of one run.
#[derive(Debug)]
pub(super) struct View {
    seen: Option<Seen>,
    epoch: u32,
    whole: usize,
    changes: usize,
    room: usize,
    /// Of the task, which may be about items of a list.
    words: Vec<String>,
}

impl Shown {
    /// With long texts cut, when the page is not short.
    pub(super) fn in_brief(mut self) -> Self {
        if self.rest.is_some() {
            self.text = brief(&self.text, LONGEST_AT_FIRST);
        }
        self
    }
}

impl View {
    /// For a model whose prompt and answer may have so many tokens together, and a task.
    pub(super) fn new(window: Option<u32>, task: &str) -> Self {
        Self {
            seen: None,
            epoch: 0,
            whole: 0,
            changes: 0,
            room: window.map_or(USUAL_ROOM, |window| window as usize / WINDOW_SHARE),
            words: words_of(task),
        }
    }

    /// The number of the latest whole page.
    pub(super) fn epoch(&self) -> u32 {
        self.epoch
    }

    /// The page as it was seen last, if it is this one with this document.
    pub(super) fn seen(&self, page: &Page) -> Option<&Snapshot> {
        let seen = self.seen.as_ref()?;
        let is_same = seen.page == page.id() && seen.document == document_of(page);
        is_same.then_some(&seen.snapshot)
    }

    /// The page as it is known, as a number: its address now, and what it said when it was seen last.
    pub(super) fn state(&self, url: &str) -> u64 {
        let text = self.seen.as_ref().map(|seen| seen.state);
        hash_of(&(url, text))
    }

    /// The page as it was seen last, whichever it was.
    pub(super) fn last(&self) -> Option<&Snapshot> {
        self.seen.as_ref().map(|seen| &seen.snapshot)
    }

    /// What the page said that was seen last; nothing when none was.
    pub(super) fn text(&self) -> &str {
        self.last().map(Snapshot::text).unwrap_or_default()
    }

    /// Looks at the page once it is at rest, for as long as the limit allows.
    ///
    /// # Errors
    /// Those of reading a page.
    pub(super) async fn look(
        &mut self,
        page: &Page,
        want: Want,
        limit: Option<Duration>,
        mask: Mask<'_>,
    ) -> Result<Look> {
        let snapshot = at_rest(page, limit).await?;
        let url = short(&mask(&page.url()), LONGEST_ADDRESS);
        let difference = self.seen(page).map(|seen| snapshot.difference_from(seen));
        let shown = match difference.filter(|_| want == Want::Change) {
            Some(difference) if difference.is_empty() => None,
            Some(difference) => Some(self.change(&mask(&change_text(&difference, mask)))),
            None => Some(None),
        };
        let shown = shown.map(|change| change.unwrap_or_else(|| self.anew(&mask(snapshot.text()), url)));
        self.seen = Some(Seen {
            page: page.id().to_owned(),
            document: document_of(page),
            state: hash_of(&snapshot.text()),
            snapshot,
        });
        Ok(Look { shown })
    }

    /// How many characters there is room for, in one turn.
    pub(super) fn room_in_characters(&self) -> usize {
        self.room * CHARACTERS
    }

    /// What has changed; none when the whole page says it shorter.
    fn change(&mut self, text: &str) -> Option<Shown> {
        let tokens = estimate_tokens(text);
        let whole = self.whole.max(1);
        #[expect(clippy::cast_precision_loss, reason = "shares of counts of tokens")]
        let (is_large, is_much) = (
            tokens as f64 > whole as f64 * LARGEST_CHANGE && tokens > LEAST_CHANGES / 10,
            (self.changes + tokens) as f64 > (whole as f64 * MOST_CHANGES).max(LEAST_CHANGES as f64),
        );
        if is_large || is_much {
            return None;
        }
        self.changes += tokens;
        Some(Shown {
            text: text.to_owned(),
            url: None,
            rest: None,
            epoch: self.epoch,
        })
    }

    fn anew(&mut self, text: &str, url: String) -> Shown {
        let text = fitting(text, self.room);
        self.epoch += 1;
        self.whole = estimate_tokens(&text);
        self.changes = 0;
        Shown {
            rest: rest_of(&text, &self.words),
            text,
            url: Some(url),
            epoch: self.epoch,
        }
    }
}

/// The page once it is at rest, for as long as the limit allows.
///
/// # Errors
/// Those of reading a page.
pub(super) async fn at_rest(page: &Page, limit: Option<Duration>) -> Result<Snapshot> {
    let Some(limit) = limit else {
        page.settle().await?;
        return read_now(page).await;
    };
    // A page that never rests is read as it is.
    if let Ok(settled) = tokio::time::timeout(limit / 3, page.settle()).await {
        settled?;
    }
    let reading = tokio::time::timeout(limit / 3 * 2, read_now(page));
    reading.await.map_err(|_| cannot_be_read(limit))?
}

/// How the window looks, as a number; none when that cannot be told within the limit.
pub(super) async fn glimpse(page: &Page, limit: Option<Duration>) -> Option<u64> {
    let limit = limit.unwrap_or(GLIMPSE).min(GLIMPSE);
    let picture = tokio::time::timeout(limit, picture(page)).await.ok()?.ok()?;
    Some(hash_of(&picture.bytes))
}

/// The page as it is.
pub(super) async fn read_now(page: &Page) -> Result<Snapshot> {
    read(page, &scope(None, &[], Duration::ZERO)?).await
}

fn cannot_be_read(limit: Duration) -> Error {
    let message = format!("the page could not be read within {}", time_text(limit));
    Error::new(ErrorKind::Timeout, message)
}

fn document_of(page: &Page) -> String {
    page.browser_page().main_frame().loader_id()
}

/// One line a change: `+` new, `~` as it is now, `-` gone. Of what has gone the beginnings are enough.
fn change_text(difference: &Difference, mask: Mask<'_>) -> String {
    let mut lines: Vec<String> = Vec::new();
    lines.extend(difference.added.iter().map(|line| format!("+ {line}")));
    lines.extend(difference.changed.iter().map(|line| format!("~ {line}")));
    let gone = difference.removed.iter().take(MOST_GONE);
    // A part of a value is not known for one.
    lines.extend(gone.map(|line| format!("- {}", short(&mask(line), LONGEST_GONE))));
    let rest = difference.removed.len().saturating_sub(MOST_GONE);
    if rest > 0 {
        lines.push(format!("- and {rest} more lines"));
    }
    lines.join("\n")
}

/// The beginning of a text.
pub(super) fn short(text: &str, most: usize) -> String {
    let mut characters = text.chars();
    let mut beginning: String = characters.by_ref().take(most).collect();
    if characters.next().is_some() {
        beginning.push('…');
    }
    beginning
}

/// What is left of a page later on: its elements and its short texts, of long lists only what the task is about.
fn rest_of(text: &str, words: &[String]) -> Option<String> {
    if estimate_tokens(text) < LEAST_SHORTENED {
        return None;
    }
    let rest = usable_lines(&without_alike(text, words), LONGEST_LEFT);
    (rest.len() < text.len() / 8 * 7).then_some(rest)
}

/// As many lines as there is room for; says how many are missing.
fn fitting(text: &str, room: usize) -> String {
    if estimate_tokens(text) <= room {
        return text.to_owned();
    }
    let mut taken = 0;
    let mut kept = Vec::new();
    let lines: Vec<String> = text.lines().map(|line| short(line, LONGEST_WHERE_CUT)).collect();
    for line in &lines {
        taken += estimate_tokens(line) + 1;
        if taken > room {
            break;
        }
        kept.push(line.as_str());
    }
    let rest = lines.len() - kept.len();
    let note = format!("({rest} more lines; extract can read them)");
    if rest > 0 {
        kept.push(&note);
    }
    kept.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(prefix: &str, count: usize) -> Vec<String> {
        (0..count).map(|number| format!("{prefix} {number}")).collect()
    }

    #[test]
    fn changes_are_told_by_their_signs_and_much_that_has_gone_in_short() {
        let difference = Difference {
            added: lines("new", 2),
            changed: vec!["[0-1] button: Go [focused]".to_owned()],
            removed: lines(&"old ".repeat(30), 9),
        };
        let text = change_text(&difference, &str::to_owned);
        assert!(text.starts_with("+ new 0\n+ new 1\n~ [0-1] button: Go [focused]\n- old"));
        assert!(text.ends_with("\n- and 3 more lines"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= LONGEST_GONE + 3));
    }

    #[test]
    fn a_value_is_masked_before_a_line_is_cut_in_the_midst_of_it() {
        let secret = "Correct-Horse-Battery-Staple";
        let difference = Difference {
            removed: vec![format!("{} {secret}", "x".repeat(LONGEST_GONE - 10))],
            ..Difference::default()
        };
        let text = change_text(&difference, &|text| text.replace(secret, "%code%"));
        assert!(!text.contains("Correct") && text.contains("%code%"), "{text}");
    }

    #[test]
    fn changes_add_up_until_the_page_is_told_anew() {
        let mut view = View::new(None, "");
        let page = lines("a line of the page with some words", 300).join("\n");
        let whole = view.anew(&page, String::new());
        assert_eq!(whole.epoch, 1);
        let change = lines("+ a new line of the page", 100).join("\n");
        let mut told = 0;
        while let Some(shown) = view.change(&change) {
            assert_eq!(shown.epoch, 1);
            told += 1;
        }
        assert!((2..5).contains(&told), "{told}");
        assert_eq!(view.anew(&page, String::new()).epoch, 2);
        assert!(view.change(&change).is_some(), "they are counted anew");
    }

    #[test]
    fn a_change_as_long_as_the_page_is_the_page() {
        let mut view = View::new(None, "");
        let page = lines("a line of the page with some words", 300).join("\n");
        view.anew(&page, String::new());
        assert_eq!(view.change(&page), None);
    }

    #[test]
    fn a_page_beyond_the_window_is_cut_and_says_so() {
        let page = lines("a line of the page with some words", 300).join("\n");
        let cut = fitting(&page, 500);
        assert!(estimate_tokens(&cut) < 550);
        assert!(cut.ends_with("more lines; extract can read them)"), "{cut}");
        assert_eq!(fitting("a\nb", 500), "a\nb");
        let long = format!("{}\nbutton: After", "word ".repeat(10_000));
        let cut = fitting(&long, 1_000);
        assert!(
            cut.ends_with("…\nbutton: After"),
            "a long line hides nothing after it: {cut}"
        );
    }
}
