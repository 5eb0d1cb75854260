//! What is asked of a model, free of any provider's form.

use std::sync::Arc;

use serde_json::Value;

/// One request to a model.
///
/// ```
/// use automator_llm::{GenerateRequest, Message, Part};
///
/// let request = GenerateRequest::new(vec![
///     Message::system("You read pages."),
///     Message::user(vec![Part::text("[0-1] link: Sale"), Part::CachePoint, Part::text("Which links?")]),
/// ]);
/// assert!(request.temperature.is_none());
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GenerateRequest {
    /// The conversation. System messages come first.
    pub messages: Vec<Message>,
    /// The form of the answer; default plain text.
    pub response_format: ResponseFormat,
    /// Tools the model may call.
    pub tools: Vec<Tool>,
    /// Whether it may, must or must not call them; without effect when there are no tools.
    pub tool_choice: ToolChoice,
    /// Output limit in tokens. Default: the model object's `maxOutputTokens`, else the provider's own.
    pub max_output_tokens: Option<u32>,
    /// Sampling temperature. Default: the model object's `temperature`, else none is sent.
    pub temperature: Option<f64>,
}

impl GenerateRequest {
    /// A request for plain text.
    pub fn new(messages: Vec<Message>) -> Self {
        Self {
            messages,
            ..Self::default()
        }
    }

    /// Whether any message carries an image.
    pub fn has_images(&self) -> bool {
        self.messages
            .iter()
            .flat_map(|message| &message.parts)
            .any(|part| matches!(part, Part::Image(_)))
    }
}

/// The form of the answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum ResponseFormat {
    /// Whatever the model writes.
    #[default]
    Text,
    /// JSON of a schema. The client asks for it in the strictest way its model knows; the reply must be
    /// checked all the same.
    Json {
        /// A name of letters, digits, `_` and `-`, at most 64 characters.
        name: String,
        /// JSON Schema of an object, as made by [`ResponseSchema`](crate::ResponseSchema).
        schema: Arc<Value>,
    },
}

/// One message of the conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said, in order.
    pub parts: Vec<Part>,
}

impl Message {
    /// A system message of one text.
    pub fn system(text: impl Into<Arc<str>>) -> Self {
        Self {
            role: Role::System,
            parts: vec![Part::text(text)],
        }
    }

    /// A user message.
    pub fn user(parts: Vec<Part>) -> Self {
        Self {
            role: Role::User,
            parts,
        }
    }

    /// An assistant message of one text.
    pub fn assistant(text: impl Into<Arc<str>>) -> Self {
        Self {
            role: Role::Assistant,
            parts: vec![Part::text(text)],
        }
    }

    /// The results of tool calls.
    pub fn tool(results: Vec<ToolResult>) -> Self {
        Self {
            role: Role::Tool,
            parts: results.into_iter().map(Part::ToolResult).collect(),
        }
    }
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Standing instructions.
    System,
    /// The caller.
    User,
    /// The model.
    Assistant,
    /// Results of tool calls.
    Tool,
}

/// A piece of a message.
///
/// Adjacent texts are joined by an empty line where a provider takes one text a message.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// Text.
    Text(Arc<str>),
    /// A picture; in user messages only.
    Image(Image),
    /// A call that the model made; in assistant messages only.
    ToolCall(ToolCall),
    /// What a tool answered; in tool messages only.
    ToolResult(ToolResult),
    /// Reasoning that the provider wants back on the next turn; in assistant messages only.
    Reasoning(Reasoning),
    /// Everything up to here stays the same in later requests and is worth caching. Providers that cache
    /// by themselves ignore it.
    CachePoint,
}

impl Part {
    /// A text part.
    pub fn text(text: impl Into<Arc<str>>) -> Self {
        Self::Text(text.into())
    }

    /// A PNG picture.
    pub fn png(bytes: impl Into<Arc<[u8]>>) -> Self {
        Self::Image(Image {
            format: ImageFormat::Png,
            bytes: bytes.into(),
        })
    }
}

/// A picture, encoded.
#[derive(Clone, PartialEq, Eq)]
pub struct Image {
    /// How the bytes are encoded.
    pub format: ImageFormat,
    /// The file's bytes.
    pub bytes: Arc<[u8]>,
}

impl std::fmt::Debug for Image {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Image({:?}, {} bytes)", self.format, self.bytes.len())
    }
}

/// Encodings that every provider with images takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageFormat {
    /// `image/png`
    Png,
    /// `image/jpeg`
    Jpeg,
}

impl ImageFormat {
    /// The media type.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
        }
    }
}

/// A tool that the model may call.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// Letters, digits, `_` and `-`, at most 64 characters.
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    /// JSON Schema of its arguments, an object.
    pub parameters: Value,
}

/// Whether tools are called.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ToolChoice {
    /// The model decides.
    #[default]
    Auto,
    /// No tool is called.
    None,
    /// At least one tool is called.
    Required,
    /// This tool is called.
    Tool(String),
}

/// A call that the model made.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// The provider's id of the call, to be repeated in the result.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments. A text when the model wrote something that is not JSON.
    pub arguments: Value,
    /// Signatures that the provider wants back with the call.
    pub signatures: Vec<String>,
}

/// What a tool answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult {
    /// [`ToolCall::id`] of the call.
    pub call_id: String,
    /// The tool.
    pub name: String,
    /// The answer, as text or JSON.
    pub content: String,
}

/// Reasoning in the provider's own form, kept only to be sent back.
#[derive(Debug, Clone, PartialEq)]
pub enum Reasoning {
    /// Readable reasoning.
    Text(String),
    /// A signature, or reasoning in encrypted form.
    Signature(String),
    /// A block that only this provider understands.
    Block(Value),
}
