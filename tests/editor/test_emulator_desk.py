"""Emulated devices are started from the window, and end with it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from studio.editor import emulator_desk
from studio.editor.emulator_desk import EmulatorDesk, emulated_ports
from studio.model.document import SystemDocument
from studio.runtime.emulators import FOLDER

PATIENCE_MS = 30_000


@pytest.fixture
def desk(qtbot: QtBot, tmp_path: Path) -> Iterator[EmulatorDesk]:
    made = EmulatorDesk(lambda _: None, lambda words: pytest.fail(words), folder=tmp_path / "devices")
    yield made
    made.stop()


def test_a_project_without_its_devices_gets_emulators(
    desk: EmulatorDesk, checkout: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    folder = tmp_path / "devices"
    text = (checkout / "projects" / "real_bench" / "system.xml").read_bytes()
    text = text.replace(str(FOLDER).encode(), str(folder).encode())
    system = SystemDocument.load(checkout / "projects" / "real_bench", text).system
    ports = emulated_ports(system, folder)
    assert [port.name for port in ports] == ["lms200", "urg", "gps", "vehicle"]
    assert desk.is_missed_by(system)
    desk.start()
    qtbot.waitUntil(lambda: all(port.exists() for port in ports), timeout=PATIENCE_MS)
    assert desk.is_running and not desk.is_missed_by(system)
    desk.stop()
    assert not desk.is_running and not any(port.exists() for port in ports)


def test_a_project_with_other_devices_is_left_alone(desk: EmulatorDesk, checkout: Path) -> None:
    system = SystemDocument.load(checkout / "projects" / "raptor_blocks_world").system
    assert emulated_ports(system) == [] and not desk.is_missed_by(system)


def test_emulators_that_cannot_start_say_why(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    desk = EmulatorDesk(lambda _: None, said.append)
    monkeypatch.setattr(emulator_desk, "module_command", lambda *_: ["/bin/false"])
    desk.start()
    qtbot.waitUntil(lambda: bool(said), timeout=PATIENCE_MS)
    assert said[0].startswith("The emulators have ended") and not desk.is_running
