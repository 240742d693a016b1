"""Work that was not saved is kept, and comes back after a crash."""

from __future__ import annotations

import errno
import subprocess
import sys
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from studio.editor.look.notice import DifferenceDialog
from studio.editor.project.autosave import Autosave
from studio.editor.project.session import Session
from studio.editor.project.unsaved_slot import Slot
from studio.editor.window.main_window import MainWindow
from studio.model.parts import Component
from studio.model.system_edits import AddNode
from tests.editor.questions import answer


@pytest.mark.parametrize("how", ["open", "create", "reload"])
def test_what_stays_because_another_cannot_be_opened_goes_on_being_kept(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setattr(window.files, "_complain", lambda *_: None)
    monkeypatch.setattr("studio.editor.window.files.is_sure", lambda *_: True)
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
            window.files.left.restore(slot)
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
        "import sys; from pathlib import Path; from studio.editor.project.unsaved_slot import Slot\n"
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
