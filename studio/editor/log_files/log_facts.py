"""What a log is, in a few words, and which sources of a system it could feed. No Qt in here."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

import platformdirs

from studio.editor.live.protobuf_types import Description, write_descriptions
from studio.errors import StudioError
from studio.model.parts import Endpoint
from studio.model.source_making import MakeSource
from studio.model.sources import LogProvider, Source, suggest_topics
from studio.model.system import System
from studio.model.wiring import topic_of
from studio.recordings import log_of, recordings_folder, recordings_of, size_words, unused

Definition = tuple[str, str]
OWN = "/_studio/"
MAGIC = b"\x89MCAP0\r\n"
PROJECT_LOGS = "logs"
SOURCE = "log"
"""What plays the log, in a project that only plays it."""


class NoLog(StudioError):
    """A file that cannot be opened as a log."""


@dataclass(frozen=True)
class LogFacts:
    path: Path
    seconds: float
    events: int
    bytes: int
    kinds: dict[str, str] = field(default_factory=dict)
    """Topic -> message type, of what Studio can read."""
    unknown: tuple[str, ...] = ()
    """Topics of types that it cannot."""
    definitions: dict[str, Definition] = field(default_factory=dict)
    """Of the unknown ones that the log describes in the form of ROS 2: name and text of their schemas."""
    protobuf: dict[str, Description] = field(default_factory=dict)
    """Of the unknown ones in Protobuf: name of the message, and its descriptors."""
    notes: tuple[str, ...] = ()
    """What the importer decided, of a log from elsewhere."""

    @property
    def words(self) -> str:
        minutes, seconds = divmod(self.seconds, 60)
        length = f"{int(minutes)} min {int(seconds):02d} s" if minutes else f"{self.seconds:.1f} s"
        count = f"{self.events:,}".replace(",", "\u2009")
        return f"{length} · {count} events · {size_words(self.bytes)}"


def read_facts(path: Path) -> LogFacts:
    """From the index; takes long only for a log that was never finished."""
    from studio.messages import MessageTypes  # brings numpy, which must not delay the first paint
    from studio.runtime.recording.format.errors import LogError
    from studio.runtime.recording.format.metadata import import_notes
    from studio.runtime.recording.importers.services import as_message
    from studio.runtime.recording.reading.log_reader import LogReader

    types = MessageTypes.builtin()
    with LogReader(path) as log:
        kinds: dict[str, str] = {}
        unknown: list[str] = []
        definitions: dict[str, Definition] = {}
        protobuf: dict[str, Description] = {}
        for topic in log.topics.values():
            if topic.name.startswith(OWN):
                continue
            kind = types.find_schema(topic.schema.name)
            if kind is None:
                unknown.append(topic.name)
                if (topic.encoding, topic.schema.encoding) == ("protobuf", "protobuf"):
                    protobuf[topic.name] = topic.schema.name, topic.schema.data
                with suppress(LogError):  # then it is bytes
                    schema = as_message(topic.schema)
                    if (topic.encoding, schema.encoding) == ("cdr", "ros2msg"):
                        definitions[topic.name] = schema.name, schema.data.decode(errors="replace")
            else:
                kinds[topic.name] = kind.TYPE
        seconds = (log.end_ns - log.start_ns) / 1e9
        notes = tuple(import_notes(dict(log.metadata())))
        return LogFacts(
            log.path, seconds, log.event_count, log.size, kinds, tuple(unknown), definitions, protobuf, notes
        )


def is_mcap(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return path.is_file() and file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def mcap_of(path: Path) -> Path | None:
    """What to open without an import: the file itself, or the only one of a ROS 2 bag, if it can be read as it is."""
    if not path.is_dir() and not is_mcap(path):
        return None
    from studio.runtime.recording.importers.packed import needs_copy  # brings numpy, see above
    from studio.runtime.recording.importers.rosbag import mcap_files

    try:
        parts = mcap_files(path) if path.is_dir() else [path]
    except StudioError:  # several logs: the import says which
        return None
    return parts[0] if len(parts) == 1 and not needs_copy(parts[0]) else None


def mapping_for(source: Source, facts: LogFacts) -> dict[str, str]:
    """Out port -> topic: as it was bound before where the log has that, else by name and type."""
    suggested = suggest_topics(source, facts.kinds)
    bound = dict(source.logged.topics) if source.logged is not None else {}
    types = {port.name: port.type for port in source.ports if port.direction == "out"}
    kept = {port: topic for port, topic in bound.items() if facts.kinds.get(topic) == types.get(port)}
    return {port: topic for port, topic in {**suggested, **kept}.items() if port in types}


def feeds(edit: MakeSource, facts: LogFacts) -> bool:
    """Whether a log has all that the component of this edit gives."""
    source = Source(edit.component, edit.mode, edit.ports)
    return not missing_ports(source, mapping_for(source, facts))


def missing_ports(source: Source, topics: dict[str, str]) -> list[str]:
    """Out ports that nothing of the log would feed; ground truth does not count."""
    return [
        port.name for port in source.ports if port.direction == "out" and not port.truth and port.name not in topics
    ]


def providers_for(system: System, folder: Path, facts: LogFacts) -> dict[str, LogProvider]:
    """Source -> the log as its provider, for every source that it feeds completely."""
    found: dict[str, LogProvider] = {}
    for source in system.sources:
        topics = mapping_for(source, facts)
        if topics and not missing_ports(source, topics):
            found[source.name] = LogProvider(_log_name(source, folder, facts.path), topics)
    return found


def _log_name(source: Source, folder: Path, log: Path) -> str:
    """As the source names it already, if that is the log: an example finds its log among the recordings."""
    known = source.logged.log if source.logged is not None else ""
    return known if known and log_of(folder, known).resolve() == log.resolve() else name_in(folder, log)


def why_not(system: System, facts: LogFacts) -> str:
    """Why a log cannot feed any source of a system, in a sentence."""
    sources = [source for source in system.sources if any(port.direction == "out" for port in source.ports)]
    if not sources:
        return "the system has no source that gives data"
    gaps = [f"{source.name}.{port}" for source in sources for port in missing_ports(source, mapping_for(source, facts))]
    return f"nothing in it fits {', '.join(gaps[:3])}"


def name_in(folder: Path, log: Path) -> str:
    """As system.xml names it: relative to the project where it lies inside."""
    try:
        return log.resolve().relative_to(folder.resolve()).as_posix()
    except ValueError:
        return str(log.resolve())


def import_target(source: Path, system: System | None, folder: Path | None) -> Path:
    """Where the imported log goes: where the project waits for one, else to the user's recordings."""
    stem = re.sub(r"(\.log|\.bag|\.db3|\.mcap|\.txt|\.clf|\.gz|\.zstd)+$", "", source.name) or source.name
    if system is not None and folder is not None:
        logs = (log_of(folder, each.logged.log) for each in system.sources if each.logged and each.logged.log)
        waiting = {log.resolve() for log in logs if not log.exists()}
        wanted, own = next(iter(waiting), None), recordings_of(folder)
        places = (folder.resolve(), own.resolve())
        if len(waiting) == 1 and wanted is not None and any(wanted.is_relative_to(place) for place in places):
            return wanted
        return unused(own / f"{stem}.mcap")
    return unused(recordings_folder() / f"{stem}.mcap")


