"""The maps of a run that were shown before, and the slider that goes back to them."""

from __future__ import annotations

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import QHBoxLayout, QWidget

from studio.editor.panels.parts.time_slider import TimeSlider
from studio.editor.panels.parts.viewer import facts
from studio.editor.views.maps.map_history import MapHistory
from studio.messages import Map

NEWEST, LONGEST = "Newest map", "000.0 s ago"
"""What stands beside the slider at its right end, and what needs the most room there."""


class MapPast(QWidget):
    moved = pyqtSignal()
    """By hand, to another map."""

    def __init__(self) -> None:
        super().__init__()
        self.words = facts(NEWEST)
        metrics = self.words.fontMetrics()
        self.words.setFixedWidth(max(metrics.horizontalAdvance(words) for words in (NEWEST, LONGEST)) + 4)
        self.slider = TimeSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName("History")
        self.slider.setFixedWidth(90)
        self.slider.setRange(0, 0)
        self.slider.valueChanged.connect(self._turn)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(self.words)
        row.addWidget(self.slider)
        self._history = MapHistory()
        self._tell()

    @property
    def shown(self) -> Map | None:
        return self._history[self.slider.value()] if len(self._history) else None

    @property
    def is_newest(self) -> bool:
        return self.slider.value() == self.slider.maximum()

    @property
    def ago_s(self) -> float:
        """How much older than the newest the one is that is shown."""
        return (self._history.time_ns(-1) - self._history.time_ns(self.slider.value())) / 1e9

    def add(self, map_: Map, time_ns: int) -> bool:
        """Who looks at the newest sees this one from now on, who looks back stays there. False if what was looked at is
        no longer kept."""
        was_newest, before = self.is_newest, self.slider.value()
        dropped = self._history.add(map_, time_ns)
        self.slider.blockSignals(True)
        self.slider.setMaximum(len(self._history) - 1)
        self.slider.setValue(self.slider.maximum() if was_newest else max(before - dropped, 0))
        self.slider.blockSignals(False)
        self._tell()
        return was_newest or before >= dropped

    def forget(self) -> None:
        self._history.clear()
        self.slider.setMaximum(0)
        self._tell()

    def _turn(self) -> None:
        self._tell()
        self.moved.emit()

    def _tell(self) -> None:
        self.setEnabled(len(self._history) > 1)
        self.words.setText(NEWEST if self.is_newest else f"{self.ago_s:.1f} s ago")
        kept = len(self._history)
        how_many = f"{kept} maps of this run are kept" if kept > 1 else "There is no earlier map of this run"
        self.setToolTip(f"History: {how_many}; ← → go from one to the next, at the right end is the newest")
