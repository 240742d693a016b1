"""The colours of a plot's curves, and the plate that tells which is which."""

from __future__ import annotations

from collections.abc import Sequence

import pyqtgraph as pg
from PyQt6.QtCore import QSize, Qt

from studio.editor.look.theme import Theme
from studio.editor.views.plots.plot_curve import Curve, legend_names

HUES = ("Range3d", "Velocity", "Map", "Vote", "PoseTransform", "Image")
"""Curves are told apart by the hues of message types, in this order, and by their names in the legend."""


ROW_PX, SHARE, LEAST_ROWS = 18, 0.45, 3
"""How high a name is, and how much of the height of a plot all names may take."""
PADDING_PX = 3
WIDE_PX = 700
"""In less a legend of whole names would lie over half of the curves."""
Row = tuple[pg.PlotDataItem, str]
"""A curve, and what it is called."""


def style_in(room: QSize) -> tuple[int, bool]:
    """How many names a plot of this size has room for, and whether they are whole."""
    return max(int(room.height() * SHARE / ROW_PX), LEAST_ROWS), room.width() >= WIDE_PX


class CloseRows(pg.LegendItem):
    """A legend whose rows are as far apart as lines of text."""

    _is_filled = True

    def fill(self, rows: Sequence[Row]) -> None:
        """With these rows alone; its size is computed once, not with each of them."""
        self._is_filled = False
        self.clear()
        for item, words in rows:
            self.addItem(item, words)
        self._is_filled = True
        self.updateSize()
        self.setVisible(bool(rows))

    def updateSize(self) -> None:
        if not self._is_filled:
            return
        super().updateSize()
        for row in self.items:
            for part in row:  # it asks for half as much again as its letters need
                part.setMinimumHeight(ROW_PX)
                part.setMaximumHeight(ROW_PX)
        self.setGeometry(0, 0, self.width() + 2 * PADDING_PX, ROW_PX * len(self.items) + 2 * PADDING_PX)


class CurveNames:
    def __init__(self, plot: pg.PlotWidget) -> None:
        self._more = pg.PlotDataItem(pen=None)
        """Stands for the curves whose names have no room."""
        self._curves: Sequence[Curve] = ()
        self._listed: tuple[Sequence[Row], str] = ((), "")
        """What the plate shows, and in which theme."""
        self.legend = CloseRows(offset=(8, 8))
        self.legend.layout.setContentsMargins(PADDING_PX, PADDING_PX, PADDING_PX, PADDING_PX)
        self.legend.setParentItem(plot.getPlotItem().vb)

    def show(self, curves: Sequence[Curve], theme: Theme, *, room: QSize, are_crossed: bool = False) -> None:
        """In a plot of this size. `are_crossed`: the axes tell what is seen."""
        hues = {what: number for number, what in enumerate(dict.fromkeys(curve.what for curve in curves))}
        for curve, name in zip(curves, legend_names(curves), strict=True):
            curve.shown_as = name
            style = Qt.PenStyle.SolidLine if hues[curve.what] < len(HUES) else Qt.PenStyle.DashDotLine
            if curve.log is not None:
                style = Qt.PenStyle.DashLine
            # One pixel wide: with two, Qt's software painter takes seven times as long.
            curve.item.setPen(pg.mkPen(theme.hue(HUES[hues[curve.what] % len(HUES)]), width=1, style=style))
        self._curves = [] if are_crossed else list(curves)
        self.fit_into(room, theme)

    def fit_into(self, room: QSize, theme: Theme) -> None:
        """As many names as a plot of this size has room for. Names that stay are not made anew: that is slow, and a
        panel that opens is resized several times.
        """
        rows = self._rows(room)
        if (rows, theme.name) != self._listed:
            self._listed = rows, theme.name
            self.legend.setBrush(pg.mkBrush(theme.panel))
            self.legend.setLabelTextColor(theme.text)
            self.legend.fill(rows)

    def _rows(self, room: QSize) -> list[Row]:
        most, is_whole = style_in(room)
        listed = self._curves if len(self._curves) <= most else self._curves[: most - 1]
        rows: list[Row] = [(curve.item, curve.name if is_whole else curve.shown_as) for curve in listed]
        if len(listed) < len(self._curves):
            rows.append((self._more, f"and {len(self._curves) - len(listed)} more"))
        return rows
