"""Buys a lamp: fills the basket and the form, corrects what the shop does not take, and reads the confirmation.

python examples/python/checkout.py [ADDRESS MODEL]
"""

from __future__ import annotations

import re

import bundled
from pydantic import BaseModel, Field

from automator import Automator

# Where the lamp goes: the words for a field, and what it shall hold. The postcode is written as in the Netherlands,
# and this shop wants digits only.
ADDRESS = {
    "name": "Mira Jansen",
    "email": "mira@lamp-shop.test",
    "street and number": "Keizersgracht 12",
    "postcode": "1015 CW",
    "city": "Amsterdam",
}


class Line(BaseModel):
    """A line of an order."""

    product: str
    amount: int
    sum: float = Field(description="In euro.")


def run(automator: Automator, site: str) -> tuple[str, list[Line]]:
    """Orders one lamp, and gives the number of the order and its lines."""
    page = automator.context.pages()[0]
    page.goto(f"{site}product/arc-lamp")
    for instruction in ("press Add to basket", "open the basket", "follow Go to checkout"):
        act(automator, instruction)

    for field, value in ADDRESS.items():
        act(automator, f"type %value% into the {field} field", value=value)
    act(automator, "choose Netherlands in the country list")
    act(automator, "choose Express, next working day")
    act(automator, "tick the box for the terms of sale")
    act(automator, "press Place order")

    # The shop says at each field what is wrong with it. Whether it did is a fact of the page, so no model is asked.
    refused = page.locator("[aria-invalid=true]")
    if refused.count() > 0:
        field = refused.get_attribute("name") or ""
        print(f"refused: {field} ({page.locator('.error').inner_text()})")
        digits = re.sub(r"\D", "", refused.input_value())
        act(automator, f"type %value% into the {field} field", value=digits)
        act(automator, "press Place order")

    page.wait_for_selector("#order-number")
    number = page.locator("#order-number").inner_text()
    lines = automator.extract("the lines of the order with product, amount and sum", list[Line])
    print(f"\nOrder {number}:")
    for line in lines:
        print(f"  {line.amount} × {line.product}, € {line.sum:.2f}")
    return number, lines


def act(automator: Automator, instruction: str, **variables: str) -> None:
    """Carries out one instruction, or fails with what was in the way."""
    done = automator.act(instruction, variables=variables)
    if not done.success:
        raise RuntimeError(f"{instruction}: {done.message}")
    print(f"done: {instruction}")


if __name__ == "__main__":
    with bundled.start() as place, Automator("LOCAL", model=place.model, verbose=0) as automator:
        run(automator, place.site)
