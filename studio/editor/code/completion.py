"""Names to choose from while one types, and the parameters of the call that is being written."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from PyQt6.Qsci import QsciScintilla
from PyQt6.QtCore import QObject, QTimer
from PyQt6.QtGui import QColor

from studio.editor.code.analysis import CodeAnalysis
from studio.editor.code.code_editor import CodeEditor
from studio.editor.look.icons import icon

AFTER_MS = 120
"""A person who types on is not asked about every letter."""
LEAST_LETTERS = 2
ROWS = 10
TIP_BORDERS = 14
"""Left and right of its text, in pixels."""
PICTURES = {
    "function": (1, "mdi6.function-variant"), "class": (2, "mdi6.alpha-c-box-outline"),
    "module": (3, "mdi6.package-variant"), "keyword": (4, "mdi6.key-outline"), "statement": (5, "mdi6.variable"),
}  # fmt: skip
_WORD = re.compile(r"\w*\Z")


def word_before(text: str) -> str:
    """The part of a name that has been typed."""
    found = _WORD.search(text)
    return found.group() if found else ""


def fitting(found: list[list[str]], typed: str) -> list[list[str]]:
    """Names that begin as was typed; private ones only for those who ask for them."""
    begun = [one for one in found if one[0].casefold().startswith(typed.casefold())]
    return begun if typed.startswith("_") else [one for one in begun if not one[0].startswith("_")]


class Completion(QObject):
    def __init__(self, editor: CodeEditor, analysis: CodeAnalysis) -> None:
        super().__init__(editor)
        self.editor, self.analysis = editor, analysis
        self.shown: list[str] = []
        """The names in the list that was opened last."""
        self._call = 0
        """Counts the calls whose signature was asked for."""
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(AFTER_MS)
        self._timer.timeout.connect(self.ask)
        send = editor.SendScintilla
        send(QsciScintilla.SCI_AUTOCSETSEPARATOR, ord("\n"))
        send(QsciScintilla.SCI_AUTOCSETIGNORECASE, True)
        send(QsciScintilla.SCI_AUTOCSETORDER, QsciScintilla.SC_ORDER_CUSTOM)
        send(QsciScintilla.SCI_AUTOCSETMAXHEIGHT, ROWS)
        editor.SCN_CHARADDED.connect(self._typed)
        editor.key_wanted.connect(lambda name: self.ask() if name == "complete" else None)
        self.show_theme()

    def show_theme(self) -> None:
        theme = self.editor.theme
        for number, name in PICTURES.values():
            self.editor.registerImage(number, icon(name, theme.muted).pixmap(14, 14))
        self.editor.setCallTipsBackgroundColor(QColor(theme.tooltip))
        self.editor.setCallTipsForegroundColor(QColor(theme.text))
        self.editor.setCallTipsHighlightColor(QColor(theme.accent))

    @property
    def is_open(self) -> bool:
        return bool(self.editor.SendScintilla(QsciScintilla.SCI_AUTOCACTIVE))

    def _typed(self, code: int) -> None:
        letter = chr(code)
        if letter in "(,)":
            self._ask_signature()
        line, column = self.editor.getCursorPosition()
        before = self.editor.text(line)[:column]
        if letter == "." or (len(word_before(before)) >= LEAST_LETTERS and not self.is_open):
            self._timer.start()
        else:
            self._timer.stop()

    def ask(self) -> None:
        """At the cursor; the list opens when the answer is there and the cursor is still in the same name."""
        line, column = self.editor.getCursorPosition()
        text = self.editor.text(line)[:column]
        if _in_text_or_comment(self.editor):
            return
        start = column - len(word_before(text))
        self.analysis.ask(
            "complete", self.editor.path, self.editor.text(), line + 1, column,
            lambda found: self._show(found, line, start),
        )  # fmt: skip

    def _show(self, found: list[list[str]], line: int, start: int) -> None:
        now, column = self.editor.getCursorPosition()
        typed = self.editor.text(now)[start:column]
        if now != line or column < start or not re.fullmatch(r"\w*", typed) or not self.editor.hasFocus():
            return
        rows = fitting(found, typed)
        self.shown = [name for name, _ in rows]
        if not rows or self.shown == [typed]:
            return
        pictured = [f"{name}?{PICTURES.get(kind, PICTURES['statement'])[0]}" for name, kind in rows]
        self.editor.SendScintilla(QsciScintilla.SCI_AUTOCSHOW, len(typed.encode()), "\n".join(pictured).encode())

    def _ask_signature(self) -> None:
        """Of the call around the cursor: behind a `)` the one outside it, or none."""
        self._call += 1
        line, column = self.editor.getCursorPosition()
        self.analysis.ask(
            "signature", self.editor.path, self.editor.text(), line + 1, column,
            partial(self._show_signature, self._call, line),
        )  # fmt: skip

    def _show_signature(self, call: int, line: int, found: list[Any]) -> None:
        now, _ = self.editor.getCursorPosition()
        if call != self._call:
            return  # it was asked about another call since
        if not found:
            self.editor.SendScintilla(QsciScintilla.SCI_CALLTIPCANCEL)
        elif now == line and self.editor.hasFocus() and not self.is_open:
            self._open_tip(str(found[0]), int(found[1]), int(found[2]))

    def _open_tip(self, text: str, begin: int, end: int) -> None:
        self.editor.SendScintilla(QsciScintilla.SCI_CALLTIPSHOW, self.place_of_tip(text), text.encode())
        if end > begin:
            self.editor.SendScintilla(QsciScintilla.SCI_CALLTIPSETHLT, begin, end)

    def place_of_tip(self, text: str) -> int:
        """The cursor, or as far left of it in its line as the tip must begin to end on the screen."""
        send, screen = self.editor.SendScintilla, self.editor.screen()
        at = int(send(QsciScintilla.SCI_GETCURRENTPOS))
        if screen is None:
            return at
        first = int(send(QsciScintilla.SCI_POSITIONFROMLINE, self.editor.getCursorPosition()[0]))
        width = int(send(QsciScintilla.SCI_TEXTWIDTH, QsciScintilla.STYLE_DEFAULT, text.encode())) + TIP_BORDERS
        last_x = self.editor.mapFromGlobal(screen.availableGeometry().bottomRight()).x() - width
        while at > first and int(send(QsciScintilla.SCI_POINTXFROMPOSITION, 0, at)) > last_x:
            at = int(send(QsciScintilla.SCI_POSITIONBEFORE, at))
        return at


def _in_text_or_comment(editor: CodeEditor) -> bool:
    at = int(editor.SendScintilla(QsciScintilla.SCI_GETCURRENTPOS))
    lexer = editor.lexer()
    style = int(editor.SendScintilla(QsciScintilla.SCI_GETSTYLEAT, max(0, at - 1)))
    name = (lexer.description(style) or "").casefold()
    return any(word in name for word in ("comment", "string", "quoted"))
