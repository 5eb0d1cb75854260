"""Calls that end early, programs that end, and many calls at a time."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from rig import Rig, Site, done, reply, until

from automator import AsyncAutomator, Automator, AutomatorNotInitializedError

HERE = Path(__file__).parent


class Program:
    """A program of its own that uses the library."""

    def __init__(self, source: str) -> None:
        environment = {**os.environ, "PYTHONPATH": str(HERE), "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(source)],
            cwd=HERE,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def ended(self, seconds: float = 30) -> tuple[int, str, str]:
        output, errors = self.process.communicate(timeout=seconds)
        return self.process.returncode, output.strip(), errors


def descendants(pid: int) -> set[int]:
    """The processes that come of a process, on Linux."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text()
            except OSError:
                continue
            state, parent = stat.rpartition(")")[2].split()[:2]
            if state != "Z":
                parents[int(entry.name)] = int(parent)
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found and child not in found}:
        found |= more
    return found - {pid}


def are_gone(pids: set[int]) -> bool:
    def lives(pid: int) -> bool:
        try:
            return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
        except OSError:
            return False

    return not any(lives(pid) for pid in pids)


on_linux = pytest.mark.skipif(sys.platform != "linux", reason="processes are read from /proc")


async def test_cancelling_a_task_ends_the_call_at_once(rig: Rig) -> None:
    if rig.face is not AsyncAutomator:
        pytest.skip("only what is awaited can be cancelled")
    asked = asyncio.Event()
    ended: list[str] = []

    async def hanging(request: Any) -> Any:
        asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("model call")

    rig.answer = hanging
    await rig.open("<h1>Lamps</h1>")
    task = asyncio.create_task(rig.session.extract("the word"))
    await asyncio.wait_for(asked.wait(), 20)
    began = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - began < 2
    await until(lambda: ended)
    with pytest.raises(asyncio.TimeoutError):
        await asyncio.wait_for(rig.page.evaluate("new Promise(() => {})"), 0.1)
    with pytest.raises(asyncio.TimeoutError):
        await asyncio.wait_for(rig.page.goto(f"{rig.site.url}/hang"), 0.1)
    # The page is as usable as before.
    assert await rig.page.evaluate("1 + 1") == 2


async def test_an_action_that_is_cancelled_does_nothing_afterwards(rig: Rig) -> None:
    if rig.face is not AsyncAutomator:
        pytest.skip("only what is awaited can be cancelled")
    await rig.open("<button id=late disabled onclick=\"document.title = 'pressed'\">Late</button>")
    with pytest.raises(asyncio.TimeoutError):
        await asyncio.wait_for(rig.page.locator("#late").click(timeout=10_000), 0.2)
    await rig.page.evaluate("document.querySelector('#late').disabled = false")
    await asyncio.sleep(0.5)
    assert await rig.page.title() == ""


async def test_two_hundred_calls_are_awaited_at_a_time(rig: Rig) -> None:
    await rig.open("<title>Lamps</title><h1>Lamps</h1>")
    if rig.face is AsyncAutomator:
        sums = await asyncio.gather(*(rig.page.evaluate("(n) => n * 2", number) for number in range(200)))
        assert sums == [number * 2 for number in range(200)]
        rig.answer = lambda _: reply({"value": "Lamps"})
        answers = await asyncio.gather(*(rig.session.extract("the word", str) for _ in range(200)))
        assert answers == ["Lamps"] * 200
        assert len(rig.requests) == 200
        return
    results: dict[int, int] = {}
    threads = [
        threading.Thread(target=lambda n=number: results.update({n: rig.page.evaluate("(n) => n * 2", n)}))
        for number in range(200)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert results == {number: number * 2 for number in range(200)}


async def test_the_event_loop_runs_while_a_call_is_awaited(rig: Rig) -> None:
    if rig.face is not AsyncAutomator:
        pytest.skip("what waits holds its thread")
    turns = 0

    async def counting() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0.001)

    counter = asyncio.create_task(counting())
    await rig.page.wait_for_timeout(200)
    counter.cancel()
    assert turns > 5


