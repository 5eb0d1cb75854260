# Written by `cargo xtask generate` from `asynchronous/locator.py`; change that.
"""Elements by selector: looked for at each call, waited for, and looked at after every action."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from automator.blocking.calling import finished
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


class FrameLocator:
    """Selectors that start in a frame."""

    def __init__(self, native: NativeFrameLocator) -> None:
        self._native = native

    def locator(self, selector: str) -> Locator:
        """An element in it."""
        return Locator(self._native.locator(selector), selector)

    def frame_locator(self, selector: str) -> FrameLocator:
        """A frame in it."""
        return FrameLocator(self._native.frame_locator(selector))


@takes_options
class Locator:
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

    def nth(self, index: int) -> Locator:
        """The match with this number, counted from 0."""
        return Locator(self._native.nth(whole_number("nth: the number", index)), self._selector)

    def first(self) -> Locator:
        """The first match."""
        return self.nth(0)

    def click(
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
        finished(self._native.click(given))

    def double_click(self) -> None:
        """Clicks twice, as one gesture."""
        finished(self._native.double_click())

    def hover(
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
        finished(self._native.hover(given))

    def tap(self) -> None:
        """Touches it."""
        finished(self._native.tap())

    def set_checked(self, is_on: bool) -> None:
        """Turns a checkbox, a switch or a radio button on or off."""
        finished(self._native.set_checked(is_on))

    def fill(self, value: str, options: Options | None = None, *, timeout: float | None = None) -> None:
        """Replaces what a field holds.

        Args:
            value: Dates are written as ``2026-11-28``, times as ``13:45``, colours as ``#ff8800``.
            options: The options below as a dict.
            timeout: How long the element is waited for, in milliseconds.
        """
        finished(self._native.fill(value, given_text({"timeout": timeout})))

    def type(
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
        finished(self._native.type(text, given_text({"delay": delay, "timeout": timeout})))

    def press(self, key: str) -> None:
        """Presses a key or a combination while it has the focus: ``Enter``, ``Control+A``."""
        finished(self._native.press(key))

    def focus(self) -> None:
        """Gives it the focus."""
        finished(self._native.focus())

    def select_option(self, options: str | Iterable[str]) -> list[str]:
        """Selects options of a list by value or by the text that people see; all others are deselected.

        Returns:
            The values that are selected.
        """
        return finished(self._native.select_option(texts("select_option: the options", options)))

    def set_input_files(self, files: Files) -> None:
        """Gives a file input these files, by path or from memory; none empties it."""
        given = listed(files)
        paths = [file for file in given if not isinstance(file, FilePayload)]
        if len(paths) == len(given):
            finished(self._native.set_input_files(paths_of(paths)))
        else:
            finished(self._native.set_input_payloads([payload_of(file) for file in given]))

    def drag_to(
        self,
        target: Locator,
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
        if not isinstance(target, Locator):
            raise TypeError(f"drag_to() takes a locator, not {kind_of(target)}")
        given = given_text({"steps": steps, "delay": delay, "from_": from_, "to": to, "timeout": timeout})
        finished(self._native.drag_to(target._native, given))

    def scroll_to(self, percent: float | str) -> None:
        """Scrolls it to a share of its height, such as 50 or ``"50%"``."""
        try:
            share = float(percent.strip().removesuffix("%")) if isinstance(percent, str) else float(percent)
        except ValueError as error:
            raise AutomatorInvalidArgumentError(
                f'scroll_to: the percentage must be a number or a text such as "50%", not {kind_of(percent)}'
            ) from error
        finished(self._native.scroll_to(share))

    def scroll_by(self, across: float, down: float) -> None:
        """Scrolls it by pixels, to the right and down."""
        finished(self._native.scroll_by(across, down))

    def scroll_into_view(self) -> None:
        """Scrolls it into view."""
        finished(self._native.scroll_into_view())

    def send_click_event(
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
        finished(self._native.send_click_event(given))

    def highlight(self, options: Options | None = None, *, duration_ms: float | None = None) -> None:
        """Marks it on the page for a while.

        Args:
            options: The options below as a dict.
            duration_ms: For how long, in milliseconds. Default: 800.
        """
        finished(self._native.highlight(given_text({"duration_ms": duration_ms})))

    def wait_for(
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
        finished(self._native.wait_for(given))

    def count(self) -> int:
        """How many there are now."""
        return finished(self._native.count())

    def is_visible(self) -> bool:
        """Whether people see it now; not being there is not being seen."""
        return finished(self._native.is_visible())

    def is_enabled(self) -> bool:
        """Whether it can be used: neither disabled nor inert."""
        return finished(self._native.is_enabled())

    def is_checked(self) -> bool:
        """Whether it is on: a checkbox, a radio button, or what ``aria-checked`` says."""
        return finished(self._native.is_checked())

    def input_value(self) -> str:
        """What a field holds."""
        return finished(self._native.input_value())

    def text_content(self) -> str:
        """All text in it, as the document has it."""
        return finished(self._native.text_content())

    def inner_text(self) -> str:
        """Its text as it is laid out."""
        return finished(self._native.inner_text())

    def inner_html(self) -> str:
        """The HTML in it."""
        return finished(self._native.inner_html())

    def get_attribute(self, name: str) -> str | None:
        """One of its attributes; ``None`` when it has none of this name."""
        return finished(self._native.get_attribute(name))

    def bounding_box(self) -> BoundingBox | None:
        """Its box in the page's viewport; ``None`` when it has none."""
        return box_from(finished(self._native.bounding_box()))

    def centroid(self) -> Point:
        """The middle of its box in the page's viewport, in CSS pixels."""
        return Point(*finished(self._native.centroid()))

    def backend_node_id(self) -> int:
        """The id by which the DevTools protocol knows its node."""
        return finished(self._native.backend_node_id())
