"""The logged sources of a project that is run: their log, played into the system."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from studio.model.opened import Opened
from studio.runtime.clock import ClockKind
from studio.runtime.launcher import Session
from studio.runtime.plan import Plan
from studio.runtime.recording import LogReader
from studio.runtime.replay.cursor import Cursor
from studio.runtime.replay.played import Played, logged_file, played_sources
from studio.runtime.replay.player import LogPlayer


@contextmanager
def opened_log(opened: Opened, plan: Plan) -> Iterator[Played | None]:
    """None for a system without logged sources."""
    file = logged_file(opened.system, opened.folder)
    if file is None:
        yield None
        return
    with LogReader(file) as log:
        yield played_sources(opened.system, plan, log, opened.types)


def first_ns(played: Played) -> int:
    return Cursor(played.log, played.topics).start_ns


def clock_of(opened: Opened, played: Played | None) -> ClockKind:
    """That of the log, unless something in the system lives in the time of the world."""
    alive = any(source.mode != "logged" and source.ports for source in opened.system.sources)
    return ClockKind.WALL if played is None or alive else ClockKind.LOG


@contextmanager
def player_for(session: Session, opened: Opened, played: Played | None, *, restamp: bool) -> Iterator[LogPlayer | None]:
    if played is None:
        yield None
        return
    with LogPlayer(session, played, opened.types, restamp=restamp) as player:
        yield player
