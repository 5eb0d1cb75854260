"""Elements by selector: looked for at each call, waited for, and looked at after every action."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from automator.asynchronous.calling import finished
from automator.errors import AutomatorInvalidArgumentError
from automator.files import FilePayload, Files, listed, paths_of, payload_of
from automator.keywords import takes_options
from automator.options import (
    Button,
    ElementPosition,
    Modifier,
    Options,
    SelectorState,
    given_text,
    kind_of,
    texts,
    whole_number,
)
from automator.page_parts import BoundingBox, Point, box_from

if TYPE_CHECKING:
    from automator._native import NativeFrameLocator, NativeLocator


class AsyncFrameLocator:
    """Selectors that start in a frame."""

    def __init__(self, native: NativeFrameLocator) -> None:
        self._native = native

    def locator(self, selector: str) -> AsyncLocator:
        """An element in it."""
        return AsyncLocator(self._native.locator(selector), selector)

    def frame_locator(self, selector: str) -> AsyncFrameLocator:
        """A frame in it."""
        return AsyncFrameLocator(self._native.frame_locator(selector))


@takes_options
class AsyncLocator:
    """Elements by a selector.

    Nothing is looked for before a method is called, and each call looks anew. Where several match, the first is
    meant; see `nth`. An element is waited for: 2 s to be there and 5 s to become usable, or as long as ``timeout``
    says where a method has it. Reading waits only until it is there; `count`, `is_visible` and `wait_for` follow
    their own rules. Actions send the input that a person would, and succeed only when the page shows their effect.

    Methods raise ``AutomatorElementNotFoundError`` and ``XPathResolutionError`` when it does not appear,
    ``ElementNotVisibleError``, ``AutomatorClickError`` and ``AutomatorLocatorError`` when it cannot be used or the
    effect is not seen, ``AutomatorInvalidArgumentError`` for selectors and arguments that cannot be used,
    ``AutomatorIframeError``, ``ContentFrameNotFoundError`` and ``AutomatorShadowRootMissingError`` at a ``>>`` that
    leads nowhere, and ``AutomatorClosedError`` and ``CdpConnectionClosedError`` when the page or the browser goes.
    """

    def __init__(self, native: NativeLocator, selector: str) -> None:
        self._native = native
        self._selector = selector

    @property
    def selector(self) -> str:
        """The selector it was made with."""
        return self._selector

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._selector!r}>"

    def nth(self, index: int) -> AsyncLocator:
        """The match with this number, counted from 0."""
        return AsyncLocator(self._native.nth(whole_number("nth: the number", index)), self._selector)

    def first(self) -> AsyncLocator:
        """The first match."""
        return self.nth(0)

    async def click(
        self,
        options: Options | None = None,
        *,
        button: Button = "left",
        click_count: int = 1,
        modifiers: Iterable[Modifier] = (),
        position: ElementPosition | Options | None = None,
        delay: float = 0,
        timeout: float | None = None,
    ) -> None:
        """Clicks.

        Args:
            options: The options below as a dict.
            button: Which button.
            click_count: How many clicks follow each other as one gesture.
            modifiers: Keys that are held meanwhile.
            position: Where in the element. Default: in its middle, or where it is not covered.
            delay: How long the button stays down, in milliseconds.
            timeout: How long the element is waited for, in milliseconds.
        """
        given = given_text(
            {
                "button": button,
                "click_count": click_count,
                "modifiers": texts("modifiers", modifiers),
                "position": position,
                "delay": delay,
                "timeout": timeout,
            }
        )
        await finished(self._native.click(given))

    async def double_click(self) -> None:
        """Clicks twice, as one gesture."""
        await finished(self._native.double_click())

    async def hover(
        self,
        options: Options | None = None,
        *,
        modifiers: Iterable[Modifier] = (),
        position: ElementPosition | Options | None = None,
        timeout: float | None = None,
    ) -> None:
        """Puts the pointer over it.

        Args:
            options: The options below as a dict.
            modifiers: Keys that are held meanwhile.
            position: Where in the element. Default: in its middle, or where it is not covered.
            timeout: How long the element is waited for, in milliseconds.
        """
        given = given_text({"modifiers": texts("modifiers", modifiers), "position": position, "timeout": timeout})
        await finished(self._native.hover(given))

    async def tap(self) -> None:
        """Touches it."""
        await finished(self._native.tap())

    async def set_checked(self, is_on: bool) -> None:
        """Turns a checkbox, a switch or a radio button on or off."""
        await finished(self._native.set_checked(is_on))

    async def fill(self, value: str, options: Options | None = None, *, timeout: float | None = None) -> None:
        """Replaces what a field holds.

        Args:
            value: Dates are written as ``2026-11-28``, times as ``13:45``, colours as ``#ff8800``.
            options: The options below as a dict.
            timeout: How long the element is waited for, in milliseconds.
        """
        await finished(self._native.fill(value, given_text({"timeout": timeout})))

    async def type(
        self,
        text: str,
        options: Options | None = None,
        *,
        delay: float = 0,
        timeout: float | None = None,
    ) -> None:
        """Types key by key, after what is there.

        Args:
            text: What to type.
            options: The options below as a dict.
            delay: How long to wait after each character, in milliseconds.
            timeout: How long the element is waited for, in milliseconds.
        """
        await finished(self._native.type(text, given_text({"delay": delay, "timeout": timeout})))

    async def press(self, key: str) -> None:
        """Presses a key or a combination while it has the focus: ``Enter``, ``Control+A``."""
        await finished(self._native.press(key))

    async def focus(self) -> None:
        """Gives it the focus."""
        await finished(self._native.focus())

    async def select_option(self, options: str | Iterable[str]) -> list[str]:
        """Selects options of a list by value or by the text that people see; all others are deselected.

        Returns:
            The values that are selected.
        """
        return await finished(self._native.select_option(texts("select_option: the options", options)))

    async def set_input_files(self, files: Files) -> None:
        """Gives a file input these files, by path or from memory; none empties it."""
        given = listed(files)
        paths = [file for file in given if not isinstance(file, FilePayload)]
        if len(paths) == len(given):
            await finished(self._native.set_input_files(paths_of(paths)))
        else:
            await finished(self._native.set_input_payloads([payload_of(file) for file in given]))

    async def drag_to(
        self,
        target: AsyncLocator,
        options: Options | None = None,
        *,
        steps: int = 5,
        delay: float = 0,
        from_: ElementPosition | Options | None = None,
        to: ElementPosition | Options | None = None,
        timeout: float | None = None,
    ) -> None:
        """Drags it to another element.

        Args:
            target: The other element.
            options: The options below as a dict.
            steps: How many moves lead from the start to the end.
            delay: How long to wait after the press, after each move, and before the release, in milliseconds.
            from_: Where in the dragged element. Default: in its middle, or where it is not covered.
            to: Where in the element that it is dragged to.
            timeout: How long each element is waited for, in milliseconds.
        """
        if not isinstance(target, AsyncLocator):
            raise TypeError(f"drag_to() takes a locator, not {kind_of(target)}")
        given = given_text({"steps": steps, "delay": delay, "from_": from_, "to": to, "timeout": timeout})
        await finished(self._native.drag_to(target._native, given))

    async def scroll_to(self, percent: float | str) -> None:
        """Scrolls it to a share of its height, such as 50 or ``"50%"``."""
        try:
            share = float(percent.strip().removesuffix("%")) if isinstance(percent, str) else float(percent)
        except ValueError as error:
            raise AutomatorInvalidArgumentError(
                f'scroll_to: the percentage must be a number or a text such as "50%", not {kind_of(percent)}'
            ) from error
        await finished(self._native.scroll_to(share))

    async def scroll_by(self, across: float, down: float) -> None:
        """Scrolls it by pixels, to the right and down."""
        await finished(self._native.scroll_by(across, down))

    async def scroll_into_view(self) -> None:
        """Scrolls it into view."""
        await finished(self._native.scroll_into_view())

    async def send_click_event(
        self,
        options: Options | None = None,
        *,
        bubbles: bool | None = None,
        cancelable: bool | None = None,
        composed: bool | None = None,
        detail: int | None = None,
    ) -> None:
        """Sends it a click event, whether it can be seen or not.

        Args:
            options: The options below as a dict.
            bubbles: Whether the event bubbles. Default: true.
            cancelable: Whether it can be cancelled. Default: true.
            composed: Whether it leaves shadow roots. Default: true.
            detail: The number of clicks that it tells. Default: 1.
        """
        given = given_text({"bubbles": bubbles, "cancelable": cancelable, "composed": composed, "detail": detail})
        await finished(self._native.send_click_event(given))

    async def highlight(self, options: Options | None = None, *, duration_ms: float | None = None) -> None:
        """Marks it on the page for a while.

        Args:
            options: The options below as a dict.
            duration_ms: For how long, in milliseconds. Default: 800.
        """
        await finished(self._native.highlight(given_text({"duration_ms": duration_ms})))

    async def wait_for(
        self,
        options: Options | None = None,
        *,
        state: SelectorState | None = None,
        timeout: float | None = None,
        pierce_shadow: bool | None = None,
    ) -> None:
        """Waits until it is in a state.

        Args:
            options: The options below as a dict.
            state: What it must be. Default: ``visible``.
            timeout: The limit of time in milliseconds. Default: 30000.
            pierce_shadow: Shadow roots are always looked into.

        Raises:
            AutomatorEvalError: It does not come in time.
        """
        given = given_text({"state": state, "timeout": timeout, "pierce_shadow": pierce_shadow})
        await finished(self._native.wait_for(given))

    async def count(self) -> int:
        """How many there are now."""
        return await finished(self._native.count())

    async def is_visible(self) -> bool:
        """Whether people see it now; not being there is not being seen."""
        return await finished(self._native.is_visible())

    async def is_enabled(self) -> bool:
        """Whether it can be used: neither disabled nor inert."""
        return await finished(self._native.is_enabled())

    async def is_checked(self) -> bool:
        """Whether it is on: a checkbox, a radio button, or what ``aria-checked`` says."""
        return await finished(self._native.is_checked())

    async def input_value(self) -> str:
        """What a field holds."""
        return await finished(self._native.input_value())

    async def text_content(self) -> str:
        """All text in it, as the document has it."""
        return await finished(self._native.text_content())

    async def inner_text(self) -> str:
        """Its text as it is laid out."""
        return await finished(self._native.inner_text())

    async def inner_html(self) -> str:
        """The HTML in it."""
        return await finished(self._native.inner_html())

    async def get_attribute(self, name: str) -> str | None:
        """One of its attributes; ``None`` when it has none of this name."""
        return await finished(self._native.get_attribute(name))

    async def bounding_box(self) -> BoundingBox | None:
        """Its box in the page's viewport; ``None`` when it has none."""
        return box_from(await finished(self._native.bounding_box()))

    async def centroid(self) -> Point:
        """The middle of its box in the page's viewport, in CSS pixels."""
        return Point(*await finished(self._native.centroid()))

    async def backend_node_id(self) -> int:
        """The id by which the DevTools protocol knows its node."""
        return await finished(self._native.backend_node_id())
