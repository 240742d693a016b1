"""The same vehicle in pyqtgraph.opengl: an item for each shape, the axes of frames as one item for each body."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyqtgraph.opengl as gl
from PyQt6.QtWidgets import QApplication

from studio.model.geometry.linkage import Part
from studio.model.geometry.workspace import Workspace

WIDTH, HEIGHT = 1280, 800
SECONDS = 3.0
AXIS_M = 0.06
CUBE = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
FACES = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4],
     [1, 5, 7], [1, 7, 3]]
)  # fmt: skip


def measure(path: Path) -> dict[str, Any]:
    app = QApplication(["bench"])
    # Not warmed by another view, as ours is: pyqtgraph keeps its programs for the first context and fails in a second.
    began = time.perf_counter()
    view = _view(path)
    view.repaint()
    opened_s = time.perf_counter() - began
    return {"open_s": opened_s, "orbit_hz": _rate(view, app, drags=False), "drag_hz": _rate(view, app, drags=True)}


def _view(path: Path) -> Any:
    workspace = Workspace.load(path, [path.parent.parent])
    model = workspace.assembled.model
    poses = workspace.assembled.transforms.linkage.home_poses()
    view = gl.GLViewWidget()
    view.resize(WIDTH, HEIGHT)
    view.setCameraPosition(distance=8)
    for name, body in model.bodies.items():
        items = [_box(), gl.GLMeshItem(meshdata=gl.MeshData.cylinder(1, 20, [0.03, 0.03], 0.2), smooth=False)]
        items.append(_frames([frame.pose.matrix for frame in body.frames]))
        for item in items:
            item.setTransform(poses[Part(name)])
            view.addItem(item)
    view.show()
    return view


def _box() -> Any:
    return gl.GLMeshItem(vertexes=CUBE * (0.2, 0.2, 0.1), faces=FACES, smooth=False, color=(0.4, 0.5, 0.6, 1.0))


def _frames(poses: list[Any]) -> Any:
    points = [
        point for pose in poses for axis in range(3) for point in (pose[:3, 3], pose[:3, 3] + AXIS_M * pose[:3, axis])
    ]
    return gl.GLLinePlotItem(pos=np.array(points), mode="lines", width=2)


def _rate(view: Any, app: Any, *, drags: bool) -> float:
    """Pictures a second, each with another camera or with ten items elsewhere."""
    moved = view.items[15:45]
    count, began = 0, time.perf_counter()
    while time.perf_counter() - began < SECONDS:
        if drags:
            for item in moved:
                item.translate(0, 0, 0.001)
        else:
            view.orbit(1, 0)
        view.repaint()
        app.processEvents()
        count += 1
    return count / (time.perf_counter() - began)


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1]))))
