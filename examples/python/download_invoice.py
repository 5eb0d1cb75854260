"""Downloads the invoice of an order.

python examples/python/download_invoice.py
SHOP_EMAIL=… SHOP_PASSWORD=… ORDER=… python examples/python/download_invoice.py https://shop.example openai/gpt-4.1-mini

The number of the order is read from ORDER (1001 in the bundled shop). The file goes to the folder in INVOICES, or to
`invoices`; one of the same name that is there already stays.
"""

from __future__ import annotations

import os
import queue
from pathlib import Path

import bundled

from automator import Automator, Download, LocalBrowserLaunchOptions

LIMIT = 30
"""How long the invoice may take, in seconds."""


def run(automator: Automator, site: str, variables: dict[str, str], order: str) -> Path:
    """Signs in, opens the order and gives the path of its invoice."""
    page = automator.context.pages()[0]
    page.goto(f"{site}login")
    for instruction in (
        "type %email% into the email field",
        "type %password% into the password field",
        "press the sign in button",
        f"open Order {order}",
    ):
        act(automator, instruction, variables)

    # Listened for before it begins: nothing that happens meanwhile is missed.
    downloads: queue.SimpleQueue[Download] = queue.SimpleQueue()
    page.once("download", downloads.put)
    act(automator, "follow Download invoice", variables)
    file = downloads.get(timeout=LIMIT).finished()
    print(f"\n{file} ({file.stat().st_size} bytes)")
    return file


def act(automator: Automator, instruction: str, variables: dict[str, str]) -> None:
    """Carries out one instruction, or fails with what was in the way."""
    done = automator.act(instruction, variables=variables)
    if not done.success:
        raise RuntimeError(f"{instruction}: {done.message}")
    print(f"done: {instruction}")


if __name__ == "__main__":
    folder = Path(os.environ.get("INVOICES", "invoices")).resolve()
    launch = LocalBrowserLaunchOptions(downloads_path=folder)
    with (
        bundled.start() as place,
        Automator("LOCAL", model=place.model, verbose=0, local_browser_launch_options=launch) as automator,
    ):
        variables = {
            "email": os.environ.get("SHOP_EMAIL", place.email),
            "password": os.environ.get("SHOP_PASSWORD", place.password),
        }
        run(automator, place.site, variables, os.environ.get("ORDER", "1001"))
