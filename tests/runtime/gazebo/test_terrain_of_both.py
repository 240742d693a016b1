"""The Raptor's drive to its goal, on a real gzserver and in the embedded simulator, and the two terrain maps compared
(Figure 14 of DRDC Suffield TM 2010-271). `-s` shows the difference."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from mcap.reader import make_reader

from studio.messages import Map, PoseTransform, Range3d, decode
from studio.runtime.gazebo import local_classic
from studio.runtime.gazebo.debian_tree import NoTree
from studio.runtime.host.profile import load_class
from studio.runtime.trial import Trial
from tests.conftest import ROOT

TERRAIN_MAP = load_class(ROOT / "components" / "terrain_map")
pytestmark = [pytest.mark.gazebo, pytest.mark.soak, pytest.mark.timeout(600)]


def drive(log: Path, *more: str) -> None:
    """To the goal."""
    words = ["run", "projects/raptor_blocks_world", "--mode", "simulated", "--rate", "0", "--for", "120", *more]
    made = subprocess.run(
        [sys.executable, "-m", "studio", *words, "--record", str(log), "--json"],
        capture_output=True, text=True, timeout=280, check=False, cwd=ROOT,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    outcome = json.loads(made.stdout)["outcome"]
    print(f"\n{more or 'embedded'}: {outcome}")
    assert outcome["goal_reached"] and outcome["collisions"] == 0


def last_map(log: Path) -> Map:
    with log.open("rb") as file:
        told = [message.data for _, _, message in make_reader(file).iter_messages(topics=["/terrain_map/terrain"])]
    return decode(Map, told[-1])


def map_of(log: Path, laser: str) -> Map:
    """What the terrain map makes of one laser alone."""
    kinds = {"/platform/pose": ("pose", PoseTransform), f"/platform/{laser}": ("ranges", Range3d)}
    with log.open("rb") as file, Trial(TERRAIN_MAP, geometry="raptor") as trial:
        for _, channel, message in make_reader(file).iter_messages(topics=list(kinds)):
            port, kind = kinds[channel.topic]
            told = decode(kind, message.data)
            trial.send(port, told, at_s=told.stamp_ns / 1e9)
        trial.tick()
        return trial.sent("terrain")[-1]


def heights(terrain: Map) -> dict[tuple[int, int], float]:
    """By the cell of the world."""
    plane = np.asarray(terrain.planes[terrain.plane_names.index("height")])
    first = [round(float(origin) / terrain.resolution_m) for origin in terrain.origin_m]
    rows, columns = np.nonzero(np.isfinite(plane))
    return {
        (first[0] + int(column), first[1] + int(row)): float(plane[row, column])
        for row, column in zip(rows, columns, strict=True)
    }


def compare(what: str, gazebo: dict[tuple[int, int], float], embedded: dict[tuple[int, int], float]) -> None:
    both = sorted(gazebo.keys() & embedded.keys())
    apart = np.abs([gazebo[cell] - embedded[cell] for cell in both])
    print(f"{what}: {len(gazebo)} cells in Gazebo, {len(embedded)} embedded, {len(both)} in both")
    print(f"  heights differ by {np.median(apart):.3f} m (median), {np.percentile(apart, 90):.3f} m (90 %)")
    assert len(both) > 0.3 * max(len(gazebo), len(embedded))
    assert np.median(apart) < 0.03


def test_both_reach_the_goal_and_see_the_same_ground(tmp_path: Path) -> None:
    try:
        local_classic.install()
    except NoTree as none:
        pytest.skip(f"Gazebo classic cannot be had here: {none}")
    logs = tmp_path / "gazebo.mcap", tmp_path / "embedded.mcap"
    drive(logs[0], "--source", "platform=gazebo")
    drive(logs[1])
    compare("both lasers", *(heights(last_map(log)) for log in logs))
    for laser in ("laser_left", "laser_right"):
        compare(laser, *(heights(map_of(log, laser)) for log in logs))
