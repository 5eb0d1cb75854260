//! How two readers of one page differ on an element, and classes of such differences; pure.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::oracle::OracleElement;

/// Examples shown of each class.
const EXAMPLES: usize = 2;

/// Characters shown of a name.
const NAME_LENGTH: usize = 70;

/// Counts differences by class.
#[derive(Debug, Default)]
pub(crate) struct Differences {
    compared: usize,
    agreeing: usize,
    classes: BTreeMap<String, Class>,
    all: Vec<Value>,
}

/// Differences of one kind.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Class {
    count: usize,
    examples: Vec<String>,
}

impl Class {
    /// Counts one more; `example` is only asked while there are few.
    pub(crate) fn add(&mut self, example: impl FnOnce() -> String) {
        self.count += 1;
        if self.examples.len() < EXAMPLES {
            self.examples.push(example());
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    pub(crate) fn examples(&self) -> &[String] {
        &self.examples
    }
}

impl Differences {
    /// Holds our role and name against the browser's.
    pub(crate) fn compare(&mut self, page: &str, tag: &str, role: &str, name: &str, theirs: &OracleElement) {
        self.compared += 1;
        let Some(class) = class_of(role, name, theirs) else {
            self.agreeing += 1;
            return;
        };
        self.all.push(json!({
            "page": page, "class": class, "tag": tag,
            "browser": { "role": theirs.role, "name": theirs.name },
            "ours": { "role": role, "name": name },
        }));
        self.classes.entry(class).or_default().add(|| {
            format!(
                "{page} <{tag}> browser: {} {:?}, ours: {role} {:?}",
                theirs.role,
                shortened(&theirs.name),
                shortened(name)
            )
        });
    }

    /// Every difference, in the order in which it was found.
    pub(crate) fn all(&self) -> &[Value] {
        &self.all
    }

    pub(crate) fn compared(&self) -> usize {
        self.compared
    }

    /// The share of elements on which role and name agree, in per cent.
    pub(crate) fn per_cent(&self) -> Option<f64> {
        (self.compared > 0).then(|| 100.0 * self.agreeing as f64 / self.compared as f64)
    }

    /// The classes, the largest first.
    pub(crate) fn classes(&self) -> Vec<(&str, &Class)> {
        let mut classes: Vec<_> = self
            .classes
            .iter()
            .map(|(name, class)| (name.as_str(), class))
            .collect();
        classes.sort_by_key(|(_, class)| std::cmp::Reverse(class.count));
        classes
    }
}

/// What differs; none when role and name are the same but for white space.
fn class_of(role: &str, name: &str, theirs: &OracleElement) -> Option<String> {
    if role != theirs.role {
        return Some(format!("role {} in the browser, {role} in ours", theirs.role));
    }
    let (ours, browser) = (collapsed(name), collapsed(&theirs.name));
    if ours == browser {
        return None;
    }
    let how = if ours.is_empty() {
        "none in ours"
    } else if browser.is_empty() {
        "none in the browser"
    } else if without_white_space(&ours) == without_white_space(&browser) {
        "white space"
    } else if without_private_use(&ours) == without_private_use(&browser) {
        "private-use characters"
    } else if browser.contains(&ours) {
        "ours is a part"
    } else if ours.contains(&browser) {
        "the browser's is a part"
    } else {
        "other words"
    };
    Some(format!("name of {role}: {how}"))
}

fn collapsed(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn without_white_space(name: &str) -> String {
    name.split_whitespace().collect()
}

/// Letters of icon fonts, which have no meaning elsewhere.
fn without_private_use(name: &str) -> String {
    let kept = name
        .chars()
        .filter(|character| !matches!(character, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..));
    collapsed(&kept.collect::<String>())
}

fn shortened(name: &str) -> String {
    let collapsed = collapsed(name);
    match collapsed.char_indices().nth(NAME_LENGTH) {
        Some((end, _)) => format!("{}…", &collapsed[..end]),
        None => collapsed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use automator_snapshot::NodeRef;

    fn theirs(role: &str, name: &str) -> OracleElement {
        OracleElement {
            node: NodeRef {
                target: 0,
                backend_node_id: 1,
            },
            role: role.to_owned(),
            name: name.to_owned(),
        }
    }

    fn class(ours: &str, browser: &str) -> Option<String> {
        class_of("link", ours, &theirs("link", browser))
    }

    #[test]
    fn white_space_around_and_between_words_makes_no_difference() {
        assert_eq!(class("Arc lamp", " Arc\n\u{a0} lamp "), None);
        assert_eq!(class("Arclamp", "Arc lamp").unwrap(), "name of link: white space");
    }

    #[test]
    fn names_are_told_apart_by_what_is_missing() {
        assert_eq!(class("", "Arc").unwrap(), "name of link: none in ours");
        assert_eq!(class("Arc", "").unwrap(), "name of link: none in the browser");
        assert_eq!(class("Arc", "Arc lamp").unwrap(), "name of link: ours is a part");
        assert_eq!(
            class("Arc lamp", "lamp").unwrap(),
            "name of link: the browser's is a part"
        );
        assert_eq!(class("Arc", "Lamp").unwrap(), "name of link: other words");
        assert_eq!(
            class("Arc", "\u{e001} Arc").unwrap(),
            "name of link: private-use characters"
        );
    }

    #[test]
    fn a_role_that_differs_is_a_class_whatever_the_names() {
        let class = class_of("group", "x", &theirs("form", "x")).unwrap();
        assert_eq!(class, "role form in the browser, group in ours");
    }

    #[test]
    fn classes_come_with_counts_and_two_examples_the_largest_first() {
        let mut differences = Differences::default();
        differences.compare("p", "a", "link", "same", &theirs("link", "same"));
        differences.compare("p", "a", "link", "", &theirs("link", "x"));
        for page in ["p", "q", "r"] {
            differences.compare(
                page,
                "div",
                "group",
                "",
                &theirs("form", "long ".repeat(40).as_str()),
            );
        }
        assert_eq!((differences.compared(), differences.all().len()), (5, 4));
        assert_eq!(differences.per_cent(), Some(20.0));
        let classes = differences.classes();
        assert_eq!(classes[0].0, "role form in the browser, group in ours");
        assert_eq!((classes[0].1.count, classes[0].1.examples.len()), (3, 2));
        assert!(classes[0].1.examples[0].contains("long…") || classes[0].1.examples[0].contains("…\""));
    }
}
