//! The one public error.

mod from_browser;
mod from_model;
mod told;

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

pub(crate) use told::ToldError;

/// What went wrong; the contract. [`name`](Self::name) is the documented class name in every language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The extracted data does not match the schema.
    SchemaValidation,
    /// The page could not be processed.
    DomProcess,
    /// The page could not be made into text.
    Snapshot,
    /// JavaScript in the page threw.
    Eval,
    /// `>>` follows an element that is no frame.
    Iframe,
    /// A frame has no document that can be reached.
    ContentFrameNotFound,
    /// An XPath matches nothing.
    XPathResolution,
    /// A step into the shadow root of an element that has none.
    ShadowRootMissing,
    /// A CSS selector matches nothing.
    ElementNotFound,
    /// An element is there, and people do not see it.
    ElementNotVisible,
    /// A click could not be made, or did not arrive.
    Click,
    /// An element cannot be used as asked, or an action on it had no effect.
    Locator,
    /// The model gave no usable reply.
    LlmResponse,
    /// No key and no client for the model.
    MissingLlmConfiguration,
    /// Nobody knows the model's provider, or the model cannot do what is asked.
    UnsupportedModel,
    /// The model name is not `provider/model`.
    InvalidModelFormat,
    /// The browser did not come up, or cannot be reached.
    Init,
    /// A call before `init()`, or after the session ended.
    NotInitialized,
    /// The remote session does not exist.
    RemoteSessionNotFound,
    /// An environment variable that is needed is not set.
    MissingEnvironmentVariable,
    /// The environment is none that exists.
    Environment,
    /// An argument or option cannot be used.
    InvalidArgument,
    /// The page is closed, or there is none.
    PageNotFound,
    /// The session or page was closed while the call ran.
    Closed,
    /// The connection to the browser ended while the call ran.
    CdpConnectionClosed,
    /// The browser to attach to did not answer in time.
    ConnectionTimeout,
    /// A navigation failed.
    Navigation,
    /// The body of a response is not there.
    ResponseBody,
    /// The body of a response is not JSON.
    ResponseParse,
    /// A cookie contradicts itself.
    CookieValidation,
    /// The browser refuses a cookie.
    CookieSet,
    /// A download did not end well.
    Download,
    /// The browser cannot do this on this page.
    UnsupportedBrowserFeature,
    /// A limit of time was reached.
    Timeout,
    /// `act()` reached its limit of time.
    ActTimeout,
    /// `extract()` reached its limit of time.
    ExtractTimeout,
    /// `observe()` reached its limit of time.
    ObserveTimeout,
    /// A run of the agent was ended by its caller.
    AgentAbort,
    /// An MCP server that an agent was given cannot be used.
    McpConnection,
    /// Something that is experimental was asked for, and `experimental` is not set.
    ExperimentalNotConfigured,
    /// The browser answered what it should not.
    Protocol,
}

impl ErrorKind {
    /// Every kind, for bindings that build one class each.
    pub const ALL: [ErrorKind; 41] = [
        Self::SchemaValidation,
        Self::DomProcess,
        Self::Snapshot,
        Self::Eval,
        Self::Iframe,
        Self::ContentFrameNotFound,
        Self::XPathResolution,
        Self::ShadowRootMissing,
        Self::ElementNotFound,
        Self::ElementNotVisible,
        Self::Click,
        Self::Locator,
        Self::LlmResponse,
        Self::MissingLlmConfiguration,
        Self::UnsupportedModel,
        Self::InvalidModelFormat,
        Self::Init,
        Self::NotInitialized,
        Self::RemoteSessionNotFound,
        Self::MissingEnvironmentVariable,
        Self::Environment,
        Self::InvalidArgument,
        Self::PageNotFound,
        Self::Closed,
        Self::CdpConnectionClosed,
        Self::ConnectionTimeout,
        Self::Navigation,
        Self::ResponseBody,
        Self::ResponseParse,
        Self::CookieValidation,
        Self::CookieSet,
        Self::Download,
        Self::UnsupportedBrowserFeature,
        Self::Timeout,
        Self::ActTimeout,
        Self::ExtractTimeout,
        Self::ObserveTimeout,
        Self::AgentAbort,
        Self::McpConnection,
        Self::ExperimentalNotConfigured,
        Self::Protocol,
    ];

