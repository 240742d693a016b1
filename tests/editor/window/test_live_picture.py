"""A picture of a system that runs in a window which nobody sees."""

from __future__ import annotations

from pathlib import Path

import pytest
from PyQt6.QtCore import QRect
from PyQt6.QtGui import QImage
from PyQt6.QtWidgets import QApplication

from studio.editor.window.live_picture import TITLE, NoPicture, take_picture, titled
from studio.editor.window.main_window import MainWindow
from studio.model.project import Project
from studio.runtime.client.running_systems import running_systems

SMALL = """<system name="small" version="1">
  <component name="signal" type="signal_source" mode="periodic" period_s="0.02"/>
  <component name="sink" type="signal_sink"/>
  <wire from="signal.value" to="sink.value"/>
</system>"""


def test_it_runs_is_seen_and_is_stopped(tmp_path: Path, qapp: QApplication) -> None:
    folder = tmp_path / "small"
    Project.create(folder, "small")
    (folder / "system.xml").write_text(SMALL)
    take_picture(folder, tmp_path / "run.png", runs_s=0.5)
    picture = QImage(str(tmp_path / "run.png"))
    assert (picture.width(), picture.height()) == (1920, 1080)
    assert not [system for system in running_systems() if Path(system.folder).resolve() == folder.resolve()]


def test_what_does_not_run_is_not_waited_for(tmp_path: Path, qapp: QApplication) -> None:
    folder = tmp_path / "sick"
    Project.create(folder, "sick")
    (folder / "system.xml").write_text(SMALL.replace("signal_sink", "no_such_type"))
    with pytest.raises(NoPicture, match="does not run"):
        take_picture(folder, tmp_path / "run.png")


def test_the_title_of_the_window_is_in_the_picture(one_window: MainWindow) -> None:
    """Without a display there is no window manager that would paint it, and it names the project."""
    one_window.setWindowTitle("")
    without = titled(one_window)
    one_window.setWindowTitle("system.xml — small — Robot Systems Studio")
    picture = titled(one_window)
    assert picture.height() > one_window.grab().height()
    above, below = QRect(0, 0, picture.width(), TITLE), QRect(0, TITLE, picture.width(), picture.height() - TITLE)
    assert picture.copy(above).toImage() != without.copy(above).toImage()
    assert picture.copy(below).toImage() == one_window.grab().toImage()
