//! A conversation as JSON, for runs that go on with an earlier one. Pure.
//!
//! A message is `{ role, content }` with a text or a list of `{ type: "text", text }`,
//! `{ type: "toolCall", id, name, arguments, signatures? }`, `{ type: "toolResult", id, name, content }` and
//! `{ type: "reasoning", … }`, and `{ type: "image", image }` in messages of the user. The names that the AI SDK has for
//! calls, results and pictures are understood, too.

use automator_llm::{Image, ImageFormat, Message, Part, Reasoning, Role, ToolCall, ToolResult};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use crate::variables::{Variables, with_texts};
use crate::{Error, Result};

/// What files of pictures begin with.
const PNG: &[u8] = b"\x89PNG";
const JPEG: &[u8] = b"\xff\xd8\xff";

/// A message as JSON; none for one of which nothing is left. Pictures are left out.
pub(super) fn to_json(message: &Message) -> Option<Value> {
    let role = match message.role {
        Role::System => return None,
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    };
    let content: Vec<Value> = message.parts.iter().filter_map(part_to_json).collect();
    (!content.is_empty()).then(|| json!({ "role": role, "content": content }))
}

fn part_to_json(part: &Part) -> Option<Value> {
    Some(match part {
        Part::Text(text) => json!({ "type": "text", "text": &**text }),
        Part::ToolCall(call) => {
            let mut told = json!({
                "type": "toolCall", "id": call.id, "name": call.name, "arguments": call.arguments
            });
            if !call.signatures.is_empty() {
                told["signatures"] = json!(call.signatures);
            }
            told
        }
        Part::ToolResult(result) => json!({
            "type": "toolResult", "id": result.call_id, "name": result.name, "content": result.content
        }),
        Part::Reasoning(Reasoning::Text(text)) => json!({ "type": "reasoning", "text": text }),
        Part::Reasoning(Reasoning::Signature(text)) => json!({ "type": "reasoning", "signature": text }),
        Part::Reasoning(Reasoning::Block(block)) => json!({ "type": "reasoning", "block": block }),
        Part::Image(_) | Part::CachePoint => return None,
    })
}

/// Puts names in the place of values of variables.
pub(super) fn mask(message: &mut Message, variables: &Variables) {
    for part in &mut message.parts {
        match part {
            Part::Text(text) => *text = variables.mask(text).into(),
            Part::ToolCall(call) => {
                call.arguments = with_texts(call.arguments.take(), &|text| variables.mask(text));
            }
            Part::ToolResult(result) => result.content = variables.mask(&result.content),
            // What a provider has signed must stay as it is.
            Part::Reasoning(_) | Part::Image(_) | Part::CachePoint => {}
        }
    }
}

/// What was said before a run.
#[derive(Debug, Default)]
pub(super) struct Earlier {
    /// What stands in messages with the role `system`; it joins the end of the run's own system text.
    pub(super) system: Vec<String>,
    pub(super) messages: Vec<Message>,
    /// Where the first picture stands, as in "messages[1].content[0]".
    picture: Option<String>,
    /// What is wrong with the first call or result that has no other half: where it stands, and what it lacks.
    single: Option<String>,
}

impl Earlier {
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) that names a picture, which this model does not
    /// take.
    pub(super) fn check_without_pictures(&self, model: &str) -> Result<()> {
        match &self.picture {
            None => Ok(()),
            Some(place) => Err(Error::invalid_argument(format!(
                "{place} is a picture, and {model} takes none"
            ))
            .hint("leave it out, or say in words what it shows")),
        }
    }

    /// Providers take calls of tools only with what came of them, right after.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) that names the call or the result.
    pub(super) fn check_pairs(&self) -> Result<()> {
        match &self.single {
            None => Ok(()),
            Some(why) => Err(Error::invalid_argument(why.as_str())
                .hint("give both, one message right after the other, or neither")),
        }
    }

    /// The same without values of variables.
    #[must_use]
    pub(super) fn masked(mut self, variables: &Variables) -> Self {
        for text in &mut self.system {
            *text = variables.mask(text);
        }
        for message in &mut self.messages {
            mask(message, variables);
        }
        self
    }
}

