"""Open: projects, logs, vehicles and worlds by one dialog, or dropped onto the window."""

from __future__ import annotations

from pathlib import Path

import pytest
from PyQt6.QtWidgets import QApplication, QDialog

from studio.editor.look.open_dialog import OpenDialog, sort_of
from studio.editor.window.main_window import MainWindow


def test_what_opening_means_is_seen_from_files_and_folders(rover: Path, tmp_path: Path, checkout: Path) -> None:
    (tmp_path / "bag").mkdir()
    (tmp_path / "bag/metadata.yaml").touch()
    assert [sort_of(path) for path in (rover, rover / "system.xml")] == ["project", "project"]
    logs = (tmp_path / "a.mcap", tmp_path / "intel.log.gz", tmp_path / "bag", tmp_path / "bag/metadata.yaml")
    assert [sort_of(path) for path in logs] == ["log"] * 4
    models = (checkout / "models/assemblies/raptor.xml", checkout / "models/worlds/blocks.sdf")
    assert [sort_of(path) for path in models] == ["vehicle", "vehicle"]
    (tmp_path / "chair.sdf").write_text('<sdf version="1.7"><model name="chair"/></sdf>')
    assert sort_of(tmp_path / "chair.sdf") == "text"  # a model of another program, and no world
    assert sort_of(tmp_path) is None and sort_of(tmp_path / "picture.png") is None


def test_a_folder_that_cannot_be_read_is_nothing_to_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dragged over the window, it had a fault reported."""

    def refuse(_: object) -> list[str]:
        raise PermissionError

    monkeypatch.setattr("os.listdir", refuse)
    assert sort_of(tmp_path) is None


def test_the_dialog_takes_a_folder_that_is_a_project_and_looks_into_others(
    qapp: QApplication, rover: Path, window: MainWindow
) -> None:
    dialog = OpenDialog(window, rover.parent)
    dialog.selectFile(rover.name)
    dialog.accept()
    assert dialog.result() == QDialog.DialogCode.Accepted and Path(dialog.selectedFiles()[0]) == rover
    dialog.deleteLater()


def test_vehicles_and_worlds_are_read_with_a_project_and_without(
    window: MainWindow, rover: Path, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vehicle, world = checkout / "models/assemblies/raptor.xml", checkout / "models/worlds/blocks.sdf"
    window.files.open(rover)
    window.files.open_any(vehicle)
    assert window.vehicles.active is not None and window.vehicles.active.workspace.main == vehicle
    window.show_session(None)
    window.vehicles.close_all()
    window.files.open_any(world)
    assert window.vehicles.active is not None and window.vehicles.active.workspace.is_world
    window.vehicles.close_all()
    model = rover / "chair.sdf"
    model.write_text('<sdf version="1.7"><model name="chair"/></sdf>')
    window.files.open_any(model)
    view = window.window_commands.help.view
    assert view is not None and view.isVisible() and "<sdf" in view.browser.toPlainText()
    window.window_commands.help.close()
    window.files.open_any(rover)
    assert window.has_session or window.files._wish is not None
    window.files.finish_opening()
    logs: list[Path] = []
    monkeypatch.setattr(window.logs, "open", logs.append)
    (rover / "drive.mcap").touch()
    window.files.open_any(rover / "drive.mcap")
    assert logs == [rover / "drive.mcap"]
    (rover / "picture.bmp").touch()
    window.files.open_any(rover / "picture.bmp")
    assert "picture.bmp is not a project" in window.status.words.text()
