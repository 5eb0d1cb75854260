"""What a lamp costs, as an HTTP function that a schedule calls.

CRON_SECRET=… PORT=8080 python examples/python/function.py [ADDRESS MODEL]
curl --header "authorization: Bearer $CRON_SECRET" http://127.0.0.1:8080/api/lamp

Outcomes: 200 with `{"ok": true, "data": "Arc lamp: € 49.00"}`; 401 with `{"ok": false, "error": …}` when the secret is
missing or wrong; 500 with the same when anything else went wrong. With REMOTE_API_KEY the browser runs on the remote
platform, else on this machine.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import os
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import bundled

from automator import AsyncAutomator, Env, Model

LIMIT = 50
"""How long all of it may take, in seconds. Hosts of functions end them after 60; closing has its time before that."""


@dataclass
class Settings:
    """What the function works with."""

    secret: str
    """What callers have to send, as `authorization: Bearer <secret>`."""
    shop: str
    """The address of the shop, with a slash at its end."""
    model: Model
    env: Env = "LOCAL"


async def lamp(settings: Settings) -> str:
    """The name and the price of the lamp, from a session that is closed whatever happens."""
    automator = AsyncAutomator(settings.env, model=settings.model, verbose=0)
    try:
        return await asyncio.wait_for(read(automator, settings.shop), LIMIT)
    finally:
        await automator.close()


async def read(automator: AsyncAutomator, shop: str) -> str:
    """Answers the cookie banner and reads the lamp."""
    await automator.init()
    await automator.context.pages()[0].goto(f"{shop}product/arc-lamp")
    done = await automator.act("press Only what is needed")
    if not done.success:
        raise RuntimeError(f"the cookies could not be answered: {done.message}")
    return await automator.extract("name and current price of the lamp, as name: price", str, selector="article")


def answer(settings: Settings, path: str, authorization: str) -> tuple[int, dict[str, object]]:
    """Answers the host and its scheduler."""
    if path != "/api/lamp":
        return 404, {"ok": False, "error": "there is nothing here"}
    # How long the comparison takes says nothing about the secret.
    if not hmac.compare_digest(authorization.encode(), f"Bearer {settings.secret}".encode()):
        return 401, {"ok": False, "error": "the authorization header is not that of CRON_SECRET"}
    try:
        return 200, {"ok": True, "data": asyncio.run(lamp(settings))}
    except Exception as error:
        return 500, {"ok": False, "error": str(error) or type(error).__name__}


def serve(settings: Settings, port: int) -> ThreadingHTTPServer:
    """A server that answers; it runs when it is told to."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = answer(settings, self.path, self.headers.get("authorization", ""))
            content = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    return ThreadingHTTPServer(("127.0.0.1", port), Handler)


if __name__ == "__main__":
    secret = os.environ.get("CRON_SECRET", "")
    if len(secret) < 32:
        raise SystemExit("set CRON_SECRET to a secret of 32 characters or more")
    with bundled.start() as place:
        env: Env = "REMOTE" if os.environ.get("REMOTE_API_KEY") else "LOCAL"
        with serve(Settings(secret, place.site, place.model, env), int(os.environ.get("PORT", "0"))) as server:
            print(f"http://127.0.0.1:{server.server_address[1]}/api/lamp", flush=True)
            server.serve_forever()
