//! Learning the way to an element from one or several examples.

use std::collections::HashSet;

use automator_snapshot::StructureNode;

use super::instruction::is_asked_for;
use super::path::{Anchor, Kind, Nth, Path, Step, is_cell, is_of_template};
use super::read::{Reader, is_labelled};

/// Longest text that is taken for a label.
const LONGEST_LABEL: usize = 60;

/// An element and the element that the way to it starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Example {
    pub(super) from: usize,
    pub(super) to: usize,
}

/// Learns ways on one page.
pub(super) struct Ways<'r, 's> {
    pub(super) reader: &'r Reader<'s>,
    /// The texts of the answer and of the address, in lower case: no label holds one.
    pub(super) data: Vec<String>,
    /// The words of the question and its schema.
    pub(super) asked: HashSet<String>,
    /// The title of the page, in lower case: it tells what the page is about.
    pub(super) title: String,
}

impl Ways<'_, '_> {
    /// A way that leads to each element from its start, and to no other.
    pub(super) fn path(&self, examples: &[Example]) -> Option<Path> {
        let first = examples.first()?;
        if let ([only], 0) = (examples, first.from) {
            return self.anchored(only.to);
        }
        let chains: Option<Vec<Vec<usize>>> = examples.iter().map(|example| self.chain(*example)).collect();
        Some(Path {
            from: None,
            steps: self.steps(&chains?)?,
        })
    }

    /// The way to an element of the page from the nearest one that the template names.
    fn anchored(&self, to: usize) -> Option<Path> {
        let around = std::iter::once(to).chain(self.reader.structure.ancestors(to));
        for start in around {
            let Some(anchor) = self.anchor(start) else {
                continue;
            };
            let steps = self.steps(&[self.chain(Example { from: start, to })?]);
            if let Some(steps) = steps {
                return Some(Path {
                    from: Some(anchor),
                    steps,
                });
            }
        }
        Some(Path {
            from: None,
            steps: self.steps(&[self.chain(Example { from: 0, to })?])?,
        })
    }

    fn anchor(&self, number: usize) -> Option<Anchor> {
        let node = self.reader.structure.node(number)?;
        let id = node
            .id
            .as_deref()
            .filter(|id| is_of_template(id) && !self.is_data(&id.replace(['-', '_'], " ")));
        let landmark = || {
            let is_alone = matches!(
                node.role,
                "main" | "banner" | "contentinfo" | "search" | "complementary" | "dialog"
            );
            let needs_name = matches!(node.role, "navigation" | "region" | "form" | "table" | "group");
            let is_named = !node.name.is_empty() && self.is_label(&node.name);
            (is_alone || (needs_name && is_named)).then(|| Anchor::Landmark {
                role: node.role.to_owned(),
                name: if needs_name {
                    node.name.clone()
                } else {
                    String::new()
                },
            })
        };
        let by_id = id.map(|id| Anchor::Id(id.to_owned()));
        let leads_here = |anchor: &Anchor| self.reader.anchor(anchor) == Ok(Some(number));
        by_id.filter(leads_here).or_else(|| landmark().filter(leads_here))
    }

    /// From the start, which is the first, down to the element.
    fn chain(&self, example: Example) -> Option<Vec<usize>> {
        let mut chain = vec![example.to];
        let mut current = example.to;
        while current != example.from {
            current = self.reader.structure.node(current)?.parent?;
            chain.push(current);
        }
        chain.reverse();
        Some(chain)
    }

    fn steps(&self, chains: &[Vec<usize>]) -> Option<Vec<Step>> {
        let length = chains.first()?.len();
        if chains.iter().any(|chain| chain.len() != length) {
            return None;
        }
        (1..length)
            .map(|level| {
                let pairs: Option<Vec<Example>> = chains
                    .iter()
                    .map(|chain| {
                        Some(Example {
                            from: *chain.get(level - 1)?,
                            to: *chain.get(level)?,
                        })
                    })
                    .collect();
                self.step(&pairs?, level + 1 == length)
            })
            .collect()
    }