    /// The documented class name.
    ///
    /// ```
    /// use automator::ErrorKind;
    ///
    /// assert_eq!(ErrorKind::SchemaValidation.name(), "SchemaValidationError");
    /// assert_eq!(ErrorKind::Init.name(), "AutomatorInitError");
    /// ```
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::SchemaValidation => "SchemaValidationError",
            Self::DomProcess => "AutomatorDomProcessError",
            Self::Snapshot => "AutomatorSnapshotError",
            Self::Eval => "AutomatorEvalError",
            Self::Iframe => "AutomatorIframeError",
            Self::ContentFrameNotFound => "ContentFrameNotFoundError",
            Self::XPathResolution => "XPathResolutionError",
            Self::ShadowRootMissing => "AutomatorShadowRootMissingError",
            Self::ElementNotFound => "AutomatorElementNotFoundError",
            Self::ElementNotVisible => "ElementNotVisibleError",
            Self::Click => "AutomatorClickError",
            Self::Locator => "AutomatorLocatorError",
            Self::LlmResponse => "LLMResponseError",
            Self::MissingLlmConfiguration => "MissingLLMConfigurationError",
            Self::UnsupportedModel => "UnsupportedModelError",
            Self::InvalidModelFormat => "InvalidAISDKModelFormatError",
            Self::Init => "AutomatorInitError",
            Self::NotInitialized => "AutomatorNotInitializedError",
            Self::RemoteSessionNotFound => "RemoteSessionNotFoundError",
            Self::MissingEnvironmentVariable => "MissingEnvironmentVariableError",
            Self::Environment => "AutomatorEnvironmentError",
            Self::InvalidArgument => "AutomatorInvalidArgumentError",
            Self::PageNotFound => "PageNotFoundError",
            Self::Closed => "AutomatorClosedError",
            Self::CdpConnectionClosed => "CdpConnectionClosedError",
            Self::ConnectionTimeout => "ConnectionTimeoutError",
            Self::Navigation => "NavigationError",
            Self::ResponseBody => "ResponseBodyError",
            Self::ResponseParse => "ResponseParseError",
            Self::CookieValidation => "CookieValidationError",
            Self::CookieSet => "CookieSetError",
            Self::Download => "DownloadError",
            Self::UnsupportedBrowserFeature => "UnsupportedBrowserFeatureError",
            Self::Timeout => "TimeoutError",
            Self::ActTimeout => "ActTimeoutError",
            Self::ExtractTimeout => "ExtractTimeoutError",
            Self::ObserveTimeout => "ObserveTimeoutError",
            Self::AgentAbort => "AgentAbortError",
            Self::McpConnection => "MCPConnectionError",
            Self::ExperimentalNotConfigured => "ExperimentalNotConfiguredError",
            Self::Protocol => "ProtocolError",
        }
    }

    /// The kind of a documented class name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The kind that this one is a special case of, besides the base of all errors.
    #[must_use]
    pub fn parent(self) -> Option<ErrorKind> {
        match self {
            Self::XPathResolution => Some(Self::ElementNotFound),
            // Both are documented: what is narrower is an addition.
            Self::Snapshot => Some(Self::DomProcess),
            Self::ConnectionTimeout => Some(Self::Init),
            Self::ActTimeout | Self::ExtractTimeout | Self::ObserveTimeout => Some(Self::Timeout),
            _ => None,
        }
    }
}

/// Any failure of this library: what failed, on what, and what to try.
pub struct Error {
    inner: Box<Inner>,
}

