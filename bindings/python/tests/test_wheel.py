"""The wheel by itself: in an empty environment it runs the program of the README."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from rig import ROOT

WHEEL = os.environ.get("AUTOMATOR_WHEEL")

needs_wheel = pytest.mark.skipif(WHEEL is None, reason="AUTOMATOR_WHEEL names no wheel; `cargo xtask test python` does")

# Puts the bundled shop and its stand-in for a model in the place of the site and the model of the README.
PLACED = """
import sys
sys.path.insert(0, {examples!r})
sys.argv = sys.argv[:1]
import bundled
with bundled.start() as place:
    source = {source!r}
    source = source.replace('"https://lamps.example"', repr(place.site))
    source = source.replace('"openai/gpt-4.1-mini"', repr(place.model))
    exec(compile(source, "README.md", "exec"))
    print(len(lamps), lamps[0])
"""


def programs(path: Path) -> str:
    """The Python of a document, in the order in which it is read."""
    return "\n".join(re.findall(r"^```python\n(.*?)^```$", path.read_text(), re.M | re.S))


@needs_wheel
def test_the_wheel_has_the_package_its_types_and_nothing_else() -> None:
    with zipfile.ZipFile(WHEEL or "") as wheel:
        names = wheel.namelist()
    assert "automator/py.typed" in names
    assert "automator/_native.pyi" in names
    assert any(re.match(r"automator/_native\.(abi3\.so|pyd)", name) for name in names)
    assert {name.split("/")[0].split("-")[0] for name in names} == {"automator", "automator_browser"}
    assert not [name for name in names if "test" in name or name.endswith(".pyc")]
    assert "abi3" in Path(WHEEL or "").name


@needs_wheel
def test_it_installs_into_an_empty_environment_and_runs_the_program_of_the_readme(tmp_path: Path) -> None:
    environment = tmp_path / "environment"
    # Installed by the pip of the tests, because putting one there takes longer than all the rest.
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    python = environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    install = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*install, WHEEL], check=True)
    source = programs(ROOT / "bindings" / "python" / "README.md")
    assert "automator.extract" in source
    program = PLACED.format(examples=str(ROOT / "examples" / "python"), source=source)
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    ran = subprocess.run(
        [python, "-c", program], capture_output=True, check=False, cwd=tmp_path, env=clean, text=True, timeout=600
    )
    assert ran.returncode == 0, ran.stderr
    count, first = ran.stdout.strip().split(" ", 1)
    assert int(count) > 5
    assert first.startswith("name=")
