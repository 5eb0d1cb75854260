"""Pages, a scripted model and a session, for tests of both faces alike."""

from __future__ import annotations

import inspect
import json
import re
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from lent import lent_browser

ROOT = Path(__file__).resolve().parents[3]
"""The folder of the repository."""


def interface(name: str) -> Any:
    """A file of ``interface/``."""
    return json.loads((ROOT / "interface" / f"{name}.json").read_text())


async def done(value: Any) -> Any:
    """Waits for what one face gives to await, and takes what the other gives as it is."""
    return await value if inspect.isawaitable(value) else value


def reply(value: Any) -> dict[str, Any]:
    """A reply that holds a value, as models write it, with what it costs."""
    tokens = {"prompt": 100, "completion": 20, "reasoning": 3, "cachedInput": 5}
    return {"text": json.dumps(value), "tokens": tokens}


def text_of(request: Any) -> str:
    """All that a request says."""
    return "\n".join(part.get("text", "") for message in request["messages"] for part in message["content"])


def id_of(request: Any, line: str) -> str:
    """The id of the line that ends so."""
    for text in text_of(request).split("\n"):
        found = re.search(r"\[(\d+-\d+)\] (.*)$", text)
        if found and found[2] == line:
            return found[1]
    raise AssertionError(f"no line {line!r} in:\n{text_of(request)}")


async def until(condition: Callable[[], Any], seconds: float = 30) -> Any:
    """Waits for something that comes in another thread, or on the event loop."""
    import asyncio

    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        await asyncio.sleep(0.005)
    raise AssertionError("it did not come")


class Site:
    """Serves pages by path; ``/hang`` and ``/slow`` do not come as a whole before ``hang`` is set."""

    def __init__(self) -> None:
        self.pages: dict[str, str] = {}
        self.headers: dict[str, dict[str, str]] = {}
        self.hang = threading.Event()
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                path = urlsplit(self.path).path
                if path == "/hang":
                    # For pages that do not come.
                    site.hang.wait(60)
                if path == "/slow":
                    return self.drip()
                if path == "/echo":
                    return self.answer(200, json.dumps(dict(self.headers)), "application/json")
                body = site.pages.get(path)
                return self.answer(404 if body is None else 200, body or "nothing here", "text/html; charset=utf-8")

            def drip(self) -> None:
                """A file of which only the beginning comes."""
                self.send_response(200)
                self.send_header("content-type", "application/octet-stream")
                self.send_header("content-disposition", "attachment")
                self.send_header("content-length", "1000000")
                self.end_headers()
                self.wfile.write(b"x" * 100_000)
                self.wfile.flush()
                site.hang.wait(60)
                self.close_connection = True

            def answer(self, status: int, body: str, kind: str) -> None:
                path = urlsplit(self.path).path
                content = body.encode()
                self.send_response(status)
                for name, value in {"content-type": kind, **site.headers.get(path, {})}.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: Any) -> None:
                """Nobody reads it."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def put(self, path: str, body: str, headers: dict[str, str] | None = None) -> str:
        """Serves a page; gives its address."""
        self.pages[path] = body
        self.headers[path] = headers or {}
        return self.url + path

    def close(self) -> None:
        """Ends it."""
        self.hang.set()
        self._server.shutdown()
        self._server.server_close()


class Rig:
    """A session whose model answers with what ``answer`` gives for a request, with a lent browser where there are some.

    With ``own_browser`` one is started for it, for tests of what only such a one does.
    """

    def __init__(self, face: Any, site: Site, *, own_browser: bool = False, **options: Any) -> None:
        self.face = face
        self.site = site
        self.requests: list[Any] = []
        self.answer: Callable[[Any], Any] = self._unasked
        self._lent = ExitStack()
        joined = {} if own_browser else self._lent.enter_context(lent_browser())
        self.session = face(
            "LOCAL",
            verbose=0,
            local_browser_launch_options={"viewport": {"width": 900, "height": 600}, **joined},
            llm_client=self,
            **options,
        )

    model_name = "test/scripted"

    def generate(self, request: Any) -> Any:
        """Answers for the model."""
        self.requests.append(request)
        return self.answer(request)

    @staticmethod
    def _unasked(request: Any) -> Any:
        raise AssertionError("no model is asked")

    async def begin(self) -> None:
        """Starts the browser."""
        await done(self.session.init())

    async def reset(self) -> None:
        """One page, an empty one, and a model that has not been asked."""
        self.answer = self._unasked
        self.requests.clear()
        pages = self.session.context.pages()
        for page in pages[1:]:
            await done(page.close())
        self.page = pages[0] if pages else await done(self.session.context.new_page())
        self.session.context.set_active_page(self.page)
        await done(self.page.goto("about:blank"))

    async def open(self, body: str, path: str = "/") -> Any:
        """Opens a page with this content."""
        await done(self.page.goto(self.site.put(path, body)))
        return self.page

    async def end(self) -> None:
        """Closes it, and gives back what was lent."""
        with self._lent:
            await done(self.session.close())