def test_threads_run_while_a_call_waits(launch: dict[str, Any]) -> None:
    with Automator("LOCAL", verbose=0, local_browser_launch_options=launch) as session:
        page = session.context.pages()[0]
        turns: list[int] = []
        ended = threading.Event()

        def counting() -> None:
            while not ended.is_set():
                turns.append(1)
                time.sleep(0.001)

        thread = threading.Thread(target=counting)
        thread.start()
        page.wait_for_timeout(200)
        ended.set()
        thread.join()
        assert len(turns) > 5


SESSION = """
    import os, sys
    from automator import Automator
    with Automator("LOCAL", verbose=0) as session:
        page = session.context.pages()[0]
        print("ready", flush=True)
        {call}
"""

AWAITED = """
    import asyncio
    from automator import AsyncAutomator
    async def main():
        async with AsyncAutomator("LOCAL", verbose=0) as session:
            page = session.context.pages()[0]
            print("ready", flush=True)
            await {call}
    asyncio.run(main())
"""

INIT = """
    from automator import Automator
    import threading, os, signal
    session = Automator("LOCAL", verbose=0, local_browser_launch_options={{"cdp_url": "{url}"}})
    print("ready", flush=True)
    with session:
        pass
"""


@on_linux
@pytest.mark.parametrize(
    "source",
    [
        SESSION.format(call="page.evaluate('new Promise(() => {})')"),
        SESSION.format(call="page.wait_for_timeout(60000)"),
        AWAITED.format(call="page.evaluate('new Promise(() => {})')"),
        AWAITED.format(call="session.extract('the word', timeout=0)").replace(
            "verbose=0", "verbose=0, llm_client=lambda request: __import__('time').sleep(60)"
        ),
    ],
    ids=["evaluate", "wait", "awaited evaluate", "awaited extract"],
)
def test_ctrl_c_ends_the_call_at_once_and_leaves_no_browser(source: str) -> None:
    program = Program(source)
    assert program.line() == "ready"
    time.sleep(0.3)
    processes = descendants(program.process.pid)
    assert processes, "a browser runs"
    began = time.monotonic()
    program.process.send_signal(signal.SIGINT)
    status, _, errors = program.ended()
    assert time.monotonic() - began < 5
    assert status != 0
    assert "KeyboardInterrupt" in errors
    assert "Fatal" not in errors
    deadline = time.monotonic() + 5
    while not are_gone(processes) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert are_gone(processes)


def test_ctrl_c_ends_an_init_that_hangs() -> None:
    import socket

    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        program = Program(INIT.format(url=f"ws://127.0.0.1:{silent.getsockname()[1]}/"))
        assert program.line() == "ready"
        time.sleep(0.3)
        program.process.send_signal(signal.SIGINT)
        _, _, errors = program.ended(5)
    assert "KeyboardInterrupt" in errors


@on_linux
@pytest.mark.parametrize(
    "source",
    [
        """
        from automator import Automator
        session = Automator("LOCAL", verbose=0, logger=lambda line: None)
        session.init()
        session.context.pages()[0].on("console", print)
        print(session.extract().page_text[:5], flush=True)
        """,
        """
        import asyncio
        from automator import AsyncAutomator
        async def main():
            session = AsyncAutomator("LOCAL", verbose=0, logger=lambda line: None)
            await session.init()
            session.context.pages()[0].on("console", print)
            print((await session.extract()).page_text[:5], flush=True)
        asyncio.run(main())
        """,
        """
        from automator import Automator
        def hangs(request):
            __import__("time").sleep(60)
        session = Automator("LOCAL", verbose=0, llm_client=hangs)
        session.init()
        try:
            session.extract("anything", timeout=200)
        except TimeoutError as error:
            print("[0-0]", flush=True)
        """,
    ],
    ids=["blocking", "asynchronous", "client that hangs"],
)
def test_a_program_that_is_done_ends_and_its_browser_with_it(source: str) -> None:
    for _ in range(2):
        program = Program(source)
        assert program.line() == "[0-0]"
        processes = descendants(program.process.pid)
        status, _, errors = program.ended(20)
        assert (status, errors) == (0, "")
        deadline = time.monotonic() + 5
        while not are_gone(processes) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert are_gone(processes)


