"""An example that came with Studio is looked at: what is saved is a copy, and the example stays as it is."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from PyQt6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from studio import paths
from studio.editor.code.code_page import CodePage
from studio.editor.window import files
from studio.editor.window.app import open_first
from studio.editor.window.files import Files, place_for_copy
from studio.editor.window.main_window import MainWindow
from studio.model.layout_edits import MoveNodes
from studio.model.source_edits import ChooseModes, SetProvider
from studio.model.sources import LogProvider
from tests.editor.rover import write_rover

MOVED = MoveNodes({"terrain_map": (320.0, 256.0)})


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """In a Studio that is installed, beside nothing else."""
    package = tmp_path / "site" / "studio"
    monkeypatch.setattr(paths.came_with_studio, "__defaults__", (package,))
    monkeypatch.setattr(paths, "EXAMPLES", frozenset({"rover"}))
    return write_rover(package / "share" / "projects" / "rover")


@pytest.fixture
def opened(one_window: MainWindow, example: Path) -> Iterator[MainWindow]:
    """As by a click on its tile."""
    shutil.rmtree(one_window.files.autosave.root, ignore_errors=True)
    one_window.show()
    one_window.show_session(None)
    one_window.files._in_place.clear()
    assert one_window.files.open(example)
    yield one_window
    one_window.hide()
    one_window.show_session(None)


def choose(monkeypatch: pytest.MonkeyPatch, place: Path | None) -> list[tuple[str, str]]:
    """What the dialog answers; returns its titles and proposals."""
    asked: list[tuple[str, str]] = []

    def answer(_: object, title: str, proposal: Path, verb: str) -> Path | None:
        asked.append((title, str(proposal)))
        return place

    monkeypatch.setattr(files, "ask_new_folder", answer)
    return asked


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_saving_an_example_saves_a_copy_and_goes_on_in_it(
    opened: MainWindow, example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(example)
    mine = tmp_path / "mine"
    assert opened.session.do(MOVED)
    asked = choose(monkeypatch, mine)
    opened.trigger("file.save")
    assert asked[0][0] == "rover is an example: a copy of your own"
    assert contents(example) == before and opened.session.folder == mine
    assert not opened.session.document.is_modified and 'x="320"' in (mine / "layout.xml").read_text()
    assert opened.session.do(MoveNodes({"terrain_map": (0.0, 0.0)}))
    opened.trigger("file.save")
    assert len(asked) == 1 and 'of="terrain_map" x="0"' in (mine / "layout.xml").read_text()


def test_who_gives_the_dialog_up_keeps_everything_unsaved(
    opened: MainWindow, example: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(example)
    assert opened.session.do(MOVED)
    choose(monkeypatch, None)
    assert not opened.files.save()
    assert opened.session.document.is_modified and opened.session.folder == example and contents(example) == before
    assert "cannot be changed" in opened.status.words.text()


def test_what_save_will_do_is_said_before(opened: MainWindow, example: Path, tmp_path: Path) -> None:
    save = opened.menus.actions["file.save"]
    assert (save.text(), opened.status.saved.text()) == ("Save a copy…", "Example")
    own = tmp_path / "own"
    shutil.copytree(example, own)
    assert opened.files.open(own)
    assert (save.text(), opened.status.saved.text()) == ("Save", "Saved")


def test_playing_a_log_does_not_change_an_example(
    opened: MainWindow, example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does leaving it ask for a copy; in a project of one's own it is a change as any other."""
    played = SetProvider("platform", "logged", LogProvider(log=str(tmp_path / "drive.mcap")))
    assert opened.session.do(played) and opened.session.do(ChooseModes({"platform": "logged"}))
    assert opened.session.document.is_modified
    assert (opened.files.has_changes, opened.status.saved.text()) == (False, "Example")
    assert "*" not in opened.windowTitle() and Files.may_leave(opened.files)
    opened.session.undo()
    assert not opened.files.has_changes
    assert opened.session.do(MOVED)
    assert (opened.files.has_changes, opened.status.saved.text()) == (True, "Not saved")
    own = tmp_path / "own"
    shutil.copytree(example, own)
    assert opened.files.open(own) and opened.session.do(ChooseModes({"platform": "logged"}))
    assert opened.files.has_changes


def change_code(window: MainWindow, file: Path, text: str) -> CodePage:
    page = window.code.open_at(file)
    assert page is not None
    page.editor.setText(text)
    page.editor.setModified(True)
    return page


