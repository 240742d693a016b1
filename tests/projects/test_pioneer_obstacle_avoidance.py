"""The Pioneer wanders: in process, and recorded over processes and replayed."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from bench.autonomy import driven, with_parameters
from studio.model.loaded_project import open_project
from studio.runtime.plan.plan import Plan
from studio.runtime.plan.planning import plan_of
from studio.runtime.replay.as_recorded import replay_as_recorded
from studio.runtime.replay.comparison import compare
from studio.runtime.replay.lockstep import replay_lockstep
from tests.cli.running import STUDIO
from tests.conftest import ROOT

PROJECT = ROOT / "projects/pioneer_obstacle_avoidance"


def planned() -> Plan:
    opened = open_project(PROJECT)
    return plan_of(opened.system, opened.registry, project=opened.folder)


@pytest.mark.parametrize(
    ("world", "seconds"),
    [
        ("maze", 8.0),
        pytest.param("maze", 600.0, marks=pytest.mark.soak),
        pytest.param("maze:3", 600.0, marks=pytest.mark.soak),
    ],
)
def test_it_wanders_through_the_maze_without_a_collision(world: str, seconds: float) -> None:
    outcome, failures = driven(with_parameters(planned(), simulator={"world": world}), seconds)
    assert failures == {}
    assert outcome["collisions"] == 0
    assert outcome["path_m"] > 0.15 * seconds


@pytest.mark.must_not_flake
@pytest.mark.timeout(300)
def test_what_was_recorded_in_simulation_comes_out_again(tmp_path: Path) -> None:
    log = tmp_path / "drive.mcap"
    words = ["run", str(PROJECT), "--mode", "simulated", "--rate", "0", "--for", "2", "--record", str(log), "--json"]
    done = subprocess.run([*STUDIO, *words], capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["outcome"]["collisions"] == 0
    opened = open_project(PROJECT)
    kit: Any = {"specs": opened.registry, "types": opened.types}
    found = replay_as_recorded(opened.project, log, **kit)
    assert found.identical
    assert found.components["avoid"].compared >= 15
    outs = [tmp_path / "a.mcap", tmp_path / "b.mcap"]
    for out in outs:
        assert replay_lockstep(opened.project, log, in_process=True, record=out, **kit).failures == {}
    assert outs[0].read_bytes() == outs[1].read_bytes()
    assert compare(log, outs[0], topics=["/pioneer/laser", "/avoid/motion"]).identical
