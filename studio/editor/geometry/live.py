"""While a system runs: positions of joints and scans of lasers for the view of the vehicle in front."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from PyQt6.QtCore import QObject, QTimer

from studio.editor.live.batch import Event
from studio.editor.live.feed import Changes, Feed, Watch
from studio.messages import JointState, Range3d
from studio.model.geometry.assembly import Model

SHOW_EVERY_MS = 60
MOST_SCANS = 8
MOST_POINTS = 1500
"""Of each scan: beyond that nobody sees a difference."""


class LiveVehicle(QObject):
    def __init__(self, feed: Feed, view: Callable[[], Any], model: Callable[[], Model | None], parent: QObject) -> None:
        """`view`: the one in front, or None; `model`: of its vehicle."""
        super().__init__(parent)
        self._feed, self._view, self._model = feed, view, model
        self._watches: dict[str, Watch] = {}
        self._joints: dict[str, float] = {}
        self._scans: dict[str, Any] = {}
        self._shown: Any = None
        """The view that shows the running system."""
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SHOW_EVERY_MS)
        self._timer.timeout.connect(self._show)
        feed.attached.connect(self.refresh)
        feed.ended.connect(lambda _: self._end())
        feed.changed.connect(self._changed)

    def _changed(self, changes: Changes) -> None:
        if changes.shape:
            self.refresh()

    def refresh(self) -> None:
        """Another vehicle is in front, or the system has other topics."""
        view = self._view()
        if view is not self._shown:
            self._give_back()
        if view is None or not self._feed.is_attached:
            self._end()
            return
        topics = self._feed.state.get("topics", {})
        kinds = {name: told.get("type") for name, told in topics.items()}
        scans = sorted(name for name, kind in kinds.items() if kind == "Range3d" and "path" not in name)
        wanted = {*scans[:MOST_SCANS], *(name for name, kind in kinds.items() if kind == "JointState")}
        for topic in set(self._watches) - wanted:
            self._watches.pop(topic).close()
        for topic in wanted - set(self._watches):
            self._watches[topic] = self._feed.watch(topic, self._take)

    def _take(self, events: list[Event]) -> None:
        match events[-1].message:
            case JointState() as joints:
                known = zip(joints.names, joints.position.tolist(), strict=False)
                self._joints.update({name: value for name, value in known if math.isfinite(value)})
            case Range3d() as scan:
                points = np.asarray(scan.xyz, np.float64)
                points = points[np.isfinite(points).all(axis=1)]
                self._scans[scan.frame] = points[:: max(1, len(points) // MOST_POINTS)]
        if not self._timer.isActive():
            self._timer.start()

    def _show(self) -> None:
        view, model = self._view(), self._model()
        if view is None or model is None:
            return
        frames = {f"{name}:{frame.name}" for name, body in model.bodies.items() for frame in body.frames}
        scans = {frame: points for frame, points in self._scans.items() if frame in frames or frame in model.bodies}
        if scans or self._joints:
            self._shown = view
            view.show_live(self._joints, scans, f"Live: {self._name()}")

    def _name(self) -> str:
        folder = self._feed.folder
        return folder.name if folder is not None else "the running system"

    def _give_back(self) -> None:
        """The view shows the vehicle as it is built again."""
        shown, self._shown = self._shown, None
        if shown is not None:
            shown.show_live({}, {}, "")

    def _end(self) -> None:
        self._timer.stop()
        for watch in self._watches.values():
            watch.close()
        self._watches.clear()
        self._joints, self._scans = {}, {}
        self._give_back()

    def forget(self, view: Any) -> None:
        """A view is closed."""
        if view is self._shown:
            self._shown = None
