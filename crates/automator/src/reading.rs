//! Reading a page for an operation: the snapshot, and paths of what is chosen in it.

use std::time::Duration;

use automator_browser::{Selector, SnapshotOptions};
use automator_snapshot::{Element, Snapshot, XPath};

use crate::page::Page;
use crate::variables::Variables;
use crate::{Error, Result};

/// The share of a call's limit that frames in other processes get.
const FRAME_SHARE: u32 = 4;

/// The longest that such a frame is waited for.
const LONGEST_FRAME_WAIT: Duration = Duration::from_secs(5);

/// The part of a page that is read, and the share of a call's limit that frames in other processes get.
pub(crate) fn scope(selector: Option<&str>, ignored: &[String], limit: Duration) -> Result<SnapshotOptions> {
    let share = if limit.is_zero() {
        LONGEST_FRAME_WAIT
    } else {
        limit / FRAME_SHARE
    };
    Ok(SnapshotOptions {
        selector: selector.map(Selector::parse).transpose()?,
        ignore: ignored
            .iter()
            .map(|text| Selector::parse(text).map_err(Error::from))
            .collect::<Result<_>>()?,
        frame_limit: share.min(LONGEST_FRAME_WAIT),
        ..SnapshotOptions::default()
    })
}

tokio::task_local! {
    /// The variables of the call that reads.
    static NAMES: Variables;
}

/// Runs work that knows what these names stand for, when it reads what earlier calls have typed under them.
pub(crate) async fn naming<T>(variables: &Variables, work: impl Future<Output = T>) -> T {
    NAMES.scope(variables.clone(), work).await
}

/// Reads a page, or a part of it. Fields into which the session has typed variables show their names.
pub(crate) async fn read(page: &Page, scope: &SnapshotOptions) -> Result<Snapshot> {
    let mut scope = scope.clone();
    let variables = NAMES.try_with(Variables::clone).unwrap_or_default();
    scope.masked_values = page.session().typed(&variables);
    Ok(page.browser_page().snapshot(&scope).await?)
}

/// The selectors by which elements of a snapshot are found again: `xpath=` and an absolute path. None for an
/// element that has gone meanwhile.
pub(crate) async fn selectors_of(
    page: &Page,
    snapshot: &Snapshot,
    elements: &[&Element],
) -> Result<Vec<Option<String>>> {
    let paths = snapshot.xpaths();
    let asked: Vec<Option<&XPath>> = elements.iter().map(|element| paths.get(&element.id)).collect();
    let known: Vec<&XPath> = asked.iter().copied().flatten().collect();
    let mut texts = page.browser_page().xpaths_of(&known).await?.into_iter();
    let selector = |path: Option<&XPath>| {
        path?;
        texts.next().flatten().map(|text| format!("xpath={text}"))
    };
    Ok(asked.into_iter().map(selector).collect())
}
