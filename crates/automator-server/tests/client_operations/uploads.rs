//! Files of the program's machine reach pages of a browser on the platform.

use automator::{Action, AgentConfig, AgentMode};
use automator_testing::{Answer, Kind, Request};
use serde_json::json;

use crate::rig::{Rig, model_on, open, scripted};

const PAGE: &str = "<label>CV <input type=file></label>";
const FIELD: &str = "input, file: CV";
const CONTENT: &str = "document.querySelector('input').files[0]?.text() ?? ''";
const TAKEN_BACK: &str = "document.querySelector('input').value = ''";

/// An agent that gives the file by the field's id.
fn agent_script(request: &Request) -> Answer {
    match (request.tools.len(), request.tool_results.len()) {
        (1, _) => Answer::tool("done", json!({ "reasoning": "Done.", "taskComplete": true })),
        (_, 0) => {
            let action = format!("upload %letter% to [{}]", request.id_of(FIELD));
            Answer::tool("act", json!({ "action": action }))
        }
        _ => Answer::text("That is all."),
    }
}

#[tokio::test]
async fn files_that_are_named_go_from_here_to_the_page_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("my letter.txt");
    std::fs::write(&path, "Dear all").unwrap();
    let path = path.to_str().unwrap().to_owned();
    let rig = Rig::start().await;
    let model = scripted().await;
    let given = path.clone();
    model.script(move |request| match request.kind {
        Kind::Agent => agent_script(request),
        _ => Answer::value(json!({
            "action": {
                "elementId": request.id_of(FIELD), "description": "the field", "method": "setInputFiles",
                "arguments": [given],
            },
            "twoStep": false,
        })),
    });
    let (automator, page) = open(rig.remote().model(model_on(&model))).await;
    page.goto(&rig.site.put(PAGE).url).await.unwrap();

    let instruction = format!("upload \"{path}\" as the CV");
    let result = automator.act(instruction.as_str()).await.unwrap();
    assert!(result.success, "{result:?}");
    assert_eq!(page.evaluate(CONTENT).await.unwrap(), "Dear all");

    page.evaluate(TAKEN_BACK).await.unwrap();
    let action = Action::new("input", "setInputFiles").argument(path.as_str());
    assert!(automator.act(&action).await.unwrap().success);
    assert_eq!(page.evaluate(CONTENT).await.unwrap(), "Dear all");

    page.evaluate(TAKEN_BACK).await.unwrap();
    let config = AgentConfig {
        mode: Some(AgentMode::Dom),
        ..AgentConfig::default()
    };
    let agent = automator.agent(config);
    let result = agent
        .execute("hand in %letter%")
        .variable("letter", path.as_str())
        .await
        .unwrap();
    assert!(result.success, "{result:?}");
    assert_eq!(page.evaluate(CONTENT).await.unwrap(), "Dear all");
    assert_eq!(model.failures(), Vec::<String>::new());
    rig.close(&automator).await;
}
