//! Our request in `genai`'s form. Pure.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use genai::adapter::AdapterKind;
use genai::chat::{
    Binary, CacheControl, ChatMessage, ChatOptions, ChatRequest, ChatResponseFormat, ChatRole, ContentPart,
    JsonSpec, MessageContent, MessageOptions, ReasoningEffort as Effort, ToolChoice as Choice, ToolResponse,
};
use genai::resolver::{AuthData, Endpoint};
use genai::{Headers, ModelIden, ServiceTarget};
use serde_json::{Map, Value, json};

use super::ANSWER_TOOL;
use crate::dialect::{Form, Plan};
use crate::error::LlmError;
use crate::model::ReasoningEffort;
use crate::provider::Wire;
use crate::request::{
    GenerateRequest, Message, Part, Reasoning, ResponseFormat, Role, Tool, ToolCall, ToolChoice,
};
use crate::route::Route;

/// Everything that `genai` needs for one call.
pub(super) struct Call {
    pub(super) target: ServiceTarget,
    pub(super) messages: ChatRequest,
    pub(super) options: ChatOptions,
}

/// Most cache points that Anthropic takes; the last ones count most.
const MOST_CACHE_POINTS: usize = 4;

pub(super) fn call(route: &Route, request: &GenerateRequest, plan: Option<&Plan>) -> Result<Call, LlmError> {
    let address = route.ready()?;
    if route.wire == Wire::Vertex
        && !["gemini", "claude"]
            .iter()
            .any(|family| route.wire_model.starts_with(family))
    {
        return Err(LlmError::UnsupportedModel {
            model: route.name.to_string(),
            reason: "on Vertex only Gemini and Claude are supported".to_owned(),
        });
    }
    let headers: Vec<(String, String)> = address
        .headers
        .into_iter()
        .map(|(name, value)| (name, value.expose().to_owned()))
        .collect();
    let target = ServiceTarget {
        endpoint: Endpoint::from_owned(address.endpoint.as_str()),
        // Address and headers are ours entirely; `genai` would read keys from the environment.
        auth: AuthData::RequestOverride {
            url: address.url.to_string(),
            headers: Headers::from(headers),
        },
        model: ModelIden::new(adapter(route), unmistakable(&route.wire_model)),
    };
    Ok(Call {
        target,
        messages: chat_request(route, request, plan),
        options: options(route, request, plan),
    })
}

/// The adapter whose form of messages and answers the provider speaks.
fn adapter(route: &Route) -> AdapterKind {
    match (route.wire, route.provider.name()) {
        (Wire::Responses, _) => AdapterKind::OpenAIResp,
        (Wire::Anthropic, _) => AdapterKind::Anthropic,
        (Wire::Google, _) => AdapterKind::Gemini,
        (Wire::Vertex, _) => AdapterKind::Vertex,
        (Wire::Bedrock, _) => AdapterKind::BedrockApi,
        (Wire::Chat, "openai" | "azure") => AdapterKind::OpenAI,
        (Wire::Chat, "mistral") => AdapterKind::Mistral,
        (Wire::Chat, "xai") => AdapterKind::Xai,
        (Wire::Chat, "openrouter") => AdapterKind::OpenRouter,
        (Wire::Chat, "fireworks") => AdapterKind::Fireworks,
        // Its adapter only differs when an effort is given, and then needs one.
        (Wire::Chat, "deepseek") if route.reasoning_effort.is_some() => AdapterKind::DeepSeek,
        // The plain form, without what only OpenAI's own servers know.
        (Wire::Chat, _) => AdapterKind::Custom(0),
    }
}

/// `genai` takes what stands before `::` for a namespace. Names of Bedrock contain it.
fn unmistakable(model: &str) -> String {
    if model.contains("::") {
        format!("automator::{model}")
    } else {
        model.to_owned()
    }
}

fn chat_request(route: &Route, request: &GenerateRequest, plan: Option<&Plan>) -> ChatRequest {
    let marks_cache = marks_cache(route);
    let count = request
        .messages
        .iter()
        .take_while(|message| message.role == Role::System)
        .count();
    let (system, rest) = request.messages.split_at(count);
    // Behind the standing instructions and before the page, so that both stay in the cached beginning.
    let schema = plan
        .and_then(|plan| plan.in_prompt.as_ref())
        .map(|schema| schema_message(schema));
    let system: Vec<Message> = system.iter().cloned().chain(schema).collect();
    let mut messages: Vec<ChatMessage> = if marks_cache {
        system.iter().flat_map(|message| written(message, true)).collect()
    } else {
        // One message, because some chat templates refuse a second one.
        let parts = system.into_iter().flat_map(|message| message.parts).collect();
        let whole = Message {
            role: Role::System,
            parts,
        };
        written(&whole, false)
    };
    for message in rest {
        messages.extend(written(message, marks_cache));
    }
    keep_last_cache_points(&mut messages);
    let mut tools: Vec<genai::chat::Tool> = request.tools.iter().map(tool).collect();
    if let Some(Form::ForcedTool(schema)) = plan.map(|plan| &plan.form) {
        tools.push(
            genai::chat::Tool::new(ANSWER_TOOL)
                .with_description("Takes the answer. Call it once, with the whole answer.")
                .with_schema(Value::clone(schema)),
        );
    }
    let chat = ChatRequest::new(messages);
    if tools.is_empty() {
        chat
    } else {
        chat.with_tools(tools)
    }
}

