"""Who listens to what on a page. Only what somebody listens to is asked of the browser."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, get_args

from automator.errors import AutomatorInvalidArgumentError
from automator.names import nearest
from automator.options import kind_of

if TYPE_CHECKING:
    from automator._native import NativeEvent, NativeListening, NativePage

PageEventName: TypeAlias = Literal["console", "pageerror", "dialog", "download", "filechooser", "popup", "close"]
"""The events of a page."""

# The names of the native half.
_KINDS = {
    "console": "console",
    "pageerror": "error",
    "dialog": "dialogOpened",
    "download": "download",
    "filechooser": "fileChooser",
    "popup": "popUp",
    "close": "closed",
}


class Delivery(Protocol):
    """Calls one function of the user's, where and when that can be done."""

    def call(self, argument: Any, through: Callable[[], None] | None = None) -> None:
        """Has it called, in its turn; ``through`` is called when it has come to its end."""


@dataclass
class _Entry:
    listener: Callable[[Any], object]
    is_once: bool
    delivery: Delivery


class PageEvents:
    """The listeners of a page."""

    def __init__(
        self,
        native: NativePage,
        event_of: Callable[[str, NativeEvent], Any],
        delivery_of: Callable[[str, Callable[[Any], object]], Delivery],
    ) -> None:
        """Listeners of a page.

        Args:
            native: The page.
            event_of: What listeners get for an event of this name.
            delivery_of: How a listener is called; its words are for errors.
        """
        self._native = native
        self._event_of = event_of
        self._delivery_of = delivery_of
        self._entries: dict[str, list[_Entry]] = {}
        self._listening: dict[str, NativeListening] = {}
        # Events come in threads of the library.
        self._lock = threading.RLock()

    def add(self, name: str, listener: Callable[[Any], object], is_once: bool) -> None:
        """Listens from now on."""
        if name not in get_args(PageEventName):
            raise AutomatorInvalidArgumentError(f"pages have no event {kind_of(name)}; {nearest(str(name), _KINDS)}")
        if not callable(listener):
            raise TypeError(f"a listener must be a function, not {kind_of(listener)}")
        entry = _Entry(listener, is_once, self._delivery_of(f'a listener of "{name}"', listener))
        with self._lock:
            entries = self._entries.setdefault(name, [])
            entries.append(entry)
            is_first = name not in self._listening and len(entries) == 1
        if is_first:
            # Not under the lock: this waits until the browser has heard of it, and events may come meanwhile.
            listening = self._native.listen(_KINDS[name], lambda event: self._tell(name, event))
            with self._lock:
                self._listening[name] = listening
                self._stop_if_unheard(name)

    def remove(self, name: str, listener: Callable[[Any], object]) -> None:
        """Ends the listening of a listener; nothing happens when it does not listen."""
        with self._lock:
            entries = self._entries.get(name, [])
            for index, entry in enumerate(entries):
                if entry.listener == listener:
                    del entries[index]
                    break
            self._stop_if_unheard(name)

    def _stop_if_unheard(self, name: str) -> None:
        if not self._entries.get(name) and name in self._listening:
            self._listening.pop(name).stop()

    def _tell(self, name: str, native: NativeEvent) -> None:
        event = self._event_of(name, native)
        with self._lock:
            entries = list(self._entries.get(name, []))
        leave: Callable[[], None] | None = getattr(event, "_leave", None) if name == "dialog" else None
        through = _AfterAll(len(entries), leave) if leave is not None else None
        for entry in entries:
            if entry.is_once:
                self._forget(name, entry)
            entry.delivery.call(event, through)
        if leave is not None and not entries:
            leave()

    def _forget(self, name: str, entry: _Entry) -> None:
        with self._lock:
            entries = self._entries.get(name, [])
            if entry in entries:
                entries.remove(entry)
            self._stop_if_unheard(name)


class _AfterAll:
    """Calls a function when it has been called so often itself."""

    def __init__(self, count: int, function: Callable[[], None]) -> None:
        self._left = count
        self._function = function
        self._lock = threading.Lock()

    def __call__(self) -> None:
        with self._lock:
            self._left -= 1
            is_last = self._left == 0
        if is_last:
            self._function()
