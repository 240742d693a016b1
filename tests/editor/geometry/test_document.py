"""A vehicle as a document of the real window: opened, edited, saved, restored, and changed by other programs."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from PyQt6 import sip
from PyQt6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from studio.editor.base.settings import Settings
from studio.editor.docking.layouts import BUILD, GEOMETRY
from studio.editor.geometry.document import GeometryDocument
from studio.editor.geometry.importing import import_into
from studio.editor.geometry.selection import FrameThing
from studio.editor.window import layout_menu
from studio.editor.window.app import make_window
from studio.editor.window.main_window import MainWindow
from studio.model.geometry.edits import MoveConstraint, MoveFrame
from studio.model.geometry.poses import Pose
from studio.model.parts import Component, GeometryUse
from studio.model.system_edits import AddNode, SetGeometry
from studio.paths import model_roots

LOW = MoveConstraint("camera_mount", Pose((0.0, 0.0, 0.05)))


@pytest.fixture
def models(tmp_path: Path) -> Path:
    for kind in ("assemblies", "bodies"):
        shutil.copytree(model_roots()[0] / kind, tmp_path / kind)
    return tmp_path


@pytest.fixture
def raptor(models: Path) -> Path:
    return models / "assemblies" / "raptor.xml"


@pytest.fixture
def alone(window: MainWindow) -> Iterator[MainWindow]:
    """Without a project; afterwards no vehicle is open."""
    window.show_session(None)
    yield window
    window.vehicles.close_all()


@pytest.fixture
def beside(window: MainWindow) -> Iterator[MainWindow]:
    """With a project."""
    yield window
    window.vehicles.close_all()


def opened(window: MainWindow, path: Path) -> GeometryDocument:
    window.files.open_any(path)
    document = window.vehicles.active
    assert document is not None and document.workspace.main == path.resolve()
    return document


def test_it_opens_without_a_project_and_its_layout_comes(alone: MainWindow, raptor: Path) -> None:
    document = opened(alone, raptor)
    assert alone.layouts.current == GEOMETRY and alone.pages.currentWidget() is alone.workspace
    assert alone.windowTitle() == "raptor.xml — Robot Systems Studio"
    assert alone.docks.is_closed("system") and alone.docks.is_closed("inspector")
    document.do(LOW)
    assert alone.windowTitle().startswith("raptor.xml* ")
    assert alone.docks.title(alone.vehicles.name_of(raptor)) == "raptor.xml •"
    assert alone.settings.recents.all()[0].path == str(raptor)


def test_a_window_ends_with_a_vehicle_open(raptor: Path, tmp_path: Path, qapp: QApplication) -> None:
    """Its panels go out of sight while it is destroyed, and an error then fails this test."""
    window = make_window(qapp, Settings(tmp_path / "editor.ini"))
    window.show()
    window.files.open_any(raptor)
    sip.delete(window)
    assert sip.isdeleted(window)


def test_undo_redo_and_save(alone: MainWindow, raptor: Path) -> None:
    before = raptor.read_bytes()
    document = opened(alone, raptor)
    document.do(LOW)
    assert alone.menus.actions["edit.undo"].text() == "Undo Move camera_mount"
    alone.trigger("edit.undo")
    assert not document.workspace.is_modified
    alone.trigger("edit.redo")
    alone.trigger("file.save")
    assert raptor.read_bytes() != before and not document.workspace.is_modified
    alone.trigger("edit.undo")
    alone.trigger("file.save")
    assert raptor.read_bytes() == before


def test_closing_the_last_one_leads_back_to_the_first_page(alone: MainWindow, raptor: Path) -> None:
    opened(alone, raptor)
    alone.trigger("file.close")
    assert not alone.vehicles.documents and alone.pages.currentWidget() is alone.welcome


def test_closing_asks_about_changes(alone: MainWindow, raptor: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = opened(alone, raptor)
    document.do(LOW)
    answers = ["stay", "save"]
    monkeypatch.setattr("studio.editor.geometry.keeping.ask_about_changes", lambda *_, **__: answers.pop(0))
    alone.trigger("file.close")
    assert alone.vehicles.documents
    alone.trigger("file.close")
    assert not alone.vehicles.documents and b"0.05" in raptor.read_bytes()


def test_one_with_errors_opens_as_text_at_its_line(alone: MainWindow, raptor: Path) -> None:
    raptor.write_bytes(raptor.read_bytes().replace(b'to="Imu:BottomCenter"/>', b'to="Imu:BottomCenter>'))
    alone.files.open_any(raptor)
    assert not alone.vehicles.documents
    page = alone.code.pages[str(raptor)]
    assert page.editor.line > 10 and "raptor.xml" in alone.status.words.plain
    alone.code.close_all()


def test_what_came_with_studio_is_saved_as_a_copy(
    alone: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = model_roots()[0] / "assemblies" / "raptor.xml"
    before, mine = shipped.read_bytes(), tmp_path / "assemblies" / "raptor.xml"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, **__: (str(mine), ""))
    document = opened(alone, shipped)
    assert alone.menus.actions["file.save"].text() == "Save a copy…"
    document.do(LOW)
    document.do(MoveFrame("ScanOrigin", Pose((0.0, 0.0, 0.2))), body="LeftLaser")
    alone.trigger("file.save")
    assert shipped.read_bytes() == before
    assert mine.is_file() and (tmp_path / "bodies" / "sick_raptor.xml").is_file()
    now = alone.vehicles.active
    assert now is not None and now.workspace.main == mine and not now.workspace.is_modified
    now.workspace.undo()
    assert now.workspace.is_modified


class TestOtherPrograms:
    def test_an_untouched_vehicle_is_read_again(self, alone: MainWindow, raptor: Path, qtbot: QtBot) -> None:
        opened(alone, raptor)
        raptor.write_bytes(raptor.read_bytes().replace(b'xyz="0 0 0.02"', b'xyz="0 0 0.5"'))
        qtbot.waitUntil(lambda: (active := alone.vehicles.active) is not None and b"0 0 0.5" in active.workspace.text())

    def test_an_edited_one_is_asked_about(self, alone: MainWindow, raptor: Path, qtbot: QtBot) -> None:
        document = opened(alone, raptor)
        document.do(LOW)
        body = document.workspace.file_of("Flea")
        body.write_bytes(body.read_bytes() + b"<!-- theirs -->\n")
        qtbot.waitUntil(alone.notice.isVisible)
        assert "flea.xml was changed by another program" in alone.notice.words.text()
        alone.vehicles.keeping.save(overwrite=True)  # type: ignore[union-attr]
        assert b"theirs" not in body.read_bytes() and not alone.notice.isVisible()

    def test_a_body_that_is_removed_can_be_kept(self, alone: MainWindow, raptor: Path, qtbot: QtBot) -> None:
        document = opened(alone, raptor)
        body = document.workspace.file_of("Flea")
        body.unlink()
        qtbot.waitUntil(alone.notice.isVisible)
        assert "flea.xml was removed" in alone.notice.words.text()
        alone.vehicles.keeping.save(overwrite=True)  # type: ignore[union-attr]
        assert body.is_file()


def test_what_a_killed_window_had_not_saved_is_offered_and_restored(alone: MainWindow, raptor: Path) -> None:
    document = opened(alone, raptor)
    document.do(LOW)
    document.do(MoveFrame("ScanOrigin", Pose((0.0, 0.0, 0.2))), body="LeftLaser")
    cart = raptor.with_name("cart.urdf")
    cart.write_text('<robot name="cart"><link name="platform"/></robot>')
    assert import_into(document, cart)
    kept, autosave = document.workspace.texts(), alone.vehicles.keeping.autosave  # type: ignore[union-attr]
    assert autosave.keep()
    autosave.follow(None)  # as if the process had ended: the lock is free, and what was kept stays
    alone.vehicles.close_all()
    again = opened(alone, raptor)
    assert alone.notice.isVisible() and "raptor.xml" in alone.notice.words.text()
    keeping = alone.vehicles.keeping
    assert keeping is not None
    keeping.left.restore(keeping.autosave.left[0])
    assert {path: again.workspace.texts()[path] for path in kept} == kept and again.workspace.is_modified
    assert "platform" in again.workspace.assembled.model.bodies, "also a body file that was never saved"


class TestWithAProject:
    def test_the_key_of_the_layout_opens_the_vehicle_of_the_system(self, beside: MainWindow, raptor: Path) -> None:
        beside.session.do(SetGeometry(GeometryUse(str(raptor))))
        layout_menu.choose(beside, 6)
        assert beside.layouts.current == GEOMETRY and beside.vehicles.active is not None
        assert "raptor.xml — " in beside.windowTitle()
        layout_menu.choose(beside, 1)
        assert beside.layouts.current == BUILD and beside.docks.is_in_front("system")
        assert not beside.docks.is_closed(beside.vehicles.name_of(raptor))

    def test_without_a_geometry_the_key_says_what_to_do(self, beside: MainWindow) -> None:
        beside.session.do(SetGeometry(None))
        layout_menu.choose(beside, 6)
        assert beside.layouts.current != GEOMETRY and "Open a vehicle first" in beside.status.words.text()

    def test_undo_means_the_document_in_front(self, beside: MainWindow, raptor: Path) -> None:
        beside.session.do(AddNode(Component("mine", "low_pass")))
        document = opened(beside, raptor)
        document.do(LOW)
        beside.trigger("edit.undo")
        assert not document.workspace.is_modified and "mine" in beside.session.system.nodes
        beside.docks.show("system")
        beside.canvas.setFocus()
        beside.trigger("edit.undo")
        assert "mine" not in beside.session.system.nodes

    def test_a_double_click_on_a_simulator_opens_its_vehicle(self, beside: MainWindow) -> None:
        beside.session.do(SetGeometry(None))
        beside.session.do(AddNode(Component("raptor_sim", "raptor_simulator")))
        beside.canvas.canvas.select(["raptor_sim"])
        beside.canvas.inspect.emit()
        active = beside.vehicles.active
        assert active is not None and active.workspace.main.name == "raptor.xml", beside.status.words.plain

    def test_go_to_finds_frames_of_the_vehicle(self, beside: MainWindow, raptor: Path) -> None:
        document = opened(beside, raptor)
        found = next(each for each in beside.vehicles.links.places() if each.text == "Raptor:TopCenterRail")
        found.do()
        assert document.selection.current == FrameThing("Raptor", "TopCenterRail")

    def test_a_frame_parameter_takes_a_frame_that_is_clicked(self, beside: MainWindow, raptor: Path) -> None:
        beside.session.do(SetGeometry(GeometryUse(str(raptor))))
        beside.session.do(AddNode(Component("driver", "sick_lms200")))
        beside.canvas.canvas.select(["driver"])
        beside.inspector.show_selection(["driver"], ())
        beside.inspector.refresh()
        beside.inspector.fields["frame"].pick_wanted.emit()
        document = beside.vehicles.active
        assert document is not None and document.selection.pick is not None
        document.selection.choose(FrameThing("LeftLaser", "ScanOrigin"))
        assert beside.session.system.component("driver").parameters["frame"] == "LeftLaser:ScanOrigin"
        assert document.selection.current is None

    def test_two_vehicles_have_a_tab_each_and_a_history_each(self, beside: MainWindow, models: Path) -> None:
        first = opened(beside, models / "assemblies" / "raptor.xml")
        first.do(LOW)
        second = opened(beside, models / "bodies" / "flea.xml")
        beside.trigger("edit.undo")
        assert first.workspace.is_modified and second.workspace.is_body
        beside.vehicles.bring_up(beside.vehicles.name_of(first.workspace.main))
        beside.trigger("edit.undo")
        assert not first.workspace.is_modified
