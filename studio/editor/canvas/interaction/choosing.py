"""What a click selects: a thing, or all that run through one place; alone, or beside what is selected already."""

from __future__ import annotations

from collections.abc import Sequence

from PyQt6.QtWidgets import QGraphicsItem, QGraphicsScene


class Choosing:
    def __init__(self, scene: QGraphicsScene) -> None:
        self._scene = scene
        self._clicked: Sequence[QGraphicsItem] = ()
        """What the button went down on among others that are selected: all of them move, or it alone is meant."""

    def press(self, items: Sequence[QGraphicsItem], *, extend: bool) -> None:
        are_chosen = all(item.isSelected() for item in items)
        self._clicked = ()
        if extend:
            for item in items:
                item.setSelected(not are_chosen)
        elif not are_chosen:
            self._choose_alone(items)
        else:
            self._clicked = items

    def release(self, *, moved: bool) -> None:
        """`moved`: it was no click."""
        clicked, self._clicked = self._clicked, ()
        if clicked and not moved:
            self._choose_alone(clicked)

    def forget(self) -> None:
        """What was pressed may be gone."""
        self._clicked = ()

    def _choose_alone(self, items: Sequence[QGraphicsItem]) -> None:
        self._scene.clearSelection()
        for item in items:
            item.setSelected(True)
