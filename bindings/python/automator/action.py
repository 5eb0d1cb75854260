"""What can be done to an element, and what came of doing it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from automator.answers import made
from automator.options import kind_of, object_text


@dataclass(frozen=True)
class Action:
    """One thing to do: ``observe()`` gives these, ``act()`` takes them back, without a model."""

    selector: str
    """The element: an absolute XPath with ``xpath=`` when the library made it; any selector otherwise."""
    description: str = ""
    """The element in words; what a new search for it goes by when it is gone."""
    method: str | None = None
    """What to do: ``click``, ``fill``, ``press``, …"""
    arguments: list[str] = field(default_factory=list)
    """What the method needs: the text of ``fill``, the key of ``press``, … May hold ``%name%``."""


@dataclass(frozen=True)
class ActResult:
    """What came of ``act()``."""

    success: bool
    """Whether the page shows the effect."""
    message: str
    """What was done, or why not."""
    action_description: str
    """The element of the first action in words; the instruction when there was none."""
    actions: list[Action]
    """What was done, as ``act()`` takes it back."""
    cache_status: Literal["HIT", "MISS"] | None = None
    """Only on the remote platform."""


def actions_from(text: str) -> list[Action]:
    """The actions that the core tells."""
    return [made(Action, members) for members in json.loads(text)]


def result_from(text: str) -> ActResult:
    """The result that the core tells."""
    members: dict[str, Any] = json.loads(text)
    members["actions"] = [made(Action, action) for action in members["actions"]]
    return made(ActResult, members)


def act_input(given: str | Action | Mapping[str, Any]) -> tuple[str | None, str | None]:
    """An instruction, or an action as JSON."""
    if isinstance(given, str):
        return given, None
    if isinstance(given, Mapping) and "selector" not in given:
        name = next((name for name in ("action", "instruction") if name in given), None)
        if name is not None:
            raise TypeError(f'act() takes the instruction as a text of its own, not as {name!r}: act("…", …)')
    if isinstance(given, (Action, Mapping)):
        return None, object_text("action", given, Action)
    raise TypeError(f"act() takes an instruction or an Action, not {kind_of(given)}")