    /// From parents to children.
    fn step(&self, pairs: &[Example], is_last: bool) -> Option<Step> {
        let common = self.common_kind(pairs)?;
        let bare = Step {
            kind: Kind {
                tag: common.tag.clone(),
                classes: if is_last {
                    common.classes.clone()
                } else {
                    Vec::new()
                },
            },
            ..Step::default()
        };
        let leads = |step: &Step| {
            pairs
                .iter()
                .all(|pair| self.reader.step(step, pair.from) == Ok(Some(pair.to)))
        };
        let candidates = self.named_step(&bare, pairs).into_iter();
        let candidates = candidates.chain(std::iter::once(bare.clone()));
        if let Some(step) = candidates.into_iter().find(|step| leads(step)) {
            return Some(step);
        }
        let by_id = self.common_id(pairs).map(|id| Step {
            id: Some(id),
            ..bare.clone()
        });
        let by_class = by_class(&common).map(|kind| Step {
            kind,
            ..Step::default()
        });
        // One of several things of a kind may have been chosen by what it is like; its name is a label only when it
        // was asked for by it.
        let is_one_of_many = matches!(pairs, [only] if self.repeats(&bare, only));
        let names = |label: &String| !is_one_of_many || is_asked_for(label, &self.asked);
        let labelled = self.labels(pairs).into_iter().filter(names).map(|label| Step {
            labelled: Some(label),
            ..bare.clone()
        });
        let after = self.text_before(pairs, false).filter(names).map(|label| Step {
            after: Some(label),
            ..bare.clone()
        });
        let mut others = by_id.into_iter().chain(by_class).chain(labelled).chain(after);
        others
            .find(|step| leads(step))
            .or_else(|| self.counted(&bare, pairs).filter(|step| leads(step)))
    }

    /// By what a template writes beside it: the term of a definition, the header of a row or column, a label.
    fn named_step(&self, bare: &Step, pairs: &[Example]) -> Vec<Step> {
        let mut steps = Vec::new();
        if let Some(label) = self.text_before(pairs, true) {
            steps.push(Step {
                after: Some(label),
                ..bare.clone()
            });
        }
        if let Some(header) = self.common(pairs, |pair| {
            let node = self.reader.structure.node(pair.to).filter(|node| is_cell(node));
            node.and_then(|_| self.reader.grid_around(pair.to).ok()?)?
                .header_of(pair.to)
                .map(str::to_owned)
        }) && self.is_label(&header)
        {
            steps.push(Step {
                kind: Kind {
                    tag: bare.kind.tag.clone(),
                    classes: Vec::new(),
                },
                column: Some(header),
                ..Step::default()
            });
        }
        steps
    }

    /// The text of the elements before, when it is the same label; `is_named`: only when markup or a colon says
    /// that it is one.
    fn text_before(&self, pairs: &[Example], is_named: bool) -> Option<String> {
        let structure = self.reader.structure;
        let before = |pair: &Example| {
            let number = structure
                .elements_in(pair.from)
                .take_while(|&child| child != pair.to)
                .last()?;
            let node = structure.node(number)?;
            let text = structure.lines(number).join(" ");
            let says_so = matches!(node.tag.as_str(), "dt" | "th" | "label" | "legend")
                || matches!(node.role, "rowheader" | "term")
                || is_lower_heading(node)
                || text.ends_with(':');
            (says_so || !is_named).then_some(text)
        };
        self.common(pairs, before).filter(|text| self.is_label(text))
    }

    /// What the elements all begin with, as a label or up to a colon.
    fn labels(&self, pairs: &[Example]) -> Vec<String> {
        let structure = self.reader.structure;
        let first = |pair: &Example| Some(structure.first_text(pair.to));
        let to_colon = |pair: &Example| {
            let text = structure.first_text(pair.to);
            text.find(':')
                .and_then(|colon| text.get(..=colon).map(str::to_owned))
        };
        let labels = [self.common(pairs, first), self.common(pairs, to_colon)];
        let labels = labels.into_iter().flatten().filter(|label| self.is_label(label));
        labels.filter(|label| is_labelled(label, label)).collect()
    }

    /// By position, where the elements are no repeated things one of which was chosen.
    fn counted(&self, bare: &Step, pairs: &[Example]) -> Option<Step> {
        let position = |pair: &Example| {
            let fitting = self.reader.fitting(bare, pair.from).ok()?;
            let nth = fitting.iter().position(|&child| child == pair.to)? + 1;
            Some(Nth {
                nth,
                of: fitting.len(),
            })
        };
        let nth = self.common(pairs, position)?;
        let is_one_of_many = matches!(pairs, [only] if self.repeats(bare, only));
        (!is_one_of_many).then(|| Step {
            nth: Some(nth),
            ..bare.clone()
        })
    }

