"""Files keep what is theirs: encoding, line ends, and what somebody else wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.editor.code.text_file import TextFile
from studio.model.files import FileError


@pytest.mark.parametrize(
    ("name", "data", "encoding", "newline"),
    [
        ("a.py", b"x = 1\n", "utf-8", "\n"),
        ("a.py", b"x = 1\r\ny = 2\r\nz = 3\n", "utf-8", "\r\n"),
        ("a.py", b"# -*- coding: latin-1 -*-\nx = '\xe4'\n", "iso-8859-1", "\n"),
        ("a.py", b"\xef\xbb\xbfx = 1\n", "utf-8-sig", "\n"),
        ("a.txt", b"\xff\xfe odd", "latin-1", "\n"),
        ("a.c", "int ä;\n".encode(), "utf-8", "\n"),
    ],
)
def test_what_was_read_is_written_back_byte_for_byte(
    tmp_path: Path, name: str, data: bytes, encoding: str, newline: str
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    file = TextFile.read(path)
    assert (file.encoding, file.newline) == (encoding, newline)
    file.write(file.text)
    assert path.read_bytes() == data


def test_a_letter_that_the_encoding_has_not_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"# coding: latin-1\n")
    file = TextFile.read(path)
    with pytest.raises(FileError, match="cannot be written in iso-8859-1"):
        file.write("# coding: latin-1\n# →\n")
    assert path.read_bytes() == b"# coding: latin-1\n"


def test_changes_of_somebody_else_are_seen(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"one\n")
    file = TextFile.read(path)
    assert file.changed_on_disk() is None
    path.write_bytes(b"two\n")
    assert file.changed_on_disk() == b"two\n"
    path.unlink()
    assert file.changed_on_disk() is None


def test_what_is_no_text_is_not_opened(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(b"\x89PNG\0\0")
    with pytest.raises(FileError, match="is not a text file"):
        TextFile.read(path)
