"""Scripts and headers that pages get."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from automator.errors import AutomatorInvalidArgumentError
from automator.files import FilePath
from automator.options import json_text, kind_of


def init_script_text(content: str | None, path: FilePath | None, function: str | None, argument: Any) -> str:
    """A script as the core reads it."""
    members = {"content": content, "path": path, "function": function}
    given = {name: value for name, value in members.items() if value is not None}
    if argument is not None:
        given["argument"] = argument
    return json_text("script", given)


def headers_of(headers: Mapping[str, str]) -> dict[str, str]:
    """Headers; their values must be texts."""
    if not isinstance(headers, Mapping):
        raise TypeError(f"headers must be a dict, not {kind_of(headers)}")
    for name, value in headers.items():
        if not isinstance(value, str):
            raise AutomatorInvalidArgumentError(f"the header {name} must be a text, not {kind_of(value)}")
    return dict(headers)
