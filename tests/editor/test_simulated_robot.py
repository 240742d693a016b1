"""A simulated robot in an empty project, as the window builds it: nothing wrong, and it drives."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from PyQt6.QtWidgets import QApplication

from studio.editor.main_window import MainWindow
from studio.editor.panels.system_page import SystemPage
from studio.messages import Odometry, decode
from studio.model.opened import open_project
from studio.model.parts import Wire
from studio.model.system_edits import Connect, SetGeometry
from studio.runtime.recording.log_reader import LogReader


def test_a_simulator_and_a_behaviour_are_dropped_wired_and_drive(window: MainWindow, tmp_path: Path) -> None:
    window.files.create(tmp_path / "my robot")
    session = window.session
    window.canvas.commands.add("pioneer_2dx_simulator")
    window.canvas.commands.add("laser_obstacle_avoid")
    for start, end in (
        ("pioneer_2dx_simulator.laser", "laser_obstacle_avoid.scan"),
        ("laser_obstacle_avoid.motion", "pioneer_2dx_simulator.twist"),
    ):
        assert session.do(Connect(Wire.between(start, end)))
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
    window.does.go_to_problem(problem)
    QApplication.processEvents()
    page = window.inspector.widget()
    assert isinstance(page, SystemPage) and page.geometry_form.box.currentText() == "pioneer_2dx"
    assert window.files.save()
    folder = session.folder
    assert open_project(folder).problems == []
    log = tmp_path / "drive.mcap"
    words = ["run", str(folder), "--gate", "lockstep", "--for", "2", "--record", str(log)]
    ran = subprocess.run(
        [sys.executable, "-m", "studio", *words], capture_output=True, text=True, timeout=100, check=False
    )
    assert ran.returncode == 0, ran.stderr
    with LogReader(log) as reader:
        odometry = list(reader.events(["/pioneer_2dx_simulator/odometry"]))
        first, last = (decode(Odometry, each.payload) for each in (odometry[0], odometry[-1]))
    assert last.position[0] - first.position[0] > 0.1, "it drives"
