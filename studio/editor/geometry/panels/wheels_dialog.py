"""Asks for four wheels: how they steer and how large they are. They come with joints, tyres and drive."""

from __future__ import annotations

from PyQt6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QFormLayout, QLabel, QVBoxLayout, QWidget

from studio.editor.geometry.panels.fields import NumberField
from studio.editor.geometry.protocols import Context
from studio.editor.geometry.thing_edits import do_arranged
from studio.editor.geometry.units import load_units
from studio.model.geometry.arrange import Arrangement
from studio.model.geometry.wheels import Steering, Wheels, add_wheels, usual_wheels
from studio.model.geometry.workspace import On

STEERINGS: dict[str, Steering] = {"Skid steering: all four driven": "skid", "Steered front wheels": "ackermann"}
SIZES = {"Wheelbase": "wheelbase_m", "Track": "track_m", "Radius": "radius_m", "Width": "width_m"}


class WheelsDialog(QDialog):
    def __init__(self, parent: QWidget, context: Context, body: str) -> None:
        super().__init__(parent)
        self.context, self.body = context, body
        self.setWindowTitle(f"Four wheels for {body}")
        self._usual = usual_wheels(context.workspace.assembled.model.bodies[body])
        units, theme = load_units(context.settings), context.theme
        self.steering = QComboBox()
        self.steering.addItems(list(STEERINGS))
        form = QFormLayout()
        form.addRow("Steering", self.steering)
        self.sizes: dict[str, NumberField] = {}
        for title, name in SIZES.items():
            field = self.sizes[name] = NumberField(theme, units, "length", name=title)
            field.show_value(getattr(self._usual, name))
            field.changed.connect(field.show_value)
            form.addRow(title, field)
        words = QLabel("The wheels are on the ground, at z = 0 of the body. Lower parts are lifted.")
        words.setWordWrap(True)
        words.setProperty("role", "muted")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addLayout(form)
        layout.addWidget(words)
        layout.addWidget(buttons)
        self.accepted.connect(self.do)

    def arrangement(self) -> Arrangement:
        length, track, radius, width = (self.sizes[name].value() for name in SIZES.values())
        steering = STEERINGS[self.steering.currentText()]
        wheels = Wheels(steering, length, track, radius, width, self._usual.centre_m)
        workspace = self.context.workspace
        label, edits = add_wheels(workspace.assembled.model.bodies[self.body], wheels)
        file = workspace.file_of(self.body)
        return Arrangement(label, tuple(On(edit, file) for edit in edits))

    def do(self) -> bool:
        return do_arranged(self.context.do_all, self.context.say, self.arrangement)


def ask_for_wheels(parent: QWidget, context: Context, body: str) -> None:
    WheelsDialog(parent, context, body).open()
