//! `cacheDir`: replaying actions without a model, and asking again when the page changed.

use std::path::Path;

use automator::Builder;
use automator_testing::Answer;
use serde_json::{Value, json};

use crate::acting::{action, choice};
use crate::rig::Rig;

const BUTTON: &str = "<button onclick=\"document.title = 'hit'\">Go</button>";

async fn rig(folder: &Path) -> Rig {
    let folder = folder.join("new/deep");
    Rig::with(move |builder: Builder| builder.cache_dir(folder)).await
}

fn entries(folder: &Path) -> Vec<(String, Value)> {
    let files = std::fs::read_dir(folder.join("new/deep")).unwrap();
    files
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (
                name,
                serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap(),
            )
        })
        .collect()
}

#[tokio::test]
async fn the_same_act_on_the_same_page_needs_no_model_in_a_later_session_either() {
    let folder = tempfile::tempdir().unwrap();
    let first = rig(folder.path()).await;
    let at = first.show(BUTTON).await;
    first
        .model
        .script(|request| action(request, "button: Go", "click", &[]));
    let done = first.automator.act("press go").await.unwrap();
    first.open(&at.url).await;
    let again = first.automator.act(" press go ").await.unwrap();
    assert_eq!(again.actions, done.actions);
    assert_eq!(first.page.title().await.unwrap(), "hit");
    assert_eq!(first.model.requests().len(), 1);
    let (name, entry) = entries(folder.path()).remove(0);
    assert!(name.starts_with("act-") && name.ends_with(".json"), "{name}");
    assert_eq!(
        (&entry["version"], &entry["actions"][0]["role"]),
        (&json!(1), &json!("button"))
    );

    let second = rig(folder.path()).await;
    second.open(&at.url).await;
    let replayed = second.automator.act("press go").await.unwrap();
    assert!(replayed.success, "{replayed:?}");
    assert_eq!(replayed.actions, done.actions);
    assert!(second.model.requests().is_empty());
    second.close().await;
    first.close().await;
}

#[tokio::test]
async fn another_instruction_or_address_asks_the_model_but_not_another_order_of_the_query() {
    let folder = tempfile::tempdir().unwrap();
    let rig = rig(folder.path()).await;
    let at = rig.site.put(BUTTON);
    rig.model
        .script(|request| action(request, "button: Go", "click", &[]));
    for (query, instruction, calls) in [
        ("?a=1&b=2", "press go", 1),
        ("?b=2&a=1#x", "press go", 1),
        ("?a=1&b=2", "press the go button", 2),
        ("?a=2&b=2", "press go", 3),
    ] {
        rig.open(&format!("{}{query}", at.url)).await;
        let first = rig.automator.act(instruction).await.unwrap();
        assert!(first.success, "{first:?} {}", rig.model.requests()[0].text);
        assert_eq!(rig.model.requests().len(), calls, "{query} {instruction}");
    }
    rig.close().await;
}

#[tokio::test]
async fn an_element_with_another_name_is_not_taken_for_the_remembered_one() {
    let folder = tempfile::tempdir().unwrap();
    let rig = rig(folder.path()).await;
    rig.site.handler("/changing", {
        let count = std::sync::atomic::AtomicUsize::new(0);
        move |_| {
            let is_first = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 0;
            let button =
                |name: &str| format!("<button onclick=\"document.title = '{name}'\">{name}</button>");
            let buttons = if is_first {
                button("Go")
            } else {
                button("Delete") + &button("Go")
            };
            automator_testing::Route::html(buttons)
        }
    });
    rig.model
        .script(|request| action(request, "button: Go", "click", &[]));
    for calls in [1, 2] {
        rig.open(&rig.site.url("/changing")).await;
        assert!(rig.automator.act("press go").await.unwrap().success);
        assert_eq!(rig.page.title().await.unwrap(), "Go");
        assert_eq!(rig.model.requests().len(), calls);
    }
    assert_eq!(
        entries(folder.path())[0].1["actions"][0]["selector"],
        "xpath=/html[1]/body[1]/button[2]"
    );
    rig.close().await;
}

#[tokio::test]
async fn both_of_two_steps_are_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let rig = rig(folder.path()).await;
    let at = rig.site.put(
        "<div role=button tabindex=0 onclick='menu.hidden = false'>Choose</div><ul id=menu hidden role=listbox>\
         <li role=option onclick='document.title = this.textContent'>Red</ul>",
    );
    rig.model.script(|request| {
        if request.text.contains("option: Red") {
            return action(request, "option: Red", "click", &[]);
        }
        Answer::value(json!({ "action": choice(request, "button: Choose", "click", &[]), "twoStep": true }))
    });
    for _ in 0..2 {
        rig.open(&at.url).await;
        let result = rig.automator.act("choose red").await.unwrap();
        assert!(result.success && result.actions.len() == 2, "{result:?}");
        assert_eq!(rig.page.title().await.unwrap(), "Red");
    }
    assert_eq!(rig.model.requests().len(), 2);
    rig.close().await;
}

