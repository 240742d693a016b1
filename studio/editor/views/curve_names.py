"""The colours of a plot's curves, and the plate that tells which is which."""

from __future__ import annotations

from collections.abc import Sequence

import pyqtgraph as pg
from PyQt6.QtCore import QSize, Qt

from studio.editor.theme import Theme
from studio.editor.views.plot_curve import Curve, legend_names

HUES = ("Range3d", "Velocity", "Map", "Vote", "PoseTransform", "Image")
"""Curves are told apart by the hues of message types, in this order, and by their names in the legend."""


ROW_PX, SHARE, LEAST_ROWS = 18, 0.45, 3
"""How high a name is, and how much of the height of a plot all names may take."""
PADDING_PX = 3
WIDE_PX = 700
"""In less a legend of whole names would lie over half of the curves."""


def style_in(room: QSize) -> tuple[int, bool]:
    """How many names a plot of this size has room for, and whether they are whole."""
    return max(int(room.height() * SHARE / ROW_PX), LEAST_ROWS), room.width() >= WIDE_PX


class CloseRows(pg.LegendItem):
    """A legend whose rows are as far apart as lines of text."""

    def updateSize(self) -> None:
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
        self._style = (0, False)
        self.legend = CloseRows(offset=(8, 8))
        self.legend.layout.setContentsMargins(PADDING_PX, PADDING_PX, PADDING_PX, PADDING_PX)
        self.legend.setParentItem(plot.getPlotItem().vb)

    def is_fit_for(self, room: QSize) -> bool:
        """Whether what is shown suits a plot of this size."""
        return self._style == style_in(room)

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
        self._list([] if are_crossed else curves, theme, room)

    def _list(self, curves: Sequence[Curve], theme: Theme, room: QSize) -> None:
        self.legend.setBrush(pg.mkBrush(theme.panel))
        self.legend.setLabelTextColor(theme.text)
        self.legend.clear()
        self._style = most, is_whole = style_in(room)
        listed = curves if len(curves) <= most else curves[: most - 1]
        for curve in listed:
            self.legend.addItem(curve.item, curve.name if is_whole else curve.shown_as)
        if len(listed) < len(curves):
            self.legend.addItem(self._more, f"and {len(curves) - len(listed)} more")
        self.legend.updateSize()
        self.legend.setVisible(bool(curves))
