"""A field that finds: every action (Ctrl+Shift+P), or everything in the system (Ctrl+P)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from PyQt6.QtCore import QEvent, QObject, QPoint, Qt
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import QFrame, QLineEdit, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget


@dataclass(frozen=True)
class Choice:
    text: str
    hint: str
    """At the right: keys, or what kind of thing it is."""
    do: Callable[[], object]
    also: str = ""
    """Other words that people look for."""


class CommandPalette(QFrame):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setProperty("role", "card")
        self.setFixedSize(560, 380)
        self.setAccessibleName("Commands")
        self._choices: list[Choice] = []
        self.field = QLineEdit()
        self.field.textChanged.connect(self._search)
        self.field.installEventFilter(self)
        self.list = QTreeWidget()
        self.list.setHeaderHidden(True)
        self.list.setRootIsDecorated(False)
        self.list.setColumnCount(2)
        self.list.setAccessibleName("Found")
        self.list.itemActivated.connect(self._take)
        self.list.itemClicked.connect(self._take)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.setSpacing(6)
        layout.addWidget(self.field)
        layout.addWidget(self.list)

    def open(self, choices: Iterable[Choice], prompt: str) -> None:
        self._choices = list(choices)
        self.field.setPlaceholderText(prompt)
        self.field.setAccessibleName(prompt)
        self.field.clear()
        self._search("")
        parent = self.parentWidget()
        assert parent is not None
        self.move(parent.mapToGlobal(QPoint((parent.width() - self.width()) // 2, 64)))
        self.show()
        self.field.setFocus()

    def _search(self, text: str) -> None:
        self.list.clear()
        ranks = [choice_rank(choice, text) for choice in self._choices]
        for place in sorted(range(len(ranks)), key=lambda i: (ranks[i], i)):
            choice = self._choices[place]
            if ranks[place] < MISSED:
                row = QTreeWidgetItem([choice.text, choice.hint])
                row.setData(0, Qt.ItemDataRole.UserRole, place)
                row.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                self.list.addTopLevelItem(row)
        self.list.setColumnWidth(0, 350)
        if self.list.topLevelItemCount():
            self.list.setCurrentItem(self.list.topLevelItem(0))

    def _take(self, row: QTreeWidgetItem) -> None:
        choice = self._choices[row.data(0, Qt.ItemDataRole.UserRole)]
        self.hide()
        choice.do()

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            current = self.list.currentItem()
            if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up) and current is not None:
                step = 1 if event.key() == Qt.Key.Key_Down else -1
                row = self.list.indexOfTopLevelItem(current) + step
                self.list.setCurrentItem(self.list.topLevelItem(max(0, min(row, self.list.topLevelItemCount() - 1))))
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and current is not None:
                self._take(current)
                return True
        return super().eventFilter(watched, event)


MISSED = 100


def choice_rank(choice: Choice, typed: str) -> int:
    """By its own text; another word counts where it starts so, but after every text that does."""
    own = rank(choice.text, typed)
    return min(own, 1) if choice.also and rank(choice.also, typed) <= 1 else own


def rank(text: str, typed: str) -> int:
    """How well `typed` fits: 0 starts so, then a word starts so, then contains, then its letters in order."""
    text, typed = text.casefold(), typed.casefold().strip()
    if not typed or text.startswith(typed):
        return 0
    if any(word.startswith(typed) for word in text.replace(".", " ").replace("_", " ").split()):
        return 1
    if all(word in text for word in typed.split()):
        return 2
    letters = iter(text)
    return 3 if all(letter in letters for letter in typed.replace(" ", "")) else MISSED
