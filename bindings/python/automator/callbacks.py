"""Functions of the user that the library calls: one that throws harms nothing but itself."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any

from automator.log_line import LOGGER

_failed: weakref.WeakSet[Any] = weakref.WeakSet()
_failed_lock = threading.Lock()


def told_once(what: str, function: Callable[..., Any], error: BaseException) -> None:
    """Logs that a function has failed, the first time it does."""
    key = getattr(function, "__func__", function)
    with _failed_lock:
        try:
            if key in _failed:
                return
            _failed.add(key)
        except TypeError:
            # Nothing can remember it, so it is told each time.
            pass
    LOGGER.error("%s failed, which is not told again", what, exc_info=error)
