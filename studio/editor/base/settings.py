"""What the window remembers between starts, in one INI file of the user's."""

from __future__ import annotations

from pathlib import Path

import platformdirs
from PyQt6.QtCore import QByteArray, QSettings

from studio.editor.base.recent import RecentBook
from studio.runtime.base.clock import SECOND_NS, wall_ns

SCALES = (90, 100, 110, 125, 150, 175, 200)
"""Per cent that the interface can be scaled by, beside what the screen asks for."""
CONTRASTS = ("system", "normal", "high")
MOTIONS = ("system", "full", "none")


class Settings:
    def __init__(self, file: Path | None = None) -> None:
        self.file = file or platformdirs.user_config_path("robot-systems-studio") / "editor.ini"
        self._store = QSettings(str(self.file), QSettings.Format.IniFormat)
        self.recents = RecentBook(self, lambda: wall_ns() / SECOND_NS)

    @property
    def theme(self) -> str:
        return str(self._store.value("theme", "light"))

    @theme.setter
    def theme(self, name: str) -> None:
        self._store.setValue("theme", name)

    @property
    def contrast(self) -> str:
        """`system`, `normal` or `high`."""
        return self._choice("contrast", CONTRASTS)

    @contrast.setter
    def contrast(self, choice: str) -> None:
        self._store.setValue("contrast", choice)

    @property
    def motion(self) -> str:
        """`system`, `full` or `none`."""
        return self._choice("motion", MOTIONS)

    @motion.setter
    def motion(self, choice: str) -> None:
        self._store.setValue("motion", choice)

    @property
    def scale(self) -> int:
        found = self._number("scale", 100)
        return found if found in SCALES else 100

    @scale.setter
    def scale(self, per_cent: int) -> None:
        self._store.setValue("scale", per_cent)

    @property
    def autosave_s(self) -> int:
        """After an edit, until what is not saved is kept elsewhere."""
        return max(1, self._number("autosave_s", 3))

    @autosave_s.setter
    def autosave_s(self, seconds: int) -> None:
        self._store.setValue("autosave_s", seconds)

    @property
    def console_lines(self) -> int:
        return max(1000, self._number("console_lines", 20_000))

    @console_lines.setter
    def console_lines(self, lines: int) -> None:
        self._store.setValue("console_lines", lines)

    @property
    def minimap(self) -> bool:
        return self._number("minimap", 1) != 0

    @minimap.setter
    def minimap(self, on: bool) -> None:
        self._store.setValue("minimap", int(on))

    @property
    def left_open(self) -> bool:
        """Whether the panels at the left stay open where the window is narrow."""
        return self._number("left_open", 0) != 0

    @left_open.setter
    def left_open(self, on: bool) -> None:
        self._store.setValue("left_open", int(on))

    @property
    def safe_colours(self) -> bool:
        """Whether all maps have colours that everybody can tell apart, and ports the codes of their types."""
        return self._number("safe_colours", 0) != 0

    @safe_colours.setter
    def safe_colours(self, on: bool) -> None:
        self._store.setValue("safe_colours", int(on))

    @property
    def ligatures(self) -> bool:
        """Whether signs such as -> in code are drawn as one."""
        return self._number("ligatures", 0) != 0

    @ligatures.setter
    def ligatures(self, on: bool) -> None:
        self._store.setValue("ligatures", int(on))

    @property
    def debug_layout_on_stop(self) -> bool:
        """Whether a stop of the debugger brings its panels to the front."""
        return self._number("debug_layout_on_stop", 0) != 0

    @debug_layout_on_stop.setter
    def debug_layout_on_stop(self, on: bool) -> None:
        self._store.setValue("debug_layout_on_stop", int(on))

    @property
    def editor_command(self) -> str:
        """What opens a source file, with {file} and {line}; empty for the view of our own."""
        return self.text("editor_command")

    @editor_command.setter
    def editor_command(self, command: str) -> None:
        self._store.setValue("editor_command", command)

    def recent(self) -> list[Path]:
        """Projects that were open, the last one first; those that are gone are left out."""
        return [each.place for each in self.recents.all() if each.kind == "project" and each.is_there]

    def bytes(self, name: str) -> QByteArray | None:
        value = self._store.value(name)
        return value if isinstance(value, QByteArray) and not value.isEmpty() else None

    def set_bytes(self, name: str, value: QByteArray) -> None:
        self._store.setValue(name, value)

    def text(self, name: str) -> str:
        return str(self._store.value(name, "") or "")

    def set_text(self, name: str, value: str) -> None:
        self._store.setValue(name, value)

    def names(self, name: str) -> list[str]:
        return [str(each) for each in self._store.value(name, [], type=list)]

    def set_names(self, name: str, values: list[str]) -> None:
        self._store.setValue(name, values)

    def _choice(self, name: str, choices: tuple[str, ...]) -> str:
        found = self.text(name)
        return found if found in choices else choices[0]

    def _number(self, name: str, default: int) -> int:
        """Whatever somebody has written into the file."""
        try:
            return int(str(self._store.value(name, default)))
        except ValueError:
            return default

    def forget(self, name: str) -> None:
        self._store.remove(name)
