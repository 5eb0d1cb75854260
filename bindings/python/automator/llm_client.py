"""Model clients of the user's own."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypedDict

from automator.options import kind_of, well_formed

if TYPE_CHECKING:
    from automator._native import NativeAnswer


class LLMContent(TypedDict, total=False):
    """A piece of a message; ``type`` says which members it has."""

    type: Literal["text", "image", "toolCall", "toolResult"]
    text: str
    mediaType: str
    data: str
    id: str
    name: str
    arguments: Any
    content: str


class LLMMessage(TypedDict):
    """A message of the conversation; system messages come first."""

    role: Literal["system", "user", "assistant", "tool"]
    content: list[LLMContent]


class LLMResponseFormat(TypedDict):
    """The JSON that is wanted."""

    name: str
    schema: dict[str, Any]


class LLMRequest(TypedDict):
    """What is asked of a model."""

    messages: list[LLMMessage]
    responseFormat: LLMResponseFormat | None
    tools: list[dict[str, Any]]
    maxOutputTokens: int | None
    temperature: float | None


class LLMTokens(TypedDict, total=False):
    """What a call cost."""

    prompt: int
    completion: int
    reasoning: int
    cachedInput: int


class LLMReplyObject(TypedDict, total=False):
    """All that is known of an answer; with a ``responseFormat`` the text is JSON."""

    text: str
    toolCalls: list[dict[str, Any]]
    tokens: LLMTokens
    finish: Literal["stop", "length", "refused", "toolCalls"]
    model: str


LLMReply: TypeAlias = str | LLMReplyObject
"""What a model answered: its text, or all that is known of it."""


class LLMClient(Protocol):
    """Answers requests in place of a provider.

    It need not retry, repair or check an answer: the library does that for every client alike. ``generate`` may be a
    coroutine function or not; one that is not runs in a thread of its own. What it raises is tried again when it is a
    ``ConnectionError``, or has a ``status`` or ``status_code`` of 408, 409, 425, 429 or from 500 on, after
    ``retry_after`` seconds where it says so; all else ends the call, and is the ``__cause__`` of its error.

    Besides, a client may have the attributes
    ``model_name`` (as ``provider/model``, for errors and logs), ``accepts_images`` (default: true) and
    ``context_window`` (how many tokens prompt and answer may have together).
    """

    def generate(self, request: LLMRequest, /) -> LLMReply | Awaitable[LLMReply]:
        """Sends one request."""
        ...


LLMFunction: TypeAlias = Callable[[LLMRequest], LLMReply | Awaitable[LLMReply]]
"""The function of a client that has no attributes."""


def function_of(client: LLMClient | LLMFunction) -> LLMFunction:
    """The function that answers requests."""
    generate: Any = getattr(client, "generate", None)
    if callable(generate):
        function: Any = generate
        return function  # type: ignore[no-any-return]
    if callable(client):
        return client
    raise TypeError(f"llm_client must be a function or have a method `generate`, not {kind_of(client)}")


def traits_of(client: LLMClient | LLMFunction) -> tuple[str, bool, int | None]:
    """Name, whether images may be sent, and the size of the window."""
    name = getattr(client, "model_name", "custom/client")
    window: int | None = getattr(client, "context_window", None)
    return str(name), bool(getattr(client, "accepts_images", True)), window


def request_from(text: str) -> LLMRequest:
    """The request that the core tells."""
    request: LLMRequest = json.loads(text)
    return request


def reply_text(reply: LLMReply | None) -> str:
    """A reply as JSON."""
    return well_formed(json.dumps("" if reply is None else reply, allow_nan=False, ensure_ascii=False))


def fail(answer: NativeAnswer, error: BaseException) -> None:
    """Says why there is no answer, and with what the library decides whether to try again."""
    status = next((found for name in ("status", "status_code") if (found := _count(getattr(error, name, None)))), None)
    seconds = getattr(error, "retry_after", None)
    pause = int(seconds * 1000) if isinstance(seconds, (int, float)) and 0 <= seconds < 86_400 else None
    reason = f"{type(error).__name__}: {error}"
    answer.fail(reason, error, status, isinstance(error, ConnectionError), pause)


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and 100 <= value <= 599 else None
