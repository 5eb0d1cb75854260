"""Names, defaults and errors are written by hand; here they are held against what the core reads and tells."""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
import typing
from pathlib import Path
from typing import Any

import pytest
from rig import ROOT, interface

import automator
from automator import errors, names
from automator.asynchronous.context import AsyncContext
from automator.asynchronous.locator import AsyncLocator
from automator.asynchronous.page import AsyncPage

CALLS = interface("page-call-options")

# What only this language has: pages go by handle, functions by callback.
OWN = {
    "AutomatorOptions": {"llm_client", "logger"},
    "ActOptions": {"page"},
    "ObserveOptions": {"page"},
    "ExtractOptions": {"page"},
    "AgentConfig": {"tools"},
    "AgentExecuteOptions": {"page", "signal", "callbacks", "confirm"},
}

# Where the options of each schema are taken.
TAKEN: list[tuple[str, Any, list[Any]]] = [
    ("AutomatorOptions", interface("options"), [automator.AsyncAutomator]),
    ("ActOptions", interface("act-options"), [automator.AsyncAutomator.act]),
    (
        "ObserveOptions",
        interface("observe-options"),
        [automator.AsyncAutomator.observe, automator.AsyncAutomator.observe_with_cache_status],
    ),
    (
        "ExtractOptions",
        interface("extract-options"),
        [
            automator.AsyncAutomator.extract,
            automator.AsyncAutomator.extract_with_cache_status,
            automator.AsyncAutomator.extract_with_provenance,
        ],
    ),
    ("AgentConfig", interface("agent-config"), [automator.AsyncAutomator.agent]),
    (
        "AgentExecuteOptions",
        interface("agent-execute-options"),
        [automator.AsyncAgent.execute, automator.AsyncStreamingAgent.execute],
    ),
    ("PageExtractOptions", interface("page-extract-options"), [AsyncPage.extract]),
    ("SnapshotOptions", interface("snapshot-options"), [AsyncPage.snapshot]),
    ("CloseOptions", CALLS["CloseOptions"], [automator.AsyncAutomator.close]),
    ("GotoOptions", CALLS["GotoOptions"], [AsyncPage.goto, AsyncPage.go_back, AsyncPage.go_forward]),
    ("ReloadOptions", CALLS["ReloadOptions"], [AsyncPage.reload]),
    ("SelectorWaitOptions", CALLS["SelectorWaitOptions"], [AsyncPage.wait_for_selector, AsyncLocator.wait_for]),
    ("ScreenshotOptions", CALLS["ScreenshotOptions"], [AsyncPage.screenshot]),
    ("ViewportSizeOptions", CALLS["ViewportSizeOptions"], [AsyncPage.set_viewport_size]),
    ("ClickOptions", CALLS["ClickOptions"], [AsyncPage.click]),
    ("PointOptions", CALLS["PointOptions"], [AsyncPage.hover, AsyncPage.tap, AsyncPage.scroll]),
    ("DragOptions", CALLS["DragOptions"], [AsyncPage.drag_and_drop]),
    ("TypingOptions", CALLS["TypingOptions"], [AsyncPage.type]),
    ("KeyPressOptions", CALLS["KeyPressOptions"], [AsyncPage.key_press]),
    ("ElementClickOptions", CALLS["ElementClickOptions"], [AsyncLocator.click]),
    ("PointerOptions", CALLS["PointerOptions"], [AsyncLocator.hover]),
    ("FillOptions", CALLS["FillOptions"], [AsyncLocator.fill]),
    ("ElementTypeOptions", CALLS["ElementTypeOptions"], [AsyncLocator.type]),
    ("ElementDragOptions", CALLS["ElementDragOptions"], [AsyncLocator.drag_to]),
    ("SendClickOptions", CALLS["SendClickOptions"], [AsyncLocator.send_click_event]),
    ("HighlightOptions", CALLS["HighlightOptions"], [AsyncLocator.highlight]),
    ("InitScript", CALLS["InitScript"], [AsyncPage.add_init_script, AsyncContext.add_init_script]),
    ("CookieFilter", CALLS["CookieFilter"], [AsyncContext.clear_cookies]),
]

