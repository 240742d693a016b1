"""What the window knows about code that is being written: completion, help under the mouse, syntax errors, and the line
at which a component of the running system failed."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from PyQt6.QtCore import QObject, QTimer

from studio.editor.code.analysis import CodeAnalysis
from studio.editor.code.ports import WithCode, WithDebug
from studio.editor.live.state import error_line, error_sentence
from studio.editor.ports import WithStatus, WithWidget
from studio.editor.project.ports import WithLive, WithProject
from studio.errors import Problem

if TYPE_CHECKING:
    from studio.editor.code.code_page import CodePage
    from studio.editor.code.syntax_check import SyntaxFault

CHECK_AFTER_MS = 300
"""While letters come, most lines are not finished."""
PYTHON = (".py", ".pyi")


class Needs(WithCode, WithDebug, WithLive, WithProject, WithStatus, WithWidget, Protocol):
    """What is taken from the window."""


class Assistance(QObject):
    def __init__(self, window: Needs) -> None:
        super().__init__(window.widget)
        self.window = window
        self.analysis = CodeAnalysis(self)
        self.lack = ""
        """Why nothing is completed; "" if it is."""
        self.analysis.refused.connect(self._show_lack)
        self.pages: dict[str, PageAssistance] = {}
        window.code.opened.connect(self._opened)
        window.code.closed.connect(self._closed)
        window.code.saved.connect(lambda _: self.tell_problems())
        window.live.feed.changed.connect(lambda _: self.show_failures())
        window.live.feed.ended.connect(lambda _: self.show_failures())

    def _opened(self, page: CodePage) -> None:
        if page.file.path.suffix in PYTHON:
            if self.window.has_session:
                self.analysis.project = self.window.session.folder
            self.pages[page.key] = PageAssistance(page, self)
            page.show_lack(self.lack)
            self.show_failures()

    def _closed(self, key: str) -> None:
        if self.pages.pop(key, None) is not None:
            self.analysis.forget(Path(key))
            self.tell_problems()

    def _show_lack(self, words: str) -> None:
        """For a while in the status bar, and above the code for as long as it is so."""
        self.lack = words
        for each in self.pages.values():
            each.page.show_lack(words)
        if words:
            self.window.status.say(words, trouble=True)

    # ---- syntax errors, also in Problems

    def tell_problems(self) -> None:
        if self.window.has_session:
            found = [problem for each in self.pages.values() if (problem := each.problem()) is not None]
            self.window.session.show_typed(found)

    # ---- what failed while it ran

    def show_failures(self) -> None:
        """In the files that are open; the mark goes when the component is reset, restarted or stopped."""
        failed: dict[str, tuple[int, str]] = {}
        for told in self.window.live.feed.state.get("components", {}).values():
            trace = str(told.get("error") or "") if told.get("state") == "error" else ""
            place = error_line(trace) if trace else None
            if place is not None:
                failed[str(Path(place[0]).resolve())] = (place[1], error_sentence(trace))
        for key, each in self.pages.items():
            each.show_failure(*failed.get(key, (0, "")))

    def show_theme(self) -> None:
        for each in self.pages.values():
            each.show_theme()


class PageAssistance(QObject):
    def __init__(self, page: CodePage, controller: Assistance) -> None:
        from studio.editor.code.code_marks import CodeMarks
        from studio.editor.code.completion import Completion

        super().__init__(page)
        self.page, self.controller = page, controller
        self.fault: SyntaxFault | None = None
        self.marks = CodeMarks(page.editor)
        self.completion = Completion(page.editor, controller.analysis)
        self._failure = (0, "")
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(CHECK_AFTER_MS)
        self._timer.timeout.connect(self.check)
        page.editor.textChanged.connect(self._timer.start)
        page.editor.value_wanted.connect(self._hover)
        self.check()

    def check(self) -> None:
        from studio.editor.code.syntax_check import syntax_fault

        found = syntax_fault(self.page.editor.text())
        if found != self.fault:
            self.fault = found
            self.marks.show_fault(found)
            self.page.show_fault(f"line {found.line}: {found.message}" if found is not None else "")
            self.controller.tell_problems()

    def problem(self) -> Problem | None:
        """An error where it is saved: it would run so. Only a warning before, because the file is still sound."""
        if self.fault is None:
            return None
        words, unsaved = self.fault.message, self.page.is_modified
        hint = "the file is not saved yet" if unsaved else "correct this line"
        return Problem(words, "warning" if unsaved else "error", self.page.key, self.fault.line, hint)

    def show_failure(self, line: int, words: str) -> None:
        if (line, words) != self._failure:
            self._failure = (line, words)
            self.marks.show_failure(line, words)

    def show_theme(self) -> None:
        self.marks.show_theme()
        self.completion.show_theme()

    # ---- under the mouse

    def _hover(self, _: str, at: int) -> None:
        if self.controller.window.debug.is_stopped:
            return  # the value is shown then
        editor = self.page.editor
        line, column = editor.lineIndexFromPosition(at)
        if self.fault is not None and self.fault.line == line + 1:
            editor.show_tip(at, self.fault.message)
            return
        self.controller.analysis.ask(
            "hover", editor.path, editor.text(), line + 1, column, lambda found: self._show_hover(found, at)
        )

    def _show_hover(self, found: list[Any], at: int) -> None:
        if found:
            self.page.editor.show_tip(at, help_html(str(found[0]), str(found[1])))


def help_html(head: str, doc: str) -> str:
    """A tool tip: the signature as code, the documentation below it."""
    text = escape(doc).replace("\n", "<br>")
    head = escape(head).replace("\n", "<br>")
    return f'<div style="font-family: monospace;">{head}</div>' + (f"<div><br>{text}</div>" if text else "")
