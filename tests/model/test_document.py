"""An open document: saved, undone, saved again, and what others did to its files meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.model.document import SystemDocument
from studio.model.files import FileError
from studio.model.layout_edits import MoveNodes
from studio.model.parts import Component, View
from studio.model.system_edits import AddNode, Become, DescribeSystem, RemoveNodes, RenameNode
from tests.model.examples import LAYOUT, SYSTEM


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "system.xml").write_bytes(SYSTEM)
    (tmp_path / "layout.xml").write_bytes(LAYOUT)
    return tmp_path


def contents(folder: Path) -> tuple[bytes, bytes]:
    return (folder / "system.xml").read_bytes(), (folder / "layout.xml").read_bytes()


def test_saving_what_nobody_touched_writes_nothing(folder: Path) -> None:
    inodes = [(folder / name).stat().st_ino for name in ("system.xml", "layout.xml")]
    document = SystemDocument.load(folder)
    assert not document.is_modified
    document.save()
    assert contents(folder) == (SYSTEM, LAYOUT)
    assert [(folder / name).stat().st_ino for name in ("system.xml", "layout.xml")] == inodes


def test_undo_back_to_the_saved_state_is_not_modified_and_byte_identical(folder: Path) -> None:
    document = SystemDocument.load(folder)
    document.do(RenameNode("filter", "low"))
    document.save()
    saved = contents(folder)
    document.do(RemoveNodes(("low",)))
    document.save()
    document.undo()
    assert document.is_modified
    document.save()
    assert contents(folder) == saved
    document.undo()
    document.save()
    assert contents(folder) == (SYSTEM, LAYOUT)
    assert not document.is_modified


def test_comments_come_back_with_what_was_removed_even_after_a_save(folder: Path) -> None:
    document = SystemDocument.load(folder)
    document.do(RemoveNodes(("filter",)))
    document.save()
    assert b"gravel road" not in contents(folder)[0]
    document.undo()
    document.save()
    assert contents(folder) == (SYSTEM, LAYOUT)


def test_moving_a_box_touches_the_layout_only(folder: Path) -> None:
    document = SystemDocument.load(folder)
    document.do(MoveNodes({"filter": (1, 2)}))
    document.save()
    assert contents(folder) == (SYSTEM, LAYOUT.replace(b'x="10.50" y="-3"', b'x="1" y="2"'))


def test_looking_elsewhere_is_saved_but_no_reason_to_save(folder: Path) -> None:
    document = SystemDocument.load(folder)
    document.look_at(View(5, 6, 2))
    assert not document.is_modified
    assert not document.undo()
    document.save()
    assert b'<view x="5" y="6" zoom="2"/>' in contents(folder)[1]


def test_a_layout_is_only_made_when_it_says_something(tmp_path: Path) -> None:
    (tmp_path / "system.xml").write_bytes(SYSTEM)
    document = SystemDocument.load(tmp_path)
    document.do(RenameNode("filter", "low"))
    document.save()
    assert not (tmp_path / "layout.xml").exists()
    document.do(MoveNodes({"low": (1, 2)}))
    document.save()
    assert b'<place of="low" x="1" y="2"/>' in (tmp_path / "layout.xml").read_bytes()


def test_what_others_wrote_is_not_overwritten_unasked(folder: Path) -> None:
    document = SystemDocument.load(folder)
    document.do(RenameNode("filter", "low"))
    (folder / "system.xml").write_bytes(SYSTEM.replace(b"gravel", b"paved"))
    assert document.changed_on_disk() == [folder / "system.xml"]
    with pytest.raises(FileError, match="changed on disk since it was opened"):
        document.save()
    assert document.is_modified
    document.save(overwrite=True)
    assert b"gravel" in contents(folder)[0]
    assert document.changed_on_disk() == []


def test_a_deleted_file_is_noticed_and_can_be_written_again(folder: Path) -> None:
    document = SystemDocument.load(folder)
    (folder / "system.xml").unlink()
    assert document.changed_on_disk() == [folder / "system.xml"]
    document.save(overwrite=True)
    assert contents(folder) == (SYSTEM, LAYOUT)


def test_save_as_goes_on_in_the_other_folder(folder: Path, tmp_path: Path) -> None:
    document = SystemDocument.load(folder)
    other = tmp_path / "deeper" / "copy"
    document.save_as(other)
    assert contents(other) == (SYSTEM, LAYOUT)
    document.do(RenameNode("filter", "low"))
    document.save()
    assert contents(folder) == (SYSTEM, LAYOUT)
    assert b'name="low"' in contents(other)[0]
    with pytest.raises(FileError, match="the file exists already"):
        document.save_as(folder)


def test_a_save_as_that_fails_stays_where_it_was(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = SystemDocument.load(folder)
    document.do(RenameNode("filter", "low"))

    def refuse(*_arguments: object) -> None:
        raise FileError("cannot be written: disk full")

    monkeypatch.setattr("studio.model.document.write_atomically", refuse)
    with pytest.raises(FileError):
        document.save_as(tmp_path / "copy")
    assert document.folder == folder and document.is_modified and not document.changed_on_disk()


def test_another_version_of_the_system_is_one_edit_that_can_be_undone(folder: Path) -> None:
    other = SystemDocument.load(folder)
    other.do(RemoveNodes(("filter",)))
    other.do(AddNode(Component("first", "thing"), at=(1, 1), index=0))
    other.do(DescribeSystem("rover", "Other words."))
    other.do(MoveNodes({"planner": (7, 7)}))
    document = SystemDocument.load(folder)
    document.do(Become(other.system, "restore"))
    assert document.texts() == other.texts() and document.history.labels == ["restore"]
    document.undo()
    assert not document.is_modified
    document.save()
    assert contents(folder) == (SYSTEM, LAYOUT)
    document.redo()
    assert document.texts() == other.texts()


def test_a_new_document_is_modified_until_it_is_saved(tmp_path: Path) -> None:
    document = SystemDocument.new(tmp_path, "demo")
    assert document.is_modified
    document.do(AddNode(Component("a", "thing"), at=(1, 1)))
    document.save()
    assert not document.is_modified
    assert SystemDocument.load(tmp_path).texts() == document.texts()


def test_a_save_that_fails_stays_modified(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = SystemDocument.load(folder)
    document.do(RenameNode("filter", "low"))

    def refuse(*_arguments: object) -> None:
        raise FileError("cannot be written: disk full")

    monkeypatch.setattr("studio.model.document.write_atomically", refuse)
    with pytest.raises(FileError):
        document.save()
    assert document.is_modified
    assert contents(folder) == (SYSTEM, LAYOUT)
