"""The folders of runs are this user's alone: what another user has put in their place is refused, not used."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from studio.errors import StudioError
from studio.runtime.channel import run_folder
from studio.runtime.channel.run_folder import RunFolders, runs_folder, shared_folder
from studio.runtime.client.running_systems import find_running, running_systems
from tests.conftest import ROOT

OTHER_USER = 12345


def linked(folder: Path) -> None:
    aim = folder.with_name("elsewhere")
    aim.mkdir(mode=0o700)
    folder.symlink_to(aim)


def foreign(folder: Path) -> None:
    folder.mkdir(mode=0o700)
    os.chown(folder, OTHER_USER, OTHER_USER)


def open_to_others(folder: Path) -> None:
    folder.mkdir()
    folder.chmod(0o770)


def in_anybodys_folder(folder: Path) -> None:
    folder.mkdir(mode=0o700)
    folder.parent.chmod(0o777)


def in_a_foreign_folder(folder: Path) -> None:
    folder.mkdir(mode=0o700)
    os.chown(folder.parent, OTHER_USER, OTHER_USER)


def piped(folder: Path) -> None:
    os.mkfifo(folder)


only_root = pytest.mark.skipif(os.getuid() != 0, reason="only root can make what belongs to another user")
TRAPS = [
    pytest.param(linked, "is a symbolic link", id="link"),
    pytest.param(foreign, "belongs to another user", id="foreign", marks=only_root),
    pytest.param(open_to_others, "can be changed by other users", id="open"),
    pytest.param(piped, "is not a folder", id="pipe"),
    pytest.param(in_anybodys_folder, "can be replaced by other users", id="replaceable"),
    pytest.param(in_a_foreign_folder, "can be replaced by other users", id="in foreign", marks=only_root),
]
Trap = Callable[[Path], None]


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Runs and shared memory lie below a folder for temporary files."""
    for name in ("STUDIO_RUNS", "XDG_RUNTIME_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "t"))
    monkeypatch.setattr(run_folder, "SHARED_MEMORY", tmp_path / "m")
    for name in ("t", "m"):
        (tmp_path / name).mkdir(mode=0o700)
    return tmp_path


@pytest.mark.parametrize(("trap", "why"), TRAPS)
def test_the_folder_of_runs_in_tmpdir_is_refused(temporary: Path, trap: Trap, why: str) -> None:
    trap(runs_folder())
    with pytest.raises(StudioError, match=f"{re.escape(str(runs_folder()))} {why}") as caught:
        RunFolders()
    assert "STUDIO_RUNS" in caught.value.hint
    with pytest.raises(StudioError, match=why):
        find_running()
    assert running_systems() == []
    assert not list((temporary / "m").iterdir())


@pytest.mark.parametrize(("trap", "why"), TRAPS)
def test_the_folder_of_shared_memory_is_refused(temporary: Path, trap: Trap, why: str) -> None:
    shared = temporary / "m" / f"studio-{os.getuid()}"
    trap(shared)
    with pytest.raises(StudioError, match=f"{re.escape(str(shared))} {why}"):
        RunFolders()
    if shared.is_dir():
        (shared / "some_run").mkdir()
    assert shared_folder("some_run") is None


def test_folders_of_our_own_are_used_again(temporary: Path) -> None:
    for _ in range(2):
        folders = RunFolders()
        assert folders.run.parent == runs_folder() and shared_folder(folders.run.name) == folders.shared
        assert runs_folder().stat().st_mode & 0o777 == 0o700
        folders.close()


def test_studio_run_says_which_folder_is_not_ours(temporary: Path) -> None:
    open_to_others(runs_folder())
    environment = {name: value for name, value in os.environ.items() if name not in ("STUDIO_RUNS", "XDG_RUNTIME_DIR")}
    ended = subprocess.run(
        [sys.executable, "-m", "studio", "run", "first_steps", "--for", "0.1"],
        capture_output=True, text=True, timeout=60, cwd=ROOT, env={**environment, "TMPDIR": str(temporary / "t")},
    )  # fmt: skip
    assert ended.returncode == 1 and f"{runs_folder()} can be changed by other users" in ended.stderr
    assert "Traceback" not in ended.stderr
