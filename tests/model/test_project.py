"""Project folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.errors import StudioError
from studio.model.files import FileError
from studio.model.project import Project
from tests.model.examples import LAYOUT, MESSAGE_TYPES, PROFILES, SYSTEM


def test_a_new_project_opens_and_is_sound(tmp_path: Path) -> None:
    made = Project.create(tmp_path / "demo", "demo")
    project = Project.open(tmp_path / "demo" / "system.xml")
    assert project.folder == made.folder
    assert project.name == "demo"
    assert project.check(PROFILES, MESSAGE_TYPES) == []
    assert (project.components_folder, project.msg_folder) == (None, None)
    (project.folder / "msg").mkdir()
    assert project.msg_folder == project.folder / "msg"


def test_a_project_is_not_made_over_something_else(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(FileError, match="not empty"):
        Project.create(tmp_path, "demo")
    with pytest.raises(FileError, match="cannot be made"):
        Project.create(tmp_path / "thesis.tex" / "demo", "demo")
    with pytest.raises(StudioError, match="cannot be a name of a project"):
        Project.create(tmp_path / "demo", "two words")


def test_a_folder_that_is_no_project_is_told_how_to_become_one(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(FileError, match="studio new project NAME"):
            Project.open(folder)


def test_unknown_names_and_lost_places_are_told(tmp_path: Path) -> None:
    (tmp_path / "system.xml").write_bytes(SYSTEM)
    (tmp_path / "layout.xml").write_bytes(LAYOUT.replace(b'of="platform"', b'of="gone"'))
    found = [(problem.severity, problem.message) for problem in Project.open(tmp_path).check(PROFILES, MESSAGE_TYPES)]
    assert found == [
        ("warning", "<system> has no element <experiment>"),
        ("warning", "<component> has no attribute colour"),
        ("warning", "gone has a position, but the system has no component of that name"),
        ("error", "mystery is of an unknown type not_installed"),
    ]
