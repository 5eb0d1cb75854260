//! Whatever a reply holds, reading it neither panics nor breaks the form of the text.
//!
//! `PROPTEST_CASES` sets how many replies are tried.

use std::sync::Arc;

use automator_snapshot::{
    CapturedTarget, DocumentFacts, FrameOwner, IdTable, NodeRef, Reply, Scope, Snapshot, Sought, Structure,
};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use serde_json::{Value, json};

/// Strings that mean something to a reader: element names, attributes, roles, styles, and some page text.
const STRINGS: &[&str] = &[
    "#document",
    "#text",
    "HTML",
    "BODY",
    "DIV",
    "SPAN",
    "A",
    "BUTTON",
    "INPUT",
    "SELECT",
    "OPTION",
    "OPTGROUP",
    "TEXTAREA",
    "LABEL",
    "TABLE",
    "TBODY",
    "TR",
    "TD",
    "TH",
    "UL",
    "LI",
    "DL",
    "DT",
    "DD",
    "IFRAME",
    "SLOT",
    "H1",
    "FIELDSET",
    "LEGEND",
    "IMG",
    "svg",
    "use",
    "symbol",
    "title",
    "math",
    "mi",
    "SUMMARY",
    "DETAILS",
    "DIALOG",
    "PRE",
    "BR",
    "HR",
    "::before",
    "::marker",
    "before",
    "open",
    "closed",
    "id",
    "role",
    "href",
    "alt",
    "for",
    "type",
    "value",
    "aria-label",
    "aria-labelledby",
    "aria-owns",
    "aria-hidden",
    "aria-checked",
    "inert",
    "disabled",
    "contenteditable",
    "title",
    "none",
    "list",
    "row",
    "cell",
    "button",
    "link",
    "presentation",
    "true",
    "false",
    "a",
    "b",
    "#a",
    "password",
    "file",
    "checkbox",
    "block",
    "inline",
    "inline-block",
    "contents",
    "table-row",
    "visible",
    "hidden",
    "pointer",
    "auto",
    "scroll",
    "x",
    " y ",
    "\n",
    "[0-1] trap",
    "text: ",
    "- ",
    "\u{e000}",
    "é",
    "🙂",
    "http://127.0.0.1/",
    "javascript:void(0)",
    "1,299.00",
    // Words that look like structure.
    "Agree [checked]",
    "[mixed]",
    "a = b",
    " = ",
    "\"x\" = \"y\"",
    "\\\" [current]",
    "a | b",
    "| ",
    "row: 1 | 2",
    "navigation",
    "\u{200b}",
    "••••",
    "OBJECT",
    "EMBED",
    "tspan",
    "textbox",
    "aria-selected",
];

fn string_index() -> impl Strategy<Value = i32> {
    prop_oneof![20 => 0..STRINGS.len() as i32, 2 => Just(-1), 1 => any::<i32>()]
}

fn node_index() -> impl Strategy<Value = u32> {
    prop_oneof![20 => 0..60_u32, 1 => any::<u32>()]
}

fn rare_strings() -> impl Strategy<Value = Value> {
    prop::collection::vec((node_index(), string_index()), 0..8).prop_map(|pairs| {
        let (index, value): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
        json!({ "index": index, "value": value })
    })
}

