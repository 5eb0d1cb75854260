//! Small pages as text, from recorded browser replies (`fixtures/*.json`) and without a browser.
//!
//! `cargo xtask bench record` records `pages/*.html` anew; `cargo insta review` shows what changed.

use std::sync::Arc;

use automator_snapshot::{CapturedTarget, DocumentFacts, FrameOwner, IdTable, Reply, Scope, Snapshot};
use serde_json::Value;

/// Builds a page from its recording.
fn read(name: &str) -> Snapshot {
    let path = format!("{}/tests/fixtures/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let recording: Vec<Value> = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let captured: Arc<[CapturedTarget]> = recording.iter().map(target).collect();
    Snapshot::read(captured, &mut IdTable::new(), &Scope::default()).unwrap()
}

fn target(recorded: &Value) -> CapturedTarget {
    let facts = recorded["facts"].as_array().unwrap();
    CapturedTarget {
        reply: Some(Reply::new(recorded["reply"].to_string())),
        facts: facts.iter().map(document_facts).collect(),
        owner: recorded["owner"].as_object().map(|owner| FrameOwner {
            target: owner["target"].as_u64().unwrap() as usize,
            backend_node_id: owner["backendNodeId"].as_i64().unwrap(),
            frame_id: owner["frameId"].as_str().unwrap().to_owned(),
        }),
    }
}

fn document_facts(recorded: &Value) -> DocumentFacts {
    let ids = |name: &str| {
        let list = recorded[name].as_array().unwrap();
        list.iter().map(|id| id.as_i64().unwrap()).collect()
    };
    DocumentFacts {
        frame_id: recorded["frameId"].as_str().unwrap().to_owned(),
        document_id: recorded["documentId"].as_str().unwrap().to_owned(),
        focused: recorded["focused"].as_i64(),
        modal: recorded["modal"].as_i64(),
        indeterminate: ids("indeterminate"),
        invalid: ids("invalid"),
        concealed: ids("concealed"),
    }
}

macro_rules! pages {
    ($($name:ident)+) => {
        $(
            #[test]
            fn $name() {
                insta::assert_snapshot!(read(stringify!($name)).text());
            }
        )+
    };
}

pages! { aria details forms frames generated lists modal select shadow svg tables }

#[test]
fn paths_cross_frames_and_shadow_roots() {
    let paths = ["frames", "shadow"].map(|name| {
        let snapshot = read(name);
        let paths = snapshot.xpaths().iter().map(|(id, path)| match path.counted() {
            Some(path) => format!("{id} {path}"),
            None => format!("{id} to be asked of the page"),
        });
        paths.collect::<Vec<_>>().join("\n")
    });
    insta::assert_snapshot!(paths.join("\n\n"));
}

#[test]
fn what_stands_in_concealed_fields_is_nowhere_in_the_text() {
    let forms = read("forms");
    for secret in ["correct horse", "4242", "the dog", "k-12345"] {
        assert!(!forms.text().contains(secret), "{secret} in {}", forms.text());
        assert_eq!(
            forms.locate(&[automator_snapshot::Sought::Text(secret)]),
            [[]],
            "{secret}"
        );
    }
    assert!(!read("shadow").text().contains("in the shade"));
}

#[test]
fn long_names_and_values_of_attributes_are_cut_and_texts_of_the_page_are_not() {
    let snapshot = read("long");
    let text = snapshot.text();
    let count = |word: &str| text.matches(word).count();
    let line = |start: &str| {
        text.lines()
            .find(|line| line.trim_start().starts_with(start))
            .unwrap()
    };
    let button = line("[0-1] button: named");
    assert!(button.ends_with('…'));
    assert_eq!(button.chars().count(), "  [0-1] button: ".len() + 1_000 + 1);
    assert!(line("[0-3] textbox: Code = ").ends_with("…"));
    assert!((9_990..10_050).contains(&line("[0-3] textbox").chars().count()));
    assert_eq!([count("linked"), count("written")], [500, 2000]);
    // The label is told beside its control, whose name it is.
    assert!(line("agreed").ends_with("agreed") && line("agreed").matches("agreed").count() == 500);
    let button = snapshot
        .elements()
        .find(|element| element.role == "button")
        .unwrap();
    assert_eq!(button.name.matches("named").count(), 500);
}