/// Providers that want to be told where the beginning worth caching ends. All others do it by themselves, and
/// for them a message stays whole, because some chat templates refuse two user messages in a row.
fn marks_cache(route: &Route) -> bool {
    match route.wire {
        Wire::Anthropic => true,
        Wire::Vertex => route.wire_model.starts_with("claude"),
        Wire::Responses | Wire::Chat => route.provider.name() == "openai" && route.own_endpoint,
        Wire::Google | Wire::Bedrock => false,
    }
}

fn schema_message(schema: &Value) -> Message {
    let text = include_str!("../../prompts/schema.md").trim_end();
    Message::system(text.replacen("{schema}", &schema.to_string(), 1))
}

/// One message; several where cache points cut it.
fn written(message: &Message, marks_cache: bool) -> Vec<ChatMessage> {
    let mut list = Vec::new();
    let mut parts = Vec::new();
    for part in &message.parts {
        match part {
            Part::CachePoint if marks_cache && !parts.is_empty() => {
                let cut = chat_message(message.role, std::mem::take(&mut parts));
                list.push(cut.with_options(MessageOptions::from(CacheControl::Ephemeral)));
            }
            Part::CachePoint => {}
            Part::Text(text) => push_text(&mut parts, text),
            Part::Image(image) => parts.push(ContentPart::Binary(Binary::from_base64(
                image.format.media_type(),
                STANDARD.encode(&image.bytes),
                None,
            ))),
            Part::ToolCall(call) => parts.push(ContentPart::ToolCall(tool_call(call))),
            Part::ToolResult(result) => parts.push(ContentPart::ToolResponse(
                ToolResponse::new(&result.call_id, &result.content).with_fn_name(&result.name),
            )),
            Part::Reasoning(reasoning) => parts.push(reasoning_part(reasoning)),
        }
    }
    if !parts.is_empty() {
        list.push(chat_message(message.role, parts));
    }
    list
}

/// Adjacent texts become one, with an empty line between.
fn push_text(parts: &mut Vec<ContentPart>, text: &Arc<str>) {
    match parts.last_mut() {
        Some(ContentPart::Text(before)) => {
            before.push_str("\n\n");
            before.push_str(text);
        }
        _ => parts.push(ContentPart::Text(text.to_string())),
    }
}

fn chat_message(role: Role, parts: Vec<ContentPart>) -> ChatMessage {
    let role = match role {
        Role::System => ChatRole::System,
        Role::User => ChatRole::User,
        Role::Assistant => ChatRole::Assistant,
        Role::Tool => ChatRole::Tool,
    };
    ChatMessage::new(role, MessageContent::from_parts(parts))
}

fn reasoning_part(reasoning: &Reasoning) -> ContentPart {
    match reasoning {
        Reasoning::Text(text) => ContentPart::ReasoningContent(text.clone()),
        Reasoning::Signature(signature) => ContentPart::ThoughtSignature(signature.clone()),
        Reasoning::Block(block) => ContentPart::from_custom(block.clone(), None),
    }
}

fn tool_call(call: &ToolCall) -> genai::chat::ToolCall {
    genai::chat::ToolCall {
        call_id: call.id.clone(),
        fn_name: call.name.clone(),
        fn_arguments: call.arguments.clone(),
        thought_signatures: (!call.signatures.is_empty()).then(|| call.signatures.clone()),
    }
}

fn tool(tool: &Tool) -> genai::chat::Tool {
    genai::chat::Tool::new(tool.name.as_str())
        .with_description(&tool.description)
        .with_schema(tool.parameters.clone())
}

fn keep_last_cache_points(messages: &mut [ChatMessage]) {
    let marked = |message: &ChatMessage| {
        message
            .options
            .as_ref()
            .is_some_and(|options| options.cache_control.is_some())
    };
    let surplus = messages
        .iter()
        .filter(|message| marked(message))
        .count()
        .saturating_sub(MOST_CACHE_POINTS);
    for message in messages
        .iter_mut()
        .filter(|message| marked(message))
        .take(surplus)
    {
        message.options = None;
    }
}

