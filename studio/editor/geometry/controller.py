"""The vehicles that are open in the window: a tab each for their views, and panels that show the one in front."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from PyQt6.QtCore import QObject, QTimer
from PyQt6.QtGui import QAction
from PyQt6.QtWidgets import QApplication, QStackedWidget, QWidget
from PyQt6.sip import isdeleted

from studio.editor.code.ports import WithCode
from studio.editor.docking.layouts import GEOMETRY
from studio.editor.geometry.driving import Needs as DrivingNeeds
from studio.editor.geometry.exporting import Needs as ExportingNeeds
from studio.editor.geometry.keeping import Keeping
from studio.editor.geometry.keeping import Needs as KeepingNeeds
from studio.editor.geometry.links import VehicleLinks
from studio.editor.geometry.parts import PANELS, VIEW, Part
from studio.editor.geometry.placing import lay_out, settle
from studio.editor.look.icons import icon
from studio.editor.look.open_dialog import model_kind
from studio.editor.look.theme import Theme
from studio.editor.ports import WithDocks, WithLayouts, WithTheme
from studio.editor.project.ports import WithProject
from studio.errors import StudioError
from studio.paths import model_roots

if TYPE_CHECKING:
    from studio.editor.geometry.document import GeometryDocument
    from studio.editor.geometry.live import LiveVehicle
    from studio.editor.look.command_palette import CommandPalette
    from studio.editor.running.status_bar import StatusBar
    from studio.model.geometry.assembly import Model
    from studio.model.geometry.workspace import Workspace

NEW_WORLD = """<?xml version="1.0" encoding="UTF-8"?>
<sdf version="1.7">
  <world name="{name}">
    <gravity>0 0 -9.81</gravity>
    <frame name="start">
      <pose>0 0 0 0 0 0</pose>
    </frame>
    <model name="ground">
      <static>true</static>
      <link name="link">
        <collision name="collision">
          <geometry>
            <plane>
              <normal>0 0 1</normal>
              <size>200 200</size>
            </plane>
          </geometry>
        </collision>
        <visual name="visual">
          <geometry>
            <plane>
              <normal>0 0 1</normal>
              <size>200 200</size>
            </plane>
          </geometry>
          <material>
            <ambient>0.42 0.5 0.33 1</ambient>
            <diffuse>0.42 0.5 0.33 1</diffuse>
          </material>
        </visual>
      </link>
    </model>
  </world>
