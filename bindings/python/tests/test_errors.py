"""Errors as calls raise them."""

from __future__ import annotations

import asyncio
import builtins
import contextlib
import json
import pickle
import socket
from collections.abc import Callable
from typing import Any

import pytest
from rig import Rig, Site, done, reply

import automator
from automator import AutomatorError, AutomatorNotInitializedError

PAGE = """<h1>Page</h1><p id=p>text</p><button id=hidden style="display:none">Hidden</button><input id=field>
  <button id=off disabled>Off</button><div style="position:relative"><button id=covered>Covered</button>
  <div style="position:absolute;inset:0"></div></div><x-plain></x-plain><object></object>"""


async def raised(call: Any) -> BaseException:
    """The error that a call ends with."""
    try:
        await done(call() if callable(call) else call)
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


# What is done on the page above, and the class of the error that comes of it.
PROVOKED: dict[str, Callable[[Rig], Any]] = {
    "AutomatorElementNotFoundError": lambda rig: rig.page.locator("#none").click(timeout=50),
    "XPathResolutionError": lambda rig: rig.session.extract(selector="xpath=//nav"),
    "AutomatorIframeError": lambda rig: rig.page.deep_locator("#p >> a").click(timeout=50),
    "ContentFrameNotFoundError": lambda rig: rig.page.deep_locator("object >> p").click(timeout=50),
    "AutomatorShadowRootMissingError": lambda rig: rig.page.deep_locator("x-plain >> p").click(timeout=50),
    "AutomatorClickError": lambda rig: rig.page.locator("#covered").click(timeout=100),
    "ElementNotVisibleError": lambda rig: rig.page.locator("#hidden").click(timeout=100),
    "AutomatorLocatorError": lambda rig: rig.page.locator("#off").click(timeout=100),
    "AutomatorEvalError": lambda rig: rig.page.evaluate("throw new Error('thrown')"),
    "AutomatorInvalidArgumentError": lambda rig: rig.page.locator("[").click(),
    "NavigationError": lambda rig: rig.page.goto("http://127.0.0.1:1/"),
    "TimeoutError": lambda rig: rig.page.goto(f"{rig.site.url}/hang", timeout_ms=150),
    "ActTimeoutError": lambda rig: rig.session.act("wait", timeout=150),
    "ExtractTimeoutError": lambda rig: rig.session.extract("all", timeout=150),
    "ObserveTimeoutError": lambda rig: rig.session.observe("all", timeout=150),
    "ProtocolError": lambda rig: rig.page.send_cdp("Nothing.ofThisName"),
    "CookieValidationError": lambda rig: rig.session.context.add_cookies([{"name": "a", "value": "b"}]),
    "CookieSetError": lambda rig: rig.session.context.add_cookies(
        [{"name": "__Host-a", "value": "b", "domain": "127.0.0.1", "path": "/"}]
    ),
}


@pytest.mark.parametrize("name", list(PROVOKED))
async def test_calls_raise_the_class_of_their_error(rig: Rig, name: str) -> None:
    await rig.open(PAGE)
    rig.answer = lambda _: rig.site.hang.wait(3)
    error = await raised(lambda: PROVOKED[name](rig))
    assert type(error) is getattr(automator, name), repr(error)
    assert isinstance(error, AutomatorError)
    assert error.code == name
    assert error.operation
    assert str(error)


async def test_errors_have_what_they_are_about(rig: Rig) -> None:
    await rig.open(PAGE)
    error = await raised(lambda: rig.page.locator("#none").click(timeout=50))
    assert isinstance(error, AutomatorError)
    assert (error.operation, error.context["selector"]) == ("click", "#none")
    error = await raised(lambda: rig.page.goto("http://127.0.0.1:1/"))
    assert "127.0.0.1:1" in str(error)
    copied = pickle.loads(pickle.dumps(error))
    assert (type(copied), str(copied), vars(copied)) == (type(error), str(error), vars(error))


async def test_limits_of_time_are_also_those_of_python(rig: Rig) -> None:
    with pytest.raises(builtins.TimeoutError):
        await done(rig.page.goto(f"{rig.site.url}/hang", timeout_ms=100))


async def test_calls_before_init_say_so(face: Any) -> None:
    session = face("LOCAL", verbose=0)
    for call in (
        lambda: session.act("press"),
        lambda: session.observe(),
        lambda: session.extract(),
        lambda: session.page_text(),
        lambda: session.extract_with_provenance("a"),
        lambda: session.extract_with_cache_status("a"),
        lambda: session.observe_with_cache_status(),
        lambda: session.connect_url(),
        lambda: session.context,
    ):
        error = await raised(call)
        assert isinstance(error, AutomatorNotInitializedError)
        assert error.hint == "call init() first"
    await done(session.close())


async def test_there_are_no_pages_after_close_and_new_ones_after_another_init(face: Any) -> None:
    session = face("LOCAL", verbose=0)
    await done(session.init())
    page = session.context.pages()[0]
    await done(session.init())
    assert session.context.pages()[0] is page, "a session that is open stays as it is"
    await done(session.close())
    assert isinstance(await raised(lambda: session.context), AutomatorNotInitializedError)
    assert isinstance(await raised(page.title), AutomatorError)
    await done(session.close(force=True))
    await done(session.init())
    assert session.context.pages()[0] is not page
    assert await done(session.context.pages()[0].evaluate("1 + 1")) == 2
    await done(session.close())


