use std::sync::Arc;
use std::sync::Mutex;

use serde_json::json;

use super::*;
use crate::request::ImageFormat;

/// Answers from a list.
struct Listed(Mutex<Vec<Result<ComputerReply, LlmError>>>);

impl ComputerClient for Listed {
    fn step<'a>(&'a self, _request: &'a ComputerRequest) -> ComputerFuture<'a> {
        let reply = self.0.lock().unwrap().remove(0);
        Box::pin(async move { reply })
    }

    fn model_name(&self) -> &'static str {
        "test/listed"
    }

    fn turns_in_full(&self) -> usize {
        1
    }
}

async fn turn(
    replies: Vec<Result<ComputerReply, LlmError>>,
) -> (Result<ComputerReply, LlmError>, UsageMeter) {
    let request = ComputerRequest {
        system: String::new(),
        task: "go".to_owned(),
        earlier: String::new(),
        turns: Vec::new(),
        screen: Screen {
            picture: Image {
                format: ImageFormat::Png,
                bytes: Arc::from([1_u8, 2]),
            },
            width: 10,
            height: 10,
        },
        tools: Vec::new(),
    };
    let meter = UsageMeter::new();
    let client = Listed(Mutex::new(replies));
    let reply = use_computer(&client, &request, RetryPolicy::NONE, &meter).await;
    (reply, meter)
}

fn words(text: &str) -> ComputerReply {
    ComputerReply {
        text: text.to_owned(),
        ..ComputerReply::default()
    }
}

#[tokio::test]
async fn an_empty_answer_is_asked_for_once_more_and_both_are_counted() {
    let (reply, meter) = turn(vec![Ok(words(" ")), Ok(words("done"))]).await;
    assert_eq!(reply.unwrap().text, "done");
    assert_eq!(meter.total().calls, 2);
    let (reply, _) = turn(vec![Ok(words("")), Ok(words(""))]).await;
    assert!(matches!(reply, Err(LlmError::UnusableReply { .. })));
}

#[tokio::test]
async fn what_was_declined_and_what_was_cut_off_are_no_answers() {
    let mut declined = words("no");
    declined.finish = FinishReason::Refused("no".to_owned());
    assert!(matches!(
        turn(vec![Ok(declined)]).await.0,
        Err(LlmError::Refused { .. })
    ));
    let mut cut = words("I was about to");
    cut.finish = FinishReason::Length;
    assert!(matches!(
        turn(vec![Ok(cut)]).await.0,
        Err(LlmError::CutOff { .. })
    ));
}

fn version(name: &str) -> Option<Dialect> {
    let mut options = ModelOptions::new(name);
    options.api_key = Some("sk".into());
    Dialect::of(&Route::resolve(&options, &|_: &str| None).unwrap())
}

#[test]
fn the_tool_follows_the_model() {
    use anthropic::Version as Claude;
    use openai::Version as Gpt;
    for (name, expected) in [
        ("claude-3-7-sonnet-latest", Some(Claude::January2025)),
        ("claude-sonnet-4-20250514", Some(Claude::January2025)),
        ("claude-opus-4-1-20250805", Some(Claude::January2025)),
        ("claude-sonnet-4-5", Some(Claude::January2025)),
        ("claude-haiku-4-5-20251001", Some(Claude::January2025)),
        ("claude-opus-4-5-20251101", Some(Claude::November2025)),
        ("claude-sonnet-4-6", Some(Claude::November2025)),
        ("claude-opus-4-8", Some(Claude::November2025)),
        ("claude-sonnet-5", Some(Claude::November2025)),
        ("claude-opus-5-20260601", Some(Claude::November2025)),
        ("claude-opus-5-5", Some(Claude::August2026)),
        ("claude-haiku-6", Some(Claude::August2026)),
        ("claude-3-5-haiku-latest", None),
        ("claude-3-opus-20240229", None),
        ("claude-instant", None),
    ] {
        let found = version(&format!("anthropic/{name}"));
        assert_eq!(found, expected.map(Dialect::Anthropic), "{name}");
    }
    for (name, expected) in [
        ("computer-use-preview-2025-03-11", Some(Gpt::Preview)),
        ("gpt-5.4", Some(Gpt::Computer)),
        ("gpt-5.4-mini-2026-03-17", Some(Gpt::Computer)),
        ("gpt-5.6-sol", Some(Gpt::Computer)),
        ("gpt-6", Some(Gpt::Computer)),
        ("gpt-5.4-nano", None),
        ("gpt-5.3-chat-latest", None),
        ("gpt-5-mini", None),
        ("gpt-4.1-mini", None),
        ("o3", None),
    ] {
        let found = version(&format!("openai/{name}"));
        assert_eq!(found, expected.map(Dialect::OpenAi), "{name}");
    }
    assert_eq!(version("google/gemini-3-pro"), None);
    assert_eq!(version("bedrock/anthropic.claude-sonnet-4-5"), None);
}