fn document(frame_id: i32) -> impl Strategy<Value = Value> {
    let node = (
        prop_oneof![30 => 0..60_i32, 1 => any::<i32>()],
        prop_oneof![12 => Just(1_u8), 6 => Just(3), 1 => Just(9), 1 => any::<u8>()],
        string_index(),
        string_index(),
        prop_oneof![20 => 0..200_i64, 1 => any::<i64>()],
        prop::collection::vec(string_index(), 0..8),
    );
    let layout = (
        node_index(),
        prop::collection::vec(string_index(), 0..7),
        prop::collection::vec(prop_oneof![-10.0..2000.0_f64, Just(1e300)], 0..5),
        string_index(),
    );
    let marks = || prop::collection::vec(node_index(), 0..8);
    (
        prop::collection::vec(node, 0..60),
        prop::collection::vec(layout, 0..80),
        (rare_strings(), rare_strings(), rare_strings(), rare_strings()),
        (marks(), marks(), marks()),
        prop::collection::vec((node_index(), -1..5_i32), 0..4),
    )
        .prop_map(move |(nodes, layout, (shadow, text, input, pseudo), (checked, selected, clickable), frames)| {
            let parents: Vec<i32> =
                nodes.iter().enumerate().map(|(at, node)| if at == 0 { -1 } else { node.0 % at as i32 }).collect();
            let (frame_index, frame_value): (Vec<_>, Vec<_>) = frames.into_iter().unzip();
            json!({
                "frameId": frame_id, "documentURL": 97, "baseURL": 97, "encodingName": 60, "title": 2,
                "nodes": {
                    "parentIndex": parents,
                    "nodeType": nodes.iter().enumerate().map(|(at, node)| if at == 0 { 9 } else { node.1 }).collect::<Vec<_>>(),
                    "nodeName": nodes.iter().map(|node| node.2).collect::<Vec<_>>(),
                    "nodeValue": nodes.iter().map(|node| node.3).collect::<Vec<_>>(),
                    "backendNodeId": nodes.iter().map(|node| node.4).collect::<Vec<_>>(),
                    "attributes": nodes.iter().map(|node| node.5.clone()).collect::<Vec<_>>(),
                    "shadowRootType": shadow, "textValue": text, "inputValue": input, "pseudoType": pseudo,
                    "inputChecked": { "index": checked }, "optionSelected": { "index": selected },
                    "isClickable": { "index": clickable },
                    "contentDocumentIndex": { "index": frame_index, "value": frame_value },
                },
                "layout": {
                    "nodeIndex": layout.iter().map(|entry| entry.0).collect::<Vec<_>>(),
                    "styles": layout.iter().map(|entry| entry.1.clone()).collect::<Vec<_>>(),
                    "bounds": layout.iter().map(|entry| entry.2.clone()).collect::<Vec<_>>(),
                    "text": layout.iter().map(|entry| entry.3).collect::<Vec<_>>(),
                },
            })
        })
}

/// A reply whose documents stand in frames of their own; `first_frame` keeps those of two replies apart.
fn reply(first_frame: i32) -> impl Strategy<Value = Reply> {
    (
        document(first_frame),
        document(first_frame + 1),
        document(first_frame + 2),
    )
        .prop_map(|documents| Reply::new(json!({ "documents": documents, "strings": STRINGS }).to_string()))
}

fn check(snapshot: &Snapshot) {
    if snapshot.text().is_empty() {
        assert!(snapshot.lines().is_empty() && snapshot.elements().len() == 0);
        return;
    }
    for line in snapshot.text().split('\n') {
        assert!(!line.trim().is_empty(), "an empty line in {:?}", snapshot.text());
        assert!(
            !line.ends_with(char::is_whitespace) && !line.contains(['\r', '\u{b}', '\u{2028}']),
            "{line:?}"
        );
    }
    let counted = if snapshot.text().is_empty() {
        0
    } else {
        snapshot.text().split('\n').count()
    };
    assert_eq!(counted, snapshot.lines().len());
    for element in snapshot.elements() {
        assert!(
            snapshot.text().contains(&format!("[{}] ", element.id)),
            "{} is not in the text",
            element.id
        );
    }
    for line in snapshot.text().lines() {
        check_name(snapshot, line);
    }
}

