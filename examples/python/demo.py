"""The main job on the bundled shop: reads a page as text, then extracts a typed product list with provenance.

python examples/python/demo.py [ADDRESS MODEL]
"""

from __future__ import annotations

import bundled
from pydantic import BaseModel, Field, HttpUrl

from automator import Automator


class Product(BaseModel):
    """A product of the shop."""

    name: str
    price: float = Field(description="In euro.")
    link: HttpUrl


def run(automator: Automator, address: str) -> list[Product]:
    """Prints what the page and its products are."""
    automator.context.pages()[0].goto(address)
    lines = automator.page_text().page_text.splitlines()
    print(f"The page as text, {len(lines)} lines:\n")
    print("\n".join(lines[:24]), "\n  …\n")

    instruction = "all products with name, price and link"
    found = automator.extract_with_provenance(instruction, list[Product], selector="main")
    print(f"{len(found.value)} products:\n")
    for number, product in enumerate(found.value):
        print(f"  {product.name:<28} € {product.price:7.2f}  {product.link}")
        for place in found.provenance.get(f"/{number}/price", [])[:1]:
            print(f"  {'':<28} price stands at {place.xpath}")
    nowhere = sum(not places for places in found.provenance.values())
    print(f"\nValues that stand nowhere on the page: {nowhere}")
    print(f"Tokens sent: {automator.metrics.extract_prompt_tokens}")
    return found.value


if __name__ == "__main__":
    with bundled.start() as place, Automator("LOCAL", model=place.model, verbose=0) as automator:
        run(automator, place.site)
