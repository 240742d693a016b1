"""MCAP files of others, and our own: messages are copied, with all that our logs know of an event."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from studio.messages import MessageError
from studio.runtime.base.log_compression import Compression
from studio.runtime.recording.facts.annotated_copy import copy_extras
from studio.runtime.recording.format.chunk import LoggedEvent
from studio.runtime.recording.format.errors import LogDamaged, LogError, LogFull
from studio.runtime.recording.format.mcap_records import Schema
from studio.runtime.recording.importers.output import Output, Watch, writing
from studio.runtime.recording.importers.packed import plain
from studio.runtime.recording.importers.report import ImportCancelled, ImportReport
from studio.runtime.recording.importers.routes import CDR_SCHEMAS, Convert, Route, as_it_is, carry_over, open_route
from studio.runtime.recording.importers.services import defines
from studio.runtime.recording.reading.log_reader import LogReader, Topic
from studio.runtime.recording.repair.repair import RepairReport, repair

FORM = "MCAP"
_EVENTS_BETWEEN_LOOKS = 500


def import_mcap(
    path: Path, out: Path, watch: Watch, *, compression: Compression = "none", files: list[Path] | None = None
) -> ImportReport:
    """`files`: the parts of a log that was split, if `path` is a folder of them.

    Of a part that turns out to be damaged, all that is intact is taken: it is repaired into a copy, and that is read.
    """
    saved: dict[Path, RepairReport] = {}
    with ExitStack() as stack:
        while True:
            parts = {file: saved[file].copy if file in saved else file for file in files or [path]}
            report = ImportReport(path, out, FORM)
            try:
                _import(list(parts.values()), report, watch, compression)
            except LogDamaged as error:
                broken = next((file for file, read in parts.items() if str(read) == error.file), None)
                if broken is None or broken in saved:
                    raise
                folder = Path(stack.enter_context(TemporaryDirectory(prefix=".repaired-", dir=out.parent)))
                saved[broken] = repair(broken, folder / broken.name, progress=watch.at)
                continue
            for file, told in saved.items():
                _tell(report, file, told)
            return report


def _import(files: list[Path], report: ImportReport, watch: Watch, compression: Compression) -> None:
    with ExitStack() as stack:
        logs = [stack.enter_context(LogReader(file)) for file in files]
        logs.sort(key=lambda log: log.start_ns)
        for log in logs:
            report.notes += log.problems
        with writing(report, compression) as output:
            _Copy(output, watch, sum(log.event_count for log in logs)).copy_all(logs)


def _tell(report: ImportReport, file: Path, saved: RepairReport) -> None:
    least = "" if saved.is_exact else "at least "
    lost = f"{least}{sum(saved.lost_events.values())} events and {least}{saved.lost_ms:.0f} ms are lost"
    report.notes.append(f"{file.name} is damaged: {saved.events} events are intact, {lost}")
    for damage in saved.damages:
        report.damaged(f"{file.name}, {damage}")


class _Copy:
    def __init__(self, output: Output, watch: Watch, total: int) -> None:
        self._output = output
        self._watch = watch
        self._total = total
        self._done = 0

    def copy_all(self, logs: list[LogReader]) -> None:
        for log in logs:
            copy_extras(log, self._output.log)
            try:
                self._copy_events(log)
            except (ImportCancelled, LogDamaged, LogFull):
                raise
            except LogError as error:  # intact by its checksums, and yet not what a log is
                self._output.report.damaged(f"{log.path.name} cannot be read any further: {error.message}")

    def _copy_events(self, log: LogReader) -> None:
        routes = self._routes(log)
        for event in log.events(routes):
            self._done += 1
            if self._done % _EVENTS_BETWEEN_LOOKS == 0:
                self._watch.at(self._done, self._total)
            try:
                self._copy(routes[event.topic], event)
            except MessageError as error:
                self._output.report.damaged(f"message {event.sequence} of {event.topic}: {error.message}")
        self._watch.at(self._done, self._total)

    def _copy(self, route: Route, event: LoggedEvent) -> None:
        cdr = route.to_cdr(event.payload)
        payload = route.convert(cdr)
        if event.kind is None:
            stamp_ns = route.stamp_of(cdr, event.stamp_ns)
            self._output.write(route.topic, payload, stamp_ns, event.log_time_ns)
            return
        self._output.write(
            route.topic,
            payload,
            event.stamp_ns,
            event.log_time_ns,
            sequence=event.sequence,
            sent_ns=event.sent_ns,
            cause_topic=event.cause_topic or 0,
            cause_sequence=event.cause_sequence or 0,
            kind=event.kind,
            flags=event.flags or 0,
            origin=event.origin or 0,
            epoch=event.epoch or 0,
        )

    def _routes(self, log: LogReader) -> dict[str, Route]:
        routes = {}
        undefined = {name: topic for name, topic in log.topics.items() if _lacks_definition(log, topic)}
        schemas = self._found_definitions(log, undefined) if undefined else None
        for topic in log.topics.values():
            try:
                if schemas is not None and topic.name in undefined:
                    topic = replace(topic, schema=schemas(topic.schema.name))
                routes[topic.name] = self._route(topic, as_it_is if log.is_own else plain)
            except LogError as error:
                self._output.report.leave_out(topic.name, error.message, topic.count)
        return routes

    def _found_definitions(self, log: LogReader, topics: dict[str, Topic]) -> Callable[[str], Schema]:
        """The definitions of ROS 2 for messages in CDR that come without one."""
        from studio.runtime.recording.importers.distributions import MOST_SAMPLES, Distributions, Undefined

        found = Distributions(
            Undefined(
                name, topic.schema.name, [bytes(event.payload) for event in islice(log.events([name]), MOST_SAMPLES)]
            )
            for name, topic in topics.items()
        )
        self._output.report.notes += found.notes()
        return found.schema_of

    def _route(self, topic: Topic, to_cdr: Convert) -> Route:
        schema = topic.schema
        if topic.encoding == "cdr":
            if not schema.name:
                raise LogError("the log has no definition of it")
            return open_route(self._output, topic.name, schema, to_cdr=to_cdr)
        if (topic.encoding, schema.encoding) == ("ros1", "ros1msg"):
            return self._ros1_route(topic)
        return carry_over(self._output, topic.name, schema, topic.encoding)

    def _ros1_route(self, topic: Topic) -> Route:
        from studio.runtime.recording.importers.rosbag_types import described_ros1

        package, _, short = topic.schema.name.rpartition("/")
        name = topic.schema.name if "/" in package else f"{package}/msg/{short}"
        try:
            schema, to_cdr = described_ros1(name, topic.schema_text)
        except LogError:
            raise
        except Exception as error:  # rosbags raises its own and several others
            raise LogError(f"its definition cannot be read: {error}") from error
        return open_route(self._output, topic.name, schema, topic.schema.name, to_cdr)


def _lacks_definition(log: LogReader, topic: Topic) -> bool:
    if topic.encoding != "cdr":
        return False
    schema = topic.schema
    samples = (bytes(event.payload) for event in islice(log.events([topic.name]), 1))
    return not (schema.encoding in CDR_SCHEMAS and defines(schema.name, schema.data, samples))
