# Written by `cargo xtask generate` from `asynchronous/download.py`; change that.
"""Files that the browser saves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from automator.blocking.calling import finished

if TYPE_CHECKING:
    from automator._native import NativeDownload


class Download:
    """A file that was, or is being, saved."""

    def __init__(self, native: NativeDownload) -> None:
        self._native = native

    def url(self) -> str:
        """Where it comes from."""
        return self._native.url()

    def suggested_filename(self) -> str:
        """The name that the server or the page gives it."""
        return self._native.suggested_filename()

    def state(self) -> Literal["in_progress", "completed", "canceled", "denied"]:
        """How far it has come."""
        return self._native.state()

    def path(self) -> Path | None:
        """Where it is, once it is complete; in a remote session, once `finished` has brought it here."""
        path = self._native.path()
        return None if path is None else Path(path)

    def finished(self) -> Path:
        """Waits until it is complete, and gives its path. From a remote session it is brought to this machine.

        Raises:
            DownloadError: It fails, is canceled or refused, or the platform does not hand it over.
        """
        return Path(finished(self._native.finished()))

    def cancel(self) -> None:
        """Stops it."""
        finished(self._native.cancel())
