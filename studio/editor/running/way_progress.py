"""A long way of the whole system (a reload, going to an event): what is done, how far it is, and how to cancel it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PyQt6.QtCore import Qt, QTimer, pyqtSignal
from PyQt6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QPushButton, QSizePolicy, QWidget

SHOWN_AFTER_MS = 500
"""What is done sooner needs no words."""
PARTS = 1000
BAR_WIDTH = 100


class WayProgress(QWidget):
    """In the status bar, while such a way is under way for longer than a moment."""

    cancel_wanted = pyqtSignal()
    shown = pyqtSignal(bool)

    def __init__(self) -> None:
        super().__init__()
        self.words = QLabel()
        self.words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedSize(BAR_WIDTH, 6)
        self.bar.setAccessibleName("Progress")
        self.percent = QLabel()
        self.cancel = QPushButton("Cancel")
        self.cancel.setToolTip("Stop here: the system stays at the event that it has come to")
        self.cancel.setStyleSheet("padding: 0 10px; min-height: 20px; max-height: 20px;")
        self.cancel.clicked.connect(self._cancel)
        row = QHBoxLayout(self)
        row.setContentsMargins(4, 0, 4, 0)
        row.setSpacing(8)
        row.addWidget(self.words, 1)
        row.addWidget(self.bar, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.percent)
        row.addWidget(self.cancel)
        self._way: Mapping[str, Any] | None = None
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(SHOWN_AFTER_MS)
        self._patience.timeout.connect(self._show)
        self.hide()

    def follow(self, way: Mapping[str, Any] | None) -> None:
        """`way` as the snapshot of the system has it."""
        self._way = way
        if way is None:
            self._patience.stop()
            self.cancel.setEnabled(True)
            if not self.isHidden():
                self.hide()
                self.shown.emit(False)
        elif not self.isHidden():
            self._tell(way)
        elif not self._patience.isActive():
            self._patience.start()

    def _show(self) -> None:
        if self._way is not None:
            self.show()
            self.shown.emit(True)
            self._tell(self._way)

    def _tell(self, way: Mapping[str, Any]) -> None:
        part = way["part"]
        words = str(way["words"])
        self.words.setText(self.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, self.words.width()))
        self.words.setToolTip(words)
        self.bar.setRange(0, 0 if part is None else PARTS)
        self.bar.setValue(0 if part is None else round(PARTS * min(1.0, max(0.0, part))))
        self.percent.setText("" if part is None else f"{100 * part:.0f} %")

    def _cancel(self) -> None:
        self.cancel.setEnabled(False)
        self.cancel_wanted.emit()
