"""What the tests share: a session of each face with a scripted model, and pages from a server of this process."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
import pytest_asyncio
from lent import lent_browser
from rig import Rig, Site

from automator import AsyncAutomator, Automator

FACES = {"asynchronous": AsyncAutomator, "blocking": Automator}


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    """Serves pages by path."""
    site = Site()
    yield site
    site.close()


@pytest_asyncio.fixture(scope="session", params=list(FACES))
async def shared_rig(request: pytest.FixtureRequest, site: Site) -> AsyncIterator[Rig]:
    """One session of each face for all tests."""
    rig = Rig(FACES[request.param], site)
    await rig.begin()
    yield rig
    await rig.end()


@pytest_asyncio.fixture
async def rig(shared_rig: Rig) -> AsyncIterator[Rig]:
    """The session with one page, an empty one, and a model that nobody has asked anything."""
    await shared_rig.reset()
    yield shared_rig


@pytest_asyncio.fixture(params=list(FACES))
async def own_rig(request: pytest.FixtureRequest, site: Site) -> AsyncIterator[Rig]:
    """A session with a browser that is started for it: one that is joined keeps its own way with downloads."""
    rig = Rig(FACES[request.param], site, own_browser=True)
    await rig.begin()
    await rig.reset()
    yield rig
    await rig.end()


@pytest.fixture(params=list(FACES))
def face(request: pytest.FixtureRequest) -> Any:
    """The class of the session, for tests that make their own."""
    return FACES[request.param]


@pytest.fixture
def launch() -> Iterator[dict[str, Any]]:
    """Launch options of the sessions that a test makes itself, one after the other: a lent browser if there are any."""
    with lent_browser() as joined:
        yield joined


@pytest.fixture
def done() -> Callable[[Any], Any]:
    """Waits for what one face gives to await, and takes what the other gives as it is."""
    return waited


async def waited(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value
