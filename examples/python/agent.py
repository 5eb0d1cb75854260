"""Leaves a task of several steps to an agent, watches it, and lets it buy nothing.

python examples/python/agent.py [ADDRESS MODEL]
"""

from __future__ import annotations

import bundled

from automator import AgentAction, AgentConfirmRequest, Automator

TASK = "Press Add to basket. Open the basket. Follow Go to checkout."


def buys_nothing(request: AgentConfirmRequest) -> bool:
    """Answers for what cannot be taken back; a purchase is none of this program's business."""
    return request.kind != "purchase"


def run(automator: Automator, site: str) -> list[AgentAction]:
    """Puts a lamp into the basket, and gives what was done."""
    automator.context.pages()[0].goto(f"{site}product/arc-lamp")
    stream = automator.agent(stream=True).execute(TASK, max_steps=10, confirm=buys_nothing)
    for event in stream:
        if event.type == "tool-call":
            print(f"{event.step}. {event.tool_name}: {event.input['action']}")
    result = stream.result()
    if not result.success:
        raise RuntimeError(result.message)
    print(result.message)
    return result.actions


if __name__ == "__main__":
    # Streams of agents may change between versions, so they are asked for.
    with bundled.start() as place, Automator("LOCAL", model=place.model, experimental=True, verbose=0) as automator:
        run(automator, place.site)
