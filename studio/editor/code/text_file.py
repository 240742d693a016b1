"""A text file as it lies on the disk: its encoding and line ends stay as they were. No Qt in here."""

from __future__ import annotations

import codecs
import io
import tokenize
from dataclasses import dataclass, replace
from pathlib import Path

from studio.model.files import MAX_BYTES, FileError, read_bytes, write_atomically


@dataclass
class TextFile:
    path: Path
    text: str
    encoding: str
    newline: str
    """What a new line ends with: that of most lines there are."""
    on_disk: bytes
    """As it was read or written last, to tell whether somebody else has changed it."""

    @classmethod
    def read(cls, path: Path) -> TextFile:
        data = read_bytes(path)
        if len(data) > MAX_BYTES:
            raise FileError(f"is larger than {MAX_BYTES >> 20} MB", file=path, hint="open it in an editor made for it")
        if b"\0" in data[:4096]:
            raise FileError("is not a text file", file=path, hint="open it with the program that wrote it")
        encoding = _encoding(path, data)
        try:
            text = data.decode(encoding)
        except (UnicodeDecodeError, LookupError):
            encoding = "latin-1"  # reads any bytes, and writes them back as they were
            text = data.decode(encoding)
        return cls(path, text, encoding, _newline(text), data)

    def write(self, text: str) -> None:
        """In one step; raises FileError where the disk or the encoding does not allow it."""
        try:
            data = text.encode(self.encoding)
        except UnicodeEncodeError as error:
            letter = text[error.start : error.end]
            hint = f"replace {letter!r}, or declare UTF-8 in the first line"
            raise FileError(f"{letter!r} cannot be written in {self.encoding}", file=self.path, hint=hint) from None
        write_atomically(self.path, data)
        self.text, self.on_disk = text, data

    def write_copy(self, path: Path, text: str) -> None:
        """As `write`, in another place, whose folder need not be there; this one stays as it is."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(f"cannot be made: {error.strerror or error}", file=path.parent) from error
        replace(self, path=path).write(text)

    def changed_on_disk(self) -> bytes | None:
        """What somebody else has written; None if it is ours, or cannot be read now."""
        try:
            data = read_bytes(self.path)
        except FileError:
            return None
        return data if data != self.on_disk else None

    @property
    def about(self) -> str:
        """For the eye, only where it is not what everybody has."""
        words = [] if self.encoding in ("utf-8", "ascii") else [self.encoding]
        words += {"\r\n": ["CRLF"], "\r": ["CR"]}.get(self.newline, [])
        return " · ".join(words)


def _encoding(path: Path, data: bytes) -> str:
    if path.suffix in (".py", ".pyi"):
        try:
            return tokenize.detect_encoding(io.BytesIO(data).readline)[0]
        except SyntaxError:
            return "latin-1"
    return "utf-8-sig" if data.startswith(codecs.BOM_UTF8) else "utf-8"


def _newline(text: str) -> str:
    windows = text.count("\r\n")
    counts = {"\n": text.count("\n") - windows, "\r\n": windows, "\r": text.count("\r") - windows}
    return max(counts, key=lambda end: counts[end])
