"""Find, replace and go to a line, in a bar below the code."""

from __future__ import annotations

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QIntValidator, QKeyEvent
from PyQt6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QPushButton, QToolButton, QWidget

from studio.editor.code.code_editor import CodeEditor
from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme


class FindBar(QFrame):
    def __init__(self, editor: CodeEditor, theme: Theme) -> None:
        super().__init__()
        self.editor = editor
        self.field = _field("Find")
        self.field.textEdited.connect(lambda _: self.search(from_here=True))
        self.field.returnPressed.connect(self.search)
        self.new = _field("Replace by")
        self.new.returnPressed.connect(self.replace)
        self.line = _field("Line")
        self.line.setValidator(QIntValidator(1, 9_999_999, self))
        self.line.setFixedWidth(110)
        self.line.returnPressed.connect(self._go)
        self.case = _switch("Aa", "Capitals matter")
        self.word = _switch("W", "Whole words")
        self.expression = _switch(".*", "The field is a regular expression")
        for switch in (self.case, self.word, self.expression):
            switch.toggled.connect(lambda _: self.search(from_here=True))
        self.before = _tool("Find the one before (Shift+F3)")
        self.before.clicked.connect(lambda _: self.search(back=True))
        self.after = _tool("Find the next (F3)")
        self.after.clicked.connect(lambda _: self.search())
        self.one = QPushButton("Replace")
        self.one.clicked.connect(self.replace)
        self.all = QPushButton("Replace all")
        self.all.clicked.connect(self.replace_all)
        self.words = QLabel()
        self.words.setProperty("role", "muted")
        self.words.setMinimumWidth(96)
        self.close_button = _tool("Close (Esc)")
        self.close_button.clicked.connect(self.close_bar)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 5, 8, 5)
        row.setSpacing(4)
        self._finding: tuple[QWidget, ...] = (
            self.field,
            self.case,
            self.word,
            self.expression,
            self.before,
            self.after,
            self.words,
        )
        self._replacing: tuple[QWidget, ...] = (self.new, self.one, self.all)
        for widget in (*self._finding, *self._replacing, self.line):
            row.addWidget(widget, 1 if widget in (self.field, self.new) else 0)
        row.addStretch(0)
        row.addWidget(self.close_button)
        self.show_theme(theme)
        self.hide()

    def show_theme(self, theme: Theme) -> None:
        for button, name in ((self.before, "mdi6.chevron-up"), (self.after, "mdi6.chevron-down"),
                             (self.close_button, "mdi6.close")):  # fmt: skip
            button.setIcon(icon(name, theme.muted))

    def open(self, mode: str) -> None:
        """find, replace or go_to."""
        for widget in self._finding:
            widget.setVisible(mode != "go_to")
        for widget in self._replacing:
            widget.setVisible(mode == "replace")
        self.line.setVisible(mode == "go_to")
        self.show()
        if mode == "go_to":
            self.line.setText(str(self.editor.line))
            self.line.setPlaceholderText(f"Line, 1 to {self.editor.lines()}")
            self.line.selectAll()
            self.line.setFocus()
            return
        chosen = self.editor.selectedText()
        if chosen and "\n" not in chosen and "\r" not in chosen:
            self.field.setText(chosen)
        self.field.selectAll()
        self.field.setFocus()
        self._count()

    def search(self, *, back: bool = False, from_here: bool = False) -> bool:
        """The next one, from the cursor on; with `from_here` the one that the cursor is in counts too."""
        text = self.field.text()
        if not text:
            self._say("")
            return False
        line, column = self.editor.getCursorPosition()
        if self.editor.hasSelectedText():
            begin_line, begin_column, end_line, end_column = self.editor.getSelection()
            at_begin = from_here or back
            line, column = (begin_line, begin_column) if at_begin else (end_line, end_column)
        found = self.editor.findFirst(
            text, self.expression.isChecked(), self.case.isChecked(), self.word.isChecked(), True, not back,
            line, column, True, False, True,
        )  # fmt: skip
        self._count()
        return bool(found)

    def replace(self) -> None:
        """What is found now, and find the next."""
        if self.editor.hasSelectedText() and self.search(from_here=True):
            self.editor.replace(self.new.text())
        self.search()

    def replace_all(self) -> None:
        """In one step that can be undone."""
        text, count = self.field.text(), 0
        if not text:
            return
        self.editor.beginUndoAction()
        found = self.editor.findFirst(
            text, self.expression.isChecked(), self.case.isChecked(), self.word.isChecked(), False, True, 0, 0,
            False, False, True,
        )  # fmt: skip
        while found:
            self.editor.replace(self.new.text())
            count += 1
            found = self.editor.findNext()
        self.editor.endUndoAction()
        self._say(f"{count} replaced")

    def _count(self) -> None:
        text = self.field.text()
        if not text or self.expression.isChecked() or self.word.isChecked():
            self._say("")
            return
        whole = self.editor.text()
        count = whole.count(text) if self.case.isChecked() else whole.casefold().count(text.casefold())
        self._say(f"{count} found" if count else "Not found")
        self.field.setProperty("wrong", not count)
        style = self.field.style()
        if style is not None:
            style.polish(self.field)

    def _say(self, words: str) -> None:
        self.words.setText(words)

    def _go(self) -> None:
        if self.line.text():
            self.editor.go_to(int(self.line.text()))
        self.close_bar()

    def close_bar(self) -> None:
        self.hide()
        self.editor.setFocus()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        if event is not None and event.key() == Qt.Key.Key_Escape:
            self.close_bar()
        else:
            super().keyPressEvent(event)


def _field(words: str) -> QLineEdit:
    field = QLineEdit()
    field.setPlaceholderText(words)
    field.setAccessibleName(words)
    return field


def _switch(text: str, words: str) -> QToolButton:
    button = _tool(words)
    button.setText(text)
    button.setCheckable(True)
    button.setProperty("segment", True)
    return button


def _tool(words: str) -> QToolButton:
    button = QToolButton()
    button.setToolTip(words)
    button.setAccessibleName(words)
    return button
