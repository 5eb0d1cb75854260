//! OpenAI's computer tool, by the Responses interface: the request out, the answer in. Pure.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::{
    ComputerAction, ComputerButton, ComputerCall, ComputerReply, ComputerRequest, ComputerTurn, Place,
    SafetyCheck, Wanted, count_at, data_url, keys, list_at, number, text_at,
};
use crate::error::LlmError;
use crate::failure::invalid_reply;
use crate::model::ReasoningEffort;
use crate::reply::FinishReason;
use crate::request::{Image, Tool};
use crate::route::Route;
use crate::usage::TokenCounts;

/// Turns that are sent as they were: every one of them would have to have its picture.
pub(super) const TURNS_IN_FULL: usize = 1;

/// How long is waited, as the model does not say.
const WAIT: Duration = Duration::from_secs(1);

/// The first of the models that use computers without being made for it alone, as generation and what came later.
const FIRST: (u32, u32) = (5, 4);

/// The tool that a model was made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    /// Of the model that does nothing else.
    Preview,
    Computer,
}

impl Version {
    /// The version of a model; none for one that does not use computers.
    pub(super) fn of(model: &str) -> Option<Self> {
        let model = model.to_lowercase();
        let name = model.rsplit('/').next().unwrap_or(&model);
        if name.starts_with("computer-use-preview") {
            return Some(Self::Preview);
        }
        let mut parts = name.strip_prefix("gpt-")?.split('-');
        let number = parts.next()?;
        // The smallest ones and those for talking do not have it.
        if parts.any(|part| matches!(part, "nano" | "chat" | "audio" | "realtime")) {
            return None;
        }
        let (generation, later) = number.split_once('.').unwrap_or((number, "0"));
        let numbers: (u32, u32) = (generation.parse().ok()?, later.parse().ok()?);
        (numbers >= FIRST).then_some(Self::Computer)
    }

    fn tool(self, width: u32, height: u32) -> Value {
        match self {
            Self::Computer => json!({ "type": "computer" }),
            Self::Preview => json!({
                "type": "computer_use_preview", "environment": "browser",
                "display_width": width, "display_height": height,
            }),
        }
    }
}

/// The request in OpenAI's form.
pub(super) fn body(route: &Route, version: Version, request: &ComputerRequest) -> Map<String, Value> {
    let screen = &request.screen;
    let mut tools = vec![version.tool(screen.width, screen.height)];
    tools.extend(request.tools.iter().map(tool));
    let mut body = Map::from_iter([
        ("model".to_owned(), route.wire_model.as_str().into()),
        ("instructions".to_owned(), request.system.as_str().into()),
        ("tools".to_owned(), tools.into()),
        ("input".to_owned(), input(request).into()),
        // Nothing is kept there, so the model's thoughts are sent back in a form that only they can read.
        ("store".to_owned(), false.into()),
        ("include".to_owned(), json!(["reasoning.encrypted_content"])),
        ("truncation".to_owned(), "auto".into()),
    ]);
    let mut put = |name: &str, value: Option<Value>| {
        body.extend(value.map(|value| (name.to_owned(), value)));
    };
    put("max_output_tokens", route.output_limit.map(Value::from));
    put("temperature", route.temperature.map(Value::from));
    let effort = route
        .reasoning_effort
        .filter(|effort| !matches!(effort, ReasoningEffort::Budget(_)));
    put(
        "reasoning",
        effort.map(|effort| json!({ "effort": effort.to_value() })),
    );
    body
}

fn tool(tool: &Tool) -> Value {
    json!({
        "type": "function", "name": tool.name, "description": tool.description, "parameters": tool.parameters,
        "strict": false,
    })
}

fn input(request: &ComputerRequest) -> Vec<Value> {
    let picture = &request.screen.picture;
    let mut first = vec![text(&request.task)];
    if !request.earlier.is_empty() {
        first.push(text(&request.earlier));
    }
    if request.turns.is_empty() {
        first.push(image(picture));
    }
    let mut items = vec![message(&first)];
    for turn in &request.turns {
        items.extend(turn.said.iter().cloned());
        items.extend(answers(turn, picture));
    }
    items
}

