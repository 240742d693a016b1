"""A button of a viewer's bar: a picture in the bar, a picture with words where it had no room there."""

from __future__ import annotations

from PyQt6.QtCore import QSize, Qt
from PyQt6.QtWidgets import QSizePolicy, QToolButton


class ViewerTool(QToolButton):
    def __init__(self) -> None:
        super().__init__()
        self._is_behind = False
        self._in_bar = QSize()
        self.clicked.connect(self._close_popup)

    def stand(self, *, behind: bool) -> None:
        """In the popup of what has no room, there is some for words, and no neighbours to guess from."""
        if behind == self._is_behind:
            return
        self._in_bar = self._in_bar if self._is_behind else super().sizeHint()
        self._is_behind = behind
        styles, policies = Qt.ToolButtonStyle, QSizePolicy.Policy
        self.setText(f" {self.accessibleName()}" if behind else "")
        self.setToolButtonStyle(styles.ToolButtonTextBesideIcon if behind else styles.ToolButtonIconOnly)
        self.setSizePolicy(policies.MinimumExpanding if behind else policies.Fixed, policies.Fixed)

    def sizeHint(self) -> QSize:
        """As wide as in the bar, which asks also for what is not in it: it may have room again."""
        return self._in_bar if self._is_behind else super().sizeHint()

    def minimumSizeHint(self) -> QSize:
        return super().sizeHint() if self._is_behind else super().minimumSizeHint()

    def _close_popup(self) -> None:
        """What was chosen there is done; what has choices of its own opens them over it."""
        parent = self.parentWidget()
        if parent is not None and self._is_behind and self.menu() is None:
            parent.hide()
