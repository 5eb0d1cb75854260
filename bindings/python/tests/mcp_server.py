"""A server of one tool by the Model Context Protocol, over its standard streams."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

TOOL = {"name": "weather", "description": "the weather of a city", "inputSchema": {"type": "object"}}


def result_of(method: str, params: dict[str, Any]) -> dict[str, Any]:
    match method:
        case "initialize":
            server = {"name": "test", "version": "1"}
            return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": server}
        case "tools/list":
            return {"tools": [TOOL]}
        case "tools/call":
            said = f"rain in {params['arguments']['city']}, said {os.environ['SPEAKER']}"
            return {"content": [{"type": "text", "text": said}]}
        case _:
            return {}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        result = result_of(message["method"], message.get("params") or {})
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
