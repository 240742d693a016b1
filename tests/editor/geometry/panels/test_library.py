"""The library panel: pictures, search, used by, drags, and imports as one step of undo."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PyQt6.QtGui import QImage

from studio.editor.geometry.panels.library import ITEM, LibraryPanel, mime_of
from studio.editor.geometry.thumbnail import thumbnail
from studio.model.geometry.library import load_model
from studio.model.geometry.sdf import to_sdf
from studio.model.geometry.urdf import to_urdf
from studio.model.geometry.workspace import Workspace


class View:
    def __init__(self) -> None:
        self.placed: list[Path] = []

    def place_body(self, file: Path) -> None:
        self.placed.append(file)


@pytest.fixture
def panel(context: Any) -> LibraryPanel:
    context.panels["geometry"] = View()
    shown: LibraryPanel = context.show(LibraryPanel)
    return shown


def choose(panel: LibraryPanel, name: str, kind: str = "body") -> None:
    row = next(row for row in panel.rows() if row.data(ITEM).file.stem == name and row.data(ITEM).kind == kind)
    panel.list.setCurrentItem(row)


def test_a_search_by_name_description_and_kind(panel: LibraryPanel) -> None:
    assert {"raptor", "flea", "sonar", "pioneer_2dx"} <= set(panel.names())
    panel.field.setText("hokuyo")
    assert panel.names() == ["hokuyo_urg"]
    panel.field.setText("assembly raptor")
    assert panel.names() == ["raptor"]


def test_it_says_which_assemblies_use_a_body_and_opens_them(context: Any, panel: LibraryPanel) -> None:
    choose(panel, "flea")
    assert ">camera_head</a>, " in panel.users.text() and ">raptor</a>" in panel.users.text()
    panel.users.linkActivated.emit(str(context.workspace.main))
    assert context.opened[0][0] == context.workspace.main
    choose(panel, "camera_head", "assembly")
    assert ">pioneer_2dx</a>" in panel.users.text()
    choose(panel, "raptor", "assembly")
    assert panel.users.text() == "Used by no assembly"


def test_pictures_are_painted_one_after_the_other(panel: LibraryPanel, qtbot: Any) -> None:
    qtbot.waitUntil(lambda: not panel._painter.isActive(), timeout=20000)
    assert len(panel._pictures) == len(panel.rows())


def test_a_picture_shows_the_shapes_with_their_colours(qapp: Any) -> None:
    image = thumbnail(load_model("raptor"), 192, 128)
    seen = [image.pixelColor(x, y) for x in range(0, 192, 4) for y in range(0, 128, 4)]
    assert sum(colour.alpha() > 200 for colour in seen) > len(seen) / 5, "it fills the picture"
    assert any(colour.green() > colour.red() + 10 and colour.alpha() > 200 for colour in seen), "the green chassis"
    assert isinstance(image, QImage) and image.pixelColor(0, 0).alpha() == 0


def test_activating_places_it_in_the_view_and_a_drag_carries_its_file(context: Any, panel: LibraryPanel) -> None:
    choose(panel, "hokuyo_urg")
    panel.list.itemActivated.emit(panel.list.currentItem())
    (placed,) = context.panels["geometry"].placed
    assert placed.name == "hokuyo_urg.xml"
    item = panel.chosen()
    assert item is not None and mime_of(item).urls()[0].toLocalFile() == str(placed)


def test_a_broken_file_says_why(context: Any, panel: LibraryPanel, models: Path) -> None:
    (models / "bodies" / "broken.xml").write_text("<body name='x' version='1'><frame/></body>")
    (models / "assemblies" / "lost.xml").write_text(
        '<assembly name="Lost" version="1"><body name="A" file="gone.xml"/><body name="B" file="imu.xml"/></assembly>'
    )
    panel.fill()
    choose(panel, "broken")
    assert "broken.xml" in panel.about.text()
    panel.place()
    assert "broken.xml" in context.said[-1] and not context.panels["geometry"].placed
    for _ in range(40):
        panel._paint_one()
    choose(panel, "lost", "assembly")
    assert "gone.xml" in panel.about.text()


@pytest.mark.parametrize("kind", ["urdf", "sdf"])
def test_an_import_is_one_step_of_undo(context: Any, panel: LibraryPanel, tmp_path: Path, kind: str) -> None:
    file = tmp_path / f"rover.{kind}"
    model = load_model("pioneer_2dx")
    file.write_text((to_urdf if kind == "urdf" else to_sdf)(model).text)
    before = context.workspace.texts()
    count = len(context.workspace.assembled.model.bodies)
    assert panel.take_file(file), context.said
    bodies = context.workspace.assembled.model.bodies
    assert len(bodies) > count and "Flea" in bodies
    assert not [each for each in context.workspace.problems() if each.severity == "error"]
    assert context.workspace.history.undo_label == "Import Pioneer2DX"
    made = [path for path in context.workspace.modified_files() if path not in before]
    assert made and not any(path.exists() for path in made), "saving writes them"
    context.workspace.undo()
    assert len(context.workspace.history.labels) == 0
    assert context.workspace.texts() == before and not context.workspace.is_modified
    assert context.workspace.save() == [] and not any(path.exists() for path in made)
    context.workspace.redo()
    assert panel.take_file(file), "once more, under other names"
    context.workspace.save()
    assert all(path.exists() for path in made) and not context.workspace.is_modified
    again = Workspace.load(context.workspace.main, context.workspace.roots)
    assert len(again.assembled.model.bodies) == 2 * len(bodies) - count
    context.workspace.undo()
    context.workspace.undo()
    context.workspace.save()
    assert context.workspace.text() == before[context.workspace.main] and made[0].read_bytes(), "what is saved stays"


def test_a_file_that_cannot_be_imported_changes_nothing(context: Any, panel: LibraryPanel, tmp_path: Path) -> None:
    files = sorted(path.name for path in (tmp_path / "bodies").iterdir())
    broken = tmp_path / "broken.urdf"
    for text in ("<robot", "<robot name='x'><link name='a'/><joint name='j' type='fixed'/></robot>", "<html/>"):
        broken.write_text(text)
        assert not panel.take_file(broken) and "broken.urdf" in context.said[-1]
    assert not panel.take_file(tmp_path / "missing.sdf")
    assert sorted(path.name for path in (tmp_path / "bodies").iterdir()) == files
    assert not context.workspace.modified_files()
