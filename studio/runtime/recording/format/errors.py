"""What goes wrong with logs."""

from __future__ import annotations

import shlex
from pathlib import Path

from studio.errors import StudioError


class LogError(StudioError):
    """A log that cannot be written or read. Nothing else leaves the readers, whatever the bytes."""


class LogDamaged(LogError):
    """Bytes of a log are not what was written. What is intact can be saved into a copy."""

    def __init__(self, message: str, *, file: Path) -> None:
        super().__init__(message, file=file, hint=f"save its intact part: {repair_command(file)}")


def repair_command(log: Path) -> str:
    """What somebody types to save what is intact of a log."""
    copy = log.with_name(f"{log.name.removesuffix('.mcap')}_repaired.mcap")
    return f"studio convert {shlex.quote(str(log))} {shlex.quote(str(copy))} --repair"


class UnknownCompression(LogError):
    """Chunks are compressed in a way that MCAP does not define: not damaged, but nobody here can read them."""

    def __init__(self, name: str, *, file: Path | None = None) -> None:
        hint = "MCAP defines lz4 and zstd: let the program that wrote it use one of them"
        super().__init__(f"its chunks are compressed by {name!r}, which Studio cannot read", file=file, hint=hint)
        self.name = name


class LogFull(LogError):
    """The disk is full down to the reserve. The log has been closed properly and can be read.

    `lost_events` were handed in but found no room; those before them are in the file.
    """

    def __init__(self, message: str, *, file: Path | str | None = None, hint: str = "", lost_events: int = 0) -> None:
        super().__init__(message, file=file, hint=hint)
        self.lost_events = lost_events