#[test]
fn without_the_interface_that_has_the_tool_there_is_none() {
    let mut options = ModelOptions::new("openai/gpt-5.4");
    options.openai_endpoint_format = Some(crate::OpenAiEndpointFormat::Chat);
    let found = connect_computer(&options, &|_: &str| None, None).unwrap();
    assert!(found.is_none());
}

fn wanted_of_claude(input: &Value) -> Wanted {
    let body = json!({ "content": [{ "type": "tool_use", "id": "t", "name": "computer", "input": input }] });
    read(Dialect::Anthropic(anthropic::Version::January2025), &body)
        .remove(0)
        .wanted
}

fn wanted_of_gpt(action: &Value) -> Wanted {
    let body = json!({ "output": [{ "type": "computer_call", "call_id": "c", "actions": [action] }] });
    read(Dialect::OpenAi(openai::Version::Computer), &body)
        .remove(0)
        .wanted
}

fn read(dialect: Dialect, body: &Value) -> Vec<ComputerCall> {
    let name = match dialect {
        Dialect::Anthropic(_) => "anthropic/claude-sonnet-4-5",
        Dialect::OpenAi(_) => "openai/gpt-5.4",
    };
    let route = Route::resolve(&ModelOptions::new(name), &|_: &str| None).unwrap();
    let reply = match dialect {
        Dialect::Anthropic(_) => anthropic::read(&route, body),
        Dialect::OpenAi(_) => openai::read(&route, body),
    };
    reply.unwrap().calls
}

fn click(at: Option<Place>, button: ComputerButton, count: u32, held: HeldKeys) -> ComputerAction {
    ComputerAction::Click {
        at,
        button,
        count,
        held,
    }
}

#[test]
fn what_claude_does_with_the_mouse_is_read() {
    use ComputerButton::{Left, Middle, Right};
    let none = HeldKeys::default();
    let control = HeldKeys {
        control: true,
        ..none
    };
    let at = Some((3.0, 4.0));
    for (input, expected) in [
        (
            json!({ "action": "left_click", "coordinate": [3, 4] }),
            click(at, Left, 1, none),
        ),
        (json!({ "action": "left_click" }), click(None, Left, 1, none)),
        (
            json!({ "action": "right_click", "coordinate": [3, 4] }),
            click(at, Right, 1, none),
        ),
        (
            json!({ "action": "middle_click", "coordinate": [3, 4] }),
            click(at, Middle, 1, none),
        ),
        (
            json!({ "action": "double_click", "coordinate": [3, 4] }),
            click(at, Left, 2, none),
        ),
        (
            json!({ "action": "triple_click", "coordinate": [3, 4] }),
            click(at, Left, 3, none),
        ),
        (
            json!({ "action": "left_click", "coordinate": [3, 4], "text": "ctrl" }),
            click(at, Left, 1, control),
        ),
        (
            json!({ "action": "mouse_move", "coordinate": [3, 4] }),
            ComputerAction::Move {
                at: (3.0, 4.0),
                held: none,
            },
        ),
        (
            json!({ "action": "left_click_drag", "start_coordinate": [1, 2], "coordinate": [3, 4] }),
            ComputerAction::Drag {
                path: vec![(1.0, 2.0), (3.0, 4.0)],
                held: none,
            },
        ),
        (
            json!({ "action": "scroll", "coordinate": [3, 4], "scroll_direction": "up", "scroll_amount": 3 }),
            ComputerAction::Scroll {
                at,
                by: (0.0, -300.0),
                held: none,
            },
        ),
    ] {
        assert_eq!(wanted_of_claude(&input), Wanted::Action(expected), "{input}");
    }
}

