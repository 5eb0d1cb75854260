//! The mode `hybrid`: tools that point at places in pictures.

use automator_testing::Kind;
use serde_json::json;

use crate::rig::{Rig, model_on};
use crate::script::{call, hybrid, play_alone, results};

/// A canvas and a field, both at known places, and what the page has seen.
const PAGE: &str = "<style>body { margin: 0 } canvas, input { position: absolute; left: 0 } canvas { top: 0 }\
    input { top: 300px; width: 200px; height: 40px; box-sizing: border-box }</style>\
    <canvas width=400 height=200></canvas><input aria-label=Name>\
    <script>seen = []; const canvas = document.querySelector('canvas');\
    for (const type of ['mousedown', 'mouseup', 'click']) canvas.addEventListener(type, (event) => {\
      seen.push(type + ' ' + event.clientX + ',' + event.clientY); if (type === 'mousedown') down = performance.now();\
      if (type === 'mouseup') held = performance.now() - down; });</script>";

#[tokio::test]
async fn a_place_is_clicked_and_shown_afterwards() {
    let rig = Rig::start().await;
    rig.show(PAGE).await;
    play_alone(
        &rig,
        vec![call(
            "click",
            json!({ "describe": "the drawing", "coordinates": [120, 80] }),
        )],
    );
    let result = rig.automator.agent(hybrid()).execute("click").await.unwrap();
    assert_eq!(result.actions[0].details["success"], true, "{result:?}");
    rig.becomes("seen.join(' ')", "mousedown 120,80 mouseup 120,80 click 120,80")
        .await;
    let requests = rig.model.requests_of(Kind::Agent);
    assert_eq!(requests[1].images, 1);
    let names: Vec<&str> = requests[0].tools.iter().map(|tool| tool.name.as_str()).collect();
    assert!(
        !names.contains(&"fillForm") && names.contains(&"click"),
        "{names:?}"
    );
    assert!(requests[0].system.contains("pixels of the screenshot"));
    rig.close().await;
}

#[tokio::test]
async fn gemini_counts_thousandths() {
    let rig = Rig::start().await;
    rig.show(PAGE).await;
    play_alone(
        &rig,
        vec![call(
            "click",
            json!({ "describe": "the drawing", "coordinates": [100, 100] }),
        )],
    );
    let mut config = hybrid();
    config.model = Some(model_on(&rig.model, "google/gemini-3-pro", false));
    rig.automator.agent(config).execute("click").await.unwrap();
    rig.becomes("seen.at(-1)", "click 128,71").await;
    rig.close().await;
}

#[tokio::test]
async fn a_text_is_typed_at_a_place_without_telling_its_value() {
    let rig = Rig::start().await;
    rig.show(PAGE).await;
    let input = json!({ "describe": "the name", "text": "I am %name%", "coordinates": [50, 320] });
    play_alone(&rig, vec![call("type", input)]);
    let agent = rig.automator.agent(hybrid());
    agent
        .execute("type")
        .variable("name", "Ada Lovelace")
        .await
        .unwrap();
    rig.becomes("document.querySelector('input').value", "I am Ada Lovelace")
        .await;
    assert!(
        !rig.model
            .requests()
            .iter()
            .any(|request| request.raw.contains("Lovelace"))
    );
    rig.close().await;
}

#[tokio::test]
async fn a_place_is_held() {
    let rig = Rig::start().await;
    rig.show(PAGE).await;
    let input = json!({ "describe": "the drawing", "duration": 350, "coordinates": [10, 10] });
    play_alone(&rig, vec![call("clickAndHold", input)]);
    rig.automator.agent(hybrid()).execute("hold").await.unwrap();
    rig.becomes("held >= 340", true).await;
    rig.close().await;
}

#[tokio::test]
async fn one_place_is_dragged_to_another() {
    let rig = Rig::start().await;
    rig.show(PAGE).await;
    let input = json!({ "describe": "a line", "startCoordinates": [10, 20], "endCoordinates": [200, 150] });
    play_alone(&rig, vec![call("dragAndDrop", input)]);
    let result = rig.automator.agent(hybrid()).execute("drag").await.unwrap();
    assert_eq!(result.actions[0].details["success"], true, "{result:?}");
    rig.becomes("seen.slice(0, 2).join(' ')", "mousedown 10,20 mouseup 200,150")
        .await;
    rig.close().await;
}

#[tokio::test]
async fn fields_are_filled_in_at_their_places() {
    let rig = Rig::start().await;
    rig.show(PAGE).await;
    let fields = json!({ "fields": [{ "action": "the name", "value": "Ada", "coordinates": [50, 320] }] });
    play_alone(&rig, vec![call("fillFormVision", fields)]);
    rig.automator.agent(hybrid()).execute("fill").await.unwrap();
    rig.becomes("document.querySelector('input').value", "Ada").await;
    rig.close().await;
}

