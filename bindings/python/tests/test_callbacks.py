"""Functions of the user that the library calls, and the log."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from rig import Rig, Site, done, reply, until

import automator
from automator import AsyncAutomator, AutomatorWarning, LogLine

OpenSession = Callable[..., Awaitable[tuple[Any, Any]]]


@pytest.fixture
def open_session(site: Site, launch: dict[str, Any]) -> OpenSession:
    """Opens a session whose page has a button that says so when it is pressed; gives both."""

    async def opened(face: Any, **options: Any) -> tuple[Any, Any]:
        session = face("LOCAL", local_browser_launch_options=launch, **options)
        await done(session.init())
        page = session.context.pages()[0]
        await done(page.goto(site.put("/", "<h1>Lamps</h1><button onclick=\"console.log('pressed')\">Press</button>")))
        return session, page

    return opened


async def test_lines_go_to_the_logging_module(
    face: Any, open_session: OpenSession, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "automator")
    session, page = await open_session(face, verbose=2)
    await done(page.evaluate("alert('told')"))
    await done(session.close())
    lines = [record for record in caplog.records if record.name == "automator"]
    assert any(record.levelno == logging.INFO and "init" in record.getMessage() for record in lines)
    assert any(record.levelno == logging.DEBUG and "dialog" in record.getMessage() for record in lines)
    assert all(hasattr(record, "automator_category") for record in lines)
    caplog.clear()
    session, _ = await open_session(face, verbose=2, disable_log_backend=True)
    await done(session.close())
    assert not [record for record in caplog.records if record.name == "automator"]


async def test_lines_go_to_the_logger_of_the_user(face: Any, open_session: OpenSession) -> None:
    lines: list[LogLine] = []
    session, _ = await open_session(face, verbose=2, disable_log_backend=True, logger=lines.append)
    await done(session.close())
    await until(lambda: [line for line in lines if "closed" in line.message])
    assert {line.level for line in lines} <= {0, 1, 2}
    assert all(line.timestamp.endswith("Z") for line in lines)
    details = [line.auxiliary for line in lines if line.auxiliary]
    assert all(isinstance(detail.value, str) for told in details for detail in told.values())


@pytest.mark.parametrize("how", ["raises", "hangs"])
async def test_a_logger_that_raises_or_hangs_harms_nothing(
    face: Any, open_session: OpenSession, how: str, recwarn: pytest.WarningsRecorder
) -> None:
    release = threading.Event()
    calls = []

    def bad(line: LogLine) -> Any:
        calls.append(line)
        if how == "raises":
            raise ValueError("not today")
        # On an event loop nothing may block, so there it hangs in a coroutine.
        return asyncio.Event().wait() if face is AsyncAutomator else release.wait(30)

    session, _ = await open_session(face, verbose=2, disable_log_backend=True, logger=bad)
    assert "Lamps" in (await done(session.extract())).page_text
    await done(session.close())
    await until(lambda: calls)
    if how == "raises":
        await until(lambda: len(calls) > 2)
        failures = [str(told.message) for told in recwarn if told.category is AutomatorWarning]
        assert len(failures) == 1, "it is told once"
        assert "the logger failed" in failures[0]
        assert "not today" in failures[0]
    release.set()


@pytest.mark.parametrize("how", ["raises", "hangs"])
async def test_a_listener_that_raises_or_hangs_harms_neither_others_nor_the_page(
    rig: Rig, how: str, recwarn: pytest.WarningsRecorder
) -> None:
    await rig.open("<h1>Lamps</h1><button onclick=\"console.log('pressed')\">Press</button>")
    release = threading.Event()

    def bad(message: Any) -> Any:
        if how == "raises":
            raise ValueError("not today")
        return asyncio.Event().wait() if rig.face is AsyncAutomator else release.wait(30)

    heard: list[str] = []

    async def good(message: Any) -> None:
        # The browser complains there, too, about an icon that the site does not have.
        if message.type() == "log":
            heard.append(message.text())

    rig.page.on("console", bad)
    rig.page.on("console", good)
    await done(rig.page.locator("button").click())
    await done(rig.page.locator("button").click())
    await until(lambda: len(heard) == 2)
    assert heard == ["pressed", "pressed"]
    if how == "raises":
        failures = await until(lambda: [told for told in recwarn if told.category is AutomatorWarning])
        assert len(failures) == 1
    rig.page.off("console", bad)
    rig.page.off("console", good)
    assert "Lamps" in (await done(rig.session.extract())).page_text
    release.set()


async def test_a_dialog_that_a_listener_hangs_over_is_left_to_the_others(rig: Rig) -> None:
    release = threading.Event()
    await rig.open("<h1>Lamps</h1>")

    def hanging(dialog: Any) -> Any:
        return asyncio.Event().wait() if rig.face is AsyncAutomator else release.wait(30)

    def accepting(dialog: Any) -> Any:
        return dialog.accept()

    rig.page.on("dialog", hanging)
    rig.page.on("dialog", accepting)
    assert await done(rig.page.evaluate("confirm('anyone?')")) is True
    rig.page.off("dialog", hanging)
    rig.page.off("dialog", accepting)
    release.set()


async def test_clients_are_functions_coroutines_or_objects(face: Any, open_session: OpenSession) -> None:
    class Client:
        async def generate(self, request: Any) -> Any:
            await asyncio.sleep(0)
            return reply({"value": "object"})

    async def coroutine(request: Any) -> Any:
        return '{"value": "coroutine"}'

    def function(request: Any) -> Any:
        assert request["responseFormat"]["schema"]["properties"]
        return {"text": '{"value": "function"}', "finish": "stop"}

    for client, expected in ((Client(), "object"), (coroutine, "coroutine"), (function, "function")):
        session, _ = await open_session(face, verbose=0, llm_client=client)
        assert await done(session.extract("the word", str)) == expected
        await done(session.close())


async def test_a_client_that_is_awaited_ends_with_its_call(open_session: OpenSession) -> None:
    ended: list[str] = []

    async def hanging(request: Any) -> Any:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise

    session, _ = await open_session(AsyncAutomator, verbose=0, llm_client=hanging)
    with pytest.raises(TimeoutError):
        await session.extract("the word", timeout=2000)
    await until(lambda: ended)
    await session.close()


async def test_pages_of_other_libraries_go_by_their_target(rig: Rig) -> None:
    await rig.open("<h1>Ours</h1>")
    theirs = await done(rig.session.context.new_page(rig.site.put("/theirs", "<h1>Theirs</h1>")))
    await done(theirs.wait_for_selector("h1"))
    rig.session.context.set_active_page(rig.page)
    calls: list[Any] = []

    class DevTools:
        def send(self, method: str) -> Any:
            calls.append(method)
            return given({"targetInfo": {"targetId": theirs.target_id()}})

        def detach(self) -> Any:
            calls.append("detach")
            return given(None)

    def given(value: Any) -> Any:
        async def later() -> Any:
            return value

        return later() if rig.face is AsyncAutomator else value

    class Context:
        def new_cdp_session(self, page: Any) -> Any:
            return given(DevTools())

    class Page:
        context = Context()

    read = await done(rig.session.extract(page=Page()))
    assert "Theirs" in read.page_text
    assert calls == ["Target.getTargetInfo", "detach"]


class Stubborn(BaseException):
    """What no `except Exception` catches."""


@pytest.mark.parametrize("error", [StopIteration("over"), SystemExit("no key"), GeneratorExit(), Stubborn("own")])
@pytest.mark.parametrize("is_coroutine", [False, True])
async def test_whatever_a_client_raises_ends_the_call_at_once(
    face: Any, launch: dict[str, Any], error: BaseException, is_coroutine: bool
) -> None:
    def plain(request: Any) -> Any:
        raise error

    async def coroutine(request: Any) -> Any:
        raise error

    if is_coroutine and (face is AsyncAutomator or isinstance(error, StopIteration)):
        pytest.skip("coroutines end their event loop, or change it, by themselves")
    client = coroutine if is_coroutine else plain
    session = face("LOCAL", verbose=0, llm_client=client, local_browser_launch_options=launch)
    await done(session.init())
    began = time.monotonic()
    with pytest.raises(automator.LLMResponseError) as raised:
        await done(session.extract("the word", str, timeout=20_000))
    assert time.monotonic() - began < 10
    causes = []
    cause: BaseException | None = raised.value
    while cause is not None:
        causes.append(cause)
        cause = cause.__cause__
    assert error in causes
    await done(session.close())


@pytest.mark.filterwarnings("ignore::automator.AutomatorWarning")
async def test_a_listener_that_ends_its_thread_is_called_again(rig: Rig) -> None:
    await rig.open("<h1>Lamps</h1>")
    heard: list[str] = []

    def listener(dialog: Any) -> None:
        heard.append(dialog.message())
        raise SystemExit

    rig.page.on("dialog", listener)
    began = time.monotonic()
    for number in range(3):
        await done(rig.page.evaluate(f"alert({number})"))
    rig.page.off("dialog", listener)
    assert heard == ["0", "1", "2"]
    assert time.monotonic() - began < 8


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
async def test_a_filter_of_the_logging_module_that_raises_keeps_no_line_from_the_function(
    face: Any, launch: dict[str, Any]
) -> None:
    lines: list[Any] = []

    def failing(record: Any) -> bool:
        raise ZeroDivisionError

    logger = logging.getLogger("automator")
    logger.setLevel(logging.DEBUG)
    logger.addFilter(failing)
    try:
        session = face("LOCAL", verbose=2, logger=lines.append, local_browser_launch_options=launch)
        await done(session.init())
        await done(session.close())
        await until(lambda: lines)
    finally:
        logger.removeFilter(failing)
        logger.setLevel(logging.NOTSET)
