"""`studio edit`: what it says where no window can be opened."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


def studio(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {
        key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    }
    command = [sys.executable, "-m", "studio", *words]
    return subprocess.run(command, capture_output=True, text=True, env={**kept, **environment}, timeout=50, check=False)


@pytest.mark.parametrize("words", [(), ("edit",), ("edit", "first_steps")])
def test_without_a_display_it_says_so_and_what_to_do_instead(words: tuple[str, ...]) -> None:
    done = studio(*words)
    assert done.returncode == 1
    assert "there is no display" in done.stderr and "studio --help" in done.stderr


def test_a_display_that_is_not_there_is_named() -> None:
    done = studio(DISPLAY=":4711")
    assert done.returncode == 1 and ":4711" in done.stderr


def test_without_qt_it_says_how_to_get_it(tmp_path: Path) -> None:
    (tmp_path / "PyQt6.py").write_text("raise ImportError('No module named PyQt6')", encoding="utf-8")
    done = studio("edit", PYTHONPATH=str(tmp_path), QT_QPA_PLATFORM="offscreen")
    assert done.returncode == 1 and "cannot be opened" in done.stderr and "pip install" in done.stderr


def test_a_project_that_does_not_exist_is_wrong_use() -> None:
    assert studio("edit", "no_such_project").returncode == 2
