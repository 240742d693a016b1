"""Logs from elsewhere become Studio logs."""

from studio.runtime.recording.importers.carmen import import_carmen
from studio.runtime.recording.importers.output import Watch
from studio.runtime.recording.importers.report import ImportReport

__all__ = ["ImportReport", "Watch", "import_carmen"]
