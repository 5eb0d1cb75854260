"""Browsers that are lent to tests instead of being started by them."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

VARIABLE = "AUTOMATOR_TEST_BROWSERS"
"""Where browsers are lent; ``cargo xtask test`` starts the lender and sets it."""

PATIENCE = 30
"""Seconds that a lender may take to start a browser on a busy machine."""


@contextmanager
def lent_browser() -> Iterator[dict[str, Any]]:
    """The launch options that join a browser which is as good as new, and which nobody else has in this block.

    They are empty when nobody lends browsers, or too many are lent: the session starts one of its own then.
    """
    lender = os.environ.get(VARIABLE)
    if lender is None:
        yield {}
        return
    host, _, port = lender.rpartition(":")
    # The open connection is what holds the browser.
    with socket.create_connection((host, int(port)), PATIENCE) as connection, connection.makefile() as lines:
        url = lines.readline().strip()
        yield {"cdp_url": url} if url else {}