# A log without a project gets one of its own: a source that plays it, and nothing else.


def viewing_project(facts: LogFacts, root: Path | None = None) -> Path:
    """The folder of a project that only plays this log; the same for the same log, so that its layout is kept. It has
    the types that Studio does not know: as the log describes them, or as bytes."""
    if not facts.kinds and not facts.unknown:
        raise NoLog("has no topic", file=facts.path, hint="nothing was recorded into it")
    from studio.editor.log_files.foreign_types import write_types  # brings numpy, see above

    root = root or _viewed()
    digest = hashlib.sha256(str(facts.path.resolve()).encode()).hexdigest()[:8]
    name = re.sub(r"[^A-Za-z0-9_]", "_", facts.path.name.removesuffix(".mcap")) or "log"
    name = name if name[0].isalpha() else f"log_{name}"
    folder = root / f"{name}_{digest}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        kinds = {**facts.kinds, **write_types(folder, facts.definitions, facts.unknown)}
        ports = _ports(kinds)
        played = {topic_of(Endpoint(SOURCE, port)): topic for port, topic in ports.items()}
        write_descriptions(folder, {t: facts.protobuf[topic] for t, topic in played.items() if topic in facts.protobuf})
        (folder / "system.xml").write_text(_viewing_system(name, facts.path, kinds, ports), encoding="utf-8")
    except OSError as error:
        raise NoLog(f"cannot be opened alone: {error.strerror}", file=folder) from error
    return folder


def is_viewing_project(folder: Path) -> bool:
    """Whether it was made to look at a log, and not by a person."""
    return folder.resolve().parent == _viewed().resolve()


def _viewed() -> Path:
    return platformdirs.user_data_path("robot-systems-studio") / "viewed"


def _ports(topics: Iterable[str]) -> dict[str, str]:
    """Port -> topic of the log."""
    ports: dict[str, str] = {}
    for topic in topics:
        ports[_port_name(topic, ports)] = topic
    return ports


def _viewing_system(name: str, log: Path, kinds: dict[str, str], ports: dict[str, str]) -> str:
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<system name="{escape(name)}" version="1">',
        f"  <doc>Plays {escape(log.name)}, to look at.</doc>",
        f'  <source name="{SOURCE}" mode="logged">',
        *(f'    <port name="{port}" direction="out" type="{kinds[topic]}"/>' for port, topic in ports.items()),
        f'    <logged log="{escape(str(log.resolve()))}">',
        *(f'      <bind port="{port}" topic="{escape(topic)}"/>' for port, topic in ports.items()),
        "    </logged>",
        "  </source>",
        "</system>",
    ]
    return "\n".join(lines) + "\n"


def _port_name(topic: str, taken: dict[str, str]) -> str:
    """`/platform/laser` -> `platform.laser`: at most one dot, letters first."""
    words = [re.sub(r"[^A-Za-z0-9_]", "_", word) for word in topic.strip("/").split("/")]
    words = [word if word and word[0].isalpha() else f"t{word}" for word in words]
    name = words[0] if len(words) == 1 else f"{words[0]}.{'_'.join(words[1:])}"
    found, number = name, 2
    while found in taken:
        found, number = f"{name}_{number}", number + 1
    return found
