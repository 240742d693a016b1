"""A line for an expression, which completes names while they are typed."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtCore import QEvent, QStringListModel, Qt
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import QCompleter, QLineEdit

from studio.editor.look.fonts import code_font

_CHOOSING = (Qt.Key.Key_Tab, Qt.Key.Key_Return, Qt.Key.Key_Enter)


class ExpressionField(QLineEdit):
    """Tab takes the first of the names that are offered, Return the one that was chosen with the arrow keys."""

    def __init__(self, text: str, complete: Callable[[str], tuple[str, list[str]]]) -> None:
        super().__init__(text)
        self._complete = complete
        self._word = ""
        self.setFont(code_font(13))
        self.completer_ = QCompleter(QStringListModel(self), self)
        self.completer_.setWidget(self)
        self.completer_.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self.completer_.activated.connect(self._take)
        popup = self.completer_.popup()
        assert popup is not None
        popup.setStyleSheet("QListView { border: 1px solid palette(mid); padding: 2px; }")  # or it melts into the form
        self.textEdited.connect(lambda _: self.offer())

    @property
    def offered(self) -> list[str]:
        """The names that can be seen below the line."""
        popup, model = self.completer_.popup(), self.completer_.model()
        assert popup is not None and isinstance(model, QStringListModel)
        return model.stringList() if popup.isVisible() else []

    def offer(self) -> None:
        """Show what the word at the cursor may become."""
        self._word, names = self._complete(self.text()[: self.cursorPosition()])
        model, popup = self.completer_.model(), self.completer_.popup()
        assert isinstance(model, QStringListModel) and popup is not None
        model.setStringList(names)
        if names:
            self.completer_.complete(self.rect().adjusted(0, 0, -self.width() // 3, 0))
        else:
            popup.hide()

    def _take(self, name: str) -> None:
        at = self.cursorPosition()
        text = self.text()
        begin = at - len(self._word)
        self.setText(text[:begin] + name + text[at:])
        self.setCursorPosition(begin + len(name))
        self.textEdited.emit(self.text())

    def event(self, event: QEvent | None) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and self._chooses(event):
            return True
        return super().event(event)

    def _chooses(self, event: QKeyEvent) -> bool:
        """A key that means the list of names, while it is there."""
        popup = self.completer_.popup()
        names = self.offered
        if popup is None or not names:
            return False
        if event.key() == Qt.Key.Key_Escape:
            popup.hide()
            return True
        chosen = popup.currentIndex()
        if event.key() not in _CHOOSING or (event.key() != Qt.Key.Key_Tab and not chosen.isValid()):
            return False
        popup.hide()
        self._take(str(chosen.data()) if chosen.isValid() else names[0])
        return True
