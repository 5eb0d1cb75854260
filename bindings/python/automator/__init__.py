"""Drive a web browser with the help of a language model.

Give it a page and a sentence or a type, get a checked, typed value. `AsyncAutomator` is awaited, `Automator` waits; all
else has the same names and options in both.

Example:
    >>> from automator import Automator
    >>> from pydantic import BaseModel
    >>> class Lamp(BaseModel):
    ...     name: str
    ...     price: float
    >>> with Automator(env="LOCAL", model="openai/gpt-4.1-mini") as automator:
    ...     automator.context.pages()[0].goto("https://lamps.example")
    ...     lamps = automator.extract("all desk lamps", list[Lamp])
    ...     automator.act("put the arc lamp in the basket")
"""

from automator import _ending as _ending
from automator.action import Action, ActResult
from automator.agent_options import (
    AbortSignal,
    AgentCallbacks,
    AgentConfirm,
    AgentConfirmRequest,
    AgentMode,
    AgentTool,
    AgentTools,
)
from automator.agent_result import (
    AgentAborted,
    AgentAction,
    AgentEvent,
    AgentFailure,
    AgentFinish,
    AgentResult,
    AgentStep,
    AgentStepFinish,
    AgentStepStart,
    AgentTextDelta,
    AgentToolCall,
    AgentToolResult,
    AgentUsage,
)
from automator.asynchronous.agent import AsyncAgent, AsyncAgentStream, AsyncStreamingAgent
from automator.asynchronous.automator import AsyncAutomator
from automator.asynchronous.console_message import AsyncConsoleMessage
from automator.asynchronous.context import AsyncClipboard, AsyncContext
from automator.asynchronous.dialog import AsyncDialog
from automator.asynchronous.download import AsyncDownload
from automator.asynchronous.file_chooser import AsyncFileChooser
from automator.asynchronous.foreign_page import AsyncForeignPage
from automator.asynchronous.frame import AsyncFrame
from automator.asynchronous.locator import AsyncFrameLocator, AsyncLocator
from automator.asynchronous.page import AsyncPage
from automator.asynchronous.response import AsyncResponse
from automator.blocking.agent import Agent, AgentStream, StreamingAgent
from automator.blocking.automator import Automator
from automator.blocking.console_message import ConsoleMessage
from automator.blocking.context import Clipboard, Context
from automator.blocking.dialog import Dialog
from automator.blocking.download import Download
from automator.blocking.file_chooser import FileChooser
from automator.blocking.foreign_page import ForeignPage
from automator.blocking.frame import Frame
from automator.blocking.locator import FrameLocator, Locator
from automator.blocking.page import Page
from automator.blocking.response import Response
from automator.callbacks import AutomatorWarning
from automator.cookies import Cookie, NewCookie, SameSite
from automator.errors import (
    ActTimeoutError,
    AgentAbortError,
    AutomatorClickError,
    AutomatorClosedError,
    AutomatorDomProcessError,
    AutomatorElementNotFoundError,
    AutomatorEnvironmentError,
    AutomatorError,
    AutomatorEvalError,
    AutomatorIframeError,
    AutomatorInitError,
    AutomatorInvalidArgumentError,
    AutomatorLocatorError,
    AutomatorNotInitializedError,
    AutomatorShadowRootMissingError,
    AutomatorSnapshotError,
    CdpConnectionClosedError,
    ConnectionTimeoutError,
    ContentFrameNotFoundError,
    CookieSetError,
    CookieValidationError,
    DownloadError,
    ElementNotVisibleError,
    ExperimentalNotConfiguredError,
    ExtractTimeoutError,
    InvalidAISDKModelFormatError,
    LLMResponseError,
    MCPConnectionError,
    MissingEnvironmentVariableError,
    MissingLLMConfigurationError,
    NavigationError,
    ObserveTimeoutError,
    PageNotFoundError,
    ProtocolError,
    RemoteSessionNotFoundError,
    ResponseBodyError,
    ResponseParseError,
    SchemaValidationError,
    UnsupportedBrowserFeatureError,
    UnsupportedModelError,
    XPathResolutionError,
)
from automator.errors import TimeoutError as TimeoutError  # Not in `__all__`: there is a built-in of that name.
from automator.extraction import Extraction, PageText, Source, WithCacheStatus, WithProvenance
from automator.files import FilePath, FilePayload, Files
from automator.llm_client import (
    LLMClient,
    LLMContent,
    LLMFunction,
    LLMMessage,
    LLMReply,
    LLMReplyObject,
    LLMRequest,
    LLMResponseFormat,
    LLMTokens,
)
from automator.log_line import Auxiliary, LogLine
from automator.options import (
    Button,
    Clip,
    DomainPolicy,
    ElementPosition,
    Env,
    LocalBrowserLaunchOptions,
    Model,
    ModelConfiguration,
    Modifier,
    Options,
    ProxyOptions,
    RemotePlatform,
    SelectorState,
    Variable,
    Variables,
    ViewportOptions,
    WaitUntil,
)
from automator.page_events import PageEventName
from automator.page_parts import (
    BoundingBox,
    ConsoleArgument,
    DialogType,
    Header,
    PageError,
    Point,
    ReportedDialog,
    ScriptLocation,
    SecurityDetails,
    ServerAddress,
    Snapshot,
)
from automator.records import AutomatorMetrics, HistoryEntry

