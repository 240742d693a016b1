"""Asks for a linear or circular array of a body."""

from __future__ import annotations

from PyQt6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QSpinBox,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from studio.editor.geometry.panels.fields import AXIS_LETTERS, NumberField, ThreeFields
from studio.editor.geometry.protocols import Context
from studio.editor.geometry.thing_edits import do_arranged, own_assembly
from studio.editor.geometry.units import load_units
from studio.model.geometry.arrange import Arrangement, circular_array, linear_array

FULL_TURN_RAD = 6.283185307179586


class ArrayDialog(QDialog):
    def __init__(self, parent: QWidget, context: Context, body: str) -> None:
        super().__init__(parent)
        self.context, self.body = context, body
        self.setWindowTitle(f"Array of {body}")
        units, theme = load_units(context.settings), context.theme
        self.kind = QComboBox()
        self.kind.addItems(["In a line", "In a circle"])
        self.count = QSpinBox()
        self.count.setRange(2, 100)
        self.count.setValue(3)
        self.step = ThreeFields(theme, units, "length")
        self.step.show_values((0.0, 0.2, 0.0))
        self.centre = ThreeFields(theme, units, "length")
        self.centre.show_values((0.0, 0.0, 0.0))
        self.axis = QComboBox()
        self.axis.addItems(list(AXIS_LETTERS))
        self.axis.setCurrentIndex(2)
        self.sweep = NumberField(theme, units, "angle")
        self.sweep.show_value(FULL_TURN_RAD)
        line, circle = QWidget(), QWidget()
        rows = QFormLayout(line)
        rows.addRow("Step", self.step)
        rows = QFormLayout(circle)
        rows.addRow("Axis", self.axis)
        rows.addRow("Centre", self.centre)
        rows.addRow("Sweep", self.sweep)
        for field in (self.step, self.centre):
            field.changed.connect(field.show_values)
        self.sweep.changed.connect(self.sweep.show_value)
        self.pages = QStackedWidget()
        self.pages.addWidget(line)
        self.pages.addWidget(circle)
        self.kind.currentIndexChanged.connect(self.pages.setCurrentIndex)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        words = QLabel("In the axes of the first body: x forward, y left, z up. The count includes this one.")
        words.setWordWrap(True)
        words.setProperty("role", "muted")
        form = QFormLayout()
        form.addRow("Arrange", self.kind)
        form.addRow("Count", self.count)
        layout = QVBoxLayout(self)
        layout.addLayout(form)
        layout.addWidget(self.pages)
        layout.addWidget(words)
        layout.addWidget(buttons)

    def arrangement(self) -> Arrangement:
        model, assembly = self.context.workspace.assembled.model, own_assembly(self.context.workspace)
        count = self.count.value()
        if self.kind.currentIndex() == 0:
            return linear_array(model, assembly, self.body, count, self.step.values())
        sweep = self.sweep.value() * 360.0 / FULL_TURN_RAD
        x, y, z = (float(number == self.axis.currentIndex()) for number in range(3))
        return circular_array(
            model, assembly, self.body, count, sweep_deg=sweep, centre_m=self.centre.values(), axis=(x, y, z)
        )

    def do(self) -> bool:
        return do_arranged(self.context.do_all, self.context.say, self.arrangement)


def ask_for_array(parent: QWidget, context: Context, body: str) -> None:
    dialog = ArrayDialog(parent, context, body)
    dialog.accepted.connect(dialog.do)
    dialog.open()
