"""Logs from elsewhere become Studio logs."""

from studio.runtime.recording.importers.any_log import FORMS, import_log, other_form
from studio.runtime.recording.importers.kept import Told, is_log, readable_log
from studio.runtime.recording.importers.output import Progress
from studio.runtime.recording.importers.recordings import recordings_in
from studio.runtime.recording.importers.report import Damage, ImportCancelled, ImportReport, NotMapped, TopicReport

__all__ = [
    "FORMS",
    "Damage",
    "ImportCancelled",
    "ImportReport",
    "NotMapped",
    "Progress",
    "Told",
    "TopicReport",
    "import_log",
    "is_log",
    "other_form",
    "readable_log",
    "recordings_in",
]
