"""OpenGL, where there is a display: the same picture as without it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from tests.displays import own_display

HERE = Path(__file__).parent
ROOT = HERE.parents[3]


@pytest.fixture
def display() -> Iterator[str]:
    if shutil.which("Xvfb") is None:
        pytest.skip("needs Xvfb: make setup installs it")
    with own_display(640, 480) as display:
        yield display


def painted(**environment: str) -> dict[str, object]:
    env = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    words = [sys.executable, str(HERE / "painted_both_ways.py")]
    done = subprocess.run(words, env=env, capture_output=True, text=True, timeout=50, check=True)
    found: dict[str, object] = json.loads(done.stdout)
    return found


def test_opengl_and_qt_paint_the_same(display: str) -> None:
    found = painted(DISPLAY=display, QT_QPA_PLATFORM="xcb")
    assert found["words"] in ("software GL", "OpenGL"), "a display has a context, if only by software"
    assert found["gl"] == found["qt"] == ["#ff0000", "#00ff00", "#ff0000", "#0000ff"]
    assert found["glass"] == [pytest.approx((206, 209, 214), abs=3)] * 2, "what shines through keeps its colour"
    if found["words"] == "software GL":
        assert cast(float, found["held"]) < 0.5, "the window stands still while another thread paints"


def test_without_a_display_qt_paints() -> None:
    found = painted(QT_QPA_PLATFORM="offscreen")
    assert found["words"] == "without OpenGL" and found["gl"] == found["qt"]
