"""The maps that a log has on a topic, at any time. Reads the file; for a thread of its own. No Qt in here."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from studio.errors import StudioError
from studio.messages import Map, decode
from studio.recordings import recordings_of
from studio.runtime.recording import LogReader
from studio.runtime.recording.facts.run_facts import RunFacts, facts_of


@dataclass(frozen=True)
class LoggedMap:
    map: Map
    after_ns: int
    """How long after the beginning of the log it was made."""


@dataclass(frozen=True)
class LoggedMaps:
    """Of one topic of one log. The log is opened for every map anew: that takes a few milliseconds, and nobody has to
    close it."""

    path: Path
    topic: str
    count: int
    length_ns: int
    run: RunFacts = field(default_factory=RunFacts, compare=False)
    """What the run was made of that the log is of."""

    def at(self, after_ns: int) -> LoggedMap:
        """The map that was made nearest to this time: two runs make theirs at slightly different times."""
        with LogReader(self.path) as log:
            at_ns = log.start_ns + after_ns
            found = [log.latest_before(at_ns, [self.topic]).get(self.topic), log.first_from(at_ns, [self.topic])]
            events = [event for event in found if event is not None]
            if not events:  # the file is another one by now
                raise StudioError(f"there is no map on {self.topic} any more", file=self.path)
            event = min(events, key=lambda event: abs(event.log_time_ns - at_ns))
            return LoggedMap(decode(Map, event.payload), event.log_time_ns - log.start_ns)


def maps_in(path: Path, topic: str) -> LoggedMaps:
    """Of this topic, or if it is not in the log of the map topic that has the most."""
    with LogReader(path) as log:
        maps = {name: each.count for name, each in log.topics.items() if each.schema.name == Map.SCHEMA_NAME}
        filled = [name for name, count in maps.items() if count]
        if not filled:
            raise StudioError("there is no map in this log", file=path, hint="record the topic of a map, too")
        chosen = topic if topic in filled else max(filled, key=lambda name: maps[name])
        return LoggedMaps(path, chosen, maps[chosen], log.end_ns - log.start_ns, facts_of(log))


def logs_in(folder: Path | None, most: int = 12) -> list[Path]:
    """The newest first."""
    places = (recordings_of(folder), folder / "logs") if folder is not None else ()
    found = [path for place in places for path in place.glob("*.mcap")]
    return sorted(found, key=lambda path: path.stat().st_mtime, reverse=True)[:most]
