"""A slider for each joint, within its limits: the view moves, the files do not. What touches meanwhile turns red."""

from __future__ import annotations

import math

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QSlider,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from studio.editor.geometry.view.description import JointMark
from studio.editor.geometry.view.stage import Stage
from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme

STEPS = 1000
FREE_M = 1.0
"""Reach of a slider without limits."""


class JointPanel(QFrame):
    def __init__(self, stage: Stage, theme: Theme) -> None:
        super().__init__()
        self.stage = stage
        self.sliders: dict[str, QSlider] = {}
        self._values: dict[str, QLabel] = {}
        self._marks: dict[str, JointMark] = {}
        self.setObjectName("jointPanel")
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 8, 10, 8)
        head = QHBoxLayout()
        self._title = QLabel("Joints")
        self.home = QToolButton()
        self.home.setToolTip("All joints to their home positions")
        self.home.clicked.connect(self.go_home)
        head.addWidget(self._title)
        head.addStretch(1)
        head.addWidget(self.home)
        column.addLayout(head)
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        column.addWidget(self._area)
        self.setFixedWidth(320)
        self.show_theme(theme)

    def refresh(self) -> None:
        """After an edit: the joints that there are now."""
        marks = {mark.name: mark for mark in self.stage.description.joints if mark.joint.moves}
        if {name: mark.joint for name, mark in marks.items()} != {n: m.joint for n, m in self._marks.items()}:
            self._marks = marks
            self._fill()
        for name in self.sliders:
            self._show(name)

    def go_home(self) -> None:
        self.stage.positions.clear()
        self.stage.changed()

    def show_theme(self, theme: Theme) -> None:
        self.home.setIcon(icon("mdi6.home-outline", theme.muted))
        self.setStyleSheet(
            f"#jointPanel {{ background: {theme.panel}; border: 1px solid {theme.border}; border-radius: 4px; }}"
            "#jointPanel QScrollArea, #jointPanel QScrollArea > QWidget > QWidget { background: transparent; }"
        )

    def _fill(self) -> None:
        inner = QWidget()
        grid = QGridLayout(inner)
        grid.setContentsMargins(0, 0, 8, 0)
        self.sliders.clear()
        self._values.clear()
        for row, (name, mark) in enumerate(self._marks.items()):
            slider = self.sliders[name] = QSlider(Qt.Orientation.Horizontal)
            slider.setRange(0, STEPS)
            slider.setToolTip(limits_text(mark))
            slider.valueChanged.connect(lambda at, name=name: self._moved(name, at))
            value = self._values[name] = QLabel()
            value.setMinimumWidth(62)
            value.setAlignment(Qt.AlignmentFlag.AlignRight)
            label = QLabel(mark.joint.name)
            label.setToolTip(name)
            label.setMaximumWidth(120)
            for column, widget in enumerate((label, slider, value)):
                grid.addWidget(widget, row, column)
        grid.setRowStretch(len(self._marks), 1)
        self._area.setWidget(inner)
        self._area.setFixedHeight(min(30 * len(self._marks) + 12, 220))
        self.adjustSize()

    def _moved(self, name: str, at: int) -> None:
        low, high = span(self._marks[name])
        self.stage.set_joint(name, low + (high - low) * at / STEPS)

    def _show(self, name: str) -> None:
        mark = self._marks[name]
        at = self.stage.joints.get(name, mark.joint.home)
        low, high = span(mark)
        slider = self.sliders[name]
        if not slider.isSliderDown():
            was = slider.blockSignals(True)
            slider.setValue(round((at - low) / (high - low) * STEPS))
            slider.blockSignals(was)
        slider.setEnabled(self.stage.live is None and mark.joint.mimic is None)
        text = f"{math.degrees(at):.1f}°" if mark.joint.turns else f"{at:.3f} m"
        self._values[name].setText(text.replace("-", "−"))


def span(mark: JointMark) -> tuple[float, float]:
    reach = math.pi if mark.joint.turns else FREE_M
    low = mark.joint.lower if mark.joint.lower is not None else -reach
    high = mark.joint.upper if mark.joint.upper is not None else reach
    return (low, high) if high > low else (low, low + 1e-6)


def limits_text(mark: JointMark) -> str:
    low, high = span(mark)
    if mark.joint.mimic is not None:
        return f"{mark.name} follows {mark.joint.mimic.joint}: move that one"
    if mark.joint.lower is None and mark.joint.upper is None:
        return f"{mark.name}: no limits"
    shown = (f"{math.degrees(low):g}° to {math.degrees(high):g}°") if mark.joint.turns else f"{low:g} m to {high:g} m"
    return f"{mark.name}: {shown}"