fn options(route: &Route, request: &GenerateRequest, plan: Option<&Plan>) -> ChatOptions {
    let mut options = ChatOptions::default()
        // What `genai` leaves out of an answer is read from the body.
        .with_capture_raw_body(true);
    options.max_tokens = request.max_output_tokens.or(route.output_limit);
    options.temperature = request.temperature.or(route.temperature);
    options.reasoning_effort = effort(route);
    options.tool_choice = tool_choice(request, plan);
    let mut body = Map::new();
    if matches!(route.wire, Wire::Responses | Wire::Chat | Wire::Anthropic) {
        // `genai` cuts `-high`, `-medium` and the like off names, also off `mistral-medium`.
        body.insert("model".to_owned(), Value::from(route.wire_model.as_str()));
    }
    if let (Some(plan), ResponseFormat::Json { name, .. }) = (plan, &request.response_format) {
        set_form(route, &plan.form, name, &mut options, &mut body);
    }
    if matches!(route.wire, Wire::Google | Wire::Vertex) && route.extra_body.contains_key("generationConfig")
    {
        body.insert("generationConfig".to_owned(), generation_config(&options));
    }
    route.add_own(&mut body);
    if !body.is_empty() {
        options.extra_body = Some(Value::Object(body));
    }
    options
}

fn effort(route: &Route) -> Option<Effort> {
    let Some(effort) = route.reasoning_effort else {
        // A number is sent by none of OpenAI's forms. It keeps `genai` from reading an effort off the name.
        return matches!(route.wire, Wire::Responses | Wire::Chat).then_some(Effort::Budget(0));
    };
    Some(match effort {
        ReasoningEffort::None => Effort::Zero,
        ReasoningEffort::Minimal => Effort::Minimal,
        ReasoningEffort::Low => Effort::Low,
        ReasoningEffort::Medium => Effort::Medium,
        ReasoningEffort::High => Effort::High,
        ReasoningEffort::ExtraHigh => Effort::XHigh,
        ReasoningEffort::Max => Effort::Max,
        ReasoningEffort::Budget(tokens) => Effort::Budget(tokens),
    })
}

fn tool_choice(request: &GenerateRequest, plan: Option<&Plan>) -> Option<Choice> {
    if matches!(plan.map(|plan| &plan.form), Some(Form::ForcedTool(_))) {
        return Some(Choice::Tool {
            name: ANSWER_TOOL.to_owned(),
        });
    }
    if request.tools.is_empty() {
        return None;
    }
    match &request.tool_choice {
        ToolChoice::Auto => None,
        ToolChoice::None => Some(Choice::None),
        ToolChoice::Required => Some(Choice::Required),
        ToolChoice::Tool(name) => Some(Choice::Tool { name: name.clone() }),
    }
}

/// Sets the provider's option for JSON. OpenAI's forms are written here, because `genai` always says `strict`.
fn set_form(
    route: &Route,
    form: &Form,
    name: &str,
    options: &mut ChatOptions,
    body: &mut Map<String, Value>,
) {
    match (form, route.wire) {
        (Form::Schema { schema, strict }, Wire::Responses) => {
            let format = json!({ "type": "json_schema", "name": name, "strict": strict, "schema": schema });
            body.insert("text".to_owned(), json!({ "format": format }));
        }
        (Form::Schema { schema, strict }, Wire::Chat) => {
            let spec = json!({ "name": name, "strict": strict, "schema": schema });
            body.insert(
                "response_format".to_owned(),
                json!({ "type": "json_schema", "json_schema": spec }),
            );
        }
        (Form::Schema { schema, .. }, _) => {
            let spec = JsonSpec::new(name, schema.clone());
            options.response_format = Some(ChatResponseFormat::JsonSpec(spec));
        }
        (Form::JsonMode, _) => options.response_format = Some(ChatResponseFormat::JsonMode),
        (Form::ForcedTool(_) | Form::Plain, _) => {}
    }
}

/// What `genai` would write there. A member of the body replaces all of its own, so that it must be written
/// here when the user adds to it.
fn generation_config(options: &ChatOptions) -> Value {
    let mut config = Map::new();
    if let Some(ChatResponseFormat::JsonSpec(spec)) = &options.response_format {
        config.insert("responseMimeType".to_owned(), Value::from("application/json"));
        config.insert("responseJsonSchema".to_owned(), spec.schema.clone());
    }
    config.extend(
        options
            .max_tokens
            .map(|limit| ("maxOutputTokens".to_owned(), Value::from(limit))),
    );
    config.extend(
        options
            .temperature
            .map(|value| ("temperature".to_owned(), Value::from(value))),
    );
    Value::Object(config)
}
