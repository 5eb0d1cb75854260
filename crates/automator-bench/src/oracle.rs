//! What the browser itself says of a page: its accessibility tree and its DOM, read whole.
//!
//! Both are far too slow for reading pages in earnest; here they are what ours is held against.

use std::collections::HashMap;

use anyhow::{Context as _, Result};
use automator_browser::Page;
use automator_snapshot::NodeRef;
use serde::Deserialize;
use serde_json::json;

/// Roles that are not compared: text, and wrappers that say nothing.
const NOT_COMPARED: [&str; 7] = [
    "StaticText",
    "InlineTextBox",
    "LineBreak",
    "ListMarker",
    "generic",
    "none",
    "LabelText",
];

/// What a player shows inside belongs to the browser, not to the page.
const PLAYERS: [&str; 2] = ["Audio", "Video"];

/// An element as the browser's accessibility tree has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OracleElement {
    pub(crate) node: NodeRef,
    pub(crate) role: String,
    pub(crate) name: String,
}

/// An element of the DOM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DomElement {
    pub(crate) node: NodeRef,
    /// Its name with the attributes that bear on role and name.
    pub(crate) tag: String,
    /// A control by its tag: people can use it in any page.
    pub(crate) is_native_control: bool,
}

/// The elements of the accessibility tree that are compared, of all frames.
pub(crate) async fn accessible_elements(page: &Page) -> Result<Vec<OracleElement>> {
    let mut elements = Vec::new();
    for (target, group) in page.frame_groups().iter().enumerate() {
        for frame in &group.frames {
            let tree = group
                .session
                .send_raw("Accessibility.getFullAXTree", json!({ "frameId": frame.id() }))
                .await?;
            let tree: AxTree = tree.parse().context("the accessibility tree cannot be read")?;
            elements.extend(compared(&tree.nodes, target));
        }
    }
    Ok(elements)
}

/// Every element of the DOM, frames and shadow roots included, what the browser adds of its own excluded.
pub(crate) async fn dom_elements(page: &Page) -> Result<Vec<DomElement>> {
    let mut elements = Vec::new();
    for (target, group) in page.frame_groups().iter().enumerate() {
        let document = group
            .session
            .send_raw("DOM.getDocument", json!({ "depth": -1, "pierce": true }))
            .await?;
        let document: DomDocument = document.parse().context("the DOM cannot be read")?;
        elements.extend(flattened(document.root, target));
    }
    Ok(elements)
}

