"""A picture of a system that runs in a window which nobody sees."""

from __future__ import annotations

from pathlib import Path

import pytest
from PyQt6.QtGui import QImage
from PyQt6.QtWidgets import QApplication

from studio.editor.live_picture import NoPicture, take_picture
from studio.model.project import Project
from studio.runtime.running_systems import running_systems

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
    assert QImage(str(tmp_path / "run.png")).width() == 1920
    assert not [system for system in running_systems() if Path(system.folder).resolve() == folder.resolve()]


def test_what_does_not_run_is_not_waited_for(tmp_path: Path, qapp: QApplication) -> None:
    folder = tmp_path / "sick"
    Project.create(folder, "sick")
    (folder / "system.xml").write_text(SMALL.replace("signal_sink", "no_such_type"))
    with pytest.raises(NoPicture, match="does not run"):
        take_picture(folder, tmp_path / "run.png")
