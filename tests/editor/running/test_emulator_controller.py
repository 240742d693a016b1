"""Emulated devices are started from the window, and end with it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from PyQt6 import sip
from PyQt6.QtCore import QProcess
from pytestqt.qtbot import QtBot

from studio.editor.base import own_process
from studio.editor.running import emulator_controller as emulator_controller
from studio.editor.running.emulator_controller import EmulatorController, emulated_ports
from studio.model.document import SystemDocument
from studio.runtime.emulators import FOLDER

PATIENCE_MS = 30_000


@pytest.fixture
def controller(qtbot: QtBot, tmp_path: Path) -> Iterator[EmulatorController]:
    made = EmulatorController(lambda _: None, lambda words: pytest.fail(words), folder=tmp_path / "devices")
    yield made
    made._finish()


def test_a_project_without_its_devices_gets_emulators(
    controller: EmulatorController, checkout: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    folder = tmp_path / "devices"
    text = (checkout / "projects" / "real_bench" / "system.xml").read_bytes()
    text = text.replace(str(FOLDER).encode(), str(folder).encode())
    system = SystemDocument.load(checkout / "projects" / "real_bench", text).system
    ports = emulated_ports(system, folder)
    assert [port.name for port in ports] == ["lms200", "urg", "gps", "vehicle"]
    assert controller.is_missed_by(system)
    controller.start()
    qtbot.waitUntil(lambda: all(port.exists() for port in ports), timeout=PATIENCE_MS)
    assert controller.is_running and not controller.is_missed_by(system)
    controller.stop()
    assert not controller.is_running
    qtbot.waitUntil(lambda: not any(port.exists() for port in ports), timeout=PATIENCE_MS)


def test_emulators_that_take_their_time_to_end_do_not_hold_the_window(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are ended by force in the end, and begin anew only when they are gone."""
    monkeypatch.setattr(emulator_controller, "ENDS_WITHIN_MS", 300)
    deaf = ["/bin/sh", "-c", "trap '' TERM; echo ready; while :; do sleep 0.05; done"]
    monkeypatch.setattr(own_process, "module_command", lambda *_: deaf)
    said: list[str] = []
    controller = EmulatorController(said.append, lambda words: pytest.fail(words))
    controller.start()
    first = controller._process
    assert first is not None
    qtbot.waitUntil(lambda: bool(said), timeout=PATIENCE_MS)
    controller.stop()
    assert not controller.is_running and first.state() is QProcess.ProcessState.Running
    controller.start()
    assert controller._process is first, "its ports are not free yet"
    qtbot.waitUntil(lambda: controller.is_running and controller._process is not first, timeout=PATIENCE_MS)
    assert "The emulators have stopped" in said
    controller._finish()
    assert not controller.is_running


def test_emulators_that_run_when_the_window_is_destroyed_end_with_it(qtbot: QtBot, tmp_path: Path) -> None:
    said: list[str] = []
    controller = EmulatorController(said.append, lambda words: pytest.fail(words), folder=tmp_path / "devices")
    controller.start()
    qtbot.waitUntil(lambda: bool(said), timeout=PATIENCE_MS)
    assert controller._process is not None
    pid = controller._process.processId()
    sip.delete(controller)  # an exception in here fails the test
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_project_with_other_devices_is_left_alone(controller: EmulatorController, checkout: Path) -> None:
    system = SystemDocument.load(checkout / "projects" / "raptor_blocks_world").system
    assert emulated_ports(system) == [] and not controller.is_missed_by(system)


def test_emulators_that_cannot_start_say_why(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    controller = EmulatorController(lambda _: None, said.append)
    monkeypatch.setattr(own_process, "module_command", lambda *_: ["/bin/false"])
    controller.start()
    qtbot.waitUntil(lambda: bool(said), timeout=PATIENCE_MS)
    assert said[0].startswith("The emulators have ended") and not controller.is_running
