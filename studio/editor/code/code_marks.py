"""Marks in code: where it cannot be read, and where it failed while it ran."""

from __future__ import annotations

from PyQt6.Qsci import QsciScintilla
from PyQt6.QtGui import QColor

from studio.editor.code.code_editor import ARROW, CodeEditor
from studio.editor.code.syntax_check import SyntaxFault
from studio.editor.look.icons import pixmap
from studio.editor.look.theme import mixed

FAULT, FAILED, FAILED_GROUND = 12, 13, 14
"""The markers; others belong to breakpoints and to the line at which the code stands."""
UNDERLINE = 12
"""The indicator below a syntax error."""


class CodeMarks:
    def __init__(self, editor: CodeEditor) -> None:
        self.editor = editor
        mask = editor.marginMarkerMask(ARROW) | 1 << FAULT | 1 << FAILED
        editor.setMarginMarkerMask(ARROW, mask)
        self.show_theme()

    def show_theme(self) -> None:
        editor, theme = self.editor, self.editor.theme
        picture = pixmap("fa6s.circle-exclamation", theme.error, 12, editor.devicePixelRatioF())
        for marker in (FAULT, FAILED):
            editor.markerDefine(picture, marker)
        editor.markerDefine(QsciScintilla.MarkerSymbol.Background, FAILED_GROUND)
        editor.setMarkerBackgroundColor(QColor(mixed(theme.error, theme.code, 0.15)), FAILED_GROUND)
        editor.indicatorDefine(QsciScintilla.IndicatorStyle.SquigglePixmapIndicator, UNDERLINE)
        editor.setIndicatorForegroundColor(QColor(theme.error), UNDERLINE)

    def show_fault(self, fault: SyntaxFault | None) -> None:
        editor = self.editor
        editor.markerDeleteAll(FAULT)
        last = max(0, editor.lines() - 1)
        editor.clearIndicatorRange(0, 0, last, len(editor.text(last)), UNDERLINE)
        if fault is None:
            return
        line = min(fault.line - 1, last)
        length = len(editor.text(line).rstrip("\r\n"))
        start = min(fault.column - 1, max(0, length - 1))
        end = fault.end_column - 1 if fault.end_column > fault.column else length
        editor.markerAdd(line, FAULT)
        editor.fillIndicatorRange(line, start, line, max(start + 1, min(end, length)), UNDERLINE)

    def show_failure(self, line: int, words: str) -> None:
        """A line from 1 on, and why; 0 for none."""
        editor = self.editor
        for marker in (FAILED, FAILED_GROUND):
            editor.markerDeleteAll(marker)
        if line > 0:
            for marker in (FAILED, FAILED_GROUND):
                editor.markerAdd(line - 1, marker)
        editor.show_note(line, words)
