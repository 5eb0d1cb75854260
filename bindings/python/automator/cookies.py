"""Cookies of the browser."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from automator.answers import made
from automator.options import Options, json_text, kind_of, object_text

SameSite: TypeAlias = Literal["Strict", "Lax", "None"]
"""With which requests from other sites a cookie goes out."""


@dataclass(frozen=True)
class Cookie:
    """A cookie as the browser keeps it."""

    name: str
    value: str
    domain: str
    """The host that gets it; with a dot in front, also the hosts below."""
    path: str
    expires: float
    """When it ends, in seconds since 1970; -1 when it ends with the browser."""
    http_only: bool
    secure: bool
    same_site: SameSite


@dataclass(frozen=True)
class NewCookie:
    """A cookie to set: for a ``url``, or for a ``domain`` and a ``path``."""

    name: str
    value: str
    url: str | None = None
    """The address that it is for, in place of ``domain`` and ``path``."""
    domain: str | None = None
    path: str | None = None
    expires: float | None = None
    """When it ends, in seconds since 1970. Default, and -1: with the browser."""
    http_only: bool = False
    secure: bool | None = None
    """Whether it goes out over secure connections only. Default: whether ``url`` is ``https:``."""
    same_site: SameSite | None = None
    """Default: the browser's, which is ``Lax``."""


def cookies_from(text: str) -> list[Cookie]:
    """The cookies that the core tells."""
    return [made(Cookie, members) for members in json.loads(text)]


def cookies_text(cookies: Iterable[NewCookie | Cookie | Options]) -> str:
    """Cookies to set, as JSON; those that the browser had can be set again."""
    if isinstance(cookies, (str, Mapping)) or not isinstance(cookies, Iterable):
        raise TypeError(f"add_cookies() takes a list of cookies, not {kind_of(cookies)}")
    return f"[{', '.join(object_text('cookie', _new(cookie), NewCookie) for cookie in cookies)}]"


def _new(cookie: NewCookie | Cookie | Options) -> NewCookie | Options:
    return vars(cookie) if isinstance(cookie, Cookie) else cookie


def filter_text(members: Mapping[str, str | re.Pattern[str] | None]) -> str | None:
    """Which cookies, as JSON; nothing for all."""
    given = {name: _text_filter(value) for name, value in members.items() if value is not None}
    return json_text("filter", given) if given else None


def _text_filter(value: str | re.Pattern[str]) -> Any:
    if isinstance(value, str):
        return value
    if not isinstance(value, re.Pattern):
        raise TypeError(f"a filter must be a text or a compiled regular expression, not {kind_of(value)}")
    if value.flags & re.ASCII:
        raise TypeError("a filter cannot have the flag re.ASCII; write its classes out, as [0-9] for \\d")
    letters = ((re.I, "i"), (re.M, "m"), (re.S, "s"), (re.X, "x"))
    flags = "".join(letter for flag, letter in letters if value.flags & flag)
    return {"pattern": f"(?{flags}){value.pattern}" if flags else value.pattern}
