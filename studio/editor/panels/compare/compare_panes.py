"""Where the pictures of a comparison are: A and B above, below them what B has more, and what it amounts to."""

from __future__ import annotations

from PyQt6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from studio.editor.look.theme import Theme
from studio.editor.panels.compare.compare_side import Side
from studio.editor.panels.compare.compare_time import CompareTimes
from studio.editor.views.maps.compare_view import CompareView
from studio.editor.views.maps.difference_charts import Figures, HistogramChart, ProfileChart


class ComparePanes(QWidget):
    def __init__(self, sides: tuple[Side, Side], change: CompareView, times: CompareTimes, theme: Theme) -> None:
        super().__init__()
        self._sides = sides
        self.titles = [_title() for _ in range(3)]
        self.figures, self.profile, self.histogram = Figures(theme), ProfileChart(theme), HistogramChart(theme)
        self.profile.hide()
        self._grid = grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(2)
        for number, side in enumerate(sides):
            grid.addWidget(self.titles[number], 0, number)
            grid.addWidget(side.view, 1, number)
            grid.setColumnStretch(number, 1)
        grid.addWidget(times, 2, 0, 1, 2)
        grid.addWidget(self.titles[2], 3, 0)
        grid.addWidget(change, 4, 0)
        grid.addWidget(self._charts(), 3, 1, 2, 1)
        grid.setRowStretch(1, 1)
        grid.setRowStretch(4, 1)

    def _charts(self) -> QWidget:
        charts = QWidget()
        column = QVBoxLayout(charts)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(1)
        column.addWidget(self.figures)
        column.addWidget(self.profile, 1)
        column.addWidget(self.histogram, 1)
        return charts

    def put_beside(self, is_beside: bool) -> None:
        """A and B beside each other, or both in the place of A."""
        a, b = (side.view for side in self._sides)
        a.shows_legends = not is_beside  # B beside it has the same
        b.setVisible(is_beside)
        self.titles[1].setVisible(is_beside)
        for row, widget in ((0, self.titles[0]), (1, a)):
            self._grid.addWidget(widget, row, 0, 1, 1 if is_beside else 2)

    def show_titles(self, width: int, theme: Theme, over: str) -> None:
        """`over`: what is in the place of A: `A`, `B`, or `AB` for both."""
        metrics = self.titles[0].fontMetrics()
        names = {side.letter: side.title(metrics, width // 2) for side in self._sides}
        for title, side in zip(self.titles, self._sides, strict=False):
            title.setToolTip(side.words)
        muted = f"color: {theme.muted}; font-weight: 400;"
        self.titles[0].setText(" &nbsp; | &nbsp; ".join(names[letter] for letter in over))
        self.titles[1].setText(names["B"])
        self.titles[2].setText(
            f"Δ &nbsp; B − A &nbsp; <span style='{muted}'>violet: B is lower · orange: higher</span>"
        )

    def show_theme(self, theme: Theme) -> None:
        for chart in (self.figures, self.profile, self.histogram):
            chart.show_theme(theme)


def _title() -> QLabel:
    title = QLabel()
    title.setProperty("role", "section")
    title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)  # A and B are equally wide
    return title
