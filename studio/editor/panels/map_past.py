"""The maps of a run that were shown before, and the slider that goes back to them."""

from __future__ import annotations

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QSlider

from studio.editor.views.map_history import MapHistory
from studio.messages import Map


class MapPast(QSlider):
    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.setToolTip("Earlier maps of this run; at the right end the newest")
        self.setAccessibleName("History")
        self.setFixedWidth(90)
        self.setRange(0, 0)
        self._history = MapHistory()

    @property
    def shown(self) -> Map | None:
        return self._history[self.value()] if len(self._history) else None

    @property
    def is_newest(self) -> bool:
        return self.value() == self.maximum()

    @property
    def ago_s(self) -> float:
        """How much older than the newest the one is that is shown."""
        return (self._history.time_ns(-1) - self._history.time_ns(self.value())) / 1e9

    def add(self, map_: Map, time_ns: int) -> bool:
        """Who looks at the newest sees this one from now on, who looks back stays there. False if what was looked at is
        no longer kept."""
        was_newest, before = self.is_newest, self.value()
        dropped = self._history.add(map_, time_ns)
        self.blockSignals(True)
        self.setMaximum(len(self._history) - 1)
        self.setValue(self.maximum() if was_newest else max(before - dropped, 0))
        self.blockSignals(False)
        return was_newest or before >= dropped

    def forget(self) -> None:
        self._history.clear()
        self.setMaximum(0)
