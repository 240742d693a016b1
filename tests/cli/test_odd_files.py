"""Files that are no files: refused in words, at once, by every verb that reads one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from studio.model.files import FileError, open_regular, read_bytes
from studio.runtime.recording.format.errors import LogError
from studio.runtime.recording.format.log_source import LogSource
from tests.cli.running import Studio

VERBS = ("info", "check", "convert", "play", "model check", "sim info")


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    """Nobody writes into it: a reader would wait for ever."""
    made = tmp_path / "pipe.mcap"
    os.mkfifo(made)
    return made


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("kind", ["pipe", "device", "memory", "long name"])
def test_a_verb_refuses_what_is_no_regular_file(
    studio: Studio, tmp_path: Path, pipe: Path, verb: str, kind: str
) -> None:
    path = {
        "pipe": str(pipe),
        "device": "/dev/zero",
        "memory": "/proc/self/mem",
        "long name": str(tmp_path / ("x" * 300)),
    }[kind]
    rest = [str(tmp_path / "new.mcap")] if verb == "convert" else []
    result = studio(*verb.split(), path, *rest)
    assert result.status in (1, 2)
    assert result.err.startswith("studio: ") or "cannot be read" in result.out + result.err
    assert not (tmp_path / "new.mcap").exists()


def test_only_regular_files_are_opened(pipe: Path, tmp_path: Path) -> None:
    for odd in (pipe, Path("/dev/zero")):
        with pytest.raises(OSError, match="not a regular file"):
            open_regular(odd)
        with pytest.raises(FileError, match="not a regular file"):
            read_bytes(odd)
        with pytest.raises(LogError, match="not a regular file"):
            LogSource(odd)
    with pytest.raises(IsADirectoryError):
        open_regular(tmp_path)
    (tmp_path / "plain").write_bytes(b"abc")
    (tmp_path / "link").symlink_to(tmp_path / "plain")
    with open_regular(tmp_path / "link") as stream:
        assert stream.read() == b"abc"