/// The name of an element is read from its line as it is, whatever words it has.
fn check_name(snapshot: &Snapshot, line: &str) {
    let line = line.trim_start_matches([' ', '-']);
    let element = snapshot.elements().find_map(|element| {
        let rest = line.strip_prefix(&format!("[{}] {}", element.id, element.role))?;
        Some((element, rest))
    });
    let Some((element, rest)) = element.filter(|(element, _)| element.role != "row") else {
        return;
    };
    let mut rest = rest;
    while let Some((before, word)) = rest.strip_suffix(']').and_then(|rest| rest.rsplit_once(" ["))
        && word.chars().all(|character| character.is_ascii_lowercase())
        && STATES.contains(&word)
    {
        rest = before;
    }
    let written = rest.strip_prefix(": ").unwrap_or_default();
    let quoted = serde_json::Deserializer::from_str(written)
        .into_iter::<String>()
        .next();
    let plain = written.split(" = ").next().unwrap_or_default();
    let has_value =
        !["RootWebArea", "Iframe", "button", "heading", "link", "option"].contains(&&*element.role);
    let plain = if has_value { plain } else { written };
    let reads = |name: &str| element.name == name || name.ends_with('…');
    assert!(
        reads(plain) || quoted.is_some_and(|name| name.is_ok_and(|name| reads(&name))),
        "{line:?} is read as {plain:?} and not as {:?}",
        element.name
    );
}

const STATES: [&str; 11] = [
    "selected", "checked", "mixed", "disabled", "expanded", "required", "invalid", "focused", "current",
    "pressed", "unread",
];

fn check_structure(structure: &Structure) {
    for (number, node) in structure.nodes().iter().enumerate() {
        assert!(node.end > number && node.end <= structure.nodes().len());
        assert!(node.parent.is_none_or(|parent| parent < number) && node.parent.is_none() == (number == 0));
        for child in structure.elements_in(number) {
            assert_eq!(structure.node(child).unwrap().parent, Some(number));
        }
        for line in structure.lines(number) {
            assert!(!line.trim().is_empty() && !line.contains('\n'), "{line:?}");
        }
        let _ = (structure.own_text(number), structure.first_text(number));
    }
    assert_eq!(structure.text_lengths().len(), structure.nodes().len());
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct("tests/hostile.proptest-regressions"))),
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_reply_is_read_without_a_panic(
        page in reply(60),
        frame in prop::option::of(reply(63)),
        owner in 0..200_i64,
        facts in prop::collection::vec(0..200_i64, 0..6),
        within in prop::option::of(0..200_i64),
        without in prop::collection::vec(0..200_i64, 0..4),
    ) {
        let facts = DocumentFacts {
            frame_id: STRINGS[60].to_owned(),
            document_id: "document".to_owned(),
            focused: facts.first().copied(),
            modal: facts.get(1).copied().filter(|id| id % 3 == 0),
            indeterminate: facts.clone(),
            invalid: facts.clone(),
            concealed: facts,
        };
        let targets: Arc<[CapturedTarget]> = vec![
            CapturedTarget { reply: Some(page), facts: vec![facts], owner: None },
            CapturedTarget {
                reply: frame,
                facts: Vec::new(),
                owner: Some(FrameOwner { target: 0, backend_node_id: owner, frame_id: "frame".to_owned() }),
            },
        ].into();
        let mut ids = IdTable::new();
        let whole = Snapshot::read(targets.clone(), &mut ids, &Scope::default());
        if let Ok(whole) = &whole {
            check(whole);
            let again = Snapshot::read(targets.clone(), &mut ids, &Scope::default()).unwrap();
            prop_assert_eq!(whole.text(), again.text());
            prop_assert!(again.difference_from(whole).is_empty());
            let _ = (whole.urls(), whole.xpaths());
            check_structure(&whole.structure());
            let _ = whole.locate(&[Sought::Text("x"), Sought::Number(1299.0), Sought::Address("http://127.0.0.1/")]);
            for part in whole.split(40, &str::len) {
                prop_assert!(!part.is_empty() || whole.text().is_empty());
            }
        }
        let node = |backend_node_id| NodeRef { target: 0, backend_node_id };
        let scope = Scope {
            within: within.map(node),
            without: without.into_iter().map(node).collect(),
            without_frames: false,
            ..Scope::default()
        };
        if let Ok(part) = Snapshot::read(targets, &mut ids, &scope) {
            check(&part);
        }
    }

    #[test]
    fn any_text_in_place_of_a_reply_is_an_error_or_a_page(text in "\\PC{0,200}") {
        let targets = vec![CapturedTarget { reply: Some(Reply::new(text)), ..CapturedTarget::default() }];
        let _ = Snapshot::read(targets.into(), &mut IdTable::new(), &Scope::default());
    }
}
