"""The first page: what runs can be attached to, and the guide begins with the four things that people come for."""

from __future__ import annotations

from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QPushButton, QWidget

from studio.editor.settings import Settings
from studio.editor.theme import LIGHT
from studio.editor.welcome import GUIDE, Welcome
from studio.editor.welcome_learn import WORKFLOWS, Learn
from studio.runtime import running_systems
from studio.runtime.running_systems import RunningSystem


def test_a_system_that_runs_without_a_window_is_offered(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "rover"
    (folder / "system.xml").parent.mkdir()
    (folder / "system.xml").write_text("<system/>")
    runs = RunningSystem("run", "rover", str(folder), "simulated", "run", 1, 0.0)
    monkeypatch.setattr(running_systems, "running_systems", lambda: [runs, runs])
    page = Welcome(Settings(tmp_path / "editor.ini"), LIGHT)
    page.refresh()
    page.draw_pictures()
    wanted: list[Path] = []
    page.project_wanted.connect(wanted.append)
    rows = [each for each in page.findChildren(QWidget) if each.accessibleName() == "Attach to rover"]
    assert len(rows) == 1
    QTest.mouseClick(rows[0], Qt.MouseButton.LeftButton)
    assert wanted == [folder]


def test_the_guide_begins_with_four_tiles_and_has_every_page(qapp: QApplication) -> None:
    learn = Learn(GUIDE, LIGHT)
    wanted: list[Path] = []
    learn.page_wanted.connect(wanted.append)
    tiles = [each for each in learn.findChildren(QPushButton) if each.menu() is None]
    for tile in tiles:
        tile.click()
    assert wanted == [GUIDE / name for name, _, _ in WORKFLOWS] and all(page.is_file() for page in wanted)
    assert len(learn.pages.actions()) == len(list(GUIDE.glob("*.md")))
