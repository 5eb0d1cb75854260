//! From a selector to elements: through frames of any process and through shadow roots, open and closed.

use automator_cdp::protocol::dom::ResolveNode;
use automator_cdp::protocol::runtime::SerializationOptions;
use automator_cdp::{RawReply, Session};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::closed_roots::{ClosedRoots, closed_roots};
use crate::selector::Part;
use crate::{Argument, BrowserError, Frame, Handle, Page, Selector};

/// An element that a selector led to.
#[derive(Debug, Clone)]
pub struct ElementRef {
    /// The frame whose document it is in.
    pub frame: Frame,
    /// The session that reaches it.
    pub session: Session,
    /// Names the node for as long as it lives, for commands that take a `backendNodeId`.
    pub backend_node_id: i64,
    /// The loader of its document.
    pub loader_id: String,
    /// Its tag, in lower case in HTML.
    pub tag: String,
}

/// Which of several elements are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matches {
    /// The first one; none is an error.
    First,
    /// All of them, and there may be none. Where a part before a `>>` matches several frames or hosts, each is
    /// gone into.
    All,
}

impl Page {
    /// The elements that a selector leads to, in the order of the page.
    ///
    /// Closed shadow roots are looked for where it matters: for [`Matches::All`], and for [`Matches::First`] when
    /// nothing is found without them. `known` are those that are known already, as from a snapshot; then none
    /// are looked for.
    ///
    /// # Errors
    /// [`BrowserError::InvalidSelector`]; for [`Matches::First`] [`BrowserError::ElementNotFound`] or
    /// [`BrowserError::XPathNotFound`]; [`BrowserError::NotAFrame`], [`BrowserError::FrameWithoutDocument`] and
    /// [`BrowserError::NoShadowRoot`] at a `>>`; else as [`Frame::call_function`].
    pub async fn resolve(
        &self,
        selector: &Selector,
        matches: Matches,
        known: Option<&ClosedRoots>,
    ) -> Result<Vec<ElementRef>, BrowserError> {
        self.main_frame().resolve_from(selector, matches, known).await
    }
}

impl Frame {
    /// As [`Page::resolve`], beginning in the document of this frame.
    pub(crate) async fn resolve_from(
        &self,
        selector: &Selector,
        matches: Matches,
        known: Option<&ClosedRoots>,
    ) -> Result<Vec<ElementRef>, BrowserError> {
        let resolution = Resolution {
            start: self,
            selector,
            matches,
        };
        if let Some(known) = known {
            return resolution.run(known).await;
        }
        let first_try = if matches == Matches::First {
            Some(resolution.run(&ClosedRoots::default()).await)
        } else {
            None
        };
        match first_try {
            Some(outcome) if !outcome.as_ref().is_err_and(is_missing) => outcome,
            first_try => {
                let closed = closed_roots(self.page()).await?;
                match first_try {
                    Some(outcome) if closed.is_empty() => outcome,
                    _ => resolution.run(&closed).await,
                }
            }
        }
    }
}

/// Whether a closed shadow root might hold what was not found.
pub(crate) fn is_missing(error: &BrowserError) -> bool {
    matches!(
        error,
        BrowserError::ElementNotFound { .. }
            | BrowserError::XPathNotFound { .. }
            | BrowserError::NoShadowRoot { .. }
            | BrowserError::NotAFrame { .. }
    )
}

pub(crate) struct Resolution<'a> {
    pub(crate) start: &'a Frame,
    pub(crate) selector: &'a Selector,
    pub(crate) matches: Matches,
}

/// Where to look: in a frame's document, or in one shadow root of it.
pub(crate) struct Scope {
    pub(crate) frame: Frame,
    pub(crate) root: Option<i64>,
}

/// A node as the browser serialises it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Node {
    backend_node_id: i64,
    #[serde(default)]
    loader_id: String,
    #[serde(default)]
    local_name: String,
    /// Of frame elements.
    #[serde(default)]
    frame_id: Option<String>,
    #[serde(default)]
    shadow_root: Option<Box<Serialized>>,
}

/// The browser's "deep serialised" values, as far as they are needed.
#[derive(Debug, Deserialize)]
struct Serialized {
    r#type: String,
    #[serde(default)]
    value: Value,
}

