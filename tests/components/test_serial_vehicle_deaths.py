"""Whoever dies while a vehicle drives, it stands 250 ms later, by its own clock: controller, broker, driver, window."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from studio.runtime.emulators.pty_port import PtyPort
from studio.runtime.emulators.vehicle import Vehicle
from tests.cli.running import STUDIO
from tests.components.driven_vehicle import ROOT, Run, StopClock, driving
from tests.waiting import await_true

BY_HAND = """<system name="by_hand" version="1">
  <geometry assembly="raptor"/>
  <source name="vehicle" mode="real">
    <port name="command" direction="in" type="Velocity"/>
    <real>
      <component name="car" type="serial_vehicle"><parameter name="port" value="{port}"/></component>
      <bind port="command" to="car.command"/>
    </real>
  </source>
  <component name="teleop" type="teleop"/>
  <wire from="teleop.command" to="vehicle.command"/>
</system>
"""
WINDOW = """
import sys
from pathlib import Path

from PyQt6.QtCore import QTimer
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication
from PyQt6.QtCore import Qt

from studio.editor.live.feed import Feed
from studio.editor.panels.data.teleop_viewer import TeleopViewer
from studio.editor.look.theme import DARK

app = QApplication([])
feed = Feed()
viewer = TeleopViewer(feed, DARK)


def drive() -> None:
    feed.ask("take", force=True)
    viewer.attached()
    viewer.topics_changed()
    viewer.real.setChecked(True)
    QTest.keyPress(viewer.stick, Qt.Key.Key_Up)
    QTest.keyPress(viewer.stick, Qt.Key.Key_Space)


hand = QTimer(interval=500)  # until it moves: on a busy machine not all is there at first
hand.timeout.connect(drive)
feed.attached.connect(drive, Qt.ConnectionType.QueuedConnection)
feed.attached.connect(hand.start)
viewer.show()
feed.follow(Path(sys.argv[1]))
app.exec()
"""
"""The panel that drives, as the window has it, with a hand that holds Space and the arrow until it is killed."""
HANDS_OF_A_WINDOW = 5
"""Runtime, broker, teleop, broker again and driver."""


def killed_of(run: Run, host: str) -> Callable[[], None]:
    return lambda: os.kill(run.session.hosts[host].pid, signal.SIGKILL)


def told(what: str, took_ms: list[float]) -> None:
    print(f"\n{what}: {len(took_ms)} deaths, the vehicle stood after {min(took_ms):.0f} to {max(took_ms):.0f} ms")


@pytest.mark.parametrize("host", ["driver", "car"])
def test_a_killed_controller_or_driver_stops_the_vehicle(
    tmp_path: Path, scaled: Callable[[int], int], host: str
) -> None:
    with driving(tmp_path) as run, StopClock(run.port, run.vehicle) as clock:
        run.await_log("bench car answers")
        took_ms = []
        for number in range(max(2, scaled(100))):
            run.arm()
            clock.await_driving()
            hellos = len(run.noted("hello"))
            took_ms.append(clock.assert_stops(killed_of(run, host)))
            await_true(lambda: host in run.session.exits, "word of its death")
            run.session.restart_host(host)
            if host == "car":
                await_true(lambda before=hellos: len(run.noted("hello")) > before, "the driver to find its vehicle")
            assert run.session.restarts == {host: number + 1}
        told(host, took_ms)


def test_a_killed_broker_stops_the_vehicle(
    tmp_path: Path, scaled: Callable[[int], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is replaced in time would not: here nobody replaces it before the vehicle stands."""
    with driving(tmp_path) as run, StopClock(run.port, run.vehicle) as clock:
        replace_it, restart = threading.Event(), run.session.restart
        monkeypatch.setattr(run.session, "restart", lambda name: replace_it.wait(60) and restart(name))
        run.await_log("bench car answers")
        took_ms = []
        for number in range(max(2, scaled(100))):
            # The driver may hear of the new broker only after it was armed, and stops once more.
            await_true(lambda: run.arm() or not clock.stands(), "the vehicle to drive")
            clock.await_driving()
            replace_it.clear()
            took_ms.append(clock.assert_stops(lambda: os.kill(run.session.broker.pid, signal.SIGKILL)))
            replace_it.set()
            await_true(lambda before=number: run.session.broker_restarts > before, "another broker")
        told("broker", took_ms)


@pytest.mark.timeout(180)
def test_a_killed_window_stops_the_vehicle_that_it_drives(
    tmp_path: Path, scaled: Callable[[int], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    runs, project, vehicle = tmp_path / "r", tmp_path / "by_hand", Vehicle()
    runs.mkdir()
    project.mkdir()
    monkeypatch.setenv("STUDIO_RUNS", str(runs))
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    (project / "system.xml").write_text(BY_HAND.format(port=tmp_path / "car"))
    took_ms = []
    with PtyPort(vehicle, tmp_path / "car") as port, StopClock(port, vehicle) as clock, ExitStack() as stack:
        subprocess.run([*STUDIO, "run", str(project), "--detach"], check=True, capture_output=True, timeout=60)
        stack.callback(subprocess.run, [*STUDIO, "stop"], check=True, capture_output=True, timeout=60)
        arm = [*STUDIO, "ctl", "arm", "car"]
        await_true(lambda: subprocess.run(arm, capture_output=True, check=False).returncode == 0, "it to be armed")
        for _ in range(max(1, scaled(100))):
            subprocess.run(arm, check=True, capture_output=True, timeout=60)
            window = subprocess.Popen([sys.executable, "-c", WINDOW, str(project)], cwd=ROOT)
            stack.callback(window.wait)
            stack.callback(window.kill)
            clock.await_driving()
            took_ms.append(clock.assert_stops(window.kill, HANDS_OF_A_WINDOW))
    told("window", took_ms)
