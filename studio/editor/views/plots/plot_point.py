"""The point of a curve that is under the pointer: marked, with its numbers in words."""

from __future__ import annotations

from dataclasses import dataclass

import pyqtgraph as pg

from studio.editor.live.state import count_words
from studio.editor.look.theme import Theme


@dataclass(frozen=True)
class PointedAt:
    topic: str
    number: int
    """Of the event; negative if it is not known."""
    name: str
    """Of its curve."""
    time_s: float
    value: float

    @property
    def words(self) -> str:
        value = f"{self.name} {self.value:.6g}".replace("-", "−")
        event = f"event {count_words(self.number)}: click to show its causes"
        return value if self.number < 0 else f"{value} · {event}"


class PointMark:
    """On a plot, over everything."""

    def __init__(self, plot: pg.PlotWidget) -> None:
        self._dot = pg.ScatterPlotItem(size=9, pxMode=True)
        self._text = pg.TextItem(anchor=(0.5, 1.4))
        for item in (self._dot, self._text):
            item.setZValue(20)
            item.setVisible(False)
            plot.addItem(item, ignoreBounds=True)

    @property
    def is_shown(self) -> bool:
        return bool(self._dot.isVisible())

    def show(self, point: PointedAt | None, share: float) -> None:
        """`share`: where along the axis, from 0 to 1; at the ends the words stand beside the point."""
        for item in (self._dot, self._text):
            item.setVisible(point is not None)
        if point is not None:
            self._dot.setData([point.time_s], [point.value])
            self._text.setText(point.words)
            self._text.setAnchor((min(max(share, 0.0), 1.0), 1.4))
            self._text.setPos(point.time_s, point.value)

    def show_theme(self, theme: Theme) -> None:
        self._dot.setPen(pg.mkPen(theme.canvas, width=1))
        self._dot.setBrush(pg.mkBrush(theme.accent))
        self._text.setColor(theme.text)
        self._text.fill = pg.mkBrush(theme.panel)
        self._text.border = pg.mkPen(theme.border)
