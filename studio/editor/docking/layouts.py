"""Named arrangements of the panels: some that are always there, and those that the user has kept."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PyQt6.QtCore import QByteArray, QObject, pyqtSignal

if TYPE_CHECKING:
    from studio.editor.base.settings import Settings
    from studio.editor.docking.docks import Docks

BUILD, RUN, LOG, COMPARE, DEBUG, GEOMETRY = "Build", "Run", "Log", "Compare", "Debug", "Geometry"
GAZEBO = "Gazebo"
BUILT_IN = (BUILD, RUN, LOG, COMPARE, DEBUG, GEOMETRY, GAZEBO)
MOST = 9
"""As many as have keys: Ctrl+1 to Ctrl+9."""
NARROW = 1400
"""Below this width of the window, panels are smaller and those at the left a rail of icons."""
VERSION = 4
"""One more when the panels are others: what was kept before does not fit them."""


class Layouts(QObject):
    changed = pyqtSignal()
    """Which there are, or which one is chosen."""

    def __init__(self, docks: Docks, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.docks, self.settings = docks, settings
        self.current = self.before = BUILD
        """And the one that was chosen before it."""
        self.save_viewers: Callable[[], str] = lambda: ""
        self.open_viewers: Callable[[str], object] = lambda _: None
        """Of what is told by the first, what is not open already."""
        self.has_vehicle: Callable[[], bool] = lambda: False
        """Whether Geometry has something to show."""
        self._build_state = QByteArray()
        self._arrange: dict[str, Callable[[], object]] = {}
        self._left: dict[str, QByteArray] = {}
        """How the others of this project were left: so they come back, however wide the window is."""

    # ---- what there is

    def names(self) -> list[str]:
        """In the order of their keys."""
        return [*BUILT_IN, *self.settings.names(self._key("names"))]

    def own(self) -> list[str]:
        """Those that the user has kept, which can be renamed and removed."""
        return self.names()[len(BUILT_IN) :]

    def keep_build(self) -> None:
        """The docks are as Build has them."""
        self._build_state = self.docks.save()

    def derive(self, name: str, arrange: Callable[[], object]) -> None:
        """Another one that is always there: made from Build when it is wanted, which costs nothing at the start."""
        self._arrange[name] = arrange

    # ---- choosing

    def choose(self, name: str) -> bool:
        """As it was left; the current one as it was kept. False if there is none of that name, or if it does not fit
        the panels any more."""
        leaving, state = self.current, self.docks.save()
        with self.docks.at_once():
            is_there = self._come_back(name) or self._make(name)
        if is_there and leaving != name and leaving in self.names():
            self._left[leaving] = state
        return is_there

    def _come_back(self, name: str) -> bool:
        """False if it was not left, or has to be made anew."""
        if name == self.current or name not in self._left:
            return False
        left = self._left.pop(name)
        panels = self.docks.names_in(left)
        if name in (LOG, COMPARE, GEOMETRY, GAZEBO) and not panels <= set(
            self.docks.names()
        ):  # the viewer it is there for may be gone
            return False
        if name in self.own():
            kept = self.settings.bytes(self._key(f"state/{name}"))
            if kept is None or not self.docks.names_in(kept) <= panels:  # it has its viewers, also if they were closed
                return False
            self.open_viewers(self.settings.text(self._key(f"viewers/{name}")))
        if not self.docks.restore(left):
            return False
        self.before, self.current = self.current, name
        self.changed.emit()
        return True

    def _make(self, name: str) -> bool:
        state = self._build_state if name in BUILT_IN else self.settings.bytes(self._key(f"state/{name}"))
        if name not in BUILT_IN and state is not None:  # viewers have to be there to be put into their places
            self.open_viewers(self.settings.text(self._key(f"viewers/{name}")))
        if state is None or not self.docks.restore(state):
            return False
        self.before, self.current = self.current, name
        if name in BUILT_IN:
            if name in (BUILD, RUN):
                self._arrange.get(name, lambda: None)()
                self._size(name)
            else:
                self._size(BUILD)
                self._arrange[name]()
        self.changed.emit()
        return True

    def choose_number(self, number: int) -> bool:
        """From 1 on, as on the keys."""
        names = self.names()
        return number <= len(names) and self.choose(names[number - 1])

    def reset(self) -> None:
        """As the current layout was when it was kept; always works."""
        if not self.choose(self.current):
            self.choose(BUILD)

    def _size(self, name: str) -> None:
        """Widths from the room there is: panels that are kept in pixels would drown a small canvas."""
        width, height = self._room()
        left, right, bottom = self._panels()
        middle = width - left - right
        self.docks.set_sizes("palette", [left, middle, right])
        if name == RUN and width >= NARROW:  # console and processes side by side stand below the document together
            self.docks.set_sizes("processes", [middle * 11 // 20, middle * 9 // 20])
            bottom += 20
        self.docks.set_sizes("system", [height - bottom, bottom])

    def give_columns(self) -> None:
        """A panel has come to the left: it and the one at the right are as wide as they should be."""
        left, right, _ = self._panels()
        self.docks.set_columns(left, right)

    def _room(self) -> tuple[int, int]:
        window = self.docks.manager.window()
        assert window is not None
        return window.width(), window.height()

    def _panels(self) -> tuple[int, int, int]:
        """Width at the left, at the right, and height below."""
        return (200, 260, 160) if self._room()[0] < NARROW else (212, 300, 190)

    # ---- the user's own

    def keep(self, name: str) -> bool:
        """Keep the panels as they are, under a new name or one of the user's; False if there is no room for it."""
        name = name.strip()
        if not name or name in BUILT_IN or (name not in self.names() and len(self.names()) >= MOST):
            return False
        self.settings.set_bytes(self._key(f"state/{name}"), self.docks.save())
        self.settings.set_text(self._key(f"viewers/{name}"), self.save_viewers())
        if name not in self.names():
            self.settings.set_names(self._key("names"), [*self.own(), name])
        self._left.pop(name, None)
        self.current = name
        self.changed.emit()
        return True

    def rename(self, old: str, new: str) -> bool:
        new = new.strip()
        state = self.settings.bytes(self._key(f"state/{old}"))
        if old not in self.own() or not new or new in self.names() or state is None:
            return False
        self.settings.set_bytes(self._key(f"state/{new}"), state)
        self.settings.set_text(self._key(f"viewers/{new}"), self.settings.text(self._key(f"viewers/{old}")))
        if old in self._left:
            self._left[new] = self._left[old]
        self._forget(old)
        self.settings.set_names(self._key("names"), [new if name == old else name for name in self.own()])
        self.current = new if self.current == old else self.current
        self.changed.emit()
        return True

    def remove(self, name: str) -> None:
        if name in self.own():
            self.settings.set_names(self._key("names"), [other for other in self.own() if other != name])
            self._forget(name)
            if self.current == name:
                self.choose(BUILD)
            self.changed.emit()

    def _forget(self, name: str) -> None:
        self._left.pop(name, None)
        for part in ("state", "viewers"):
            self.settings.forget(self._key(f"{part}/{name}"))

    # ---- each project has its own

    def remember(self, project: Path, viewers: str = "") -> None:
        """The panels as they are now belong to this project, and these viewers with them."""
        key = self._project(project)
        self.settings.set_text(f"{key}/viewers", viewers)
        self.settings.set_bytes(f"{key}/state", self.docks.save())
        self.settings.set_text(f"{key}/name", self.current)

    def is_remembered(self, project: Path) -> bool:
        return self.settings.bytes(f"{self._project(project)}/state") is not None

    def restore(self, project: Path) -> None:
        """The panels as this project had them; a new one begins with Build."""
        key = self._project(project)
        state = self.settings.bytes(f"{key}/state")
        self._left.clear()
        with self.docks.at_once():
            if state is not None and self.docks.restore(state):
                name = self.settings.text(f"{key}/name")
                self.current = name if name in self.names() else BUILD
                if name == GAZEBO or (name == GEOMETRY and not self.has_vehicle()):
                    self.choose(BUILD)  # servers are not looked for before somebody asks for them
                self.changed.emit()
            else:
                self.choose(BUILD)
                self._left.clear()  # what was left was the other project's

    def viewers(self, project: Path) -> str:
        """Which viewers this project had; they have to be there before `restore` can put them into their places."""
        return self.settings.text(f"{self._project(project)}/viewers")

    def _project(self, folder: Path) -> str:
        return self._key(f"project/{hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:16]}")

    def _key(self, name: str) -> str:
        return f"layouts/{VERSION}/{name}"
