"""The bench of the geometry editor, with told measurements: its rows, its goals, and the vehicle that it opens."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import geometry
from bench.geometry_parts.vehicle import BODIES, FRAMES, write_vehicle
from studio.model.geometry.workspace import Workspace


def test_the_vehicle_has_as_many_bodies_and_frames_as_promised(tmp_path: Path) -> None:
    path = write_vehicle(tmp_path / "models")
    model = Workspace.load(path, [path.parent.parent]).assembled.model
    assert len(model.bodies) == BODIES == 60
    assert sum(len(body.frames) for body in model.bodies.values()) == FRAMES == 400
    assert len(model.constraints) == BODIES - 1


def test_each_row_has_its_goal_and_peers_that_are_missing_say_how_to_get_them(monkeypatch: pytest.MonkeyPatch) -> None:
    told = {"open_s": 0.5, "orbit_hz": 40.0, "drag_hz": 10.0}
    monkeypatch.setattr(geometry, "told_by", lambda module, words, timeout_s: told)
    report = geometry.run(rounds=1)
    assert [row.met for row in report.rows] == [True, True, False]
    assert all(row.peers["pyvista"] is None for row in report.rows) and "pyvista" in report.install
