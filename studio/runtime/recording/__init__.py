"""Logs: standard MCAP, written so that kills and full disks cost little, read so that damage is not taken for data."""

from studio.runtime.recording.format.chunk import LoggedEvent
from studio.runtime.recording.format.errors import LogError, LogFull
from studio.runtime.recording.reading.gaps import Gap
from studio.runtime.recording.reading.log_reader import LogReader, Topic, TopicStatistics
from studio.runtime.recording.repair.repair import RepairReport, repair
from studio.runtime.recording.writing.log_writer import LogWriter

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
