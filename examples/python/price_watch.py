"""Watches prices.

The model is asked once; from then on the remembered extraction reads the product pages of the shop without it. A page
that is built differently, such as one with the old price beside a new one, is asked about.

python examples/python/price_watch.py [ADDRESS MODEL]
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterable

import bundled
from pydantic import BaseModel, Field

from automator import Automator


class Offer(BaseModel):
    """What is watched."""

    name: str = Field(description="The name of the product.")
    price: float = Field(description="What it costs now, in euro.")


def run(automator: Automator, site: str, items: Iterable[int]) -> list[Offer]:
    """Reads the offers of some item numbers."""
    page = automator.context.pages()[0]
    offers = []
    for item in items:
        page.goto(f"{site}item/{item}")
        began = time.perf_counter()
        offer = automator.extract("name and current price of the product", Offer, selector="main")
        milliseconds = (time.perf_counter() - began) * 1000
        print(f"  {item}: {offer.name:<20} € {offer.price:7.2f}   {milliseconds:4.0f} ms")
        offers.append(offer)
    metrics = automator.metrics
    sent, received = metrics.extract_prompt_tokens, metrics.extract_completion_tokens
    print(f"  tokens so far: {sent} sent, {received} received\n")
    return offers


if __name__ == "__main__":
    # Your own program names a folder that stays, and commits it: then not even its first run needs a model.
    with (
        tempfile.TemporaryDirectory(prefix="price-watch-") as memory,
        bundled.start() as place,
        Automator("LOCAL", model=place.model, cache_dir=memory, verbose=0) as automator,
    ):
        print("First run, one product:")
        run(automator, place.site, [501])
        print("Second run, the same and another:")
        run(automator, place.site, [501, 502])
