//! Tools that the user brings.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::Value;

/// Why a tool could not do it; the model is told the text.
pub type AgentToolError = Box<dyn std::error::Error + Send + Sync>;

/// The future of one call of a tool. Dropping it is to end the call.
pub type AgentToolFuture<'t> =
    Pin<Box<dyn Future<Output = Result<AgentToolOutput, AgentToolError>> + Send + 't>>;

/// A tool that an agent can call besides its own. Needs `experimental`.
///
/// Texts of its output that hold the value of a variable reach the model with the variable's name instead.
/// A call may be dropped in the middle, when the run or the call reaches its limit of time.
pub trait AgentTool: Send + Sync {
    /// Its name: letters, digits, `_` and `-`, at most 64 characters, and none of the built-in tools.
    fn name(&self) -> &str;

    /// What it does and when to use it, for the model.
    fn description(&self) -> &str;

    /// The JSON Schema of its arguments, one of an object.
    fn parameters(&self) -> Value;

    /// Does it. The arguments are what the model wrote, as an object; they were not held against the schema.
    fn call(&self, arguments: Value) -> AgentToolFuture<'_>;
}

/// What a tool gives back.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct AgentToolOutput {
    /// What the model is told: a text as it is, anything else as JSON.
    pub value: Value,
    /// A picture that the model gets to see, as the bytes of a PNG file.
    pub png: Option<Vec<u8>>,
}

impl AgentToolOutput {
    /// Adds a picture.
    #[must_use]
    pub fn with_png(mut self, png: Vec<u8>) -> Self {
        self.png = Some(png);
        self
    }
}

impl<V: Into<Value>> From<V> for AgentToolOutput {
    fn from(value: V) -> Self {
        Self {
            value: value.into(),
            png: None,
        }
    }
}

type Calling = dyn Fn(Value) -> AgentToolFuture<'static> + Send + Sync;

/// A tool from a function.
///
/// ```
/// use automator::{AgentConfig, FunctionTool};
/// use serde_json::json;
///
/// let parameters = json!({ "type": "object", "properties": { "city": { "type": "string" } }, "required": ["city"] });
/// let tool = FunctionTool::new("weather", "The weather in a city.", parameters, |arguments| async move {
///     Ok(format!("It rains in {}.", arguments["city"]).into())
/// });
/// let config = AgentConfig { tools: vec![std::sync::Arc::new(tool)], ..AgentConfig::default() };
/// assert_eq!(config.tools[0].name(), "weather");
/// ```
#[derive(Clone)]
pub struct FunctionTool {
    name: String,
    description: String,
    parameters: Value,
    calling: Arc<Calling>,
}

impl FunctionTool {
    /// A tool of this name that does what the function does.
    pub fn new<F>(
        name: impl Into<String>,
        description: impl Into<String>,
        parameters: Value,
        call: impl Fn(Value) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<AgentToolOutput, AgentToolError>> + Send + 'static,
    {
        Self {
            name: name.into(),
            description: description.into(),
            parameters,
            calling: Arc::new(move |arguments| Box::pin(call(arguments))),
        }
    }
}

impl fmt::Debug for FunctionTool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "FunctionTool({})", self.name)
    }
}

impl AgentTool for FunctionTool {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> &str {
        &self.description
    }

    fn parameters(&self) -> Value {
        self.parameters.clone()
    }

    fn call(&self, arguments: Value) -> AgentToolFuture<'_> {
        (self.calling)(arguments)
    }
}