#[derive(Deserialize)]
struct AxTree {
    #[serde(default)]
    nodes: Vec<AxNode>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct AxNode {
    node_id: String,
    ignored: bool,
    role: AxValue,
    name: AxValue,
    parent_id: Option<String>,
    #[serde(rename = "backendDOMNodeId")]
    backend_node_id: Option<i64>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct AxValue {
    value: serde_json::Value,
}

impl AxValue {
    fn as_str(&self) -> &str {
        self.value.as_str().unwrap_or_default()
    }
}

fn compared(nodes: &[AxNode], target: usize) -> Vec<OracleElement> {
    let by_id: HashMap<&str, &AxNode> = nodes.iter().map(|node| (node.node_id.as_str(), node)).collect();
    let above = |node: &AxNode| node.parent_id.as_deref().and_then(|id| by_id.get(id).copied());
    let is_in_player = |node: &AxNode| {
        // A tree that is a circle ends after as many steps as it has nodes.
        let ancestors = std::iter::successors(above(node), |node| above(node)).take(nodes.len());
        ancestors
            .into_iter()
            .any(|ancestor| PLAYERS.contains(&ancestor.role.as_str()))
    };
    let wanted = nodes
        .iter()
        .filter(|node| !node.ignored && !NOT_COMPARED.contains(&node.role.as_str()) && !is_in_player(node));
    wanted
        .filter_map(|node| {
            Some(OracleElement {
                node: NodeRef {
                    target,
                    backend_node_id: node.backend_node_id?,
                },
                role: node.role.as_str().to_owned(),
                name: node.name.as_str().to_owned(),
            })
        })
        .collect()
}

#[derive(Deserialize)]
struct DomDocument {
    root: DomNode,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct DomNode {
    backend_node_id: i64,
    node_type: i64,
    local_name: String,
    /// Names and values in turn.
    attributes: Vec<String>,
    shadow_root_type: String,
    children: Vec<DomNode>,
    shadow_roots: Vec<DomNode>,
    content_document: Option<Box<DomNode>>,
}

/// Characters kept of an attribute.
const VALUE_LENGTH: usize = 40;

/// The node type of elements.
const ELEMENT: i64 = 1;

fn flattened(root: DomNode, target: usize) -> Vec<DomElement> {
    let mut elements = Vec::new();
    let mut waiting = vec![root];
    while let Some(node) = waiting.pop() {
        if node.shadow_root_type == "user-agent" {
            continue;
        }
        if node.node_type == ELEMENT {
            elements.push(DomElement {
                node: NodeRef {
                    target,
                    backend_node_id: node.backend_node_id,
                },
                is_native_control: is_native_control(&node),
                tag: telling_tag(&node),
            });
        }
        waiting.extend(node.children);
        waiting.extend(node.shadow_roots);
        waiting.extend(node.content_document.map(|document| *document));
    }
    elements
}

/// The start tag without the attributes that say nothing about role and name.
fn telling_tag(node: &DomNode) -> String {
    let mut tag = node.local_name.clone();
    for pair in node.attributes.chunks_exact(2) {
        let (name, value) = (pair[0].as_str(), pair[1].as_str());
        let tells = name.starts_with("aria-")
            || matches!(
                name,
                "role" | "title" | "alt" | "type" | "tabindex" | "contenteditable" | "placeholder"
            );
        if tells {
            let value: String = value.chars().take(VALUE_LENGTH).collect();
            tag.push_str(&format!(" {name}={value:?}"));
        }
    }
    tag
}

fn is_native_control(node: &DomNode) -> bool {
    let attribute = |name: &str| {
        node.attributes
            .chunks_exact(2)
            .find(|pair| pair[0] == name)
            .map(|pair| pair[1].as_str())
    };
    match node.local_name.as_str() {
        "input" => attribute("type").is_none_or(|kind| !kind.eq_ignore_ascii_case("hidden")),
        "a" => attribute("href").is_some(),
        name => matches!(name, "select" | "textarea" | "button" | "option" | "summary"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ax(value: serde_json::Value) -> Vec<(String, String)> {
        let tree: AxTree = serde_json::from_value(value).unwrap();
        compared(&tree.nodes, 0)
            .into_iter()
            .map(|element| (element.role, element.name))
            .collect()
    }

    #[test]
    fn ignored_nodes_text_and_the_inside_of_players_are_not_compared() {
        let node = |id: u32, parent: u32, role: &str, ignored: bool| {
            json!({
                "nodeId": id.to_string(), "parentId": parent.to_string(), "ignored": ignored,
                "role": { "value": role }, "name": { "value": format!("n{id}") }, "backendDOMNodeId": id,
            })
        };
        let tree = json!({ "nodes": [
            node(1, 0, "RootWebArea", false),
            node(2, 1, "link", false),
            node(3, 2, "StaticText", false),
            node(4, 1, "button", true),
            node(5, 1, "Video", false),
            node(6, 5, "generic", true),
            node(7, 6, "button", false),
        ]});
        let expected = [("RootWebArea", "n1"), ("link", "n2"), ("Video", "n5")];
        assert_eq!(
            ax(tree),
            expected.map(|(role, name)| (role.to_owned(), name.to_owned()))
        );
    }

    #[test]
    fn a_tree_that_is_a_circle_ends() {
        let tree = json!({ "nodes": [
            { "nodeId": "1", "parentId": "2", "role": { "value": "link" }, "backendDOMNodeId": 1 },
            { "nodeId": "2", "parentId": "1", "role": { "value": "main" }, "backendDOMNodeId": 2 },
        ]});
        assert_eq!(ax(tree).len(), 2);
    }

    #[test]
    fn native_controls_are_told_by_tag_and_attribute() {
        let is_native = |name: &str, attributes: &[&str]| {
            is_native_control(&DomNode {
                local_name: name.to_owned(),
                attributes: attributes.iter().map(ToString::to_string).collect(),
                ..DomNode::default()
            })
        };
        assert!(is_native("input", &[]) && is_native("input", &["type", "text"]));
        assert!(!is_native("input", &["id", "x", "type", "HIDDEN"]));
        assert!(is_native("a", &["href", ""]) && !is_native("a", &["name", "href"]));
        assert!(is_native("summary", &[]) && !is_native("div", &["href", "/"]));
    }

    #[test]
    fn a_tag_is_told_with_what_bears_on_its_role_and_name() {
        let node = DomNode {
            local_name: "div".to_owned(),
            attributes: ["class", "x", "role", "img", "aria-label", "Arc"]
                .map(str::to_owned)
                .to_vec(),
            ..DomNode::default()
        };
        assert_eq!(telling_tag(&node), r#"div role="img" aria-label="Arc""#);
    }

    #[test]
    fn elements_in_shadow_roots_and_frames_are_found_and_the_browsers_own_are_not() {
        let root: DomNode = serde_json::from_value(json!({
            "nodeType": 9, "backendNodeId": 1, "children": [{
                "nodeType": 1, "backendNodeId": 2, "localName": "div",
                "shadowRoots": [
                    { "nodeType": 11, "shadowRootType": "open", "children": [{ "nodeType": 1, "backendNodeId": 3, "localName": "button" }] },
                    { "nodeType": 11, "shadowRootType": "user-agent", "children": [{ "nodeType": 1, "backendNodeId": 4, "localName": "button" }] },
                ],
                "contentDocument": { "nodeType": 9, "children": [{ "nodeType": 1, "backendNodeId": 5, "localName": "html" }] },
            }],
        }))
        .unwrap();
        let mut found: Vec<_> = flattened(root, 0)
            .iter()
            .map(|element| element.node.backend_node_id)
            .collect();
        found.sort_unstable();
        assert_eq!(found, [2, 3, 5]);
    }
}
