//! The reading corpus: saved pages, each with the text that has to be found in it.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use automator_testing::Route;
use serde::Deserialize;

/// The pages are static: they load nothing and run nothing.
const SECURITY_POLICY: &str =
    "script-src 'none'; img-src 'none'; font-src 'none'; connect-src 'none'; frame-src 'none'";

/// The corpus in its folder.
#[derive(Debug)]
pub(crate) struct Corpus {
    pub(crate) pages: Vec<CorpusPage>,
}

/// One page.
#[derive(Debug, Clone)]
pub(crate) struct CorpusPage {
    pub(crate) id: String,
    pub(crate) half: Half,
    pub(crate) truth: Truth,
    html: PathBuf,
}

/// The two sources of the corpus, which are scored apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Half {
    /// Articles, test pages of a reader mode.
    Readability,
    /// Pages of seven types.
    Mixed,
}

/// What is known of a page.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Truth {
    pub(crate) text: String,
    #[serde(default)]
    pub(crate) must: Vec<String>,
}

impl Corpus {
    /// The corpus of a folder, every `step`th page of it; none when the folder is absent.
    pub(crate) fn open(folder: &Path, step: usize) -> Result<Option<Self>> {
        let index = folder.join("index.tsv");
        if !index.exists() {
            return Ok(None);
        }
        let index =
            std::fs::read_to_string(&index).with_context(|| format!("cannot read {}", index.display()))?;
        let pages: Result<Vec<_>> = ids(&index)
            .step_by(step.max(1))
            .map(|id| CorpusPage::open(folder, id))
            .collect();
        Ok(Some(Self { pages: pages? }))
    }
}

impl CorpusPage {
    fn open(folder: &Path, id: &str) -> Result<Self> {
        let path = folder.join("truth").join(format!("{id}.json"));
        let truth = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let truth = serde_json::from_slice(&truth)
            .with_context(|| format!("cannot understand {}", path.display()))?;
        Ok(Self {
            id: id.to_owned(),
            half: Half::of(id),
            truth,
            html: folder.join("pages").join(format!("{id}.html")),
        })
    }

    /// The path at which the page is served.
    pub(crate) fn path(&self) -> String {
        format!("/{}", self.id)
    }

    /// The answer of the server.
    pub(crate) fn route(&self) -> Result<Route> {
        let html =
            std::fs::read(&self.html).with_context(|| format!("cannot read {}", self.html.display()))?;
        Ok(Route::html(html).header("content-security-policy", SECURITY_POLICY))
    }
}

impl Half {
    pub(crate) const ALL: [Half; 2] = [Half::Readability, Half::Mixed];

    fn of(id: &str) -> Self {
        if id.starts_with("rd-") {
            Half::Readability
        } else {
            Half::Mixed
        }
    }

    /// As in the ids of the pages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Half::Readability => "rd",
            Half::Mixed => "wcxb",
        }
    }
}

/// The first column, below its heading.
fn ids(index: &str) -> impl Iterator<Item = &str> {
    index
        .lines()
        .skip(1)
        .filter_map(|line| line.split('\t').next())
        .filter(|id| !id.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_stand_in_the_first_column_below_the_heading() {
        let index = "id\ttype\tbytes\nrd-001\treadability\t12\nwcxb-7\tforum\t9\n\n";
        assert_eq!(ids(index).collect::<Vec<_>>(), ["rd-001", "wcxb-7"]);
    }

    #[test]
    fn the_half_follows_from_the_id() {
        assert_eq!(Half::of("rd-001"), Half::Readability);
        assert_eq!(Half::of("wcxb-0163"), Half::Mixed);
    }

    #[test]
    fn an_absent_folder_is_no_error() {
        assert!(Corpus::open(Path::new("no/such/folder"), 1).unwrap().is_none());
    }
}
