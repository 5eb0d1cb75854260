"""How calls are waited for, and functions of the user called, where there is no event loop."""

from __future__ import annotations

import asyncio
import inspect
import queue
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from automator.callbacks import told_once
from automator.llm_client import fail

if TYPE_CHECKING:
    from automator._native import NativeAnswer, Work

T = TypeVar("T")


def finished(work: Work[T]) -> T:
    """What a call gives. It ends at once when the user presses Ctrl+C; other threads run meanwhile."""
    return work.wait()


class Delivery:
    """Calls a function of the user's in a thread of its own, one call after the other."""

    def __init__(self, what: str, function: Callable[[Any], object]) -> None:
        """Delivers to a function; ``what`` names it in errors."""
        self._what = what
        self._function = function
        self._queue: queue.SimpleQueue[Any] | None = None
        self._lock = threading.Lock()

    def __del__(self) -> None:
        if self._queue is not None:
            self._queue.put(None)

    def begin(self) -> Delivery:
        """Nothing has to be done for it here."""
        return self

    def call(self, argument: Any, through: Callable[[], None] | None = None) -> None:
        """Has it called; ``through`` is called when it has come to its end."""
        with self._lock:
            if self._queue is None:
                self._queue = queue.SimpleQueue()
                # The thread must not keep this object alive, which ends it.
                words = (self._what, self._function, self._queue)
                threading.Thread(target=_deliver, args=words, name=self._what, daemon=True).start()
        self._queue.put((argument, through))


def _deliver(what: str, function: Callable[[Any], object], calls: queue.SimpleQueue[Any]) -> None:
    while True:
        call = calls.get()
        if call is None:
            return
        argument, through = call
        try:
            given = function(argument)
            if inspect.isawaitable(given):
                asyncio.run(_awaited(given))
        except BaseException as error:
            # The thread is there for the next calls, too.
            told_once(what, function, error)
        if through is not None:
            through()
        # Nothing of a call is kept until the next one comes.
        del call, argument, through


async def _awaited(given: Any) -> Any:
    return await given


def delivery_of(what: str, function: Callable[[Any], object]) -> Delivery:
    """Delivers in a thread of its own."""
    return Delivery(what, function)


class Answering:
    """Answers requests of the library with a function of the user's, each in a thread of its own."""

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

    def begin(self) -> None:
        """Nothing has to be done for it here."""

    def __call__(self, request: str, answer: NativeAnswer) -> Callable[[], object]:
        """Begins to answer; gives what ends that, which threads cannot."""
        words = (request, answer)
        threading.Thread(target=self._answer, args=words, name="automator answer", daemon=True).start()
        return lambda: None

    def _answer(self, request: str, answer: NativeAnswer) -> None:
        try:
            given: Any = self._function(self._read(request))
            if inspect.isawaitable(given):
                given = asyncio.run(_awaited(given))
            answer.give(self._write(given))
        except BaseException as error:
            if self._what is not None:
                told_once(self._what, self._function, error)
            fail(answer, error)


class Course(Generic[T]):
    """A call that goes on by itself, and what is told meanwhile."""

    def __init__(self) -> None:
        """A call that has not begun."""
        self._told: list[Any] = []
        self._changed = threading.Condition()
        self._is_over = False
        self._value: list[T] = []
        self._failure: BaseException | None = None

    def tell(self, item: Any) -> None:
        """Keeps something for those who read, in the order in which it is told."""
        with self._changed:
            self._told.append(item)
            self._changed.notify_all()

    def first(self, call: Callable[[], T]) -> Any:
        """Begins a call; gives what is told first."""
        threading.Thread(target=self._run, args=(call,), name="automator call", daemon=True).start()
        return self._told[0] if self._wait(0) else None

    def _run(self, call: Callable[[], T]) -> None:
        try:
            self._value.append(call())
        except BaseException as error:
            self._failure = error
        with self._changed:
            self._is_over = True
            self._changed.notify_all()

    def _wait(self, place: int) -> bool:
        """Waits for what comes at this place; false when nothing does."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._told) > place or self._is_over)
            return len(self._told) > place

    def items(self) -> Iterator[Any]:
        """What is told, from the start."""
        place = 0
        while self._wait(place):
            yield self._told[place]
            place += 1

    def result(self) -> T:
        """What the call gives."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_over)
        if self._failure is not None:
            raise self._failure
        return self._value[0]
