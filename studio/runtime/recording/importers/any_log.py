"""Any log we can read, told by its content: names of files say little."""

from __future__ import annotations

from pathlib import Path

from studio.runtime.base.log_compression import Compression
from studio.runtime.recording.format.errors import LogError
from studio.runtime.recording.format.mcap_records import MAGIC
from studio.runtime.recording.importers.carmen import FORM as CARMEN
from studio.runtime.recording.importers.carmen import SPACING_S, import_carmen
from studio.runtime.recording.importers.carmen_form import is_carmen
from studio.runtime.recording.importers.mcap_files import import_mcap
from studio.runtime.recording.importers.output import Cancelled, Progress, Watch
from studio.runtime.recording.importers.packed import unpacked
from studio.runtime.recording.importers.recordings import METADATA, ROS1, SQLITE, head_of
from studio.runtime.recording.importers.report import ImportReport
from studio.runtime.recording.importers.rosbag import import_folder, import_ros1, import_sqlite

FORMS = "CARMEN log (plain or gzip), MCAP, ROS 2 bag (folder or .db3, also compressed by zstd), ROS 1 bag"


def import_log(
    path: Path | str,
    out: Path | str,
    *,
    compression: Compression = "none",
    spacing_s: float = SPACING_S,
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> ImportReport:
    """Bring a log from elsewhere into a new Studio log and tell what became of it.

    Raises LogError, and nothing else, for what cannot be read; then, and when cancelled, there is no new file.
    `progress` and `cancelled` are called every few milliseconds; `spacing_s` is for CARMEN logs without stamps.
    """
    path, out = Path(path), Path(out)
    if path.name == METADATA:  # it stands for its bag, where only files can be chosen
        path = path.parent
    watch = Watch(path, progress, cancelled)
    if path.is_dir():
        return import_folder(path, out, watch, compression=compression)
    with unpacked([path], out, watch) as (plain,):
        try:
            report = _import_file(plain, out, watch, compression, spacing_s)
        except LogError as error:
            if error.file == str(plain):
                error.file = str(path)  # the copy that was read is gone
            raise
    report.source = path
    return report


def _import_file(path: Path, out: Path, watch: Watch, compression: Compression, spacing_s: float) -> ImportReport:
    head = head_of(path)
    if head.startswith(MAGIC):
        return import_mcap(path, out, watch, compression=compression)
    if head.startswith(SQLITE):
        return import_sqlite(path, out, watch, compression=compression)
    if head.startswith(ROS1):
        return import_ros1(path, out, watch, compression=compression)
    if is_carmen(path):
        return import_carmen(path, out, watch, compression=compression, spacing_s=spacing_s)
    raise LogError("is not a log that Studio can read", file=path, hint=f"it reads: {FORMS}")


def other_form(path: Path) -> str:
    """What a log is that is not an MCAP file; empty for all that may have been one."""
    if path.is_dir():
        return "folder"
    head = head_of(path)
    if head.startswith(SQLITE):
        return "ROS 2 bag"
    if head.startswith(ROS1):
        return "ROS 1 bag"
    return CARMEN if not head.startswith(MAGIC) and is_carmen(path) else ""
