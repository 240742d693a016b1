"""What `make test` does with tests that failed: late ones may try again, those that must never fail may not."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tools.second_chances import listing, read

OF_CONFTEST = ("conftest", "collecting", "failure_record", "leftovers", "qt_leftovers")
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
    for name in ("pyproject.toml", *(f"tests/{each}.py" for each in OF_CONFTEST)):
        (tmp_path / name).write_bytes((checkout / name).read_bytes())
    (tmp_path / "tests/test_example.py").write_text(FAILS_ONCE)
    again = re.search(r"-m pytest (--second-chance .*) \$\(ARGS\)", (checkout / "Makefile").read_text())
    assert again is not None, "as the Makefile says it"
    record = tmp_path / "build" / "failures.jsonl"
    words_again = again[1].replace("$(FAILURES)", str(record)).split()
    first = ["-n", "2", f"--record-failures={record}"]
    for options, told in ((first, "2 failed, 1 passed"), (words_again, "1 passed, 1 error")):
        words = [sys.executable, "-m", "pytest", "-p", "no:xvfb", *options, "tests"]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 1 and told in done.stdout, done.stdout + done.stderr
    assert "may not fail even once" in done.stdout
    assert re.search(r"passed when tried once more =+\ntests/test_example.py::test_late\n", done.stdout)
    found = read(record.read_text().splitlines())
    assert found.runs == 1 and {test.partition("::")[2] for test in found.failures} == {"test_late", "test_same"}
    assert "   1 of 1  tests/test_example.py::test_late\n            1 x assert False" in listing(found)
