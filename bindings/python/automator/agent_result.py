"""What comes of runs of agents, and what happens in them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from automator.answers import made
from automator.errors import SchemaValidationError
from automator.names import to_snake
from automator.schema import Schema

T = TypeVar("T")


@dataclass(frozen=True)
class AgentUsage:
    """Tokens and time of the agent's own model calls."""

    input_tokens: int
    """Tokens sent."""
    output_tokens: int
    """Tokens written by the model, those of reasoning included."""
    reasoning_tokens: int
    """The part of them that was reasoning."""
    cached_input_tokens: int
    """The tokens sent that the provider had cached."""
    inference_time_ms: int
    """Milliseconds of waiting for the model."""


@dataclass(frozen=True)
class AgentAction:
    """One call of a tool."""

    type: str
    """The tool, as ``act``; the judgement at the end is ``done``."""
    reasoning: str | None
    """What the model said to it."""
    task_completed: bool
    """Whether the task was done with it: only ever true of ``done``."""
    page_url: str
    """The address of the page afterwards."""
    timestamp: int
    """When it was over: milliseconds since 1970."""
    details: dict[str, Any]
    """The arguments, and what came of the call, under the tool's own names."""


@dataclass(frozen=True)
class AgentResult(Generic[T]):
    """What came of a run."""

    success: bool
    """Whether the task was done, as the model judges at the end."""
    completed: bool
    """The same as ``success``."""
    message: str
    """What came of it, or what stopped it."""
    actions: list[AgentAction]
    """What was done, in order."""
    usage: AgentUsage
    """What the agent's own model calls cost; those of calls inside are in their own groups of the metrics."""
    messages: list[dict[str, Any]]
    """The conversation, for ``messages`` of a run that goes on with it."""
    output: T | None = None
    """What the schema asked for; present when there was one and the run came to its end."""


@dataclass(frozen=True)
class AgentStepStart:
    """The model is about to be asked."""

    step: int
    """Counted from 1."""
    type: Literal["start-step"] = "start-step"


@dataclass(frozen=True)
class AgentTextDelta:
    """A piece of what the model says."""

    step: int
    text: str
    type: Literal["text-delta"] = "text-delta"


@dataclass(frozen=True)
class AgentToolCall:
    """The model calls a tool, or what it did in an earlier run is done again from memory."""

    step: int
    tool_call_id: str
    tool_name: str
    input: Any
    type: Literal["tool-call"] = "tool-call"


@dataclass(frozen=True)
class AgentToolResult:
    """A call is over."""

    step: int
    tool_call_id: str
    tool_name: str
    action: AgentAction
    is_error: bool
    """Whether it did not work."""
    type: Literal["tool-result"] = "tool-result"


@dataclass(frozen=True)
class AgentStepFinish:
    """All calls of a step are over."""

    step: int
    text: str
    """What the model said."""
    usage: AgentUsage
    """What the model calls of the agent have cost so far."""
    type: Literal["finish-step"] = "finish-step"


@dataclass(frozen=True)
class AgentFinish(Generic[T]):
    """The run is over."""

    result: AgentResult[T]
    type: Literal["finish"] = "finish"


@dataclass(frozen=True)
class AgentStep:
    """One turn of the model, and what its calls came to."""

    step: int
    """Counted from 1."""
    text: str
    """What the model said."""
    tool_calls: list[AgentToolCall]
    tool_results: list[AgentToolResult]
    finish_reason: Literal["tool-calls", "stop"]
    """Why the model stopped."""
    usage: AgentUsage
    """What the model calls of the agent have cost so far."""


@dataclass(frozen=True)
class AgentFailure:
    """The run broke off."""

    error: BaseException
    type: Literal["error"] = "error"


@dataclass(frozen=True)
class AgentAborted:
    """The run was ended by its signal."""

    error: BaseException
    steps: list[AgentStep] = field(default_factory=list)
    """What had been done by then."""
    type: Literal["abort"] = "abort"


AgentEvent: TypeAlias = (
    AgentStepStart
    | AgentTextDelta
    | AgentToolCall
    | AgentToolResult
    | AgentStepFinish
    | AgentFinish[Any]
    | AgentFailure
    | AgentAborted
)
"""Something that happened in a run; ``type`` tells which. Values of variables are told by their names."""


def action_from(members: Mapping[str, Any]) -> AgentAction:
    """An action as the core tells it: arguments and outcome stand beside its members."""
    own = {"type", "reasoning", "task_completed", "page_url", "timestamp"}
    named = {"reasoning": None, **{to_snake(name): value for name, value in members.items() if to_snake(name) in own}}
    details = {name: value for name, value in members.items() if to_snake(name) not in own}
    return AgentAction(**named, details=details)


def result_from(text: str, schema: Schema | None) -> AgentResult[Any]:
    """The result that the core tells, with an output that has gone through the caller's schema."""
    members: dict[str, Any] = json.loads(text)
    members["actions"] = [action_from(action) for action in members["actions"]]
    members["usage"] = made(AgentUsage, members["usage"])
    result: AgentResult[Any] = AgentResult(**{"output": None, **members})
    if result.output is None or schema is None:
        return result
    try:
        return replace(result, output=schema.validated(json.dumps(result.output)))
    except SchemaValidationError as error:
        error.result = result
        raise


def event_from(text: str) -> AgentEvent | None:
    """An event that the core tells; none for those of the end, which are told where all of it is known."""
    members: dict[str, Any] = json.loads(text)
    match members.pop("type"):
        case "start-step":
            return made(AgentStepStart, members)
        case "text-delta":
            return made(AgentTextDelta, members)
        case "tool-call":
            return made(AgentToolCall, members)
        case "tool-result":
            return made(AgentToolResult, {**members, "action": action_from(members["action"])})
        case "finish-step":
            return made(AgentStepFinish, {**members, "usage": made(AgentUsage, members["usage"])})
        case _:
            return None


class Steps:
    """Puts events together to steps."""

    def __init__(self) -> None:
        """None so far."""
        self.all: list[AgentStep] = []
        self._calls: list[AgentToolCall] = []
        self._results: list[AgentToolResult] = []

    def add(self, event: AgentEvent) -> AgentStep | None:
        """Takes an event; gives the step that it ends."""
        if isinstance(event, AgentToolCall):
            self._calls.append(event)
        elif isinstance(event, AgentToolResult):
            self._results.append(event)
        elif isinstance(event, AgentStepFinish):
            reason: Literal["tool-calls", "stop"] = "tool-calls" if self._calls else "stop"
            step = AgentStep(event.step, event.text, self._calls, self._results, reason, event.usage)
            self._calls, self._results = [], []
            self.all.append(step)
            return step
        return None
