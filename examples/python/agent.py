"""Leaves a task of several steps to an agent, watches it, and lets it buy nothing.

python examples/python/agent.py [ADDRESS MODEL]
"""

from __future__ import annotations

import bundled
from pydantic import BaseModel, Field

from automator import AgentConfirmRequest, Automator

TASK = "Press Add to basket. Open the basket. Follow Go to checkout."


class Item(BaseModel):
    """What is in the basket."""

    name: str
    price: float = Field(description="In euro.")


def buys_nothing(request: AgentConfirmRequest) -> bool:
    """Answers for what cannot be taken back; a purchase is none of this program's business."""
    return request.kind != "purchase"


def run(automator: Automator, site: str) -> Item:
    """Puts a lamp into the basket, and gives what the page says of it at the end."""
    automator.context.pages()[0].goto(f"{site}product/arc-lamp")
    stream = automator.agent(stream=True).execute(TASK, max_steps=10, output=Item, confirm=buys_nothing)
    for event in stream:
        if event.type == "tool-call":
            print(f"{event.step}. {event.tool_name}: {event.input['action']}")
    result = stream.result()
    if not result.success or result.output is None:
        raise RuntimeError(result.message)
    print(f"{result.message} {result.output.name}, € {result.output.price:.2f}")
    return result.output


if __name__ == "__main__":
    # Streams and outputs of agents may change between versions, so they are asked for.
    with bundled.start() as place, Automator("LOCAL", model=place.model, experimental=True, verbose=0) as automator:
        run(automator, place.site)
