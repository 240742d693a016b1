"""The window. What it has at its first paint is made here; everything else comes right after it, see deferred_parts.py.

At the first paint there are the menus, the status bar and the first page. Nothing that is slow to import belongs here:
tests/editor/window/test_app.py has a list.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from PyQt6.QtCore import QEvent, QSize, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QCloseEvent, QContextMenuEvent, QDragEnterEvent, QDropEvent, QPaintEvent
from PyQt6.QtWidgets import QApplication, QMainWindow, QStackedWidget, QWidget

from studio.editor.base.deferred import Beside, Deferred, Slices
from studio.editor.look.open_dialog import sort_of
from studio.editor.look.style import apply_theme
from studio.editor.look.theme import Theme
from studio.editor.running.status_bar import StatusBar
from studio.editor.welcome.welcome import Welcome
from studio.editor.window.appearance import Appearance, settle_motion, wanted_theme
from studio.editor.window.menus import Menus

if TYPE_CHECKING:
    from studio.editor.base.settings import Settings
    from studio.editor.canvas.interaction.view import CanvasView
    from studio.editor.code.assistance import Assistance
    from studio.editor.code.controller import CodeController
    from studio.editor.code.debug_control import DebugControl
    from studio.editor.code.documents import CodeDocuments
    from studio.editor.component_tests.controller import TestController
    from studio.editor.docking.docks import Docks
    from studio.editor.docking.layouts import Layouts
    from studio.editor.freeze.controller import FreezeController
    from studio.editor.freeze.event_breaks import EventBreakController
    from studio.editor.gazebo.controller import GazeboController
    from studio.editor.geometry.controller import GeometryController
    from studio.editor.geometry.document import GeometryDocument
    from studio.editor.log_files.controller import LogController
    from studio.editor.look.command_palette import CommandPalette
    from studio.editor.look.notice import Notice
    from studio.editor.new_component.controller import NewComponent
    from studio.editor.palette.palette import Palette
    from studio.editor.panels.inspector.inspector import Inspector
    from studio.editor.panels.system.problems import Problems
    from studio.editor.project.session import Session
    from studio.editor.running.emulator_controller import EmulatorController
    from studio.editor.running.run_presenter import RunPresenter
    from studio.editor.sources.band import OriginBand
    from studio.editor.sources.controller import SourceController
    from studio.editor.system_text.controller import SystemTextController
    from studio.editor.viewers.viewers import Viewers
    from studio.editor.window.files import Files
    from studio.editor.window.live_panels import LivePanels
    from studio.editor.window.project_controller import ProjectController
    from studio.editor.window.rail import Rail
    from studio.editor.window.side_panels import SidePanels
    from studio.editor.window.toolbar import MainToolBar
    from studio.editor.window.window_commands import WindowCommands

SIZE = QSize(1280, 800)
FURNISHING = "studio.editor.window.deferred_parts"


class MainWindow(QMainWindow):
    painted = pyqtSignal()
    """For the first time."""
    furnished = pyqtSignal()
    """Everything is there."""

    live: Deferred[RunPresenter] = Deferred()
    files: Deferred[Files] = Deferred()
    project: Deferred[ProjectController] = Deferred()
    window_commands: Deferred[WindowCommands] = Deferred()
    commands: Deferred[CommandPalette] = Deferred()
    workspace: Deferred[QWidget] = Deferred()
    band: Deferred[OriginBand] = Deferred()
    notice: Deferred[Notice] = Deferred()
    docks: Deferred[Docks] = Deferred()
    rail: Deferred[Rail] = Deferred()
    palette_panel: Deferred[Palette] = Deferred()
    inspector: Deferred[Inspector] = Deferred()
    problems: Deferred[Problems] = Deferred()
    debug: Deferred[DebugControl] = Deferred()
    code: Deferred[CodeDocuments] = Deferred()
    code_controller: Deferred[CodeController] = Deferred()
    assistance: Deferred[Assistance] = Deferred()
    new_component: Deferred[NewComponent] = Deferred()
    tests: Deferred[TestController] = Deferred()
    system_text: Deferred[SystemTextController] = Deferred()
    live_panels: Deferred[LivePanels] = Deferred()
    side_panels: Deferred[SidePanels] = Deferred()
    viewers: Deferred[Viewers] = Deferred()
    layouts: Deferred[Layouts] = Deferred()
    toolbar: Deferred[MainToolBar] = Deferred()
    sources: Deferred[SourceController] = Deferred()
    event_breaks: Deferred[EventBreakController] = Deferred()
    freeze: Deferred[FreezeController] = Deferred()
    logs: Deferred[LogController] = Deferred()
    emulators: Deferred[EmulatorController] = Deferred()
    vehicles: Deferred[GeometryController] = Deferred()
    gazebo: Deferred[GazeboController] = Deferred()

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self.settings = settings
        self.theme: Theme = wanted_theme(settings)
        settle_motion(settings)
        self.appearance = Appearance(self)
        self._furnishing: Slices | None = None
        self._was_painted = False
        self.setWindowTitle("Robot Systems Studio")
        self.setAcceptDrops(True)
        self.resize(SIZE)
        self.document = QWidget()
        """Where the canvas will be."""
        self.document.setMinimumSize(320, 240)
        self._build()
        geometry = settings.bytes("geometry")
        if geometry is not None:
            self.restoreGeometry(geometry)

    def _build(self) -> None:
        self.status = StatusBar(self.theme)
        self.setStatusBar(self.status)
        self.status.problems_wanted.connect(lambda: self.docks.show("problems"))
        self.status.save_wanted.connect(lambda: self.trigger("file.save"))
        self.status.trouble_wanted.connect(lambda: self.live.go_to_trouble(self.status.troubled))
        self.status.zoom_wanted.connect(lambda: self.trigger("view.zoom_100"))
        self.status.frozen_wanted.connect(lambda: self.freeze.show_where())
        self.status.layouts_wanted.connect(lambda: self.menus.open_layouts())
        self.status.refresh(None)
        self.menus: Menus = Menus(self)
        self.menus.show_session()
        self.actions_by_id = self.menus.actions
        self.trigger = self.menus.trigger
        self.welcome = Welcome(self.settings, self.theme)
        self.welcome.new_wanted.connect(lambda: self.files.new())
        self.welcome.open_wanted.connect(lambda: self.files.ask_open())
        self.welcome.log_wanted.connect(lambda: self.logs.ask_open())
        self.welcome.project_wanted.connect(lambda folder: self.files.ask_leave_and_open(folder))
        self.welcome.recent_log_wanted.connect(lambda log: self.logs.open(log))
        self.welcome.vehicle_wanted.connect(lambda: self.files.ask_open_vehicle())
        self.welcome.recent_vehicle_wanted.connect(lambda vehicle: self.vehicles.open(vehicle))
        self.welcome.guide_wanted.connect(lambda page: self.window_commands.show_guide(page))
        self.welcome.keys_wanted.connect(lambda: self.window_commands.show_keys())
        self.pages = QStackedWidget()
        self.pages.addWidget(self.welcome)
        self.setCentralWidget(self.pages)

    @property
    def widget(self) -> QWidget:
        """For parts that know the window only by what they take from it."""
        return self

    # ---- what comes after the first paint

    @property
    def is_furnished(self) -> bool:
        return self._furnishing is not None and self._furnishing.is_done

    def furnish(self) -> None:
        """At once: somebody wants a part that the first paint does without."""
        self._parts().finish()

    def furnish_soon(self) -> None:
        """Imported beside the window's work, then made in slices, so that it can be used meanwhile."""
        Beside(lambda: import_module(FURNISHING), lambda _: self._parts().start(), self)

    def _parts(self) -> Slices:
        if self._furnishing is None:
            from studio.editor.window.deferred_parts import furnish

            self._furnishing = Slices(furnish(self), self)
            self._furnishing.done.connect(self.furnished)
        return self._furnishing

    # ---- one project

    @property
    def has_session(self) -> bool:
        return self.is_furnished and self.project.session is not None

    @property
    def session(self) -> Session:
        session = self.project.session
        assert session is not None, "no project is open"
        return session

    @property
    def canvas(self) -> CanvasView:
        canvas = self.project.canvas
        assert canvas is not None, "no project is open"
        return canvas

    def show_session(self, session: Session | None) -> None:
        """Put another project into the window, or the welcome page."""
        self.files.finish_opening()
        self.project.show(session)

    def show_title(self) -> None:
        """The document, the project, and how its system is: the task bar shows it."""
        document = self.vehicles.active if self.is_furnished else None
        if document is not None:
            self.setWindowTitle(self._vehicle_title(document))
            return
        if not self.has_session:
            self.setWindowTitle("Robot Systems Studio")
            return
        name = f"system.xml{'*' if self.files.has_changes else ''}"
        self.setWindowTitle(f"{name} — {self.session.name}{self.live.title_words()} — Robot Systems Studio")

    def _vehicle_title(self, document: GeometryDocument) -> str:
        name = f"{document.workspace.main.name}{'*' if document.workspace.is_modified else ''}"
        project = f" — {self.session.name}{self.live.title_words()}" if self.has_session else ""
        return f"{name}{project} — Robot Systems Studio"

    # ---- light and dark

    def switch_theme(self) -> None:
        self.choose_theme("dark" if self.theme.name == "light" else "light")

    def choose_theme(self, name: str) -> None:
        self.settings.theme = name
        self.appearance.refresh()

    def show_theme(self, theme: Theme) -> None:
        self.furnish()  # what is made half-way would keep the colours of before
        self.theme = theme
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        apply_theme(app, theme)
        self.status.theme = theme
        self.toolbar.show_theme(theme)
        self.palette_panel.show_theme(theme)
        self.inspector.show_theme(theme)
        self.welcome.show_theme(theme)
        self.live_panels.show_theme(theme)
        self.side_panels.show_theme(theme)
        self.rail.show_theme(theme)
        self.viewers.show_theme(theme)
        self.code.show_theme(theme)
        self.system_text.show_theme(theme)
        self.vehicles.show_theme(theme)
        self.gazebo.show_theme(theme)
        self.assistance.show_theme()
        self.project.show_theme(theme)
        self.window_commands.help.show_theme(theme)
        self.freeze.show_theme(theme)  # what it lays on the canvas has the canvas's theme
        self.menus.show_icons()

    # ---- Qt

    def paintEvent(self, event: QPaintEvent | None) -> None:
        super().paintEvent(event)
        if not self._was_painted:
            self._was_painted = True
            # What was painted is on the screen only after this event.
            QTimer.singleShot(0, self.painted.emit)

    def changeEvent(self, event: QEvent | None) -> None:
        super().changeEvent(event)
        if event is not None and event.type() == QEvent.Type.ActivationChange and self.is_furnished:
            self.appearance.refresh()  # whoever changed the platform's settings comes back; PyQt6 has no signal for it

    def contextMenuEvent(self, event: QContextMenuEvent | None) -> None:
        """None: Qt would offer to hide the tool bar. The canvas and the panels have their own."""

    def dragEnterEvent(self, event: QDragEnterEvent | None) -> None:
        if event is not None and _dropped(event) is not None:
            _take_a_copy(event)

    def dropEvent(self, event: QDropEvent | None) -> None:
        assert event is not None
        path = _dropped(event)
        _take_a_copy(event)
        if path is not None:
            QTimer.singleShot(0, lambda: self.files.open_any(path))  # whoever let go of it does not wait for a dialog
        else:  # who gave it has gone, or was too slow
            self.status.say("The dropped item could not be read: open it from the menu File", trouble=True)

    def closeEvent(self, event: QCloseEvent | None) -> None:
        assert event is not None
        if not self.is_furnished:
            self.settings.set_bytes("geometry", self.saveGeometry())
            if self._furnishing is not None:
                self._furnishing.stop()
            event.accept()
            return
        if not self.files.may_go(self.close) or not self.vehicles.may_leave():
            event.ignore()
            return
        self.files.leave()
        self.vehicles.leave()
        self.settings.set_bytes("geometry", self.saveGeometry())
        self.project.drop()
        self.logs.close()
        self.live.close()
        self.emulators.stop()
        self.gazebo.close()
        event.accept()


def _take_a_copy(event: QDropEvent) -> None:
    """What is proposed may be to move it, and then whoever gave it would delete the log."""
    event.setDropAction(Qt.DropAction.CopyAction)
    event.accept()


def _dropped(event: QDropEvent) -> Path | None:
    """The one thing in what is dragged over the window that Studio can open."""
    data = event.mimeData()
    paths = [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()] if data is not None else []
    found = [path for path in paths if path.exists() and sort_of(path) is not None]
    return found[0] if len(found) == 1 else None