#[test]
fn what_claude_does_with_keys_and_time_is_read() {
    let seconds = Duration::from_secs_f64;
    for (input, expected) in [
        (
            json!({ "action": "type", "text": "a b" }),
            ComputerAction::Type {
                text: "a b".to_owned(),
            },
        ),
        (
            json!({ "action": "key", "text": "ctrl+Page_Down", "repeat": 2 }),
            ComputerAction::Press {
                keys: vec!["Control+PageDown".to_owned()],
                times: 2,
            },
        ),
        (
            json!({ "action": "hold_key", "text": "shift", "duration": 0.5 }),
            ComputerAction::Hold {
                keys: "shift".to_owned(),
                time: seconds(0.5),
            },
        ),
        (
            json!({ "action": "wait", "duration": 2 }),
            ComputerAction::Wait { time: seconds(2.0) },
        ),
        (json!({ "action": "screenshot" }), ComputerAction::Screenshot),
        (
            json!({ "action": "cursor_position" }),
            ComputerAction::CursorPosition,
        ),
    ] {
        assert_eq!(wanted_of_claude(&input), Wanted::Action(expected), "{input}");
    }
}

#[test]
fn every_action_of_gpt_is_read() {
    use ComputerButton::{Left, Middle, Right};
    let none = HeldKeys::default();
    let shift = HeldKeys { shift: true, ..none };
    let at = Some((3.0, 4.0));
    for (action, expected) in [
        (
            json!({ "type": "click", "button": "left", "x": 3, "y": 4 }),
            click(at, Left, 1, none),
        ),
        (
            json!({ "type": "click", "button": "right", "x": 3, "y": 4 }),
            click(at, Right, 1, none),
        ),
        (
            json!({ "type": "click", "button": "wheel", "x": 3, "y": 4 }),
            click(at, Middle, 1, none),
        ),
        (
            json!({ "type": "click", "button": "back", "x": 0, "y": 0 }),
            ComputerAction::Back,
        ),
        (
            json!({ "type": "click", "button": "forward", "x": 0, "y": 0 }),
            ComputerAction::Forward,
        ),
        (
            json!({ "type": "double_click", "x": 3, "y": 4, "keys": ["SHIFT"] }),
            click(at, Left, 2, shift),
        ),
        (
            json!({ "type": "move", "x": 3, "y": 4 }),
            ComputerAction::Move {
                at: (3.0, 4.0),
                held: none,
            },
        ),
        (
            json!({ "type": "drag", "path": [{ "x": 1, "y": 2 }, { "x": 2, "y": 2 }, { "x": 3, "y": 4 }] }),
            ComputerAction::Drag {
                path: vec![(1.0, 2.0), (2.0, 2.0), (3.0, 4.0)],
                held: none,
            },
        ),
        (
            json!({ "type": "scroll", "x": 3, "y": 4, "scroll_x": 0, "scroll_y": 250 }),
            ComputerAction::Scroll {
                at,
                by: (0.0, 250.0),
                held: none,
            },
        ),
        (
            json!({ "type": "type", "text": "a b" }),
            ComputerAction::Type {
                text: "a b".to_owned(),
            },
        ),
        (
            json!({ "type": "keypress", "keys": ["CTRL", "A"] }),
            ComputerAction::Press {
                keys: vec!["Control+A".to_owned()],
                times: 1,
            },
        ),
        (
            json!({ "type": "wait" }),
            ComputerAction::Wait {
                time: Duration::from_secs(1),
            },
        ),
        (json!({ "type": "screenshot" }), ComputerAction::Screenshot),
    ] {
        assert_eq!(wanted_of_gpt(&action), Wanted::Action(expected), "{action}");
    }
}

