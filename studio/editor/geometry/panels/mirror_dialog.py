"""Asks across which plane a body is mirrored, where left and right would put the copy into the same place."""

from __future__ import annotations

from PyQt6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QFormLayout, QLabel, QVBoxLayout, QWidget

from studio.editor.geometry import thing_edits
from studio.editor.geometry.panels.fields import AXIS_LETTERS, NumberField
from studio.editor.geometry.protocols import Context
from studio.editor.geometry.units import load_units
from studio.model.geometry.arrange import LEFT_RIGHT, Arrangement, MirrorPlane, mirror_planes

PLANES = {0: "Front and rear", 1: "Left and right", 2: "Above and below"}


class MirrorDialog(QDialog):
    def __init__(self, parent: QWidget, context: Context, body: str, planes: list[MirrorPlane]) -> None:
        super().__init__(parent)
        self.context, self.body, self.planes = context, body, planes
        self.setWindowTitle(f"Mirror {body}")
        self.plane = QComboBox()
        self.plane.addItems([PLANES[each.axis] for each in planes])
        self.plane.setAccessibleName("Sides")
        self.at = NumberField(context.theme, load_units(context.settings), "length", name="Plane at")
        self.at.changed.connect(self.at.show_value)
        self.axis = QLabel()
        words = QLabel("In the axes of the first body: x forward, y left, z up.")
        if planes[0] != LEFT_RIGHT:
            words.setText(f"{body} is on the middle plane, so left and right are the same. {words.text()}")
        words.setWordWrap(True)
        words.setProperty("role", "muted")
        form = QFormLayout()
        form.addRow("Exchange", self.plane)
        form.addRow(self.axis, self.at)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addLayout(form)
        layout.addWidget(words)
        layout.addWidget(buttons)
        self.plane.currentIndexChanged.connect(self._show_plane)
        self.accepted.connect(self.do)
        self._show_plane(0)
        self.plane.setFocus()

    def _show_plane(self, row: int) -> None:
        self.axis.setText(f"Plane at {AXIS_LETTERS[self.planes[row].axis]}")
        self.at.show_value(self.planes[row].at_m)

    def arrangement(self) -> Arrangement:
        plane = MirrorPlane(self.planes[self.plane.currentIndex()].axis, self.at.value())
        return thing_edits.mirror(self.context.workspace, self.body, plane)

    def do(self) -> bool:
        return thing_edits.do_arranged(self.context.do_all, self.context.say, self.arrangement)


def mirror_body(parent: QWidget, context: Context, body: str, *, ask: bool = False) -> None:
    """Left and right at once, where that gives another place; else the plane is asked for."""
    planes = mirror_planes(context.workspace.assembled.model, body)
    if ask or planes[0] != LEFT_RIGHT:
        MirrorDialog(parent, context, body, planes).open()
    else:
        thing_edits.do_arranged(
            context.do_all, context.say, lambda: thing_edits.mirror(context.workspace, body, planes[0])
        )
