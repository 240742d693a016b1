from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tools import find_python


def fake_python(path: Path, version: tuple[int, int], venv: bool = True) -> Path:
    return script(path, f"echo '[{version[0]}, {version[1]}, {str(venv).lower()}]'")


def script(path: Path, body: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine whose Pythons are only those that the test puts there."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    return tmp_path


def newest() -> Path | None:
    found = next(iter(find_python.newest_first()), None)
    return found.path if found else None


def test_a_shim_that_only_fails_is_passed_over_for_the_real_one_in_pyenv(machine: Path) -> None:
    script(machine / "bin/python3.13", "echo 'command not found' >&2; exit 127")
    fake_python(machine / "bin/python3.11", (3, 11))
    real = fake_python(machine / "pyenv/versions/3.13.0/bin/python3", (3, 13))
    assert newest() == real


def test_the_newest_supported_version_wins_and_newer_ones_are_left_alone(machine: Path) -> None:
    fake_python(machine / "bin/python3", (3, 14))
    fake_python(machine / "bin/python3.11", (3, 11))
    best = fake_python(machine / "bin/python3.12", (3, 12))
    assert newest() == best


def test_among_equals_the_one_that_can_make_a_venv_comes_first(machine: Path) -> None:
    fake_python(machine / "bin/python3.11", (3, 11), venv=False)
    complete = fake_python(machine / "pyenv/versions/3.11.7/bin/python3", (3, 11))
    assert newest() == complete


def test_an_activated_venv_is_not_taken(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_python(machine / "venv/bin/python3", (3, 13))
    (machine / "venv/pyvenv.cfg").write_text("")
    monkeypatch.setenv("PATH", f"{machine / 'venv/bin'}{os.pathsep}{machine / 'bin'}")
    assert newest() is None


def test_only_old_pythons_are_none(machine: Path) -> None:
    fake_python(machine / "bin/python3", (3, 9))
    assert newest() is None


def test_garbage_from_a_program_is_no_python(tmp_path: Path) -> None:
    assert find_python.probe(script(tmp_path / "python3", "echo hello")) is None
    assert find_python.probe(tmp_path / "not there") is None


def test_this_python_is_recognised() -> None:
    assert find_python.version_of(Path(sys.executable)) == sys.version_info[:2]
