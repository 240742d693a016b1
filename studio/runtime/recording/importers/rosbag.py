"""Bags of ROS 1, and of ROS 2 in SQLite: messages of any type are copied, as CDR with their schema.

Whatever rosbags or SQLite make of a damaged file, only LogError leaves; what could be read before the damage is kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import quote

from studio.messages import MessageError
from studio.runtime.recording.compression import Compression
from studio.runtime.recording.errors import LogError
from studio.runtime.recording.importers.mcap_files import import_mcap
from studio.runtime.recording.importers.output import Output, Watch, writing
from studio.runtime.recording.importers.recordings import METADATA, SQLITE, head_of, parts_of
from studio.runtime.recording.importers.report import ImportReport
from studio.runtime.recording.importers.routes import Route, open_route
from studio.runtime.recording.mcap_records import MAGIC, Schema

_MESSAGES_BETWEEN_LOOKS = 500
_PACKED = re.compile(r"compression_mode:\s*['\"]?(message|file)", re.IGNORECASE)
_KNOWN_FOLDER_BYTES = 1 << 20

SchemaOf = Callable[[Any], Schema]
ToCdr = Callable[[bytes, str], bytes]


def import_ros1(path: Path, out: Path, watch: Watch, *, compression: Compression = "none") -> ImportReport:
    from rosbags.rosbag1 import Reader

    from studio.runtime.recording.importers.rosbag_types import Ros1Types

    types = Ros1Types()
    report = ImportReport(path, out, "ROS 1 bag")
    return _import([Reader(path)], types.add, types.to_cdr, report, watch, compression)


def import_sqlite(path: Path, out: Path, watch: Watch, *, compression: Compression = "none") -> ImportReport:
    """A single file of a ROS 2 bag, whatever its name."""
    return _import_ros2([_sqlite(path)], ImportReport(path, out, "ROS 2 bag"), watch, compression)


def import_folder(path: Path, out: Path, watch: Watch, *, compression: Compression = "none") -> ImportReport:
    """A ROS 2 bag as a folder. The list of its files may be missing: the recorder of ROS writes it last."""
    from rosbags.rosbag2.reader import DirectoryReader

    if _is_packed(path / METADATA):
        report = ImportReport(path, out, "ROS 2 bag")
        return _import_ros2([DirectoryReader(path)], report, watch, compression)
    parts = parts_of(path)
    mcap = _beginning(parts, MAGIC)
    if mcap:
        return import_mcap(path, out, watch, compression=compression, files=mcap)
    sqlite = _beginning(parts, SQLITE)
    if not sqlite:
        raise LogError("is a folder without any log in it", file=path, hint="a ROS 2 bag has .db3 or .mcap files")
    report = ImportReport(path, out, "ROS 2 bag")
    return _import_ros2(list(map(_sqlite, sqlite)), report, watch, compression)


def mcap_files(folder: Path) -> list[Path]:
    """The parts of a bag in MCAP that can be read as they are; none if it is one of another kind.

    Raises LogError for a folder of several logs.
    """
    return [] if _is_packed(folder / METADATA) else _beginning(parts_of(folder), MAGIC)


def _beginning(files: Iterable[Path], head: bytes) -> list[Path]:
    return [file for file in files if head_of(file).startswith(head)]


def _sqlite(path: Path) -> Any:
    from rosbags.rosbag2.storage_sqlite3 import Sqlite3Reader

    return Sqlite3Reader(Path(quote(str(path.resolve()))))  # it makes a URI of it


def _is_packed(metadata: Path) -> bool:
    """Whether files or messages are compressed one by one, which only this file tells."""
    try:
        with metadata.open(encoding="utf-8", errors="replace") as stream:
            return _PACKED.search(stream.read(_KNOWN_FOLDER_BYTES)) is not None
    except OSError:
        return False


def _import_ros2(readers: list[Any], report: ImportReport, watch: Watch, compression: Compression) -> ImportReport:
    from studio.runtime.recording.importers.rosbag_types import schema_of

    return _import(readers, schema_of, lambda data, _: data, report, watch, compression)


def _import(
    readers: list[Any],
    schema_of: SchemaOf,
    to_cdr: ToCdr,
    report: ImportReport,
    watch: Watch,
    compression: Compression,
) -> ImportReport:
    with ExitStack() as stack:
        for reader in readers:
            _open(reader, report.source)
            stack.callback(reader.close)
        readers.sort(key=_start_ns)
        with writing(report, compression) as output:
            copy = _Copy(output, watch, schema_of, to_cdr)
            copy.total = sum(connection.msgcount for reader in readers for connection in reader.connections)
            for reader in readers:
                copy.copy(reader)
    return report


def _open(reader: Any, path: Path) -> None:
    try:
        reader.open()
    except Exception as error:  # rosbags' own, and those of SQLite, YAML, struct, assert ...
        raise LogError(f"cannot be opened as a bag: {_words(error)}", file=path) from error


def _start_ns(reader: Any) -> int:
    times = reader.metadata if hasattr(reader, "metadata") else reader
    return int(times.start_time)


class _Copy:
    def __init__(self, output: Output, watch: Watch, schema_of: SchemaOf, to_cdr: ToCdr) -> None:
        self._output = output
        self._report = output.report
        self._watch = watch
        self._schema_of = schema_of
        self._to_cdr = to_cdr
        self._done = 0
        self.total = 0

    def copy(self, reader: Any) -> None:
        routes = {connection.id: self._route(connection) for connection in reader.connections}
        wanted = [connection for connection in reader.connections if routes[connection.id] is not None]
        for connection, time_ns, data in self._messages(reader, wanted):
            route = routes[connection.id]
            if route is not None:
                self._copy_one(route, connection, time_ns, data)
            self._done += 1
            if self._done % _MESSAGES_BETWEEN_LOOKS == 0:
                self._watch.at(self._done, self.total)
        self._watch.at(self._done, self.total)

    def _messages(self, reader: Any, wanted: list[Any]) -> Iterator[tuple[Any, int, bytes]]:
        if not wanted:
            return
        messages = reader.messages(wanted)
        while True:
            try:
                found = next(messages, None)
            except Exception as error:  # as in `_open`
                self._report.damaged(f"cannot be read any further after {self._done} messages: {_words(error)}")
                return
            if found is None:
                return
            yield found

    def _copy_one(self, route: Route, connection: Any, time_ns: int, data: bytes) -> None:
        try:
            if not 0 <= time_ns < 1 << 63:
                raise MessageError(f"there is no time {time_ns}")
            cdr = self._to_cdr(bytes(data), connection.msgtype)
            payload = route.convert(cdr)
        except MessageError as error:
            self._report.damaged(f"a message of {connection.topic}: {error.message}")
        except Exception as error:  # as in `_open`
            self._report.damaged(f"a message of {connection.topic} is no {connection.msgtype}: {_words(error)}")
        else:
            self._output.write(route.topic, payload, route.stamp_of(cdr, time_ns), time_ns)

    def _route(self, connection: Any) -> Route | None:
        """None for what is left out, which the report then lists."""
        form = getattr(connection.ext, "serialization_format", "cdr")
        try:
            schema = self._schema_of(connection)
            if form == "cdr" and schema.name:
                return open_route(self._output, connection.topic, schema)
            reason = "the bag has no definition of it" if form == "cdr" else f"its messages are {form}, not CDR"
        except LogError as error:
            reason = error.message
        except Exception as error:  # as in `_open`
            reason = f"its definition cannot be read: {_words(error)}"
        self._report.leave_out(f"{connection.topic} ({connection.msgtype})"[:200], reason, connection.msgcount)
        return None


def _words(error: Exception) -> str:
    return str(error) or type(error).__name__
