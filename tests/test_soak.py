"""The switch between the ordinary tests and their long versions."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

TESTS = """
import pytest

def test_ordinary():
    pass

def test_scaled(scaled):
    print("count", scaled(1000))

@pytest.mark.parametrize("count", [3, pytest.param(300, marks=pytest.mark.soak)])
def test_marked(count):
    print("marked", count)
"""


def outcome(checkout: Path, tmp_path: Path, *options: str) -> str:
    (tmp_path / "tests").mkdir(exist_ok=True)
    (tmp_path / "pyproject.toml").write_bytes((checkout / "pyproject.toml").read_bytes())
    for module in (checkout / "tests").glob("*.py"):  # conftest and what it imports
        if not module.name.startswith("test_"):
            (tmp_path / "tests" / module.name).write_bytes(module.read_bytes())
    (tmp_path / "tests/test_example.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-v", "-s", "-p", "no:xvfb", "-p", "no:cacheprovider", *options, "tests"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_ordinary_tests_take_one_per_cent_and_leave_the_long_ones_out(checkout: Path, tmp_path: Path) -> None:
    out = outcome(checkout, tmp_path)
    assert "3 passed, 1 deselected" in out
    assert "count 10\n" in out
    assert "marked 3\n" in out


def test_soak_runs_the_long_versions_only_and_in_full(checkout: Path, tmp_path: Path) -> None:
    out = outcome(checkout, tmp_path, "--soak")
    assert "2 passed, 2 deselected" in out
    assert "count 1000\n" in out
    assert "marked 300\n" in out
