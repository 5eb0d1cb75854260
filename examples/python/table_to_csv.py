"""Writes a product's specification as CSV.

Every cell has to stand on the page: a value that the model made up ends the program instead of going into the file.

python examples/python/table_to_csv.py [ADDRESS MODEL] > lamp.csv
"""

from __future__ import annotations

import csv
import io
import sys

import bundled
from pydantic import BaseModel, Field

from automator import Automator


class Row(BaseModel):
    """A row of the table."""

    property: str = Field(description="The first cell.")
    value: str = Field(description="The second cell, as it is written.")


def run(automator: Automator, address: str) -> str:
    """The specification on a page as CSV with a header line."""
    automator.context.pages()[0].goto(address)
    found = automator.extract_with_provenance("all rows of the specification", list[Row])
    for pointer, places in found.provenance.items():
        if not places:
            raise RuntimeError(f"the value at {pointer} does not stand on the page")
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["property", "value"])
    writer.writerows([row.property, row.value] for row in found.value)
    return text.getvalue()


if __name__ == "__main__":
    with bundled.start() as place, Automator("LOCAL", model=place.model, verbose=0) as automator:
        sys.stdout.reconfigure(newline="")  # type: ignore[union-attr]
        sys.stdout.write(run(automator, f"{place.site}product/arc-lamp"))
