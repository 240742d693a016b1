"""Everything in the window that its first paint does without, in the order in which it is made.

Between two slices the window does other work, so each of them is short; where a panel is added the style sheet is
applied to it, which takes a while. Whoever wants a part before it is there has all the rest made at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from PyQt6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from studio.editor.base.favourites import Favourites
from studio.editor.code.assistance import Assistance
from studio.editor.code.controller import CodeController
from studio.editor.code.debug_control import DebugControl
from studio.editor.code.documents import CodeDocuments
from studio.editor.code.source_view import open_source
from studio.editor.component_tests.controller import TestController
from studio.editor.docking.docks import Docks
from studio.editor.docking.layouts import DEBUG, Layouts
from studio.editor.freeze.controller import FreezeController
from studio.editor.freeze.event_breaks import EventBreakController
from studio.editor.gazebo.controller import GazeboController
from studio.editor.gazebo.surroundings import Surroundings
from studio.editor.geometry.controller import GeometryController
from studio.editor.log_files.controller import LogController
from studio.editor.look.command_palette import CommandPalette
from studio.editor.look.icons import icon
from studio.editor.look.notice import Notice
from studio.editor.look.theme import LIGHT
from studio.editor.new_component.controller import NewComponent
from studio.editor.palette.palette import Palette
from studio.editor.palette.palette_tools import use_tool
from studio.editor.panels.inspector.inspector import Inspector
from studio.editor.panels.system.problems import Problems
from studio.editor.running.emulator_controller import NO_DEVICES, EmulatorController
from studio.editor.running.live_status import show_running
from studio.editor.running.run_presenter import RunPresenter
from studio.editor.sources.band import OriginBand
from studio.editor.sources.controller import SourceController
from studio.editor.system_text.controller import SystemTextController
from studio.editor.viewers.viewers import Viewers
from studio.editor.views.shared.map_colours import COLOUR_PREFERENCES
from studio.editor.welcome.welcome import GUIDE
from studio.editor.window import arrangements
from studio.editor.window.files import Files
from studio.editor.window.live_panels import LivePanels
from studio.editor.window.project_controller import ProjectController
from studio.editor.window.rail import Rail
from studio.editor.window.side_panels import SidePanels
from studio.editor.window.toolbar import MainToolBar
from studio.editor.window.window_commands import WindowCommands

if TYPE_CHECKING:
    from studio.editor.window.main_window import MainWindow

ON_TOOLBAR = ("file.save", "edit.undo", "edit.redo", "insert.quick")


def furnish(window: MainWindow) -> Iterator[None]:
    window.live = RunPresenter(window)
    window.files = Files(window)
    window.window_commands = WindowCommands(window)
    window.commands = CommandPalette(window)
    yield
    window.menus.show_icons()
    yield
    _make_workspace(window)
    yield
    yield from _make_panels(window)
    COLOUR_PREFERENCES.need_safe = window.settings.safe_colours
    window.viewers = Viewers(window.docks, window.live.feed, window.theme, window)
    window.viewers.action_wanted.connect(lambda name: window.menus.actions[name].trigger())
    window.layouts = Layouts(window.docks, window.settings, window)
    window.layouts.save_viewers, window.layouts.open_viewers = window.viewers.save, window.viewers.restore
    arrangements.keep_all(window)
    window.rail.connect_docks()
    yield
    _make_toolbar(window)
    yield
    window.sources = SourceController(window)
    window.event_breaks = EventBreakController(window)
    window.freeze = FreezeController(window)
    yield
    window.logs = LogController(window)
    say = window.status.say
    window.vehicles = GeometryController(window)
    window.emulators = EmulatorController(say, lambda words: say(words, trouble=True), window)
    window.gazebo = GazeboController(_around_gazebo(window), window.docks, window.layouts, window)
    yield
    window.project = ProjectController(window)
    _connect(window)
    yield
    window.pages.addWidget(window.workspace)


def _focus_canvas(window: MainWindow) -> None:
    """Where it is seen: behind a document it cannot take the keyboard, which would go to any field then."""
    canvas = window.project.canvas  # none while a project is being left
    if canvas is not None and canvas.isVisible():
        canvas.setFocus()


def _make_workspace(window: MainWindow) -> None:
    window.workspace = QWidget()
    window.band = OriginBand(window.theme)
    window.notice = Notice()
    window.notice.answered.connect(lambda: _focus_canvas(window))
    window.docks = Docks(window.workspace)
    in_both = LIGHT.control_border  # readable in both themes
    window.docks.set_tab_icons(icon("mdi6.close", in_both), icon("mdi6.chevron-down", in_both))
    layout = QVBoxLayout(window.workspace)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(0)
    for widget in (window.band, window.notice):
        layout.addWidget(widget)
    window.rail = Rail(window)
    beside = QHBoxLayout()
    beside.setSpacing(0)
    beside.addWidget(window.rail)
    beside.addWidget(window.docks.manager, 1)
    layout.addLayout(beside, 1)


def _make_panels(window: MainWindow) -> Iterator[None]:
    docks = window.docks
    window.palette_panel = Palette(window.theme, Favourites(window.settings, window))
    docks.set_document("system", "system.xml", window.document)
    docks.add("palette", "Palette", window.palette_panel, "left")
    yield
    window.inspector = Inspector(window.theme, window.live.control)
    docks.add("inspector", "Inspector", window.inspector, "right")
    yield
    window.problems = Problems(window.theme)
    docks.add("problems", "Problems", window.problems, "bottom", beside="system")
    yield
    window.debug = DebugControl(window.live.feed, window.settings, window)
    window.code = CodeDocuments(window)
    window.code_controller = CodeController(window)
    window.assistance = Assistance(window)
    window.new_component = NewComponent(window)
    window.tests = TestController(window)
    window.system_text = SystemTextController(docks, lambda: window.theme, window)
    window.system_text.save_wanted.connect(lambda: window.trigger("file.save"))
    window.system_text.may_leave = lambda: window.files.may_leave_text()
    yield
    window.live_panels = LivePanels(window)
    yield
    window.side_panels = SidePanels(window)
    yield from window.side_panels.add_docks()


def _make_toolbar(window: MainWindow) -> None:
    actions = window.actions_by_id
    window.toolbar = MainToolBar(window.theme, [actions[name] for name in ON_TOOLBAR], actions, window.live.control)
    window.toolbar.hide()  # there is nothing to run yet
    window.addToolBar(window.toolbar)


def _around_gazebo(window: MainWindow) -> Surroundings:
    def assembly() -> str:
        geometry = window.session.system.geometry if window.has_session else None
        return Path(geometry.assembly).stem if geometry is not None else ""

    return Surroundings(
        lambda words, *, trouble=False: window.status.say(words, trouble=trouble),
        window.settings,
        lambda: window.theme,
        lambda: window.session.folder if window.has_session else None,
        lambda: tuple(window.session.system.sources) if window.has_session else (),
        lambda: window.live.control.is_up,
        assembly,
        lambda: window.window_commands.show_guide(GUIDE.parent / "gazebo.md"),
    )


def _connect(window: MainWindow) -> None:
    """What one part asks of another."""
    live, layouts = window.live, window.layouts
    layouts.changed.connect(window.project.show_layout)
    layouts.changed.connect(window.viewers.rehang)
    layouts.changed.connect(window.project.remember_soon)
    window.viewers.changed.connect(window.project.remember_soon)
    layouts.changed.connect(window.vehicles.rehang)
    layouts.changed.connect(lambda: arrangements.rehang_code(window, was_debug=layouts.before == DEBUG))
    layouts.changed.connect(window.rail.settle)
    live.feed.attached.connect(window.viewers.choose_by_types)
    live.feed.changed.connect(lambda _: show_running(window.status, live))
    live.phase_changed.connect(window.project.show_phase)
    live.phase_changed.connect(lambda: window.gazebo.follow_phase(live.control.phase))
    window.emulators.changed.connect(lambda: window.notice.withdraw(NO_DEVICES))
    status = window.status
    status.modes = window.toolbar.switch.modes
    status.origin_wanted.connect(window.sources.show_sources)
    status.way.cancel_wanted.connect(lambda: window.live.feed.ask("cancel"))
    status.clock_wanted.connect(lambda: window.viewers.show("states"))
    status.figures_wanted.connect(lambda: window.viewers.show("topics"))
    status.load_wanted.connect(lambda: window.docks.show("processes"))
    window.toolbar.commands_wanted.connect(window.window_commands.open_commands)
    window.toolbar.theme_wanted.connect(window.switch_theme)
    window.palette_panel.wanted.connect(lambda type_name: window.canvas.commands.add(type_name))
    window.palette_panel.new_wanted.connect(lambda: window.trigger("insert.new_component"))
    window.palette_panel.tool_wanted.connect(lambda name: use_tool(window, name))
    window.problems.go_to.connect(window.window_commands.go_to_problem)
    window.problems.fixes_of = window.project.fixes_of
    window.problems.fix_wanted.connect(window.project.carry_out)
    window.inspector.go_to.connect(lambda name: window.canvas.go_to(name))
    window.inspector.vehicle_wanted.connect(lambda: window.vehicles.links.open_vehicle_of_system())
    window.inspector.world_wanted.connect(lambda name: window.vehicles.links.open_world(name))
    window.inspector.frame_wanted.connect(lambda take: window.vehicles.links.pick_frame(take))
    window.inspector.log_wanted.connect(lambda: window.logs.ask_provider())
    window.inspector.debug_wanted.connect(window.freeze.debug_at)
    window.inspector.event_wanted.connect(window.viewers.explain)
    window.inspector.page_wanted.connect(lambda page: window.window_commands.show_guide(page))
    window.inspector.line_wanted.connect(lambda file, line: open_source(window, Path(file), line))
