//! Files that a task names reach a page; others do not.

use automator::{Action, AgentConfig};
use automator_testing::{Answer, Kind};
use serde_json::json;

use crate::rig::Rig;
use crate::script::{act_on, action, call, play};

const PAGE: &str = "<label>CV <input type=file></label><button>Send</button>";
const FIELD: &str = "input, file: CV";
const NAMES: &str = "[...document.querySelector('input').files].map(file => file.name).join()";

/// A file, and the folder that holds it.
fn letter() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("letter.txt");
    std::fs::write(&path, "Dear all").unwrap();
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

#[tokio::test]
async fn a_file_goes_to_the_field_that_is_named_by_its_id() {
    let (_folder, path) = letter();
    let rig = Rig::start().await;
    rig.show(PAGE).await;
    play(&rig, vec![act_on("upload %letter% to {}", FIELD)], |request| {
        panic!("nothing else is asked: {}", request.text)
    });
    let agent = rig.automator.agent(AgentConfig::default());
    let result = agent
        .execute("hand in %letter%")
        .variable("letter", path.as_str())
        .await;
    assert!(result.unwrap().success);
    rig.becomes(NAMES, "letter.txt").await;
    let told = &rig.model.requests()[0].text;
    assert!(told.contains("`upload \"path\" to [0-7]`"), "{told}");
    rig.close().await;
}

#[tokio::test]
async fn a_model_that_keeps_to_the_schema_can_give_a_file() {
    let (_folder, path) = letter();
    let rig = Rig::start().await;
    rig.show(PAGE).await;
    let asked = format!("upload the file {path}");
    let file = path.clone();
    play(
        &rig,
        vec![call(
            "act",
            json!({ "action": "give the letter to the CV field" }),
        )],
        move |request| {
            assert_eq!(request.kind, Kind::Act);
            assert!(
                request
                    .schema
                    .as_ref()
                    .unwrap()
                    .to_string()
                    .contains("setInputFiles")
            );
            assert!(request.raw.contains("To give files to a page"), "{}", request.raw);
            action(request, FIELD, "setInputFiles", &[&file])
        },
    );
    let agent = rig.automator.agent(AgentConfig::default());
    assert!(agent.execute(asked).await.unwrap().success);
    rig.becomes(NAMES, "letter.txt").await;
    rig.close().await;
}

#[tokio::test]
async fn where_no_file_is_named_none_is_spoken_of() {
    let rig = Rig::start().await;
    rig.show(PAGE).await;
    rig.model.script(|request| {
        assert!(!request.raw.contains("setInputFiles"), "{}", request.raw);
        action(request, "button: Send", "click", &[])
    });
    assert!(rig.automator.act("send it").await.unwrap().success);
    rig.close().await;
}

#[tokio::test]
async fn what_is_observed_gives_only_files_that_were_named() {
    let (_folder, path) = letter();
    let rig = Rig::start().await;
    rig.show(PAGE).await;
    rig.model.script(|request| {
        let choice = |file: &str| {
            json!({
                "elementId": request.id_of(FIELD), "description": "the field",
                "method": "setInputFiles", "arguments": [file],
            })
        };
        let named = request.text.split('"').find(|part| part.contains("letter.txt"));
        let files = named.into_iter().chain(["/etc/passwd"]);
        Answer::value(json!({ "elements": files.map(choice).collect::<Vec<_>>() }))
    });
    let none: Vec<Action> = rig.automator.observe("the field for files").await.unwrap();
    assert_eq!(none, []);
    let found = rig
        .automator
        .observe(&format!("where to put \"{path}\""))
        .await
        .unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].arguments, [path]);
    assert!(rig.automator.act(&found[0]).await.unwrap().success);
    rig.becomes(NAMES, "letter.txt").await;
    rig.close().await;
}
