"""What `make test` does with tests that failed: late ones may try again, those that must never fail may not."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

FAILS_ONCE = """
import pathlib
import pytest

def fails_once(name):
    seen = pathlib.Path(__file__).with_name(name)
    before = seen.exists()
    seen.touch()
    assert before

def test_late():
    fails_once("late")

@pytest.mark.must_not_flake
def test_same():
    fails_once("same")

@pytest.mark.must_not_flake
def test_good():
    pass
"""


@pytest.mark.timeout(180)
def test_only_what_may_be_late_gets_a_second_chance(checkout: Path, tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    for name in ("pyproject.toml", "tests/conftest.py", "tests/collecting.py"):
        (tmp_path / name).write_bytes((checkout / name).read_bytes())
    (tmp_path / "tests/test_example.py").write_text(FAILS_ONCE)
    again = re.search(r"-m pytest (--second-chance .*) \$\(ARGS\)", (checkout / "Makefile").read_text())
    assert again is not None, "as the Makefile says it"
    for options, told in ((["-n", "2"], "2 failed, 1 passed"), (again[1].split(), "1 passed, 1 error")):
        words = [sys.executable, "-m", "pytest", "-p", "no:xvfb", *options, "tests"]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 1 and told in done.stdout, done.stdout + done.stderr
    assert "may not fail even once" in done.stdout
