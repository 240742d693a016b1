"""The walk of the guide with mouse and keys: the log of a drive, stepped through, taken back, and given other code."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.displays import own_display

NEEDED = ("Xvfb", "xdotool", "import")
PICTURES = ("stopped", "array", "back", "edit", "reloaded")

pytestmark = pytest.mark.skipif(
    any(shutil.which(name) is None for name in NEEDED), reason=f"needs {', '.join(NEEDED)}: make setup installs them"
)


@pytest.fixture
def display() -> Iterator[str]:
    with own_display(1920, 1080) as display:
        yield display


@pytest.mark.soak
def test_a_new_user_steps_through_a_drive_and_ends_in_the_same_event_with_new_code(
    display: str, checkout: Path, tmp_path: Path
) -> None:
    own = {"DISPLAY": display, "QT_QPA_PLATFORM": "xcb", "PYTHONPATH": str(checkout), "STUDIO_RUNS": str(tmp_path)}
    words = [sys.executable, str(checkout / "tools" / "debugger_walk_shots.py"), str(tmp_path)]
    done = subprocess.run(
        words, env={**os.environ, **own}, cwd=checkout, capture_output=True, text=True, timeout=900, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert all((tmp_path / f"debugger_walk_{name}.png").is_file() for name in PICTURES)
