"""Files that others change while they are open in the window."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from studio.editor.code.code_page import CodePage
from studio.editor.look.notice import difference
from studio.editor.window.main_window import MainWindow
from studio.errors import StudioError
from studio.model import document
from studio.model.parts import Component
from studio.model.system_edits import AddNode
from tests.editor.questions import answer, append, buttons


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
