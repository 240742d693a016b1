"""What the window remembers between starts, in one INI file of the user's."""

from __future__ import annotations

from pathlib import Path

import platformdirs
from PyQt6.QtCore import QByteArray, QSettings

RECENT = 10


class Settings:
    def __init__(self, file: Path | None = None) -> None:
        self.file = file or platformdirs.user_config_path("robot-systems-studio") / "editor.ini"
        self._store = QSettings(str(self.file), QSettings.Format.IniFormat)

    @property
    def theme(self) -> str:
        return str(self._store.value("theme", "light"))

    @theme.setter
    def theme(self, name: str) -> None:
        self._store.setValue("theme", name)

    def recent(self) -> list[Path]:
        """Projects that were open, the last one first; those that are gone are left out."""
        found = self._store.value("recent", [], type=list)
        return [Path(str(text)) for text in found if (Path(str(text)) / "system.xml").is_file()]

    def add_recent(self, folder: Path) -> None:
        folder = folder.resolve()
        known = [folder, *(other for other in self.recent() if other != folder)]
        self._store.setValue("recent", [str(path) for path in known[:RECENT]])

    def clear_recent(self) -> None:
        self._store.setValue("recent", [])

    def bytes(self, name: str) -> QByteArray | None:
        value = self._store.value(name)
        return value if isinstance(value, QByteArray) and not value.isEmpty() else None

    def set_bytes(self, name: str, value: QByteArray) -> None:
        self._store.setValue(name, value)

    def forget(self, name: str) -> None:
        self._store.remove(name)