</sdf>
"""
"""With ground to stand on and a place to start."""
NEW_PART = '<?xml version="1.0" encoding="UTF-8"?>\n<{kind} name="{name}" version="1">\n</{kind}>\n'
DOCK = f"{VIEW.name}:"
"""What the docks of open vehicles begin with."""


class Menus(Protocol):
    def show_session(self) -> None: ...


class ProjectPage(Protocol):
    def show(self, session: None) -> None:
        """Leave the project that is open."""


class Needs(
    KeepingNeeds, DrivingNeeds, ExportingNeeds, WithCode, WithDocks, WithLayouts, WithProject, WithTheme, Protocol
):
    """What is taken from the window."""

    @property
    def status(self) -> StatusBar: ...
    @property
    def commands(self) -> CommandPalette: ...
    @property
    def document(self) -> QWidget: ...
    @property
    def menus(self) -> Menus: ...
    @property
    def pages(self) -> QStackedWidget: ...
    @property
    def project(self) -> ProjectPage: ...
    @property
    def workspace(self) -> QWidget: ...
    def show_title(self) -> None: ...


class _Stack(QStackedWidget):
    """The panels of one kind: that of the vehicle in front is shown."""

    def __init__(self, part: Part) -> None:
        super().__init__()
        self.part = part
        self._document: GeometryDocument | None = None

    def follow(self, document: GeometryDocument | None) -> None:
        self._document = document
        if self.isVisible() or (document is not None and document.is_made(self.part)):
            self._fill()

    def panel(self) -> Any:
        self._fill()
        return self.currentWidget()

    def _fill(self) -> None:
        if self._document is not None:
            panel = self._document.part(self.part)
            if self.indexOf(panel) < 0:
                self.addWidget(panel)
            self.setCurrentWidget(panel)

    def showEvent(self, event: Any) -> None:
        super().showEvent(event)
        self._fill()


class GeometryController(QObject):
    def __init__(self, window: Needs) -> None:
        super().__init__(window.widget)
        self.window = window
        self.documents: dict[str, GeometryDocument] = {}
        """By the names of their docks."""
        self._keeping: dict[str, Keeping] = {}
        self._stacks: dict[str, _Stack] = {}
        self._current = ""
        self._was_last = False
        """Whether the keyboard was in a vehicle or its panels, and not in another document since."""
        self._layout_before = ""
        self.links: VehicleLinks = VehicleLinks(self)
        self._live: LiveVehicle | None = None
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._focus_changed)

    # ---- what is in front

    @property
    def current(self) -> GeometryDocument | None:
        """The vehicle that the panels show."""
        return self.documents.get(self._current)

    @property
    def active(self) -> GeometryDocument | None:
        """The one that keys such as Ctrl+S and Ctrl+Z mean; None if they mean the project."""
        found = self.current
        if found is None or not self.window.docks.is_in_front(self._current):
            return None
        return found if self._was_last or not self.window.docks.is_in_front("system") else None

    @property
    def keeping(self) -> Keeping | None:
        """Saving and closing of the active one."""
        return self._keeping[self._current] if self.active is not None else None

    def _focus_changed(self, _: QWidget | None, now: QWidget | None) -> None:
        if now is None or not self.documents:
            return
        docks = self.window.docks
        for name in filter(docks.has, self.documents):
            if docks.content(name).isAncestorOf(now) or docks.content(name) is now:
                self._choose(name)
                self._was_last = True
                return
        if any(stack is now or stack.isAncestorOf(now) for stack in self._stacks.values()):
            self._was_last = True
        elif self.window.document.isAncestorOf(now):
            self._was_last = False
        else:
            return
        self.refresh()

    def _choose(self, name: str) -> None:
        if name in self.documents and name != self._current:
            self._current = name
            for stack in self._stacks.values():
                stack.follow(self.documents[name])
            self._follow_system()
        self.refresh()

    def _follow_system(self) -> None:
        if self._live is None:
            from studio.editor.geometry.live import LiveVehicle

            self._live = LiveVehicle(self.window.live.feed, self._view_in_front, self._model_in_front, self)
        self._live.refresh()

    def _view_in_front(self) -> Any:
        return self.current.view if self.current is not None else None

    def _model_in_front(self) -> Model | None:
        return self.current.workspace.assembled.model if self.current is not None else None

    # ---- opening

    def open(self, path: Path) -> bool:
        """A vehicle or a body in its own tab; with errors as text. True if it is open as a vehicle."""
        from studio.model.geometry.workspace import Workspace  # brings numpy, which must not delay the first paint

        path = path.resolve()
        name = self.name_of(path)
        if name in self.documents:
            self.bring_up(name)
            return True
        try:
            workspace = Workspace.load(path, self._roots(path))
        except StudioError as error:
            self._open_as_text(path, error)
            return False
        self.show(workspace)
        return True

    def is_free(self, path: Path) -> bool:
        """Whether a new file could be there."""
        return not path.exists() and self.name_of(path.resolve()) not in self.documents

    def create(self, path: Path, kind: str, *, is_named: bool = True) -> None:
        """A file that saving makes; unless it `is_named`, that asks for its place."""
        from studio.model.geometry.workspace import Workspace

        try:
            workspace = Workspace.new(path, first_text(kind, path.stem), self._roots(path))
        except StudioError as error:
            self.window.status.say(str(error), trouble=True)
            return
        self._keeping[self.name_of(self.show(workspace).workspace.main)].is_named = is_named

    def show(self, workspace: Workspace) -> GeometryDocument:
        from studio.editor.geometry.document import GeometryDocument  # brings numpy, as all below does
        from studio.editor.geometry.session import GeometrySession

        if workspace.is_world:
            from studio.runtime.sim.worlds.world_checks import check_world

            workspace.check_world = check_world
        window = self.window
        document = GeometryDocument(GeometrySession(workspace, self), window.settings, window.theme, self)
        name = self.name_of(workspace.main)
        self.documents[name] = document
        document.show_part = self._show_part
        document.said.connect(lambda words, trouble: window.status.say(words, trouble=trouble))
        document.open_wanted.connect(self._open_from)
        keeping = self._keeping[name] = Keeping(window, document)
        document.save_wanted.connect(keeping.save)
        keeping.moved.connect(lambda: self._moved(document))
        keeping.reload_wanted.connect(lambda: self._reload(document))
        document.session.changed.connect(lambda _: self.refresh())
        document.session.saved.connect(self.refresh)
        window.pages.setCurrentWidget(window.workspace)
        self._add_panels()
        is_laid_out = window.layouts.current == GEOMETRY
        if not is_laid_out:
            self._layout_before = window.layouts.current
            window.layouts.choose(GEOMETRY)
        view = document.part(VIEW)
        window.docks.add_viewer(
            name, document.title, view, "tab", beside="system", close=lambda: self.ask_close(document)
        )
        window.docks.set_icon(name, icon(self._picture(document), window.theme.muted))
        window.docks.when_seen(name, lambda: self._seen(document))
        self.bring_up(name)
        if not is_laid_out:
            settle(window, name)
        if workspace.saved_text() is not None:
            window.settings.recents.add(workspace.main, "vehicle")
        keeping.begin()
        QTimer.singleShot(0, self._fit(document))
        return document

    @staticmethod
    def _picture(document: GeometryDocument) -> str:
        return "mdi6.earth" if document.workspace.is_world else VIEW.icon

    def _fit(self, document: GeometryDocument) -> Any:
        def fit() -> None:
            if document in self.documents.values() and not isdeleted(document.view):
                document.view.fit()

        return fit

    def _roots(self, path: Path) -> list[Path]:
        """Models of the open project, and those around the file itself, before those that ship."""
        project = self.window.session.folder if self.window.has_session else None
        around = path.parent.parent if path.parent.name in ("assemblies", "bodies", "worlds") else None
        found = model_roots(project)
        return [*([around] if around is not None and around.is_dir() else []), *found]

    def _open_as_text(self, path: Path, error: StudioError) -> None:
        page = self.window.code.open_at(path, error.line or 0) if path.is_file() else None
        if page is not None and self.window.pages.currentWidget() is not self.window.workspace:
            self.window.pages.setCurrentWidget(self.window.workspace)
        self.window.status.say(str(error), trouble=True, stays=True)

    def _open_from(self, file: Path, line: int) -> None:
        if line == 0 and model_kind(file):
            self.open(file)
        else:
            self.window.code.open_at(file, line)

    # ---- docks

    @staticmethod
    def name_of(path: Path) -> str:
        return f"{DOCK}{path}"

    def _name(self, document: GeometryDocument) -> str:
        return next(name for name, each in self.documents.items() if each is document)

    def bring_up(self, name: str) -> None:
        self.window.docks.show(name)
        self._was_last = True
        self._choose(name)
        self.documents[name].view.setFocus()
        self.refresh()

    def _seen(self, document: GeometryDocument) -> None:
        if isdeleted(self.window.widget):  # its panels go out of sight while it is destroyed
            return
        if document in self.documents.values() and self.window.docks.is_in_front(name := self._name(document)):
            self._choose(name)
        else:
            self.refresh()

    def _add_panels(self) -> None:
        for part in PANELS:
            if part.name not in self._stacks:
                stack = self._stacks[part.name] = _Stack(part)
                self.window.docks.add(part.name, part.title, stack, part.side, beside=part.beside)
                self.window.docks.hide(part.name)
                self.window.docks.set_icon(part.name, icon(part.icon, self.window.theme.muted))

    def _show_part(self, name: str) -> Any:
        self.window.docks.show(name)
        return self._stacks[name].panel()

    def lay_out(self) -> None:
        """The layout Geometry, as the picture has it."""
        lay_out(self.window, list(self._stacks), list(self.documents), self._current)

    # ---- closing

    def ask_close(self, document: GeometryDocument) -> bool:
        name = self._name(document)
        if not self._keeping[name].may_leave():
            return False
        self._close(name)
        return True

    def close_active(self) -> bool:
        """False if no vehicle is meant."""
        document = self.active
        if document is not None:
            self.ask_close(document)
        return document is not None

    def may_leave(self) -> bool:
        """Before the window closes."""
        return all(self._keeping[name].may_leave() for name in list(self.documents))

    def _close(self, name: str) -> None:
        window = self.window
        self._keeping.pop(name).end()
        document = self.documents.pop(name)
        if self._live is not None:
            self._live.forget(document.view)
        window.docks.remove(name)
        for stack in self._stacks.values():
            stack.follow(None)
        document.close()
        if name == self._current:
            self._current = ""
            if self.documents:
                self.bring_up(next(reversed(self.documents)))
        if not self.documents:
            self._leave_layout()
        self.refresh()

    def _leave_layout(self) -> None:
        window = self.window
        for name in self._stacks:
            window.docks.remove(name)
        self._stacks.clear()
        if window.has_session:
            if window.layouts.current == GEOMETRY:
                window.layouts.choose(self._layout_before or "Build")
        else:
            window.project.show(None)

    def close_all(self) -> None:
        for name in list(self.documents):
            self._close(name)

    def _moved(self, document: GeometryDocument) -> None:
        """It is in another file now: its tab has the name of that."""
        old, new = self._name(document), self.name_of(document.workspace.main)
        if old == new:
            return
        workspace = document.workspace
        self._close_quietly(old)
        self.show(workspace)

    def _reload(self, document: GeometryDocument) -> None:
        path = document.workspace.main
        self._close_quietly(self._name(document))
        self.open(path)

    def _close_quietly(self, name: str) -> None:
        """Another tab takes its place at once."""
        self._keeping.pop(name).end()
        document = self.documents.pop(name)
        if self._live is not None:
            self._live.forget(document.view)
        self.window.docks.remove(name)
        for stack in self._stacks.values():
            stack.follow(None)
        document.close()
        self._current = ""

    # ---- what the window shows

    def refresh(self) -> None:
        window = self.window
        for name, document in self.documents.items():
            if window.docks.has(name) and window.docks.title(name) != document.title:
                window.docks.set_title(name, document.title)
        window.menus.show_session()
        window.show_title()
        if not window.has_session:
            window.status.refresh(None, vehicle=bool(self.documents))

    def undo(self) -> bool:
        """False if no vehicle is meant."""
        document = self.active
        if document is not None:
            document.workspace.undo()
        return document is not None

    def redo(self) -> bool:
        document = self.active
        if document is not None:
            document.workspace.redo()
        return document is not None

    def actions(self) -> list[QAction]:
        """Of the view in front, for the menu and the command palette."""
        document = self.active
        return list(document.view.actions()) if document is not None else []

    def rehang(self) -> None:
        """A layout was chosen that does not know the open vehicles: they stay open, as tabs."""
        docks = self.window.docks
        front = docks.front_beside("system")
        closed = [name for name in self.documents if docks.is_closed(name)]
        for name in closed:
            docks.move(name, "tab", beside="system")
        if closed:
            docks.show(front)

    def show_theme(self, theme: Theme) -> None:
        for name, document in self.documents.items():
            document.show_theme(theme)
            self.window.docks.set_icon(name, icon(self._picture(document), theme.muted))
        for stack in self._stacks.values():
            self.window.docks.set_icon(stack.part.name, icon(stack.part.icon, theme.muted))

    def leave(self) -> None:
        """The window closes, and the user has decided about what is not saved."""
        for keeping in self._keeping.values():
            keeping.forget()
        for name in list(self.documents):
            self._close_quietly(name)


def first_text(kind: str, name: str) -> bytes:
    """Of a new file."""
    return (NEW_WORLD if kind == "world" else NEW_PART).format(kind=kind, name=name).encode()
