"""The benchmark of the canvas compares what it says it compares."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PyQt6.QtWidgets import QApplication

from bench.canvas_parts.frames import COLUMNS, GRABBED, PORTS, ROWS, Stage, place, wires
from bench.canvas_parts.ours import Ours, name, write_project


def test_a_thousand_nodes_and_two_thousand_wires() -> None:
    assert COLUMNS * ROWS == 1000
    found = list(wires())
    assert len(found) == len(set(found)) == 2000
    assert max(Counter((end, port) for _, _, end, port in found).values()) == 1
    assert {port for _, port, _, _ in found} <= set(range(PORTS))


def test_ours_has_them_all_and_is_as_before_after_each_measurement(qapp: QApplication, tmp_path: Path) -> None:
    ours = Ours(write_project(tmp_path / "many"))
    stage = Stage(ours)
    assert stage.build() > 0
    scene = ours.scene
    assert (len(scene.nodes), len(scene.wires)) == (1000, 2000)
    assert not any(wire.wrong for wire in scene.wires.values())
    for measure in (stage.pan, stage.drag, stage.fit):
        assert measure() > 0
    item = scene.nodes[name(GRABBED)]
    assert (item.x(), item.y()) == place(*GRABBED)
    assert not ours.session.document.is_modified
    ours.view.close()
    ours.view.deleteLater()
    ours.session.close()
