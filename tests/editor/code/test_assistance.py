"""Help while code is written: completion, what a name is, syntax errors, the line that failed."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
from PyQt6.Qsci import QsciScintilla
from PyQt6.QtCore import QEvent, Qt
from PyQt6.QtGui import QFontDatabase, QImage
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.editor.code import analysis_worker
from studio.editor.code.assistance import PageAssistance, help_html
from studio.editor.code.code_marks import FAILED, FAILED_GROUND, FAULT
from studio.editor.code.code_page import CodePage
from studio.editor.code.completion import fitting, word_before
from studio.editor.code.syntax_check import SyntaxFault, syntax_fault
from studio.editor.look.fonts import use_ligatures
from studio.editor.window.main_window import MainWindow
from studio.editor.window.preferences import PreferencesDialog

CODE = '''\
"""A component."""

from . import helper
from studio.messages import Float64
from studio.runtime.component import Component, InPort, OutPort


class LowFilter(Component):
    raw = InPort(Float64, doc="")
    smooth = OutPort(Float64, doc="")

    def on_raw(self, message: Float64) -> None:
        self.smooth.publish(message)
'''
ANSWERED_MS = 40_000


@pytest.fixture
def page(window: MainWindow, tmp_path: Path) -> CodePage:
    folder = window.session.folder / "components" / "low_filter"
    folder.mkdir(parents=True)
    (folder / "helper.py").write_text(f"open({str(tmp_path / 'was_run')!r}, 'w')\nhelpful = 1\n")
    file = folder / "low_filter.py"
    file.write_text(CODE)
    made = window.code.open_at(file)
    assert made is not None
    QApplication.setActiveWindow(window)
    made.editor.setFocus()
    return made


@pytest.fixture
def assisted(window: MainWindow, page: CodePage) -> PageAssistance:
    return window.assistance.pages[page.key]


def put(page: CodePage, text: str) -> None:
    """At the end, as if it were typed; a new line is indented by itself."""
    last = page.editor.lines() - 1
    page.editor.setCursorPosition(last, len(page.editor.text(last)))
    if text.startswith("\n"):
        QTest.keyClick(page.editor, Qt.Key.Key_Return)
    QTest.keyClicks(page.editor, text.removeprefix("\n"))


def test_names_are_offered_while_one_types_and_no_code_of_the_project_runs(
    window: MainWindow, page: CodePage, assisted: PageAssistance, qtbot: QtBot, tmp_path: Path
) -> None:
    put(page, "        message.")
    qtbot.waitUntil(lambda: assisted.completion.is_open, timeout=ANSWERED_MS)
    assert assisted.completion.shown[0] == "data" and "replace" in assisted.completion.shown
    QTest.keyClick(page.editor, Qt.Key.Key_Tab)
    assert page.editor.text(page.editor.lines() - 1) == "        message.data"
    put(page, "\nself.smooth.publ")
    qtbot.waitUntil(lambda: assisted.completion.is_open, timeout=ANSWERED_MS)
    assert assisted.completion.shown == ["publish"]
    QTest.keyClick(page.editor, Qt.Key.Key_Escape)
    put(page, "\nhelper.")
    qtbot.waitUntil(lambda: "helpful" in assisted.completion.shown, timeout=ANSWERED_MS)
    assert not (tmp_path / "was_run").exists(), "jedi reads, it does not import"
    page.editor.setModified(False)


def test_the_parameters_shown_are_those_of_the_call_around_the_cursor(
    page: CodePage, assisted: PageAssistance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer that came late showed those of a call that had been closed, and they stayed."""
    completion, asked = assisted.completion, []
    monkeypatch.setattr(completion.analysis, "ask", lambda *about: asked.append(about))
    shows = lambda: bool(page.editor.SendScintilla(QsciScintilla.SCI_CALLTIPACTIVE))  # noqa: E731
    put(page, "        f(g(1")
    put(page, "))")
    (outer, inner, behind_inner, behind_all) = [about[-1] for about in asked if about[0] == "signature"]
    page.editor.setFocus()
    for late in (outer, inner, behind_inner):
        late(["g(x)", 2, 3])
        assert not shows()
    behind_all([])
    assert not shows()
    put(page, "\nf(" + "long_name, " * 2)
    line, column = page.editor.getCursorPosition()
    at = page.editor.positionFromLineIndex(line, column)
    assert completion.place_of_tip("f(x)") == at
    assert completion.place_of_tip("x" * 1000) == page.editor.positionFromLineIndex(line, 0), "as far left as can be"
    asked[-1][-1](["f(x)", 0, 0])
    assert shows()
    page.editor.setModified(False)


def test_what_a_name_is_can_be_asked_and_a_dead_process_is_replaced(
    window: MainWindow, page: CodePage, qtbot: QtBot
) -> None:
    analysis, found = window.assistance.analysis, []
    line = next(number for number, text in enumerate(CODE.splitlines(), 1) if "self.smooth.publish" in text)
    analysis.ask("hover", page.file.path, CODE, line, 22, found.extend)
    qtbot.waitUntil(lambda: bool(found), timeout=ANSWERED_MS)
    assert found[0].startswith("publish(message") and "everything wired to this port" in found[1]
    before = analysis.pid
    assert analysis._process is not None
    analysis._process.kill()
    qtbot.waitUntil(lambda: analysis.pid != before, timeout=ANSWERED_MS)
    found.clear()
    analysis.ask("signature", page.file.path, CODE + "        self.smooth.publish(", 13, 28, found.extend)
    qtbot.waitUntil(lambda: bool(found), timeout=ANSWERED_MS)
    assert found[0].startswith("publish(") and found[0][found[1] : found[2]].startswith("message")