DATACLASSES: list[tuple[Any, Any]] = [
    (automator.LocalBrowserLaunchOptions, interface("options")["$defs"]["LocalBrowserLaunchOptions"]),
    (automator.ViewportOptions, interface("options")["$defs"]["ViewportOptions"]),
    (automator.ProxyOptions, interface("options")["$defs"]["ProxyOptions"]),
    (automator.NewCookie, CALLS["NewCookie"]),
    (automator.DomainPolicy, CALLS["DomainPolicy"]),
    (automator.ElementPosition, CALLS["ElementClickOptions"]["$defs"]["PositionForm"]),
    (automator.Clip, CALLS["ScreenshotOptions"]["$defs"]["ClipForm"]),
]


def properties(value: Any) -> set[str]:
    """The names of all options in a schema."""
    found: set[str] = set()
    if isinstance(value, dict):
        found |= set(value.get("properties", {})) if isinstance(value.get("properties"), dict) else set()
        for member in value.values():
            found |= properties(member)
    elif isinstance(value, list):
        for item in value:
            found |= properties(item)
    return found


def snake(name: str) -> str:
    return "from_" if name == "from" else names.to_snake(name)


def test_every_option_of_the_interface_has_its_name_by_rule() -> None:
    files = [
        "agent-config",
        "agent-execute-options",
        "options",
        "act-options",
        "observe-options",
        "extract-options",
        "page-extract-options",
        "snapshot-options",
    ]
    known = properties([interface(name) for name in files] + [CALLS])
    assert len(known) > 80
    for name in known:
        assert names.to_camel(snake(name)) == name


def test_messages_of_the_core_have_the_names_of_python() -> None:
    for told, expected in {
        "options.domSettleTimeout from 1 to 5": "options.dom_settle_timeout from 1 to 5",
        "options.cdpUrl, options.ignoreHTTPSErrors": "options.cdp_url, options.ignore_https_errors",
        "set apiKey, or give a baseURL": "set api_key, or give a base_url",
        "options.variables.userName, `modelName`, /apiKey": "options.variables.userName, `modelName`, /apiKey",
        "remoteSessionID must not be empty": "remote_session_id must not be empty",
        "give it more time (connectTimeoutMs)": "give it more time (connect_timeout_ms)",
        "cdpUrl takes a ws:// address": "cdp_url takes a ws:// address",
        "model.apiKey must not be empty": "model.api_key must not be empty",
        "`sameSite: None` needs `secure: true`": "`same_site: None` needs `secure: true`",
        'did you mean "timeoutMs"?': 'did you mean "timeout_ms"?',
        "localBrowserLaunchOptions.proxy.server": "local_browser_launch_options.proxy.server",
        # Its members are the platform's.
        "remoteSessionCreateParams.browserSettings.blockAds": "remote_session_create_params.browserSettings.blockAds",
        'no button "remoteSessionID" at #cdpUrl': 'no button "remoteSessionID" at #cdpUrl',
    }.items():
        assert names.in_snake(told) == expected


def test_every_option_that_has_another_name_is_known_to_messages() -> None:
    files = sorted((ROOT / "interface").glob("*.json"))
    schemas = [json.loads(file.read_text()) for file in files if file.name != "errors.json"]
    known = {name for name in properties(schemas) if name != name.lower()}
    assert len(known) > 50
    assert known - set(names.OPTIONS.split("|")) == set()


def test_what_the_core_says_anywhere_names_options_as_python_does() -> None:
    # A text with a space in it that names an option, in sources without their tests.
    text = re.compile(r'"((?:[^"\\\n]|\\.|\\\n)*)"')
    named = re.compile(rf"\b(?:{names.OPTIONS})\b")
    crates = [ROOT / "crates" / name / "src" for name in ("automator", "automator-browser", "automator-llm")]
    sources = [path for crate in crates for path in crate.rglob("*.rs") if path.stem != "tests"]
    told = [said for path in sources for said in text.findall(path.read_text()) if named.search(said) and " " in said]
    assert len(told) > 30
    for said in told:
        assert not named.search(names.in_snake(said)), said


