"""Functions of the user that the library calls: one that throws harms nothing but itself."""

from __future__ import annotations

import contextlib
import threading
import traceback
import warnings
import weakref
from collections.abc import Callable
from typing import Any


class AutomatorWarning(RuntimeWarning):
    """A function of the user has failed where no call could tell of it."""


_failed: weakref.WeakSet[Any] = weakref.WeakSet()
_failed_lock = threading.Lock()


def told_once(what: str, function: Callable[..., Any], error: BaseException) -> None:
    """Warns that a function has failed, the first time it does."""
    key = getattr(function, "__func__", function)
    with _failed_lock:
        try:
            if key in _failed:
                return
            _failed.add(key)
        except TypeError:
            # Nothing can remember it, so it is told each time.
            pass
    reason = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    # Who makes errors of warnings gets none here: there is no call that could raise it.
    with contextlib.suppress(AutomatorWarning):
        warnings.warn(f"{what} failed, which is not told again: {reason}", AutomatorWarning, stacklevel=2)
