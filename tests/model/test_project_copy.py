"""A project copied to another folder: what comes along, what stays, and that a failure leaves nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.model.files import FileError
from studio.model.project import Project
from studio.model.project_copy import ProjectCopy
from studio.model.system_edits import RenameNode
from tests.model.examples import LAYOUT, SYSTEM


@pytest.fixture
def project(tmp_path: Path) -> Project:
    folder = tmp_path / "rover"
    for name, text in {
        "system.xml": SYSTEM.decode(), "layout.xml": LAYOUT.decode(), "README.md": "# rover",
        "components/low_pass/low_pass.py": "class LowPass: ...", "components/low_pass/system.xml": "<its own/>",
        "components/low_pass/__pycache__/low_pass.pyc": "x", ".git/HEAD": "ref", "msg/Leg.msg": "float64 x",
        "logs/a.mcap": "played by the source", "logs/other.mcap": "only recorded", "drive.mcap": "only recorded",
    }.items():  # fmt: skip
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / "worlds").symlink_to(tmp_path / "worlds_of_all")
    (folder / "tool.sh").write_text("#!/bin/sh")
    (folder / "tool.sh").chmod(0o755)
    return Project.open(folder)


def files_in(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_symlink() or path.is_file()}


def test_what_the_project_is_made_of_comes_along_and_recordings_stay(project: Project, tmp_path: Path) -> None:
    project.document.do(RenameNode("filter", "low"))
    copy = ProjectCopy.plan(project, tmp_path / "new" / "copy")
    done = list(copy.run())
    assert files_in(copy.target) == {
        "system.xml", "layout.xml", "README.md", "components/low_pass/low_pass.py", "components/low_pass/system.xml",
        "msg/Leg.msg", "logs/a.mcap", "worlds", "tool.sh",
    }  # fmt: skip
    assert {str(path) for path in copy.left} == {"logs/other.mcap", "drive.mcap"}
    assert done[-1] <= copy.size and (copy.target / "tool.sh").stat().st_mode & 0o111
    assert (copy.target / "worlds").readlink() == tmp_path / "worlds_of_all"
    assert b'name="low"' in (copy.target / "system.xml").read_bytes()
    assert (project.folder / "system.xml").read_bytes() == SYSTEM and project.document.is_modified


@pytest.mark.parametrize("where", ["rover/copy", "taken"])
def test_it_is_not_put_into_itself_or_among_other_files(project: Project, tmp_path: Path, where: str) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "thesis.txt").write_text("mine")
    with pytest.raises(FileError):
        ProjectCopy.plan(project, tmp_path / where)
    assert (tmp_path / "taken" / "thesis.txt").read_text() == "mine"


def test_a_copy_that_fails_or_is_given_up_leaves_nothing(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copying = ProjectCopy.plan(project, tmp_path / "copy").run()
    next(copying)
    copying.close()
    assert not (tmp_path / "copy").exists()

    def refuse(*_: object) -> None:
        raise FileError("cannot be written: disk full")

    monkeypatch.setattr("studio.model.document.write_atomically", refuse)
    with pytest.raises(FileError, match="disk full"):
        list(ProjectCopy.plan(project, tmp_path / "copy").run())
    assert not (tmp_path / "copy").exists() and project.document.folder == project.folder
    assert [path.name for path in tmp_path.iterdir()] == ["rover"]


def test_what_others_put_there_meanwhile_stays_and_nothing_is_put_among_it(project: Project, tmp_path: Path) -> None:
    (tmp_path / "copy").mkdir()
    first, second = (ProjectCopy.plan(project, tmp_path / "copy").run() for _ in range(2))
    next(first)
    next(second)
    assert list((tmp_path / "copy").iterdir()) == [], "nothing is there before everything is"
    list(first)
    (tmp_path / "copy" / "README.md").write_text("mine")
    there = files_in(tmp_path / "copy")
    with pytest.raises(FileError, match="not empty"):
        list(second)
    assert files_in(tmp_path / "copy") == there and (tmp_path / "copy" / "README.md").read_text() == "mine"
    assert {path.name for path in tmp_path.iterdir()} == {"rover", "copy"}


def test_an_empty_folder_that_was_there_stays_when_the_copy_is_given_up(project: Project, tmp_path: Path) -> None:
    (tmp_path / "copy").mkdir()
    copying = ProjectCopy.plan(project, tmp_path / "copy").run()
    next(copying)
    copying.close()
    assert list((tmp_path / "copy").iterdir()) == []


def test_a_link_to_an_empty_folder_stays_a_link(project: Project, tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "copy").symlink_to("disk")
    list(ProjectCopy.plan(project, tmp_path / "copy").run())
    assert (tmp_path / "copy").is_symlink() and (tmp_path / "disk" / "system.xml").is_file()


def test_a_whole_disk_cannot_be_replaced_by_a_folder(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "stick").mkdir()
    monkeypatch.setattr("os.path.ismount", lambda path: Path(path) == tmp_path / "stick")
    with pytest.raises(FileError, match="whole disk"):
        ProjectCopy.plan(project, tmp_path / "stick")


def plays(project: Project, log: str) -> Project:
    file = project.folder / "system.xml"
    file.write_bytes(SYSTEM.replace(b"logs/a.mcap", log.encode()))
    return Project.open(project.folder)


def test_a_linked_folder_with_the_log_that_is_played_comes_along(project: Project, tmp_path: Path) -> None:
    (project.folder / "logs").rename(tmp_path / "data")
    (project.folder / "logs").symlink_to(tmp_path / "data")
    copy = ProjectCopy.plan(project, tmp_path / "new" / "copy")
    list(copy.run())
    assert (copy.target / "logs" / "a.mcap").read_text() == "played by the source"
    assert copy.left == (Path("drive.mcap"),)


@pytest.mark.parametrize("log", ["today.mcap", "today/a.mcap"])
def test_what_a_link_to_the_played_log_leads_to_comes_along(project: Project, tmp_path: Path, log: str) -> None:
    (project.folder / log.split("/")[0]).symlink_to("logs/a.mcap" if log == "today.mcap" else "logs")
    copy = ProjectCopy.plan(plays(project, log), tmp_path / "new" / "copy")
    list(copy.run())
    assert (copy.target / log).read_text() == "played by the source"


def test_logs_beside_the_project_that_the_copy_does_not_find_are_told(project: Project, tmp_path: Path) -> None:
    beside = plays(project, "../data/rig.mcap")
    assert ProjectCopy.plan(beside, tmp_path / "new" / "copy").astray == ("../data/rig.mcap",)
    assert ProjectCopy.plan(beside, tmp_path / "copy").astray == (), "from there it is the same file"
    for log in (str(tmp_path / "rig.mcap"), "~/rig.mcap", "logs/a.mcap"):
        assert ProjectCopy.plan(plays(project, log), tmp_path / "new" / "copy").astray == ()
