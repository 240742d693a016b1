"""The simulated Raptor maps blocks: the components in a system, and the tool that compares the maps with the world."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from studio.messages import Map, encode
from studio.model.loaded_project import open_project
from studio.runtime.host.host import create
from studio.runtime.host.in_process import InProcess
from studio.runtime.plan.planning import plan_of
from studio.runtime.sim.worlds.worlds import load_world
from studio.runtime.wire.frames import Event, Kind
from tests.conftest import ROOT

PROJECT = ROOT / "projects/terrain_truth"
NS_PER_S = 1_000_000_000


class Drive:
    """The project in one process, in virtual time."""

    def __init__(self) -> None:
        opened = open_project(PROJECT)
        self.maps: dict[str, list[Map]] = {}
        self.twin = InProcess(plan_of(opened.system, opened.registry, project=PROJECT), create, tap=self._take)
        self.twin.start()

    def _take(self, event: Event) -> None:
        if event.kind == Kind.DATA and isinstance(event.message, Map):
            self.maps.setdefault(event.topic, []).append(event.message)

    def until(self, seconds: float) -> None:
        self.twin.lockstep(round(seconds * NS_PER_S))


def test_maps_grow_in_the_running_system_and_a_step_back_gives_the_same_bytes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(PROJECT))
    true_heights = importlib.import_module("true_heights")
    drive = Drive()
    drive.until(1.05)
    checkpoint = drive.twin.checkpoint()
    drive.until(2.05)
    drive.twin.restore(checkpoint)
    drive.until(2.05)
    drive.twin.stop()
    first, once, again = drive.maps["/terrain/terrain"]
    assert bytes(encode(once)) == bytes(encode(again))
    seen = [int(np.isfinite(each.plane("height")).sum()) for each in (first, once)]
    assert 0 < seen[0] < seen[1]
    low, high = true_heights.heights_of(load_world("blocks"), once)
    height = once.plane("height").astype(np.float64)
    off = np.maximum(np.maximum(low - height, height - high), 0.0)
    assert float(np.sqrt(np.nanmean(off**2))) < 0.01
    _, forth, back = drive.maps["/traverse/traverse"]
    assert bytes(encode(forth)) == bytes(encode(back))
    assert float(np.nanmedian(forth.plane("traversability"))) > 0.9
    assert float(np.nanmin(forth.plane("traversability"))) == 0.0  # the corner of a building


@pytest.mark.soak
def test_the_map_is_true_and_weighing_helps(tmp_path: Path) -> None:
    """As the guide has it: recorded over processes, judged by the tool."""
    log = tmp_path / "drive.mcap"
    command = [sys.executable, "-m", "studio", "run", str(PROJECT), "--mode", "simulated", "--rate", "0"]
    subprocess.run([*command, "--for", "22", "--record", str(log)], check=True, timeout=900, cwd=ROOT)
    tool = [sys.executable, str(PROJECT / "judge_maps.py"), str(log), "--json", "--pictures", str(tmp_path / "maps")]
    done = subprocess.run(tool, capture_output=True, text=True, timeout=900, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    outcomes: list[dict[str, Any]] = json.loads(done.stdout)
    assert outcomes[0]["rms_m"]["variance"] < 0.05
    assert outcomes[-1]["shared_rms_m"]["variance"] < 0.6 * outcomes[-1]["shared_rms_m"]["mean"]
    assert len(list((tmp_path / "maps").glob("*.png"))) == 4
