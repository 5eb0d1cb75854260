//! One request to a model, the same for every wire form.

use serde_json::Value;

use super::outline::elements;
use super::schema::{holds_member, resolve};
use super::wire::Wire;
use crate::hit::Hit;

/// A request to the model, reduced to what a test asks about.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Request {
    /// The wire form it came in.
    pub wire: Wire,
    /// What the request is for, read off the request alone.
    pub kind: Kind,
    /// The path it was sent to.
    pub path: String,
    /// The model's name as the provider gets it.
    pub model: String,
    /// The system text; several pieces are joined with a line break.
    pub system: String,
    /// All messages in order, the system text first.
    pub messages: Vec<Message>,
    /// The schema of the structured reply: the wire's own, that of a forced tool, or one written into
    /// the prompt of a request for JSON.
    pub schema: Option<Value>,
    /// The one tool that the model is forced to call in place of a structured reply.
    pub forced_tool: Option<String>,
    /// The tools offered, a forced one included.
    pub tools: Vec<Tool>,
    /// What earlier tool calls returned, oldest first.
    pub tool_results: Vec<String>,
    /// How many images came with it.
    pub images: usize,
    /// The text of all messages, joined with line breaks.
    pub text: String,
    /// Whether the reply is asked for in pieces.
    pub stream: bool,
    /// The output limit asked for.
    pub max_output_tokens: Option<u64>,
    /// The temperature asked for.
    pub temperature: Option<f64>,
    /// Names and values of the headers in the order sent.
    pub headers: Vec<(String, String)>,
    /// The body as JSON.
    pub body: Value,
    /// The body as it was sent.
    pub raw: String,
    /// Whether a stream is to be sent as server events (always, except Google's older array form).
    pub(crate) server_events: bool,
}

/// What a request is for.
///
/// | kind | recognised by |
/// |---|---|
/// | `Agent` | tools are offered, and none is forced in place of a structured reply |
/// | `Act` | a schema that holds `elementId`, but no list of them |
/// | `Observe` | a schema with a list whose items hold `elementId` |
/// | `Extract` | any other schema |
/// | `Text` | neither tools nor a schema |
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// One action is asked for.
    Act,
    /// A list of elements is asked for.
    Observe,
    /// Data is asked for.
    Extract,
    /// Tools are offered.
    Agent,
    /// Free text is asked for.
    Text,
}

/// One message of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The role as the wire names it: `system`, `developer`, `user`, `assistant`, `model`, `tool`, …
    pub role: String,
    /// Its text; parts are joined with a line break, images have none.
    pub text: String,
}

/// A tool that a request offers.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// The schema of its arguments.
    pub parameters: Value,
}

/// What one wire form holds, before it is made into a [`Request`].
#[derive(Debug, Default)]
pub(crate) struct Parts {
    pub(crate) model: String,
    pub(crate) messages: Vec<Message>,
    pub(crate) schema: Option<Value>,
    /// JSON is asked for without a schema.
    pub(crate) json_mode: bool,
    pub(crate) tools: Vec<Tool>,
    pub(crate) forced_tool: Option<String>,
    pub(crate) tool_results: Vec<String>,
    pub(crate) stream: bool,
    pub(crate) server_events: bool,
    pub(crate) max_output_tokens: Option<u64>,
    pub(crate) temperature: Option<f64>,
}

impl Request {
    pub(crate) fn new(wire: Wire, hit: &Hit, body: Value) -> Self {
        let parts = wire.read(&body, hit);
        let is_system = |message: &&Message| message.role == "system" || message.role == "developer";
        let join = |texts: Vec<&str>| texts.join("\n");
        let system = join(
            parts
                .messages
                .iter()
                .filter(is_system)
                .map(|message| message.text.as_str())
                .collect(),
        );
        let text = join(
            parts
                .messages
                .iter()
                .map(|message| message.text.as_str())
                .collect(),
        );
        let forced_tool = parts
            .forced_tool
            .filter(|name| name != "done" && parts.tools.len() == 1);
        let forced_schema = forced_tool
            .as_ref()
            .and_then(|_| parts.tools.first())
            .map(|tool| tool.parameters.clone());
        let schema = parts.schema.or(forced_schema).or_else(|| {
            if parts.json_mode {
                schema_in_text(&text)
            } else {
                None
            }
        });
        let kind = if !parts.tools.is_empty() && forced_tool.is_none() {
            Kind::Agent
        } else {
            schema.as_ref().map_or(Kind::Text, kind_of_schema)
        };
        Self {
            wire,
            kind,
            path: hit.path.clone(),
            model: parts.model,
            system,
            messages: parts.messages,
            schema,
            forced_tool,
            tools: parts.tools,
            tool_results: parts.tool_results,
            images: count_images(&body),
            text,
            stream: parts.stream,
            max_output_tokens: parts.max_output_tokens,
            temperature: parts.temperature,
            headers: hit.headers.clone(),
            raw: hit.text(),
            body,
            server_events: parts.server_events,
        }
    }

    /// The first value of a header; the name is compared without regard to case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// The id of the first element `role: name` in the page text, whatever its value and states; `None`
    /// when there is none. It is looked for at the start of a line, after a list mark `- ` and in the
    /// cells of a row.
    pub fn find_id(&self, role_and_name: &str) -> Option<String> {
        elements(&self.text)
            .into_iter()
            .find(|element| element.is(role_and_name))
            .map(|element| element.id)
    }

    /// The id of the first element `role: name`, as [`find_id`](Self::find_id).
    ///
    /// # Panics
    /// When the page text has no such element; the message lists those it has. In a script that is the
    /// right way to fail: the client gets a 400, and the message is kept in the model's failures.
    #[track_caller]
    pub fn id_of(&self, role_and_name: &str) -> String {
        self.find_id(role_and_name).unwrap_or_else(|| {
            let lines: Vec<String> = elements(&self.text)
                .into_iter()
                .map(|element| format!("[{}] {}", element.id, element.rest))
                .collect();
            panic!("no element {role_and_name:?} among\n{}", lines.join("\n"))
        })
    }
}

fn kind_of_schema(schema: &Value) -> Kind {
    if !holds_member(schema, "elementId") {
        return Kind::Extract;
    }
    let members = schema.get("properties").and_then(Value::as_object);
    let lists_elements = members.is_some_and(|members| {
        members
            .values()
            .map(|member| resolve(schema, member))
            .any(|member| {
                member
                    .get("items")
                    .is_some_and(|items| holds_member(resolve(schema, items), "elementId"))
            })
    });
    if lists_elements { Kind::Observe } else { Kind::Act }
}

/// The first JSON object in the text that has the form of a schema.
fn schema_in_text(text: &str) -> Option<Value> {
    text.match_indices('{').find_map(|(start, _)| {
        let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
        let value = values.next()?.ok()?;
        let is_schema = value.get("properties").is_some_and(Value::is_object)
            || (value.get("type").is_some() && value.get("items").is_some());
        is_schema.then_some(value)
    })
}

/// Counts image parts in any of the wire forms.
fn count_images(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(count_images).sum(),
        Value::Object(members) => {
            let typed = matches!(
                members.get("type").and_then(Value::as_str),
                Some("input_image" | "image_url" | "image" | "computer_screenshot")
            );
            let inline = members.contains_key("inlineData") || members.contains_key("inline_data");
            if typed || inline {
                1
            } else {
                members.values().map(count_images).sum()
            }
        }
        _ => 0,
    }
}
