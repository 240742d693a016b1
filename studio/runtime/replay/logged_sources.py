"""The logged sources of a system that runs: their log, played into it, put in and taken out while it goes on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from studio.messages import MessageTypes
from studio.model.system import System
from studio.runtime.clock import ClockKind, wall_ns
from studio.runtime.launcher import Session
from studio.runtime.live_change import paused
from studio.runtime.paced import PacedSession
from studio.runtime.plan import Plan
from studio.runtime.plan_change import plan_change
from studio.runtime.recording import LogReader
from studio.runtime.recording.importers import Progress, Told, readable_log
from studio.runtime.replay.cursor import Cursor
from studio.runtime.replay.lockstep_player import LockstepPlayer
from studio.runtime.replay.played import Played, logged_file, played_sources
from studio.runtime.replay.player import LogPlayer

Player = LogPlayer | LockstepPlayer


@dataclass(frozen=True)
class WantedLog:
    """What is to be played, if anything, and which clock the system then has."""

    played: Played | None
    clock: ClockKind
    types: MessageTypes

    @property
    def start_ns(self) -> int:
        """Of the log; 0 without one."""
        return Cursor(self.played.log, self.played.topics).start_ns if self.played else 0

    def close(self) -> None:
        if self.played is not None:
            self.played.log.close()


def wanted_log(
    system: System,
    folder: Path,
    plan: Plan,
    types: MessageTypes,
    *,
    told: Told,
    progress: Progress | None = None,
) -> WantedLog:
    """By the modes of a system's sources. Opens the log, and starts nothing.

    A log from elsewhere may have to be brought in first: `told` hears what became of it.
    """
    file = logged_file(system, folder)
    if file is None:
        return WantedLog(None, ClockKind.WALL, types)
    log = LogReader(readable_log(file, progress, told))
    try:
        played = played_sources(system, plan, log, types)
    except BaseException:
        log.close()
        raise
    # The clock is that of the log, unless something in the system lives in the time of the world.
    alive = any(source.mode != "logged" and source.ports for source in system.sources)
    return WantedLog(played, ClockKind.WALL if alive else ClockKind.LOG, types)


class LoggedSources:
    """At most one log plays at a time."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.player: Player | None = None

    def begin(self, wanted: WantedLog, *, restamp: bool) -> None:
        """Once the system is launched, and before it starts."""
        self.player = self._player_of(wanted, restamp)
        if self.player is not None:
            self.player.pauses_at_end = not restamp
            self.player.attach()

    def is_as(self, wanted: WantedLog) -> bool:
        """Whether just this is played already: the same log, with the same topics, wherever else data comes from."""
        now = self.player.played if self.player is not None else None
        if now is None or wanted.played is None:
            return now is wanted.played
        if isinstance(self.player, LockstepPlayer) != self._in_lockstep(wanted.clock is ClockKind.WALL):
            return False
        same_file = now.log.path.resolve() == wanted.played.log.path.resolve()
        return same_file and dict(now.topics) == dict(wanted.played.topics)

    def switch(self, plan: Plan, wanted: WantedLog, *, restart: bool = False) -> int:
        """Data comes from elsewhere from now on: through a stop, into a new epoch, which is returned.

        A log that was played before goes on where it was; another one begins. By the clock of the log its events keep
        their stamps; by that of the world they get new ones.
        """
        obedient = self._session.obedient_programs()
        plan_change(self._session.plan, plan, restart=restart, obedient=obedient)  # raises before anything has happened
        restamp, before = wanted.clock is ClockKind.WALL, self.player
        if before is not None and self.is_as(wanted):
            wanted.close()
            following: Player | None = before
        else:
            following = self._player_of(wanted, restamp)
        if before is not None:
            before.hold()
        try:
            with paused(self._session, self._go_on), self._released(before):
                if before is not None and following is not None and following is not before:
                    before.recall()  # only of one that stands it is known what it has played
                    following.begin_after(self._place_in(wanted), before.sent)
                epoch = self._exchange(following, wanted.clock, restamp)
                self._session.change(plan, restart=restart)
        finally:
            if self.player is not following and following is not None:  # it has come to nothing
                following.close()
                wanted.close()
            self._release(before)  # if it could not even be paused
        return epoch

    @contextmanager
    def _released(self, held: Player | None) -> Iterator[None]:
        """Who plays on after all is let go, before the system goes on."""
        try:
            yield
        finally:
            self._release(held)

    def _release(self, held: Player | None) -> None:
        if held is not None and self.player is held:
            held.release()

    def _exchange(self, following: Player | None, clock: ClockKind, restamp: bool) -> int:
        """Paused: a new epoch, and another player in it."""
        session, before = self._session, self.player
        now_ns = wall_ns() if restamp or following is None else following.state().time_ns
        reply = session.jump(now_ns, clock)
        if before is not None and before is not following:
            before.leave()
        self.player = following
        if following is not None:
            following.pauses_at_end = not restamp  # others live on in the time of the world
            following.attach() if following is not before else following.go_on(now_ns, restamp, reply)
        return int(reply["epoch"])

    def _player_of(self, wanted: WantedLog, restamp: bool) -> Player | None:
        session, played = self._session, wanted.played
        if played is None:
            return None
        if isinstance(session, PacedSession) and self._in_lockstep(restamp):
            return LockstepPlayer(session, played, wanted.types)
        return LogPlayer(session, played, wanted.types, restamp=restamp)

    def _in_lockstep(self, restamp: bool) -> bool:
        session = self._session
        return isinstance(session, PacedSession) and session.wanted == "lockstep" and not restamp

    def _place_in(self, wanted: WantedLog) -> tuple[int, int] | None:
        """Where the log is that is played already, if it is only to be played in another way."""
        before, played = self.player, wanted.played
        if before is None or played is None or before.played.log.path.resolve() != played.log.path.resolve():
            return None
        state = before.state()
        return (state.time_ns, state.number) if dict(before.played.topics) == dict(played.topics) else None

    def _go_on(self) -> None:
        if self.player is not None and self.player.state().stopped is None:
            self.player.play()
        else:
            self._session.run()

    def close(self) -> None:
        if self.player is not None:
            self.player.close()
            self.player.played.log.close()
            self.player = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