fn message(content: &[Value]) -> Value {
    json!({ "role": "user", "content": content })
}

fn text(text: &str) -> Value {
    json!({ "type": "input_text", "text": text })
}

fn image(picture: &Image) -> Value {
    json!({ "type": "input_image", "image_url": data_url(picture), "detail": "high" })
}

/// The results of a turn. Those of the computer are a picture; what there is to be said of them is said beside it.
fn answers(turn: &ComputerTurn, picture: &Image) -> Vec<Value> {
    let mut items = Vec::new();
    let mut beside = Vec::new();
    let mut is_shown = false;
    for item in &turn.said {
        let id = text_at(item, "/call_id");
        let results: Vec<_> = turn
            .results
            .iter()
            .filter(|result| result.call_id == id)
            .collect();
        let told: Vec<&str> = results
            .iter()
            .map(|result| result.text.as_str())
            .filter(|text| !text.is_empty())
            .collect();
        match text_at(item, "/type") {
            "computer_call" => {
                let mut output = json!({
                    "type": "computer_call_output", "call_id": id,
                    "output": { "type": "computer_screenshot", "image_url": data_url(picture) },
                });
                let checks = list_at(item, "/pending_safety_checks");
                if !checks.is_empty() {
                    output["acknowledged_safety_checks"] = checks.into();
                }
                items.push(output);
                is_shown = true;
                beside.extend(told.iter().map(|line| text(line)));
            }
            "function_call" => {
                let told = if told.is_empty() {
                    "done".to_owned()
                } else {
                    told.join("\n")
                };
                items.push(json!({ "type": "function_call_output", "call_id": id, "output": told }));
            }
            _ => {}
        }
    }
    if !is_shown {
        beside.push(image(picture));
    }
    beside.extend(turn.note.as_deref().map(text));
    if !beside.is_empty() {
        items.push(message(&beside));
    }
    items
}

/// The answer in our form.
pub(super) fn read(route: &Route, body: &Value) -> Result<ComputerReply, LlmError> {
    let tokens = tokens(body);
    let Some(said) = body.get("output").and_then(Value::as_array) else {
        let reason = "the answer's own member is missing";
        return Err(invalid_reply(route, reason, body, tokens));
    };
    let mut reply = ComputerReply {
        tokens,
        said: said.clone(),
        ..ComputerReply::default()
    };
    let mut refusal = String::new();
    for item in said {
        match text_at(item, "/type") {
            "message" => {
                for part in list_at(item, "/content") {
                    reply.text.push_str(text_at(part, "/text"));
                    refusal.push_str(text_at(part, "/refusal"));
                }
            }
            "computer_call" => reply.calls.extend(computer_calls(item)),
            "function_call" => reply.calls.push(function_call(item)),
            _ => {}
        }
    }
    reply.finish = match text_at(body, "/incomplete_details/reason") {
        _ if !refusal.trim().is_empty() => FinishReason::Refused(refusal),
        "content_filter" => FinishReason::Refused("the content filter held the answer back".to_owned()),
        "" if reply.calls.is_empty() => FinishReason::Stop,
        "" => FinishReason::ToolCalls,
        _ => FinishReason::Length,
    };
    Ok(reply)
}

fn tokens(body: &Value) -> TokenCounts {
    TokenCounts {
        prompt: count_at(body, "/usage/input_tokens"),
        completion: count_at(body, "/usage/output_tokens"),
        reasoning: count_at(body, "/usage/output_tokens_details/reasoning_tokens"),
        cached_input: count_at(body, "/usage/input_tokens_details/cached_tokens"),
        cache_write: count_at(body, "/usage/input_tokens_details/cache_write_tokens"),
    }
}

