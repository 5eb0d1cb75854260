"""Lines of a page's console."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from automator.answers import made
from automator.page_parts import ConsoleArgument, ScriptLocation

if TYPE_CHECKING:
    from automator._native import NativeEvent
    from automator.asynchronous.page import AsyncPage


class AsyncConsoleMessage:
    """A line of a page's console."""

    def __init__(self, page: AsyncPage, native: NativeEvent) -> None:
        self._page = page
        # It keeps the objects of the arguments alive in the page.
        self._native = native
        self._told: dict[str, Any] = json.loads(native.json())

    def type(self) -> str:
        """The method of ``console`` that wrote it, with ``warning`` for ``warn``."""
        return str(self._told["type"])

    def text(self) -> str:
        """The arguments as one text."""
        return str(self._told["text"])

    def args(self) -> list[ConsoleArgument]:
        """The arguments one by one."""
        return [made(ConsoleArgument, argument) for argument in self._told["args"]]

    def location(self) -> ScriptLocation:
        """Where it was written."""
        return made(ScriptLocation, self._told["location"])

    def page(self) -> AsyncPage:
        """The page that it was written on."""
        return self._page

    def timestamp(self) -> float:
        """When, in milliseconds since 1970."""
        return float(self._told["timestamp"])

    def raw(self) -> dict[str, Any]:
        """All that is known of it, as plain data."""
        return dict(self._told)
