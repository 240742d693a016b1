"""Names while they are typed: a space becomes an underscore, and what no name can hold does not get in."""

from __future__ import annotations

from PyQt6.QtCore import QObject, QPoint
from PyQt6.QtWidgets import QLineEdit, QToolTip

from studio.model.parts import as_name

RULE = "A name has letters, digits and underscores, and begins with a letter"


class NameTyping(QObject):
    """Belongs to its field and ends with it."""

    def __init__(self, field: QLineEdit, *, keeps_folders: bool = False) -> None:
        """`keeps_folders`: a path is left alone, since folders may have spaces."""
        super().__init__(field)
        self.field, self.keeps_folders = field, keeps_folders
        field.textEdited.connect(self._tidy)

    def _tidy(self, text: str) -> None:
        place = self.field.cursorPosition()
        tidy, before = self._named(text), self._named(text[:place])
        if tidy == text:
            return
        self.field.setText(tidy)
        self.field.setModified(True)
        self.field.setCursorPosition(len(before))
        if len(tidy) < len(text):
            QToolTip.showText(self.field.mapToGlobal(QPoint(0, self.field.height())), RULE, self.field)

    def _named(self, text: str) -> str:
        return text if self.keeps_folders and "/" in text else as_name(text)


def keep_to_names(field: QLineEdit, *, keeps_folders: bool = False) -> None:
    """Let nothing be typed into `field` that cannot be a name."""
    NameTyping(field, keeps_folders=keeps_folders)
