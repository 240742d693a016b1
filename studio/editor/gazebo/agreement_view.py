"""Whether the selected vehicle on the server agrees with its assembly: one line, or the list and a way to mend it."""

from __future__ import annotations

from collections.abc import Sequence

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from studio.editor.look.fonts import text_font
from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme
from studio.runtime.gazebo.agreement import Mismatch

MOST = 8
AGREES, DIFFERS = "mdi6.check-circle", "mdi6.alert"


class AgreementView(QWidget):
    fix_wanted = pyqtSignal(str)
    """A model that is to be replaced by its assembly."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._model, self._found = "", tuple[Mismatch, ...]()
        self.mark, self.title = QLabel(), QLabel()
        self.title.setFont(text_font(13, 600))
        self.title.setWordWrap(True)
        self.words = QLabel()
        self.words.setWordWrap(True)
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.fix = QPushButton("Replace by the assembly's")
        self.fix.setToolTip("Delete the vehicle on the server, and spawn it from its assembly in the same place")
        self.fix.clicked.connect(lambda: self.fix_wanted.emit(self._model))
        row = QHBoxLayout()
        row.setSpacing(6)
        row.addWidget(self.mark, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.title, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 8, 0, 0)
        column.setSpacing(4)
        column.addLayout(row)
        column.addWidget(self.words)
        column.addWidget(self.fix, 0, Qt.AlignmentFlag.AlignLeft)
        self.hide()

    def show_agreement(self, model: str, found: Sequence[Mismatch] | None, *, can_fix: bool) -> None:
        """None: the model is no vehicle of an assembly, or has not been compared yet."""
        self.setVisible(found is not None)
        self.fix.setEnabled(can_fix)
        if found is None or (model, tuple(found)) == (self._model, self._found):
            if found is not None and not self.title.text():
                self._fill()
            return
        self._model, self._found = model, tuple(found)
        self._fill()

    def _fill(self) -> None:
        found = self._found
        count = f"{len(found)} difference{'s' if len(found) != 1 else ''}"
        self.title.setText(f"{self._model}: {count} from the Assembly" if found else "Agrees with the Assembly")
        more = f"\nand {len(found) - MOST} more" if len(found) > MOST else ""
        self.words.setText("\n".join(each.words for each in found[:MOST]) + more)
        self.words.setVisible(bool(found))
        self.fix.setVisible(bool(found))
        self._show_mark()

    def _show_mark(self) -> None:
        name, tone = (DIFFERS, self._theme.warning) if self._found else (AGREES, self._theme.fine)
        self.mark.setPixmap(icon(name, tone).pixmap(16, 16))

    def show_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._show_mark()
