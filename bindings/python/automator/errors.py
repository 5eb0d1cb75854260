"""The errors of this library: one class for each documented name, all below `AutomatorError`.

``interface/errors.json`` lists them; a test compares.
"""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from automator.names import in_snake

if TYPE_CHECKING:
    from automator.agent_result import AgentResult


class AutomatorError(Exception):
    """The base of all errors of this library.

    Attributes:
        code: The documented name of the kind of error; the same in every language.
        operation: The operation that failed, as ``extract`` or ``goto``; ``None`` when it was none.
        hint: What to try; ``None`` when there is nothing to say.
        context: What it failed on: ``selector``, ``model``, ``pointer``, …
    """

    code: str = "AutomatorError"

    def __init__(
        self,
        message: str = "",
        *,
        operation: str | None = None,
        hint: str | None = None,
        context: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.operation = operation
        self.hint = hint
        self.context: dict[str, str] = dict(context or {})

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        # Classes of other modules keep the code of the one that they extend.
        if cls.__module__ == __name__:
            cls.code = cls.__name__

    def __reduce__(self) -> tuple[Any, ...]:
        # Without it, errors of other processes would come without what is given by keyword.
        details = {"operation": self.operation, "hint": self.hint, "context": self.context}
        return type(self), self.args, details


class SchemaValidationError(AutomatorError):
    """The extracted data does not match the schema.

    Of an agent's run `result` is what it came to, with the output that its schema refuses; of other operations it is
    None.
    """

    result: AgentResult[Any] | None = None


class AutomatorDomProcessError(AutomatorError):
    """The page could not be processed."""


class AutomatorSnapshotError(AutomatorDomProcessError):
    """The page could not be made into text."""


class AutomatorEvalError(AutomatorError):
    """JavaScript in the page threw."""


class AutomatorIframeError(AutomatorError):
    """`>>` follows an element that is no frame."""


class ContentFrameNotFoundError(AutomatorError):
    """A frame has no document that can be reached."""


class AutomatorShadowRootMissingError(AutomatorError):
    """A step into the shadow root of an element that has none."""


class AutomatorElementNotFoundError(AutomatorError):
    """A selector matches nothing."""


class ElementNotVisibleError(AutomatorError):
    """An element is there, and people do not see it."""


class AutomatorClickError(AutomatorError):
    """A click could not be made, or did not arrive."""


class AutomatorLocatorError(AutomatorError):
    """An element cannot be used as asked, or an action on it had no effect."""


class LLMResponseError(AutomatorError):
    """The model gave no usable reply."""


class MissingLLMConfigurationError(AutomatorError):
    """No key and no client for the model."""


class UnsupportedModelError(AutomatorError):
    """Nobody knows the model's provider, or the model cannot do what is asked."""


class InvalidAISDKModelFormatError(AutomatorError):
    """The model name is not `provider/model`."""


class AutomatorInitError(AutomatorError):
    """The browser did not come up, or cannot be reached."""


class AutomatorNotInitializedError(AutomatorError):
    """A call before `init()`, or after the session ended."""


class RemoteSessionNotFoundError(AutomatorError):
    """The remote session does not exist."""


class MissingEnvironmentVariableError(AutomatorError):
    """An environment variable that is needed is not set."""


class AutomatorEnvironmentError(AutomatorError):
    """The environment is none that exists."""


class AutomatorInvalidArgumentError(AutomatorError):
    """An argument or option cannot be used."""


class PageNotFoundError(AutomatorError):
    """The page is closed, or there is none."""


class AutomatorClosedError(AutomatorError):
    """The session or page was closed while the call ran."""


class CdpConnectionClosedError(AutomatorError):
    """The connection to the browser ended while the call ran."""


class ConnectionTimeoutError(AutomatorInitError):
    """The browser to attach to did not answer in time."""


class NavigationError(AutomatorError):
    """A navigation failed."""


class ResponseBodyError(AutomatorError):
    """The body of a response is not there."""


class ResponseParseError(AutomatorError):
    """The body of a response is not JSON."""


class CookieValidationError(AutomatorError):
    """A cookie contradicts itself."""


class CookieSetError(AutomatorError):
    """The browser refuses a cookie."""


class DownloadError(AutomatorError):
    """A download did not end well."""


class UnsupportedBrowserFeatureError(AutomatorError):
    """The browser cannot do this on this page."""


class TimeoutError(AutomatorError, builtins.TimeoutError):
    """A limit of time was reached. Also a ``TimeoutError`` of Python's."""


class ActTimeoutError(TimeoutError):
    """`act()` reached its limit of time."""


class ExtractTimeoutError(TimeoutError):
    """`extract()` reached its limit of time."""


class ObserveTimeoutError(TimeoutError):
    """`observe()` reached its limit of time."""


class AgentAbortError(AutomatorError):
    """A run of the agent was ended by its caller."""


class MCPConnectionError(AutomatorError):
    """An MCP server that an agent was given cannot be used."""


class ExperimentalNotConfiguredError(AutomatorError):
    """Something that is experimental was asked for, and `experimental` is not set."""


class ProtocolError(AutomatorError):
    """The browser answered what it should not."""


class XPathResolutionError(AutomatorElementNotFoundError):
    """An XPath matches nothing."""


_CLASSES: dict[str, type[AutomatorError]] = {
    known.__name__: known
    for known in list(globals().values())
    if isinstance(known, type) and issubclass(known, AutomatorError)
}


# What the core says in these is about options, which have other names here. In the others it tells what pages and
# models say; their hints are about options all the same.
_ABOUT_OPTIONS = (
    AutomatorInvalidArgumentError,
    MissingLLMConfigurationError,
    UnsupportedModelError,
    InvalidAISDKModelFormatError,
    AutomatorEnvironmentError,
    MissingEnvironmentVariableError,
    AutomatorInitError,
    RemoteSessionNotFoundError,
    CookieValidationError,
    ExperimentalNotConfiguredError,
)


def made(
    name: str,
    message: str,
    operation: str | None,
    hint: str | None,
    context: Mapping[str, str],
    causes: list[str],
    raised: BaseException | None = None,
) -> AutomatorError:
    """The exception for an error that the native half tells; ``raised`` is what a function of the user has raised."""
    kind = _CLASSES.get(name, AutomatorError)
    if issubclass(kind, _ABOUT_OPTIONS):
        message = in_snake(message)
    hint = None if hint is None else in_snake(hint)
    error = kind(message, operation=operation, hint=hint, context=context)
    outer: BaseException = error
    for text in causes:
        # Each has come of the one behind it.
        outer.__cause__ = Exception(text)
        outer = outer.__cause__
    if raised is not None:
        error.__cause__ = raised
    return error
