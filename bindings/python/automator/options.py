"""Options as the core reads them: what they mean, and their defaults, is decided there."""

from __future__ import annotations

import dataclasses
import json
import numbers
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from automator.errors import AutomatorInvalidArgumentError
from automator.names import nearest, to_camel

Env: TypeAlias = Literal["LOCAL", "REMOTE"]
"""Where the browser runs."""

RemotePlatform: TypeAlias = Literal["automator", "hosted", "cdp"]
"""What a remote platform speaks."""

WaitUntil: TypeAlias = Literal["commit", "domcontentloaded", "load", "networkidle"]
"""How far a page must come."""

SelectorState: TypeAlias = Literal["attached", "detached", "visible", "hidden"]
"""What an element is waited to be."""

Button: TypeAlias = Literal["left", "right", "middle"]
"""A button of the mouse."""

Modifier: TypeAlias = Literal["Alt", "Control", "Meta", "Shift"]
"""A key that is held."""

Options: TypeAlias = Mapping[str, Any]
"""Options as a dict, in place of keyword arguments; its keys are their names."""


@dataclass(frozen=True)
class ViewportOptions:
    """The size of a page in CSS pixels."""

    width: int
    height: int


@dataclass(frozen=True)
class ProxyOptions:
    """A proxy."""

    server: str
    """Its address, such as ``http://proxy.example:3128``."""
    bypass: str | None = None
    """Hosts that are reached without it, joined by commas."""
    username: str | None = None
    """User name."""
    password: str | None = field(default=None, repr=False)
    """Password."""


@dataclass(frozen=True)
class LocalBrowserLaunchOptions:
    """How the local browser is started, or attached to."""

    headless: bool = True
    """Runs without a window."""
    executable_path: str | os.PathLike[str] | None = None
    """The browser's executable. Default: a Chromium that is found."""
    port: int | None = None
    """The port of the DevTools protocol. Default: a free one."""
    args: list[str] = field(default_factory=list)
    """Arguments that come after those of the library."""
    ignore_default_args: bool | list[str] = False
    """Which default arguments to leave out: ``True`` for all, or a list of exact arguments."""
    user_data_dir: str | os.PathLike[str] | None = None
    """The profile folder, made when it is missing and kept. Default: a temporary one."""
    preserve_user_data_dir: bool = False
    """Keeps a temporary profile."""
    viewport: ViewportOptions | Options | None = None
    """The size of every page. Default: 1288 × 711 CSS pixels."""
    device_scale_factor: float | None = None
    """Device pixels per CSS pixel. Default: the browser's own."""
    has_touch: bool = False
    """Whether pages see a touch screen."""
    devtools: bool = False
    """Opens DevTools for each tab."""
    proxy: ProxyOptions | Options | None = None
    """The proxy for all traffic. Default: none."""
    ignore_https_errors: bool = False
    """Accepts any certificate."""
    locale: str | None = None
    """The language of pages and requests, such as ``de-DE``. Default: the browser's own."""
    accept_downloads: bool = True
    """Whether downloads are saved."""
    downloads_path: str | os.PathLike[str] | None = None
    """Where downloads are saved. Default: a temporary folder that goes with the browser.

    For ``REMOTE``: where ``finished()`` brings them; by default to a temporary folder that goes with the session.
    """
    chromium_sandbox: bool | None = None
    """Whether Chromium's own sandbox is on. Default: on, unless it cannot be."""
    cdp_url: str | None = None
    """Attaches to a running browser: its WebSocket address, or the HTTP address of its port."""
    cdp_headers: dict[str, str] = field(default_factory=dict)
    """Headers for the requests to ``cdp_url``."""
    connect_timeout_ms: float | None = None
    """How long to wait for the browser, in milliseconds. Default: 15000 to attach, 30000 to start one."""


@dataclass(frozen=True)
class ModelConfiguration:
    """A model with its options. Options that only a provider knows are members of ``extra``."""

    model_name: str
    """The model, as ``provider/model``."""
    api_key: str | None = field(default=None, repr=False)
    """The provider's key. Default: the environment variable ``<PROVIDER>_API_KEY``."""
    base_url: str | None = None
    """The address of an endpoint of one's own."""
    context_window: int | None = None
    """How many tokens prompt and answer may have together, for models that are not known."""
    max_output_tokens: int | None = None
    """The output limit that is sent. Default: none is sent, except where the provider demands one."""
    temperature: float | None = None
    """The sampling temperature. Default: none is sent."""
    reasoning_effort: str | None = None
    """How much the model should think. Default: none is sent."""
    openai_endpoint_format: Literal["chat", "responses"] | None = None
    """Which of OpenAI's two interfaces is spoken. Default: ``responses`` for the provider ``openai``."""
    headers: dict[str, str] = field(default_factory=dict, repr=False)
    """Further HTTP headers."""
    extra: dict[str, Any] = field(default_factory=dict)
    """Options of the provider, under its own names."""


Model: TypeAlias = str | ModelConfiguration | Options
"""A model: ``provider/model``, or that with options."""


@dataclass(frozen=True)
class Variable:
    """A value for one ``%name%``, with what the model is told about it."""

    value: str | int | float | bool = field(repr=False)
    """What is typed. Only the page gets to see it."""
    description: str | None = None
    """What it is for."""


Variables: TypeAlias = Mapping[str, "str | int | float | bool | Variable | Options"]
"""Values for ``%name%`` by name."""


@dataclass(frozen=True)
class ElementPosition:
    """A point relative to the upper left corner of an element, in CSS pixels."""

    x: float
    y: float


