"""A simulated robot in an empty project, as the window builds it: nothing wrong, and it drives."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from PyQt6.QtWidgets import QApplication

from studio.editor.panels.inspector.system_page import SystemPage
from studio.editor.window.main_window import MainWindow
from studio.messages import Odometry, decode
from studio.model.loaded_project import open_project
from studio.model.parts import Wire
from studio.model.system_edits import Connect, SetGeometry
from studio.runtime.recording.reading.log_reader import LogReader


def build(window: MainWindow, folder: Path) -> None:
    """What a hand does: two cards dropped, two wires."""
    window.files.create(folder)
    window.canvas.commands.add("pioneer_2dx_simulator")
    window.canvas.commands.add("laser_obstacle_avoid")
    for start, end in (
        ("pioneer_2dx_simulator.laser", "laser_obstacle_avoid.scan"),
        ("laser_obstacle_avoid.motion", "pioneer_2dx_simulator.twist"),
    ):
        assert window.session.do(Connect(Wire.between(start, end)))


def test_what_is_dropped_and_wired_has_no_problem_and_a_missing_geometry_is_mended_by_a_click(
    window: MainWindow, tmp_path: Path
) -> None:
    build(window, tmp_path / "my robot")
    session = window.session
    session.check()
    assert session.problems == []
    assert session.do(SetGeometry(None))
    session._check_system()  # what the timer does after an edit: nothing has to be saved first
    (problem,) = session.problems
    assert "laser_obstacle_avoid needs one" in problem.message
    window.problems.show_problems(session.problems, session.folder)
    fix = window.problems.fix_at(0)
    assert fix is not None and fix.text == "Use pioneer_2dx"
    window.problems.fix_wanted.emit(fix)
    session._check_system()
    assert session.problems == []
    window.window_commands.go_to_problem(problem)
    QApplication.processEvents()
    page = window.inspector.widget()
    assert isinstance(page, SystemPage) and page.geometry_form.box.currentText() == "pioneer_2dx"
    assert window.files.save()
    assert open_project(session.folder).problems == []


@pytest.mark.soak
@pytest.mark.timeout(300)
def test_it_drives(window: MainWindow, tmp_path: Path) -> None:
    """`make test` drives the shipped project of the same parts."""
    build(window, tmp_path / "robot")
    assert window.files.save()
    log = tmp_path / "drive.mcap"
    words = ["run", str(window.session.folder), "--gate", "lockstep", "--for", "2", "--record", str(log)]
    ran = subprocess.run(
        [sys.executable, "-m", "studio", *words], capture_output=True, text=True, timeout=250, check=False
    )
    assert ran.returncode == 0, ran.stderr
    with LogReader(log) as reader:
        odometry = list(reader.events(["/pioneer_2dx_simulator/odometry"]))
        first, last = (decode(Odometry, each.payload) for each in (odometry[0], odometry[-1]))
    assert last.position[0] - first.position[0] > 0.1
