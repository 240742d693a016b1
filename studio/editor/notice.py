"""A bar above the document: what changed outside, and what can be done about it. Never a dialog."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from pathlib import Path

from PyQt6.QtWidgets import QDialog, QFrame, QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from studio.editor.fonts import code_font


class Notice(QFrame):
    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "notice")
        self.words = QLabel()
        self.words.setWordWrap(True)  # a long sentence must not widen the window
        self._layout = QHBoxLayout(self)
        self._layout.setContentsMargins(12, 5, 8, 5)
        self._layout.addWidget(self.words, 1)
        self._buttons: list[QPushButton] = []
        self.hide()

    def ask(self, words: str, choices: dict[str, Callable[[], object]]) -> None:
        """The bar goes away when one of the `choices` was taken, unless its text ends with an ellipsis."""
        for old in self._buttons:
            old.hide()
            old.deleteLater()
        self._buttons = []
        self.words.setText(words)
        for text, do in choices.items():
            button = QPushButton(text)
            button.clicked.connect(lambda _, text=text, do=do: self._take(text, do))
            self._layout.addWidget(button)
            self._buttons.append(button)
        self.show()

    def _take(self, text: str, do: Callable[[], object]) -> None:
        if not text.endswith("…"):
            self.hide()
        do()


class TextDialog(QDialog):
    """A text to read and to copy from."""

    def __init__(self, parent: QWidget, title: str, text: str) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.resize(760, 520)
        page = QPlainTextEdit(text)
        page.setAccessibleName(title)
        page.setReadOnly(True)
        page.setFont(code_font(12))
        page.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        layout = QVBoxLayout(self)
        layout.addWidget(page)


class DifferenceDialog(TextDialog):
    """Two versions of files, line by line."""

    def __init__(self, parent: QWidget, title: str, text: str) -> None:
        super().__init__(parent, title, text or "There is no difference in the text.")


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
