# Written by `cargo xtask generate` from `asynchronous/context.py`; change that.
"""The pages of a session, and what holds for all of them."""

from __future__ import annotations

import json
import re
import threading
import weakref
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from automator.blocking.calling import finished
from automator.blocking.download import Download
from automator.blocking.page import Page
from automator.cookies import Cookie, NewCookie, cookies_from, cookies_text, filter_text
from automator.files import FilePath
from automator.keywords import takes_options
from automator.options import DomainPolicy, Options, json_text, kind_of, object_text, texts
from automator.page_parts import ReportedDialog, dialogs_from
from automator.scripts import headers_of, init_script_text

if TYPE_CHECKING:
    from automator._native import NativeContext, NativePage
    from automator.blocking.automator import Automator


class Clipboard:
    """The clipboard as the active page reaches it."""

    def __init__(self, native: NativeContext) -> None:
        self._native = native

    def read_text(self) -> str:
        """The text that is in it."""
        return finished(self._native.read_clipboard())

    def write_text(self, text: str) -> None:
        """Puts a text into it."""
        finished(self._native.write_clipboard(text))


@takes_options
class Context:
    """The set of pages."""

    def __init__(self, session: Automator, native: NativeContext) -> None:
        self._session = session
        self._native = native
        # One object a page, for as long as somebody has it.
        self._pages: weakref.WeakValueDictionary[str, Page] = weakref.WeakValueDictionary()
        # Pop-ups come in threads of the library.
        self._lock = threading.Lock()
        self._clipboard = Clipboard(native)

    @property
    def clipboard(self) -> Clipboard:
        """The clipboard as the active page reaches it."""
        return self._clipboard

    def pages(self) -> list[Page]:
        """All open pages, the oldest first."""
        return [self._page_of(page) for page in self._native.pages()]

    def active_page(self) -> Page | None:
        """The page that operations work on: the one made or selected last that is still open."""
        page = self._native.active_page()
        return None if page is None else self._page_of(page)

    def await_active_page(self) -> Page | None:
        """The active page, once a page that is just being opened has come."""
        page = finished(self._native.await_active_page())
        return None if page is None else self._page_of(page)

    def set_active_page(self, page: Page) -> None:
        """Makes a page the active one. One that is closed is left out of account."""
        if not isinstance(page, Page):
            raise TypeError(f"set_active_page() takes a page of this session, not {kind_of(page)}")
        self._native.set_active_page(page._native)

    def new_page(self, url: str = "about:blank") -> Page:
        """Opens a page, which becomes the active one, and begins to load ``url`` without waiting for it."""
        return self._page_of(finished(self._native.new_page(url)))

    def add_init_script(
        self,
        content: str | None = None,
        *,
        path: FilePath | None = None,
        function: str | None = None,
        argument: Any = None,
    ) -> None:
        """Adds a script to every page.

        Those that are open get it from their next document on, later ones and pop-ups at once, all with their
        frames. It runs once in each document, before the page's own scripts.

        Args:
            content: The source of a script.
            path: A file that holds the source, in place of it.
            function: The source of a function, which is called, in place of it.
            argument: What the function is called with.
        """
        finished(self._native.add_init_script(init_script_text(content, path, function, argument)))

    def set_extra_http_headers(self, headers: Mapping[str, str]) -> None:
        """Sends these headers with every request of every page, in place of the set given before."""
        finished(self._native.set_extra_http_headers(headers_of(headers)))

    def set_domain_policy(self, policy: DomainPolicy | Options | None) -> None:
        """Sets which hosts documents may come from, in place of the policy before; ``None`` ends it."""
        given = None if policy is None else object_text("policy", policy, DomainPolicy)
        finished(self._native.set_domain_policy(given))

    def cookies(self, urls: str | Iterable[str] = ()) -> list[Cookie]:
        """The cookies that a request to one of these addresses would carry; without any address, all."""
        return cookies_from(finished(self._native.cookies(texts("cookies: the urls", urls))))

    def add_cookies(self, cookies: Iterable[NewCookie | Cookie | Options]) -> None:
        """Sets cookies. All are checked before the first one is set.

        Raises:
            CookieValidationError: One contradicts itself.
            CookieSetError: The browser refuses one.
        """
        finished(self._native.add_cookies(cookies_text(cookies)))

    def clear_cookies(
        self,
        options: Options | None = None,
        *,
        name: str | re.Pattern[str] | None = None,
        domain: str | re.Pattern[str] | None = None,
        path: str | re.Pattern[str] | None = None,
    ) -> None:
        """Removes the cookies that match everything that is given; without anything, all.

        Args:
            options: The options below as a dict.
            name: By name.
            domain: By domain, as the cookie has it, with or without its dot in front.
            path: By path.
        """
        given = filter_text({"name": name, "domain": domain, "path": path})
        finished(self._native.clear_cookies(given))

    def downloads(self) -> list[Download]:
        """The files that pages made the browser save, the oldest first."""
        return [Download(download) for download in self._native.downloads()]

    def dialogs(self) -> list[ReportedDialog]:
        """The dialogs that pages have opened, with their answers, the oldest first. The last 1,000 are kept."""
        return dialogs_from(self._native.dialogs())

    def send_cdp(self, method: str, params: Mapping[str, Any] | None = None) -> Any:
        """Sends any DevTools command to the browser itself.

        Raises:
            ProtocolError: The browser refuses it.
        """
        return json.loads(finished(self._native.send_cdp(method, json_text("params", dict(params or {})))))

    def _page_of(self, native: NativePage) -> Page:
        """The one object for a page."""
        with self._lock:
            known = self._pages.get(native.id())
            # A remote page that was lost with its connection comes back with another one.
            if known is None or (known.is_closed() and not native.is_closed()):
                known = Page(self._session, self, native)
                self._pages[native.id()] = known
            return known
