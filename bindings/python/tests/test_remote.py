"""``env="REMOTE"`` on a real server: sessions, operations beside the browser, and over the socket."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from rig import ROOT, done, until

from automator import (
    AutomatorEnvironmentError,
    AutomatorInitError,
    AutomatorInvalidArgumentError,
    RemoteSessionNotFoundError,
    XPathResolutionError,
)


@dataclass
class World:
    """A server, the bundled shop, and its stand-in for a model."""

    url: str
    key: str
    site: str
    model: dict[str, Any]

    async def open(self, face: Any, **options: Any) -> Any:
        """A session."""
        given = {"api_key": self.key, "remote_base_url": self.url, "model": self.model, "verbose": 0, **options}
        session = face("REMOTE", **given)
        await done(session.init())
        return session


def _first_line(child: subprocess.Popen[str]) -> dict[str, Any]:
    assert child.stdout is not None
    told: dict[str, Any] = json.loads(child.stdout.readline())
    return told


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    """The first time both programs are built."""
    run = ["cargo", "run", "--quiet", "--package"]
    with tempfile.TemporaryDirectory(prefix="automator-server-", ignore_cleanup_errors=True) as folder:
        server = subprocess.Popen(
            [*run, "automator-cli", "--", "serve", "--listen", "127.0.0.1:0", "--folder", folder, "--json"],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
            # Its own group, so that the signal reaches the server and not only Cargo.
            start_new_session=True,
        )
        shop = subprocess.Popen(
            [*run, "automator-testing", "--example", "bundled"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            platform, place = _first_line(server), _first_line(shop)
            yield World(platform["url"], platform["apiKey"], place["site"], place["model"])
        finally:
            assert shop.stdin is not None
            shop.stdin.close()
            shop.wait()
            if server.poll() is None:
                os.killpg(server.pid, signal.SIGINT)
            server.wait()


class Product(BaseModel):
    """What is read."""

    name: str


async def test_a_session_is_used_in_all_forms(face: Any, world: World) -> None:
    # Each face asks its own words, since the server remembers the other's.
    words = f"the current price of the product, for {face.__name__}"
    session = await world.open(face)
    assert session.remote_session_id
    page = session.context.pages()[0]
    await done(page.goto(f"{world.site}item/501"))
    first = await done(session.extract(words))
    second = await done(session.extract(words))
    assert (first.cache_status, second.cache_status) == ("MISS", "HIT")
    assert first.extraction == second.extraction
    assert (await done(session.extract(words, server_cache=False))).cache_status is None
    assert (await done(session.extract("the name of the product", Product))).name == "Arc lamp"
    assert await done(session.observe("the button that puts the product in the basket"))
    assert "Arc lamp" in (await done(session.page_text())).page_text
    assert session.metrics.extract_prompt_tokens > 0
    methods = ["navigate", "extract", "extract", "extract", "extract", "observe", "extract"]
    assert [entry.method for entry in session.history] == methods
    await done(session.close())
    assert session.remote_session_id is None


async def test_values_of_a_schema_and_lists_of_actions_say_what_the_cache_did(face: Any, world: World) -> None:
    session = await world.open(face)
    await done(session.context.pages()[0].goto(f"{world.site}item/501"))
    words = f"the name of the product, for {face.__name__}"
    button = f"the button that puts the product in the basket, for {face.__name__}"
    text = (await done(session.extract(words, server_cache=False))).extraction
    calls = [
        (session.extract_with_cache_status, (words, Product), Product(name="Arc lamp")),
        (session.extract_with_cache_status, (words,), text),
        (session.observe_with_cache_status, (button,), await done(session.observe(button, server_cache=False))),
    ]
    for call, given, expected in calls:
        told = [await done(call(*given, **options)) for options in ({}, {}, {"server_cache": False})]
        assert [found.cache_status for found in told] == ["MISS", "HIT", None]
        assert [found.value for found in told] == [expected] * 3
    await done(session.close())


async def test_a_kept_session_is_resumed_and_one_that_has_ended_is_not_found(face: Any, world: World) -> None:
    first = await world.open(face, keep_alive=True)
    session_id = first.remote_session_id
    await done(first.context.pages()[0].goto(world.site))
    await done(first.close())
    second = await world.open(face, keep_alive=False, remote_session_id=session_id)
    assert second.context.pages()[0].url() == world.site
    await done(second.close())
    with pytest.raises(RemoteSessionNotFoundError):
        await world.open(face, remote_session_id=session_id)


async def test_errors_of_the_server_are_those_of_this_package(face: Any, world: World) -> None:
    with pytest.raises(AutomatorEnvironmentError):
        await world.open(face, api_key="amk_wrong")
    with pytest.raises(AutomatorInitError, match=r"127\.0\.0\.1:1.*automator serve"):
        await world.open(face, remote_base_url="http://127.0.0.1:1")
    session = await world.open(face)
    await done(session.context.pages()[0].goto(world.site))
    with pytest.raises(XPathResolutionError):
        await done(session.extract("x", selector="//nothing"))
    with pytest.raises(AutomatorInvalidArgumentError):
        await done(session.act(" "))
    await done(session.close())


async def test_a_download_is_brought_to_this_machine(face: Any, world: World, tmp_path: Path) -> None:
    session = await world.open(face, local_browser_launch_options={"downloads_path": tmp_path})
    page = session.context.pages()[0]
    await done(page.goto(world.site))
    downloads: list[Any] = []
    page.once("download", downloads.append)
    link = "Object.assign(document.createElement('a'), { href: 'data:text/plain,42 euro', download: 'bill.txt' })"
    await done(page.evaluate(f"void {link}.click()"))
    download = await until(lambda: downloads and downloads[0])
    path = await done(download.finished())
    await done(session.close())
    assert path == tmp_path / "bill.txt"
    assert path.read_text() == "42 euro"


async def test_a_client_of_ones_own_answers_here(face: Any, world: World) -> None:
    class Own:
        model_name = "own/model"

        def generate(self, request: Any) -> Any:
            return {"text": '{"extraction": "from here"}'}

    session = await world.open(face, llm_client=Own(), model=None)
    await done(session.context.pages()[0].goto(world.site))
    found = await done(session.extract("the name"))
    assert (found.extraction, found.cache_status) == ("from here", None)
    await done(session.close())


def test_the_example_reads_the_price_in_a_second_session(world: World) -> None:
    ran = subprocess.run(
        [sys.executable, ROOT / "examples" / "python" / "remote.py"],
        capture_output=True,
        check=False,
        env={**os.environ, "REMOTE_API_KEY": world.key, "REMOTE_BASE_URL": world.url},
        text=True,
        timeout=600,
    )
    assert ran.returncode == 0, ran.stderr
    assert "49" in ran.stdout