@dataclass(frozen=True)
class Clip:
    """A rectangle of the viewport, in CSS pixels."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class DomainPolicy:
    """Which hosts documents may come from."""

    allowed_domains: list[str] | None = None
    """The only hosts that are allowed. Default: all."""
    blocked_domains: list[str] = field(default_factory=list)
    """Hosts that are not allowed."""
    all_requests: bool = False
    """Whether the only hosts that are allowed are so for every request, not for documents alone."""


# Options that have options of their own; the others go to the core as they are.
_NESTED: dict[str, type[Any]] = {
    "local_browser_launch_options": LocalBrowserLaunchOptions,
    "viewport": ViewportOptions,
    "proxy": ProxyOptions,
    "model": ModelConfiguration,
    "execution_model": ModelConfiguration,
    "model_client_options": ModelConfiguration,
    "position": ElementPosition,
    "from_": ElementPosition,
    "to": ElementPosition,
    "clip": Clip,
}


def options_text(members: Mapping[str, Any]) -> str:
    """Options as JSON, with the core's names; those that are ``None`` are left out, as if they were not given."""
    return json_text("options", _written("options", members))


def given_text(members: Mapping[str, Any]) -> str | None:
    """As `options_text`, and ``None`` where nothing is given."""
    written = _written("options", members)
    return json_text("options", written) if written else None


def object_text(what: str, given: object, kind: type[Any]) -> str:
    """An object that a call takes as a dict or as a dataclass of this kind, as JSON."""
    return json_text(what, _plain(what, given, kind))


def json_text(what: str, value: object) -> str:
    """Any value as JSON; what JSON cannot hold is refused, because it would go missing without a word."""

    def refuse(given: object) -> object:
        if isinstance(given, os.PathLike):
            return os.fspath(given)
        raise AutomatorInvalidArgumentError(f"{what} cannot hold {kind_of(given)}")

    try:
        return well_formed(json.dumps(value, default=refuse, allow_nan=False, ensure_ascii=False))
    except (ValueError, TypeError, RecursionError) as error:
        raise AutomatorInvalidArgumentError(f"{what} cannot be written as JSON: {error}") from error


def well_formed(text: str) -> str:
    """A text as UTF-8 can have it: halves of pairs of code units, which stand for no character, are replaced."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def kind_of(value: object) -> str:
    """A value in words, for errors."""
    if value is None or isinstance(value, (bool, int, float, str)):
        text = repr(value)
        return text if len(text) <= 60 else f"{text[:60]}…"
    name = type(value).__name__
    return f"an object of the class {name}"


def texts(what: str, given: str | Iterable[str] | None) -> list[str]:
    """A list of texts; one alone counts as a list, and ``None`` as an empty one."""
    if given is None:
        return []
    if isinstance(given, bytes) or not isinstance(given, Iterable):
        raise AutomatorInvalidArgumentError(f"{what} must be a text or a list of texts, not {kind_of(given)}")
    return [given] if isinstance(given, str) else list(given)


def whole_number(what: str, value: object) -> int:
    """A whole number that is not below zero, also one of NumPy."""
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        number = int(value)
        if 0 <= number < 2**32:
            return number
    raise AutomatorInvalidArgumentError(f"{what} must be a whole number that is not below zero, not {kind_of(value)}")


def milliseconds(what: str, value: float | None) -> float | None:
    """A time in milliseconds, or nothing."""
    if value is None:
        return None
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not is_number or not 0 <= value < 2**53:
        raise AutomatorInvalidArgumentError(
            f"{what} must be a number of milliseconds that is not below zero, not {kind_of(value)}"
        )
    return float(value)


def _written(what: str, members: Mapping[str, Any]) -> dict[str, Any]:
    given = {name: value for name, value in members.items() if value is not None}
    return {to_camel(name): _plain(f"{what}.{name}", value, _NESTED.get(name)) for name, value in given.items()}


def _plain(what: str, value: object, kind: type[Any] | None) -> object:
    """A value without classes of ours."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        if kind is not None and not isinstance(value, kind):
            raise TypeError(f"{what} must be of the class {kind.__name__}, or a dict, not {kind_of(value)}")
        members = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        extra = members.pop("extra", {})
        return {**_written(what, members), **extra}
    if isinstance(value, Mapping):
        if kind is None:
            return {str(key): _plain(f"{what}.{key}", member, None) for key, member in value.items()}
        return _named(what, value, kind)
    if isinstance(value, (list, tuple)):
        return [_plain(f"{what}[{index}]", member, None) for index, member in enumerate(value)]
    if value is None or isinstance(value, (str, bool, float, os.PathLike)):
        return value
    # Those of NumPy are numbers, too.
    if isinstance(value, numbers.Integral) and abs(int(value)) < 2**63:
        return int(value)
    if isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral):
        return float(value)
    raise AutomatorInvalidArgumentError(f"{what} cannot be {kind_of(value)}")


def _named(what: str, given: Mapping[str, Any], kind: type[Any]) -> dict[str, Any]:
    known = {field.name for field in dataclasses.fields(kind)}
    free = "extra" in known
    written: dict[str, Any] = {}
    for name, value in given.items():
        if name in known:
            written.update(_written(what, {name: value}))
        elif free:
            # Options of a provider, which only it knows.
            written[name] = _plain(f"{what}.{name}", value, None)
        else:
            raise TypeError(f"{what} has no member {name!r}; {nearest(name, known)}")
    return written
