"""Components that somebody wants at hand: at the top of the palette and of quick add, in every project."""

from __future__ import annotations

from PyQt6.QtCore import QObject, pyqtSignal

from studio.editor.base.settings import Settings

KEY = "favourites"


class Favourites(QObject):
    changed = pyqtSignal()

    def __init__(self, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings

    def names(self) -> list[str]:
        """In the order in which they were chosen; some may not be installed here."""
        return self._settings.names(KEY)

    def toggle(self, name: str) -> bool:
        """Whether it is one now."""
        names = self.names()
        is_one = name not in names
        self._settings.set_names(KEY, [*names, name] if is_one else [each for each in names if each != name])
        self.changed.emit()
        return is_one
