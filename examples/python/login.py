"""Signs in with a password that the model never sees.

python examples/python/login.py
SHOP_EMAIL=… SHOP_PASSWORD=… python examples/python/login.py https://shop.example openai/gpt-4.1-mini
"""

from __future__ import annotations

import os

import bundled

from automator import Automator, Variable, Variables


def run(automator: Automator, site: str, email: str, password: str) -> str:
    """Signs in and gives what the account says."""
    page = automator.context.pages()[0]
    page.goto(f"{site}login")

    # The model is told the names `email` and `password` and what they are for. The values take the place of `%email%`
    # and `%password%` when they are typed; results, logs, history and caches keep the names.
    variables: Variables = {"email": email, "password": Variable(password, "the password of the shop's account")}
    for instruction in (
        "type %email% into the email field",
        "type %password% into the password field",
        "press the sign in button",
    ):
        done = automator.act(instruction, variables=variables)
        if not done.success:
            raise RuntimeError(f"{done.action_description}: {done.message}")
        print(f"done: {done.action_description}")

    # A pressed button is no open account: wait for the words that only the account has.
    signed_in = page.locator("text=You are signed in as")
    signed_in.wait_for(timeout=10_000)
    return signed_in.inner_text()


if __name__ == "__main__":
    with bundled.start() as place, Automator("LOCAL", model=place.model, verbose=0) as automator:
        email = os.environ.get("SHOP_EMAIL", place.email)
        password = os.environ.get("SHOP_PASSWORD", place.password)
        print(f"\n{run(automator, place.site, email, password)}")