impl Resolution<'_> {
    async fn run(&self, closed: &ClosedRoots) -> Result<Vec<ElementRef>, BrowserError> {
        let scopes = self.scopes(closed).await?;
        let mut elements = Vec::new();
        if let Some(last) = self.selector.parts().last() {
            for scope in &scopes {
                for node in self.find(scope, last, closed).await? {
                    elements.push(element(&scope.frame, node)?);
                }
            }
        }
        self.checked(elements)
    }

    /// Where the last part of the selector is to be looked for: one place for each match of the parts before it.
    pub(crate) async fn scopes(&self, closed: &ClosedRoots) -> Result<Vec<Scope>, BrowserError> {
        let mut scopes = vec![Scope {
            frame: self.start.clone(),
            root: None,
        }];
        let parts = self.selector.parts();
        for part in parts.iter().take(parts.len().saturating_sub(1)) {
            let mut next = Vec::new();
            let mut failure = None;
            for scope in &scopes {
                for node in self.find(scope, part, closed).await? {
                    match self.enter(&scope.frame, part, node) {
                        Ok(scope) => next.push(scope),
                        Err(error) => failure = failure.or(Some(error)),
                    }
                }
            }
            match failure {
                // Of several matches, those that can be gone into count.
                Some(error) if next.is_empty() => return Err(error),
                _ if next.is_empty() => return self.checked(Vec::new()).map(|_| Vec::new()),
                _ => scopes = next,
            }
        }
        Ok(scopes)
    }

    /// How many elements the last part of the selector leads to in one place.
    pub(crate) async fn count_in(&self, scope: &Scope, closed: &ClosedRoots) -> Result<usize, BrowserError> {
        match self.selector.parts().last() {
            Some(last) => Ok(self.find(scope, last, closed).await?.len()),
            None => Ok(0),
        }
    }

    fn checked(&self, mut elements: Vec<ElementRef>) -> Result<Vec<ElementRef>, BrowserError> {
        if self.matches == Matches::First {
            elements.truncate(1);
            if elements.is_empty() {
                let selector = self.selector.as_str().to_owned();
                return Err(if self.selector.is_xpath() {
                    BrowserError::XPathNotFound { selector }
                } else {
                    BrowserError::ElementNotFound { selector }
                });
            }
        }
        Ok(elements)
    }

    async fn find(
        &self,
        scope: &Scope,
        part: &Part,
        closed: &ClosedRoots,
    ) -> Result<Vec<Node>, BrowserError> {
        let limit = if self.matches == Matches::First {
            1
        } else {
            u32::MAX
        };
        let frame = &scope.frame;
        let ids: Vec<i64> = scope
            .root
            .iter()
            .chain(closed.of_frame(frame.id()))
            .copied()
            .collect();
        let resolving = ids.iter().map(|id| resolve_node(frame, *id));
        let resolved = futures_util::future::join_all(resolving).await;
        let roots: Vec<Option<Handle>> = resolved.into_iter().collect::<Result<_, _>>()?;
        if scope.root.is_some() && roots.first().is_none_or(Option::is_none) {
            // The root has gone meanwhile, so nothing is in it any more.
            return Ok(Vec::new());
        }
        let query =
            serde_json::to_value(&part.query).map_err(|_| self.invalid("it cannot be written down"))?;
        let mut arguments: Vec<Argument<'_>> = vec![query.into(), json!(limit).into()];
        if scope.root.is_none() {
            arguments.push(Value::Null.into());
        }
        arguments.extend(roots.iter().flatten().map(Argument::from));
        let options = SerializationOptions {
            serialization: "deep".to_owned(),
            // The array, its nodes, and a shadow root of each.
            max_depth: Some(3),
            additional_parameters: Some(json!({ "maxNodeDepth": 0, "includeShadowTree": "all" })),
        };
        let found = frame.call_library_for_nodes("find", &arguments, options).await?;
        match found.r#type.as_str() {
            "array" => read_nodes(found.value),
            "string" => Err(self.invalid(found.value.as_str().unwrap_or_default())),
            _ => Err(BrowserError::Unreadable { what: "the elements" }),
        }
    }

    fn invalid(&self, problem: &str) -> BrowserError {
        BrowserError::InvalidSelector {
            selector: self.selector.as_str().to_owned(),
            problem: problem.to_owned(),
        }
    }

    /// Goes into what an element holds: a frame's document, or a shadow root.
    fn enter(&self, frame: &Frame, part: &Part, node: Node) -> Result<Scope, BrowserError> {
        let (selector, segment) = (self.selector.as_str().to_owned(), part.text.clone());
        if is_frame_tag(&node.local_name) {
            let inner = node.frame_id.and_then(|id| self.start.page().frame(&id));
            return match inner {
                Some(frame) if frame.session().is_ok() => Ok(Scope { frame, root: None }),
                _ => Err(BrowserError::FrameWithoutDocument { selector, segment }),
            };
        }
        let root = node
            .shadow_root
            .and_then(|root| serde_json::from_value::<Node>(root.value).ok());
        match root {
            Some(root) => Ok(Scope {
                frame: frame.clone(),
                root: Some(root.backend_node_id),
            }),
            // Only elements with a dash in their name are made to have a shadow root.
            None if node.local_name.contains('-') => Err(BrowserError::NoShadowRoot { selector, segment }),
            None => Err(BrowserError::NotAFrame {
                selector,
                segment,
                tag: node.local_name,
            }),
        }
    }
}

fn is_frame_tag(tag: &str) -> bool {
    matches!(tag, "iframe" | "frame" | "fencedframe" | "object" | "embed")
}

