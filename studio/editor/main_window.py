"""The window: welcome page or workspace, docks around the canvas, menus made from the table of actions."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import QSize, QTimer
from PyQt6.QtGui import (
    QCloseEvent,
    QContextMenuEvent,
    QDragEnterEvent,
    QDropEvent,
)
from PyQt6.QtWidgets import QApplication, QMainWindow, QStackedWidget, QVBoxLayout, QWidget

from studio.editor import arrangements
from studio.editor.canvas.live_layer import LiveLayer
from studio.editor.canvas.scene import CanvasScene
from studio.editor.canvas.view import CanvasView
from studio.editor.code.debug_control import DebugControl
from studio.editor.code.desk import CodeDesk
from studio.editor.code.documents import CodeDocuments
from studio.editor.command_palette import CommandPalette
from studio.editor.context_menu import open_context_menu
from studio.editor.docks import Docks
from studio.editor.files import Files
from studio.editor.freeze.desk import FreezeDesk
from studio.editor.freeze.event_breaks import EventBreakDesk
from studio.editor.icons import icon
from studio.editor.layouts import DEBUG, Layouts
from studio.editor.live import Live
from studio.editor.live_panels import LivePanels
from studio.editor.live_status import show_running
from studio.editor.log_files.desk import LogDesk
from studio.editor.menus import Menus
from studio.editor.notice import Notice
from studio.editor.panels.inspector import Inspector
from studio.editor.panels.palette import Palette
from studio.editor.panels.problems import Problems
from studio.editor.session import Session
from studio.editor.settings import Settings
from studio.editor.side_panels import SidePanels
from studio.editor.source_view import open_source
from studio.editor.sources.band import OriginBand
from studio.editor.sources.desk import SourceDesk
from studio.editor.status_bar import StatusBar
from studio.editor.style import apply_theme
from studio.editor.theme import LIGHT, THEMES, Theme
from studio.editor.toolbar import MainToolBar
from studio.editor.viewers import Viewers
from studio.editor.welcome import Welcome
from studio.editor.window_commands import WindowCommands
from studio.errors import Problem, counted
from studio.model.quick_fixes import Fix, fixes

SIZE = QSize(1280, 800)


class MainWindow(QMainWindow):
    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self.settings = settings
        self.theme: Theme = THEMES.get(settings.theme, THEMES["light"])
        self._session: Session | None = None
        self._canvas: CanvasView | None = None
        self.files: Files = Files(self)
        self.live: Live = Live(self)
        self.does: WindowCommands = WindowCommands(self)
        self.setWindowTitle("Robot Systems Studio")
        self.setAcceptDrops(True)
        self.resize(SIZE)
        self._build()
        self._build_menus()
        self.commands = CommandPalette(self)
        self.show_session(None)
        geometry = settings.bytes("geometry")
        if geometry is not None:
            self.restoreGeometry(geometry)

    # ---- what there is

    @property
    def has_session(self) -> bool:
        return self._session is not None

    @property
    def session(self) -> Session:
        assert self._session is not None, "no project is open"
        return self._session

    @property
    def canvas(self) -> CanvasView:
        assert self._canvas is not None, "no project is open"
        return self._canvas

    # ---- building

    def _build(self) -> None:
        self.status = StatusBar(self.theme)
        self.setStatusBar(self.status)
        self.status.problems_wanted.connect(lambda: self.docks.show("problems"))
        self.status.save_wanted.connect(lambda: self.trigger("file.save"))
        self.status.trouble_wanted.connect(lambda: self.live.go_to_trouble(self.status.troubled))
        self.status.zoom_wanted.connect(lambda: self.trigger("view.zoom_100"))
        self.status.frozen_wanted.connect(lambda: self.freeze.show_where())
        self.status.layouts_wanted.connect(lambda: self.menus.open_layouts())
        self.welcome = Welcome(self.settings, self.theme)
        self.welcome.new_wanted.connect(self.files.new)
        self.welcome.open_wanted.connect(self.files.ask_open)
        self.welcome.project_wanted.connect(self.files.ask_leave_and_open)
        self.welcome.guide_wanted.connect(self.does.show_guide)
        self.welcome.keys_wanted.connect(self.does.show_keys)
        self.band = OriginBand(self.theme)
        self.notice = Notice()
        self.workspace = QWidget()
        self.docks: Docks = Docks(self.workspace)
        layout = QVBoxLayout(self.workspace)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for widget in (self.band, self.notice):
            layout.addWidget(widget)
        layout.addWidget(self.docks.manager, 1)
        self.docks.set_close_icon(icon("mdi6.close", LIGHT.control_border))  # readable in both themes
        self._build_docks()
        self.pages = QStackedWidget()
        self.pages.addWidget(self.welcome)
        self.pages.addWidget(self.workspace)
        self.setCentralWidget(self.pages)

    def _build_docks(self) -> None:
        self.palette_panel = Palette(self.theme)
        self.inspector = Inspector(self.theme, self.live.control)
        self.problems = Problems(self.theme)
        self.document = QWidget()
        self.document.setMinimumSize(320, 240)
        self._document_layout = QVBoxLayout(self.document)
        self._document_layout.setContentsMargins(0, 0, 0, 0)
        self.docks.set_document("system", "system.xml", self.document)
        self.docks.add("palette", "Palette", self.palette_panel, "left")
        self.docks.add("inspector", "Inspector", self.inspector, "right")
        self.docks.add("problems", "Problems", self.problems, "bottom", beside="system")
        self.debug: DebugControl = DebugControl(self.live.feed, self.settings, self)
        self.code: CodeDocuments = CodeDocuments(self)
        self.code_desk: CodeDesk = CodeDesk(self)
        self.live_panels = LivePanels(self)
        self.side_panels: SidePanels = SidePanels(self)
        self.viewers: Viewers = Viewers(self.docks, self.live.feed, self.theme, self)
        self.layouts: Layouts = Layouts(self.docks, self.settings, self)
        self._keep_layouts()
        self.palette_panel.wanted.connect(lambda type_name: self.canvas.commands.add(type_name))
        self.problems.go_to.connect(self.does.go_to_problem)
        self.problems.fixes_of = self._fixes_of
        self.problems.fix_wanted.connect(lambda fix: self.session.do(fix.edit))
        self.inspector.go_to.connect(lambda name: self.canvas.go_to(name))
        self.inspector.line_wanted.connect(lambda file, line: open_source(self, Path(file), line))

    def _keep_layouts(self) -> None:
        arrangements.keep_all(self)
        self.layouts.changed.connect(self._layout_changed)
        self.layouts.changed.connect(self.viewers.rehang)
        self.layouts.changed.connect(lambda: arrangements.rehang_code(self, was_debug=self.layouts.before == DEBUG))
        self.live.feed.attached.connect(self.viewers.choose_by_types)

    def _build_menus(self) -> None:
        self.menus: Menus = Menus(self)
        self.actions_by_id = self.menus.actions
        self.trigger = self.menus.trigger
        shown = [self.actions_by_id[name] for name in ("file.save", "edit.undo", "edit.redo", "insert.quick")]
        self.toolbar = MainToolBar(self.theme, shown, self.actions_by_id, self.live.control)
        self.live.phase_changed.connect(self._phase_changed)
        self.live.feed.changed.connect(lambda _: show_running(self.status, self.live))
        self.toolbar.commands_wanted.connect(self.does.open_commands)
        self.toolbar.theme_wanted.connect(self.switch_theme)
        self.addToolBar(self.toolbar)
        self.sources: SourceDesk = SourceDesk(self)
        self.event_breaks: EventBreakDesk = EventBreakDesk(self)
        self.freeze: FreezeDesk = FreezeDesk(self)
        self.logs: LogDesk = LogDesk(self)
        self._show_icons()

    def _layout_changed(self) -> None:
        self.status.show_layout(self.layouts.current)
        if self._canvas is not None:
            self._canvas.setFocus()  # putting panels elsewhere takes the focus away from all of them

    # ---- one project

    def show_session(self, session: Session | None) -> None:
        """Put another project into the window, or the welcome page."""
        self._drop_session()
        self._session = session
        self.notice.hide()
        if session is not None:
            scene = CanvasScene(session, self.theme)
            self._canvas = CanvasView(scene)
            self._canvas.show_live(self.live.feed)
            self.live_layer = LiveLayer(scene, self.live.feed)
            self.freeze.show_canvas(self._canvas)
            self._document_layout.addWidget(self._canvas)
            scene.selectionChanged.connect(self._selection_changed)
            self._canvas.show_minimap(self.settings.minimap)
            self._canvas.zoomed.connect(self.status.show_zoom)
            self._canvas.inspect.connect(self._to_inspector)
            self.palette_panel.show_registry(session.registry)
            session.changed.connect(lambda _: self._changed())
            session.saved.connect(self._changed)
            session.refused.connect(lambda words: self.status.say(words, trouble=True))
            session.problems_changed.connect(self._problems_changed)
            session.check()
        self.live.show_session(session)
        self.inspector.show_session(session)
        self.sources.show_session(session)
        self.toolbar.setVisible(session is not None)
        self.pages.setCurrentWidget(self.workspace if session is not None else self.welcome)
        if session is None and self.isVisible():
            self.welcome.refresh()
        self._changed()
        if session is not None:
            self._lay_out_docks()
            self.canvas.setFocus()

    def _lay_out_docks(self) -> None:
        self.viewers.restore(self.layouts.viewers(self.session.folder))
        self.code_desk.show_project(self.session.folder)
        self.event_breaks.show_project()
        self.layouts.restore(self.session.folder)
        app = QApplication.instance()
        assert app is not None
        app.processEvents()  # the view has its size only now
        self.canvas.restore_view()

    def _drop_session(self) -> None:
        if self._session is not None:
            self.layouts.remember(self._session.folder, self.viewers.save())
            self.viewers.close_all()
            self.code_desk.leave_project(self._session.folder)
        if self._canvas is not None:
            self._canvas.cancel_gesture()
            self._canvas.canvas.selectionChanged.disconnect()
            self._document_layout.removeWidget(self._canvas)
            self._canvas.hide()
            self._canvas.deleteLater()
            self._canvas = None
        if self._session is not None:
            self._session.close()
            self._session.deleteLater()
            self._session = None

    def _changed(self) -> None:
        """After any edit: title, marks, menu texts."""
        session = self._session
        self.status.refresh(session, len(self._canvas.canvas.selectedItems()) if self._canvas else 0)
        self.toolbar.switch.refresh()
        self.sources.show_band()
        self.menus.show_session()
        self.freeze.show_ways()
        self.toolbar.show_phase()
        self.show_title()
        if session is not None:
            self.docks.set_title("system", f"system.xml{' •' if session.document.is_modified else ''}")

    def show_title(self) -> None:
        """The document, the project, and how its system is: the task bar shows it."""
        if self._session is None:
            self.setWindowTitle("Robot Systems Studio")
            return
        name = f"system.xml{'*' if self._session.document.is_modified else ''}"
        self.setWindowTitle(f"{name} — {self._session.name}{self.live.title_words()} — Robot Systems Studio")

    def _phase_changed(self) -> None:
        self.toolbar.show_phase()
        show_running(self.status, self.live)
        self._changed()

    def _selection_changed(self) -> None:
        scene = self.canvas.canvas
        self.inspector.show_selection(scene.selected_nodes(), scene.selected_connections())
        self.status.refresh(self._session, len(scene.selectedItems()))
        self.canvas.minimap.update()

    def _problems_changed(self) -> None:
        problems = self.session.problems
        self.problems.show_problems(problems, self.session.folder)
        errors, warnings = counted(problems)
        self.docks.set_title("problems", f"Problems {errors + warnings}" if problems else "Problems")
        self._changed()

    # ---- what actions do

    def _to_inspector(self) -> None:
        self.docks.show("inspector")
        self.inspector.setFocus()
        self.inspector.focusNextChild()

    def _fixes_of(self, problem: Problem) -> list[Fix]:
        return fixes(problem, self.session.system, self.session.registry) if self.has_session else []

    def switch_theme(self) -> None:
        self.choose_theme("dark" if self.theme.name == "light" else "light")

    def choose_theme(self, name: str) -> None:
        self.show_theme(THEMES[name])
        self.settings.theme = name

    def show_theme(self, theme: Theme) -> None:
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
        self.freeze.show_theme(theme)
        self.viewers.show_theme(theme)
        self.code.show_theme(theme)
        if self._session is not None:
            self.canvas.show_theme(theme)
        self.problems.show_theme(theme, self._session.folder if self._session else None)
        self._show_icons()
        self._changed()

    def _show_icons(self) -> None:
        self.menus.show_icons()
        self.side_panels.show_icons(self.theme)
        for name, picture in {
            "system": "mdi6.graph-outline", "palette": "mdi6.puzzle", "inspector": "fa6s.sliders",
            "problems": "fa6s.circle-exclamation", "console": "mdi6.console", "processes": "mdi6.speedometer",
        }.items():  # fmt: skip
            self.docks.set_icon(name, icon(picture, self.theme.muted))

    # ---- Qt

    def contextMenuEvent(self, event: QContextMenuEvent | None) -> None:
        """On the canvas; elsewhere Qt would offer to hide the tool bar."""
        if event is None or self._canvas is None or not self._canvas.underMouse():
            return
        open_context_menu(self, event.globalPos())

    def dragEnterEvent(self, event: QDragEnterEvent | None) -> None:
        if event is not None and (_dropped_folder(event) or self.logs.dropped(event.mimeData())) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent | None) -> None:
        folder = _dropped_folder(event) if event is not None else None
        log = self.logs.dropped(event.mimeData()) if event is not None else None
        if folder is not None:
            self.files.ask_leave_and_open(folder)
        elif log is not None:
            QTimer.singleShot(0, lambda: self.logs.open(log))  # whoever let go of it does not wait for a dialog

    def closeEvent(self, event: QCloseEvent | None) -> None:
        assert event is not None
        if not self.files.may_leave() or not self.live.may_close():
            event.ignore()
            return
        self.files.leave()
        self.settings.set_bytes("geometry", self.saveGeometry())
        self._drop_session()
        self.live.close()
        event.accept()


def _dropped_folder(event: QDropEvent) -> Path | None:
    data = event.mimeData()
    paths = [Path(url.toLocalFile()) for url in data.urls()] if data is not None else []
    found = [path for path in paths if (path / "system.xml").is_file() or path.name == "system.xml"]
    return found[0] if len(found) == 1 else None
