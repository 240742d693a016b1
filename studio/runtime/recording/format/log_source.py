"""A log's bytes: read where asked, and never more than the file has."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import Self

from studio.model.files import open_regular
from studio.runtime.recording.format.errors import LogDamaged, LogError


class LogSource:
    """A file opened for reading. It is read, not mapped: a file that shrinks meanwhile is an error, not a crash."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        try:
            with open_regular(self.path) as file:
                self._fd = os.dup(file.fileno())
            self.size = os.fstat(self._fd).st_size
        except OSError as error:
            raise LogError(f"cannot be read: {error.strerror}", file=self.path) from error

    def read(self, offset: int, length: int) -> bytes:
        if offset < 0 or length < 0 or offset + length > self.size:
            raise self.damaged(f"bytes {offset} to {offset + length} are named, but it has {self.size}")
        try:
            data = os.pread(self._fd, length, offset)
        except OSError as error:
            raise LogError(f"cannot be read: {error.strerror}", file=self.path) from error
        if len(data) < length:
            data = self._read_slowly(data, offset, length)
        return data

    def _read_slowly(self, data: bytes, offset: int, length: int) -> bytes:
        """Linux gives at most 2 GB at once."""
        parts = [data]
        while (missing := length - sum(map(len, parts))) > 0:
            part = os.pread(self._fd, missing, offset + length - missing)
            if not part:
                raise LogError("was truncated while it was read", file=self.path)
            parts.append(part)
        return b"".join(parts)

    def damaged(self, what: str) -> LogDamaged:
        return LogDamaged(f"is damaged: {what}", file=self.path)

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
