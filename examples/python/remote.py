"""Reads a price with a browser of a platform, and goes on with the same browser in a second session.

automator serve                  # in another terminal; it prints the key
export REMOTE_API_KEY=amk_…
python examples/python/remote.py
"""

from __future__ import annotations

import bundled

from automator import Automator, Model


def run(model: Model, site: str) -> str:
    """Opens a product in one session, and reads its price in another one with the same browser."""
    # The browser runs where the server is, and so do the questions to the model. It outlives this session.
    with Automator("REMOTE", keep_alive=True, model=model) as first:
        first.context.pages()[0].goto(f"{site}item/501")
        session = first.remote_session_id
        if first.remote_session_url is not None:
            print(f"watch it at {first.remote_session_url}")

    # Another program, on another machine, could do this. `keep_alive=False` ends the session with the close.
    with Automator("REMOTE", keep_alive=False, remote_session_id=session, model=model) as second:
        return second.extract("the current price of the product").extraction


if __name__ == "__main__":
    with bundled.start() as place:
        print(run(place.model, place.site))
