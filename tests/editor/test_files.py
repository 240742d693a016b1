"""Files as a person handles them in the window: opened, saved, changed by others."""

from __future__ import annotations

import errno
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PyQt6.QtCore import QEvent, QObject, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QFileDialog, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from studio.editor.autosave import Autosave
from studio.editor.code.code_page import CodePage
from studio.editor.main_window import MainWindow
from studio.editor.notice import DifferenceDialog, difference
from studio.editor.session import Session
from studio.editor.unsaved_slot import Slot
from studio.errors import StudioError
from studio.model import document
from studio.model.document import SystemDocument
from studio.model.parts import Component
from studio.model.source_edits import SetProvider
from studio.model.sources import LogProvider
from studio.model.system_edits import AddNode


def test_saving_writes_what_was_edited_and_keeps_the_comment(window: MainWindow) -> None:
    window.canvas.commands.add("low_pass")
    assert window.windowTitle().startswith("system.xml* — rover")
    assert window.files.save()
    assert window.windowTitle().startswith("system.xml — rover")
    text = (window.session.folder / "system.xml").read_text(encoding="utf-8")
    assert 'name="low_pass"' in text and "<!-- the heart -->" in text
    assert "low_pass" in SystemDocument.load(window.session.folder).system.nodes


def test_a_project_opens_as_it_was_left(window: MainWindow) -> None:
    window.canvas.zoom_to(0.9)
    window.canvas.centerOn(500, 200)
    before = window.canvas.middle()
    window.files.save()
    window.files.open(window.session.folder)
    assert abs(window.canvas.zoom - 0.9) < 0.001
    assert abs(window.canvas.middle().x() - before.x()) < 2


def answer(window: MainWindow, text: str) -> None:
    """Click it in the bar."""
    next(button for button in window.notice.findChildren(QPushButton) if button.text() == text).click()


def buttons(window: MainWindow) -> list[str]:
    return [button.text() for button in window.notice._buttons]


def unknown(window: MainWindow) -> set[str]:
    return {name for name, item in window.canvas.canvas.nodes.items() if item.card.unknown}


