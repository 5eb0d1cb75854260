//! What a script says, and what becomes of it on the way to the wire.

use serde_json::{Map, Value, json};

use super::fault::Fault;
use super::request::{Kind, Request};

/// What the model says to one request.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub(crate) content: Content,
    pub(crate) faults: Vec<Fault>,
    pub(crate) usage: Option<Usage>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Content {
    Value(Value),
    Text(String),
    Tools(Vec<ToolCall>),
    Items(Vec<Value>),
}

/// A call of a tool by the model.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// The name of the tool.
    pub name: String,
    /// Its arguments, an object.
    pub arguments: Value,
}

/// The numbers that a reply reports, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Everything sent, cached tokens included.
    pub input: u64,
    /// Everything answered, reasoning included.
    pub output: u64,
    /// The part of `output` spent on reasoning.
    pub reasoning: u64,
    /// The part of `input` that came from the provider's cache.
    pub cached: u64,
}

impl Default for Usage {
    /// 100 in, of them 5 cached; 20 out, of them 3 for reasoning.
    fn default() -> Self {
        Self {
            input: 100,
            output: 20,
            reasoning: 3,
            cached: 5,
        }
    }
}

impl Answer {
    /// A value for a request with a schema.
    ///
    /// It is put into the shape that the request asks for: an action without its wrapper gets one, with
    /// `description` and `arguments` where they are missing; a list of elements and a value that is no
    /// object go under the schema's only member. For a forced tool it becomes the call's arguments.
    pub fn value(value: Value) -> Self {
        Self {
            content: Content::Value(value),
            faults: Vec::new(),
            usage: None,
        }
    }

    /// Text that is sent as it is, for every kind of request.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            content: Content::Text(text.into()),
            faults: Vec::new(),
            usage: None,
        }
    }

    /// A call of one tool; [`and_tool`](Self::and_tool) adds more.
    pub fn tool(name: &str, arguments: Value) -> Self {
        let call = ToolCall {
            name: name.to_owned(),
            arguments,
        };
        Self {
            content: Content::Tools(vec![call]),
            faults: Vec::new(),
            usage: None,
        }
    }

    /// Adds a call to the same reply. On an answer that calls no tool it replaces the content.
    #[must_use]
    pub fn and_tool(mut self, name: &str, arguments: Value) -> Self {
        let call = ToolCall {
            name: name.to_owned(),
            arguments,
        };
        match &mut self.content {
            Content::Tools(calls) => calls.push(call),
            other => *other = Content::Tools(vec![call]),
        }
        self
    }

    /// Parts of a reply in the form of the wire, for what only one of them has: items of the output of OpenAI Responses,
    /// blocks of the content of Anthropic. Other forms leave them out.
    pub fn items(items: impl IntoIterator<Item = Value>) -> Self {
        Self {
            content: Content::Items(items.into_iter().collect()),
            faults: Vec::new(),
            usage: None,
        }
    }

    /// Adds a fault; several are applied in the order added.
    #[must_use]
    pub fn with(mut self, fault: Fault) -> Self {
        self.faults.push(fault);
        self
    }

    /// Reports these numbers instead of the model's usual ones.
    #[must_use]
    pub fn usage(mut self, usage: Usage) -> Self {
        self.usage = Some(usage);
        self
    }

    /// The reply before any fault.
    pub(crate) fn to_reply(&self, request: &Request, id: usize, usage: Usage) -> Reply {
        let mut items = Vec::new();
        let (text, calls) = match &self.content {
            Content::Items(given) => {
                items.clone_from(given);
                (String::new(), Vec::new())
            }
            Content::Text(text) => (text.clone(), Vec::new()),
            Content::Tools(calls) => (String::new(), calls.clone()),
            Content::Value(value) => {
                let value = fit(request, value.clone());
                match &request.forced_tool {
                    Some(name) => (
                        String::new(),
                        vec![ToolCall {
                            name: name.clone(),
                            arguments: value,
                        }],
                    ),
                    None => (value.to_string(), Vec::new()),
                }
            }
        };
        let finish = if calls.is_empty() && items.is_empty() {
            Finish::Stop
        } else {
            Finish::ToolCalls
        };
        Reply {
            id,
            model: request.model.clone(),
            text,
            calls,
            items,
            finish,
            usage: self.usage.unwrap_or(usage),
        }
    }
}

impl From<Value> for Answer {
    fn from(value: Value) -> Self {
        Self::value(value)
    }
}

impl From<Fault> for Answer {
    /// An empty object with a fault: for faults that leave nothing of the answer.
    fn from(fault: Fault) -> Self {
        Self::value(json!({})).with(fault)
    }
}

/// A reply before it takes the form of a wire.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reply {
    /// Counts the replies of one server; it makes the ids inside a reply.
    pub(crate) id: usize,
    pub(crate) model: String,
    pub(crate) text: String,
    pub(crate) calls: Vec<ToolCall>,
    /// In the form of the wire.
    pub(crate) items: Vec<Value>,
    pub(crate) finish: Finish,
    pub(crate) usage: Usage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Finish {
    Stop,
    Length,
    Refusal,
    ToolCalls,
}

/// Puts a value into the shape that the request's schema asks for.
fn fit(request: &Request, value: Value) -> Value {
    let members = request
        .schema
        .as_ref()
        .and_then(|schema| schema.get("properties"))
        .and_then(Value::as_object);
    match request.kind {
        Kind::Act => fit_act(members, value),
        Kind::Observe => fit_observe(members, value),
        Kind::Extract => match (members, only_key(members)) {
            (Some(_), Some(key)) if !value.is_object() => json!({ key: value }),
            _ => value,
        },
        Kind::Agent | Kind::Text => value,
    }
}

fn fit_act(members: Option<&Map<String, Value>>, value: Value) -> Value {
    let wraps = members.is_some_and(|members| members.contains_key("action"));
    if !wraps || value.get("action").is_some() {
        return value;
    }
    match value {
        Value::Object(mut action) => {
            let two_step = action.remove("twoStep").unwrap_or(Value::Bool(false));
            json!({ "action": complete_action(action), "twoStep": two_step })
        }
        nothing => json!({ "action": nothing, "twoStep": false }),
    }
}

fn fit_observe(members: Option<&Map<String, Value>>, value: Value) -> Value {
    let Value::Array(items) = value else {
        return value;
    };
    let list: Vec<Value> = items
        .into_iter()
        .map(|item| match item {
            Value::Object(action) => complete_action(action),
            other => other,
        })
        .collect();
    let key = members.and_then(|members| {
        members
            .iter()
            .find(|(_, schema)| schema.get("type") == Some(&json!("array")))
            .map(|(key, _)| key.as_str())
    });
    json!({ key.unwrap_or("elements"): list })
}

/// Adds the members that a script need not write out.
fn complete_action(mut action: Map<String, Value>) -> Value {
    action
        .entry("description")
        .or_insert_with(|| json!("the element"));
    action.entry("method").or_insert_with(|| json!("click"));
    action.entry("arguments").or_insert_with(|| json!([]));
    Value::Object(action)
}

fn only_key(members: Option<&Map<String, Value>>) -> Option<&str> {
    let mut keys = members?.keys();
    let first = keys.next()?;
    keys.next().is_none().then_some(first.as_str())
}
