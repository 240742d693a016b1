"""A log, a system and a player for tests, with everything that passes the channel written down."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from studio.messages import Float64, MessageTypes, decode
from studio.runtime.base.clock import ClockKind
from studio.runtime.plan.plan import Plan
from studio.runtime.playing.played import Played, restored_topics
from studio.runtime.playing.player import LogPlayer
from studio.runtime.recording import LogReader
from studio.runtime.session.session import Session
from tests.runtime.replay.small_systems import write_foreign
from tests.runtime.systems import Seen, Watcher

MS = 1_000_000
START = 1_600_000_000_000_000_000
TYPES = MessageTypes.builtin()
A, B, SLOW = "/rig/a", "/rig/b", "/rig/slow"


def values(count: int, every_ms: int, first: float = 0.0) -> list[tuple[int, Float64]]:
    return [(START + at * every_ms * MS, Float64(first + at)) for at in range(count)]


def write_rig(path: Path, count: int = 100) -> Path:
    """Two streams with equal stamps, every 10 and every 20 ms, and one that has an event every 200 ms."""
    streams = {
        A: values(count, 10),
        B: values(count // 2, 20, 1000.0),
        SLOW: [(time_ns + 5 * MS, value) for time_ns, value in values(max(1, count // 20), 200, 5000.0)],
    }
    return write_foreign(path, streams)


def recorded(path: Path) -> list[tuple[str, float]]:
    """Topic and value of every event of a log, in the order in which it is played."""
    with LogReader(path) as log:
        return [(event.topic, decode(Float64, event.payload).data) for event in log.events()]


class FencedWatcher(Watcher):
    """Does not wait for silence, which a system that plays on does not keep."""

    def settled(self) -> list[Seen]:
        self.await_fence()
        return self.now()


@dataclass
class Rig:
    player: LogPlayer
    session: Session
    watcher: FencedWatcher
    since: int = 0

    def begin(self) -> None:
        """At the start of the log, as if nothing had been played."""
        self.player.pause()
        self.player.set_rate(1.0)
        self.player.set_loop(False)
        self.player.set_range()
        self.player.enable("*")
        self.player.stop_when(None)
        self.player.seek(self.player.start_ns)
        self.since = len(self.watcher.settled())

    def channel(self) -> list[Seen]:
        """What has passed the channel."""
        return self.watcher.settled()[self.since :]

    def seen(self, *topics: str) -> list[tuple[str, float]]:
        return values_of(self.channel(), topics or (A, B, SLOW))


def values_of(seen: list[Seen], topics: tuple[str, ...]) -> list[tuple[str, float]]:
    return [(event.topic, decode(Float64, event.payload).data) for event in seen if event.topic in topics]


@contextmanager
def rig(log: Path, plan: Plan, topics: Mapping[str, str] | None = None) -> Iterator[Rig]:
    """The log's topics go to those of the same name; paused at its start."""
    with LogReader(log) as reader:
        chosen = topics or {topic: topic for topic in reader.topics}
        played = Played(reader, chosen, restored_topics(plan, chosen))
        with Session(plan, clock=ClockKind.LOG, start_ns=START) as session, LogPlayer(session, played, TYPES) as player:
            watcher = FencedWatcher(session.folders.run, session.folders.shared)
            try:
                session.launch()
                watcher.await_connected()
                player.attach()
                session.start("pause")
                yield Rig(player, session, watcher)
            finally:
                watcher.close()
