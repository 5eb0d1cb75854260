//! `bench agree`: our roles, names and ids beside the browser's own accessibility tree, over the corpus.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use automator_browser::{Page, SnapshotOptions};
use automator_snapshot::inspect::{InspectedElement, shown_elements};
use automator_snapshot::{NodeRef, Snapshot};
use futures_util::future::try_join_all;
use serde_json::{Value, json};

use crate::Selection;
use crate::difference::{Class, Differences};
use crate::figures::{Limit, Target};
use crate::oracle::{DomElement, OracleElement, accessible_elements, dom_elements};
use crate::stage::Stage;

/// Examples shown of what was missed.
const EXAMPLES: usize = 10;

/// Ids that are resolved at the same time.
const RESOLVED_AT_ONCE: usize = 200;

/// All that is compared of one page.
struct Sides {
    snapshot: Snapshot,
    ours: Vec<InspectedElement>,
    browser: Vec<OracleElement>,
    dom: Vec<DomElement>,
}

/// The figures over all pages.
#[derive(Default)]
struct Agreement {
    differences: Differences,
    /// Elements of the browser's tree that ours does not show, by role.
    not_shown: BTreeMap<String, Class>,
    usable: Share,
    native: Share,
    native_disabled: Share,
    /// Native controls in the browser's tree that ours does not show.
    native_not_shown: Share,
    resolved: Share,
    same_bytes: Share,
}

/// How many of all, and some of the others.
#[derive(Default)]
struct Share {
    all: usize,
    good: usize,
    others: Vec<String>,
}

/// Compares everything and prints the figures.
pub(crate) async fn run(browser: Option<PathBuf>, selection: &Selection) -> Result<()> {
    let Some(corpus) = selection.corpus()? else {
        return Ok(());
    };
    let stage = Stage::start(browser).await?;
    let mut agreement = Agreement::default();
    for (position, page) in corpus.pages.iter().enumerate() {
        let path = page.path();
        stage.site.route(&path, page.route()?);
        let tab = stage.open(&path).await?;
        let sides = Sides::of(&tab).await.with_context(|| page.id.clone())?;
        agreement.add(&page.id, &sides);
        resolve_ids(&mut agreement.resolved, &page.id, &tab, &sides.snapshot).await?;
        tab.close().await?;
        let again = stage.open(&path).await?;
        let snapshot = again.snapshot(&SnapshotOptions::default()).await?;
        let is_same = snapshot.text() == sides.snapshot.text();
        agreement.same_bytes.count(is_same, || page.id.clone());
        again.close().await?;
        eprintln!("{}/{} {}", position + 1, corpus.pages.len(), page.id);
    }
    stage.close().await;
    agreement.print();
    write_differences(&selection.out, &agreement.differences)
}

/// All differences, one a line, in `differences.jsonl`.
fn write_differences(folder: &Path, differences: &Differences) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let path = folder.join("differences.jsonl");
    let lines: String = differences.all().iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(&path, lines).with_context(|| format!("cannot write {}", path.display()))
}

impl Sides {
    async fn of(tab: &Page) -> Result<Self> {
        let snapshot = tab.snapshot(&SnapshotOptions::default()).await?;
        Ok(Self {
            ours: shown_elements(snapshot.captured())?,
            browser: accessible_elements(tab).await?,
            dom: dom_elements(tab).await?,
            snapshot,
        })
    }
}

impl Agreement {
    fn add(&mut self, page: &str, sides: &Sides) {
        let ours: HashMap<NodeRef, &InspectedElement> =
            sides.ours.iter().map(|element| (element.node, element)).collect();
        let dom: HashMap<NodeRef, &DomElement> =
            sides.dom.iter().map(|element| (element.node, element)).collect();
        let with_id: HashSet<NodeRef> = sides.snapshot.elements().map(reference).collect();
        let tag = |node: &NodeRef| dom.get(node).map_or("", |element| element.tag.as_str());
        for theirs in &sides.browser {
            let tag = tag(&theirs.node);
            match ours.get(&theirs.node) {
                Some(element) => {
                    let (role, name) = (element.role.word(), &element.name);
                    self.differences.compare(page, tag, role, name, theirs);
                }
                None => {
                    let class = self.not_shown.entry(theirs.role.clone()).or_default();
                    class.add(|| format!("{page} <{tag}> {:?}", theirs.name));
                }
            }
            if dom
                .get(&theirs.node)
                .is_some_and(|element| element.is_native_control)
            {
                let is_shown = ours.contains_key(&theirs.node);
                self.native_not_shown
                    .count(is_shown, || format!("{page} <{tag}> {:?}", theirs.name));
            }
        }
        for element in &sides.ours {
            let carries = with_id.contains(&element.node);
            let shown = || {
                let role = element.role.word();
                format!("{page} <{}> {role} {:?}", tag(&element.node), element.name)
            };
            let is_native = dom
                .get(&element.node)
                .is_some_and(|element| element.is_native_control);
            if element.is_usable && element.is_enabled {
                self.usable.count(carries, shown);
            }
            match (is_native, element.is_enabled) {
                (true, true) => self.native.count(carries, shown),
                (true, false) => self.native_disabled.count(carries, shown),
                (false, _) => {}
            }
        }
    }

