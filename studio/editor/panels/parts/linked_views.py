"""Several views of the same ground: whichever is moved, all move; the pointer is at the same place in all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PyQt6.QtCore import QObject, pyqtSignal

from studio.editor.views.maps.map_view import MapView
from studio.editor.views.maps.plane_view import place_in

Place = tuple[float, float]


class LinkedViews(QObject):
    changed = pyqtSignal()
    """By hand, what is seen."""

    def __init__(self, parent: QObject, views: Sequence[MapView], of: Sequence[MapView]) -> None:
        """`of`: those that have what all is."""
        super().__init__(parent)
        self.views, self.of = views, of
        self.is_free = False
        """Somebody has chosen what is seen."""
        self._fitted = False
        for view in views:
            view.moved_by_hand.connect(lambda view=view: self._moved(view))
            view.pointed.connect(lambda place, view=view: self._point(view, place))
            view.plates_toggled.connect(lambda view=view: self._show_plates(view.shows_plates))

    def _moved(self, view: MapView) -> None:
        self._follow(view)
        self._point(view, view.pointed_at)
        self.is_free = self._fitted = True
        self.changed.emit()

    def _follow(self, moved: MapView) -> None:
        for view in self.views:
            if view is not moved:
                view.follows = False
                view.look_at(*moved.centre_m, moved.metres_per_pixel)

    def _point(self, source: MapView, place: Place | None) -> None:
        for view in self.views:
            if view is not source:
                view.show_pointer(place)

    def _show_plates(self, shown: bool) -> None:
        for view in self.views:
            view.shows_plates = shown
            view.update()
        self.changed.emit()

    # ---- everything

    def _fit(self) -> None:
        """All that is known in one of them."""
        known = [layer.known_m() for view in self.of for layer in view.layers]
        if known:
            low, high = np.min(known, axis=0).tolist(), np.max(known, axis=0).tolist()
            self.of[0].show_rectangle(*low[:2], *high[2:])
            self._follow(self.of[0])

    def fit_by_hand(self) -> None:
        self._fit()
        self.is_free = False
        self.changed.emit()

    def fit_again(self) -> None:
        """They have another size now; what somebody has chosen stays."""
        if self._fitted and not self.is_free:
            self._fit()

    def fit_first(self, *, seen: bool) -> None:
        """Once, and until it is seen again and again: nobody knows how large it will be. A view that somebody has
        chosen stays, if there is anything in it."""
        extent = self.of[0].extent_m()
        if not self._fitted and extent is not None:
            self._fitted = seen
            if not (self.is_free and self.of[0].sees(*extent)):
                self._fit()

    # ---- what is kept

    def save(self) -> dict[str, object]:
        view = self.of[0]
        place = [*view.centre_m, view.metres_per_pixel] if self.is_free else None
        return {"place": place, "hides_plates": not view.shows_plates}

    def restore(self, kept: object) -> None:
        """Settings come from a file: take what makes sense."""
        told = kept if isinstance(kept, dict) else {}
        place = place_in(told.get("place"))
        for view in self.views:
            view.shows_plates = told.get("hides_plates") is not True
            if place is not None:
                view.look_at(*place)
        self.is_free = place is not None