#[tokio::test]
async fn observations_are_remembered() {
    let folder = tempfile::tempdir().unwrap();
    let rig = rig(folder.path()).await;
    rig.show(BUTTON).await;
    rig.model.script(|request| {
        Answer::value(json!({ "elements": [choice(request, "button: Go", "click", &[])] }))
    });
    let first = rig.automator.observe("buttons").await.unwrap();
    assert_eq!(rig.automator.observe("buttons").await.unwrap(), first);
    assert_eq!(rig.model.requests().len(), 1);
    rig.close().await;
}

#[tokio::test]
async fn a_file_that_cannot_be_read_is_as_if_it_were_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let rig = rig(folder.path()).await;
    let at = rig.show(BUTTON).await;
    rig.model
        .script(|request| action(request, "button: Go", "click", &[]));
    rig.automator.act("press go").await.unwrap();
    let (name, _) = entries(folder.path()).remove(0);
    for broken in ["{", "{\"version\":99}", "[]", ""] {
        std::fs::write(folder.path().join("new/deep").join(&name), broken).unwrap();
        rig.open(&at.url).await;
        assert!(rig.automator.act("press go").await.unwrap().success, "{broken}");
    }
    assert_eq!(rig.model.requests().len(), 5);
    rig.close().await;
}

#[tokio::test]
async fn one_of_many_like_it_is_known_by_its_row() {
    let folder = tempfile::tempdir().unwrap();
    let rig = rig(folder.path()).await;
    let row = |name: &str| {
        format!("<li>{name} <button onclick=\"document.title = '{name} removed'\">Remove</button>")
    };
    let at = rig
        .show(&format!(
            "<ul>{}{}{}</ul>",
            row("Birch"),
            row("Cedar"),
            row("Maple")
        ))
        .await;
    rig.model.script(|request| {
        let row = request.text.find("Cedar\n").map(|at| &request.text[at..]);
        let id = row.and_then(|row| {
            row[..row.find("] button: Remove")?]
                .rsplit_once('[')
                .map(|(_, id)| id)
        });
        let action =
            id.map(|id| json!({ "elementId": id, "description": "it", "method": "click", "arguments": [] }));
        Answer::value(json!({ "action": action, "twoStep": false }))
    });
    let instruction = "remove the Cedar job";
    let first = rig.automator.act(instruction).await.unwrap();
    assert!(first.success, "{first:?} {}", rig.model.requests()[0].text);
    rig.open(&at.url).await;
    let again = rig.automator.act(instruction).await.unwrap();
    assert!(
        again.success,
        "{again:?} {}",
        rig.model.requests().last().unwrap().text
    );
    assert_eq!(rig.page.title().await.unwrap(), "Cedar removed");
    assert_eq!(rig.model.requests().len(), 1);
    rig.page
        .evaluate("document.title = ''; document.querySelectorAll('li')[1].remove()")
        .await
        .unwrap();
    let result = rig.automator.act(instruction).await.unwrap();
    assert!(!result.success, "{result:?}");
    assert_eq!(rig.page.title().await.unwrap(), "");
    assert_eq!(rig.model.requests().len(), 2);
    rig.close().await;
}

#[tokio::test]
async fn what_the_page_does_not_let_happen_any_more_is_asked_about_anew() {
    let folder = tempfile::tempdir().unwrap();
    let rig = rig(folder.path()).await;
    let at = rig
        .show("<select aria-label=Size><option>Small<option>Large</select>")
        .await;
    rig.model.script(|request| {
        let option = if request.text.contains("Huge") {
            "Huge"
        } else {
            "Large"
        };
        action(request, "select: Size", "selectOptionFromDropdown", &[option])
    });
    assert!(rig.automator.act("take the largest").await.unwrap().success);
    rig.open(&at.url).await;
    rig.page
        .evaluate("document.querySelector('select').options[1].replaceWith(new Option('Huge'))")
        .await
        .unwrap();
    let result = rig.automator.act("take the largest").await.unwrap();
    assert!(result.success, "{result:?}");
    assert_eq!(result.actions[0].arguments, ["Huge"]);
    assert_eq!(rig.model.requests().len(), 2);
    rig.close().await;
}