#[test]
fn what_cannot_be_read_is_told_to_the_model() {
    for input in [
        json!({}),
        json!(null),
        json!("left_click"),
        json!({ "action": "fly" }),
        json!({ "action": "left_click", "coordinate": [1] }),
        json!({ "action": "left_click", "coordinate": "here" }),
        json!({ "action": "left_click_drag", "coordinate": [1, 2] }),
        json!({ "action": "mouse_move" }),
        json!({ "action": "scroll", "scroll_direction": "sideways", "scroll_amount": 1 }),
        json!({ "action": "scroll", "scroll_direction": "up" }),
        json!({ "action": "type" }),
        json!({ "action": "key", "text": "" }),
        json!({ "action": "wait", "duration": -1 }),
        json!({ "action": "wait", "duration": 121 }),
        json!({ "action": "key", "text": "Tab", "repeat": -1 }),
        json!({ "action": "key", "text": "Tab", "repeat": 1.5 }),
        json!({ "action": "zoom", "region": [0, 0, 1, 1] }),
        json!({ "action": "left_mouse_down" }),
    ] {
        let wanted = wanted_of_claude(&input);
        assert!(
            matches!(&wanted, Wanted::Unusable { problem, .. } if !problem.is_empty()),
            "{input}: {wanted:?}"
        );
    }
    for action in [
        json!({}),
        json!(5),
        json!({ "type": "fly" }),
        json!({ "type": "click", "x": 1 }),
        json!({ "type": "click", "button": "nose", "x": 1, "y": 1 }),
        json!({ "type": "drag", "path": [{ "x": 1, "y": 2 }] }),
        json!({ "type": "drag", "path": [{ "x": 1 }, { "x": 1 }] }),
        json!({ "type": "type" }),
        json!({ "type": "keypress", "keys": [] }),
        json!({ "type": "keypress" }),
    ] {
        let wanted = wanted_of_gpt(&action);
        assert!(
            matches!(&wanted, Wanted::Unusable { problem, .. } if !problem.is_empty()),
            "{action}: {wanted:?}"
        );
    }
    let empty = json!({ "output": [{ "type": "computer_call", "call_id": "c" }] });
    let calls = read(Dialect::OpenAi(openai::Version::Preview), &empty);
    assert!(matches!(calls[0].wanted, Wanted::Unusable { .. }));
}

#[test]
fn the_actions_of_one_call_have_its_id_and_the_first_has_its_checks() {
    let body = json!({ "output": [{
        "type": "computer_call", "call_id": "c",
        "pending_safety_checks": [{ "id": "s", "code": "malicious_instructions", "message": "look" }],
        "actions": [{ "type": "screenshot" }, { "type": "wait" }],
    }] });
    let calls = read(Dialect::OpenAi(openai::Version::Computer), &body);
    assert!(calls.iter().all(|call| call.id == "c"));
    assert_eq!((calls[0].checks.len(), calls[1].checks.len()), (1, 0));
    assert_eq!(calls[0].checks[0].code, "malicious_instructions");
}

#[test]
fn one_action_of_the_older_form_is_read() {
    let body =
        json!({ "output": [{ "type": "computer_call", "call_id": "c", "action": { "type": "wait" } }] });
    let calls = read(Dialect::OpenAi(openai::Version::Preview), &body);
    assert!(matches!(
        calls[0].wanted,
        Wanted::Action(ComputerAction::Wait { .. })
    ));
}

#[test]
fn members_of_the_set_of_tools_are_actions_and_others_are_tools() {
    let body = json!({ "content": [
        { "type": "tool_use", "id": "a", "name": "left_click", "toolset_name": "computer", "input": { "coordinate": [3, 4] } },
        { "type": "tool_use", "id": "b", "name": "left_click", "input": { "x": 1 } },
    ] });
    let calls = read(Dialect::Anthropic(anthropic::Version::August2026), &body);
    assert!(matches!(
        calls[0].wanted,
        Wanted::Action(ComputerAction::Click { .. })
    ));
    assert!(matches!(&calls[1].wanted, Wanted::Tool { name, .. } if name == "left_click"));
}
