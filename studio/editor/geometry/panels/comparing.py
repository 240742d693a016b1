"""Compares the vehicle with another model: a world of the simulator, a URDF or SDF, another assembly; or with a log."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QFileDialog, QPushButton

from studio.editor.geometry.protocols import Context
from studio.errors import Problem, StudioError
from studio.model.geometry.assembly import Model
from studio.model.geometry.differences import Tolerance, differences
from studio.model.geometry.import_model import SUFFIXES, import_model
from studio.model.geometry.library import Library

TOLERANCE = Tolerance(m=0.001, rad=0.001, share=1e-6)
FILTER = "Models (*.sdf *.world *.urdf *.xacro *.xml);;All files (*)"


class CompareButton(QPushButton):
    found = pyqtSignal(list)
    """Problems: what the other one says differently."""

    def __init__(self, context: Context) -> None:
        super().__init__("Compare…")
        self.context = context
        self.setToolTip("List what differs from a world of the simulator, a URDF or SDF, or another assembly")
        self.clicked.connect(lambda _: self.ask())

    def ask(self) -> None:
        dialog = QFileDialog(self, "Compare with", str(self.context.workspace.main.parent), FILTER)
        dialog.fileSelected.connect(lambda file: self.compare(Path(file)))
        dialog.open()

    def compare(self, file: Path) -> None:
        try:
            other = read_other(file, self.context)
        except StudioError as error:
            self.context.say(str(error), trouble=True)
            return
        problems = compared(self.context.workspace.assembled.model, other, file)
        self.context.say(f"{len(problems)} differences from {file.name}" if problems else f"Agrees with {file.name}")
        self.found.emit(problems)


def read_other(file: Path, context: Context) -> Model:
    if file.suffix.lower() in SUFFIXES:
        return import_model(file).model
    return Library(context.workspace.roots).load(file)


def compared(model: Model, other: Model, file: Path) -> list[Problem]:
    """Frames of which only the other one knows are no difference: worlds often have more."""
    hint = f"the first is this vehicle, the second {file.name}"
    return [
        Problem(each.message, "warning", str(file), None, hint, each.subject)
        for each in differences(model, other, TOLERANCE)
        if not (each.what == "missing" and each.other and ":" in each.subject)
    ]