    fn print(&self) {
        println!(
            "\nRole and name agree on {:.3} % of {} elements",
            self.differences.per_cent().unwrap_or_default(),
            self.differences.compared()
        );
        print_classes(self.differences.classes());
        println!("\nIn the browser's tree, not shown in ours: elements by role");
        let mut not_shown: Vec<_> = self
            .not_shown
            .iter()
            .map(|(role, class)| (role.as_str(), class))
            .collect();
        not_shown.sort_by_key(|(_, class)| std::cmp::Reverse(class.count()));
        print_classes(not_shown);
        println!("\nShares");
        let shares = [
            ("usable elements with an id", &self.usable),
            ("native controls with an id", &self.native),
            (
                "disabled or inert native controls with an id",
                &self.native_disabled,
            ),
            (
                "native controls of the browser's tree that ours shows",
                &self.native_not_shown,
            ),
            ("ids that resolve to their element", &self.resolved),
            ("pages with the same bytes when loaded twice", &self.same_bytes),
        ];
        for (name, share) in shares {
            share.print(name);
        }
        println!("\nTargets");
        for target in self.targets() {
            println!("  {target}");
        }
    }

    fn targets(&self) -> [Target; 5] {
        let target = |name: &str, per_cent, least| Target::new(name, per_cent, Limit::AtLeast(least), 3);
        [
            target("role and name agree, %", self.differences.per_cent(), 99.5),
            target("usable elements with an id, %", self.usable.per_cent(), 99.9),
            target("native controls with an id, %", self.native.per_cent(), 100.0),
            target(
                "ids that resolve to their element, %",
                self.resolved.per_cent(),
                100.0,
            ),
            target(
                "pages with the same bytes when loaded twice, %",
                self.same_bytes.per_cent(),
                100.0,
            ),
        ]
    }
}

impl Share {
    fn count(&mut self, is_good: bool, other: impl FnOnce() -> String) {
        self.all += 1;
        if is_good {
            self.good += 1;
        } else if self.others.len() < EXAMPLES {
            self.others.push(other());
        }
    }

    fn per_cent(&self) -> Option<f64> {
        (self.all > 0).then(|| 100.0 * self.good as f64 / self.all as f64)
    }

    fn print(&self, name: &str) {
        println!("  {} of {} {name}", self.good, self.all);
        for other in &self.others {
            println!("      not: {other}");
        }
    }
}

fn print_classes(classes: Vec<(&str, &Class)>) {
    for (name, class) in classes {
        println!("  {:>5}  {name}", class.count());
        for example in class.examples() {
            println!("           {example}");
        }
    }
}

fn reference(element: &automator_snapshot::Element) -> NodeRef {
    NodeRef {
        target: element.target,
        backend_node_id: element.node.backend_node_id,
    }
}

/// Takes every id of a snapshot the whole way: to an object in the page and back to its node.
async fn resolve_ids(share: &mut Share, page: &str, tab: &Page, snapshot: &Snapshot) -> Result<()> {
    let elements: Vec<_> = snapshot.elements().collect();
    for elements in elements.chunks(RESOLVED_AT_ONCE) {
        let resolutions = elements.iter().map(|element| resolves(tab, element));
        for (element, resolves) in elements.iter().zip(try_join_all(resolutions).await?) {
            share.count(resolves, || {
                format!("{page} {} {} {:?}", element.id, element.role, element.name)
            });
        }
    }
    Ok(())
}

/// Whether an id leads to a node in a document that is the one the snapshot told of. A browser that knows no
/// such node refuses, which is an answer here and no error.
async fn resolves(tab: &Page, element: &automator_snapshot::Element) -> Result<bool> {
    let Ok(found) = tab.element(element) else {
        return Ok(false);
    };
    let node = json!({ "backendNodeId": found.backend_node_id });
    let Ok(object) = found.session.send_raw("DOM.resolveNode", node).await else {
        return Ok(false);
    };
    let object: Value = object.parse()?;
    let object = json!({ "objectId": object["object"]["objectId"] });
    let Ok(node) = found.session.send_raw("DOM.describeNode", &object).await else {
        return Ok(false);
    };
    let node: Value = node.parse()?;
    found.session.send_raw("Runtime.releaseObject", object).await?;
    Ok(node["node"]["backendNodeId"] == element.node.backend_node_id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_counts_all_and_names_the_others() {
        let mut share = Share::default();
        assert_eq!(share.per_cent(), None);
        share.count(true, || unreachable!("only others are named"));
        share.count(false, || "p <a>".to_owned());
        assert_eq!(
            (share.per_cent(), share.others),
            (Some(50.0), vec!["p <a>".to_owned()])
        );
    }
}
