"""What a session remembers of itself."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

from automator.answers import made


@dataclass(frozen=True)
class AutomatorMetrics:
    """Tokens and time of the operations with a model, by group.

    Each group has five counters: tokens sent, tokens written by the model (reasoning included), the reasoning among
    them, the tokens sent that the provider had cached, and the milliseconds spent waiting.
    """

    act_prompt_tokens: int
    act_completion_tokens: int
    act_reasoning_tokens: int
    act_cached_input_tokens: int
    act_inference_time_ms: int
    extract_prompt_tokens: int
    extract_completion_tokens: int
    extract_reasoning_tokens: int
    extract_cached_input_tokens: int
    extract_inference_time_ms: int
    observe_prompt_tokens: int
    observe_completion_tokens: int
    observe_reasoning_tokens: int
    observe_cached_input_tokens: int
    observe_inference_time_ms: int
    agent_prompt_tokens: int
    agent_completion_tokens: int
    agent_reasoning_tokens: int
    agent_cached_input_tokens: int
    agent_inference_time_ms: int
    total_prompt_tokens: int
    total_completion_tokens: int
    total_reasoning_tokens: int
    total_cached_input_tokens: int
    total_inference_time_ms: int


@dataclass(frozen=True)
class HistoryEntry:
    """One operation of a session."""

    method: Literal["act", "extract", "observe", "navigate"]
    """What was called."""
    parameters: Any
    """With what; never holds a secret."""
    result: Any
    """What came of it; ``None`` when nothing did."""
    timestamp: str
    """When it ended: ISO 8601, UTC, milliseconds."""


def metrics_from(text: str) -> AutomatorMetrics:
    """The counters that the core tells."""
    return made(AutomatorMetrics, json.loads(text))


def history_from(text: str) -> tuple[HistoryEntry, ...]:
    """The entries that the core tells."""
    return tuple(made(HistoryEntry, entry) for entry in json.loads(text))
