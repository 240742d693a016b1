"""A way through a log in a running system, by its player, and the same way as a replay goes it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from bench.replay_parts.examples import PROJECTS
from studio.model.loaded_project import open_project
from studio.model.sources import LogProvider
from studio.runtime.plan.plan import LAG
from studio.runtime.plan.planning import plan_of
from studio.runtime.playing.lockstep_player import LockstepPlayer
from studio.runtime.playing.logged_sources import wanted_log
from studio.runtime.replay.lockstep import PIECES
from studio.runtime.session.lockstep_session import LockstepSession


def sought_s(project: str, log: Path) -> float:
    """How long the player takes from the start of the log to its end; the system is started before."""
    with _playing(project, log) as (_, player):
        began = time.perf_counter()
        player.seek(player.end_ns)
        return time.perf_counter() - began


def replayed_s(project: str, log: Path) -> float:
    """The same way, computed as `studio replay` does it over processes: no checkpoints, and nobody can go back."""
    with _playing(project, log) as (session, player):
        whole_ns = player.end_ns - player.start_ns
        began = time.perf_counter()
        for piece in range(1, PIECES + 1):
            session.lockstep(until_ns=player.start_ns + whole_ns * piece // PIECES, lag=LAG)
        return time.perf_counter() - began


@contextmanager
def _playing(project: str, log: Path) -> Iterator[tuple[LockstepSession, LockstepPlayer]]:
    """A project's system with all of its sources from the log, standing at its start."""
    opened = open_project(PROJECTS / project)
    for source in list(opened.system.sources):
        provider = replace(source.logged, log=str(log)) if source.logged else LogProvider(str(log))
        opened.system.replace_node(replace(source, mode="logged", logged=provider))
    plan = plan_of(opened.system, opened.registry, project=opened.folder)
    wanted = wanted_log(opened.system, opened.folder, plan, opened.types, gate="lockstep", told=lambda _: None)
    assert wanted.played is not None, "all sources are logged"
    session = LockstepSession(plan, clock=wanted.target.clock, start_ns=wanted.start_ns)
    with session:
        player = LockstepPlayer(session, wanted.played, opened.types)
        session.launch()
        player.attach()
        session.start("pause")
        try:
            yield session, player
        finally:
            player.leave()