/// Reads messages. Nothing in them is passed over.
///
/// # Errors
/// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) with the place of what is no message, and of what
/// cannot be sent.
pub(super) fn read(given: &[Value]) -> Result<Earlier> {
    let mut earlier = Earlier::default();
    let mut calls = Calls::default();
    for (index, value) in given.iter().enumerate() {
        let place = format!("messages[{index}]");
        let wrong = |why: &str| Error::invalid_argument(format!("{place} {why}"));
        let role = match value.get("role").and_then(Value::as_str) {
            Some("system") => Role::System,
            Some("user") => Role::User,
            Some("assistant") => Role::Assistant,
            Some("tool") => Role::Tool,
            _ => return Err(wrong("must have the role system, user, assistant or tool")),
        };
        let parts = match value.get("content") {
            Some(Value::String(text)) => vec![Part::text(text.as_str())],
            Some(Value::Array(parts)) => {
                let numbered = parts.iter().enumerate();
                numbered
                    .map(|(number, part)| {
                        let place = format!("{place}.content[{number}]");
                        let part = part_from_json(part, role)
                            .map_err(|why| Error::invalid_argument(format!("{place} {why}")))?;
                        if matches!(part, Part::Image(_)) {
                            earlier.picture.get_or_insert(place);
                        }
                        Ok(part)
                    })
                    .collect::<Result<Vec<Part>>>()?
            }
            _ => return Err(wrong("must have a content: a text, or a list of parts")),
        };
        if role != Role::System {
            calls.add(role, &parts, &place);
        }
        if role == Role::System {
            earlier.system.extend(parts.iter().filter_map(text_of));
        } else if !parts.is_empty() {
            earlier.messages.push(Message { role, parts });
        }
    }
    earlier.single = calls.single();
    Ok(earlier)
}

/// Calls of tools, as they are read, and what came of them.
#[derive(Default)]
struct Calls {
    /// Of those of the last message that nothing came of yet, the ids and where they stand.
    open: Vec<(String, String)>,
    /// What is wrong with the first that has no other half.
    single: Option<String>,
}