fn element(frame: &Frame, node: Node) -> Result<ElementRef, BrowserError> {
    Ok(ElementRef {
        frame: frame.clone(),
        session: frame.session()?,
        backend_node_id: node.backend_node_id,
        loader_id: node.loader_id,
        tag: node.local_name,
    })
}

fn read_nodes(value: Value) -> Result<Vec<Node>, BrowserError> {
    let unreadable = || BrowserError::Unreadable { what: "the elements" };
    let items: Vec<Serialized> = serde_json::from_value(value).map_err(|_| unreadable())?;
    items
        .into_iter()
        .map(|item| serde_json::from_value(item.value).map_err(|_| unreadable()))
        .collect()
}

/// The node ids in a value that is written out with its nodes: a node, or a list of them.
pub(crate) fn read_node_ids(value: &Value) -> Vec<i64> {
    let id = |node: &Value| node.pointer("/value/backendNodeId").and_then(Value::as_i64);
    match value.get("value").and_then(Value::as_array) {
        Some(list) => list.iter().filter_map(id).collect(),
        None => id(value).into_iter().collect(),
    }
}

pub(crate) async fn resolve_node(
    frame: &Frame,
    backend_node_id: i64,
) -> Result<Option<Handle>, BrowserError> {
    let context_id = frame.isolated_context().await?;
    let session = frame.session()?;
    let command = ResolveNode {
        backend_node_id: Some(backend_node_id),
        execution_context_id: Some(context_id),
        ..ResolveNode::default()
    };
    match session.send(&command).await {
        Ok(reply) => Ok(reply
            .object
            .object_id
            .map(|object_id| Handle::new(session, object_id))),
        Err(automator_cdp::CdpError::Protocol { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

impl Frame {
    /// Calls a function of the page library that gives a list of nodes and of lists of nodes; each entry can be
    /// read with [`read_node_ids`].
    pub(crate) async fn call_for_node_ids(&self, name: &str) -> Result<Vec<Value>, BrowserError> {
        let options = SerializationOptions {
            serialization: "deep".to_owned(),
            max_depth: Some(3),
            additional_parameters: Some(json!({ "maxNodeDepth": 0, "includeShadowTree": "none" })),
        };
        let found = self.call_library_for_nodes(name, &[], options).await?;
        match found.value {
            Value::Array(entries) => Ok(entries),
            _ => Err(BrowserError::Unreadable { what: "the elements" }),
        }
    }

    /// Calls a function of the page library that gives a list of elements.
    pub(crate) async fn call_for_elements(&self, name: &str) -> Result<Vec<ElementRef>, BrowserError> {
        let options = SerializationOptions {
            serialization: "deep".to_owned(),
            max_depth: Some(2),
            additional_parameters: Some(json!({ "maxNodeDepth": 0, "includeShadowTree": "none" })),
        };
        let found = self.call_library_for_nodes(name, &[], options).await?;
        let nodes = read_nodes(found.value).unwrap_or_default();
        nodes.into_iter().map(|node| element(self, node)).collect()
    }

    /// Calls a function of the page library and has its result written out with the nodes in it.
    async fn call_library_for_nodes(
        &self,
        name: &str,
        arguments: &[Argument<'_>],
        options: SerializationOptions,
    ) -> Result<Serialized, BrowserError> {
        /// The part of the reply that is needed.
        #[derive(Deserialize)]
        struct Reply {
            result: ReplyResult,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct ReplyResult {
            deep_serialized_value: Option<Serialized>,
            object_id: Option<String>,
        }
        let (raw, session): (RawReply, Session) = self.call_library_raw(name, arguments, &options).await?;
        let reply: Reply = raw
            .parse()
            .map_err(|_| BrowserError::Unreadable { what: "the elements" })?;
        // Dropped right away: only the written form is of use.
        drop(
            reply
                .result
                .object_id
                .map(|object_id| Handle::new(session, object_id)),
        );
        reply
            .result
            .deep_serialized_value
            .ok_or(BrowserError::Unreadable { what: "the elements" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serialised_nodes_are_read_with_their_shadow_roots() {
        let value = json!([
            { "type": "node", "value": { "backendNodeId": 3, "localName": "x-a", "loaderId": "L",
                "shadowRoot": { "type": "node", "value": { "backendNodeId": 4, "mode": "closed" } } } },
            { "type": "node", "value": { "backendNodeId": 5, "localName": "iframe", "frameId": "F", "shadowRoot": null } },
        ]);
        let nodes = read_nodes(value).unwrap();
        assert_eq!(
            (
                nodes[0].backend_node_id,
                nodes[0]
                    .shadow_root
                    .as_ref()
                    .map(|root| &root.value["backendNodeId"])
            ),
            (3, Some(&json!(4)))
        );
        assert_eq!(
            (nodes[1].frame_id.as_deref(), nodes[1].shadow_root.is_none()),
            (Some("F"), true)
        );
        assert!(read_nodes(json!([{ "type": "undefined" }])).is_err());
        assert!(read_nodes(json!("text")).is_err());
    }
}
