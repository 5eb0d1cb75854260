//! Anthropic's computer tool: the request out, the answer in. Pure.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::{
    ComputerAction, ComputerButton, ComputerCall, ComputerReply, ComputerRequest, ComputerResult,
    ComputerTurn, Place, Wanted, base64_of, count_at, keys, list_at, number, text_at,
};
use crate::error::LlmError;
use crate::failure::invalid_reply;
use crate::model::ReasoningEffort;
use crate::reply::FinishReason;
use crate::request::{Image, Tool};
use crate::route::Route;
use crate::usage::TokenCounts;

/// The header in which a client says what it tries out.
pub(super) const BETA_HEADER: &str = "anthropic-beta";

/// Turns that are sent as they were; beyond, they are told in words.
pub(super) const TURNS_IN_FULL: usize = 24;

/// The name of the tool, and of the set of tools that took its place.
const COMPUTER: &str = "computer";

/// How far one step of the wheel scrolls, in pixels.
const WHEEL: f64 = 100.0;

/// Most that may be waited for, and keys may be held, at once.
const LONGEST: Duration = Duration::from_secs(120);

/// Parts of the set of tools that pictures of pages give no use.
const WITHOUT: [&str; 3] = ["left_mouse_down", "left_mouse_up", "zoom"];

/// Tokens of thinking for those models that are given a number, by the words for it.
const BUDGETS: [(ReasoningEffort, u32); 5] = [
    (ReasoningEffort::Low, 1_024),
    (ReasoningEffort::Medium, 4_096),
    (ReasoningEffort::High, 16_384),
    (ReasoningEffort::ExtraHigh, 24_576),
    (ReasoningEffort::Max, 31_999),
];

/// The tool that a model was made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    January2025,
    November2025,
    /// A set of tools instead of one.
    August2026,
}

impl Version {
    /// The version of a model; none for one that does not use computers.
    pub(super) fn of(model: &str) -> Option<Self> {
        let model = model.to_lowercase();
        let name = model.split('@').next().unwrap_or(&model);
        let rest = name.strip_prefix("claude-")?;
        if rest.starts_with("3-7-sonnet") {
            return Some(Self::January2025);
        }
        // `claude-sonnet-4-5-20250929`: family, generation, and what came later of it; a date is no such number.
        let mut parts = rest.split('-');
        // Before the fourth generation the numbers came first.
        parts
            .next()
            .filter(|family| !family.starts_with(|first: char| first.is_ascii_digit()))?;
        let generation: u32 = parts.next()?.parse().ok()?;
        let later = parts
            .next()
            .filter(|part| part.len() < 3)
            .and_then(|part| part.parse().ok())
            .unwrap_or(0_u32);
        let is_opus = rest.starts_with("opus");
        match (generation, later) {
            (..=3, _) => None,
            (4, ..=4) => Some(Self::January2025),
            (4, 5) if !is_opus => Some(Self::January2025),
            (4, _) | (5, 0) => Some(Self::November2025),
            _ => Some(Self::August2026),
        }
    }

    /// What has to be said in the header of its name, as long as the version is tried out.
    pub(super) fn beta(self) -> Option<&'static str> {
        match self {
            Self::January2025 => Some("computer-use-2025-01-24"),
            Self::November2025 => Some("computer-use-2025-11-24"),
            Self::August2026 => None,
        }
    }

    fn tool(self, width: u32, height: u32) -> Value {
        let kind = match self {
            Self::January2025 => "computer_20250124",
            Self::November2025 => "computer_20251124",
            Self::August2026 => {
                let off = json!({ "enabled": false });
                let configs: Map<String, Value> = WITHOUT
                    .map(|name| (name.to_owned(), off.clone()))
                    .into_iter()
                    .collect();
                return json!({ "type": "computer_toolset_20260801", "configs": configs });
            }
        };
        json!({ "type": kind, "name": COMPUTER, "display_width_px": width, "display_height_px": height })
    }
}

/// The request in Anthropic's form.
pub(super) fn body(route: &Route, version: Version, request: &ComputerRequest) -> Map<String, Value> {
    let screen = &request.screen;
    let mut tools = vec![version.tool(screen.width, screen.height)];
    tools.extend(request.tools.iter().map(tool));
    let mut body = Map::from_iter([
        ("model".to_owned(), route.wire_model.as_str().into()),
        ("max_tokens".to_owned(), route.output_limit.into()),
        ("system".to_owned(), json!([cached(text(&request.system))])),
        ("tools".to_owned(), tools.into()),
        ("messages".to_owned(), messages(request).into()),
    ]);
    if let Some(temperature) = route.temperature {
        body.insert("temperature".to_owned(), temperature.into());
    }
    if let Some(effort) = route.reasoning_effort {
        think(version, effort, &mut body);
    }
    body
}

