//! Pages for tests: plain HTML, read as a browser would answer for it, without a browser.

use std::collections::{HashMap, HashSet};

use automator_snapshot::capture::COMPUTED_STYLES;
use automator_snapshot::{CapturedTarget, IdTable, Reply, Scope, Snapshot};
use serde_json::{Value, json};

/// A page of well-formed HTML: every element closed but for the void ones, attributes in double quotes.
pub(super) fn page(title: &str, body: &str) -> Snapshot {
    let mut writer = Writer::default();
    let document = writer.node(-1, 9, "#document", "");
    let html = writer.element(document, "html", &[]);
    let body_element = writer.element(html, "body", &[]);
    writer.read(body_element, body);
    let reply = writer.reply(title);
    let targets = vec![CapturedTarget {
        reply: Some(Reply::new(reply.to_string())),
        ..CapturedTarget::default()
    }];
    Snapshot::read(targets.into(), &mut IdTable::new(), &Scope::default()).unwrap()
}

const VOID: &[&str] = &["br", "hr", "img", "input"];

#[derive(Default)]
struct Writer {
    strings: Vec<String>,
    known: HashMap<String, i32>,
    parents: Vec<i32>,
    kinds: Vec<u8>,
    names: Vec<i32>,
    values: Vec<i32>,
    attributes: Vec<Vec<i32>>,
    checked: Vec<usize>,
    selected: Vec<usize>,
    input_values: Vec<(usize, i32)>,
    layout: Vec<(usize, Vec<i32>, i32)>,
    laid_out: HashSet<usize>,
}

impl Writer {
    fn string(&mut self, text: &str) -> i32 {
        if let Some(&known) = self.known.get(text) {
            return known;
        }
        let index = self.strings.len() as i32;
        self.strings.push(text.to_owned());
        self.known.insert(text.to_owned(), index);
        index
    }

    fn node(&mut self, parent: i32, kind: u8, name: &str, value: &str) -> i32 {
        let (name, value) = (self.string(name), self.string(value));
        self.parents.push(parent);
        self.kinds.push(kind);
        self.names.push(name);
        self.values.push(value);
        self.attributes.push(Vec::new());
        self.parents.len() as i32 - 1
    }

    fn element(&mut self, parent: i32, tag: &str, attributes: &[(String, String)]) -> i32 {
        let node = self.node(parent, 1, &tag.to_uppercase(), "");
        for (name, value) in attributes {
            let pair = [self.string(name), self.string(value)];
            self.attributes[node as usize].extend(pair);
            match name.as_str() {
                "checked" => self.checked.push(node as usize),
                "selected" => self.selected.push(node as usize),
                "value" => self.input_values.push((node as usize, pair[1])),
                _ => {}
            }
        }
        let is_below_hidden = parent >= 0 && self.kinds[parent as usize] == 1 && !self.is_laid_out(parent);
        if !attributes.iter().any(|(name, _)| name == "hidden") && !is_below_hidden {
            let styles = [display(tag), "visible", "auto", "visible", "visible", "normal"];
            assert_eq!(styles.len(), COMPUTED_STYLES.len());
            let styles = styles.map(|style| self.string(style)).to_vec();
            self.layout.push((node as usize, styles, -1));
            self.laid_out.insert(node as usize);
        }
        node
    }

    fn is_laid_out(&self, node: i32) -> bool {
        self.layout
            .iter()
            .any(|(laid_out, _, _)| *laid_out == node as usize)
    }

    fn text(&mut self, parent: i32, text: &str) {
        let node = self.node(parent, 3, "#text", text);
        if self.is_laid_out(parent) {
            let text = self.string(text);
            self.layout.push((node as usize, Vec::new(), text));
        }
    }

    fn read(&mut self, root: i32, html: &str) {
        let mut open = vec![root];
        let mut rest = html;
        while !rest.is_empty() {
            let parent = *open.last().unwrap();
            if let Some(closing) = rest.strip_prefix("</") {
                rest = closing.split_once('>').unwrap().1;
                open.pop();
            } else if let Some(opening) = rest.strip_prefix('<') {
                let (inside, behind) = opening.split_once('>').unwrap();
                rest = behind;
                let (tag, attributes) = inside.split_once(' ').unwrap_or((inside, ""));
                let node = self.element(parent, tag, &attributes_in(attributes));
                if !VOID.contains(&tag) {
                    open.push(node);
                }
            } else {
                let end = rest.find('<').unwrap_or(rest.len());
                self.text(parent, &rest[..end]);
                rest = &rest[end..];
            }
        }
        assert_eq!(open, [root], "elements are left open in {html}");
    }

    fn reply(mut self, title: &str) -> Value {
        let url = self.string("http://shop.test/page");
        let title = self.string(title);
        let encoding = self.string("UTF-8");
        let frame = self.string("main-frame");
        json!({
            "documents": [{
                "documentURL": url, "baseURL": url, "title": title, "encodingName": encoding, "frameId": frame,
                "nodes": {
                    "parentIndex": self.parents, "nodeType": self.kinds, "nodeName": self.names,
                    "nodeValue": self.values, "attributes": self.attributes,
                    "backendNodeId": (1..=self.parents.len()).collect::<Vec<_>>(),
                    "inputChecked": { "index": self.checked }, "optionSelected": { "index": self.selected },
                    "inputValue": {
                        "index": self.input_values.iter().map(|(node, _)| node).collect::<Vec<_>>(),
                        "value": self.input_values.iter().map(|(_, value)| value).collect::<Vec<_>>(),
                    },
                },
                "layout": {
                    "nodeIndex": self.layout.iter().map(|(node, _, _)| node).collect::<Vec<_>>(),
                    "styles": self.layout.iter().map(|(_, styles, _)| styles).collect::<Vec<_>>(),
                    "text": self.layout.iter().map(|(_, _, text)| text).collect::<Vec<_>>(),
                    "bounds": self.layout.iter().map(|_| [0, 0, 10, 10]).collect::<Vec<_>>(),
                },
            }],
            "strings": self.strings,
        })
    }
}

fn attributes_in(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let end = rest.find(['=', ' ']).unwrap_or(rest.len());
        let (name, behind) = rest.split_at(end);
        let (value, behind) = match behind.strip_prefix("=\"") {
            Some(quoted) => quoted.split_once('"').unwrap(),
            None => ("", behind),
        };
        found.push((name.to_owned(), value.to_owned()));
        rest = behind.trim_start();
    }
    found
}

fn display(tag: &str) -> &'static str {
    match tag {
        "a" | "b" | "del" | "em" | "i" | "ins" | "label" | "s" | "small" | "span" | "strong" | "time" => {
            "inline"
        }
        "button" | "img" | "input" | "select" => "inline-block",
        "table" => "table",
        "tbody" | "thead" => "table-row-group",
        "tr" => "table-row",
        "td" | "th" => "table-cell",
        _ => "block",
    }
}
