# Written by `cargo xtask generate` from `asynchronous/page.py`; change that.
"""A page of the session."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from automator.action import Action, ActResult
from automator.blocking.calling import delivery_of, finished
from automator.blocking.console_message import ConsoleMessage
from automator.blocking.dialog import Dialog
from automator.blocking.download import Download
from automator.blocking.file_chooser import FileChooser
from automator.blocking.frame import Frame
from automator.blocking.locator import FrameLocator, Locator
from automator.blocking.response import Response
from automator.files import FilePath
from automator.keywords import takes_options
from automator.options import (
    Button,
    Clip,
    Model,
    Modifier,
    Options,
    SelectorState,
    Variables,
    WaitUntil,
    given_text,
    json_text,
    milliseconds,
    options_text,
    texts,
    whole_number,
)
from automator.page_events import PageEventName, PageEvents
from automator.page_parts import PageError, Snapshot, error_from, snapshot_from
from automator.schema import schema_of
from automator.scripts import headers_of, init_script_text

if TYPE_CHECKING:
    from pydantic import TypeAdapter
    from typing_extensions import TypeForm

    from automator._native import NativeEvent, NativePage, NativeResponse
    from automator.blocking.automator import Automator
    from automator.blocking.context import Context

T = TypeVar("T")


@takes_options
class Page:
    """A page. There is one object for each, so two are the same page when they are the same object.

    Methods that ask the page raise ``AutomatorClosedError`` and ``CdpConnectionClosedError`` when it or the browser
    goes meanwhile, ``PageNotFoundError`` when it is closed, and ``TimeoutError`` after 30 s or their own limit.
    """

    def __init__(self, session: Automator, context: Context, native: NativePage) -> None:
        self._session = session
        self._context = context
        self._native = native
        self._events = PageEvents(native, self._event_of, delivery_of)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.url()!r}>"

    def context(self) -> Context:
        """The context that it belongs to."""
        return self._context

    def target_id(self) -> str:
        """The id under which the browser, and other libraries, know it."""
        return self._native.id()

    def main_frame_id(self) -> str:
        """The id of the main frame, which is that of the page."""
        return self._native.id()

    def url(self) -> str:
        """The address, as the browser last told it."""
        return self._native.url()

    def title(self) -> str:
        """The title."""
        return finished(self._native.title())

    def is_closed(self) -> bool:
        """Whether it has been closed, by us or by itself."""
        return self._native.is_closed()

    def opener(self) -> Page | None:
        """The page that opened this one; ``None`` when there is none any more."""
        opener = self._native.opener()
        return None if opener is None else self._context._page_of(opener)

    def close(self) -> None:
        """Closes it."""
        finished(self._native.close())

    def locator(self, selector: str) -> Locator:
        """An element by selector.

        Args:
            selector: CSS; an XPath, bare or with ``xpath=``; ``text=`` and a part of a text. Shadow roots, open and
                closed, are looked into.
        """
        return Locator(self._native.locator(selector), selector)

    def deep_locator(self, selector: str) -> Locator:
        """An element by a selector whose ``>>`` lead into frames and shadow roots: ``#checkout >> text=Pay``."""
        return Locator(self._native.deep_locator(selector), selector)

    def frame_locator(self, selector: str) -> FrameLocator:
        """A frame, for selectors that start in it."""
        return FrameLocator(self._native.frame_locator(selector))

    def main_frame(self) -> Frame:
        """The main frame."""
        return Frame(self, self._native.main_frame())

    def frames(self) -> list[Frame]:
        """All frames, the main one first."""
        return [Frame(self, frame) for frame in self._native.frames()]

    def goto(
        self,
        url: str,
        options: Options | None = None,
        *,
        wait_until: WaitUntil | None = None,
        timeout_ms: float | None = None,
    ) -> Response | None:
        """Goes to an address.

        Args:
            url: The address.
            options: The options below as a dict.
            wait_until: How far the page must come. Default: ``domcontentloaded``.
            timeout_ms: The limit of time in milliseconds; 0 is none. Default: 15000.

        Returns:
            The response of the main document, if there is one; an HTTP error is a page like any other.

        Raises:
            NavigationError: Network errors and forbidden addresses.
            TimeoutError: The limit of time was reached.
        """
        given = given_text({"wait_until": wait_until, "timeout_ms": timeout_ms})
        return self._response(finished(self._native.goto(url, given)))

    def reload(
        self,
        options: Options | None = None,
        *,
        wait_until: WaitUntil | None = None,
        timeout_ms: float | None = None,
        ignore_cache: bool = False,
    ) -> Response | None:
        """Loads it anew.

        Args:
            options: The options below as a dict.
            wait_until: How far the page must come. Default: ``domcontentloaded``.
            timeout_ms: The limit of time in milliseconds; 0 is none. Default: 15000.
            ignore_cache: Asks the servers again for what is in the browser's cache.
        """
        given = given_text({"wait_until": wait_until, "timeout_ms": timeout_ms, "ignore_cache": ignore_cache})
        return self._response(finished(self._native.reload(given)))

    def go_back(
        self,
        options: Options | None = None,
        *,
        wait_until: WaitUntil | None = None,
        timeout_ms: float | None = None,
    ) -> Response | None:
        """Goes one step back in its history; ``None`` when there is none.

        Args:
            options: The options below as a dict.
            wait_until: How far the page must come. Default: ``domcontentloaded``.
            timeout_ms: The limit of time in milliseconds; 0 is none. Default: 15000.
        """
        given = given_text({"wait_until": wait_until, "timeout_ms": timeout_ms})
        return self._response(finished(self._native.go_back(given)))

    def go_forward(
        self,
        options: Options | None = None,
        *,
        wait_until: WaitUntil | None = None,
        timeout_ms: float | None = None,
    ) -> Response | None:
        """Goes one step forward in its history; ``None`` when there is none.

        Args:
            options: The options below as a dict.
            wait_until: How far the page must come. Default: ``domcontentloaded``.
            timeout_ms: The limit of time in milliseconds; 0 is none. Default: 15000.
        """
        given = given_text({"wait_until": wait_until, "timeout_ms": timeout_ms})
        return self._response(finished(self._native.go_forward(given)))

    def wait_for_load_state(self, state: WaitUntil = "domcontentloaded", timeout_ms: float | None = None) -> None:
        """Waits until the document has come so far.

        Args:
            state: How far.
            timeout_ms: The limit of time in milliseconds; 0 is none. Default: 15000.

        Raises:
            TimeoutError: The limit of time was reached.
        """
        limit = milliseconds("wait_for_load_state: timeout_ms", timeout_ms)
        finished(self._native.wait_for_load_state(options_text({"state": state}), limit))

    def wait_for_selector(
        self,
        selector: str,
        options: Options | None = None,
        *,
        state: SelectorState | None = None,
        timeout: float | None = None,
        pierce_shadow: bool | None = None,
    ) -> Literal[True]:
        """Waits until an element is in a state.

        Args:
            selector: The element; ``>>`` leads into frames.
            options: The options below as a dict.
            state: What it must be. Default: ``visible``.
            timeout: The limit of time in milliseconds. Default: 30000.
            pierce_shadow: Shadow roots are always looked into.

        Raises:
            AutomatorEvalError: It does not come in time.
        """
        given = given_text({"state": state, "timeout": timeout, "pierce_shadow": pierce_shadow})
        finished(self._native.wait_for_selector(selector, given))
        return True

    def wait_for_timeout(self, duration_ms: float) -> None:
        """Does nothing for a while, in milliseconds."""
        if duration_ms is None:
            raise TypeError("wait_for_timeout() takes a number of milliseconds, not None")
        finished(self._native.wait_for_timeout(milliseconds("wait_for_timeout", duration_ms) or 0))

    def evaluate(self, source: str, argument: Any = None) -> Any:
        """Evaluates JavaScript where the page's own scripts run. There is no limit of time.

        Args:
            source: An expression, statements (the last one has the value), or the source of a function, which is
                called with the argument: ``"([a, b]) => a + b"``. Promises are waited for.
            argument: What JSON can hold. ``None`` is no argument.

        Returns:
            The value, as JSON has it: ``undefined``, and what JSON does not have, is ``None``.

        Raises:
            AutomatorEvalError: With the page's own message.
        """
        given = None if argument is None else json_text("evaluate: the argument", argument)
        return json.loads(finished(self._native.main_frame().evaluate(source, given)))

    def screenshot(
        self,
        options: Options | None = None,
        *,
        type: Literal["png", "jpeg", "webp"] = "png",
        quality: int | None = None,
        full_page: bool = False,
        clip: Clip | Options | None = None,
        mask: Iterable[str | Locator] = (),
        mask_color: str | None = None,
        omit_background: bool = False,
        style: str | None = None,
        caret: Literal["hide", "initial"] = "hide",
        animations: Literal["allow", "disabled"] = "allow",
        scale: Literal["css", "device"] = "device",
        path: FilePath | None = None,
        timeout: float | None = None,
    ) -> bytes:
        """A picture of the page, of a part of it, or of all of it.

        Args:
            options: The options below as a dict.
            type: The format of the file.
            quality: How good a JPEG or WebP is, from 1 to 100. Default: the browser's.
            full_page: The whole page and not only what the viewport shows.
            clip: A part of the viewport. Default: all of it.
            mask: What to cover with boxes: selectors, or locators, which stand for theirs.
            mask_color: The colour of those boxes, as CSS has it. Default: ``#FF00FF``.
            omit_background: Leaves out the white behind pages.
            style: A style sheet that holds while the picture is taken.
            caret: What becomes of the text cursor.
            animations: What becomes of animations.
            scale: How many pixels the picture has: one for each CSS pixel, or those of the device.
            path: A file to write the picture to.
            timeout: The limit of time in milliseconds; 0 is none. Default: 30000.

        Raises:
            AutomatorInvalidArgumentError: Options contradict each other, as ``quality`` and ``png``.
        """
        masked = [entry.selector if isinstance(entry, Locator) else entry for entry in mask or ()]
        given = given_text(
            {
                "type": type,
                "quality": quality,
                "full_page": full_page,
                "clip": clip,
                "mask": masked,
                "mask_color": mask_color,
                "omit_background": omit_background,
                "style": style,
                "caret": caret,
                "animations": animations,
                "scale": scale,
                "path": path,
                "timeout": timeout,
            }
        )
        return finished(self._native.screenshot(given))

    def set_viewport_size(
        self,
        width: int,
        height: int,
        options: Options | None = None,
        *,
        device_scale_factor: float | None = None,
    ) -> None:
        """Gives the viewport a size in CSS pixels.

        Args:
            width: Its width.
            height: Its height.
            options: The options below as a dict.
            device_scale_factor: Device pixels per CSS pixel. Default: as it is at present.
        """
        given = given_text({"device_scale_factor": device_scale_factor})
        size = (
            whole_number("set_viewport_size: the width", width),
            whole_number("set_viewport_size: the height", height),
        )
        finished(self._native.set_viewport_size(*size, given))

    def snapshot(
        self,
        options: Options | None = None,
        *,
        selector: str | None = None,
        ignore_selectors: str | Iterable[str] = (),
        include_iframes: bool | None = None,
        timeout: float | None = None,
    ) -> Snapshot:
        """The page as text with ids, and what belongs to them.

        Args:
            options: The options below as a dict.
            selector: Limits the snapshot to one part of the page. Default: the whole page.
            ignore_selectors: Selectors whose elements are left out with all that is below them.
            include_iframes: Reads the content of frames, too. Default: true.
            timeout: The limit of time in milliseconds; 0 is none. Default: 30000.
        """
        given = options_text(
            {
                "selector": selector,
                "ignore_selectors": texts("ignore_selectors", ignore_selectors),
                "include_iframes": include_iframes,
                "timeout": timeout,
            }
        )
        return snapshot_from(finished(self._native.snapshot(given)))

    def click(
        self,
        x: float,
        y: float,
        options: Options | None = None,
        *,
        button: Button = "left",
        click_count: int = 1,
        modifiers: Iterable[Modifier] = (),
        delay: float = 0,
        return_xpath: bool = False,
    ) -> str:
        """Clicks at a point of the viewport.

        Args:
            x: To the right, in CSS pixels.
            y: Down, in CSS pixels.
            options: The options below as a dict.
            button: Which button.
            click_count: How many clicks follow each other as one gesture.
            modifiers: Keys that are held meanwhile.
            delay: How long the button stays down in each click, in milliseconds.
            return_xpath: Whether the XPath of the element under the point is wanted.

        Returns:
            That XPath, or an empty text.
        """
        given = given_text(
            {
                "button": button,
                "click_count": click_count,
                "modifiers": texts("modifiers", modifiers),
                "delay": delay,
                "return_xpath": return_xpath,
            }
        )
        return finished(self._native.click(x, y, given))

    def hover(
        self,
        x: float,
        y: float,
        options: Options | None = None,
        *,
        modifiers: Iterable[Modifier] = (),
        return_xpath: bool = False,
    ) -> str:
        """Moves the mouse to a point of the viewport.

        Args:
            x: To the right, in CSS pixels.
            y: Down, in CSS pixels.
            options: The options below as a dict.
            modifiers: Keys that are held meanwhile.
            return_xpath: Whether the XPath of the element under the point is wanted.
        """
        given = given_text({"modifiers": texts("modifiers", modifiers), "return_xpath": return_xpath})
        return finished(self._native.hover(x, y, given))

    def tap(
        self,
        x: float,
        y: float,
        options: Options | None = None,
        *,
        modifiers: Iterable[Modifier] = (),
        return_xpath: bool = False,
    ) -> str:
        """Touches a point of the viewport with one finger.

        Args:
            x: To the right, in CSS pixels.
            y: Down, in CSS pixels.
            options: The options below as a dict.
            modifiers: Keys that are held meanwhile.
            return_xpath: Whether the XPath of the element under the point is wanted.
        """
        given = given_text({"modifiers": texts("modifiers", modifiers), "return_xpath": return_xpath})
        return finished(self._native.tap(x, y, given))

    def scroll(
        self,
        x: float,
        y: float,
        delta_x: float,
        delta_y: float,
        options: Options | None = None,
        *,
        modifiers: Iterable[Modifier] = (),
        return_xpath: bool = False,
    ) -> str:
        """Turns the wheel at a point. Returns when scrolling has stopped.

        Args:
            x: To the right, in CSS pixels.
            y: Down, in CSS pixels.
            delta_x: How far to the right, in CSS pixels.
            delta_y: How far down, in CSS pixels.
            options: The options below as a dict.
            modifiers: Keys that are held meanwhile.
            return_xpath: Whether the XPath of the element under the point is wanted.
        """
        given = given_text({"modifiers": texts("modifiers", modifiers), "return_xpath": return_xpath})
        return finished(self._native.scroll(x, y, delta_x, delta_y, given))

    def drag_and_drop(
        self,
        from_x: float,
        from_y: float,
        to_x: float,
        to_y: float,
        options: Options | None = None,
        *,
        steps: int = 1,
        delay: float = 0,
        button: Button = "left",
        modifiers: Iterable[Modifier] = (),
        return_xpath: bool = False,
    ) -> tuple[str, str]:
        """Drags from one point of the viewport to another.

        Args:
            from_x: Where it starts, to the right, in CSS pixels.
            from_y: Where it starts, down.
            to_x: Where it ends, to the right.
            to_y: Where it ends, down.
            options: The options below as a dict.
            steps: How many moves lead from the start to the end.
            delay: How long to wait after the press, after each move, and before the release, in milliseconds.
            button: Which button.
            modifiers: Keys that are held meanwhile.
            return_xpath: Whether the XPaths of the elements at start and end are wanted.

        Returns:
            Those XPaths, or empty texts.
        """
        given = given_text(
            {
                "steps": steps,
                "delay": delay,
                "button": button,
                "modifiers": texts("modifiers", modifiers),
                "return_xpath": return_xpath,
            }
        )
        return finished(self._native.drag_and_drop(from_x, from_y, to_x, to_y, given))

    def type(
        self,
        text: str,
        options: Options | None = None,
        *,
        delay: float = 0,
        with_mistakes: bool = False,
    ) -> None:
        """Types where the focus is, key by key. A line break is the Enter key, a tab the Tab key.

        Args:
            text: What to type.
            options: The options below as a dict.
            delay: How long to wait after each character, in milliseconds.
            with_mistakes: Hits a neighbouring key now and then and takes that back, as people do. The same text
                always gets the same mistakes.
        """
        given = given_text({"delay": delay, "with_mistakes": with_mistakes})
        finished(self._native.type(text, given))

    def key_press(self, key: str, options: Options | None = None, *, delay: float = 0) -> None:
        """Presses a key or a combination: ``Enter``, ``F5``, ``Control+Shift+A``, ``cmd+c``.

        Args:
            key: The key.
            options: The options below as a dict.
            delay: How long the key stays down, in milliseconds.
        """
        finished(self._native.press(key, given_text({"delay": delay})))

    def add_init_script(
        self,
        content: str | None = None,
        *,
        path: FilePath | None = None,
        function: str | None = None,
        argument: Any = None,
    ) -> None:
        """Adds a script to every later document of this page, frames included, before the page's own scripts.

        Args:
            content: The source of a script.
            path: A file that holds the source, in place of it.
            function: The source of a function, which is called, in place of it.
            argument: What the function is called with.
        """
        finished(self._native.add_init_script(init_script_text(content, path, function, argument)))

    def set_extra_http_headers(self, headers: Mapping[str, str]) -> None:
        """Sends these headers with every request of this page, in place of the set given before."""
        finished(self._native.set_extra_http_headers(headers_of(headers)))

    def send_cdp(self, method: str, params: Mapping[str, Any] | None = None) -> Any:
        """Sends any DevTools command to the page.

        Raises:
            ProtocolError: The browser refuses it.
        """
        return json.loads(finished(self._native.send_cdp(method, json_text("params", dict(params or {})))))

    def act(
        self,
        input: str | Action | Mapping[str, Any],
        options: Options | None = None,
        *,
        model: Model | None = None,
        variables: Variables | None = None,
        timeout: float | None = None,
        server_cache: bool | None = None,
    ) -> ActResult:
        """Does something on this page; see `Automator.act`."""
        return self._session.act(
            input,
            model=model,
            variables=variables,
            timeout=timeout,
            page=self,
            server_cache=server_cache,
        )

    def observe(
        self,
        instruction: str | None = None,
        options: Options | None = None,
        *,
        model: Model | None = None,
        variables: Variables | None = None,
        timeout: float | None = None,
        selector: str | None = None,
        ignore_selectors: str | Iterable[str] = (),
        server_cache: bool | None = None,
    ) -> list[Action]:
        """Finds what can be done on this page; see `Automator.observe`."""
        return self._session.observe(
            instruction,
            model=model,
            variables=variables,
            timeout=timeout,
            selector=selector,
            ignore_selectors=ignore_selectors,
            page=self,
            server_cache=server_cache,
        )

    @overload
    def extract(
        self,
        instruction: str | None = None,
        options: Options | None = None,
        *,
        schema: None = None,
        selector: str | None = None,
        iframes: bool = False,
        model_name: str | None = None,
        model_client_options: Options | None = None,
        dom_settle_timeout_ms: float | None = None,
    ) -> dict[str, str]: ...

    @overload
    def extract(
        self,
        instruction: str,
        options: Options | None = None,
        *,
        schema: TypeForm[T],
        selector: str | None = None,
        iframes: bool = False,
        model_name: str | None = None,
        model_client_options: Options | None = None,
        dom_settle_timeout_ms: float | None = None,
    ) -> T: ...

    @overload
    def extract(
        self,
        instruction: str,
        options: Options | None = None,
        *,
        schema: TypeAdapter[T],
        selector: str | None = None,
        iframes: bool = False,
        model_name: str | None = None,
        model_client_options: Options | None = None,
        dom_settle_timeout_ms: float | None = None,
    ) -> T: ...

    @overload
    def extract(
        self,
        instruction: str,
        options: Options | None = None,
        *,
        schema: Mapping[str, Any],
        selector: str | None = None,
        iframes: bool = False,
        model_name: str | None = None,
        model_client_options: Options | None = None,
        dom_settle_timeout_ms: float | None = None,
    ) -> Any: ...

    @overload
    def extract(self, instruction: Options, /) -> Any: ...

    def extract(
        self,
        instruction: Any = None,
        options: Options | None = None,
        *,
        schema: Any = None,
        selector: str | None = None,
        iframes: bool = False,
        model_name: str | None = None,
        model_client_options: Options | None = None,
        dom_settle_timeout_ms: float | None = None,
    ) -> Any:
        """Extracts from this page, with the names and rules of version 2 of the interface.

        Args:
            instruction: What to extract. Without it, and without a schema, the result is the page as text.
            options: The options below as a dict; it may also stand in the place of the instruction.
            schema: The shape of the result, which must be one of an object: a pydantic model, a dataclass, a
                TypedDict, or a JSON Schema. Default: text.
            selector: Limits the extraction to one part of the page. Default: the whole page.
            iframes: Reads the content of frames, too.
            model_name: The model of this call, as ``provider/model``. Default: that of the session.
            model_client_options: Options of the model, as ``api_key`` and ``base_url``.
            dom_settle_timeout_ms: How long the page may take to come to rest before it is read, in milliseconds; 0
                reads it as it is. Default: that of the session.

        Returns:
            What the schema describes; a dict with ``extraction`` without a schema; a dict with ``pageText`` without
            an instruction.

        Raises:
            SchemaValidationError: The answer does not fit the schema.
            AutomatorInvalidArgumentError: The schema is not one of an object.
        """
        checked = schema_of(schema)
        given = options_text(
            {
                "instruction": instruction,
                "schema": None if checked is None else checked.json_schema,
                "selector": selector,
                "iframes": iframes,
                "model_name": model_name,
                "model_client_options": model_client_options,
                "dom_settle_timeout_ms": dom_settle_timeout_ms,
            }
        )
        self._session._begin()
        answer = finished(self._native.extract(given))
        return json.loads(answer) if checked is None else checked.validated(answer)

    @overload
    def on(self, name: Literal["console"], listener: Callable[[ConsoleMessage], object]) -> None: ...
    @overload
    def on(self, name: Literal["pageerror"], listener: Callable[[PageError], object]) -> None: ...
    @overload
    def on(self, name: Literal["dialog"], listener: Callable[[Dialog], object]) -> None: ...
    @overload
    def on(self, name: Literal["download"], listener: Callable[[Download], object]) -> None: ...
    @overload
    def on(self, name: Literal["filechooser"], listener: Callable[[FileChooser], object]) -> None: ...
    @overload
    def on(self, name: Literal["popup", "close"], listener: Callable[[Page], object]) -> None: ...

    def on(self, name: PageEventName, listener: Callable[[Any], object]) -> None:
        """Listens to events from now on; what happens after this call is heard.

        Where calls are awaited, listeners are called on the event loop that runs now, and may be coroutine functions;
        where calls wait, each is called in a thread of its own, one event after the other. One that raises harms
        nothing but itself.

        Args:
            name: ``console`` (lines of the console), ``pageerror`` (a script has thrown something that nobody
                caught), ``dialog`` (which waits for an answer), ``download``, ``filechooser`` (while somebody
                listens, no chooser of the browser opens), ``popup`` (the page has opened another one) or ``close``.
            listener: What is called with each.
        """
        self._events.add(name, listener, False)

    @overload
    def once(self, name: Literal["console"], listener: Callable[[ConsoleMessage], object]) -> None: ...
    @overload
    def once(self, name: Literal["pageerror"], listener: Callable[[PageError], object]) -> None: ...
    @overload
    def once(self, name: Literal["dialog"], listener: Callable[[Dialog], object]) -> None: ...
    @overload
    def once(self, name: Literal["download"], listener: Callable[[Download], object]) -> None: ...
    @overload
    def once(self, name: Literal["filechooser"], listener: Callable[[FileChooser], object]) -> None: ...
    @overload
    def once(self, name: Literal["popup", "close"], listener: Callable[[Page], object]) -> None: ...

    def once(self, name: PageEventName, listener: Callable[[Any], object]) -> None:
        """As `on`, for the next event only."""
        self._events.add(name, listener, True)

    def off(self, name: PageEventName, listener: Callable[[Any], object]) -> None:
        """Ends the listening of a listener."""
        self._events.remove(name, listener)

    def _event_of(self, name: str, native: NativeEvent) -> Any:
        """What listeners get."""
        if name == "console":
            return ConsoleMessage(self, native)
        if name == "pageerror":
            return error_from(native.json())
        if name == "dialog":
            return Dialog(self, native)
        if name == "filechooser":
            return FileChooser(self, native)
        download, pop_up = native.download(), native.pop_up()
        if download is not None:
            return Download(download)
        return self if pop_up is None else self._context._page_of(pop_up)

    def _response(self, native: NativeResponse | None) -> Response | None:
        return None if native is None else Response(self, native)