/// How much the model thinks: the older ones are given a number of tokens, the newer ones a word.
fn think(version: Version, effort: ReasoningEffort, body: &mut Map<String, Value>) {
    let budget = match effort {
        ReasoningEffort::Budget(tokens) => Some(tokens),
        word if version == Version::January2025 => BUDGETS
            .iter()
            .find(|(other, _)| *other == word)
            .map(|(_, tokens)| *tokens),
        ReasoningEffort::None | ReasoningEffort::Minimal => {
            body.insert("output_config".to_owned(), json!({ "effort": "low" }));
            None
        }
        word => {
            body.insert("output_config".to_owned(), json!({ "effort": word.to_value() }));
            None
        }
    };
    if let Some(tokens) = budget {
        let thinking = json!({ "type": "enabled", "budget_tokens": tokens });
        body.insert("thinking".to_owned(), thinking);
    }
}

fn tool(tool: &Tool) -> Value {
    json!({ "name": tool.name, "description": tool.description, "input_schema": tool.parameters })
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn picture(picture: &Image) -> Value {
    let media_type = picture.format.media_type();
    json!({
        "type": "image",
        "source": { "type": "base64", "media_type": media_type, "data": base64_of(picture) },
    })
}

/// Everything up to this block is worth keeping for the next request.
fn cached(mut block: Value) -> Value {
    block["cache_control"] = json!({ "type": "ephemeral" });
    block
}

fn messages(request: &ComputerRequest) -> Vec<Value> {
    let mut first = vec![text(&request.task)];
    if !request.earlier.is_empty() {
        first.push(text(&request.earlier));
    }
    if request.turns.is_empty() {
        first.push(picture(&request.screen.picture));
    }
    let mut messages = vec![json!({ "role": "user", "content": first })];
    let count = request.turns.len();
    for (index, turn) in request.turns.iter().enumerate() {
        messages.push(json!({ "role": "assistant", "content": turn.said }));
        let is_last = index + 1 == count;
        let mut content = answers(turn, is_last.then_some(&request.screen.picture));
        // The last one loses its picture next time; what is before it stays as it is.
        if index + 2 == count
            && let Some(last) = content.last_mut()
        {
            *last = cached(last.take());
        }
        messages.push(json!({ "role": "user", "content": content }));
    }
    messages
}

/// The results of a turn, with the picture in the last one that worked: errors may hold texts alone.
fn answers(turn: &ComputerTurn, shown: Option<&Image>) -> Vec<Value> {
    let of_set = |result: &ComputerResult| {
        let call = turn
            .said
            .iter()
            .find(|block| text_at(block, "/id") == result.call_id);
        call.and_then(|call| call.get("toolset_name")).cloned()
    };
    let mut blocks: Vec<Value> = turn
        .results
        .iter()
        .map(|result| {
            let line = if result.text.is_empty() {
                "done"
            } else {
                &result.text
            };
            let mut block =
                json!({ "type": "tool_result", "tool_use_id": result.call_id, "content": [text(line)] });
            if result.is_error {
                block["is_error"] = true.into();
            }
            if let Some(name) = of_set(result).filter(|name| !name.is_null()) {
                block["toolset_name"] = name;
            }
            block
        })
        .collect();
    if let Some(shown) = shown {
        let worked = turn.results.iter().rposition(|result| !result.is_error);
        let content = worked
            .and_then(|index| blocks.get_mut(index))
            .and_then(|block| block.get_mut("content"))
            .and_then(Value::as_array_mut);
        match content {
            Some(content) => content.push(picture(shown)),
            None => blocks.push(picture(shown)),
        }
    }
    blocks.extend(turn.note.as_deref().map(text));
    blocks
}

/// The answer in our form.
pub(super) fn read(route: &Route, body: &Value) -> Result<ComputerReply, LlmError> {
    let tokens = tokens(body);
    let Some(said) = body.get("content").and_then(Value::as_array) else {
        let reason = "the answer's own member is missing";
        return Err(invalid_reply(route, reason, body, tokens));
    };
    let mut reply = ComputerReply {
        tokens,
        // Empty texts are not taken back.
        said: said
            .iter()
            .filter(|block| text_at(block, "/type") != "text" || !text_at(block, "/text").is_empty())
            .cloned()
            .collect(),
        ..ComputerReply::default()
    };
    for block in said {
        match text_at(block, "/type") {
            "text" => reply.text.push_str(text_at(block, "/text")),
            "tool_use" => reply.calls.push(call(block)),
            _ => {}
        }
    }
    reply.finish = match text_at(body, "/stop_reason") {
        "refusal" => FinishReason::Refused(match reply.text.trim() {
            "" => "refusal".to_owned(),
            words => words.to_owned(),
        }),
        "max_tokens" | "model_context_window_exceeded" => FinishReason::Length,
        _ if reply.calls.is_empty() => FinishReason::Stop,
        _ => FinishReason::ToolCalls,
    };
    Ok(reply)
}

/// Anthropic counts what its cache gave and took beside the input.
fn tokens(body: &Value) -> TokenCounts {
    let cached_input = count_at(body, "/usage/cache_read_input_tokens");
    let cache_write = count_at(body, "/usage/cache_creation_input_tokens");
    TokenCounts {
        prompt: count_at(body, "/usage/input_tokens")
            .saturating_add(cached_input)
            .saturating_add(cache_write),
        completion: count_at(body, "/usage/output_tokens"),
        reasoning: count_at(body, "/usage/output_tokens_details/thinking_tokens"),
        cached_input,
        cache_write,
    }
}

fn call(block: &Value) -> ComputerCall {
    let name = text_at(block, "/name");
    let nothing = Value::Null;
    let input = block.get("input").unwrap_or(&nothing);
    let is_of_set = text_at(block, "/toolset_name") == COMPUTER;
    let wanted = match (is_of_set, name) {
        (true, action) => action_of(action, input),
        (false, COMPUTER) => action_of(text_at(input, "/action"), input),
        (false, name) => Wanted::Tool {
            name: name.to_owned(),
            arguments: input.clone(),
        },
    };
    ComputerCall {
        id: text_at(block, "/id").to_owned(),
        wanted,
        checks: Vec::new(),
    }
}

fn action_of(name: &str, input: &Value) -> Wanted {
    match read_action(name, input) {
        Ok(action) => Wanted::Action(action),
        Err(problem) => Wanted::Unusable {
            name: name.to_owned(),
            problem,
        },
    }
}

fn read_action(name: &str, input: &Value) -> Result<ComputerAction, String> {
    let held = || keys::held(text_at(input, "/text").split('+'));
    let click = |button, count| {
        let at = place_if_any(input)?;
        let held = held();
        Ok(ComputerAction::Click {
            at,
            button,
            count,
            held,
        })
    };
    match name {
        "left_click" => click(ComputerButton::Left, 1),
        "right_click" => click(ComputerButton::Right, 1),
        "middle_click" => click(ComputerButton::Middle, 1),
        "double_click" => click(ComputerButton::Left, 2),
        "triple_click" => click(ComputerButton::Left, 3),
        "mouse_move" => Ok(ComputerAction::Move {
            at: place(input, "coordinate")?,
            held: held(),
        }),
        "left_click_drag" => Ok(ComputerAction::Drag {
            path: vec![place(input, "start_coordinate")?, place(input, "coordinate")?],
            held: held(),
        }),
        "scroll" => Ok(ComputerAction::Scroll {
            at: place_if_any(input)?,
            by: scrolled(input)?,
            held: held(),
        }),
        "type" => Ok(ComputerAction::Type {
            text: given_text(input)?,
        }),
        "key" => Ok(ComputerAction::Press {
            keys: given_keys(input)?,
            times: times(input.get("repeat"))?,
        }),
        "hold_key" => Ok(ComputerAction::Hold {
            keys: given_keys(input)?.join("+"),
            time: duration(input)?,
        }),
        "wait" => Ok(ComputerAction::Wait {
            time: duration(input)?,
        }),
        "screenshot" => Ok(ComputerAction::Screenshot),
        "cursor_position" => Ok(ComputerAction::CursorPosition),
        "left_mouse_down" | "left_mouse_up" => Err("it is not there; use left_click_drag".to_owned()),
        "zoom" => Err("it is not there; the picture is as sharp as it gets".to_owned()),
        _ => Err("there is no such action".to_owned()),
    }
}

fn place_if_any(input: &Value) -> Result<Option<Place>, String> {
    match input.get("coordinate") {
        None | Some(Value::Null) => Ok(None),
        Some(_) => place(input, "coordinate").map(Some),
    }
}

fn place(input: &Value, member: &str) -> Result<Place, String> {
    match list_at(input, &format!("/{member}")) {
        [x, y] => number(Some(x)).zip(number(Some(y))),
        _ => None,
    }
    .ok_or_else(|| format!("{member} must be two numbers, as [x, y]"))
}

fn scrolled(input: &Value) -> Result<(f64, f64), String> {
    let amount = number(input.get("scroll_amount")).ok_or("scroll_amount must be a number")?;
    let far = amount * WHEEL;
    match text_at(input, "/scroll_direction") {
        "up" => Ok((0.0, -far)),
        "down" => Ok((0.0, far)),
        "left" => Ok((-far, 0.0)),
        "right" => Ok((far, 0.0)),
        _ => Err("scroll_direction must be up, down, left or right".to_owned()),
    }
}

fn given_text(input: &Value) -> Result<String, String> {
    let text = input.get("text").and_then(Value::as_str);
    text.map(str::to_owned)
        .ok_or_else(|| "text is missing".to_owned())
}

fn given_keys(input: &Value) -> Result<Vec<String>, String> {
    let keys = keys::in_text(&given_text(input)?);
    if keys.is_empty() {
        Err("text names no key".to_owned())
    } else {
        Ok(keys)
    }
}

fn times(repeat: Option<&Value>) -> Result<u32, String> {
    match repeat {
        None | Some(Value::Null) => Ok(1),
        Some(times) => times
            .as_u64()
            .map(|times| u32::try_from(times).unwrap_or(u32::MAX))
            .ok_or_else(|| "repeat must be a whole number from 1 on".to_owned()),
    }
}

fn duration(input: &Value) -> Result<Duration, String> {
    number(input.get("duration"))
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .filter(|time| *time <= LONGEST)
        .ok_or_else(|| {
            format!(
                "duration must be a number of seconds from 0 to {}",
                LONGEST.as_secs()
            )
        })
}
