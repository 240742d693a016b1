"""Logs: standard MCAP, written so that kills and full disks cost little, read so that damage is not taken for data."""

from studio.runtime.recording.chunk import LoggedEvent
from studio.runtime.recording.errors import LogError, LogFull
from studio.runtime.recording.gaps import Gap
from studio.runtime.recording.log_reader import LogReader, Topic, TopicStatistics
from studio.runtime.recording.log_writer import LogWriter
from studio.runtime.recording.repair import RepairReport, repair

__all__ = [
    "Gap",
    "LogError",
    "LogFull",
    "LogReader",
    "LogWriter",
    "LoggedEvent",
    "RepairReport",
    "Topic",
    "TopicStatistics",
    "repair",
]
