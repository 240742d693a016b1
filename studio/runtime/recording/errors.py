"""What goes wrong with logs."""

from __future__ import annotations

from pathlib import Path

from studio.errors import StudioError


class LogError(StudioError):
    """A log that cannot be written or read. Nothing else leaves the readers, whatever the bytes."""


class LogFull(LogError):
    """The disk is full down to the reserve. The log has been closed properly and can be read.

    `lost_events` were handed in but found no room; those before them are in the file.
    """

    def __init__(self, message: str, *, file: Path | str | None = None, hint: str = "", lost_events: int = 0) -> None:
        super().__init__(message, file=file, hint=hint)
        self.lost_events = lost_events
