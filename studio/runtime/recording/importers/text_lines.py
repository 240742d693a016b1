"""Lines of a text file, plain or compressed by gzip, in constant memory whatever the file holds."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from studio.model.files import open_regular
from studio.runtime.recording.format.errors import LogError
from studio.runtime.recording.importers.output import Watch

GZIP = b"\x1f\x8b"
LONGEST_LINE_BYTES = 1 << 20
_READ_BYTES = 64 * 1024
_GZIP_FORM = 31
"""zlib's way to say: with the header and the checksum of gzip."""


class TextLines:
    """Iterates over (number, line) of a file. What ended the text early, if anything, stands in `damage` afterwards."""

    def __init__(self, path: Path, watch: Watch, share: tuple[int, int, int] = (0, 1, 1)) -> None:
        """`share`: from which part to which of so many parts of the work this pass over the file goes; for progress."""
        self._path = path
        self._watch = watch
        self._share = share
        self.damage = ""

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        number = 0
        rest = b""
        cut = False
        for block in self._blocks():
            lines = (rest + block).split(b"\n")
            rest = lines.pop()
            for line in lines:
                number += 1
                yield number, b"" if cut else line
                cut = False
            if len(rest) > LONGEST_LINE_BYTES:
                # Nobody writes such lines; the beginning is handed out as a line, the rest is passed over.
                if not cut:
                    number += 1
                    yield number, rest[:LONGEST_LINE_BYTES]
                    number -= 1
                rest, cut = b"", True
        if rest and not cut:
            yield number + 1, rest

    def _blocks(self) -> Iterator[bytes]:
        try:
            with open_regular(self._path) as file:
                total = self._path.stat().st_size
                first = file.read(2)
                file.seek(0)
                plain = self._watched(file, total)
                yield from self._unpacked(plain) if first == GZIP else plain
        except OSError as error:
            raise LogError(f"cannot be read: {error.strerror}", file=self._path) from error

    def _watched(self, file: BinaryIO, total: int) -> Iterator[bytes]:
        first, last, parts = self._share
        done = 0
        while block := file.read(_READ_BYTES):
            yield block
            done += len(block)
            self._watch.at(first * total + (last - first) * done, parts * total)

    def _unpacked(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        """A file of gzip may consist of several, one after the other."""
        unpacker = zlib.decompressobj(_GZIP_FORM)
        try:
            for block in blocks:
                data = block
                while data:
                    if unpacker.eof:
                        if not data.startswith(GZIP[: len(data)]):
                            self.damage = "something follows the compressed text"
                            return
                        unpacker = zlib.decompressobj(_GZIP_FORM)
                    intact = unpacker.copy()
                    try:
                        text = unpacker.decompress(data, _READ_BYTES)
                    except zlib.error:
                        yield from _before_damage(intact, data)
                        raise
                    yield text
                    data = unpacker.unconsumed_tail or unpacker.unused_data
        except zlib.error as error:
            self.damage = f"the compressed text is damaged from here on ({error})"
            return
        if not unpacker.eof:
            self.damage = "the compressed text ends early"


def _before_damage(unpacker: zlib._Decompress, data: bytes) -> Iterator[bytes]:
    """The text of all bytes that unpack; a wrong checksum at the end is noticed after the whole text."""
    with suppress(zlib.error):
        for at in range(len(data)):
            yield unpacker.decompress(data[at : at + 1])
