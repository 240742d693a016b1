"""Saving is atomic: whatever happens, the file is the old one or the new one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from studio.model.files import MAX_BYTES, FileError, read_bytes, write_atomically

ENDLESS_SAVING = """
import sys
from pathlib import Path
from studio.model.files import write_atomically
path = Path(sys.argv[1])
print("ready", flush=True)
while True:
    for letter in b"abcdefgh":
        write_atomically(path, bytes([letter]) * 300_000)
"""


def test_write_makes_and_replaces(tmp_path: Path) -> None:
    path = tmp_path / "system.xml"
    write_atomically(path, b"one")
    write_atomically(path, b"two")
    assert path.read_bytes() == b"two"
    assert [entry.name for entry in tmp_path.iterdir()] == ["system.xml"]


def test_write_keeps_the_mode_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "system.xml"
    path.write_bytes(b"one")
    path.chmod(0o640)
    write_atomically(path, b"two")
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_new_file_gets_the_mode_that_any_program_would_give_it(tmp_path: Path) -> None:
    write_atomically(tmp_path / "ours", b"")
    (tmp_path / "theirs").write_bytes(b"")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "theirs").stat().st_mode


def test_write_goes_through_a_link(tmp_path: Path) -> None:
    target, link = tmp_path / "target.xml", tmp_path / "link.xml"
    target.write_bytes(b"one")
    link.symlink_to(target)
    write_atomically(link, b"two")
    assert link.is_symlink()
    assert target.read_bytes() == b"two"


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "system.xml"
    path.write_bytes(b"old")

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FileError, match="No space left on device"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["system.xml"]


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"gone/system\.xml: cannot be written: No such file"):
        write_atomically(tmp_path / "gone" / "system.xml", b"")


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"system\.xml: cannot be read: No such file"):
        read_bytes(tmp_path / "system.xml")


def test_reading_stops_behind_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "huge.xml"
    with path.open("wb") as stream:
        stream.truncate(MAX_BYTES * 100)
    assert len(read_bytes(path)) == MAX_BYTES + 1


@pytest.mark.parametrize("kills", [5, pytest.param(500, marks=pytest.mark.soak)])
def test_a_kill_in_the_middle_of_saving_leaves_a_whole_file(tmp_path: Path, kills: int) -> None:
    path = tmp_path / "system.xml"
    path.write_bytes(b"a" * 300_000)
    for _ in range(kills):
        with subprocess.Popen([sys.executable, "-c", ENDLESS_SAVING, str(path)], stdout=subprocess.PIPE) as saver:
            assert saver.stdout is not None
            saver.stdout.readline()
            _wait_for_change(path)
            saver.send_signal(signal.SIGKILL)
        data = path.read_bytes()
        assert len(data) == 300_000
        assert len(set(data)) == 1


def test_what_a_killed_save_left_behind_goes_with_the_next_one(tmp_path: Path) -> None:
    path = tmp_path / "system.xml"
    _kill_in_the_middle(path)
    (leftover,) = tmp_path.glob(".*")
    write_atomically(path, b"new")
    assert leftover.exists(), "so young, it could be a save of another process"
    age(leftover)
    write_atomically(path, b"newer")
    assert [entry.name for entry in tmp_path.iterdir()] == ["system.xml"]


def test_only_leftovers_of_the_same_file_go(tmp_path: Path) -> None:
    path = tmp_path / "[a].xml"
    others = [".a.xml.0123abcd.saving", ".[a].xml.saving", ".[a].xml.backup.0123abcd.saving", "[a].xml.0123abcd.saving"]
    for name in (*others, ".[a].xml.0123abcd.saving"):
        (tmp_path / name).write_bytes(b"")
        age(tmp_path / name)
    write_atomically(path, b"new")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == sorted([*others, "[a].xml"])


def test_a_leftover_that_cannot_be_removed_does_not_spoil_the_save(tmp_path: Path) -> None:
    leftover = tmp_path / ".system.xml.0123abcd.saving"
    leftover.mkdir()
    age(leftover)
    write_atomically(tmp_path / "system.xml", b"new")
    assert (tmp_path / "system.xml").read_bytes() == b"new"


def age(path: Path) -> None:
    """As if it had been written five minutes ago."""
    written = path.stat().st_mtime
    os.utime(path, (written - 300, written - 300))


def _kill_in_the_middle(path: Path) -> None:
    """A save that is killed before its file gets its name."""
    program = (
        "import os, signal, sys\nfrom pathlib import Path\nfrom studio.model.files import write_atomically\n"
        "os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        "write_atomically(Path(sys.argv[1]), b'never')\n"
    )
    assert subprocess.run([sys.executable, "-c", program, str(path)], check=False).returncode == -signal.SIGKILL


def _wait_for_change(path: Path) -> None:
    inode = path.stat().st_ino
    while path.stat().st_ino == inode:
        pass
