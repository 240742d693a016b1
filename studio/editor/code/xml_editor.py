"""An editor of XML: faults are underlined, lines that the saved file does not have are marked, what can stand at the
cursor is offered, and undo goes through the history of what the text describes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from PyQt6.Qsci import QsciScintilla
from PyQt6.QtGui import QColor, QKeyEvent, QKeySequence
from PyQt6.QtWidgets import QToolTip

from studio.editor.code.code_editor import ARROW, POINTS, CodeEditor
from studio.editor.look.theme import Theme, mixed
from studio.errors import Problem

ERROR, WARNING = 20, 21
"""Numbers of the underlines; those below 8 belong to lexers."""
SIGNS = 1
"""The margin of the plus signs."""
ADDED_GROUND, PLUS = 9, 10
"""Markers."""
GREEN = 0.14
Completions = Callable[[str], tuple[str, list[str]]]
"""From the text before the cursor: the word that is begun there, and what can stand there."""


class XmlEditor(CodeEditor):
    def __init__(self, path: Path, theme: Theme) -> None:
        self._problems: dict[int, Problem] = {}
        """By line, from 1 on; the worst of each."""
        super().__init__(path, theme)
        self.completions: Completions = lambda before: ("", [])
        self.undo_shared: Callable[[], object] = lambda: None
        self.redo_shared: Callable[[], object] = lambda: None
        self.can_undo_shared: Callable[[], bool] = lambda: False
        self.can_redo_shared: Callable[[], bool] = lambda: False
        """What undo and redo do once the text in the window is what the document says."""
        for margin in (POINTS, ARROW):
            self.setMarginWidth(margin, 0)  # nothing stops here
            self.setMarginSensitivity(margin, False)
        self.setMarginWidth(SIGNS, 14)
        self.setMarginMarkerMask(SIGNS, 1 << PLUS)
        self.SendScintilla(QsciScintilla.SCI_AUTOCSETSEPARATOR, ord("\n"))
        self.SendScintilla(QsciScintilla.SCI_AUTOCSETIGNORECASE, 1)
        self.setTabWidth(2)
        self.setIndentationsUseTabs(False)

    def show_theme(self, theme: Theme) -> None:
        super().show_theme(theme)
        for number, colour in ((ERROR, theme.error), (WARNING, theme.warning)):
            self.indicatorDefine(QsciScintilla.IndicatorStyle.SquiggleIndicator, number)
            self.setIndicatorForegroundColor(QColor(colour), number)
            self.setIndicatorDrawUnder(True, number)
        self.markerDefine(QsciScintilla.MarkerSymbol.Background, ADDED_GROUND)
        self.setMarkerBackgroundColor(QColor(mixed(theme.fine, theme.code, GREEN)), ADDED_GROUND)
        self.markerDefine(QsciScintilla.MarkerSymbol.Plus, PLUS)
        self.setMarkerForegroundColor(QColor(theme.fine), PLUS)
        self.setMarkerBackgroundColor(QColor(theme.code), PLUS)

    # ---- faults

    def show_problems(self, problems: Iterable[Problem]) -> None:
        """Underline their lines; the words stand at the end of the line and in its tooltip."""
        self._problems = {}
        for problem in problems:
            line = min(problem.line or 0, self.lines())
            known = self._problems.get(line)
            if line > 0 and (known is None or (known.severity, problem.severity) == ("warning", "error")):
                self._problems[line] = problem
        for number in (ERROR, WARNING):
            self.clearIndicatorRange(0, 0, self.lines(), 0, number)
        for line, problem in self._problems.items():
            text = self.text(line - 1)
            start, end = len(text) - len(text.lstrip()), len(text.rstrip())
            number = ERROR if problem.severity == "error" else WARNING
            self.fillIndicatorRange(line - 1, start, line - 1, max(end, start + 1), number)
        self.show_values({line: (each.message, each.severity) for line, each in self._problems.items()})

    @property
    def underlined(self) -> dict[int, str]:
        """Lines with a fault, and what it is."""
        return {line: problem.message for line, problem in self._problems.items()}

    def _dwelt(self, position: int, x: int, y: int) -> None:
        line = int(self.SendScintilla(QsciScintilla.SCI_LINEFROMPOSITION, position)) + 1 if position >= 0 else 0
        problem = self._problems.get(line)
        if problem is not None:
            self.show_tip(position, f"{problem.message}\n{problem.hint_for_file}".strip())
        else:
            QToolTip.hideText()

    # ---- lines that the saved file does not have

    def mark_added(self, lines: list[int]) -> None:
        for marker in (ADDED_GROUND, PLUS):
            self.markerDeleteAll(marker)
            for line in lines:
                self.markerAdd(line - 1, marker)

    @property
    def added(self) -> list[int]:
        """Lines that are marked, from 1 on."""
        return [line + 1 for line in range(self.lines()) if self.markersAtLine(line) & 1 << ADDED_GROUND]

    # ---- completion

    def complete(self) -> list[str]:
        """Offer what can stand here; the words that are offered."""
        begun, words = self.completions(self._before_cursor().decode("utf-8", "replace"))
        if words:
            self.SendScintilla(QsciScintilla.SCI_AUTOCSHOW, len(begun.encode()), "\n".join(words).encode())
        return words

    def _before_cursor(self) -> bytes:
        return self.text().encode()[: int(self.SendScintilla(QsciScintilla.SCI_GETCURRENTPOS))]

    def _is_in_tag(self) -> bool:
        before = self._before_cursor()
        return before.rfind(b"<") > before.rfind(b">")

    # ---- text from elsewhere

    def show_text(self, text: bytes) -> None:
        """Change only what differs, so that cursor and view stay where they are; it cannot be undone here."""
        old = self.text().encode()
        if old != text:
            start = _common(old, text)
            end = _common(old[start:][::-1], text[start:][::-1])
            self.SendScintilla(QsciScintilla.SCI_SETTARGETRANGE, start, len(old) - end)
            new = text[start : len(text) - end]
            self.SendScintilla(QsciScintilla.SCI_REPLACETARGET, len(new), new)
        self.forget_undo()

    def forget_undo(self) -> None:
        """What is in the text is what the document says: its history undoes it from now on."""
        self.SendScintilla(QsciScintilla.SCI_EMPTYUNDOBUFFER)

    # ---- undo

    def undo(self) -> None:
        if super().isUndoAvailable():
            super().undo()
        else:
            self.undo_shared()

    def redo(self) -> None:
        if super().isRedoAvailable():
            super().redo()
        else:
            self.redo_shared()

    def isUndoAvailable(self) -> bool:
        return bool(super().isUndoAvailable()) or self.can_undo_shared()

    def isRedoAvailable(self) -> bool:
        return bool(super().isRedoAvailable()) or self.can_redo_shared()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        assert event is not None
        if event.matches(QKeySequence.StandardKey.Undo):
            self.undo()
        elif event.matches(QKeySequence.StandardKey.Redo) or QKeySequence(event.keyCombination()) == _CTRL_Y:
            self.redo()
        else:
            super().keyPressEvent(event)
            if event.text() in ("<", " ", '"') and self._is_in_tag():
                self.complete()


_CTRL_Y = QKeySequence("Ctrl+Y")
"""Qt means Ctrl+Shift+Z by redo on this platform; the menu has both."""


def _common(first: bytes, second: bytes) -> int:
    """How many bytes they begin with alike; never within a letter of several bytes."""
    most = min(len(first), len(second))
    count = next((place for place in range(most) if first[place] != second[place]), most)
    while 0 < count < most and (first[count] & 0xC0 == 0x80 or second[count] & 0xC0 == 0x80):
        count -= 1
    return count