class TestSaveAs:
    def test_the_whole_project_is_there_and_the_window_goes_on_in_it(self, window: MainWindow, tmp_path: Path) -> None:
        original = window.session.folder
        window.canvas.commands.add("low_pass")
        label = window.session.document.history.undo_label
        assert window.files.save_as(tmp_path / "copy")
        assert window.session.folder == tmp_path / "copy" and window.settings.recent()[0] == tmp_path / "copy"
        assert not window.session.document.is_modified and window.session.document.history.undo_label == label
        profile = window.session.registry.profile("terrain_map")
        assert profile is not None and profile.is_relative_to(tmp_path / "copy"), (
            "its own components, not the original's"
        )
        assert unknown(window) == {"mystery"}
        window.session.undo()
        assert window.files.save() and "low_pass" not in SystemDocument.load(tmp_path / "copy").system.nodes
        assert "low_pass" not in SystemDocument.load(original).system.nodes

    def test_nothing_is_left_to_restore_in_the_original(self, window: MainWindow, tmp_path: Path) -> None:
        original = window.session.folder
        window.canvas.commands.add("low_pass")
        window.files.autosave.keep()
        assert window.files.save_as(tmp_path / "copy")
        window.files.open(original)
        assert not window.notice.isVisible()

    def test_a_log_that_the_copy_does_not_find_is_named(self, window: MainWindow, tmp_path: Path) -> None:
        assert window.session.do(SetProvider("platform", "logged", LogProvider("../data/rig.mcap")))
        assert window.files.save_as(tmp_path / "new" / "copy")
        assert "not found from here: ../data/rig.mcap; choose it anew" in window.status.words.text()

    def test_one_that_fails_stays_in_the_original(
        self, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        told: list[str] = []
        monkeypatch.setattr(window.files, "_complain", lambda title, error: told.append(title))
        original = window.session.folder
        (tmp_path / "taken").mkdir()
        (tmp_path / "taken" / "thesis.txt").write_text("mine")
        assert not window.files.save_as(tmp_path / "taken")
        assert told == ["Not saved"] and window.session.folder == original
        window.canvas.commands.add("low_pass")
        window.files.autosave.keep()
        assert list(window.files.autosave.root.glob("*/*.xml")), "it goes on being kept"

    def test_a_system_that_runs_is_asked_about_first(
        self, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(window.live, "may_close", lambda close: False)
        assert not window.files.save_as(tmp_path / "copy") and not (tmp_path / "copy").exists()


def test_what_others_wrote_is_read_again_if_nothing_was_edited(window: MainWindow, qtbot: QtBot) -> None:
    file = window.session.folder / "system.xml"
    file.write_text(file.read_text(encoding="utf-8").replace('name="rover"', 'name="ranger"'), encoding="utf-8")
    qtbot.waitUntil(lambda: window.session.name == "ranger", timeout=10000)


def test_what_others_wrote_is_not_lost_when_both_edited(window: MainWindow, qtbot: QtBot) -> None:
    window.session.do(AddNode(Component("mine", "low_pass")))
    file = window.session.folder / "system.xml"
    theirs = file.read_text(encoding="utf-8").replace('name="rover"', 'name="ranger"')
    file.write_text(theirs, encoding="utf-8")
    qtbot.waitUntil(window.notice.isVisible, timeout=10000)
    assert not window.files.save()
    assert file.read_text(encoding="utf-8") == theirs
    assert 'name="mine"' in difference(window.session.document.texts())
    answer(window, "Keep mine")
    assert 'name="mine"' in file.read_text(encoding="utf-8") and not window.notice.isVisible()


class TestWhatCannotBeSaved:
    @pytest.fixture
    def told(self, window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        told: list[str] = []
        monkeypatch.setattr(window.files, "_complain", lambda title, error: told.append(f"{title}: {error.message}"))
        return told

    def test_keeping_mine_tells_why_not_and_is_asked_again(
        self, window: MainWindow, told: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(*_: object) -> None:
            raise StudioError("cannot be written: No space left on device")

        window.session.do(AddNode(Component("mine", "low_pass")))
        append(window.session.folder / "system.xml", "<!-- theirs -->")
        window.files.disk.look()
        monkeypatch.setattr(document, "write_atomically", full)
        answer(window, "Keep mine")
        assert told == ["Not saved: cannot be written: No space left on device"]
        assert "Keep mine" in buttons(window) and window.session.document.is_modified

    def test_files_that_cannot_even_be_read_are_the_reason(self, window: MainWindow, told: list[str]) -> None:
        window.session.do(AddNode(Component("mine", "low_pass")))
        file = window.session.folder / "system.xml"
        file.unlink()
        file.mkdir()
        assert not window.files.save()
        assert len(told) == 1 and told[0].startswith("Not saved: ")


def append(file: Path, text: str) -> None:
    file.write_text(file.read_text(encoding="utf-8") + text, encoding="utf-8")


def test_what_others_wrote_does_not_cost_the_undo_history_unasked(window: MainWindow) -> None:
    window.canvas.commands.add("low_pass")
    assert window.files.save()
    file = window.session.folder / "system.xml"
    append(file, "<!-- theirs -->")
    window.files.disk.look()
    assert buttons(window) == ["Show difference…", "Reload", "Keep mine"]
    assert window.session.document.history.labels, "nothing was reloaded"
    file.write_bytes(window.session.document.texts()[file])
    window.files.disk.look()
    assert not window.notice.isVisible(), "it is as it was"
    append(file, "<!-- theirs -->")
    window.files.disk.look()
    answer(window, "Reload")
    assert not window.session.document.history.labels and not window.notice.isVisible()


def test_a_system_that_runs_does_not_follow_the_disk_unasked(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(window.live.control, "_phase", "running")
    session = window.session
    append(session.folder / "system.xml", "<!-- theirs -->")
    window.files.disk.look()
    assert "the running system follows" in window.notice.words.text() and window.session is session


class TestCodeThatIsNotSaved:
    """The tabs of a project are closed with it, and reading its files again closes and opens it."""

    @pytest.fixture
    def page(self, window: MainWindow) -> Iterator[CodePage]:
        file = window.session.folder / "thing.py"
        file.write_text("total = 0\n", encoding="utf-8")
        page = window.code.open_at(file)
        assert page is not None
        page.editor.insertAt("more = 1\n", 0, 0)
        yield page
        window.code.close_all()

    def test_what_others_wrote_does_not_cost_it_unasked(self, window: MainWindow, page: CodePage) -> None:
        append(window.session.folder / "system.xml", "<!-- theirs -->")
        window.files.disk.look()
        assert "thing.py" in window.notice.words.text() and "Reload" in buttons(window)
        assert list(window.code.pages.values()) == [page] and page.is_modified

    @pytest.mark.parametrize("how", ["the bar", "the menu"])
    def test_it_is_asked_about_before_a_reload(
        self, window: MainWindow, page: CodePage, monkeypatch: pytest.MonkeyPatch, how: str
    ) -> None:
        answers = iter([False, True])
        monkeypatch.setattr(window.code, "may_leave", lambda: next(answers))
        session = window.session
        append(session.folder / "system.xml", "<!-- theirs -->")
        window.files.disk.look()

        def reload() -> None:
            if how == "the bar":
                answer(window, "Reload")
            else:
                window.files.reload()

        reload()
        assert window.session is session and page.is_modified
        assert window.notice.isVisible(), "it still differs from what is on disk"
        reload()
        assert window.session is not session and not window.notice.isVisible()


def test_a_file_that_cannot_be_read_is_told_in_the_bar(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(window.files, "_complain", lambda title, error: told.append(title))
    file = window.session.folder / "system.xml"
    good = file.read_bytes()
    file.write_bytes(b"<<<<<<< HEAD\n" + good)
    window.files.disk.look()
    window.files.disk.look()
    assert not told and buttons(window) == ["Show difference…", "Keep mine"]
    assert "cannot be read now" in window.notice.words.text()
    answer(window, "Keep mine")
    assert file.read_bytes() == good and not window.notice.isVisible()


class Paints(QObject):
    """Counts how often a widget is painted."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.count = 0
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        self.count += event is not None and event.type() == QEvent.Type.Paint
        return False


def test_another_project_is_on_the_screen_at_once(window: MainWindow, tmp_path: Path) -> None:
    window.files.create(tmp_path / "other")
    QApplication.processEvents()
    paints = Paints(window)
    window.files.open(tmp_path / "rover")
    assert paints.count


def test_a_new_project_is_made_and_opened(window: MainWindow, tmp_path: Path) -> None:
    window.files.create(tmp_path / "fresh")
    assert window.session.name == "fresh" and not window.canvas.canvas.nodes
    assert window.canvas.empty_note.isVisible()


def test_closing_shows_the_welcome_page_with_what_was_open(window: MainWindow, qtbot: QtBot) -> None:
    folder = window.session.folder
    window.files.close()
    assert window.pages.currentWidget() is window.welcome
    assert folder.resolve() in window.settings.recent()
    window.welcome.project_wanted.emit(folder)
    qtbot.waitUntil(lambda: window.has_session and window.canvas.isVisible(), timeout=30_000)
    assert window.session.name == "rover"


def test_a_project_whose_system_runs_is_closed_only_if_that_is_meant(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter([False, True])
    monkeypatch.setattr(window.live, "may_close", lambda close: next(answers))
    window.files.close()
    assert window.has_session
    window.files.close()
    assert not window.has_session


def test_a_log_is_opened_from_the_welcome_page(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda _, title, *__: (asked.append(title), ("", ""))[1])
    window.files.close()
    next(each for each in window.welcome.findChildren(QPushButton) if "a log" in each.text()).click()
    assert asked == ["Open or import a log"]


def test_a_project_whose_system_runs_is_left_for_another_only_if_that_is_meant(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    again: list[Callable[[], object]] = []
    answers = iter([False, True, False, True])
    monkeypatch.setattr(window.live, "may_close", lambda close: (again.append(close), next(answers))[1])
    window.files.create(tmp_path / "other")
    window.files.open(tmp_path / "rover")
    window.files.ask_leave_and_open(tmp_path / "other")
    assert window.session.name == "rover"
    again[-1]()  # as it is called when the system has stopped
    assert window.session.name == "other"
    window.files.ask_leave_and_create(tmp_path / "fresh")
    assert window.session.name == "other" and not (tmp_path / "fresh").exists()
    again[-1]()
    assert window.session.name == "fresh"


@pytest.mark.parametrize("how", ["open", "create", "reload"])
def test_what_stays_because_another_cannot_be_opened_goes_on_being_kept(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setattr(window.files, "_complain", lambda *_: None)
    monkeypatch.setattr(window.files, "_sure", lambda *_: True)
    session = window.session
    session.do(AddNode(Component("mine", "low_pass")))
    window.files.autosave.keep()
    (tmp_path / "no_project").mkdir()
    (tmp_path / "no_project" / "thesis.txt").write_text("mine")
    if how == "reload":
        (session.folder / "system.xml").write_text("<nonsense")
        window.files.reload()
    elif how == "create":
        window.files.ask_leave_and_create(tmp_path / "no_project")
    else:
        window.files.ask_leave_and_open(tmp_path / "no_project")
    assert window.session is session and window.files.autosave.session is session
    (kept,) = window.files.autosave.root.glob("*/system.xml")
    assert b'"mine"' in kept.read_bytes()
    session.do(AddNode(Component("more", "low_pass")))
    window.files.autosave.keep()
    assert b'"more"' in kept.read_bytes()


def crash(window: MainWindow, name: str = "rescued") -> Path:
    """A window that had added a component ends here, and another opens the project."""
    folder = window.session.folder
    window.session.do(AddNode(Component(name, "low_pass")))
    window.files.autosave.keep()
    window.files.autosave.follow(None)
    window.files.open(folder)
    return folder


def difference_dialog(window: MainWindow) -> DifferenceDialog:
    return [each for each in window.findChildren(DifferenceDialog) if each.isVisible()][-1]


class TestAfterACrash:
    def test_what_was_not_saved_is_shown_and_restored_as_an_edit(self, window: MainWindow) -> None:
        folder = window.session.folder
        saved = (folder / "system.xml").read_bytes()
        crash(window)
        assert window.notice.isVisible() and "rescued" not in window.session.system.nodes
        answer(window, "Show and restore…")
        dialog = difference_dialog(window)
        assert 'name="rescued"' in dialog.page.toPlainText() and dialog.buttons["Close"].isDefault()
        assert "rescued" not in window.session.system.nodes, "it is only shown yet"
        dialog.buttons["Restore"].click()
        assert "rescued" in window.session.system.nodes and window.session.document.is_modified
        assert (folder / "system.xml").read_bytes() == saved and not window.notice.isVisible()
        (kept,) = window.files.autosave.root.glob("*/system.xml")
        assert b"rescued" in kept.read_bytes(), "from now on as the work of this window"
        window.session.undo()
        assert "rescued" not in window.session.system.nodes and not window.session.document.is_modified

    def test_what_others_changed_since_is_on_disk_until_it_is_saved(self, window: MainWindow) -> None:
        folder = window.session.folder
        window.session.do(AddNode(Component("rescued", "low_pass")))
        window.files.autosave.keep()
        window.files.autosave.follow(None)
        file = folder / "system.xml"
        pulled = file.read_bytes().replace(b"through blocks", b"through PULLED blocks")
        file.write_bytes(pulled)
        window.files.open(folder)
        answer(window, "Show and restore…")
        dialog = difference_dialog(window)
        assert "PULLED" in dialog.page.toPlainText()
        dialog.buttons["Restore"].click()
        assert file.read_bytes() == pulled
        window.session.undo()
        assert window.files.save() and file.read_bytes() == pulled

    def test_it_stays_where_it_is_kept_if_it_cannot_be_kept_elsewhere(
        self, window: MainWindow, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(*_: object) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        folder = crash(window)
        (slot,) = window.files.autosave.left
        with monkeypatch.context() as patch:
            patch.setattr(Slot, "keep", full)
            window.files._restore(slot)
        assert "rescued" in window.session.system.nodes and "No space left" in window.status.words.text()
        assert b"rescued" in slot.texts()["system.xml"], "the only copy"
        window.files.open(folder)
        assert "ended before" in window.notice.words.text(), "it is offered again"

    def test_it_is_not_lost_by_saving_something_else(self, window: MainWindow) -> None:
        folder = crash(window)
        window.session.do(AddNode(Component("other", "low_pass")))
        window.files.autosave.keep()
        assert window.files.save()
        assert "ended before" in window.notice.words.text(), "it is still asked"
        window.files.open(folder)
        answer(window, "Show and restore…")
        assert 'name="rescued"' in difference_dialog(window).page.toPlainText()

    def test_another_question_does_not_take_its_place_and_work_is_kept_meanwhile(self, window: MainWindow) -> None:
        crash(window)
        window.live._died()
        assert "runtime" in window.notice.words.text() and window.notice.more.text() == "1 more"
        answer(window, "Close")
        assert "ended before" in window.notice.words.text()
        window.session.do(AddNode(Component("other", "low_pass")))
        window.files.autosave.keep()
        kept = [file.read_bytes() for file in window.files.autosave.root.glob("*/system.xml")]
        assert len(kept) == 2 and any(b"rescued" in text for text in kept) and any(b"other" in text for text in kept)
        answer(window, "Throw away")
        assert len(list(window.files.autosave.root.glob("*/system.xml"))) == 1 and not window.notice.isVisible()

    def test_what_another_window_has_not_saved_yet_was_not_left_behind(self, window: MainWindow) -> None:
        other, session = Autosave(window.files.autosave.root, 600), Session.open(window.session.folder)
        other.follow(session)
        try:
            session.do(AddNode(Component("theirs", "low_pass")))
            other.keep()
            window.files.open(window.session.folder)
            assert not window.notice.isVisible()
            window.session.do(AddNode(Component("ours", "low_pass")))
            window.files.autosave.keep()
            window.files.autosave.forget()
            (kept,) = window.files.autosave.root.glob("*/system.xml")
            assert b"theirs" in kept.read_bytes()
        finally:
            other.follow(None)
            session.close()
        window.files.open(window.session.folder)
        assert window.notice.isVisible(), "now that window is gone"


def test_the_lock_of_what_is_kept_ends_with_the_process_that_held_it(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from studio.editor.unsaved_slot import Slot\n"
        "slot = Slot.take(Path(sys.argv[1])); slot.keep({'system.xml': b'x'}); print('held', flush=True); input()"
    )
    folder = tmp_path / "slot"
    command = [sys.executable, "-c", code, str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == b"held\n"
        assert Slot.take(folder) is None
        holder.kill()
    slot = Slot.take(folder)
    assert slot is not None and slot.texts() == {"system.xml": b"x"}
    slot.clear()
    slot.release()
    assert not folder.exists()


def test_who_never_rests_is_kept_all_the_same(window: MainWindow, qtbot: QtBot) -> None:
    autosave = window.files.autosave
    autosave._timer.setInterval(300)
    try:
        for number in range(200):
            window.session.do(AddNode(Component(f"part_{number}", "low_pass")))
            qtbot.wait(10)
            if list(autosave.root.glob("*/system.xml")):
                return
        raise AssertionError("nothing was kept")
    finally:
        autosave.set_interval(window.settings.autosave_s)


def test_nothing_is_kept_of_what_was_saved_or_given_up(window: MainWindow) -> None:
    window.canvas.commands.add("low_pass")
    window.files.autosave.keep()
    assert list(window.files.autosave.root.glob("*/*.xml"))
    window.files.save()
    assert not list(window.files.autosave.root.glob("*/*.xml"))
    window.canvas.commands.add("low_pass")
    window.files.autosave.keep()
    window.files.ask_leave_and_open(window.session.folder)
    assert not window.notice.isVisible()
    assert not list(window.files.autosave.root.glob("*/*.xml"))


def test_what_comes_and_what_goes_is_told_apart_by_colour_too(window: MainWindow) -> None:
    dialog = DifferenceDialog(window, "On disk, and here", "--- a on disk\n+++ a here\n@@ -1 +1 @@\n-old\n+new\n same")
    dialog.show()
    QApplication.processEvents()
    document = dialog.page.document()
    assert document is not None
    formats = []
    for number in range(document.blockCount()):
        layout = document.findBlockByNumber(number).layout()
        assert layout is not None
        formats.append([each.format.background().color().getRgb() for each in layout.formats()])
    gone, come = formats[3], formats[4]
    assert len(gone) == len(come) == 1 and gone != come and not formats[5]
    dialog.close()


def test_who_has_answered_by_key_is_back_at_the_canvas(window: MainWindow) -> None:
    window.notice.ask("Which?", {"This": lambda: None})
    window.activateWindow()
    window.notice._buttons[0].setFocus()
    QTest.keyClick(window.notice._buttons[0], Qt.Key.Key_Space)
    assert not window.notice.isVisible() and window.focusWidget() is window.canvas


def test_the_next_question_has_the_keyboard_of_the_one_before(window: MainWindow) -> None:
    """Or the next key would go into any field, such as the name of the project."""
    window.notice.ask("Which?", {"This": lambda: None})
    window.notice.ask("And which?", {"That": lambda: None})
    window.activateWindow()
    QApplication.processEvents()
    window.notice._buttons[0].setFocus()
    QTest.keyClick(window.notice._buttons[0], Qt.Key.Key_Space)
    assert window.notice.words.text() == "Which?" and window.focusWidget() is window.notice._buttons[0]
    window.notice.withdraw()


def test_who_asks_for_the_difference_again_has_one_dialog_of_it(window: MainWindow) -> None:
    for text in ("-old\n+new", "-old\n+newer"):
        DifferenceDialog(window, "Asked twice", text).show()
    shown = [each for each in window.findChildren(DifferenceDialog) if each.windowTitle() == "Asked twice"]
    shown = [each for each in shown if each.isVisible()]
    assert [each.page.toPlainText() for each in shown] == ["-old\n+newer"]
    shown[0].close()