#[tokio::test]
async fn a_place_without_a_field_is_not_filled_in() {
    let rig = Rig::start().await;
    rig.show("<style>body { margin: 0; height: 600px }</style><form style='height: 500px'><input aria-label=Only value=kept></form>")
        .await;
    for (fields, why) in [
        (
            json!([{ "action": "the coupon", "value": "x", "coordinates": [600, 400] }]),
            "no field at this place",
        ),
        (
            json!([{ "action": "the coupon", "value": "x", "coordinates": [600, 590] }]),
            "no field at this place",
        ),
        (json!([]), "fields is empty"),
    ] {
        play_alone(&rig, vec![call("fillFormVision", json!({ "fields": fields }))]);
        let result = rig.automator.agent(hybrid()).execute("fill").await.unwrap();
        assert_eq!(result.actions[0].details["success"], false, "{result:?}");
        assert!(results(&rig)[0].contains(why), "{:?}", results(&rig));
        rig.becomes("document.querySelector('input').value", "kept").await;
    }
    rig.close().await;
}

#[tokio::test]
async fn of_a_large_window_a_smaller_picture_is_shown_and_its_places_are_meant() {
    let rig = Rig::start().await;
    rig.page.set_viewport_size(2800, 1400).await.unwrap();
    rig.show(PAGE).await;
    play_alone(
        &rig,
        vec![call(
            "click",
            json!({ "describe": "the drawing", "coordinates": [60, 40] }),
        )],
    );
    let result = rig.automator.agent(hybrid()).execute("click").await.unwrap();
    assert_eq!(result.actions[0].details["success"], true, "{result:?}");
    rig.becomes("seen.at(-1)", "click 120,80").await;
    let request = rig.model.requests_of(Kind::Agent)[1].clone();
    let start = request.raw.find("base64,").unwrap() + "base64,".len();
    let data: String = request.raw[start..]
        .chars()
        .take_while(|sign| *sign != '"')
        .collect();
    let source = format!(
        "new Promise((ok) => {{ const picture = new Image(); picture.onload = () => ok(picture.width + 'x' + picture.height); \
         picture.src = 'data:image/jpeg;base64,{data}'; }})"
    );
    assert_eq!(rig.page.evaluate(&source).await.unwrap(), "1400x700");
    rig.close().await;
}

#[tokio::test]
async fn places_outside_the_window_are_told() {
    let rig = Rig::start().await;
    rig.show(PAGE).await;
    play_alone(
        &rig,
        vec![
            call("click", json!({ "describe": "", "coordinates": [99_999, 1] })),
            call("click", json!({ "describe": "", "coordinates": [1] })),
        ],
    );
    rig.automator.agent(hybrid()).execute("click").await.unwrap();
    let told = results(&rig);
    assert!(told[0].contains("outside the window"), "{told:?}");
    assert!(told[1].contains("two numbers"), "{told:?}");
    rig.close().await;
}

#[tokio::test]
async fn where_it_is_pointed_can_be_shown_without_changing_the_page() {
    let rig = Rig::start().await;
    rig.show(PAGE).await;
    play_alone(
        &rig,
        vec![call(
            "click",
            json!({ "describe": "the drawing", "coordinates": [120, 80] }),
        )],
    );
    let before = rig
        .page
        .evaluate("document.querySelectorAll('*').length")
        .await
        .unwrap();
    let options = automator::AgentExecuteOptions {
        highlight_cursor: Some(true),
        ..automator::AgentExecuteOptions::new("click")
    };
    let result = rig.automator.agent(hybrid()).execute(options).await.unwrap();
    assert_eq!(result.actions[0].details["success"], true, "{result:?}");
    rig.becomes("seen.length", 3).await;
    rig.becomes("document.querySelectorAll('*').length", before).await;
    rig.close().await;
}

#[tokio::test]
async fn a_model_without_eyes_is_told_so() {
    let rig = Rig::with(|builder| builder.llm_client(Blind)).await;
    rig.show(PAGE).await;
    let result = rig.automator.agent(hybrid()).execute("look").await.unwrap();
    let message = result.actions[0].details["message"].as_str().unwrap();
    assert!(message.contains("takes no pictures"), "{result:?}");
    rig.close().await;
}

/// Asks for a picture that it cannot see.
struct Blind;

impl automator::LlmClient for Blind {
    fn generate<'a>(&'a self, request: &'a automator::GenerateRequest) -> automator::GenerateFuture<'a> {
        let is_first = request.messages.len() == 2;
        Box::pin(async move {
            let mut reply = automator::GenerateReply::from_text("");
            let name = match (request.tools.len(), is_first) {
                (1, _) => "done",
                (_, true) => "screenshot",
                _ => return Ok(automator::GenerateReply::from_text("nothing to see")),
            };
            let client = automator::JsonClient::new("test/blind", move |_| {
                Box::pin(async move {
                    Ok(json!({ "toolCalls": [{
                        "id": "c", "name": name, "arguments": { "reasoning": "x", "taskComplete": false } }] }))
                })
            });
            reply.tool_calls = client.generate(request).await?.tool_calls;
            Ok(reply)
        })
    }

    fn model_name(&self) -> &'static str {
        "test/blind"
    }

    fn accepts_images(&self) -> bool {
        false
    }
}

#[tokio::test]
async fn models_that_point_well_are_given_the_tools_for_it() {
    let rig = Rig::start().await;
    play_alone(&rig, vec![]);
    let config = automator::AgentConfig {
        model: Some(model_on(&rig.model, "anthropic/claude-sonnet-4-5", false)),
        ..automator::AgentConfig::default()
    };
    rig.automator.agent(config).execute("nothing").await.unwrap();
    let requests = rig.model.requests_of(Kind::Agent);
    assert!(requests[0].tools.iter().any(|tool| tool.name == "click"));
    rig.close().await;
}
