"""The programs of the guide and of the README are sound, in the order in which they are read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from rig import ROOT
from test_wheel import programs

DOCUMENTS = [ROOT / "docs" / "guides" / "python.md", ROOT / "bindings" / "python" / "README.md"]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_the_programs_of_a_document_have_no_type_errors(document: Path, tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    source = programs(document)
    assert "with Automator(" in source
    file = tmp_path / "document.py"
    file.write_text(source)
    words = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--python-version",
        "3.10",
        "--cache-dir",
        tmp_path / "cache",
        file,
    ]
    ran = subprocess.run(words, capture_output=True, check=False, cwd=tmp_path, text=True)
    assert ran.returncode == 0, ran.stdout