async def test_once_the_browser_is_lost_calls_say_so_until_another_init(face: Any) -> None:
    session = face("LOCAL", verbose=0)
    await done(session.init())
    page = session.context.pages()[0]
    with contextlib.suppress(AutomatorError):
        await done(session.context.send_cdp("Browser.close"))
    # The end of the connection is on its way.
    for _ in range(500):
        if isinstance(await raised(lambda: page.evaluate("x")), automator.CdpConnectionClosedError):
            break
        await asyncio.sleep(0.01)
    for call in (lambda: session.extract(), lambda: session.context):
        assert isinstance(await raised(call), AutomatorNotInitializedError)
    await done(session.init())
    assert len(session.context.pages()) == 1
    await done(session.close())


async def test_a_page_that_is_closed_says_so(rig: Rig) -> None:
    page = await done(rig.session.context.new_page())
    await done(page.close())
    error = await raised(page.title)
    assert isinstance(error, (automator.PageNotFoundError, automator.AutomatorClosedError)), repr(error)
    context = rig.session.context
    await done(rig.page.close())
    assert context.active_page() is None
    assert isinstance(await raised(lambda: rig.session.extract()), automator.PageNotFoundError)
    await done(context.new_page())


async def test_a_response_without_its_body_says_so(rig: Rig) -> None:
    response = await done(rig.page.goto(rig.site.put("/text", "no JSON")))
    assert await done(response.text()) == "no JSON"
    error = await raised(response.json)
    assert isinstance(error, automator.ResponseParseError)
    await done(rig.page.goto(rig.site.put("/next", "another document")))
    error = await raised(response.body)
    assert isinstance(error, automator.ResponseBodyError)
    assert "/text" in str(error)


async def test_a_clipboard_that_the_page_may_not_use_is_unsupported(rig: Rig) -> None:
    error = await raised(lambda: rig.session.context.clipboard.read_text())
    assert isinstance(error, automator.UnsupportedBrowserFeatureError), repr(error)


async def test_a_page_that_crashes_says_so_and_the_others_work_on(rig: Rig) -> None:
    page = await done(rig.session.context.new_page())
    error = await raised(lambda: page.goto("chrome://crash"))
    assert isinstance(error, automator.AutomatorDomProcessError), repr(error)
    assert await done(rig.page.evaluate("1 + 1")) == 2


async def test_sessions_that_cannot_start_say_why(face: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    error = await raised(face("LOCAL", local_browser_launch_options={"executable_path": "/no/browser"}).init)
    assert isinstance(error, automator.AutomatorInitError)
    assert "/no/browser" in str(error)
    monkeypatch.delenv("REMOTE_API_KEY", raising=False)
    error = await raised(face("REMOTE").init)
    assert isinstance(error, automator.MissingEnvironmentVariableError)
    assert "REMOTE_API_KEY" in str(error)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        launch = {"cdp_url": f"ws://127.0.0.1:{silent.getsockname()[1]}/", "connect_timeout_ms": 150}
        error = await raised(face("LOCAL", local_browser_launch_options=launch).init)
    assert isinstance(error, automator.ConnectionTimeoutError)
    assert isinstance(error, automator.AutomatorInitError)


async def test_models_that_cannot_be_asked_say_why(
    rig: Rig, monkeypatch: pytest.MonkeyPatch, face: Any, site: Site, launch: dict[str, Any]
) -> None:
    if rig.face is not face:
        pytest.skip("the other face is tried with the other session")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

    async def failed(**options: Any) -> BaseException:
        session = face("LOCAL", verbose=0, local_browser_launch_options=launch, **options)
        await done(session.init())
        try:
            return await raised(lambda: session.extract("the price"))
        finally:
            await done(session.close())

    missing = await failed()
    assert isinstance(missing, automator.MissingLLMConfigurationError)
    assert "OPENAI_API_KEY" in str(missing)
    assert "api_key" in str(missing)
    unknown = await failed(model={"model_name": "nobody/knows", "api_key": "k"})
    assert isinstance(unknown, automator.UnsupportedModelError)
    no_model = {"model_name": "openai/m", "api_key": "k", "base_url": site.url}
    assert isinstance(await failed(model=no_model), automator.LLMResponseError)


async def test_what_a_model_cannot_take_is_unsupported(rig: Rig, launch: dict[str, Any]) -> None:
    class Blind:
        model_name = "test/blind"
        accepts_images = False
        context_window = 100_000

        def generate(self, request: Any) -> Any:
            return reply({"value": "x"})

    session = rig.face("LOCAL", verbose=0, llm_client=Blind(), local_browser_launch_options=launch)
    await done(session.init())
    error = await raised(lambda: session.extract("the price", screenshot=True))
    assert isinstance(error, automator.UnsupportedModelError), repr(error)
    assert "test/blind" in json.dumps([str(error), dict(error.context)])
    await done(session.close())


async def test_a_page_of_another_session_is_refused(rig: Rig, launch: dict[str, Any]) -> None:
    other = rig.face("LOCAL", verbose=0, local_browser_launch_options=launch)
    await done(other.init())
    error = await raised(lambda: rig.session.extract(page=other.context.pages()[0]))
    await done(other.close())
    assert isinstance(error, automator.AutomatorInvalidArgumentError)
    assert "another session" in str(error)