fn function_call(item: &Value) -> ComputerCall {
    let given = text_at(item, "/arguments");
    ComputerCall {
        id: text_at(item, "/call_id").to_owned(),
        wanted: Wanted::Tool {
            name: text_at(item, "/name").to_owned(),
            arguments: serde_json::from_str(given).unwrap_or_else(|_| given.into()),
        },
        checks: Vec::new(),
    }
}

/// The actions of one call; the checks go with the first.
fn computer_calls(item: &Value) -> Vec<ComputerCall> {
    let mut actions: Vec<&Value> = list_at(item, "/actions").iter().collect();
    if actions.is_empty() {
        actions.extend(item.get("action").filter(|action| !action.is_null()));
    }
    let mut wanted: Vec<Wanted> = actions.into_iter().map(action_of).collect();
    if wanted.is_empty() {
        wanted.push(Wanted::Unusable {
            name: "computer_call".to_owned(),
            problem: "it names no action".to_owned(),
        });
    }
    let mut checks: Vec<SafetyCheck> = list_at(item, "/pending_safety_checks")
        .iter()
        .map(|check| SafetyCheck {
            code: text_at(check, "/code").to_owned(),
            message: text_at(check, "/message").to_owned(),
        })
        .collect();
    wanted
        .into_iter()
        .map(|wanted| ComputerCall {
            id: text_at(item, "/call_id").to_owned(),
            wanted,
            checks: std::mem::take(&mut checks),
        })
        .collect()
}

fn action_of(action: &Value) -> Wanted {
    match read_action(action) {
        Ok(action) => Wanted::Action(action),
        Err(problem) => Wanted::Unusable {
            name: text_at(action, "/type").to_owned(),
            problem,
        },
    }
}

fn read_action(action: &Value) -> Result<ComputerAction, String> {
    let keys: Vec<&str> = list_at(action, "/keys")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let held = keys::held(keys.iter().copied());
    match text_at(action, "/type") {
        "click" => match text_at(action, "/button") {
            "back" => Ok(ComputerAction::Back),
            "forward" => Ok(ComputerAction::Forward),
            button => {
                let button = match button {
                    "left" | "" => ComputerButton::Left,
                    "right" => ComputerButton::Right,
                    "wheel" | "middle" => ComputerButton::Middle,
                    _ => return Err("button must be left, right, wheel, back or forward".to_owned()),
                };
                Ok(ComputerAction::Click {
                    at: Some(place(action)?),
                    button,
                    count: 1,
                    held,
                })
            }
        },
        "double_click" => Ok(ComputerAction::Click {
            at: Some(place(action)?),
            button: ComputerButton::Left,
            count: 2,
            held,
        }),
        "move" => Ok(ComputerAction::Move {
            at: place(action)?,
            held,
        }),
        "drag" => {
            let path: Vec<Place> = list_at(action, "/path")
                .iter()
                .map(place)
                .collect::<Result<_, _>>()?;
            if path.len() < 2 {
                return Err("path must have two places at least".to_owned());
            }
            Ok(ComputerAction::Drag { path, held })
        }
        "scroll" => {
            let far = |member: &str| number(action.get(member)).unwrap_or_default();
            Ok(ComputerAction::Scroll {
                at: Some(place(action)?),
                by: (far("scroll_x"), far("scroll_y")),
                held,
            })
        }
        "type" => action
            .get("text")
            .and_then(Value::as_str)
            .map(|text| ComputerAction::Type {
                text: text.to_owned(),
            })
            .ok_or_else(|| "text is missing".to_owned()),
        "keypress" => match keys::in_list(&keys) {
            keys if keys.is_empty() => Err("keys names no key".to_owned()),
            keys => Ok(ComputerAction::Press { keys, times: 1 }),
        },
        "wait" => Ok(ComputerAction::Wait { time: WAIT }),
        "screenshot" => Ok(ComputerAction::Screenshot),
        _ => Err("there is no such action".to_owned()),
    }
}

fn place(action: &Value) -> Result<Place, String> {
    number(action.get("x"))
        .zip(number(action.get("y")))
        .ok_or_else(|| "x and y must be numbers".to_owned())
}