    /// Whether the element stands among others like it.
    fn repeats(&self, bare: &Step, pair: &Example) -> bool {
        let fitting = self.reader.fitting(bare, pair.from).unwrap_or_default();
        fitting
            .iter()
            .any(|&child| child != pair.to && self.is_alike(child, pair.to))
    }

    /// Whether two elements are two of a kind, as the items of a list are.
    fn is_alike(&self, one: usize, two: usize) -> bool {
        let structure = self.reader.structure;
        let shape = |number: usize| -> Vec<&str> {
            let children = structure.elements_in(number);
            children
                .filter_map(|child| Some(structure.node(child)?.tag.as_str()))
                .collect()
        };
        let Some(node) = structure.node(one) else {
            return false;
        };
        let is_item = matches!(node.tag.as_str(), "li" | "tr" | "article" | "option")
            || matches!(node.role, "listitem" | "row" | "article" | "option");
        let (one, two) = (shape(one), shape(two));
        is_item || (!is_cell(node) && one.len() > 1 && one == two)
    }

    fn common_kind(&self, pairs: &[Example]) -> Option<Kind> {
        let structure = self.reader.structure;
        let kinds: Option<Vec<Kind>> = pairs
            .iter()
            .map(|pair| structure.node(pair.to).map(Kind::of))
            .collect();
        let kinds = kinds?;
        common_kind(&kinds, structure.node(pairs.first()?.to)?)
    }

    fn common_id(&self, pairs: &[Example]) -> Option<String> {
        let structure = self.reader.structure;
        self.common(pairs, |pair| structure.node(pair.to)?.id.clone())
            .filter(|id| is_of_template(id) && !self.is_data(&id.replace(['-', '_'], " ")))
    }

    fn common<T: PartialEq>(&self, pairs: &[Example], of: impl Fn(&Example) -> Option<T>) -> Option<T> {
        let first = of(pairs.first()?)?;
        pairs
            .iter()
            .skip(1)
            .all(|pair| of(pair).as_ref() == Some(&first))
            .then_some(first)
    }

    /// Whether a template may have written the text: short, without digits, nothing of the answer.
    pub(super) fn is_label(&self, text: &str) -> bool {
        text.chars().any(char::is_alphabetic)
            && text.chars().count() <= LONGEST_LABEL
            && !text.contains(|character: char| character.is_ascii_digit())
            && !self.is_data(text)
            && !self.title.contains(&text.to_lowercase())
    }

    pub(super) fn is_data(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        self.data.iter().any(|data| text.contains(data.as_str()))
    }

    /// Where pieces of the answer stand in a text.
    pub(super) fn data_in(&self, text: &str) -> Vec<(usize, usize)> {
        let lower = text.to_lowercase();
        if lower.len() != text.len() {
            // Places in one are no places in the other: then all of it may be data.
            return if self.is_data(text) {
                vec![(0, text.len())]
            } else {
                Vec::new()
            };
        }
        let all = self.data.iter().filter(|data| !data.is_empty());
        all.flat_map(|data| lower.match_indices(data.as_str()))
            .map(|(start, found)| (start, start + found.len()))
            .collect()
    }
}

/// What elements have in common, classes in the order of the first.
pub(super) fn common_kind(kinds: &[Kind], first: &StructureNode) -> Option<Kind> {
    let same_tag = kinds.iter().all(|kind| kind.tag == first.tag);
    let shared = |class: &&String| kinds.iter().all(|kind| kind.classes.contains(class));
    same_tag.then(|| Kind {
        tag: first.tag.clone(),
        classes: first.classes.iter().filter(shared).cloned().collect(),
    })
}

/// Each class alone, those that look like a passing state last; then all together.
fn by_class(common: &Kind) -> impl Iterator<Item = Kind> + '_ {
    let is_state =
        |class: &&String| class.starts_with("is-") || class.starts_with("has-") || class.contains("--");
    let lasting = common.classes.iter().filter(move |class| !is_state(class));
    let passing = common.classes.iter().filter(is_state);
    let each = lasting.chain(passing).map(|class| Kind {
        tag: common.tag.clone(),
        classes: vec![class.clone()],
    });
    each.chain((common.classes.len() > 1).then(|| common.clone()))
}

/// `h1` names the page, the others its parts.
fn is_lower_heading(node: &StructureNode) -> bool {
    matches!(node.tag.as_str(), "h2" | "h3" | "h4" | "h5" | "h6")
}
