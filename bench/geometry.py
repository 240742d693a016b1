"""The view of the geometry editor with 60 bodies and 400 frames, against pyqtgraph.opengl, pyvista, pytransform3d.

Each contender is a process of its own on a virtual screen with software GL, in a window of 1280 x 800. Measured are the
time from the file to the first picture on the screen (what is loaded once per program is loaded before), and pictures a
second while one orbits, and while a body is dragged with all that hangs on it.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from bench.geometry_parts.vehicle import write_vehicle
from bench.harness import OURS, PROMISED, Report, installed, interleave
from bench.viewers_parts.six_panels import told_by

PYQTGRAPH, PYVISTA, PYTRANSFORM3D = "pyqtgraph.opengl", "pyvista", "pytransform3d"
OPEN_S, RATE_HZ = 1.0, 20.0
LONGEST_S = 300
HOW = {
    PYQTGRAPH: "python -m pip install pyqtgraph PyOpenGL",
    PYVISTA: "python -m pip install pyvista pyvistaqt",
    PYTRANSFORM3D: "python -m pip install 'pytransform3d[all]' open3d",
}


def run(rounds: int = 5) -> Report:
    report = Report("geometry", rounds)
    if shutil.which("Xvfb") is None:
        raise SystemExit("bench geometry needs Xvfb: make setup installs it")
    told: dict[str, list[dict[str, float]]] = {OURS: [], PYQTGRAPH: []}
    with tempfile.TemporaryDirectory() as folder:
        path = write_vehicle(Path(folder) / "models")

        def measured(name: str, module: str) -> float:
            told[name].append(told_by(f"bench.geometry_parts.{module}", [str(path)], LONGEST_S))
            return told[name][-1]["open_s"]

        here = installed("OpenGL") and installed("pyqtgraph")
        contenders = {
            OURS: lambda: measured(OURS, "ours"),
            PYQTGRAPH: (lambda: measured(PYQTGRAPH, "pyqtgraph_peer")) if here else None,
            PYVISTA: None,
            PYTRANSFORM3D: None,
        }
        medians = interleave(contenders, rounds)
    _add(report, "open 60 bodies and 400 frames", "s", medians, OPEN_S)
    for key, what in (("orbit_hz", "pictures while one orbits"), ("drag_hz", "pictures while a body is dragged")):
        rates = {name: _median([each[key] for each in found]) for name, found in told.items()}
        _add(report, what, "1/s", {**rates, PYVISTA: None, PYTRANSFORM3D: None}, RATE_HZ)
    for peer, how in HOW.items():
        if medians[peer] is None:
            report.missing(peer, how)
    return report


def _add(report: Report, what: str, unit: str, medians: dict[str, float | None], promised: float) -> None:
    better = "lower" if unit == "s" else "higher"
    whole = {**medians, PROMISED: promised}
    report.add(what, unit, whole, against=PROMISED, goal=1.0, better=better)  # type: ignore[arg-type]


def _median(values: list[float]) -> float | None:
    return sorted(values)[len(values) // 2] if values else None
