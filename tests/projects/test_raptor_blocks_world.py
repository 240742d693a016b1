"""The Raptor drives itself: the whole system with the simulator, in process and over processes."""

from __future__ import annotations

import importlib
import json
import math
import subprocess
from pathlib import Path
from typing import Any

import pytest

from bench.autonomy import PROJECT, Drive, drive, driven, planned, with_parameters
from studio.runtime.sim.worlds.worlds import load_world
from tests.cli.running import STUDIO

pytestmark = pytest.mark.timeout(300)  # physics on a busy machine


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.soak) for seed in (2, 3))])
def test_it_arrives_in_worlds_of_other_seeds_without_a_collision(seed: int) -> None:
    """From end to end, in about half a minute of system time."""
    driven_there = drive(seed, 60.0)
    assert driven_there.failures == {}
    assert driven_there.arrived, driven_there.outcome
    assert driven_there.collisions == 0
    assert driven_there.outcome["path_m"] < 1.3 * driven_there.shortest_m


@pytest.mark.soak
def test_a_goal_in_a_wall_is_told_and_the_vehicle_stays() -> None:
    """The fence is seen after some metres at the latest; here it is beside the start."""
    world = load_world("blocks:1")
    start = world.places["start"]
    target: dict[str, Any] = {"goal_x_m": start.x_m + 6.0, "goal_y_m": world.solids[1].pose[1, 3]}
    begin = (start.x_m, float(world.solids[1].pose[1, 3]) + 6.0, -math.pi / 2)
    plan = with_parameters(
        planned(), simulator={"world": "blocks:1", "start": begin}, path_planner=target, judge=target
    )  # fmt: skip
    outcome, failures = driven(plan, 6.0)
    assert failures == {}
    assert outcome["status"] == "the goal is in an obstacle, or too near to one"
    assert "is inside fence" in outcome["trouble"]
    assert outcome["collisions"] == 0
    assert outcome["goal_reached"] is False
    assert outcome["path_m"] < 1.0


def run(*words: str) -> dict[str, Any]:
    done = subprocess.run([*STUDIO, *words], capture_output=True, text=True, timeout=1500)
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


@pytest.mark.soak
def test_over_processes_it_reaches_its_goal_and_the_log_gives_the_same_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = str(tmp_path / "drive.mcap")
    told = run("run", str(PROJECT), "--mode", "simulated", "--rate", "0", "--for", "120", "--record", log, "--json")
    assert told["outcome"]["goal_reached"] is True
    assert told["outcome"]["collisions"] == 0
    assert run("replay", str(PROJECT), "--log", log, "--as-recorded", "--json")["identical"] is True
    outs = [tmp_path / "a.mcap", tmp_path / "b.mcap"]
    for out in outs:
        run("replay", str(PROJECT), "--log", log, "--lockstep", "--in-process", "--record", str(out), "--json")
    assert outs[0].read_bytes() == outs[1].read_bytes()
    monkeypatch.syspath_prepend(str(PROJECT))
    picture = importlib.import_module("drive_picture")
    assert picture.main([log, str(tmp_path / "drive.png")]) == 0


@pytest.mark.soak
def test_of_twenty_seeds_nineteen_arrive_and_none_collides() -> None:
    drives: list[Drive] = [drive(seed) for seed in range(1, 21)]
    assert [each.seed for each in drives if each.collisions or each.failures] == []
    assert sum(each.arrived for each in drives) >= 19
