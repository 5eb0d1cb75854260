"""Plain things that pages tell of: boxes, snapshots, errors, dialogs, and how a response came."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from automator.answers import made


class Point(NamedTuple):
    """A point of the viewport, in CSS pixels."""

    x: float
    y: float


@dataclass(frozen=True)
class BoundingBox:
    """A rectangle in the page's viewport, in CSS pixels."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Snapshot:
    """The page as text with ids, and what belongs to them."""

    formatted_tree: str
    """An indented outline, one element or piece of text a line."""
    xpath_map: dict[str, str]
    """The absolute XPath of each id."""
    url_map: dict[str, str]
    """The address that each id leads to."""


@dataclass(frozen=True)
class ScriptLocation:
    """Where in a script."""

    url: str
    line_number: int
    """Counted from 0."""
    column_number: int
    """Counted from 0."""


@dataclass(frozen=True)
class ConsoleArgument:
    """An argument of a line of a console."""

    value: Any
    """The value; of an object only what a glance shows."""
    object_id: str | None
    """The id for DevTools commands that take an ``objectId``; ``None`` for plain values."""


@dataclass(frozen=True)
class PageError:
    """Something that a script of a page has thrown and nobody caught."""

    message: str
    stack: str | None
    location: ScriptLocation
    timestamp: float
    """When, in milliseconds since 1970."""


DialogType: TypeAlias = Literal["alert", "confirm", "prompt", "beforeunload"]
"""The kinds of dialogs."""


@dataclass(frozen=True)
class ReportedDialog:
    """A dialog that has been answered, by a listener or not."""

    type: DialogType
    message: str
    """What it says."""
    default_value: str | None
    """What a prompt offers as an answer."""
    url: str
    """The address of the frame that opened it."""
    accepted: bool
    """Whether it was accepted, and not dismissed."""
    answer: str | None
    """The text that a prompt was answered with."""
    page_id: str
    """The target id of the page that opened it."""


@dataclass(frozen=True)
class SecurityDetails:
    """How a connection was secured."""

    protocol: str
    subject_name: str
    issuer: str
    valid_from: float
    """From when on the certificate holds, in seconds since 1970."""
    valid_to: float
    """How long it holds, in seconds since 1970."""


@dataclass(frozen=True)
class ServerAddress:
    """Which server answered."""

    ip_address: str
    port: int


@dataclass(frozen=True)
class Header:
    """A header, its name as the server wrote it."""

    name: str
    value: str


def snapshot_from(told: tuple[str, str]) -> Snapshot:
    """The snapshot that the core tells."""
    text, maps = told
    return made(Snapshot, {"formattedTree": text, **json.loads(maps)})


def box_from(text: str) -> BoundingBox | None:
    """The box that the core tells."""
    members = json.loads(text)
    return None if members is None else made(BoundingBox, members)


def dialogs_from(text: str) -> list[ReportedDialog]:
    """The dialogs that the core tells."""
    return [made(ReportedDialog, members) for members in json.loads(text)]


def error_from(text: str) -> PageError:
    """The error of a page that the core tells."""
    members = json.loads(text)
    members["location"] = made(ScriptLocation, members["location"])
    return made(PageError, members)
