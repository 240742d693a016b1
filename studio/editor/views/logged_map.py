"""The last map that a log has on a topic. Reads the file; for a thread of its own. No Qt in here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from studio.errors import StudioError
from studio.messages import Map, decode
from studio.runtime.recording import LogReader


@dataclass(frozen=True)
class LoggedMap:
    path: Path
    topic: str
    map: Map
    after_s: float
    """How long after the beginning of the log it was made."""

    @property
    def words(self) -> str:
        return f"{self.path.name}, after {self.after_s:.1f} s"


def last_map(path: Path, topic: str) -> LoggedMap:
    """Of this topic, or if it is not in the log of the map topic that has the most."""
    with LogReader(path) as log:
        maps = {name: each.count for name, each in log.topics.items() if each.schema.name == Map.SCHEMA_NAME}
        filled = [name for name, count in maps.items() if count]
        if not filled:
            raise StudioError("there is no map in this log", file=path, hint="record the topic of a map, too")
        chosen = topic if topic in filled else max(filled, key=lambda name: maps[name])
        event = log.latest_before(log.end_ns + 1, [chosen])[chosen]
        return LoggedMap(path, chosen, decode(Map, event.payload), (event.log_time_ns - log.start_ns) / 1e9)


def logs_in(folder: Path | None, most: int = 12) -> list[Path]:
    """The newest first."""
    found = list((folder / "logs").glob("*.mcap")) if folder is not None else []
    return sorted(found, key=lambda path: path.stat().st_mtime, reverse=True)[:most]
