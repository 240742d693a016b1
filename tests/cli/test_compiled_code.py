"""Compiled code is kept somewhere, also where nothing but the folder for temporary files can be written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from studio.cli.shared.compiled_code import VARIABLE, make_room

NOWHERE = "/proc/self/fd"


@pytest.fixture(autouse=True)
def _as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "")  # so that it is put back afterwards
    monkeypatch.delenv(VARIABLE)


def test_a_folder_for_this_once_where_neither_program_nor_home_can_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", NOWHERE)
    make_room(Path("/does/not/exist"))
    folder = Path(os.environ[VARIABLE])
    assert folder.is_dir() and folder.stat().st_mode & 0o077 == 0
    make_room(Path("/does/not/exist"))
    assert os.environ[VARIABLE] == str(folder)


def test_otherwise_numba_decides_itself(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", NOWHERE)
    make_room(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    make_room(Path("/does/not/exist"))
    assert VARIABLE not in os.environ
