"""How calls are waited for, and functions of the user called, where there is an event loop."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from automator.callbacks import told_once
from automator.llm_client import (
    LLMClient,
    LLMFunction,
    LLMReply,
    LLMRequest,
    fail,
    function_of,
    reply_text,
    request_from,
)

if TYPE_CHECKING:
    from automator._native import NativeAnswer, Work

T = TypeVar("T")


async def finished(work: Work[T]) -> T:
    """What a call gives. When the task is cancelled, the call ends at once."""
    return await work.start()


class Delivery:
    """Calls a function of the user's on the event loop that ran when it was given."""

    def __init__(self, what: str, function: Callable[[Any], object]) -> None:
        """Delivers to a function; ``what`` names it in errors."""
        self._what = what
        self._function = function
        self._loop: asyncio.AbstractEventLoop | None = None
        # The loop itself knows its tasks only weakly.
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self) -> Delivery:
        """Delivers to the loop that runs now."""
        self._loop = asyncio.get_running_loop()
        return self

    def call(self, argument: Any, through: Callable[[], None] | None = None) -> None:
        """Has it called; ``through`` is called when it, and what it gives to await, has come to its end."""
        try:
            if self._loop is not None:
                self._loop.call_soon_threadsafe(self._run, argument, through)
                return
        except RuntimeError:
            # The loop is closed, so nobody listens any more.
            pass
        if through is not None:
            through()

    def _run(self, argument: Any, through: Callable[[], None] | None) -> None:
        try:
            given = self._function(argument)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            told_once(self._what, self._function, error)
            given = None
        if inspect.isawaitable(given):
            task = asyncio.ensure_future(self._awaited(given, through))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        elif through is not None:
            # A turn later, so that who has awaited the event can still answer.
            asyncio.get_running_loop().call_later(0.01, through)

    async def _awaited(self, given: Any, through: Callable[[], None] | None) -> None:
        try:
            await given
        except (Exception, SystemExit) as error:
            told_once(self._what, self._function, error)
        finally:
            if through is not None:
                through()


def delivery_of(what: str, function: Callable[[Any], object]) -> Delivery:
    """Delivers to the loop that runs now."""
    return Delivery(what, function).begin()


class Answering:
    """Answers requests with a client of the user's."""

    def __init__(self, client: LLMClient | LLMFunction) -> None:
        """Answers with this client."""
        self._generate = function_of(client)
        self._loop: asyncio.AbstractEventLoop | None = None

    def begin(self) -> None:
        """Runs coroutines on the loop that runs now."""
        self._loop = asyncio.get_running_loop()

    def __call__(self, request: str, answer: NativeAnswer) -> Callable[[], object]:
        """Begins to answer; gives what ends that."""
        if self._loop is None or self._loop.is_closed():
            answer.fail("the event loop has ended", None, None, False, None)
            return lambda: None
        return asyncio.run_coroutine_threadsafe(self._answer(request, answer), self._loop).cancel

    async def _answer(self, request: str, answer: NativeAnswer) -> None:
        try:
            generate: Callable[[LLMRequest], Any] = self._generate
            given: Any
            if inspect.iscoroutinefunction(generate):
                given = generate(request_from(request))
            else:
                given, failure = await _in_thread(generate, request_from(request))
                if failure is not None:
                    fail(answer, failure)
                    return
            reply: LLMReply = await given if inspect.isawaitable(given) else given
            answer.give(reply_text(reply))
        except (asyncio.CancelledError, GeneratorExit):
            answer.fail("the request was cancelled", None, None, False, None)
            raise
        except (Exception, SystemExit) as error:
            fail(answer, error)


async def _in_thread(function: Callable[[LLMRequest], Any], request: LLMRequest) -> tuple[Any, BaseException | None]:
    """As ``asyncio.to_thread``, with a thread that keeps no program running.

    What is raised is given, too: not all of it can be the outcome of a future.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()

    def put(value: Any, error: BaseException | None) -> None:
        if not future.cancelled():
            future.set_result((value, error))

    def run() -> None:
        value, failure = None, None
        try:
            value = function(request)
        except BaseException as error:
            failure = error
        if not loop.is_closed():
            loop.call_soon_threadsafe(put, value, failure)

    threading.Thread(target=run, name="automator llm client", daemon=True).start()
    return await future
