"""A vehicle of several files: one history, identical bytes after undo, the last valid state, saving elsewhere."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from studio.errors import StudioError
from studio.model.geometry.arrange import mount
from studio.model.geometry.assembly import Assembly, Constraint, FrameName, Member
from studio.model.geometry.edits import AddBody, MoveConstraint, MoveFrame, RemoveFrame
from studio.model.geometry.poses import Pose
from studio.model.geometry.workspace import Changed, Workspace
from studio.paths import model_roots

LOW = Pose((0.0, 0.0, 0.05))
MOUNTED = AddBody(
    Member("Hokuyo", "hokuyo_urg.xml"),
    Constraint("hokuyo_mount", FrameName("Raptor", "TopFrontRail"), FrameName("Hokuyo", "BottomCenter")),
)


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """A copy of the models that ship, to be edited."""
    for kind in ("assemblies", "bodies"):
        shutil.copytree(model_roots()[0] / kind, tmp_path / kind)
    return tmp_path


@pytest.fixture
def raptor(models: Path) -> Workspace:
    return Workspace.load(models / "assemblies" / "raptor.xml", [models])


def test_undo_goes_back_through_the_files_in_the_order_of_the_edits(raptor: Workspace) -> None:
    before = raptor.texts()
    raptor.do(MoveConstraint("camera_mount", LOW))
    raptor.do(MoveFrame("ScanOrigin", LOW), body="LeftLaser")
    raptor.do(MOUNTED)
    assert raptor.history.labels == ["Move camera_mount", "Move frame ScanOrigin", "Add Hokuyo"]
    after = raptor.texts()
    assert [path.name for path in raptor.modified_files()] == ["raptor.xml", "sick_raptor.xml"]
    for _ in range(3):
        assert raptor.undo()
    assert not raptor.is_modified
    assert {path: raptor.texts()[path] for path in before} == before
    for _ in range(3):
        assert raptor.redo()
    assert raptor.texts() == after


def test_a_drag_is_one_step(raptor: Workspace) -> None:
    for step in range(5):
        raptor.do(MoveConstraint("camera_mount", Pose((0.0, 0.0, 0.1 * step))))
    assert raptor.history.labels == ["Move camera_mount"]


def test_one_body_file_changes_all_of_its_bodies_and_no_other(raptor: Workspace) -> None:
    before = dict(raptor.assembled.model.bodies)
    heard: list[Changed] = []
    raptor.listen(heard.append)
    raptor.do(MoveFrame("ScanOrigin", LOW), body="LeftLaser")
    now = raptor.assembled.model.bodies
    file = raptor.file_of("RightLaser")
    assert raptor.bodies_of(file) == ["RightLaser", "LeftLaser"]
    assert [name for name in now if now[name] is not before[name]] == ["RightLaser", "LeftLaser"]
    assert [change.files for change in heard] == [frozenset({file})]


def test_a_renamed_frame_is_renamed_where_it_is_bound(raptor: Workspace) -> None:
    raptor.rename_frame("LeftLaser", "BottomCenter", "Foot")
    assert str(raptor.assembled.model.constraints[0].end) == "RightLaser:Foot"
    raptor.undo()
    assert not raptor.is_modified


@pytest.mark.parametrize("body, edit", [("", AddBody(Member("X", "no_such.xml"))), ("Raptor", RemoveFrame("Cabin"))])
def test_what_makes_no_vehicle_is_refused(raptor: Workspace, body: str, edit: AddBody | RemoveFrame) -> None:
    before = raptor.assembled
    with pytest.raises(StudioError):
        raptor.do(edit, body=body)
    assert raptor.assembled is before
    assert not raptor.is_modified and raptor.trouble is None and raptor.history.redo_label is None


def test_a_text_that_cannot_be_read_changes_nothing(raptor: Workspace) -> None:
    before = raptor.text()
    problems = raptor.write_text(before.replace(b"</assembly>", b"<body/></assembly>"))
    assert problems and problems[0].line
    assert raptor.text() == before and not raptor.is_modified


def test_a_typed_text_is_kept_as_typed_and_edits_go_on_from_it(raptor: Workspace) -> None:
    typed = (
        raptor.text()
        .replace(b"<!-- 20 mm", b"<!-- mine -->\n  <!-- 20 mm")
        .replace(b'xyz="0 0 0.02"', b'xyz="0 0 0.030"')
    )
    assert raptor.write_text(typed) == []
    assert raptor.text() == typed
    raptor.do(MOUNTED)
    assert b"<!-- mine -->" in raptor.text() and b'xyz="0 0 0.030"' in raptor.text() and b"Hokuyo" in raptor.text()
    raptor.undo()
    assert raptor.text() == typed
    raptor.undo()
    assert not raptor.is_modified


def test_a_text_that_names_a_missing_body_keeps_the_last_valid_vehicle(raptor: Workspace) -> None:
    assert raptor.write_text(raptor.text().replace(b"flea.xml", b"gone.xml")) == []
    assert raptor.trouble is not None and "gone.xml" in raptor.trouble.message
    assert "Flea" in raptor.assembled.model.bodies
    raptor.undo()
    assert raptor.trouble is None and not raptor.is_modified


def test_saving_adds_lines_and_touches_no_other(raptor: Workspace) -> None:
    before = raptor.main.read_bytes().splitlines()
    raptor.do(MOUNTED)
    assert [path.name for path in raptor.save()] == ["raptor.xml"]
    after = raptor.main.read_bytes().splitlines()
    assert [line for line in after if line in before] == before and len(after) == len(before) + 2
    assert not raptor.is_modified


def test_a_file_that_was_changed_on_disk_is_not_overwritten(raptor: Workspace) -> None:
    raptor.do(MoveFrame("ScanOrigin", LOW), body="LeftLaser")
    file = raptor.file_of("LeftLaser")
    file.write_bytes(file.read_bytes() + b"<!-- others -->\n")
    assert raptor.changed_on_disk() == [file]
    with pytest.raises(StudioError, match="changed on disk"):
        raptor.save()
    raptor.save(overwrite=True)
    assert not raptor.changed_on_disk()


def test_saved_elsewhere_it_takes_along_what_has_changed(raptor: Workspace, models: Path, tmp_path: Path) -> None:
    original = {path: path.read_bytes() for path in raptor.files()}
    raptor.do(MoveFrame("ScanOrigin", LOW), body="LeftLaser")
    mine = tmp_path / "mine" / "assemblies" / "car.xml"
    assert raptor.save_as(mine) == [mine, mine.parent.parent / "bodies" / "sick_raptor.xml"]
    assert {path: path.read_bytes() for path in original} == original
    raptor.undo()
    raptor.save()
    assert raptor.file_of("LeftLaser").read_bytes() == original[models / "bodies" / "sick_raptor.xml"]
    assert Workspace.load(mine, [models]).file_of("LeftLaser") == raptor.file_of("LeftLaser")


def test_a_body_by_itself(models: Path) -> None:
    workspace = Workspace.load(models / "bodies" / "sick_lms200.xml", [models])
    assert workspace.is_body and workspace.name == "SickLms200"
    workspace.do(MoveFrame("ScanOrigin", LOW))
    assert workspace.assembled.transforms.get_transformation("SickLms200:ScanOrigin", "SickLms200")[2, 3] == 0.05
    workspace.undo()
    assert workspace.text() == workspace.main.read_bytes()


def test_a_new_assembly_is_in_its_file_once_it_is_saved(models: Path) -> None:
    path = models / "assemblies" / "car.xml"
    workspace = Workspace.new(path, b'<assembly name="Car" version="1">\n</assembly>\n', [models])
    assert workspace.is_modified and not path.exists()
    workspace.do(AddBody(Member("Base", "pioneer_3at.xml")))
    workspace.save()
    assert b"pioneer_3at.xml" in path.read_bytes() and not workspace.is_modified


@pytest.mark.must_not_flake
def test_every_file_that_ships_is_saved_byte_for_byte(models: Path) -> None:
    for path in sorted(models.glob("*/*.xml")):
        workspace = Workspace.load(path, [models])
        assert workspace.text() == path.read_bytes(), path


def test_a_body_that_stands_free_comes_to_the_frame_on_which_it_is_mounted(raptor: Workspace) -> None:
    raptor.do(AddBody(Member("Hokuyo", "hokuyo_urg.xml", Pose((5.0, 0.0, 0.0)))))
    model, assembly = raptor.assembled.model, raptor.value()
    assert isinstance(assembly, Assembly)
    foot, rail = FrameName("Hokuyo", "BottomCenter"), FrameName("Raptor", "TopFrontRail")
    raptor.do_all("Mount", mount(model, assembly, foot, rail).edits)
    assert "Hokuyo" not in raptor.assembled.model.placed
    raptor.undo()
    assert raptor.assembled.model.placed["Hokuyo"] == Pose((5.0, 0.0, 0.0))