@pytest.mark.parametrize(
    ("name", "message", "hint", "expected"),
    [
        (
            "RemoteSessionNotFoundError",
            "the session is not there",
            "leave remoteSessionID out to create a session",
            "leave remote_session_id out to create a session",
        ),
        ("AutomatorInitError", "nothing is there", "name it with executablePath", "name it with executable_path"),
        ("ConnectionTimeoutError", "too slow", "more time (connectTimeoutMs)", "more time (connect_timeout_ms)"),
        ("AutomatorEnvironmentError", "refused", "check apiKey or REMOTE_API_KEY", "check api_key or REMOTE_API_KEY"),
        ("LLMResponseError", "the model says cdpUrl is", "give a baseURL", "the model says cdpUrl is"),
        ("LLMResponseError", "the model says cdpUrl is", "give a baseURL", "give a base_url"),
    ],
)
def test_hints_of_all_errors_name_options_as_python_does(name: str, message: str, hint: str, expected: str) -> None:
    error = errors.made(name, message, None, hint, {}, [])
    assert expected in f"{error} ({error.hint})"


def test_every_schema_of_the_interface_is_compared() -> None:
    compared = {name for name, _, _ in TAKEN} | {kind.__name__ for kind, _ in DATACLASSES}
    assert set(CALLS) <= compared


def told_default(schema: Any, told: Any) -> Any:
    """What the interface says of a default; `inspect.Parameter.empty` when it says nothing."""
    if "default" in told:
        default = told["default"]
        if isinstance(default, dict) and set(default) == {"secs", "nanos"}:
            return default["secs"] * 1000 + default["nanos"] / 1e6
        return default
    if "$ref" in told:
        # The default of a kind of its own is told in words alone.
        words = re.search(r"Default: `(\w+)`", told["description"])
        if words:
            return words[1]
    return inspect.Parameter.empty


def same(default: Any, told: Any) -> bool:
    if told is inspect.Parameter.empty:
        # Required options, empty lists, and options of options that are none.
        return default is inspect.Parameter.empty or default in (None, (), False) or default == []
    if isinstance(told, list):
        return list(default) == told
    if told == {}:
        return default in (None, {})
    return bool(default == told) and isinstance(default, bool) == isinstance(told, bool)


@pytest.mark.parametrize(("name", "schema", "takers"), TAKEN, ids=[name for name, _, _ in TAKEN])
def test_options_have_the_names_and_defaults_that_the_core_reads(name: str, schema: Any, takers: list[Any]) -> None:
    known = {snake(told): told for told in schema["properties"]}
    for taker in takers:
        parameters = {
            given: parameter
            for given, parameter in inspect.signature(taker).parameters.items()
            if parameter.kind is inspect.Parameter.KEYWORD_ONLY or given in known
        }
        assert set(parameters) == set(known) | OWN.get(name, set()), taker.__qualname__
        for given, told in known.items():
            default = parameters[given].default
            expected = told_default(schema, schema["properties"][told])
            assert same(default, expected), f"{taker.__qualname__}({given}={default!r}), the core has {expected!r}"
            is_required = told in schema.get("required", [])
            assert (default is inspect.Parameter.empty) == is_required, given


@pytest.mark.parametrize(("kind", "schema"), DATACLASSES, ids=[kind.__name__ for kind, _ in DATACLASSES])
def test_dataclasses_have_the_names_and_defaults_that_the_core_reads(kind: Any, schema: Any) -> None:
    fields = {field.name: field for field in dataclasses.fields(kind)}
    assert set(fields) == {snake(told) for told in schema["properties"]}
    for told, described in schema["properties"].items():
        field = fields[snake(told)]
        default: Any = inspect.Parameter.empty
        if field.default is not dataclasses.MISSING:
            default = field.default
        elif field.default_factory is not dataclasses.MISSING:
            default = field.default_factory()
        assert same(default, told_default(schema, described)), f"{kind.__name__}.{field.name}"
        assert (default is inspect.Parameter.empty) == (told in schema.get("required", [])), field.name


