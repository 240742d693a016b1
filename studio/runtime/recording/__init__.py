"""Logs: standard MCAP, written so that kills and full disks cost little, read so that damage is not taken for data."""

from studio.runtime.recording.errors import LogError, LogFull
from studio.runtime.recording.log_writer import LogWriter

__all__ = ["LogError", "LogFull", "LogWriter"]