def test_a_syntax_error_is_underlined_told_and_gone_when_it_is_mended(
    window: MainWindow, page: CodePage, assisted: PageAssistance, qtbot: QtBot
) -> None:
    put(page, "        x = (1,")
    last = page.editor.lines() - 1
    qtbot.waitUntil(lambda: assisted.fault is not None)
    assert page.editor.markersAtLine(last) & 1 << FAULT and "'(' was never closed" in page.place.text()
    (problem,) = [one for one in window.session.problems if one.file == page.key]
    assert (problem.line, problem.severity) == (last + 1, "warning"), "what would run is still sound"
    assert any("never closed" in one.message for one in window.problems.shown)
    assert page.save()
    assert [one.severity for one in window.session.problems if one.file == page.key] == ["error"]
    put(page, ")")
    qtbot.waitUntil(lambda: assisted.fault is None)
    assert not page.editor.markersAtLine(last) and "never closed" not in page.place.text()
    assert not [one for one in window.session.problems if one.file == page.key]
    put(page, "(")
    qtbot.waitUntil(lambda: assisted.fault is not None)
    page.editor.setModified(False)
    window.code.close(page.key)
    assert not [one for one in window.session.problems if one.file == page.key]


def test_the_line_at_which_a_component_failed_is_marked_until_it_is_well(
    window: MainWindow, page: CodePage, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = f'Traceback (most recent call last):\n  File "{page.key}", line 12, in on_raw\nValueError: too large'
    feed = window.live.feed
    with monkeypatch.context() as patched:
        patched.setattr(feed, "state", {"components": {"low": {"state": "error", "error": trace}}})
        window.assistance.show_failures()
        assert page.editor.markersAtLine(11) == 1 << FAILED | 1 << FAILED_GROUND
        assert page.editor._note == {12: ("ValueError: too large", "error")}
        patched.setattr(feed, "state", {"components": {"low": {"state": "active", "error": trace}}})
        window.assistance.show_failures()
        assert not page.editor.markersAtLine(11)
        patched.setattr(feed, "state", {"components": {"low": {"state": "error", "error": trace}}})
        window.assistance.show_failures()
        assert page.editor.markersAtLine(11)
        patched.setattr(feed, "state", {})
        feed.ended.emit(False)
    assert not page.editor.markersAtLine(11) and not page.editor._note


def test_without_jedi_the_page_says_what_is_missing_and_how_to_get_it(
    window: MainWindow, page: CodePage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jedi", None)
    replies = io.StringIO()
    request = {"id": 1, "kind": "complete", "path": page.key, "text": "", "line": 1, "column": 0, "project": "/"}
    analysis_worker.serve(io.StringIO(json.dumps(request)), replies)
    reply = json.loads(replies.getvalue())
    assert "jedi" in reply["error"] and "make setup" in reply["error"]
    window.assistance.analysis._take(reply)
    assert reply["error"] in page.place.text() and "jedi" in window.status.words.text()
    other = window.code.open_at(page.file.path.with_name("helper.py"))
    assert other is not None and reply["error"] in other.place.text()
    window.assistance.analysis._take({"id": 2, "found": []})
    assert "jedi" not in page.place.text() + other.place.text(), "it was installed meanwhile"


def test_words_and_faults() -> None:
    assert word_before("    self.smooth.pub") == "pub" and word_before("a.") == ""
    names = [["Data", "class"], ["data", "statement"], ["_rules", "statement"]]
    assert [name for name, _ in fitting(names, "da")] == ["Data", "data"]
    assert [name for name, _ in fitting(names, "_")] == ["_rules"] and len(fitting(names, "")) == 2
    assert syntax_fault("x = 1\n") is None
    wanted = SyntaxFault("Syntax error: unterminated string literal (detected at line 1)", 1, 5, 5)
    assert syntax_fault("x = 'a\n") == wanted
    assert syntax_fault("a\0b") is not None and syntax_fault(f"{'(' * 500}1{')' * 500}") is not None
    assert "&lt;b&gt;" in help_html("f(<b>)", "")


def test_ligatures_are_off_until_they_are_wanted(window: MainWindow, page: CodePage) -> None:
    """In what is painted: QScintilla makes fonts of its own."""
    page.editor.setText("a != b -> c\n")
    assert page.save()

    def painted() -> QImage:
        window.code.close(page.key)
        opened = window.code.open_at(page.file.path)
        assert opened is not None
        return opened.editor.grab().toImage()

    plain = painted()
    try:
        PreferencesDialog(window).ligatures.click()
        assert window.settings.ligatures
        joined = painted()
    finally:
        window.settings.ligatures = False
        use_ligatures(False)
        window.show_theme(window.theme)
    assert painted() == plain
    if "JetBrains Mono" in QFontDatabase.families():
        assert joined != plain


def test_an_answer_about_a_file_that_was_closed_is_thrown_away(
    window: MainWindow, page: CodePage, assisted: PageAssistance, qtbot: QtBot
) -> None:
    """It reached for an editor that was gone."""
    analysis, path = window.assistance.analysis, page.file.path
    assisted._hover("publish", 10)
    asked = analysis._asked
    assert asked is not None and asked[0]["path"] == str(path)
    page.editor.setCursorPosition(0, 0)
    assisted.completion._ask_signature()
    window.code.close(page.key)
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert not analysis._waiting
    with qtbot.captureExceptions() as raised:
        qtbot.waitUntil(lambda: analysis._asked is None, timeout=ANSWERED_MS)
    assert not raised
