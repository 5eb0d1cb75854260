# Written by `cargo xtask generate` from `asynchronous/response.py`; change that.
"""What a server answered to a navigation."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from automator.answers import made
from automator.blocking.calling import finished
from automator.blocking.frame import Frame
from automator.errors import AutomatorError
from automator.page_parts import Header, SecurityDetails, ServerAddress

if TYPE_CHECKING:
    from automator._native import NativeResponse
    from automator.blocking.page import Page


class Response:
    """The response of a main document."""

    def __init__(self, page: Page, native: NativeResponse) -> None:
        self._page = page
        self._native = native
        self._head: dict[str, Any] = json.loads(native.head())

    def url(self) -> str:
        """The address it came from, after redirects."""
        return str(self._head["url"])

    def status(self) -> int:
        """The HTTP status."""
        return int(self._head["status"])

    def status_text(self) -> str:
        """The text behind the status."""
        return str(self._head["statusText"])

    def ok(self) -> bool:
        """Whether the status is between 200 and 299."""
        return bool(self._head["ok"])

    def headers(self) -> dict[str, str]:
        """The headers by lower-case name, without those of cookies."""
        return dict(self._head["headers"])

    def mime_type(self) -> str:
        """The type of the body, as ``text/html``."""
        return str(self._head["mimeType"])

    def from_service_worker(self) -> bool:
        """Whether a service worker of the page answered."""
        return bool(self._head["fromServiceWorker"])

    def security_details(self) -> SecurityDetails | None:
        """How the connection was secured; ``None`` when it was not."""
        details = self._head["securityDetails"]
        return None if details is None else made(SecurityDetails, details)

    def server_addr(self) -> ServerAddress | None:
        """Which server answered; ``None`` when it did not come over the network."""
        address = self._head["serverAddr"]
        return None if address is None else made(ServerAddress, address)

    def frame(self) -> Frame:
        """The frame whose document it is."""
        return Frame(self._page, self._native.frame())

    def all_headers(self) -> dict[str, str]:
        """All headers as they came over the network, by lower-case name."""
        return finished(self._native.all_headers())

    def header_value(self, name: str) -> str | None:
        """The value of a header, its name in any case."""
        return finished(self._native.header_value(name))

    def header_values(self, name: str) -> list[str]:
        """The values of all headers of a name, in any case."""
        return finished(self._native.header_values(name))

    def headers_array(self) -> list[Header]:
        """All headers one by one, the names as the server wrote them."""
        return [Header(name, value) for name, value in finished(self._native.headers_array())]

    def finished(self) -> AutomatorError | None:
        """Waits until the body has come as a whole; ``None`` when it has, else what went wrong."""
        try:
            finished(self._native.finished())
        except AutomatorError as error:
            return error
        return None

    def body(self) -> bytes:
        """The body, once it has come as a whole.

        Raises:
            ResponseBodyError: It is not there.
        """
        return finished(self._native.body())

    def text(self) -> str:
        """The body as text."""
        return finished(self._native.text())

    def json(self) -> Any:
        """The body as JSON.

        Raises:
            ResponseParseError: It is none.
        """
        return json.loads(finished(self._native.json()))
