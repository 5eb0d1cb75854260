"""The end of the program: from then on no thread of the library comes into Python."""

from __future__ import annotations

import atexit

from automator import _native

# What programs register after the import comes before it, and can still close sessions.
atexit.register(_native.end)
