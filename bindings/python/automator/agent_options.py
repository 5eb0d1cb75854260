"""Options of agents that are more than a value."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from automator._native import NativeSignal
from automator.agent_result import (
    AgentAborted,
    AgentFailure,
    AgentResult,
    AgentStep,
    AgentTextDelta,
    AgentToolCall,
    AgentToolResult,
)
from automator.answers import made
from automator.errors import AutomatorInvalidArgumentError
from automator.names import nearest
from automator.options import Options, kind_of

AgentMode: TypeAlias = Literal["dom", "hybrid", "cua"]
"""How an agent works.

``dom`` reads pages as text and names elements, ``hybrid`` looks at pictures besides and points at places in them,
``cua`` is for models made for using computers.
"""


@dataclass(frozen=True)
class AgentTool:
    """A tool of one's own. What it raises is told to the model, which may go on."""

    name: str
    """Its name: letters, digits, ``_`` and ``-``; none of the built-in tools."""
    description: str
    """What it does and when to use it, for the model."""
    parameters: Any = None
    """What it takes, an object: a type that pydantic understands, or a JSON Schema.

    ``call`` gets what the type makes of it, or a dict, as its only argument. Default: what the signature of ``call``
    says, and it gets keyword arguments.
    """
    call: Callable[..., Any] | None = None
    """Does it; a coroutine function or not. A text goes to the model as it is, all else as JSON."""


AgentTools: TypeAlias = Iterable[Callable[..., Any] | AgentTool] | Mapping[str, Callable[..., Any] | AgentTool]
"""Tools: functions, whose name, docstring and signature tell the model what they are, or `AgentTool`; or by name."""


@dataclass(frozen=True)
class AgentConfirmRequest:
    """What an agent asks before it does it."""

    kind: Literal["purchase", "delete", "send", "upload", "download", "safety"]
    """What it comes to."""
    description: str
    """What is about to be done, such as ``click "Place order"``. The words of the element are the page's."""
    selector: str
    """The element; empty for keys that go to whatever has the focus."""
    url: str
    """The address of the page."""


AgentConfirm: TypeAlias = Callable[[AgentConfirmRequest], Any]
"""Answers whether something may be done; a coroutine function or not. Only ``True`` is a yes."""


@dataclass(frozen=True)
class AgentCallbacks:
    """Told what happens while it happens. One that raises harms nothing but itself."""

    on_step_finish: Callable[[AgentStep], object] | None = None
    """All calls of a step are over."""
    on_chunk: Callable[[AgentTextDelta | AgentToolCall | AgentToolResult], object] | None = None
    """A piece of what the model says, a call of a tool, or what came of it."""
    on_finish: Callable[[AgentResult[Any]], object] | None = None
    """The run is over; it has come to this."""
    on_error: Callable[[AgentFailure], object] | None = None
    """The run broke off."""
    on_abort: Callable[[AgentAborted], object] | None = None
    """The run was ended by its signal."""


class AbortSignal:
    """Ends runs of agents from outside, from any thread. To cancel the task of a run does it, too."""

    def __init__(self) -> None:
        """A signal that was not given yet."""
        self._native = NativeSignal()

    def abort(self, reason: str = "") -> None:
        """Gives the signal. Of several reasons the first counts."""
        self._native.abort(str(reason))

    @property
    def aborted(self) -> bool:
        """Whether it was given."""
        return self._native.reason() is not None

    @property
    def reason(self) -> str | None:
        """Why; ``None`` when it was not given."""
        return self._native.reason()


def native_signal(signal: AbortSignal | None) -> NativeSignal | None:
    """A signal as the native half has it."""
    if signal is None:
        return None
    if not isinstance(signal, AbortSignal):
        raise AutomatorInvalidArgumentError(f"options.signal must be an AbortSignal, not {kind_of(signal)}")
    return signal._native


def callbacks_of(given: AgentCallbacks | Options | None) -> AgentCallbacks | None:
    """Callbacks, once they are checked."""
    if given is None:
        return None
    known = {field.name for field in dataclasses.fields(AgentCallbacks)}
    if isinstance(given, Mapping):
        for name in given:
            if name not in known:
                raise TypeError(f"options.callbacks has no member {name!r}; {nearest(str(name), known)}")
        given = AgentCallbacks(**given)
    if not isinstance(given, AgentCallbacks):
        raise AutomatorInvalidArgumentError(f"options.callbacks must be AgentCallbacks or a dict, not {kind_of(given)}")
    for name in sorted(known):
        callback = getattr(given, name)
        if callback is not None and not callable(callback):
            raise AutomatorInvalidArgumentError(f"options.callbacks.{name} must be a function, not {kind_of(callback)}")
    return given


def check_confirm(confirm: object) -> None:
    """Refuses what cannot be asked."""
    if confirm is not None and not callable(confirm):
        raise AutomatorInvalidArgumentError(f"options.confirm must be a function, not {kind_of(confirm)}")


def confirm_request(text: str) -> AgentConfirmRequest:
    """What is asked, as the core tells it."""
    return made(AgentConfirmRequest, json.loads(text))


def confirm_answer(answer: object) -> str:
    """An answer as the core reads it."""
    return "true" if answer is True else "false"