__all__ = [
    "AbortSignal",
    "ActResult",
    "ActTimeoutError",
    "Action",
    "Agent",
    "AgentAbortError",
    "AgentAborted",
    "AgentAction",
    "AgentCallbacks",
    "AgentConfirm",
    "AgentConfirmRequest",
    "AgentEvent",
    "AgentFailure",
    "AgentFinish",
    "AgentMode",
    "AgentResult",
    "AgentStep",
    "AgentStepFinish",
    "AgentStepStart",
    "AgentStream",
    "AgentTextDelta",
    "AgentTool",
    "AgentToolCall",
    "AgentToolResult",
    "AgentTools",
    "AgentUsage",
    "AsyncAgent",
    "AsyncAgentStream",
    "AsyncAutomator",
    "AsyncClipboard",
    "AsyncConsoleMessage",
    "AsyncContext",
    "AsyncDialog",
    "AsyncDownload",
    "AsyncFileChooser",
    "AsyncForeignPage",
    "AsyncFrame",
    "AsyncFrameLocator",
    "AsyncLocator",
    "AsyncPage",
    "AsyncResponse",
    "AsyncStreamingAgent",
    "Automator",
    "AutomatorClickError",
    "AutomatorClosedError",
    "AutomatorDomProcessError",
    "AutomatorElementNotFoundError",
    "AutomatorEnvironmentError",
    "AutomatorError",
    "AutomatorEvalError",
    "AutomatorIframeError",
    "AutomatorInitError",
    "AutomatorInvalidArgumentError",
    "AutomatorLocatorError",
    "AutomatorMetrics",
    "AutomatorNotInitializedError",
    "AutomatorShadowRootMissingError",
    "AutomatorSnapshotError",
    "AutomatorWarning",
    "Auxiliary",
    "BoundingBox",
    "Button",
    "CdpConnectionClosedError",
    "Clip",
    "Clipboard",
    "ConnectionTimeoutError",
    "ConsoleArgument",
    "ConsoleMessage",
    "ContentFrameNotFoundError",
    "Context",
    "Cookie",
    "CookieSetError",
    "CookieValidationError",
    "Dialog",
    "DialogType",
    "DomainPolicy",
    "Download",
    "DownloadError",
    "ElementNotVisibleError",
    "ElementPosition",
    "Env",
    "ExperimentalNotConfiguredError",
    "ExtractTimeoutError",
    "Extraction",
    "FileChooser",
    "FilePath",
    "FilePayload",
    "Files",
    "ForeignPage",
    "Frame",
    "FrameLocator",
    "Header",
    "HistoryEntry",
    "InvalidAISDKModelFormatError",
    "LLMClient",
    "LLMContent",
    "LLMFunction",
    "LLMMessage",
    "LLMReply",
    "LLMReplyObject",
    "LLMRequest",
    "LLMResponseError",
    "LLMResponseFormat",
    "LLMTokens",
    "LocalBrowserLaunchOptions",
    "Locator",
    "LogLine",
    "MCPConnectionError",
    "MissingEnvironmentVariableError",
    "MissingLLMConfigurationError",
    "Model",
    "ModelConfiguration",
    "Modifier",
    "NavigationError",
    "NewCookie",
    "ObserveTimeoutError",
    "Options",
    "Page",
    "PageError",
    "PageEventName",
    "PageNotFoundError",
    "PageText",
    "Point",
    "ProtocolError",
    "ProxyOptions",
    "RemotePlatform",
    "RemoteSessionNotFoundError",
    "ReportedDialog",
    "Response",
    "ResponseBodyError",
    "ResponseParseError",
    "SameSite",
    "SchemaValidationError",
    "ScriptLocation",
    "SecurityDetails",
    "SelectorState",
    "ServerAddress",
    "Snapshot",
    "Source",
    "StreamingAgent",
    "UnsupportedBrowserFeatureError",
    "UnsupportedModelError",
    "Variable",
    "Variables",
    "ViewportOptions",
    "WaitUntil",
    "WithCacheStatus",
    "WithProvenance",
    "XPathResolutionError",
]
