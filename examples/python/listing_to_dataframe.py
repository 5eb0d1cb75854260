"""Turns a listing page into a pandas DataFrame.

python examples/python/listing_to_dataframe.py [ADDRESS MODEL]
"""

from __future__ import annotations

import bundled
import pandas as pd
from pydantic import BaseModel, Field, HttpUrl

from automator import Automator


class Product(BaseModel):
    """A row of the table."""

    name: str
    price: float = Field(description="In euro.")
    link: HttpUrl


def run(automator: Automator, address: str) -> pd.DataFrame:
    """The products of a page, the cheapest first."""
    automator.context.pages()[0].goto(address)
    products = automator.extract("all products with name, price and link", list[Product], selector="main")
    # In JSON form, addresses are texts.
    table: pd.DataFrame = pd.DataFrame([product.model_dump(mode="json") for product in products])
    table.sort_values("price", ignore_index=True, inplace=True)
    return table


if __name__ == "__main__":
    with bundled.start() as place, Automator("LOCAL", model=place.model, verbose=0) as automator:
        table = run(automator, place.site)
        print(table.to_string())
        print(f"\n{len(table)} products, € {table['price'].median():.2f} in the middle")