def test_every_documented_error_is_a_class_below_the_one_it_extends() -> None:
    listed = interface("errors")
    for told in listed:
        kind = getattr(automator, told["name"])
        assert kind.__bases__[0] is getattr(automator, told["extends"]), told["name"]
        error = kind("what", operation="extract", hint="try", context={"selector": "main"})
        assert isinstance(error, automator.AutomatorError)
        assert (error.code, error.operation, error.hint, error.context) == (
            told["name"],
            "extract",
            "try",
            {"selector": "main"},
        )
        assert str(error) == "what"
        assert kind().hint is None
        # What the native half tells becomes the same class.
        made = errors.made(told["name"], "what", "act", None, {}, ["outer", "inner"])
        assert type(made) is kind
        assert (str(made.__cause__), str(made.__cause__.__cause__)) == ("outer", "inner")  # type: ignore[union-attr]
    known = {name for name, kind in vars(errors).items() if inspect.isclass(kind) and name.endswith("Error")}
    assert known == {told["name"] for told in listed} | {"AutomatorError"}
    # `from automator import *` leaves the built-in error of this name in its place.
    assert known - {"TimeoutError"} <= set(automator.__all__)


def public(cls: Any) -> dict[str, Any]:
    return {name: member for name, member in vars(cls).items() if not name.startswith("_") or name == "__init__"}


def faces() -> list[tuple[Any, Any]]:
    awaited = [name for name in automator.__all__ if name.startswith("Async")]
    assert len(awaited) > 10
    return [(getattr(automator, name), getattr(automator, name.removeprefix("Async"))) for name in awaited]


@pytest.mark.parametrize(("awaited", "waiting"), faces(), ids=lambda cls: cls.__name__)
def test_the_two_faces_have_the_same_signatures(awaited: Any, waiting: Any) -> None:
    assert list(public(awaited)) == list(public(waiting))
    for name, member in public(awaited).items():
        other = public(waiting)[name]
        if isinstance(member, property):
            assert isinstance(other, property)
            continue
        if not inspect.isfunction(member):
            continue
        one, two = inspect.signature(member), inspect.signature(other)
        described = [
            (parameter.name, parameter.kind, parameter.default, str(parameter.annotation).replace("Async", ""))
            for parameter in one.parameters.values()
        ]
        assert described == [
            (parameter.name, parameter.kind, parameter.default, str(parameter.annotation))
            for parameter in two.parameters.values()
        ], name
        assert str(one.return_annotation).replace("Async", "") == str(two.return_annotation), name
        assert not inspect.iscoroutinefunction(other), name


def everything() -> list[Any]:
    items = [getattr(automator, name) for name in automator.__all__]
    # Names of types, such as `Model`, are told of in the source.
    return [item for item in items if inspect.isclass(item) and typing.get_origin(item) is None]


def test_every_public_item_says_what_it_is() -> None:
    for item in everything():
        assert item.__doc__, item
        for name, member in public(item).items():
            if inspect.isfunction(member) or isinstance(member, property):
                is_made = dataclasses.is_dataclass(item) or item.__module__ == errors.__name__
                is_inner = name == "__init__" and item.__name__.removeprefix("Async") != "Automator"
                assert is_made or is_inner or inspect.getdoc(member), f"{item.__name__}.{name}"


def test_every_exported_name_is_there_and_typed() -> None:
    assert len(set(automator.__all__)) == len(automator.__all__)
    for cls, _ in faces():
        for name, member in public(cls).items():
            if inspect.isfunction(member) and name != "__init__":
                assert inspect.signature(member).return_annotation is not inspect.Signature.empty, name
    assert typing.get_args(automator.WaitUntil) == tuple(CALLS["GotoOptions"]["$defs"]["WaitUntilName"]["enum"])


def test_every_method_is_called_by_a_test() -> None:
    sources = "\n".join(path.read_text() for path in Path(__file__).parent.glob("test_*.py"))
    for cls, _ in faces():
        for name in public(cls):
            assert name == "__init__" or re.search(rf"\.{name}\b", sources), f"{cls.__name__}.{name}"