impl Calls {
    fn add(&mut self, role: Role, parts: &[Part], place: &str) {
        if role != Role::Tool {
            self.end();
        }
        for (number, part) in parts.iter().enumerate() {
            let place = format!("{place}.content[{number}]");
            match part {
                Part::ToolCall(call) => {
                    if self.open.iter().any(|(id, _)| *id == call.id) {
                        let why = format!("{place} is a second call \"{}\" of one message", call.id);
                        self.single.get_or_insert(why);
                    }
                    self.open.push((call.id.clone(), place));
                }
                Part::ToolResult(result) => {
                    match self.open.iter().position(|(id, _)| *id == result.call_id) {
                        Some(at) => {
                            self.open.remove(at);
                        }
                        None => {
                            let why = format!(
                                "{place} is a result, and the message before calls no tool as \"{}\"",
                                result.call_id
                            );
                            self.single.get_or_insert(why);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// The calls so far get no results any more.
    fn end(&mut self) {
        if let Some((id, place)) = self.open.drain(..).next() {
            let why = format!("{place} is a call, and no message after it has the result of \"{id}\"");
            self.single.get_or_insert(why);
        }
    }

    fn single(mut self) -> Option<String> {
        self.end();
        self.single
    }
}

fn text_of(part: &Part) -> Option<String> {
    match part {
        Part::Text(text) => Some(text.to_string()),
        _ => None,
    }
}

/// The part, or why it cannot be sent.
fn part_from_json(part: &Value, role: Role) -> Result<Part, String> {
    let members = part.as_object().ok_or("must be an object with a type")?;
    let kind = members.get("type").and_then(Value::as_str);
    let kind = kind.ok_or("must be an object with a type")?;
    let fits = match kind {
        "text" => true,
        "image" | "file" => role == Role::User,
        "toolCall" | "tool-call" | "reasoning" => role == Role::Assistant,
        "toolResult" | "tool-result" => role == Role::Tool,
        _ => {
            return Err(format!(
                "has the type \"{kind}\", which cannot be sent: use text, image, toolCall, toolResult or reasoning"
            ));
        }
    };
    if !fits {
        return Err(format!(
            "has the type \"{kind}\", which messages of this role do not have"
        ));
    }
    let text = |names: &[&str]| {
        let found = names.iter().find_map(|name| members.get(*name)?.as_str());
        found
            .map(str::to_owned)
            .ok_or_else(|| format!("must have a text `{}`", names[0]))
    };
    let first = |names: &[&str]| names.iter().find_map(|name| members.get(*name));
    Ok(match kind {
        "text" => Part::text(text(&["text"])?),
        "image" | "file" => Part::Image(picture(members)?),
        "reasoning" => reasoning(members).ok_or("must have a text, a signature or a block")?,
        "toolCall" | "tool-call" => Part::ToolCall(ToolCall {
            id: text(&["id", "toolCallId"])?,
            name: text(&["name", "toolName"])?,
            arguments: first(&["arguments", "input", "args"])
                .cloned()
                .unwrap_or_else(|| Value::Object(Map::new())),
            signatures: match members.get("signatures") {
                None | Some(Value::Null) => Vec::new(),
                Some(given) => serde_json::from_value(given.clone())
                    .map_err(|_| "must have `signatures` that are a list of texts")?,
            },
        }),
        _ => Part::ToolResult(ToolResult {
            call_id: text(&["id", "toolCallId"])?,
            name: text(&["name", "toolName"])?,
            content: match first(&["content", "output", "result"]) {
                None => return Err("must have a `content`".to_owned()),
                Some(output) => output_of(output)?,
            },
        }),
    })
}

/// A picture that is given by its bytes in base 64, or as an address that holds them.
fn picture(members: &Map<String, Value>) -> Result<Image, String> {
    let named = ["image", "data", "url"]
        .iter()
        .find_map(|name| members.get(*name)?.as_str());
    let Some(given) = named else {
        return Err("must have its bytes as base 64 in `image`, or a data: address".to_owned());
    };
    let told = ["mediaType", "mimeType"]
        .iter()
        .find_map(|name| members.get(*name)?.as_str());
    let (told, data) = match given.strip_prefix("data:") {
        Some(rest) => match rest.split_once(";base64,") {
            Some((media_type, data)) => (Some(media_type), data),
            None => return Err("has a data: address that is not in base 64".to_owned()),
        },
        None if given.contains("://") => {
            return Err("is at an address, which is not fetched: give its bytes as base 64".to_owned());
        }
        None => (told, given),
    };
    let bytes = STANDARD
        .decode(data)
        .map_err(|_| "has bytes that are not in base 64".to_owned())?;
    let format = if bytes.starts_with(PNG) {
        ImageFormat::Png
    } else if bytes.starts_with(JPEG) {
        ImageFormat::Jpeg
    } else {
        let told = told.map_or_else(String::new, |told| format!(", and not {told}"));
        return Err(format!("must be a picture as PNG or JPEG{told}"));
    };
    Ok(Image {
        format,
        bytes: bytes.into(),
    })
}

/// What a tool has answered. The AI SDK puts it into an object that says what it is.
fn output_of(output: &Value) -> Result<String, String> {
    let Some(members) = output.as_object() else {
        return Ok(words(output));
    };
    let value = members.get("value");
    match (members.get("type").and_then(Value::as_str), value) {
        (Some("text" | "json" | "error-text" | "error-json"), Some(value)) => Ok(words(value)),
        (Some("execution-denied"), _) => Ok(match members.get("reason").and_then(Value::as_str) {
            Some(reason) => format!("it was not allowed: {reason}"),
            None => "it was not allowed".to_owned(),
        }),
        (Some("content"), Some(Value::Array(parts))) => {
            let texts = parts.iter().map(|part| part.get("text").and_then(Value::as_str));
            let texts: Option<Vec<&str>> = texts.collect();
            texts
                .map(|texts| texts.join("\n"))
                .ok_or_else(|| "has an output with parts that are no texts, which cannot be sent".to_owned())
        }
        // Any object may be the answer of a tool.
        _ => Ok(words(output)),
    }
}

fn reasoning(members: &Map<String, Value>) -> Option<Part> {
    let text = |name: &str| members.get(name)?.as_str().map(str::to_owned);
    let reasoning = if let Some(block) = members.get("block") {
        Reasoning::Block(block.clone())
    } else if let Some(signature) = text("signature") {
        Reasoning::Signature(signature)
    } else {
        Reasoning::Text(text("text")?)
    };
    Some(Part::Reasoning(reasoning))
}

fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_is_read_as_it_was_written() {
        let call = ToolCall {
            id: "c1".to_owned(),
            name: "goto".to_owned(),
            arguments: json!({ "url": "http://a.test/" }),
            signatures: vec!["s".to_owned()],
        };
        let messages = [
            Message::user(vec![Part::text("go there"), Part::CachePoint, Part::png([1])]),
            Message {
                role: Role::Assistant,
                parts: vec![
                    Part::Reasoning(Reasoning::Text("hm".to_owned())),
                    Part::ToolCall(call),
                ],
            },
            Message::tool(vec![ToolResult {
                call_id: "c1".to_owned(),
                name: "goto".to_owned(),
                content: "done".to_owned(),
            }]),
        ];
        let written: Vec<Value> = messages.iter().filter_map(to_json).collect();
        let read = read(&written).unwrap().messages;
        assert_eq!(read[0].parts, [Part::text("go there")]);
        assert_eq!(read[1..], messages[1..]);
    }

    #[test]
    fn the_names_of_the_ai_sdk_are_understood() {
        let result = |output: Value| {
            let part =
                json!({ "type": "tool-result", "toolCallId": "a", "toolName": "wait", "output": output });
            let read = read(&[json!({ "role": "tool", "content": [part] })]).unwrap();
            match &read.messages[0].parts[..] {
                [Part::ToolResult(result)] => result.content.clone(),
                other => panic!("{other:?}"),
            }
        };
        for (output, told) in [
            (json!({ "type": "text", "value": "x" }), "x"),
            (json!({ "type": "json", "value": { "n": 1 } }), "{\"n\":1}"),
            (json!({ "type": "error-text", "value": "no" }), "no"),
            (
                json!({ "type": "content", "value": [{ "type": "text", "text": "a" }, { "type": "text", "text": "b" }] }),
                "a\nb",
            ),
            (
                json!({ "type": "execution-denied", "reason": "too dear" }),
                "it was not allowed: too dear",
            ),
            (
                json!({ "type": "lamp", "value": 5 }),
                "{\"type\":\"lamp\",\"value\":5}",
            ),
            (json!("plain"), "plain"),
        ] {
            assert_eq!(result(output.clone()), told, "{output}");
        }
        let call =
            json!({ "type": "tool-call", "toolCallId": "a", "toolName": "wait", "input": { "timeMs": 5 } });
        let read = read(&[json!({ "role": "assistant", "content": [call] })]).unwrap();
        assert!(
            matches!(&read.messages[0].parts[..], [Part::ToolCall(call)] if call.arguments["timeMs"] == 5)
        );
    }

    #[test]
    fn system_texts_and_pictures_are_carried() {
        let data = STANDARD.encode(b"\x89PNG and more");
        let given = [
            json!({ "role": "system", "content": "speak briefly" }),
            json!({ "role": "user", "content": [
                { "type": "text", "text": "this one" },
                { "type": "image", "image": data },
                { "type": "file", "mediaType": "image/png", "data": format!("data:image/png;base64,{data}") }] }),
        ];
        let read = read(&given).unwrap();
        assert_eq!(read.system, ["speak briefly"]);
        let picture = Part::png(b"\x89PNG and more".to_vec());
        assert_eq!(read.messages[0].parts[1..], [picture.clone(), picture]);
        let error = read.check_without_pictures("a/b").unwrap_err();
        assert_eq!(
            error.message(),
            "messages[1].content[1] is a picture, and a/b takes none"
        );
    }

    #[test]
    fn calls_and_results_come_in_pairs() {
        let call = |id: &str| json!({ "type": "toolCall", "id": id, "name": "wait", "arguments": {} });
        let result = |id: &str| json!({ "type": "toolResult", "id": id, "name": "wait", "content": "done" });
        let says = |role: &str, parts: Vec<Value>| json!({ "role": role, "content": parts });
        let user = json!({ "role": "user", "content": "go on" });
        let called = says("assistant", vec![call("a"), call("b")]);
        let checked = |given: &[Value]| read(given).unwrap().check_pairs();
        for whole in [
            vec![
                called.clone(),
                says("tool", vec![result("b"), result("a")]),
                user.clone(),
            ],
            vec![
                called.clone(),
                says("tool", vec![result("a")]),
                says("tool", vec![result("b")]),
            ],
            vec![user.clone()],
        ] {
            checked(&whole).unwrap();
        }
        for (given, told) in [
            (vec![called.clone()], "messages[0].content[0] is a call"),
            (
                vec![called.clone(), says("tool", vec![result("a")]), user.clone()],
                "messages[0].content[1] is a call",
            ),
            (
                vec![called.clone(), user, says("tool", vec![result("a"), result("b")])],
                "messages[0].content[0] is a call",
            ),
            (
                vec![says("tool", vec![result("a")]), called],
                "messages[0].content[0] is a result",
            ),
        ] {
            let error = checked(&given).unwrap_err();
            assert!(error.message().starts_with(told), "{told}: {error}");
        }
    }

    #[test]
    fn values_of_variables_are_told_by_their_names() {
        let variables = std::collections::BTreeMap::from([("pw".to_owned(), "Topsecret-9".into())]);
        let variables = Variables::new(&variables).unwrap();
        let given = [
            json!({ "role": "system", "content": "it is Topsecret-9" }),
            json!({ "role": "user", "content": "it is Topsecret-9" }),
            json!({ "role": "assistant", "content": [
                { "type": "toolCall", "id": "a", "name": "keys", "arguments": { "value": "Topsecret-9" } }] }),
            json!({ "role": "tool", "content": [
                { "type": "toolResult", "id": "a", "name": "keys", "content": "typed Topsecret-9" }] }),
        ];
        let told = format!("{:?}", read(&given).unwrap().masked(&variables));
        assert!(!told.contains("Topsecret-9"), "{told}");
        assert_eq!(told.matches("%pw%").count(), 4, "{told}");
    }

    #[test]
    fn what_cannot_be_sent_is_refused_with_its_place() {
        let gif = STANDARD.encode("GIF89a");
        for (role, part, told) in [
            (
                "user",
                json!({ "type": "step-start" }),
                "has the type \"step-start\"",
            ),
            (
                "assistant",
                json!({ "type": "image", "image": "" }),
                "which messages of this role",
            ),
            (
                "user",
                json!({ "type": "image", "image": "https://a.test/b.png" }),
                "which is not fetched",
            ),
            (
                "user",
                json!({ "type": "image", "image": { "0": 137 } }),
                "must have its bytes as base 64",
            ),
            ("user", json!({ "type": "image", "image": "?" }), "not in base 64"),
            (
                "user",
                json!({ "type": "file", "mediaType": "image/gif", "data": gif }),
                "PNG or JPEG, and not image/gif",
            ),
            (
                "assistant",
                json!({ "type": "reasoning" }),
                "must have a text, a signature",
            ),
            (
                "system",
                json!({ "type": "image", "image": "" }),
                "which messages of this role",
            ),
            (
                "assistant",
                json!({ "type": "toolCall", "id": "a", "name": "b", "signatures": 5 }),
                "`signatures`",
            ),
            (
                "tool",
                json!({ "type": "toolResult", "id": "a", "name": "b" }),
                "must have a `content`",
            ),
            (
                "tool",
                json!({ "type": "toolResult", "name": "b", "content": "" }),
                "must have a text `id`",
            ),
        ] {
            let content = json!([{ "type": "text", "text": "a" }, part]);
            let error = read(&[json!({ "role": role, "content": content })]).unwrap_err();
            assert!(error.message().starts_with("messages[0].content[1] "), "{error}");
            assert!(error.message().contains(told), "{told}: {error}");
        }
    }

    #[test]
    fn what_is_no_message_is_refused_with_its_place() {
        for odd in [
            json!(5),
            json!({ "role": "robot", "content": "x" }),
            json!({ "role": "user" }),
            json!({ "role": "user", "content": [5] }),
            json!({ "role": "user", "content": [{ "type": "text" }] }),
        ] {
            let error = read(&[json!({ "role": "user", "content": "a" }), odd.clone()]).unwrap_err();
            assert!(error.message().starts_with("messages[1]"), "{odd}: {error}");
        }
    }
}
