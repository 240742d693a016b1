"""The project that is open in the window: its canvas, and everything around it that tells of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from PyQt6.QtCore import QEventLoop, QObject, QPoint, QTimer
from PyQt6.QtWidgets import QApplication, QVBoxLayout

from studio.editor.canvas.interaction.view import CanvasView
from studio.editor.canvas.scene.live_layer import LiveLayer
from studio.editor.canvas.scene.scene import CanvasScene
from studio.editor.docking.layouts import GEOMETRY
from studio.editor.live.problems import LOG, Remedy, problems_of_run
from studio.editor.live.state import parts_of
from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme
from studio.editor.palette.palette_tools import use_tool
from studio.editor.running.live_status import show_running
from studio.editor.window import context_menu
from studio.errors import Problem
from studio.model.parts import Component
from studio.model.quick_fixes import Fix, fixes
from studio.model.sources import Source

if TYPE_CHECKING:
    from studio.editor.project.session import Session
    from studio.editor.window.main_window import MainWindow

ICONS = {
    "system": "mdi6.graph-outline", "palette": "mdi6.puzzle", "inspector": "fa6s.sliders",
    "problems": "fa6s.circle-exclamation", "console": "mdi6.console", "processes": "mdi6.speedometer",
}  # fmt: skip
"""Of the docks that are always there."""
MODELSERVER = "modelserver"
REMEMBER_AFTER_MS = 2000
"""So long after the last change the panels are remembered: a window that is killed loses no more."""


class ProjectController(QObject):
    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.window = window
        self.session: Session | None = None
        self.canvas: CanvasView | None = None
        self.of_run: list[Problem] = []
        """What is wrong with the system that runs."""
        self._last_folder: Path | None = None
        self._is_laid_out = False
        self._remembering = QTimer(self)
        self._remembering.setSingleShot(True)
        self._remembering.setInterval(REMEMBER_AFTER_MS)
        self._remembering.timeout.connect(self._remember)
        self._layout = QVBoxLayout(window.document)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._show_icons()

    def show(self, session: Session | None) -> None:
        """Another project, or none: then the welcome page is there."""
        for _ in self.show_in_slices(session):
            pass

    def show_in_slices(self, session: Session | None) -> Iterator[None]:
        window = self.window
        window.window_commands.help.project_changed()
        self.drop()
        yield
        self.session = session
        window.notice.withdraw()
        if session is not None:
            self._make_canvas(session)
            yield
            window.palette_panel.show_registry(session.registry)
            yield
            self._listen_to(session)
            session.check()
            yield
        if session is None or session.folder != self._last_folder:
            window.toolbar.gate.show_project()
            window.live_panels.console.forget()  # what another system said would be taken for this one's
        self._last_folder = session.folder if session is not None else None
        window.live.show_session(session)
        window.inspector.show_session(session)
        window.system_text.show_session(session)
        window.sources.show_session(session)
        window.logs.show_session(session)
        window.gazebo.follow_project()
        yield
        if session is not None:
            yield from self._lay_out(session)
        else:
            self._show_welcome()

    def _make_canvas(self, session: Session) -> None:
        window = self.window
        scene = CanvasScene(session, window.theme)
        self.canvas = CanvasView(scene)
        self.canvas.show_live(window.live.feed)
        self.live_layer = LiveLayer(scene, window.live.feed)
        self.live_layer.turned.connect(self.canvas.reach.announce)
        window.freeze.show_canvas(self.canvas)
        self._layout.addWidget(self.canvas)
        scene.selectionChanged.connect(self._selection_changed)
        self.canvas.show_minimap(window.settings.minimap)
        self.canvas.minimap_toggled.connect(lambda on: setattr(window.settings, "minimap", on))
        self.canvas.zoomed.connect(window.status.show_zoom)
        self.canvas.inspect.connect(self._look_closer)
        self.canvas.find_wanted.connect(window.window_commands.open_go_to)
        self.canvas.menu_wanted.connect(self.open_context_menu)
        self.canvas.new_wanted.connect(lambda name, at, port, into: window.new_component.ask(at, name, port, into))
        self.canvas.tool_dropped.connect(lambda name, at: use_tool(window, name, at))
        self.canvas.quick_add.favourites = window.palette_panel.favourites.names

    def _listen_to(self, session: Session) -> None:
        session.changed.connect(lambda _: self.refresh())
        session.saved.connect(self.refresh)
        session.refused.connect(lambda words: self.window.status.say(words, trouble=True))
        session.problems_changed.connect(self._problems_changed)

    def _show_welcome(self) -> None:
        if self.window.vehicles.documents:
            self.window.toolbar.hide()
            self.window.layouts.choose(GEOMETRY)
            self.refresh()
            return
        self.window.toolbar.hide()
        self.window.pages.setCurrentWidget(self.window.welcome)
        if self.window.isVisible():
            self.window.welcome.refresh()
            self.window.welcome.draw_pictures()
        self.refresh()

    def _lay_out(self, session: Session) -> Iterator[None]:
        """Nothing is painted before every panel has its place: it would be seen jumping there."""
        window = self.window
        window.setUpdatesEnabled(False)
        try:
            window.toolbar.show()
            window.pages.setCurrentWidget(window.workspace)
            self.refresh()
            yield
            window.viewers.restore(window.layouts.viewers(session.folder))
            yield
            window.code_controller.show_project(session.folder)
            window.event_breaks.show_project()
            yield
            window.layouts.restore(session.folder)
            yield
            # Only now the view has its size.
            QApplication.processEvents(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
            window.canvas.restore_view()
            window.canvas.setFocus()
            self._is_laid_out = True
        finally:
            window.setUpdatesEnabled(True)
            # Qt has dropped what it was asked to paint meanwhile and takes it for still on its way: without this, the
            # project of before stands on the screen until something else paints at once.
            window.repaint()

    def drop(self) -> None:
        """The project is left; how its panels stood is remembered."""
        window = self.window
        if self.session is not None:
            self._remember()
            self._is_laid_out = False
            window.viewers.close_all()
            window.system_text.show_session(None)
            window.code_controller.leave_project(self.session.folder)
        if self.canvas is not None:
            self.canvas.cancel_gesture()
            self.canvas.canvas.selectionChanged.disconnect()
            window.freeze.leave_canvas()
            self._layout.removeWidget(self.canvas)
            self.canvas.hide()
            self.canvas.deleteLater()
            self.canvas = None
        if self.session is not None:
            self.session.close()
            self.session.deleteLater()
            self.session = None

    def remember_soon(self) -> None:
        """A panel was opened, closed or set otherwise."""
        self._remembering.start()

    def _remember(self) -> None:
        self._remembering.stop()
        if self.session is not None and self._is_laid_out:  # half-way it would be remembered half
            self.window.layouts.remember(self.session.folder, self.window.viewers.save())

    # ---- what it tells

    def refresh(self) -> None:
        """After any edit: title, marks, menu texts."""
        window, session = self.window, self.session
        chosen = len(self.canvas.canvas.selectedItems()) if self.canvas else 0
        is_example = session is not None and window.files.is_example
        changed = window.files.has_changes
        vehicle = bool(window.vehicles.documents)
        window.status.refresh(session, chosen, changed=changed, example=is_example, of_run=self.of_run, vehicle=vehicle)
        window.toolbar.switch.refresh()
        window.sources.show_band()
        window.menus.show_session()
        window.freeze.show_ways()
        window.toolbar.show_phase()
        window.show_title()
        if session is not None:
            window.docks.set_title("system", f"system.xml{' •' if window.files.has_changes else ''}")

    def show_phase(self) -> None:
        show_running(self.window.status, self.window.live)
        self.refresh()

    def show_layout(self) -> None:
        self.window.status.show_layout(self.window.layouts.current)
        if self.canvas is not None:
            self.canvas.setFocus()  # putting panels elsewhere takes the focus away from all of them

    def show_theme(self, theme: Theme) -> None:
        if self.canvas is not None:
            self.canvas.show_theme(theme)
        self.window.problems.show_theme(theme, self.session.folder if self.session else None)
        self._show_icons()
        self.refresh()

    def _show_icons(self) -> None:
        for name, picture in ICONS.items():
            self.window.docks.set_icon(name, icon(picture, self.window.theme.muted))

    def _selection_changed(self) -> None:
        canvas = self.window.canvas
        scene = canvas.canvas
        self.window.inspector.show_selection(scene.selected_nodes(), scene.selected_connections())
        is_example, chosen = self.window.files.is_example, len(scene.selectedItems())
        changed = self.window.files.has_changes
        self.window.status.refresh(self.session, chosen, changed=changed, example=is_example, of_run=self.of_run)
        canvas.minimap.update()

    def _problems_changed(self) -> None:
        session = self.window.session
        found = [*self.of_run, *session.problems]
        self.window.problems.show_problems(found, session.folder)
        self.window.docks.set_title("problems", f"Problems {len(found)}" if found else "Problems")
        self.refresh()

    def show_run_problems(self) -> None:
        """What is wrong with the system that runs; nothing while none does."""
        live, session = self.window.live, self.session
        is_up = live.feed.is_attached and live.control.phase != "stopped"
        found = problems_of_run(session.system, live.feed.state) if session is not None and is_up else []
        if found != self.of_run:
            self.of_run = found
            if session is not None:
                self._problems_changed()

    def announce(self, words: str) -> None:
        """For those who hear the window."""
        if self.canvas is not None:
            self.canvas.reach.announce(words)

    # ---- what is asked of it

    def open_context_menu(self, at: QPoint) -> None:
        context_menu.open_context_menu(self.window, at)

    def fixes_of(self, problem: Problem) -> list[Fix | Remedy]:
        session = self.session
        if session is None:
            return []
        if problem in self.of_run:
            return self._remedies(problem)
        if problem.subject.partition(".")[2] == LOG and problem.severity == "warning":
            return [Remedy("Choose a log…", self.window.logs.ask_provider, "A file of yours, from any place")]
        return [*fixes(problem, session.system, session.registry, session.folder)]

    def _remedies(self, problem: Problem) -> list[Fix | Remedy]:
        """Of a component that failed: it is started again, with its code as it is then."""
        window = self.window
        node = window.session.system.nodes.get(problem.subject)
        if node is None:  # of the system as a whole, or its card was removed
            return []
        state = window.live.feed.state
        failed = [part for part in parts_of(node, state) if problem.message.startswith((f"{part} ", f"{part}: "))]
        running = state.get("components", {})
        has_no_device = any(running.get(part, {}).get("trouble") for part in failed)
        if has_no_device and window.emulators.is_missed_by(window.session.system):
            return [Remedy("Start emulators", window.emulators.start, "Emulated devices in place of real ones")]
        tip = f"Start {', '.join(failed)} again, with the code that is saved now"
        return [Remedy("Restart", lambda: window.live.control.restart(failed), tip)]

    def carry_out(self, fix: Fix | Remedy) -> None:
        """What somebody has clicked in the list of problems."""
        if isinstance(fix, Remedy):
            fix.do()
        elif self.session is not None:
            self.session.do(fix.edit)

    def _look_closer(self) -> None:
        """A double click: on a simulator or a Modelserver it opens the vehicle."""
        chosen = self.window.canvas.canvas.selected_nodes()
        assembly = self._vehicle_of(chosen[0]) if len(chosen) == 1 else None
        if assembly is None:
            self._to_inspector()
        elif assembly:
            self.window.vehicles.links.open_named(assembly)
        else:
            self.window.vehicles.links.open_vehicle_of_system()

    def _vehicle_of(self, name: str) -> str | None:
        """The assembly of a simulator; empty for that of the system; None if the node has nothing to do with one."""
        session = self.window.session
        node = session.system.nodes.get(name)
        inner = node.simulated.components if isinstance(node, Source) and node.simulated is not None else []
        for component in [node] if isinstance(node, Component) else inner:
            spec = session.registry.get(component.type)
            if spec is not None and spec.assembly:
                return "" if session.system.geometry is not None else spec.assembly
            if component.type == MODELSERVER and session.system.geometry is not None:
                return ""
        return None

    def _to_inspector(self) -> None:
        self.window.docks.show("inspector")
        self.window.inspector.setFocus()
        self.window.inspector.focusNextChild()
