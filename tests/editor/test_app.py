"""Starting: the first paint waits for nothing that it does not need."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from studio.editor.display import NoDisplay, require_display

HEAVY = ("numpy", "rosbags", "zmq", "pyqtgraph", "scipy", "numba", "PyQt6.QtSvg", "PyQt6.QtOpenGL")


def test_nothing_heavy_is_loaded_before_the_first_paint() -> None:
    code = f"import sys, studio.editor.app; print([name for name in {HEAVY} if name in sys.modules])"
    env = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    assert done.stdout == "[]\n"


def test_a_missing_display_is_noticed_before_qt_aborts(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("QT_QPA_PLATFORM", "WAYLAND_DISPLAY", "DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(NoDisplay):
        require_display()
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    require_display()
