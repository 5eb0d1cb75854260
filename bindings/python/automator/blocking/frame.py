# Written by `cargo xtask generate` from `asynchronous/frame.py`; change that.
"""A frame of a page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from automator.blocking.calling import finished
from automator.blocking.locator import FrameLocator, Locator
from automator.options import json_text

if TYPE_CHECKING:
    from automator._native import NativeFrame
    from automator.blocking.page import Page


class Frame:
    """A frame of a page: a document in the page, in whatever process it lives."""

    def __init__(self, page: Page, native: NativeFrame) -> None:
        self._page = page
        self._native = native

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Frame) and (self._page, self.id()) == (other._page, other.id())

    def __hash__(self) -> int:
        return hash(self.id())

    def id(self) -> str:
        """Its id, which stays as long as its element lives."""
        return self._native.id()

    def page(self) -> Page:
        """The page."""
        return self._page

    def parent_frame(self) -> Frame | None:
        """The frame that it is in; ``None`` for the main frame, and for one that has gone."""
        parent = self._native.parent()
        return None if parent is None else Frame(self._page, parent)

    def url(self) -> str:
        """The address of its document; empty when it has gone."""
        return self._native.url()

    def name(self) -> str:
        """Its name, as its element or its document gives it; empty when it has none."""
        return self._native.name()

    def locator(self, selector: str) -> Locator:
        """An element of it."""
        return Locator(self._native.locator(selector), selector)

    def deep_locator(self, selector: str) -> Locator:
        """An element of it or of frames in it."""
        return Locator(self._native.deep_locator(selector), selector)

    def frame_locator(self, selector: str) -> FrameLocator:
        """A frame in it."""
        return FrameLocator(self._native.frame_locator(selector))

    def evaluate(self, source: str, argument: Any = None) -> Any:
        """Evaluates JavaScript where the scripts of its document run; see `Page.evaluate`."""
        given = None if argument is None else json_text("evaluate: the argument", argument)
        return json.loads(finished(self._native.evaluate(source, given)))
