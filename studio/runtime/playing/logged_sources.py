"""The logged sources of a system that runs: their log, played into it, put in and taken out while it goes on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from studio.messages import MessageTypes
from studio.model.system import System
from studio.runtime.base.clock import ClockKind, wall_ns
from studio.runtime.plan.plan import Plan
from studio.runtime.plan.plan_change import plan_change
from studio.runtime.playing.cursor import Cursor
from studio.runtime.playing.lockstep_player import LockstepPlayer
from studio.runtime.playing.played import Played, logged_file, played_sources
from studio.runtime.playing.player import FLAT_OUT, LogPlayer
from studio.runtime.recording import LogReader
from studio.runtime.recording.importers import Progress, Told, readable_log
from studio.runtime.session.live_change import deliver_commands, insist, paused
from studio.runtime.session.lockstep_session import LockstepSession
from studio.runtime.session.session import Session
from studio.runtime.session.switching import GateKind, Target, begins_at_ns, target_of

Player = LogPlayer | LockstepPlayer
END = "end"


@dataclass(frozen=True)
class WantedLog:
    """What is to be played, if anything, and how the system is then controlled and timed."""

    played: Played | None
    target: Target
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
    gate: GateKind,
    told: Told,
    progress: Progress | None = None,
) -> WantedLog:
    """By the modes of a system's sources and the gate that was chosen. Opens the log, and starts nothing.

    A log from elsewhere may have to be brought in first: `told` hears what became of it.
    """
    target = target_of([source.mode for source in system.sources if source.ports], gate)
    file = logged_file(system, folder)
    if file is None:
        return WantedLog(None, target, types)
    log = LogReader(readable_log(file, progress, told))
    try:
        played = played_sources(system, plan, log, types)
    except BaseException:
        log.close()
        raise
    return WantedLog(played, target, types)


class LoggedSources:
    """Where data comes from, and how it is switched (docs/design/switching.md). At most one log plays at a time."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.player: Player | None = None
        self.target: Target | None = None
        """How the system is controlled and timed, since it was begun or last switched."""
        self._paces: dict[ClockKind, float] = {}
        """How fast each kind of time went when it was left; by the clock of the world that is always 1."""

    def begin(self, wanted: WantedLog) -> None:
        """Once the system is launched, and before it starts."""
        self.target = wanted.target
        self.player = self._player_of(wanted)
        if self.player is not None:
            self.player.pauses_at_end = wanted.target.log_leads
            self.player.attach()

    def is_as(self, wanted: WantedLog) -> bool:
        """Whether just this is played already: the same log, with the same topics, wherever else data comes from."""
        now = self.player.played if self.player is not None else None
        if now is None or wanted.played is None:
            return now is wanted.played
        if isinstance(self.player, LockstepPlayer) != self._in_lockstep(wanted):
            return False
        same_file = now.log.path.resolve() == wanted.played.log.path.resolve()
        return same_file and dict(now.topics) == dict(wanted.played.topics)

    def switch(self, plan: Plan, wanted: WantedLog, *, restart: bool = False) -> int:
        """Data comes from elsewhere from now on: through a stop, into a new epoch, which is returned.

        A log that was played before goes on where it was; another one begins. By the clock of the log its events keep
        their stamps; by that of the world they get new ones.
        """
        obedient = self._session.obedient_programs()
        try:
            plan_change(self._session.plan, plan, restart=restart, obedient=obedient)
        except BaseException:  # before anything has happened
            wanted.close()
            raise
        before = self.player
        if before is not None and self.is_as(wanted):
            wanted.close()
            following: Player | None = before
        else:
            following = self._player_of(wanted)
        if before is not None:
            before.hold()
        try:
            # The same log in another way, and nothing else: at its end there is still nothing to go on with.
            place = self._place_in(wanted)
            leaves_end = not (wanted.target.log_leads and place is not None)
            with paused(self._session, self._go_on, switches=leaves_end), self._released(before):
                if before is not None and following is not before:
                    before.recall()  # only of one that stands it is known what it has played
                    if following is not None:
                        place = self._place_in(wanted)
                        following.begin_after(place, before.sent)
                        if place is not None and before.state().stopped == END:
                            following.begin_at_end()
                self._exchange(following, wanted.target)
                self._session.change(plan, restart=restart)
                deliver_commands(self._session)  # who is new is active from the start of the epoch, paused or not
        finally:
            if self.player is not following and following is not None:  # it has come to nothing
                following.close()
                wanted.close()
            self._release(before)  # if it could not even be paused
        return self._session.epoch

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

    def _exchange(self, following: Player | None, target: Target) -> None:
        """Paused: a new epoch, with another clock, gate and player in it."""
        session, before = self._session, self.player
        clock = session.clock_kind
        self._paces[clock] = self._pace()
        at_ns = begins_at_ns(
            target,
            clock,
            now_ns=int(insist(session, session.status)["now_ns"]),
            world_ns=wall_ns(),
            log_ns=following.state().time_ns if following is not None else 0,
        )
        reply = session.jump(at_ns, target.clock)
        if isinstance(session, LockstepSession):
            session.follow(target)
        self.target = target
        if before is not None and before is not following:
            before.leave()
        self.player = following
        if following is not None:
            following.pauses_at_end = target.log_leads  # otherwise others live on in the time of the world
            if following is before:
                following.go_on(at_ns, target.restamps, reply)
            else:
                following.attach()
                following.set_rate(self._paces.get(target.clock, 1.0) or FLAT_OUT)

    def _pace(self) -> float:
        """How fast time goes; 0 is flat out."""
        if self._session.clock_kind is ClockKind.WALL:
            return 1.0
        if self.player is None:
            return self._session.rate
        rate = self.player.state().rate
        return 0.0 if rate == FLAT_OUT else rate

    def _player_of(self, wanted: WantedLog) -> Player | None:
        session, played = self._session, wanted.played
        if played is None:
            return None
        if isinstance(session, LockstepSession) and self._in_lockstep(wanted):
            return LockstepPlayer(session, played, wanted.types)
        return LogPlayer(session, played, wanted.types, restamp=wanted.target.restamps)

    def _in_lockstep(self, wanted: WantedLog) -> bool:
        return isinstance(self._session, LockstepSession) and wanted.target.gate == "lockstep"

    def _place_in(self, wanted: WantedLog) -> tuple[int, int] | None:
        """Where the log is that is played already, if it is only to be played in another way."""
        before, played = self.player, wanted.played
        if before is None or played is None or before.played.log.path.resolve() != played.log.path.resolve():
            return None
        state = before.state()
        return (state.time_ns, state.number) if dict(before.played.topics) == dict(played.topics) else None

    def _go_on(self) -> None:
        """The gate opens again. A log that has ended begins anew where time is its own: nothing else would come."""
        player, leads = self.player, self.target is not None and self.target.log_leads
        if player is not None and (leads or player.state().stopped is None):
            player.play()
        else:
            self._session.run(self._paces.get(self._session.clock_kind, 1.0))

    def close(self) -> None:
        if self.player is not None:
            self.player.close()
            self.player.played.log.close()
            self.player = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
