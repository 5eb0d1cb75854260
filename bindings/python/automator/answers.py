"""From the JSON of the core to dataclasses."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, TypeVar

from automator.names import to_snake

Made = TypeVar("Made")


def made(kind: type[Made], members: Mapping[str, Any]) -> Made:
    """An object of a dataclass; members that this version does not know are left out."""
    known = {field.name for field in dataclasses.fields(kind)}  # type: ignore[arg-type]
    named = {to_snake(name): value for name, value in members.items()}
    return kind(**{name: value for name, value in named.items() if name in known})
