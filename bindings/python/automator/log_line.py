"""Lines of the log: to the ``logging`` module, and to a function of the user's."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from automator.answers import made

LOGGER = logging.getLogger("automator")
# Programs that have not set up logging get errors as exceptions, and nothing on their output.
LOGGER.addHandler(logging.NullHandler())

_LEVELS = {0: logging.ERROR, 1: logging.INFO, 2: logging.DEBUG}


@dataclass(frozen=True)
class Auxiliary:
    """A detail of a log line."""

    value: str
    """The detail as text."""
    type: Literal["object", "string", "html", "integer", "float", "boolean"]
    """What the text is."""


@dataclass(frozen=True)
class LogLine:
    """One line of the log."""

    category: str
    """The part of the library that speaks: ``init``, ``page``, ``action``, ``extraction``, ``llm``, …"""
    message: str
    """What it says."""
    level: Literal[0, 1, 2]
    """From which ``verbose`` on it is said."""
    timestamp: str
    """When: ISO 8601, UTC, milliseconds."""
    auxiliary: dict[str, Auxiliary]
    """Details by name."""


def line_from(text: str) -> LogLine:
    """The line that the core tells."""
    members: dict[str, Any] = json.loads(text)
    members["auxiliary"] = {name: made(Auxiliary, told) for name, told in members["auxiliary"].items()}
    return made(LogLine, members)


def log_receiver(has_backend: bool, deliver: Callable[[LogLine], None] | None) -> Callable[[str], None] | None:
    """What the native half calls with each line, in whatever thread it is in."""
    if not has_backend and deliver is None:
        return None

    def receive(text: str) -> None:
        line = line_from(text)
        try:
            if has_backend:
                log(line)
        finally:
            if deliver is not None:
                deliver(line)

    return receive


def log(line: LogLine) -> None:
    """Hands a line to the ``logging`` module: level 0 as an error, 1 as information, 2 for debugging."""
    level = _LEVELS.get(line.level, logging.INFO)
    if LOGGER.isEnabledFor(level):
        details = {name: detail.value for name, detail in line.auxiliary.items()}
        words = " ".join(f"{name}={value}" for name, value in details.items())
        extra = {"automator_category": line.category, "automator_details": details}
        LOGGER.log(level, "%s: %s%s", line.category, line.message, f" ({words})" if words else "", extra=extra)