struct Inner {
    kind: ErrorKind,
    message: String,
    operation: Option<Cow<'static, str>>,
    context: Vec<(Cow<'static, str>, String)>,
    hint: Option<String>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// The result of everything that can fail here.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        let inner = Inner {
            kind,
            message: message.into(),
            operation: None,
            context: Vec::new(),
            hint: None,
            source: None,
        };
        Self {
            inner: Box::new(inner),
        }
    }

    pub(crate) fn invalid_argument(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvalidArgument, message)
    }

    /// That a call of an operation, as `act`, has reached its limit of time: for whoever runs calls for somebody else,
    /// and has used it up before the call began.
    pub fn past_deadline(operation: &'static str, limit: Duration) -> Self {
        let kind = match operation {
            "act" => ErrorKind::ActTimeout,
            "extract" => ErrorKind::ExtractTimeout,
            "observe" => ErrorKind::ObserveTimeout,
            _ => ErrorKind::Timeout,
        };
        let message = format!("timed out after {} ms", limit.as_millis());
        Self::new(kind, message).during(operation)
    }

    pub(crate) fn not_initialized() -> Self {
        Self::new(ErrorKind::NotInitialized, "the session is not initialised").hint("call init() first")
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.inner.hint = Some(hint.into());
        self
    }

    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.inner.context.push((name.into(), value.into()));
        self
    }

    pub(crate) fn during(mut self, operation: &'static str) -> Self {
        self.inner.operation.get_or_insert(operation.into());
        self
    }

    /// The same error with all its texts passed through `mask`; what caused it is dropped, since its text cannot be
    /// changed.
    pub(crate) fn masked(mut self, mask: &dyn Fn(&str) -> String) -> Self {
        let inner = &mut self.inner;
        let told = mask(&inner.message);
        let mut cause: Option<&(dyn std::error::Error + 'static)> =
            inner.source.as_deref().map(|cause| cause as _);
        while let Some(error) = cause {
            let text = error.to_string();
            if mask(&text) != text {
                inner.source = None;
                break;
            }
            cause = error.source();
        }
        inner.message = told;
        inner.hint = inner.hint.as_deref().map(mask);
        for (_, value) in &mut inner.context {
            *value = mask(value);
        }
        self
    }

    pub(crate) fn caused_by(mut self, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.inner.source = Some(Box::new(source));
        self
    }

    /// What went wrong.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.inner.kind
    }

    /// What failed, without the operation and without what to try.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.inner.message
    }

    /// What failed and what to try, without the operation: for readers who know what they have called, under another
    /// name.
    pub(crate) fn without_operation(&self) -> String {
        match &self.inner.hint {
            // What to try then is a method for programs.
            _ if self.inner.kind == ErrorKind::PageNotFound => self.inner.message.clone(),
            Some(hint) => format!("{} ({hint})", self.inner.message),
            None => self.inner.message.clone(),
        }
    }

    /// The operation that failed, as `extract` or `goto`.
    #[must_use]
    pub fn operation(&self) -> Option<&str> {
        self.inner.operation.as_deref()
    }

    /// What to try.
    #[must_use]
    pub fn hint_text(&self) -> Option<&str> {
        self.inner.hint.as_deref()
    }

    /// What it failed on: pairs such as `("selector", "#price")`, `("model", "openai/gpt-4.1-mini")`,
    /// `("pointer", "/price")`.
    pub fn context(&self) -> impl Iterator<Item = (&str, &str)> {
        self.inner
            .context
            .iter()
            .map(|(name, value)| (name.as_ref(), value.as_str()))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(operation) = &self.inner.operation {
            write!(formatter, "{operation}: ")?;
        }
        formatter.write_str(&self.inner.message)?;
        match &self.inner.hint {
            Some(hint) => write!(formatter, " ({hint})"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {self}", self.inner.kind.name())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.inner.source.as_ref().map(|source| &**source as _)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_name_of_its_own() {
        let mut names: Vec<&str> = ErrorKind::ALL.iter().map(|kind| kind.name()).collect();
        assert!(names.iter().all(|name| name.ends_with("Error")));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ErrorKind::ALL.len());
    }

    #[test]
    fn the_message_says_what_failed_and_what_to_try() {
        let error = Error::not_initialized().during("extract");
        assert_eq!(
            error.to_string(),
            "extract: the session is not initialised (call init() first)"
        );
        assert_eq!(error.kind(), ErrorKind::NotInitialized);
    }
}