async def test_a_context_manager_closes_whatever_happens(face: Any) -> None:
    session = face("LOCAL", verbose=0)

    async def failing() -> None:
        if face is AsyncAutomator:
            async with session as same:
                assert same.context.pages()
                raise ZeroDivisionError
        with session as same:
            assert same.context.pages()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await failing()
    with pytest.raises(AutomatorNotInitializedError):
        session.connect_url()


async def test_what_waits_works_inside_a_running_loop(site: Site, launch: dict[str, Any]) -> None:
    # As in a notebook. Functions of the user are called, too, although the loop stands still.
    assert asyncio.get_running_loop().is_running()

    async def answering(request: Any) -> Any:
        await asyncio.sleep(0.01)
        return reply({"value": "Lamps"})

    heard: list[str] = []
    with Automator("LOCAL", verbose=0, llm_client=answering, local_browser_launch_options=launch) as session:
        page = session.context.pages()[0]
        page.goto(site.put("/", "<h1>Lamps</h1>"))
        page.on("dialog", lambda dialog: dialog.accept("typed"))
        page.on("console", lambda line: heard.append(line.text()))
        assert page.evaluate("console.log('hello'), prompt('word')") == "typed"
        assert session.extract("the word", str) == "Lamps"
        await until(lambda: heard)


def test_a_fork_is_told_that_it_cannot_work() -> None:
    program = Program(
        """
        import os, sys
        from automator import Automator
        session = Automator("LOCAL", verbose=0)
        session.init()
        child = os.fork()
        if child == 0:
            try:
                session.extract()
            except RuntimeError as error:
                print("spawn" in str(error), flush=True)
            os._exit(0)
        os.waitpid(child, 0)
        print(session.extract().page_text[:5])
        session.close()
        """
    )
    status, output, _ = program.ended()
    assert (status, output.split("\n")) == (0, ["True", "[0-0]"])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.parametrize("ending", ["held.clear()", "sys.exit(0)", "raise ZeroDivisionError"])
def test_a_fork_that_ends_leaves_the_browser_to_its_parent(ending: str) -> None:
    program = Program(
        f"""
        import gc, os, sys
        from automator import Automator
        held = [Automator("LOCAL", verbose=0)]
        with held[0] as session:
            child = os.fork()
            if child == 0:
                del session
                {ending}
                gc.collect()
                os._exit(0)
            os.waitpid(child, 0)
            print(session.extract().page_text[:5])
        """
    )
    status, output, _ = program.ended()
    assert (status, output) == (0, "[0-0]")


@on_linux
async def test_who_holds_the_lock_of_python_does_not_hold_up_the_browser(rig: Rig) -> None:
    import ctypes

    await rig.open("<h1>Lamps</h1>")
    lines: list[Any] = []
    rig.page.on("console", lines.append)
    # Lines come all the time, and after 300 ms a dialog, which nobody listens to: the library answers it at once.
    source = """
        setInterval(() => console.log("line"), 10);
        setTimeout(() => {
          const began = performance.now();
          confirm("now?");
          window.took = performance.now() - began;
        }, 300);
        1"""
    await done(rig.page.evaluate(source))
    # Functions of a `PyDLL` keep the lock.
    ctypes.PyDLL(None).usleep(2_000_000)
    took = await done(rig.page.evaluate("new Promise((done) => setInterval(() => window.took && done(took), 10))"))
    assert took < 1000
    await until(lambda: len(lines) > 10)
    rig.page.off("console", lines.append)


async def test_a_call_is_waited_for_once(rig: Rig) -> None:
    work = rig.page._native.title()
    work.wait()
    with pytest.raises(RuntimeError, match="already"):
        work.wait()
    assert await done(rig.page.title()) == ""
