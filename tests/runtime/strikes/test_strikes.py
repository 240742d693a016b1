"""The table of docs/design/switching.md holds while processes are killed, stopped and continued within a switch."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.runtime.host.profile import write_profile_of
from tests.runtime.replay.played import write_rig
from tests.runtime.strikes.staged_runtime import STAGES
from tests.runtime.strikes.striking import VICTIMS, Arena, every_strike, killed, stopped, stopped_and_killed
from tests.runtime.test_switching_table import MOVER, SYSTEM

LOG_EVENTS = 6_000
"""One minute, and in the soak ten: none comes to its end while a process is stopped."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    folder = tmp_path_factory.mktemp("p") / "there"
    own = folder / "components/mover"
    own.mkdir(parents=True)
    (own / "mover.py").write_text(MOVER)
    (folder / "system.xml").write_text(SYSTEM)
    write_profile_of(own)
    write_rig(folder / "rig.mcap", LOG_EVENTS * (10 if request.config.getoption("--soak") else 1))
    return folder


SHORT = (
    killed("begin", "mover"),
    stopped("pause", "filter", 0.3),
    killed("jump", "broker"),
    stopped_and_killed("pause", "leaving"),
    killed("deliver_commands", "coming"),
    killed("resume", "recorder"),
    killed("replan", "client"),
    stopped_and_killed("jump", "broker"),
    stopped("replan", "runtime", 0.3),
    killed("pause", "runtime"),
)


def test_every_stage_and_every_process_is_struck_once() -> None:
    assert {strike.stage for strike in SHORT} == set(STAGES)
    assert {strike.victim for strike in SHORT} == set(VICTIMS)


@pytest.mark.timeout(240)
def test_a_switch_survives_what_happens_to_its_processes(project: Path, tmp_path: Path) -> None:
    with Arena(project, tmp_path, seed=1) as arena:
        for strike in SHORT:
            if strike.victim == "leaving":  # its restart meets a plan that does not name it any more
                arena.be_paused()
            arena.switch(strike)


def test_control_a_switch_that_asks_only_once_is_found(project: Path, tmp_path: Path) -> None:
    """It must go red: this runtime does not ask the next broker what the last one has not answered."""
    red = pytest.raises(AssertionError, match="the broker died")
    with Arena(project, tmp_path, seed=1, careless=True) as arena, red:
        arena.switch(stopped_and_killed("jump", "broker"))


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(5))
def test_every_strike_at_every_stage(project: Path, tmp_path: Path, seed: int) -> None:
    with Arena(project, tmp_path, seed) as arena:
        strikes = list(every_strike())
        arena.choose.shuffle(strikes)
        for strike in strikes:
            late_s = arena.choose.choice((0.0, 0.002, 0.01, 0.05)) if seed else 0.0
            arena.stand_or_run()
            arena.switch(strike._replace(late_s=late_s))
