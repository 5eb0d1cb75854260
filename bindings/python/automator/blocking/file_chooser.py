# Written by `cargo xtask generate` from `asynchronous/file_chooser.py`; change that.
"""File choosers that pages open."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

from automator.blocking.calling import finished
from automator.files import FilePath, paths_of

if TYPE_CHECKING:
    from automator._native import NativeEvent
    from automator.blocking.page import Page


class FileChooser:
    """A file chooser that a page has opened.

    No window is shown: the page waits for files, without harm when none come.
    """

    def __init__(self, page: Page, native: NativeEvent) -> None:
        self._page = page
        self._native = native

    def page(self) -> Page:
        """The page that wants the files."""
        return self._page

    def is_multiple(self) -> bool:
        """Whether several files may be given."""
        return bool(json.loads(self._native.json())["isMultiple"])

    def set_files(self, paths: FilePath | Iterable[FilePath]) -> None:
        """Gives it these files; none empties the input."""
        finished(self._native.set_files(paths_of(paths)))
