"""Runs Python's garbage collector in the window's own thread, between events.

Left to itself it runs wherever Python makes an object: in a thread that reads from a socket, or while Qt goes through
its widgets. Widgets that are held only by a cycle are then destroyed in another thread, or under the hands of Qt, and
the program ends with a segmentation fault.
"""

from __future__ import annotations

import gc

from PyQt6.QtCore import QObject, QTimer
from PyQt6.QtWidgets import QApplication

INTERVAL_MS = 500


class Collector(QObject):
    """While it lives, nothing else collects."""

    @classmethod
    def of(cls, app: QApplication) -> Collector:
        """The one of the application."""
        found: Collector | None = app.findChild(cls)
        return cls(app) if found is None else found

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._thresholds = gc.get_threshold()
        gc.disable()
        gc.freeze()  # what has been imported until now stays, and need not be looked through again
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.collect_if_due)
        self._timer.start(INTERVAL_MS)

    def collect_if_due(self) -> None:
        """By the rule that Python itself goes by: the oldest generation whose count is beyond its threshold."""
        counts = gc.get_count()
        due = [age for age in range(3) if counts[age] > self._thresholds[age]]
        if due:
            gc.collect(due[-1])
