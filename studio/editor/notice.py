"""A bar above the document: what changed outside, and what can be done about it. Nobody is held up by it."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from PyQt6.QtWidgets import QDialog, QFrame, QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from studio.editor.dialog_parts import button_row
from studio.editor.fonts import code_font

Choices = Mapping[str, Callable[[], object]]
"""What is on each button, and what it does."""


@dataclass(frozen=True)
class Question:
    about: str
    words: str
    choices: Choices


class Notice(QFrame):
    """Shows the newest question; the others wait behind it until it is answered or withdrawn."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "notice")
        self.words = QLabel()
        self.words.setWordWrap(True)  # a long sentence must not widen the window
        self.more = QLabel()
        self.more.setProperty("role", "muted")
        self._layout = QHBoxLayout(self)
        self._layout.setContentsMargins(12, 5, 8, 5)
        self._layout.addWidget(self.words, 1)
        self._layout.addWidget(self.more)
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
        for old in self._buttons:
            old.hide()
            old.deleteLater()
        self._buttons = []
        if not self._questions:
            self.hide()
            return
        question, waiting = self._questions[-1], len(self._questions) - 1
        self.words.setText(question.words)
        self.more.setText(f"{waiting} more")
        self.more.setVisible(waiting > 0)
        for text, do in question.choices.items():
            button = QPushButton(text)
            button.clicked.connect(lambda _, text=text, do=do: self._take(question, text, do))
            self._layout.addWidget(button)
            self._buttons.append(button)
        self.show()

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


class DifferenceDialog(TextDialog):
    """Two versions of files, line by line; and what can be done about it, in words on a button."""

    def __init__(self, parent: QWidget, title: str, text: str, choices: Choices | None = None) -> None:
        super().__init__(parent, title, text or "There is no difference in the text.")
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
