"""Files for inputs and choosers."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from automator.options import kind_of

FilePath: TypeAlias = str | os.PathLike[str]
"""The path of a file."""


@dataclass(frozen=True)
class FilePayload:
    """A file that exists in memory only."""

    name: str
    """The name that the page sees."""
    content: bytes | str = field(repr=False)
    """What is in it; a text goes as UTF-8."""
    mime_type: str = ""
    """Its type, as ``text/csv``. Default: unknown."""
    last_modified: int | None = None
    """When it was last changed, in milliseconds since 1970. Default: now."""


Files: TypeAlias = FilePath | FilePayload | Iterable[FilePath | FilePayload]
"""One file or several, by path or from memory."""


def listed(files: Files) -> list[FilePath | FilePayload]:
    """The files one by one."""
    if isinstance(files, (str, os.PathLike, FilePayload)):
        return [files]
    if isinstance(files, bytes) or not isinstance(files, Iterable):
        raise TypeError(f"files are paths or FilePayload, not {kind_of(files)}")
    listed = list(files)
    for file in listed:
        if not isinstance(file, (str, os.PathLike, FilePayload)):
            raise TypeError(f"files are paths or FilePayload, not {kind_of(file)}")
    return listed


def paths_of(files: FilePath | Iterable[FilePath]) -> list[str]:
    """The paths of files."""
    given = [files] if isinstance(files, (str, os.PathLike)) else list(files)
    return [os.fspath(path) for path in given]


def payload_of(file: FilePath | FilePayload) -> tuple[str, str, bytes, int | None]:
    """A file as the native half takes it; one of this computer is read when others come from memory."""
    if isinstance(file, FilePayload):
        content = file.content.encode() if isinstance(file.content, str) else bytes(file.content)
        return file.name, file.mime_type, content, file.last_modified
    path = Path(file)
    return path.name, "", path.read_bytes(), None
