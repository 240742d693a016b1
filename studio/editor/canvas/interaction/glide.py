"""From one look at the canvas to the next in a moment, so that the eye keeps its place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PyQt6.QtCore import QPointF, QVariantAnimation

from studio.editor.look.motion import MOTION

if TYPE_CHECKING:
    from studio.editor.canvas.interaction.pan_zoom_view import SightView

LASTS_MS = 120


@dataclass(frozen=True)
class _Look:
    zoom: float
    middle: QPointF


class Glide:
    def __init__(self, view: SightView) -> None:
        self.view = view
        self._before = self._after = _Look(1.0, QPointF())
        self._arrive: Callable[[], object] = lambda: None
        self._animation = QVariantAnimation(view)
        self._animation.setStartValue(0.0)
        self._animation.setEndValue(1.0)
        self._animation.valueChanged.connect(self._step)

    @property
    def is_on_its_way(self) -> bool:
        return self._animation.state() == QVariantAnimation.State.Running

    def to(self, look: Callable[[], object]) -> None:
        """`look` turns the view at once; what is seen gets there in a moment, or at once for who wants no motion."""
        self.finish()
        self._before = self._now()
        look()
        self._after = self._now()
        lasts = MOTION.lasts(LASTS_MS)
        if lasts and self._before != self._after and self.view.isVisible():
            self._arrive = self.view.looking()
            self._animation.setDuration(lasts)
            self._animation.start()

    def finish(self) -> None:
        """Somebody looks elsewhere, or takes something in hand: be there."""
        if self.is_on_its_way:
            self._animation.stop()
            self._arrive()

    def _now(self) -> _Look:
        return _Look(self.view.zoom, self.view.middle())

    def _step(self, share: float) -> None:
        if share >= 1.0:
            self._arrive()  # exactly: the middle alone is a matter of rounding
            return
        zoom = self._before.zoom * (self._after.zoom / self._before.zoom) ** share
        self.view.look_at(zoom, self._before.middle + (self._after.middle - self._before.middle) * share)
