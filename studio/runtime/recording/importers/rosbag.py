"""Bags of ROS 1, and of ROS 2 in SQLite: messages of any type are copied, as CDR with their schema.

Whatever rosbags or SQLite make of a damaged file, only LogError leaves; what could be read before the damage is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studio.messages import MessageError
from studio.runtime.base.log_compression import Compression
from studio.runtime.recording.format.errors import LogError
from studio.runtime.recording.format.mcap_records import MAGIC
from studio.runtime.recording.importers.bag_list import BagList, read_list
from studio.runtime.recording.importers.mcap_files import import_mcap
from studio.runtime.recording.importers.output import Output, Watch, writing
from studio.runtime.recording.importers.packed import unpacked
from studio.runtime.recording.importers.recordings import METADATA, SQLITE, head_of, parts_of
from studio.runtime.recording.importers.report import ImportReport
from studio.runtime.recording.importers.routes import Route, open_route

if TYPE_CHECKING:
    from studio.runtime.recording.importers.rosbag_types import Described

_MESSAGES_BETWEEN_LOOKS = 500

Describe = Callable[[Any], "Described"]


def import_ros1(path: Path, out: Path, watch: Watch, *, compression: Compression = "none") -> ImportReport:
    from rosbags.rosbag1 import Reader

    from studio.runtime.recording.importers.rosbag_types import described_ros1

    def describe(connection: Any) -> Described:
        return described_ros1(connection.msgtype, connection.msgdef.data)

    report = ImportReport(path, out, "ROS 1 bag")
    return _import([Reader(path)], lambda _: describe, report, watch, compression)


def import_sqlite(path: Path, out: Path, watch: Watch, *, compression: Compression = "none") -> ImportReport:
    """A single file of a ROS 2 bag, whatever its name."""
    return _import_ros2([path], BagList(), ImportReport(path, out, "ROS 2 bag"), watch, compression)


def import_folder(path: Path, out: Path, watch: Watch, *, compression: Compression = "none") -> ImportReport:
    """A ROS 2 bag as a folder. The list of its files may be missing: the recorder of ROS writes it last."""
    listed = read_list(path / METADATA)
    files = list(parts_of(path))
    with unpacked(files, out, watch) as parts:
        mcap, sqlite = _beginning(parts, MAGIC), _beginning(parts, SQLITE)
        if mcap:
            report = import_mcap(path, out, watch, compression=compression, files=mcap)
        elif sqlite:
            report = ImportReport(path, out, "ROS 2 bag")
            _import_ros2(sqlite, listed, report, watch, compression)
        else:
            hint = "a ROS 2 bag has .db3 or .mcap files"
            raise LogError("is a folder without a log", file=path, hint=hint)
    for name in listed.missing(files):
        report.damaged(f"{METADATA} names {name}, which is not in the folder: its messages are missing")
    return report


def mcap_files(folder: Path) -> list[Path]:
    """The parts of a bag in MCAP that can be read as they are; none if it is one of another kind.

    Raises LogError for a folder of several logs.
    """
    return [] if read_list(folder / METADATA).is_packed else _beginning(parts_of(folder), MAGIC)


def _beginning(files: Iterable[Path], head: bytes) -> list[Path]:
    return [file for file in files if head_of(file).startswith(head)]


def _import_ros2(
    files: list[Path], listed: BagList, report: ImportReport, watch: Watch, compression: Compression
) -> ImportReport:
    from studio.runtime.recording.importers.distributions import MOST_SAMPLES, Distributions, Undefined
    from studio.runtime.recording.importers.rosbag_types import described_ros2
    from studio.runtime.recording.importers.sqlite_bag import SqliteBag

    def describe_all(bags: list[SqliteBag]) -> Describe:
        undefined = []
        for bag in bags:
            for number, count in bag.orphans.items():
                report.leave_out(f"topic number {number}", "the bag does not say what topic that is", count)
            for connection in bag.connections:
                with suppress(LogError):  # told when the topic is copied
                    samples = bag.first_of(connection, MOST_SAMPLES)
                    if _is_cdr(connection) and not described_ros2(connection, samples[:1]).schema.name:
                        undefined.append(Undefined(connection.topic, connection.msgtype, samples))
        distributions = Distributions(undefined, listed.distribution)
        report.notes += distributions.notes()

        def describe(connection: Any) -> Described:
            found = described_ros2(connection, connection.owner.first_of(connection, 1))
            return found if found.schema.name else found._replace(schema=distributions.schema_of(connection.msgtype))

        return describe

    return _import(list(map(SqliteBag, files)), describe_all, report, watch, compression)


def _is_cdr(connection: Any) -> bool:
    return bool(getattr(connection.ext, "serialization_format", "cdr") == "cdr")


def _import(
    readers: list[Any],
    describe_all: Callable[[list[Any]], Describe],
    report: ImportReport,
    watch: Watch,
    compression: Compression,
) -> ImportReport:
    with ExitStack() as stack:
        for reader in readers:
            _opened(reader.open, report.source)
            stack.callback(reader.close)
        readers.sort(key=lambda reader: reader.start_time)
        describe = _opened(lambda: describe_all(readers), report.source)
        with writing(report, compression) as output:
            copy = _Copy(output, watch, describe)
            copy.total = sum(connection.msgcount for reader in readers for connection in reader.connections)
            for reader in readers:
                copy.copy(reader)
    return report


def _opened(action: Callable[[], Any], path: Path) -> Any:
    try:
        return action()
    except Exception as error:  # rosbags' own, and those of SQLite, struct, assert ...
        words = error.message if isinstance(error, LogError) else _words(error)
        raise LogError(f"cannot be opened as a bag: {words}", file=path) from error


class _Copy:
    def __init__(self, output: Output, watch: Watch, describe: Describe) -> None:
        self._output = output
        self._report = output.report
        self._watch = watch
        self._describe = describe
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

    def _messages(self, reader: Any, wanted: list[Any]) -> Iterator[tuple[Any, Any, bytes]]:
        if not wanted:
            return
        messages = reader.messages(wanted)
        while True:
            try:
                found = next(messages, None)
            except Exception as error:  # as in `_opened`
                self._report.damaged(f"cannot be read any further after {self._done} messages: {_words(error)}")
                return
            if found is None:
                return
            yield found

    def _copy_one(self, route: Route, connection: Any, time_ns: Any, data: bytes) -> None:
        try:
            if not isinstance(time_ns, int) or not 0 <= time_ns < 1 << 63:
                raise MessageError(f"there is no time {str(time_ns)[:40]}")
            cdr = route.to_cdr(bytes(data))
            payload = route.convert(cdr)
        except MessageError as error:
            self._report.damaged(f"a message of {connection.topic}: {error.message}")
        except Exception as error:  # as in `_opened`
            self._report.damaged(f"a message of {connection.topic} is not a {connection.msgtype}: {_words(error)}")
        else:
            self._output.write(route.topic, payload, route.stamp_of(cdr, time_ns), time_ns)

    def _route(self, connection: Any) -> Route | None:
        """None for what is left out, which the report then lists."""
        try:
            if not _is_cdr(connection):
                raise LogError(f"its messages are {connection.ext.serialization_format}, not CDR")
            schema, to_cdr = self._describe(connection)
            if not schema.name:
                raise LogError("the bag has no definition of it")
            return open_route(self._output, connection.topic, schema, connection.msgtype, to_cdr)
        except LogError as error:
            reason = error.message
        except Exception as error:  # as in `_opened`
            reason = f"its definition cannot be read: {_words(error)}"
        self._report.leave_out(f"{connection.topic} ({connection.msgtype})"[:200], reason, connection.msgcount)
        return None


def _words(error: Exception) -> str:
    return str(error) or type(error).__name__
