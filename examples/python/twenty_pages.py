"""Reads twenty pages at once, and shows how far it has come.

python examples/python/twenty_pages.py [ADDRESS MODEL]
"""

from __future__ import annotations

import asyncio
import time

import bundled
from pydantic import BaseModel, Field
from tqdm.asyncio import tqdm_asyncio

from automator import AsyncAutomator


class Offer(BaseModel):
    """What is read of each page."""

    name: str = Field(description="The name of the product.")
    price: float = Field(description="What it costs now, in euro.")


async def read(automator: AsyncAutomator, address: str) -> Offer:
    """Reads one page in a tab of its own."""
    page = await automator.context.new_page()
    try:
        await page.goto(address)
        return await automator.extract("name and current price of the product", Offer, page=page, selector="main")
    finally:
        await page.close()


async def run(automator: AsyncAutomator, addresses: list[str]) -> list[Offer]:
    """Reads all pages side by side; the offers come in the order of the addresses."""
    offers: list[Offer] = await tqdm_asyncio.gather(*(read(automator, address) for address in addresses), unit="page")
    return offers


async def main() -> None:
    """Reads the pages of twenty item numbers."""
    with bundled.start() as place:
        async with AsyncAutomator("LOCAL", model=place.model, verbose=0) as automator:
            # The shop has fourteen lamps, so some are read twice.
            addresses = [f"{place.site}item/{501 + number % 14}" for number in range(20)]
            began = time.perf_counter()
            offers = await run(automator, addresses)
            seconds = time.perf_counter() - began
    for address, offer in zip(addresses, offers, strict=True):
        print(f"{address.rsplit('/', 1)[1]}: {offer.name:<20} € {offer.price:7.2f}")
    print(f"{len(offers)} pages in {seconds:.1f} s")


if __name__ == "__main__":
    asyncio.run(main())
