"""How calls are waited for, and functions of the user called, where there is an event loop."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from automator.callbacks import told_once
from automator.llm_client import fail

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
    """Answers requests of the library with a function of the user's."""

    def __init__(
        self,
        function: Callable[[Any], Any],
        read: Callable[[str], Any],
        write: Callable[[Any], str],
        what: str | None = None,
    ) -> None:
        """Answers with this function.

        Args:
            function: Gets a request, and gives an answer, or one to be awaited.
            read: Makes a request of JSON.
            write: Makes JSON of an answer.
            what: Names it in warnings, where no call tells of what it raises.
        """
        self._function = function
        self._read = read
        self._write = write
        self._what = what
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
            given: Any
            if inspect.iscoroutinefunction(self._function):
                given = self._function(self._read(request))
            else:
                given, failure = await _in_thread(self._function, self._read(request))
                if failure is not None:
                    self._failed(answer, failure)
                    return
            answer.give(self._write(await given if inspect.isawaitable(given) else given))
        except (asyncio.CancelledError, GeneratorExit):
            answer.fail("the request was cancelled", None, None, False, None)
            raise
        except (Exception, SystemExit) as error:
            self._failed(answer, error)

    def _failed(self, answer: NativeAnswer, error: BaseException) -> None:
        if self._what is not None:
            told_once(self._what, self._function, error)
        fail(answer, error)


async def _in_thread(function: Callable[[Any], Any], request: Any) -> tuple[Any, BaseException | None]:
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

    threading.Thread(target=run, name="automator answer", daemon=True).start()
    return await future


class Course(Generic[T]):
    """A call that goes on by itself, and what is told meanwhile."""

    def __init__(self) -> None:
        """A call that has not begun."""
        self._told: list[Any] = []
        self._changed = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._running: asyncio.Task[T] | None = None

    def tell(self, item: Any) -> None:
        """Keeps something for those who read, in the order in which it is told."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._put, item)

    def _put(self, item: Any) -> None:
        self._told.append(item)
        self._changed.set()

    async def first(self, call: Callable[[], Coroutine[Any, Any, T]]) -> Any:
        """Begins a call; gives what is told first."""
        self._running = asyncio.ensure_future(call())
        self._running.add_done_callback(self._ended)
        try:
            return self._told[0] if await self._wait(0) else None
        except asyncio.CancelledError:
            self._running.cancel()
            raise

    def _ended(self, running: asyncio.Task[T]) -> None:
        self._changed.set()
        if not running.cancelled():
            # Those who only read need not ask for it.
            running.exception()

    async def _wait(self, place: int) -> bool:
        """Waits for what comes at this place; false when nothing does."""
        while len(self._told) <= place:
            if self._running is None or self._running.done():
                # What was told last is on its way through the loop.
                await asyncio.sleep(0)
                return len(self._told) > place
            self._changed.clear()
            await self._changed.wait()
        return True

    async def items(self) -> AsyncIterator[Any]:
        """What is told, from the start."""
        place = 0
        while await self._wait(place):
            yield self._told[place]
            place += 1

    async def result(self) -> T:
        """What the call gives. To cancel this is not to end the call."""
        if self._running is None:
            raise RuntimeError("the call has not begun")
        return await asyncio.shield(self._running)
