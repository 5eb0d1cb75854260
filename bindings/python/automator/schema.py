"""Schemas of the caller: types that pydantic understands, or JSON Schema.

What a model is told is JSON Schema. What the caller gets has gone through pydantic, so that validators, defaults and
conversions hold, and the type is true.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
from collections.abc import Mapping
from typing import Any

from automator.errors import AutomatorInvalidArgumentError, SchemaValidationError
from automator.options import json_text, kind_of

# Words of which a JSON Schema has one: without, it says nothing about what a value may be, and is meant as something
# else, such as options.
_KEYWORDS = {
    "$ref",
    "type",
    "properties",
    "items",
    "prefixItems",
    "enum",
    "const",
    "anyOf",
    "oneOf",
    "allOf",
    "additionalProperties",
    "patternProperties",
}


class Schema:
    """One schema: what the model is told, and what becomes of its answer."""

    def __init__(self, given: object, operation: str = "extract") -> None:
        """Reads a schema.

        Args:
            operation: What it is for, for errors.
            given: A JSON Schema as a dict, a ``pydantic.TypeAdapter``, or a type: a pydantic model, a dataclass, a
                TypedDict, ``list[Model]``, ``str``, …

        Raises:
            AutomatorInvalidArgumentError: It is none of these, or has no JSON Schema.
        """
        self._operation = operation
        self._adapter: Any = None
        if isinstance(given, Mapping):
            self._json_schema = dict(given)
        else:
            self._adapter = _adapter_of(given, operation)
            self._json_schema = _json_schema_of(self._adapter, given, operation)
        if not _KEYWORDS.isdisjoint(self._json_schema):
            return
        raise AutomatorInvalidArgumentError(
            f"{operation}: the schema says nothing about the value that JSON Schema could express; use a model, a "
            "list, a text, a number, a boolean or an enum. A dict with options goes into `options`."
        )

    @property
    def json_schema(self) -> dict[str, Any]:
        """What the model is told."""
        return self._json_schema

    @property
    def text(self) -> str:
        """What the model is told, as JSON."""
        return json_text(f"{self._operation}: the schema", self._json_schema)

    def validated(self, answer: str) -> Any:
        """The value for an answer, which the core has held against the JSON Schema.

        Raises:
            SchemaValidationError: Validators of the type refuse it.
        """
        if self._adapter is None:
            return json.loads(answer)
        from pydantic import ValidationError

        try:
            return self._adapter.validate_json(answer)
        except ValidationError as error:
            raise _mismatch(error, json.loads(answer), self._operation) from error


def schema_of(given: object, operation: str = "extract") -> Schema | None:
    """The schema of a call, if it has one."""
    return None if given is None else Schema(given, operation)


def _adapter_of(given: Any, operation: str) -> Any:
    from pydantic import PydanticUserError, TypeAdapter

    if isinstance(given, TypeAdapter):
        return given
    if _is_no_type(given):
        raise AutomatorInvalidArgumentError(
            f"{operation}: the schema must be a type or a JSON Schema, not {kind_of(given)}"
        )
    try:
        return TypeAdapter(given)
    except (PydanticUserError, NameError, TypeError, AttributeError) as error:
        raise AutomatorInvalidArgumentError(
            f"{operation}: the schema must be a type that pydantic understands, or a JSON Schema: {error}"
        ) from error


def _is_no_type(given: object) -> bool:
    from pydantic import BaseModel

    if isinstance(given, type):
        # The base of all models has no members of its own.
        return given is BaseModel
    is_value = isinstance(given, (str, bytes, int, float, list, tuple))
    return is_value or inspect.isroutine(given) or dataclasses.is_dataclass(given)


def _json_schema_of(adapter: Any, given: object, operation: str) -> dict[str, Any]:
    from pydantic import PydanticUserError

    try:
        schema: dict[str, Any] = adapter.json_schema(mode="validation")
    except PydanticUserError as error:
        raise AutomatorInvalidArgumentError(f"{operation}: {given!r} has no JSON Schema: {error}") from error
    return schema


def _mismatch(error: Any, value: object, operation: str) -> SchemaValidationError:
    issues = error.errors(include_url=False, include_context=False, include_input=False)
    pointers = [_pointer(issue, value) for issue in issues]
    lines = [f"{at}: {issue['msg']}" if at else str(issue["msg"]) for at, issue in zip(pointers, issues, strict=True)]
    return SchemaValidationError(
        f"{operation}: the value does not fit the schema: {'; '.join(lines)}",
        operation=operation,
        context={"pointer": pointers[0] if pointers else ""},
    )


def _pointer(issue: Mapping[str, Any], value: Any) -> str:
    """Where an issue is in the answer. What pydantic tells has the branches of unions in between, and the like."""
    steps = []
    for step in issue["loc"]:
        if (isinstance(value, dict) and step in value) or (isinstance(value, list) and isinstance(step, int)):
            value = value[step]
            steps.append(step)
    if issue["type"] == "missing":
        steps.append(issue["loc"][-1])
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in steps)
