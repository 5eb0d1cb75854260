"""How calls are waited for, and functions of the user called, where there is no event loop."""

from __future__ import annotations

import asyncio
import inspect
import queue
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from automator.callbacks import told_once
from automator.llm_client import LLMClient, LLMFunction, function_of, fail, reply_text, request_from

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
    """Answers requests with a client of the user's, each in a thread of its own."""

    def __init__(self, client: LLMClient | LLMFunction) -> None:
        """Answers with this client."""
        self._generate = function_of(client)

    def begin(self) -> None:
        """Nothing has to be done for it here."""

    def __call__(self, request: str, answer: NativeAnswer) -> Callable[[], object]:
        """Begins to answer; gives what ends that, which threads cannot."""
        words = (request, answer)
        threading.Thread(target=self._answer, args=words, name="automator llm client", daemon=True).start()
        return lambda: None

    def _answer(self, request: str, answer: NativeAnswer) -> None:
        try:
            given: Any = self._generate(request_from(request))
            if inspect.isawaitable(given):
                given = asyncio.run(_awaited(given))
            answer.give(reply_text(given))
        except BaseException as error:
            fail(answer, error)