def test_code_of_an_example_goes_into_the_copy_too(
    opened: MainWindow, example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(example)
    mine, names = tmp_path / "mine", ("terrain_map", "behaviour")
    for name in names:
        file = example / "components" / name / f"{name}.py"
        change_code(opened, file, f"# mine\nclass Thing:\n    {name} = 1\n")
    choose(monkeypatch, mine)
    page = opened.code.pages[str(example / "components" / "terrain_map" / "terrain_map.py")]
    assert page.save()
    assert contents(example) == before and not opened.code.modified
    for name in names:
        assert (mine / "components" / name / f"{name}.py").read_text() == f"# mine\nclass Thing:\n    {name} = 1\n"
    assert all(Path(key).is_relative_to(mine) for key in opened.code.pages)


def test_code_that_is_not_wanted_is_not_in_the_copy_of_the_rest(
    opened: MainWindow, example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, inside = tmp_path / "mine", Path("components/behaviour/behaviour.py")
    change_code(opened, example / inside, "# not wanted\n")
    assert opened.session.do(MOVED)
    choose(monkeypatch, mine)
    answers = iter(("Close without saving", "Save a copy…"))

    def answer(box: QMessageBox) -> int:
        words = next(answers)
        next(button for button in box.buttons() if button.text() == words).click()
        return 0

    monkeypatch.setattr(QMessageBox, "exec", answer)
    assert Files.may_leave(opened.files) and next(answers, "") == ""
    assert (mine / inside).read_text() == (example / inside).read_text() != "# not wanted\n"
    assert 'x="320"' in (mine / "layout.xml").read_text()


def test_a_tab_of_an_example_that_is_closed_and_saved_goes_on_in_the_copy(
    opened: MainWindow, example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, inside = tmp_path / "mine", Path("components/behaviour/behaviour.py")
    page = change_code(opened, example / inside, "# mine\n")
    choose(monkeypatch, mine)
    monkeypatch.setattr(opened.code, "_may_leave", lambda pages: opened.code._save([each.key for each in pages]))
    opened.docks.close(f"code:{page.key}")
    assert (mine / inside).read_text() == "# mine\n" and list(opened.code.pages) == [str(mine / inside)]


def test_keeping_ones_own_code_does_not_write_it_into_the_example(
    opened: MainWindow, example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, inside = tmp_path / "mine", Path("components/behaviour/behaviour.py")
    page = change_code(opened, example / inside, "# mine\n")
    (example / inside).write_text("# of somebody else\n")
    page.look_at_disk()
    choose(monkeypatch, mine)
    next(button for button in page.notice._buttons if button.text() == "Keep mine").click()
    assert (example / inside).read_text() == "# of somebody else\n" and (mine / inside).read_text() == "# mine\n"


def test_code_whose_file_is_gone_is_in_the_copy_too(
    opened: MainWindow, example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, inside = tmp_path / "mine", Path("components/behaviour/more/notes.txt")
    (example / inside).parent.mkdir()
    (example / inside).write_text("as it was\n")
    change_code(opened, example / inside, "mine\n")
    shutil.rmtree((example / inside).parent)
    choose(monkeypatch, mine)
    assert opened.files.save()
    assert (mine / inside).read_text() == "mine\n"


def test_code_that_cannot_be_written_stays_in_the_window(
    opened: MainWindow, example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = Path("components/behaviour/behaviour.py")
    (example / inside).write_text("# -*- coding: ascii -*-\n")
    page = change_code(opened, example / inside, "# -*- coding: ascii -*-\n# é\n")
    choose(monkeypatch, tmp_path / "mine")
    told: list[str] = []
    monkeypatch.setattr(opened.files, "_complain", lambda title, error: told.append(f"{title}: {error}"))
    assert not opened.files.save()
    assert told[0].startswith("Not saved: ") and "'é'" in told[0]
    assert opened.session.folder == example and opened.code.pages[page.key] is page and page.is_modified


def test_a_project_of_ones_own_among_the_examples_is_saved_in_place(
    opened: MainWindow, example: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the list of what was open lately, or by its tile: only what came with Studio is an example."""
    own = write_rover(example.parent / "my_rover")
    asked = choose(monkeypatch, None)
    opened.files.ask_leave_and_open(own)
    assert not opened.files.is_example and opened.session.do(MOVED)
    opened.trigger("file.save")
    assert not asked and not opened.session.document.is_modified


def test_a_new_project_is_not_proposed_among_the_examples(
    opened: MainWindow, example: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the next version of Studio would put its own in their place, or nobody may write."""
    asked = choose(monkeypatch, None)
    assert opened.settings.recent()[0] == example
    opened.files.new()
    assert Path(asked[0][1]).name == "my_robot" and not Path(asked[0][1]).is_relative_to(example.parent)


def test_an_example_is_only_looked_at_however_it_was_named(opened: MainWindow, example: Path, qtbot: QtBot) -> None:
    """`make run` names the path of one, and Run then wrote into the shipped files."""
    opened.show_session(None)
    shown: list[bool] = []
    open_first(opened, example, then=lambda: shown.append(True))
    qtbot.waitUntil(lambda: bool(shown), timeout=30_000)
    assert opened.files.is_example


def test_an_example_is_saved_where_it_is_only_for_those_who_say_so(
    opened: MainWindow, example: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    """`studio edit projects/x --in-place`: for a developer of examples."""
    asked = choose(monkeypatch, None)
    opened.show_session(None)
    shown: list[bool] = []
    open_first(opened, example, then=lambda: shown.append(True), in_place=True)
    qtbot.waitUntil(lambda: bool(shown), timeout=30_000)
    assert not opened.files.is_example
    assert opened.session.do(MOVED)
    opened.trigger("file.save")
    assert not asked and 'x="320"' in (example / "layout.xml").read_text()
    opened.files.reload()
    assert not opened.files.is_example


def test_a_copy_is_proposed_where_the_users_own_projects_are(example: Path, tmp_path: Path) -> None:
    own = tmp_path / "work" / "cart"
    own.mkdir(parents=True)
    assert place_for_copy(example, [example, own]) == tmp_path / "work" / "rover"
    (tmp_path / "work" / "rover").mkdir()
    assert place_for_copy(example, [example, own]) == tmp_path / "work" / "rover_2"
    assert place_for_copy(example, [example]).parent == Path.home()
