"""Where the examples run.

On the address given as the first argument, else on the shop of this repository; with the model given as the second
argument, else with the stand-in of this repository, which needs no key.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from automator import Model

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Place:
    """A site, the model, and who may sign in."""

    site: str
    model: Model
    email: str = ""
    password: str = ""


@contextmanager
def start() -> Iterator[Place]:
    """The site and the model; what was started for them ends with the block."""
    address, model = [*sys.argv[1:3], None, None][:2]
    site = None if address is None else f"{address.rstrip('/')}/"
    if site is not None and model is not None:
        yield Place(site, model)
        return
    words = ["cargo", "run", "--quiet", "--package", "automator-testing", "--example", "bundled"]
    with subprocess.Popen(words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        try:
            line = server.stdout.readline()
            if not line:
                raise RuntimeError("the shop did not start")
            bundled = json.loads(line)
            yield Place(site or bundled["site"], model or bundled["model"], bundled["email"], bundled["password"])
        finally:
            # The shop ends with its input.
            server.stdin.close()
