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

from studio.messages import Map, decode
from studio.runtime.gazebo import local_classic
from studio.runtime.gazebo.debian_tree import NoTree
from tests.conftest import ROOT

pytestmark = [pytest.mark.gazebo, pytest.mark.soak, pytest.mark.timeout(600)]


def drive(log: Path, *more: str) -> Map:
    """To the goal; the last map of the terrain."""
    words = ["run", "projects/raptor_blocks_world", "--mode", "simulated", "--rate", "0", "--for", "120", *more]
    made = subprocess.run(
        [sys.executable, "-m", "studio", *words, "--record", str(log), "--json"],
        capture_output=True, text=True, timeout=280, check=False, cwd=ROOT,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    outcome = json.loads(made.stdout)["outcome"]
    print(f"\n{more or 'embedded'}: {outcome}")
    assert outcome["goal_reached"] and outcome["collisions"] == 0
    with log.open("rb") as file:
        told = [message.data for _, _, message in make_reader(file).iter_messages(topics=["/terrain_map/terrain"])]
    return decode(Map, told[-1])


def heights(terrain: Map) -> dict[tuple[int, int], float]:
    """By the cell of the world."""
    plane = np.asarray(terrain.planes[terrain.plane_names.index("height")])
    first = [round(float(origin) / terrain.resolution_m) for origin in terrain.origin_m]
    rows, columns = np.nonzero(np.isfinite(plane))
    return {
        (first[0] + int(column), first[1] + int(row)): float(plane[row, column])
        for row, column in zip(rows, columns, strict=True)
    }


def test_both_reach_the_goal_and_see_the_same_ground(tmp_path: Path) -> None:
    try:
        local_classic.install()
    except NoTree as none:
        pytest.skip(f"Gazebo classic cannot be had here: {none}")
    gazebo = heights(drive(tmp_path / "gazebo.mcap", "--source", "platform=gazebo"))
    embedded = heights(drive(tmp_path / "embedded.mcap"))
    both = sorted(gazebo.keys() & embedded.keys())
    apart = np.abs([gazebo[cell] - embedded[cell] for cell in both])
    print(f"cells: {len(gazebo)} Gazebo, {len(embedded)} embedded, {len(both)} in both")
    print(f"heights differ by {np.median(apart):.3f} m (median), {np.percentile(apart, 90):.3f} m (90 %)")
    assert len(both) > 0.3 * max(len(gazebo), len(embedded))
    assert np.median(apart) < 0.03
