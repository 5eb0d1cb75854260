"""Options: as keywords or dicts, of calls and of options, and what is said of those that nobody knows."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rig import Rig, done

import automator
from automator import (
    Action,
    AutomatorEnvironmentError,
    AutomatorInvalidArgumentError,
    InvalidAISDKModelFormatError,
    LocalBrowserLaunchOptions,
    ModelConfiguration,
    ProxyOptions,
    ViewportOptions,
)
from automator.options import options_text

# Every call with options, given one that is misspelt, and what is meant.
MISSPELT: dict[str, tuple[Callable[[Rig], Any], str]] = {
    "session": (lambda rig: rig.face("LOCAL", cache_dirs="x"), "cache_dir"),
    "session.dict": (lambda rig: rig.face({"env": "LOCAL", "selfHeals": True}), "self_heal"),
    "session.launch": (
        lambda rig: rig.face("LOCAL", local_browser_launch_options={"headles": True}),
        "headless",
    ),
    "session.camel": (
        lambda rig: rig.face("LOCAL", local_browser_launch_options={"ignoreHTTPSErrors": True}),
        "ignore_https_errors",
    ),
    "session.viewport": (
        lambda rig: rig.face(
            "LOCAL", local_browser_launch_options={"viewport": {"width": 1, "height": 1, "widths": 1}}
        ),
        "width",
    ),
    "session.proxy": (
        lambda rig: rig.face("LOCAL", local_browser_launch_options={"proxy": {"server": "x", "usernames": "y"}}),
        "username",
    ),
    "session.close": (lambda rig: rig.session.close(forced=True), "force"),
    "session.act": (lambda rig: rig.session.act("press", timeout_ms=5), "timeout"),
    "session.act.action": (
        lambda rig: rig.session.act({"selector": "body", "method": "click", "argument": ["x"]}),
        "arguments",
    ),
    "session.observe": (lambda rig: rig.session.observe("buttons", selectors="main"), "selector"),
    "session.extract": (lambda rig: rig.session.extract(screen_shot=True), "screenshot"),
    "session.extract.dict": (lambda rig: rig.session.extract({"selectr": "main"}), "selector"),
    "session.extract.schema": (lambda rig: rig.session.extract("name", str, ignore_selector=[]), "ignore_selectors"),
    "session.page_text": (lambda rig: rig.session.page_text(time_out=5), "timeout"),
    "session.extract_with_provenance": (
        lambda rig: rig.session.extract_with_provenance("the name", serverCache=True),
        "server_cache",
    ),
    "session.extract_with_cache_status": (
        lambda rig: rig.session.extract_with_cache_status("the name", str, {"server_cash": False}),
        "server_cache",
    ),
    "session.observe_with_cache_status": (
        lambda rig: rig.session.observe_with_cache_status({"selectr": "main"}),
        "selector",
    ),
    "session.agent": (lambda rig: rig.session.agent(execute_model="a/b"), "execution_model"),
    "agent.execute": (lambda rig: rig.session.agent().execute("go", max_step=1), "max_steps"),
    "page.act": (lambda rig: rig.page.act("press", variable={}), "variables"),
    "page.observe": (lambda rig: rig.page.observe("buttons", ignore_selector=[]), "ignore_selectors"),
    "page.extract": (lambda rig: rig.page.extract(instruction="x", modelname="a/b"), "model_name"),
    "page.goto": (lambda rig: rig.page.goto("about:blank", timeout=5), "timeout_ms"),
    "page.reload": (lambda rig: rig.page.reload(ignore_caches=True), "ignore_cache"),
    "page.go_back": (lambda rig: rig.page.go_back(waituntil="load"), "wait_until"),
    "page.go_forward": (lambda rig: rig.page.go_forward({"waitUntil": "load"}), "wait_until"),
    "page.wait_for_selector": (lambda rig: rig.page.wait_for_selector("body", timeout_ms=5), "timeout"),
    "page.screenshot": (lambda rig: rig.page.screenshot(fullpage=True), "full_page"),
    "page.screenshot.clip": (lambda rig: rig.page.screenshot(clip={"heights": 1}), "height"),
    "page.set_viewport_size": (
        lambda rig: rig.page.set_viewport_size(10, 10, device_scal_factor=1),
        "device_scale_factor",
    ),
    "page.snapshot": (lambda rig: rig.page.snapshot(include_iframe=True), "include_iframes"),
    "page.click": (lambda rig: rig.page.click(1, 1, return_x_path=True), "return_xpath"),
    "page.hover": (lambda rig: rig.page.hover(1, 1, modifier=[]), "modifiers"),
    "page.tap": (lambda rig: rig.page.tap(1, 1, modifier=[]), "modifiers"),
    "page.scroll": (lambda rig: rig.page.scroll(1, 1, 0, 1, modifier=[]), "modifiers"),
    "page.drag_and_drop": (lambda rig: rig.page.drag_and_drop(1, 1, 2, 2, step=1), "steps"),
    "page.type": (lambda rig: rig.page.type("x", with_mistake=True), "with_mistakes"),
    "page.key_press": (lambda rig: rig.page.key_press("a", delays=1), "delay"),
    "page.add_init_script": (lambda rig: rig.page.add_init_script(contents="1"), "content"),
    "context.add_init_script": (lambda rig: rig.session.context.add_init_script(pth="x"), "path"),
    "context.add_cookies": (
        lambda rig: rig.session.context.add_cookies([{"name": "a", "value": "b", "httponly": True}]),
        "http_only",
    ),
    "context.clear_cookies": (lambda rig: rig.session.context.clear_cookies(domains="a"), "domain"),
    "context.set_domain_policy": (
        lambda rig: rig.session.context.set_domain_policy({"allow_domains": []}),
        "allowed_domains",
    ),
    "locator.click": (lambda rig: rig.page.locator("body").click(clickcount=2), "click_count"),
    "locator.hover": (lambda rig: rig.page.locator("body").hover(timeout_ms=5), "timeout"),
    "locator.fill": (lambda rig: rig.page.locator("body").fill("x", timeout_ms=5), "timeout"),
    "locator.type": (lambda rig: rig.page.locator("body").type("x", delays=5), "delay"),
    "locator.drag_to": (lambda rig: rig.page.locator("body").drag_to(rig.page.locator("body"), step=5), "steps"),
    "locator.send_click_event": (lambda rig: rig.page.locator("body").send_click_event(bubble=True), "bubbles"),
    "locator.highlight": (lambda rig: rig.page.locator("body").highlight(duration=5), "duration_ms"),
    "locator.wait_for": (lambda rig: rig.page.locator("body").wait_for(timeout_ms=5), "timeout"),
}


@pytest.mark.parametrize("call", list(MISSPELT))
async def test_an_option_that_nobody_knows_is_refused_and_the_nearest_named(rig: Rig, call: str) -> None:
    misspelt, meant = MISSPELT[call]
    with pytest.raises(TypeError, match=f"did you mean '{meant}'"):
        await done(misspelt(rig))


async def test_options_of_the_wrong_kind_are_refused_by_what_they_are(rig: Rig) -> None:
    calls: list[Callable[[], Any]] = [
        lambda: rig.session.close("now"),
        lambda: rig.session.act("press", 5),
        lambda: rig.session.observe("buttons", ["main"]),
        lambda: rig.session.extract("the name", str, "main"),
        lambda: rig.page.goto("about:blank", "load"),
        lambda: rig.page.locator("body").fill("x", 5),
    ]
    for call in calls:
        with pytest.raises(TypeError, match="options must be a dict, not"):
            await done(call())


async def test_what_the_caller_has_written_stays_as_it_is_in_errors(rig: Rig) -> None:
    def told(error: BaseException) -> str:
        return str(error)

    with pytest.raises(AutomatorInvalidArgumentError) as raised:
        await done(rig.page.goto("modelName"))
    assert "`modelName`" in told(raised.value)
    with pytest.raises(AutomatorInvalidArgumentError) as raised:
        await done(rig.page.locator("input").set_input_files("/nowhere/apiKey/waitUntil.txt"))
    assert "/nowhere/apiKey/waitUntil.txt" in told(raised.value)
    with pytest.raises(AutomatorInvalidArgumentError) as raised:
        await done(rig.session.act("type it", variables={"userName": {"text": "x"}}))
    assert "options.variables.userName" in told(raised.value)


async def test_numbers_of_numpy_are_numbers(rig: Rig) -> None:
    numpy = pytest.importorskip("numpy")
    await rig.open("<p>one<p>two<input id=field>")
    await done(rig.page.wait_for_timeout(numpy.int64(1)))
    assert await done(rig.page.locator("p").nth(numpy.int64(1)).text_content()) == "two"
    await done(rig.page.locator("p").nth(0).click(timeout=numpy.float32(900)))
    await done(
        rig.session.act({"selector": "#field", "method": "fill", "arguments": ["%n%"]}, variables={"n": numpy.int64(4)})
    )
    assert await done(rig.page.locator("#field").input_value()) == "4"


async def test_values_that_are_none_are_refused_by_name(rig: Rig) -> None:
    calls: dict[str, Callable[[], Any]] = {
        r"options\.timeout": lambda: rig.session.extract(timeout=10**400),
        "ignore_selectors": lambda: rig.session.extract(ignore_selectors=b"h1"),
        r"options\.variables\.p": lambda: rig.session.act("x", variables={"p": b"x"}),
        "the width": lambda: rig.page.set_viewport_size(-1, 5),
        "the number": lambda: rig.page.locator("p").nth(2**70),
        "the options": lambda: rig.page.locator("p").select_option(3),
        "the urls": lambda: rig.session.context.cookies(5),
        "the schema": lambda: rig.session.extract("x", automator.ElementPosition(1, 2)),
    }
    for name, call in calls.items():
        with pytest.raises(AutomatorInvalidArgumentError, match=name):
            await done(call())
    for call in (lambda: rig.page.locator("input").set_input_files(None), lambda: rig.page.wait_for_timeout(None)):
        with pytest.raises(TypeError):
            await done(call())


async def test_values_that_cannot_be_used_are_named_as_they_are_written_here(rig: Rig) -> None:
    with pytest.raises(AutomatorInvalidArgumentError, match=r"local_browser_launch_options\.device_scale_factor"):
        rig.face("LOCAL", local_browser_launch_options={"device_scale_factor": "two"})
    with pytest.raises(AutomatorInvalidArgumentError, match="dom_settle_timeout"):
        rig.face("LOCAL", dom_settle_timeout=-1)
    with pytest.raises(AutomatorInvalidArgumentError, match="cannot be written as JSON"):
        await done(rig.page.goto("about:blank", timeout_ms=float("nan")))
    with pytest.raises(AutomatorInvalidArgumentError, match=r"options\.system_prompt cannot be"):
        rig.face("LOCAL", system_prompt=object())
    with pytest.raises(AutomatorInvalidArgumentError, match="not below zero"):
        await done(rig.page.wait_for_timeout(-1))
    with pytest.raises(TypeError, match="LocalBrowserLaunchOptions"):
        rig.face("LOCAL", local_browser_launch_options=ViewportOptions(1, 1))


async def test_none_counts_as_not_given(rig: Rig) -> None:
    await rig.open("<button>Press</button>")
    await done(rig.page.locator("button").click(modifiers=None, delay=None, button=None))
    await done(rig.page.screenshot({"mask": None, "type": None, "full_page": None}))
    assert "Press" in (await done(rig.session.extract(ignore_selectors=None, screenshot=None))).page_text
    rig.face({"env": "LOCAL", "verbose": None, "self_heal": None, "logger": None})


async def test_environment_and_model_are_checked_when_the_session_is_made(rig: Rig) -> None:
    with pytest.raises(AutomatorEnvironmentError, match="MOON"):
        rig.face("MOON")
    with pytest.raises(InvalidAISDKModelFormatError):
        rig.face("LOCAL", model="nameless")
    with pytest.raises(TypeError, match="env"):
        rig.face()
    with pytest.raises(TypeError, match="logger must be a function"):
        rig.face("LOCAL", logger=5)
    with pytest.raises(TypeError, match="llm_client"):
        rig.face("LOCAL", llm_client=object())


def test_dicts_dataclasses_and_keywords_mean_the_same() -> None:
    as_dict = {
        "headless": True,
        "args": ["--a"],
        "viewport": {"width": 800, "height": 600},
        "proxy": {"server": "http://proxy.test:1", "password": "p"},
        "cdp_headers": {"x_y": "kept as it is"},
        "user_data_dir": Path("profile"),
    }
    as_dataclass = LocalBrowserLaunchOptions(
        headless=True,
        args=["--a"],
        viewport=ViewportOptions(800, 600),
        proxy=ProxyOptions("http://proxy.test:1", password="p"),
        cdp_headers={"x_y": "kept as it is"},
        user_data_dir=Path("profile"),
    )
    one, two = (options_text({"local_browser_launch_options": given}) for given in (as_dict, as_dataclass))
    assert '"userDataDir": "profile"' in one
    assert '"x_y": "kept as it is"' in one
    for member in re.findall(r'"\w+": (?:"[^"]*"|true|\d+)', one):
        assert member in two
    assert "'p'" not in repr(as_dataclass)


def test_options_of_providers_go_through_under_their_own_names() -> None:
    for given in (
        {"model_name": "a/b", "base_url": "http://x.test", "top_k": 20, "modelName": "c/d"},
        ModelConfiguration("a/b", base_url="http://x.test", extra={"top_k": 20, "modelName": "c/d"}),
    ):
        written = options_text({"model": given})
        assert '"baseURL": "http://x.test"' in written
        assert '"top_k": 20' in written
        assert '"modelName": "c/d"' in written
    assert "secret" not in repr(ModelConfiguration("a/b", api_key="secret"))


async def test_an_action_is_refused_when_it_is_none(rig: Rig) -> None:
    for wrong in (5, None, ["press"]):
        with pytest.raises(TypeError, match="an instruction or an Action"):
            await done(rig.session.act(wrong))
    with pytest.raises(AutomatorInvalidArgumentError):
        await done(rig.session.act({"description": "nothing to do it to"}))
    with pytest.raises(AutomatorInvalidArgumentError):
        await done(rig.session.act(" "))
    acted = await done(rig.session.act(Action("body", "the page", "fly")))
    assert not acted.success
