"""The row below the checks: what the vehicle is compared with, and how that ends."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QFileDialog, QHBoxLayout, QPushButton, QToolButton, QWidget

from studio.editor.base.deferred import Beside
from studio.editor.geometry.comparison import Comparison, compare_with
from studio.editor.geometry.protocols import Context
from studio.editor.look.fitting_label import FittingLabel
from studio.editor.look.icons import icon
from studio.errors import StudioError

FILTER = "Models and logs (*.sdf *.world *.urdf *.xacro *.xml *.mcap);;All files (*)"


class Comparing(QWidget):
    changed = pyqtSignal()
    """Another comparison, or none."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.context = context
        self.comparison: Comparison | None = None
        self._wanted: Path | None = None
        """The file that is being read."""
        self.button = QPushButton("Compare…")
        self.button.setToolTip(
            "List what differs from a world of the simulator, a URDF or SDF, another assembly, or a log; "
            "the view draws where the other one has it"
        )
        self.button.clicked.connect(lambda _: self.ask())
        self.words = FittingLabel()
        self.end = QToolButton()
        self.end.setToolTip("Stop comparing")
        self.end.setAccessibleName("Stop comparing")
        self.end.setAutoRaise(True)
        self.end.clicked.connect(lambda _: self._show(None))
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 0, 0, 0)
        row.addWidget(self.words, 1)
        row.addWidget(self.end)
        row.addWidget(self.button)
        self.show_theme()
        self._tell("")

    def ask(self) -> None:
        dialog = QFileDialog(self, "Compare with", str(self.context.workspace.main.parent), FILTER)
        dialog.fileSelected.connect(lambda file: self.compare(Path(file)))
        dialog.open()

    def compare(self, file: Path) -> None:
        """Read beside the window: a log may be long."""
        self._wanted = file
        self._tell(f"Reading {file.name}…")
        roots = tuple(self.context.workspace.roots)
        Beside(lambda: compare_with(file, roots), lambda found: self._take(file, found), self)

    def _take(self, file: Path, found: Comparison | StudioError) -> None:
        if file != self._wanted:  # another one was chosen meanwhile, or none
            return
        if isinstance(found, StudioError):
            self.context.say(str(found), trouble=True)
            self._show(self.comparison)
            return
        self._show(found)
        problems = found.problems(self.context.workspace.assembled.model)
        count = f"{len(problems)} difference{'s' * (len(problems) > 1)} from {file.name}"
        self.context.say(count if problems else f"Agrees with {file.name}")

    def _show(self, comparison: Comparison | None) -> None:
        self.comparison, self._wanted = comparison, None
        self._tell(f"Compared with {comparison.file.name}" if comparison is not None else "")
        self.changed.emit()

    def _tell(self, words: str) -> None:
        self.words.say(words)
        self.end.setVisible(bool(words))

    def show_theme(self) -> None:
        self.end.setIcon(icon("mdi6.close", self.context.theme.muted))
