"""A bar above the canvas or below the code: what changed outside, and what to do about it. Nobody is held up by it."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QColor, QFont, QResizeEvent, QSyntaxHighlighter, QTextCharFormat, QTextDocument
from PyQt6.QtWidgets import (
    QBoxLayout,
    QDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from studio.editor.look.dialog_parts import button_row
from studio.editor.look.fonts import code_font
from studio.editor.look.theme import DARK, LIGHT, Theme

LEAST_WORDS = 260
"""Room for a sentence beside its buttons."""
Choices = Mapping[str, Callable[[], object]]
"""What is on each button, and what it does."""


@dataclass(frozen=True)
class Question:
    about: str
    words: str
    choices: Choices


class Notice(QFrame):
    """Shows the newest question; the others wait behind it until it is answered or withdrawn."""

    answered = pyqtSignal()
    """The last one, by whoever has the keyboard here: it goes back to the work."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "notice")
        self.words = QLabel()
        self.words.setWordWrap(True)  # a long sentence must not widen the window
        self.more = QLabel()
        self.more.setProperty("role", "muted")
        self._row = QHBoxLayout()
        self._row.addWidget(self.more)
        self._layout = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._layout.setContentsMargins(12, 5, 8, 5)
        self._layout.addWidget(self.words, 1)
        self._layout.addLayout(self._row)
        self._layout.setAlignment(self._row, Qt.AlignmentFlag.AlignRight)
        self._buttons: list[QPushButton] = []
        self._questions: list[Question] = []
        self.hide()

    def ask(self, words: str, choices: Choices, about: str = "") -> None:
        """A question is gone when one of the `choices` was taken, unless its text ends with an ellipsis.

        One `about` the same thing takes the place of the older one.
        """
        question = Question(about or words, words, choices)
        self._questions = [*(each for each in self._questions if each.about != question.about), question]
        self._show()

    def asks(self, about: str) -> bool:
        return any(each.about == about for each in self._questions)

    def withdraw(self, *about: str) -> None:
        """Questions that have no meaning any more; without a name, all."""
        self._questions = [each for each in self._questions if about and each.about not in about]
        self._show()

    def _show(self) -> None:
        window = self.window()
        had_focus = window is not None and window.focusWidget() in self._buttons
        for old in self._buttons:
            old.hide()
            old.deleteLater()
        self._buttons = []
        if not self._questions:
            self.hide()
            if had_focus:
                self.answered.emit()
            return
        question, waiting = self._questions[-1], len(self._questions) - 1
        self.words.setText(question.words)
        self.more.setText(f"{waiting} more")
        self.more.setVisible(waiting > 0)
        for text, do in question.choices.items():
            button = QPushButton(text)
            button.clicked.connect(lambda _, text=text, do=do: self._take(question, text, do))
            self._row.addWidget(button)
            self._buttons.append(button)
        self._arrange()
        self.show()
        if had_focus and self._buttons:
            self._buttons[0].show()
            self._buttons[0].setFocus()  # it would go to any field, and the next key into it

    def _arrange(self) -> None:
        """Buttons stand below the words where both do not fit beside each other."""
        is_narrow = self.width() < self._row.sizeHint().width() + LEAST_WORDS
        ways = QBoxLayout.Direction
        self._layout.setDirection(ways.TopToBottom if is_narrow else ways.LeftToRight)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _take(self, question: Question, text: str, do: Callable[[], object]) -> None:
        if not text.endswith("…"):
            self.withdraw(question.about)
        do()


class TextDialog(QDialog):
    """A text to read and to copy from."""

    def __init__(self, parent: QWidget, title: str, text: str) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.resize(760, 520)
        page = self.page = QPlainTextEdit(text)
        page.setAccessibleName(title)
        page.setReadOnly(True)
        page.setFont(code_font(12))
        page.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.rows = QVBoxLayout(self)
        self.rows.addWidget(page)


class _Changes(QSyntaxHighlighter):
    """What comes is on green, what goes on red, and both have their signs; names of files stand out."""

    def __init__(self, document: QTextDocument, theme: Theme) -> None:
        super().__init__(document)
        self._grounds = {"+": _ground(theme.fine), "-": _ground(theme.error)}
        self._name = QTextCharFormat()
        self._name.setFontWeight(QFont.Weight.DemiBold)
        self._place = QTextCharFormat()
        self._place.setForeground(QColor(theme.muted))

    def highlightBlock(self, text: str | None) -> None:
        line = text or ""
        if line.startswith(("--- ", "+++ ")):
            self.setFormat(0, len(line), self._name)
        elif line.startswith("@@"):
            self.setFormat(0, len(line), self._place)
        elif line[:1] in self._grounds:
            self.setFormat(0, len(line), self._grounds[line[:1]])


def _ground(colour: str) -> QTextCharFormat:
    tint, found = QColor(colour), QTextCharFormat()
    tint.setAlphaF(0.18)
    found.setBackground(tint)
    return found


class DifferenceDialog(TextDialog):
    """Two versions of files, line by line; and what can be done about it, in words on a button."""

    def __init__(self, parent: QWidget, title: str, text: str, choices: Choices | None = None) -> None:
        for before in parent.findChildren(DifferenceDialog, options=Qt.FindChildOption.FindDirectChildrenOnly):
            if before.windowTitle() == title:  # who asks again wants to see how it is now
                before.close()
        super().__init__(parent, title, text or "There is no difference in the text.")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        document = self.page.document()
        assert document is not None
        is_dark = self.palette().base().color().lightness() < 128
        self.changes = _Changes(document, DARK if is_dark else LIGHT)
        self.buttons: dict[str, QPushButton] = {}
        for words, do in {**(choices or {}), "Close": lambda: None}.items():
            button = self.buttons[words] = QPushButton(words)
            button.setAutoDefault(words == "Close")
            button.clicked.connect(self.accept)
            button.clicked.connect(lambda _, do=do: do())
        self.rows.addLayout(button_row(*self.buttons.values()))
        self.buttons["Close"].setDefault(True)
        self.buttons["Close"].setFocus()


def difference(ours: dict[Path, bytes]) -> str:
    """What is on disk against what saving would write."""
    lines: list[str] = []
    for path, mine in ours.items():
        theirs = path.read_bytes() if path.exists() else b""
        lines += difflib.unified_diff(
            theirs.decode("utf-8", "replace").splitlines(), mine.decode("utf-8", "replace").splitlines(),
            f"{path.name} on disk", f"{path.name} here", lineterm="",
        )  # fmt: skip
    return "\n".join(lines)
