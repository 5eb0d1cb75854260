# Written by `cargo xtask generate` from `asynchronous/dialog.py`; change that.
"""Dialogs that pages open."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from automator.blocking.calling import finished
from automator.page_parts import DialogType

if TYPE_CHECKING:
    from automator._native import NativeEvent
    from automator.blocking.page import Page


class Dialog:
    """A dialog that a page has opened.

    The page stands still until it is answered; the first answer counts. When all listeners are through without an
    answer, and in any case after 10 s, ``alert`` and ``beforeunload`` are accepted and the others dismissed.
    """

    def __init__(self, page: Page, native: NativeEvent) -> None:
        self._page = page
        self._native = native
        self._told: dict[str, Any] = json.loads(native.json())
        self._is_decided = False

    def type(self) -> DialogType:
        """What kind of dialog it is."""
        kind: DialogType = self._told["type"]
        return kind

    def message(self) -> str:
        """What it says."""
        return str(self._told["message"])

    def default_value(self) -> str:
        """What a prompt offers as an answer; empty for the others."""
        return str(self._told["defaultValue"] or "")

    def url(self) -> str:
        """The address of the frame that opened it."""
        return str(self._told["url"])

    def page(self) -> Page:
        """The page that opened it."""
        return self._page

    def accept(self, prompt_text: str | None = None) -> None:
        """Accepts it. Returns when it has gone.

        Args:
            prompt_text: The answer of a prompt. Default: what it offers.

        Raises:
            AutomatorClosedError: It has been answered already.
        """
        work = self._native.accept_dialog(prompt_text)
        self._is_decided = True
        finished(work)

    def dismiss(self) -> None:
        """Dismisses it. Returns when it has gone.

        Raises:
            AutomatorClosedError: It has been answered already.
        """
        self._is_decided = True
        finished(self._native.dismiss_dialog())

    def _leave(self) -> None:
        """Leaves it to the policy, unless an answer is on its way."""
        if not self._is_decided:
            self._native.leave_dialog()
