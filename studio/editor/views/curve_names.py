"""The colours of a plot's curves, and the plate that tells which is which."""

from __future__ import annotations

from collections.abc import Sequence

import pyqtgraph as pg
from PyQt6.QtCore import Qt

from studio.editor.theme import Theme
from studio.editor.views.plot_curve import Curve, legend_names

HUES = ("Range3d", "Velocity", "Map", "Vote", "PoseTransform", "Image")
"""Curves are told apart by the hues of message types, in this order, and by their names in the legend."""


class CurveNames:
    def __init__(self, plot: pg.PlotWidget) -> None:
        self.legend = plot.addLegend(offset=(8, 8))

    def show(self, curves: Sequence[Curve], theme: Theme, *, is_wide: bool) -> None:
        """Names are whole where they leave the curves their room."""
        self.legend.setBrush(pg.mkBrush(theme.panel))
        self.legend.setLabelTextColor(theme.text)
        names = [curve.name for curve in curves] if is_wide else legend_names(curves)
        hues = {what: number for number, what in enumerate(dict.fromkeys(curve.what for curve in curves))}
        for curve, name in zip(curves, names, strict=True):
            style = Qt.PenStyle.SolidLine if hues[curve.what] < len(HUES) else Qt.PenStyle.DashDotLine
            if curve.log is not None:
                style = Qt.PenStyle.DashLine
            # One pixel wide: with two, Qt's software painter takes seven times as long.
            curve.item.setPen(pg.mkPen(theme.hue(HUES[hues[curve.what] % len(HUES)]), width=1, style=style))
            label = self.legend.getLabel(curve.item)
            if label is not None:
                label.setText(name, color=theme.text)
        self.legend.updateSize()
