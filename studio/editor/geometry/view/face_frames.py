"""A frame from a clicked face: where the click was, +Z along the normal, x as near to forward as that allows."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PyQt6.QtCore import QPointF, Qt
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import QLineEdit, QWidget

from studio.editor.geometry.selection import ShapeThing
from studio.editor.geometry.view.picking import Hit
from studio.editor.geometry.view.stage import Stage
from studio.editor.views.scene.batches import Floats
from studio.model.geometry.arrange import free_name
from studio.model.geometry.body import Frame
from studio.model.geometry.edits import AddFrame
from studio.model.geometry.linkage import Part
from studio.model.geometry.poses import inverse
from studio.model.geometry.tidy_poses import tidy

ALLOWED = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*\Z", re.ASCII)
MILLIMETRES = 3


@dataclass(frozen=True)
class FaceFrame:
    body: str
    on: str
    name: str
    pose: Floats
    """In the axes of its part."""

    @classmethod
    def on_face(cls, stage: Stage, hit: Hit) -> FaceFrame:
        assert isinstance(hit.thing, ShapeThing) and hit.normal is not None
        body = stage.model.bodies[hit.thing.body]
        on = body.shapes[hit.thing.index].on
        part = stage.pose_of(Part(hit.thing.body, on))
        world = np.eye(4)
        world[:3, :3] = turned_to(part[:3, :3].T @ hit.normal)
        world[:3, 3] = (inverse(part) @ np.append(hit.point, 1.0))[:3]
        world[:3, 3] = np.round(world[:3, 3], MILLIMETRES)
        shape = body.shapes[hit.thing.index]
        wanted = f"{(shape.name or 'Face').title().replace('_', '').replace('-', '')}Mount"
        return cls(hit.thing.body, on, free_name(wanted, {frame.name for frame in body.frames}), world)

    def edit(self) -> AddFrame:
        return AddFrame(Frame(self.name, tidy(self.pose), self.on))


def turned_to(normal: Floats) -> Floats:
    """Axes with z along a normal, and x forward where the face is level, else as near to forward or up as it goes."""
    z = normal / np.linalg.norm(normal)
    forward = np.array([1.0, 0.0, 0.0]) if abs(z[0]) < 0.9 else np.array([0.0, 0.0, -np.sign(z[0])])
    x = forward - z * (forward @ z)
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(z, x), z], axis=1)


class NameField(QLineEdit):
    """Asks for a name in the view: Enter takes it, Esc or a click elsewhere gives up."""

    def __init__(self, canvas: QWidget, name: str, take: Callable[[str], object]) -> None:
        super().__init__(name, canvas)
        self._take = take
        self.setAccessibleName("Name of the new frame")
        self.setToolTip("Name of the new frame: letters, digits, _ and -")
        self.setFixedWidth(200)
        self.selectAll()
        self.returnPressed.connect(self._accept)
        self.textChanged.connect(self._check)

    def place(self, at: QPointF) -> None:
        parent = self.parentWidget()
        assert parent is not None
        left = min(max(at.x() + 12, 4.0), parent.width() - self.width() - 4.0)
        top = min(max(at.y() - 34, 4.0), parent.height() - 34.0)
        self.move(round(left), round(top))
        self.show()
        self.setFocus()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        if event is not None and event.key() == Qt.Key.Key_Escape:
            self._end()
        else:
            super().keyPressEvent(event)

    def _check(self, text: str) -> None:
        self.setProperty("invalid", ALLOWED.match(text) is None)
        self.setToolTip("" if ALLOWED.match(text) else "Letters, digits, _ and -; not a digit first")

    def _accept(self) -> None:
        if ALLOWED.match(self.text()):
            name = self.text()
            self._end()
            self._take(name)

    def _end(self) -> None:
        parent = self.parentWidget()
        self.hide()
        self.deleteLater()
        if parent is not None:
            parent.setFocus()
