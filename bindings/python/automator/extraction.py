"""What ``extract()`` gives."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from automator.answers import made
from automator.schema import Schema

T = TypeVar("T")


@dataclass(frozen=True)
class Extraction:
    """The answer of an extraction without a schema."""

    extraction: str
    """What was extracted."""
    cache_status: Literal["HIT", "MISS"] | None = None
    """Only on the remote platform."""


@dataclass(frozen=True)
class PageText:
    """The page as text."""

    page_text: str
    """An indented outline, one element or piece of text a line."""
    cache_status: Literal["HIT", "MISS"] | None = None
    """Only on the remote platform."""


@dataclass(frozen=True)
class Source:
    """One place on the page that a part of an answer stands on."""

    xpath: str
    """The absolute XPath of the element."""
    id: str | None = None
    """Its id in the page text, when it carries one."""


@dataclass(frozen=True)
class WithProvenance(Generic[T]):
    """A value, and where on the page it stands."""

    value: T
    """The value."""
    provenance: dict[str, list[Source]]
    """The places by JSON pointer, as ``/0/price``; a part that stands nowhere has an empty list."""


@dataclass(frozen=True)
class WithCacheStatus(Generic[T]):
    """A value, and whether the remote platform has answered from its cache."""

    value: T
    """The value."""
    cache_status: Literal["HIT", "MISS"] | None = None
    """Only on the remote platform, and not where its cache was kept out."""


# A result of the core, and its cache status as JSON.
Told = tuple[str, str | None]


def page_text_from(read: Told) -> PageText:
    """The page as the core tells it."""
    text, cache_status = read
    return PageText(text, _cache_status_from(cache_status))


def extraction_from(told: Told) -> Extraction:
    """The answer that the core tells."""
    text, cache_status = told
    return Extraction(extracted_text(text), _cache_status_from(cache_status))


def with_cache_status_from(told: Told, read: Callable[[str], T]) -> WithCacheStatus[T]:
    """What the core tells, with the value that is read from its text."""
    text, cache_status = told
    return WithCacheStatus(read(text), _cache_status_from(cache_status))


def extracted_text(text: str) -> str:
    """The answer without a schema."""
    extraction: str = json.loads(text)["extraction"]
    return extraction


def _cache_status_from(text: str | None) -> Literal["HIT", "MISS"] | None:
    status: Literal["HIT", "MISS"] | None = None if text is None else json.loads(text)
    return status


def with_provenance_from(text: str, schema: Schema | None) -> WithProvenance[Any]:
    """Value and places that the core tells."""
    told = json.loads(text)
    value = told["value"] if schema is None else schema.validated(json.dumps(told["value"]))
    places = {pointer: [made(Source, source) for source in sources] for pointer, sources in told["provenance"].items()}
    return WithProvenance(value, places)
