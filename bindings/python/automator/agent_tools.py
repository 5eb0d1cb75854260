"""Tools of the user's own, which agents call."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from automator.agent_options import AgentTool
from automator.errors import AutomatorInvalidArgumentError
from automator.options import json_text, kind_of, well_formed
from automator.schema import Schema

Asked = TypeVar("Asked")


def tools_of(
    given: Any, answering: Callable[[Callable[[Any], Any], Callable[[str], Any], Callable[[Any], str]], Asked]
) -> tuple[list[tuple[str, str, str, Asked]], list[Asked]]:
    """Tools as the native half takes them, and what answers their calls.

    Raises:
        AutomatorInvalidArgumentError: One of them cannot be used; the error names it.
    """
    own = []
    for tool in _listed(given):
        call: Any = tool.call
        function, schema = _function_of(tool)
        if schema.get("type", "object") != "object":
            raise AutomatorInvalidArgumentError(f"the parameters of the tool {tool.name!r} must be those of an object")
        parameters = json_text(f"the parameters of the tool {tool.name!r}", {"type": "object", **schema})
        description = tool.description or inspect.getdoc(call) or ""
        own.append((tool.name, description, parameters, answering(function, str, _written)))
    return own, [tool[3] for tool in own]


def _listed(given: Any) -> list[AgentTool]:
    if given is None:
        return []
    if isinstance(given, Mapping):
        return [_tool(value, str(name)) for name, value in given.items()]
    if isinstance(given, (str, bytes, AgentTool)) or not isinstance(given, Iterable):
        raise AutomatorInvalidArgumentError(
            f"options.tools must be a list of functions, or a dict of them by name, not {kind_of(given)}"
        )
    return [_tool(value, None) for value in given]


def _tool(value: Any, name: str | None) -> AgentTool:
    if isinstance(value, AgentTool):
        tool = AgentTool(name or value.name, value.description, value.parameters, value.call)
        if not callable(tool.call):
            raise AutomatorInvalidArgumentError(
                f"the call of the tool {tool.name!r} must be a function, not {kind_of(tool.call)}"
            )
        return tool
    if not callable(value):
        raise AutomatorInvalidArgumentError(f"a tool must be a function or an AgentTool, not {kind_of(value)}")
    own: str = getattr(value, "__name__", type(value).__name__)
    return AgentTool(name or own, "", None, value)


def _function_of(tool: AgentTool) -> tuple[Callable[[Any], Any], dict[str, Any]]:
    """What takes the arguments as JSON, and their JSON Schema."""
    call: Any = tool.call
    what = f"the tool {tool.name!r}"
    if tool.parameters is None:
        adapter, schema = _signature_of(call, what)
        return _same_kind(call, adapter.validate_json), schema
    read = Schema(tool.parameters, what)
    return _same_kind(call, lambda text: call(read.validated(text))), read.json_schema


def _same_kind(call: Any, given: Callable[[str], Any]) -> Callable[[str], Any]:
    """A function that is a coroutine function when ``call`` is one: these run on the event loop, others in threads."""
    if not inspect.iscoroutinefunction(call):
        return given

    async def waiting(text: str) -> Any:
        return await given(text)

    return waiting


def _signature_of(call: Any, what: str) -> tuple[Any, dict[str, Any]]:
    from pydantic import PydanticUserError, TypeAdapter

    try:
        adapter: Any = TypeAdapter(call)
        schema: dict[str, Any] = adapter.json_schema(mode="validation")
    except (PydanticUserError, NameError, TypeError, ValueError, AttributeError) as error:
        raise AutomatorInvalidArgumentError(
            f"{what}: its signature says nothing that a model could be told; give it parameters: {error}"
        ) from error
    return adapter, schema


def _written(value: object) -> str:
    """What a tool gives, as JSON."""
    if value is None or isinstance(value, (str, bool, int, float)):
        return well_formed(json.dumps(value, allow_nan=False, ensure_ascii=False))
    from pydantic_core import to_json

    return well_formed(to_json(value).decode())
