"""Fields for numbers with units, three numbers, and poses: they show and report values, and edit nothing."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QSizePolicy, QVBoxLayout, QWidget

from studio.editor.geometry.units import Units
from studio.editor.look.fonts import code_font
from studio.editor.look.theme import Theme
from studio.editor.views.scene.meshes import AXIS_COLOURS
from studio.model.geometry.poses import Pose
from studio.model.geometry.rotations import from_rpy, rpy_of
from studio.model.geometry.tidy_poses import pose_like

Three = tuple[float, float, float]
STEPS = {"length": 0.01, "angle": math.radians(1.0)}
"""What Up and Down add; ten times with Shift, a tenth with Ctrl."""
AXIS_LETTERS, TURN_WORDS = ("x", "y", "z"), ("roll", "pitch", "yaw")


class NumberField(QWidget):
    """A number with its unit at the right, and for an axis a bar of its colour at the left. Up and Down step it."""

    changed = pyqtSignal(object)
    """The number in metres, radians or as it is; None where nothing was typed and that is allowed."""

    def __init__(
        self, theme: Theme, units: Units, kind: str = "", *, suffix: str = "", axis: int | None = None,
        may_be_empty: bool = False, name: str = "",
    ) -> None:  # fmt: skip
        """`kind`: `length` or `angle` are shown in the user's units, anything else as it is."""
        super().__init__()
        self.units, self.kind, self.may_be_empty = units, kind, may_be_empty
        self._value: float | None = None
        self._is_read_only = False
        self.edit = _Line(self)
        self.edit.setFont(code_font(12))
        self.edit.setMinimumWidth(40)
        self.edit.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.edit.setAccessibleName(name or suffix or kind)
        self.edit.setToolTip("A number; units and arithmetic are understood: 12 mm, 1/3, 2*0.35. Up and Down step it")
        self.edit.editingFinished.connect(self._take)
        self.suffix = QLabel(suffix or units.name(kind))
        self.suffix.setProperty("role", "muted")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(self.edit, 1)
        row.addWidget(self.suffix)
        if axis is not None:
            self.edit.setStyleSheet(f"border-left: 3px solid {AXIS_COLOURS[axis]};")
        self.suffix.setVisible(bool(self.suffix.text()))

    def value(self) -> float:
        return self._value or 0.0

    def show_value(self, value: float | None) -> None:
        self._value = value
        self.edit.setText("" if value is None else self.units.shown(value, self.kind))
        self.edit.setCursorPosition(0)
        self._mark_wrong(False)

    def set_read_only(self) -> None:
        self.edit.setReadOnly(True)
        self.edit.setToolTip("")

    def step(self, count: float) -> None:
        step = STEPS.get(self.kind, 1.0)
        self.changed.emit(round((self._value or 0.0) + count * step, 9))

    def _take(self) -> None:
        if not self.edit.isModified():
            return
        self.edit.setModified(False)
        text = self.edit.text().strip()
        if not text and self.may_be_empty:
            self._mark_wrong(False)
            self.changed.emit(None)
            return
        value = self.units.read(text, self.kind)
        self._mark_wrong(value is None)
        if value is not None and (self._value is None or text != self.units.shown(self._value, self.kind)):
            self.changed.emit(value)

    def give_up(self) -> None:
        self.show_value(self._value)

    def _mark_wrong(self, wrong: bool) -> None:
        self.edit.setProperty("wrong", "true" if wrong else "false")
        style = self.edit.style()
        if style is not None:
            style.unpolish(self.edit)
            style.polish(self.edit)


class _Line(QLineEdit):
    def __init__(self, field: NumberField) -> None:
        super().__init__()
        self.field = field

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        assert event is not None
        keys = event.modifiers()
        size = 10.0 if keys & Qt.KeyboardModifier.ShiftModifier else 1.0
        size = 0.1 if keys & Qt.KeyboardModifier.ControlModifier else size
        match event.key():
            case Qt.Key.Key_Up | Qt.Key.Key_Down if not self.isReadOnly():
                self.field.step(size if event.key() == Qt.Key.Key_Up else -size)
            case Qt.Key.Key_Escape if self.isModified():
                self.field.give_up()
            case _:
                super().keyPressEvent(event)


class ThreeFields(QWidget):
    """x, y, z or roll, pitch, yaw in one row."""

    changed = pyqtSignal(object)
    """All three."""

    def __init__(self, theme: Theme, units: Units, kind: str, *, words: tuple[str, ...] = AXIS_LETTERS) -> None:
        super().__init__()
        self.fields = [
            NumberField(theme, units, kind, suffix=word, axis=axis, name=word) for axis, word in enumerate(words)
        ]
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        for place, field in enumerate(self.fields):
            row.addWidget(field, 1)
            field.changed.connect(lambda value, place=place: self._take(place, value))

    def values(self) -> Three:
        x, y, z = (field.value() for field in self.fields)
        return x, y, z

    def show_values(self, values: Three) -> None:
        for field, value in zip(self.fields, values, strict=True):
            field.show_value(value)

    def _take(self, place: int, value: float) -> None:
        values = list(self.values())
        values[place] = value
        self.changed.emit(tuple(values))


class PoseFields(QWidget):
    """Position and rotation; rotations are shown as roll, pitch and yaw and stay written as they were."""

    changed = pyqtSignal(object)
    """A Pose."""

    def __init__(self, theme: Theme, units: Units) -> None:
        super().__init__()
        self.pose = Pose()
        self.position = ThreeFields(theme, units, "length")
        self.rotation = ThreeFields(theme, units, "angle", words=TURN_WORDS)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        for words, fields in (
            (f"Position, {units.name('length')}", self.position),
            (f"Rotation, {'degrees' if units.angle == 'deg' else 'rad'}", self.rotation),
        ):
            label = QLabel(words)
            label.setProperty("role", "muted")
            column.addWidget(label)
            column.addWidget(fields)
        self.position.changed.connect(self._moved)
        self.rotation.changed.connect(self._turned)

    def show_pose(self, pose: Pose) -> None:
        self.pose = pose
        self.position.show_values(pose.xyz)
        roll, pitch, yaw = self._angles()
        self.rotation.show_values((roll, pitch, yaw))

    def _angles(self) -> Three:
        """Those that were written, where three were: 360 degrees are not shown as 0."""
        rotation = self.pose.rotation
        if rotation.form == "rpy":
            scale = math.pi / 180.0 if rotation.angles == "degrees" else 1.0
            roll, pitch, yaw = (value * scale for value in rotation.values)
            return roll, pitch, yaw
        return rpy_of(rotation.matrix)

    def _moved(self, xyz: Three) -> None:
        self._emit(xyz, self.pose.rotation.matrix)

    def _turned(self, rpy: Three) -> None:
        self._emit(self.pose.xyz, from_rpy(*rpy))

    def _emit(self, xyz: Three, turned: Any) -> None:
        matrix = np.eye(4)
        matrix[:3, :3], matrix[:3, 3] = turned, xyz
        self.changed.emit(pose_like(self.pose, matrix))
