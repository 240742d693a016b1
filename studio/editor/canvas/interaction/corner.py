"""Which corner the mini-map stands in: it goes out of the way of cards, but not for little, nor while one uses it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from PyQt6.QtCore import QObject, QPoint, QRect, QTimer

from studio.editor.canvas.items.node_item import NodeItem
from studio.editor.canvas.items.remark_items import NoteItem

if TYPE_CHECKING:
    from studio.editor.canvas.interaction.pan_zoom_view import SightView

Corner = Literal["top right", "top left", "bottom left", "bottom right"]
CORNERS: tuple[Corner, ...] = ("top right", "top left", "bottom left", "bottom right")
"""Of equally empty ones, the first."""
MARGIN = 12
GAP = 8
"""To the zoom bar, which has the corner below."""
REST_MS = 300
"""So long nothing has moved before it is looked at whether another corner would be better."""


def emptier(covered: Mapping[Corner, float], now: Corner) -> Corner:
    """Where it stands from now on; another corner has to be worth the move."""
    best = min(CORNERS, key=lambda corner: covered[corner])
    return best if covered[best] < covered[now] / 2 else now


class MapCorner(QObject):
    def __init__(self, view: SightView) -> None:
        super().__init__(view)
        self.view = view
        self.corner: Corner = CORNERS[0]
        self._stood: tuple[float, ...] = view.stand()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(REST_MS)
        self._timer.timeout.connect(self.look)

    def look_soon(self) -> None:
        """Once the view rests: panning must not wait for this, and a system that runs changes cards all the time."""
        if not self._timer.isActive():
            self._stood = self.view.stand()
            self._timer.start()

    def look(self) -> None:
        view, minimap = self.view, self.view.minimap
        if not minimap.isVisible():
            return
        if minimap.underMouse() or view.is_busy or view.stand() != self._stood:
            self.look_soon()
            return
        found = emptier({corner: self._covered(corner) for corner in CORNERS}, self.corner)
        if found != self.corner:
            self.corner = found
            self.place()

    def place(self) -> None:
        self.view.minimap.move(self.rect(self.corner).topLeft())

    def rect(self, corner: Corner) -> QRect:
        """Of the view."""
        view, size = self.view, self.view.minimap.size()
        x = MARGIN if "left" in corner else view.width() - size.width() - MARGIN
        below = view.zoom_bar.y() - GAP if corner == "bottom right" else view.height() - MARGIN
        y = MARGIN if "top" in corner else below - size.height()
        return QRect(QPoint(x, y), size)

    def _covered(self, corner: Corner) -> float:
        """How much of cards and notes would lie below it, in units of the canvas."""
        area = self.view.mapToScene(self.rect(corner)).boundingRect()
        found = [item for item in self.view.canvas.items(area) if isinstance(item, NodeItem | NoteItem)]
        parts = [item.outline() & area for item in found if item.isVisible()]
        return sum(part.width() * part.height() for part in parts)
