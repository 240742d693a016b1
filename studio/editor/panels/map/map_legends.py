"""What hands do on the legends of a map: other colours, another range, and back."""

from __future__ import annotations

from PyQt6.QtCore import QObject, pyqtSignal

from studio.editor.panels.map.map_stack import LayerStack
from studio.editor.panels.parts.layers_form import LayerChoice
from studio.editor.views.maps.map_view import MapView


class LegendHands(QObject):
    changed = pyqtSignal()

    def __init__(self, parent: QObject, view: MapView, stack: LayerStack) -> None:
        super().__init__(parent)
        self.view, self.stack = view, stack
        view.legend_clicked.connect(self._turn)
        view.range_dragged.connect(lambda number, low, high: self._limit(number, (low, high)))
        view.range_reset.connect(lambda number: self._limit(number, None))

    def _choice(self, number: int) -> LayerChoice | None:
        return self.stack.choice_of(self.view.layers[number])

    def _turn(self, number: int) -> None:
        """A click on the legend: colours that everybody can tell apart, and back."""
        choice = self._choice(number)
        if choice is not None:
            self.stack.turn_colours(choice, self.view.layers[number])
            self.changed.emit()

    def _limit(self, number: int, limits: tuple[float, float] | None) -> None:
        choice, plane = self._choice(number), self.view.layers[number].plane
        if choice is None:
            return
        if limits is None:
            choice.ranges.pop(plane, None)
        else:
            choice.ranges[plane] = limits
        self.changed.emit()
