"""Every action there is, in one table: menus, shortcuts, the command palette and the shortcut list are made from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from studio.editor.docking.layouts import MOST
from studio.editor.viewers.viewer_kinds import KINDS
from studio.editor.window import layout_menu, window_menu
from studio.editor.window.side_panels import PANELS

if TYPE_CHECKING:
    from studio.editor.window.main_window import MainWindow

Scope = Literal["window", "document", "project", "canvas"]
"""Always; only with a project or a vehicle in front; only with a project open; only while the canvas has the focus, so
that letters stay letters elsewhere."""
MENUS = ("File", "Edit", "View", "Insert", "Run", "Debug", "Geometry", "Tools", "Window", "Help")
SUBMENUS = {"Viewer": ("View", "New viewer")}
"""Menus within menus: where they are, and what they are called there."""


@dataclass(frozen=True)
class Action:
    id: str
    text: str
    do: Callable[[MainWindow], object]
    keys: tuple[str, ...] = ()
    scope: Scope = "project"
    menu: str = ""
    """From the first part of the id without one."""
    icon: str = ""
    begins_group: bool = False
    also: str = ""
    """Other words under which the command palette finds it."""

    @property
    def in_menu(self) -> str:
        return self.menu or self.id.partition(".")[0].capitalize()


def _viewer(kind: str) -> Callable[[MainWindow], object]:
    def open_one(window: MainWindow) -> None:
        window.viewers.open_soon(kind)

    return open_one


def _panel(name: str) -> Callable[[MainWindow], object]:
    def show_it(window: MainWindow) -> None:
        window.side_panels.show(name)

    return show_it


DEBUG_PANELS = tuple((panel.name, panel.title, panel.icon) for panel in PANELS if panel.name != "tests")
"""Those of the debugger, which no layout but Debug shows by itself."""
ACTIONS: tuple[Action, ...] = (
    Action("file.new", "New project…", lambda w: w.files.new(), ("Ctrl+N",), "window", icon="mdi6.file-plus-outline"),
    Action("file.open", "Open…", lambda w: w.files.ask_open(), ("Ctrl+O",), "window", icon="fa6s.folder-open"),
    Action("file.open_log", "Open or import a log…", lambda w: w.logs.ask_open(), ("Ctrl+Shift+O",), "window",
           icon="fa6s.database"),
    Action("file.open_vehicle", "Open vehicle or world…", lambda w: w.files.ask_open_vehicle(), ("Ctrl+Alt+O",),
           "window", icon="mdi6.car-outline"),
    Action("file.new_assembly", "New assembly", lambda w: w.files.new_vehicle("assembly"), scope="window",
           also="vehicle geometry"),
    Action("file.new_body", "New body", lambda w: w.files.new_vehicle("body"), scope="window",
           also="vehicle geometry sensor"),
    Action("file.new_world", "New world", lambda w: w.files.new_vehicle("world"), scope="window",
           also="sdf obstacles walls simulator geometry"),
    Action("file.save", "Save", lambda w: w.window_commands.save(), ("Ctrl+S",), "document",
           icon="mdi6.content-save-outline", begins_group=True),
    Action("file.save_as", "Save as…", lambda w: w.window_commands.save_as(), ("Ctrl+Shift+S",), "document"),
    Action("file.reload", "Reload from disk", lambda w: w.files.reload()),
    Action("file.export_svg", "Export canvas as SVG…", lambda w: w.files.ask_export("svg"), begins_group=True),
    Action("file.export_png", "Export canvas as PNG…", lambda w: w.files.ask_export("png")),
    Action("file.close", "Close project", lambda w: w.window_commands.close(), ("Ctrl+W",), "document",
           begins_group=True),
    Action("file.quit", "Quit", lambda w: w.close(), ("Ctrl+Q",), "window"),
    Action("edit.undo", "Undo", lambda w: w.window_commands.undo(), ("Ctrl+Z",), "document", icon="mdi6.undo"),
    Action("edit.redo", "Redo", lambda w: w.window_commands.redo(), ("Ctrl+Shift+Z", "Ctrl+Y"), "document",
           icon="mdi6.redo"),
    Action("edit.cut", "Cut", lambda w: w.canvas.commands.cut(), ("Ctrl+X",), "canvas", begins_group=True),
    Action("edit.copy", "Copy", lambda w: w.canvas.commands.copy(), ("Ctrl+C",), "canvas"),
    Action("edit.paste", "Paste", lambda w: w.canvas.commands.paste(), ("Ctrl+V",), "canvas"),
    Action("edit.duplicate", "Duplicate", lambda w: w.canvas.commands.duplicate(), ("Ctrl+D",), "canvas"),
    Action("edit.delete", "Delete", lambda w: w.canvas.commands.delete(), ("Del", "Backspace"), "canvas"),
    Action("edit.rename", "Rename", lambda w: w.canvas.commands.rename(), ("F2",), "canvas"),
    Action("edit.select_all", "Select all", lambda w: w.canvas.commands.select_all(), ("Ctrl+A",), "canvas"),
    Action("edit.find", "Find…", lambda w: w.window_commands.find(), ("Ctrl+F",)),
    Action("edit.connect", "Connect by keyboard", lambda w: w.canvas.start_keyboard_wiring(), ("C",), "canvas",
           begins_group=True),
    Action("edit.fold", "Fold or unfold the group", lambda w: w.canvas.groups.fold(), ("Ctrl+J",), "canvas"),
    Action("edit.ungroup", "Ungroup", lambda w: w.canvas.groups.dissolve(), ("Ctrl+Shift+G",), "canvas"),
    Action("edit.align_left", "Align left edges", lambda w: w.canvas.commands.align("left"), begins_group=True),
    Action("edit.align_right", "Align right edges", lambda w: w.canvas.commands.align("right")),
    Action("edit.align_top", "Align top edges", lambda w: w.canvas.commands.align("top")),
    Action("edit.align_bottom", "Align bottom edges", lambda w: w.canvas.commands.align("bottom")),
    Action("edit.align_centre", "Align in a column", lambda w: w.canvas.commands.align("centre")),
    Action("edit.align_middle", "Align in a row", lambda w: w.canvas.commands.align("middle")),
    Action("edit.spread_across", "Spread evenly across", lambda w: w.canvas.commands.distribute(across=True)),
    Action("edit.spread_down", "Spread evenly down", lambda w: w.canvas.commands.distribute(across=False)),
    Action("edit.preferences", "Preferences…", lambda w: w.window_commands.show_preferences(), ("Ctrl+,",), "window",
           begins_group=True),
    Action("view.fit", "Fit everything", lambda w: w.canvas.glide_to_fit(), ("F",), "canvas"),
    Action("view.zoom_in", "Zoom in", lambda w: w.canvas.glide_by(1.25), ("Ctrl++", "Ctrl+=")),
    Action("view.zoom_out", "Zoom out", lambda w: w.canvas.glide_by(0.8), ("Ctrl+-",)),
    Action("view.zoom_100", "Zoom to 100 %", lambda w: w.window_commands.zoom_100(), ("Ctrl+0",)),
    Action("view.arrange", "Arrange automatically", lambda w: w.canvas.commands.arrange(), ("L",), "canvas"),
    Action("view.minimap", "Mini-map", lambda w: w.canvas.toggle_minimap()),
    *(Action(f"viewer.{kind.name}", kind.title, _viewer(kind.name), icon=kind.icon, also=kind.also)
      for kind in KINDS),
    Action("view.system_text", "system.xml as text", lambda w: w.system_text.open(), ("Ctrl+Shift+X",),
           icon="fa6s.code", begins_group=True),
    Action("view.next_wire", "Next wire of the card", lambda w: w.canvas.reach.next_wire(), ("W",), "canvas",
           begins_group=True),
    Action("view.next_remark", "Next note, frame or group", lambda w: w.canvas.reach.next_remark(), ("T",), "canvas"),
    Action("view.theme", "Switch between light and dark", lambda w: w.switch_theme(), (), "window", begins_group=True),
    Action("insert.quick", "Component…", lambda w: w.canvas.open_quick_add(), ("Shift+A",), "canvas",
           icon="mdi6.puzzle"),
    Action("insert.new_component", "New component…", lambda w: w.new_component.ask(), ("Ctrl+Shift+N",),
           icon="mdi6.puzzle-plus-outline"),
    Action("insert.into_wire", "Component into the wire…", lambda w: w.canvas.open_quick_insert(), ("Shift+W",),
           "canvas", icon="mdi6.puzzle"),
    Action("insert.note", "Note", lambda w: w.canvas.commands.add_note(), ("Shift+N",), "canvas"),
    Action("insert.group", "Group selection", lambda w: w.canvas.groups.make(), ("Ctrl+G",), "canvas"),
    Action("insert.frame", "Frame", lambda w: w.canvas.commands.add_frame(), ("Shift+F",), "canvas"),
    Action("run.start", "Run", lambda w: w.live.run(), ("F5",), icon="fa6s.play"),
    Action("run.pause", "Pause", lambda w: w.live.pause(), ("F8",), icon="fa6s.pause"),
    Action("run.step", "Step one event", lambda w: w.live.control.step(), ("F6",), icon="mdi6.step-forward"),
    Action("run.back", "Step one event back", lambda w: w.freeze.back(), ("Shift+F6",), icon="mdi6.step-backward"),
    Action("run.next_of_stream", "Next event of the stream", lambda w: w.freeze.next_of_stream(), ("Ctrl+F6",),
           icon="mdi6.skip-next"),
    Action("run.stop", "Stop", lambda w: w.live.stop(), ("Shift+F5",), icon="fa6s.stop"),
    Action("run.stop_vehicle", "Stop vehicle", lambda w: w.sources.arming.disarm(), icon="fa6s.stop"),
    Action("run.anew", "Restart simulation", lambda w: w.live.control.begin_anew(), icon="mdi6.restart"),
    Action("run.record", "Start or stop recording", lambda w: w.logs.toggle(), ("Ctrl+R",), icon="fa6s.circle",
           begins_group=True),
    Action("run.record_some", "Record some topics…", lambda w: w.logs.ask_record()),
    Action("run.activate", "Activate", lambda w: w.live.command("activate"), begins_group=True),
    Action("run.deactivate", "Deactivate", lambda w: w.live.command("deactivate")),
    Action("run.reset", "Reset after an error", lambda w: w.live.command("reset")),
    Action("run.trigger", "Trigger once", lambda w: w.live.command("trigger"), ("Ctrl+T",)),
    Action("run.restart", "Restart its process", lambda w: w.live.restart(), ("Ctrl+Shift+F5",)),
    Action("run.test", "Run test", lambda w: w.tests.run(), ("Ctrl+Shift+T",), icon="mdi6.test-tube"),
    Action("run.apply", "Apply edits to the running system", lambda w: w.live.edits.apply_now(), begins_group=True),
    Action("debug.attach", "Debug component", lambda w: w.freeze.debug_selected(), ("Ctrl+Shift+D",),
           icon="fa6s.bug"),
    Action("debug.start", "Start under the debugger", lambda w: w.code_controller.start_under.start()),
    Action("debug.detach", "Stop debugging", lambda w: w.debug.detach_all()),
    Action("debug.vscode", "Open in VS Code", lambda w: w.code_controller.open_in_vscode()),
    Action("debug.line", "Step over the line", lambda w: w.debug.line(), ("F10",), icon="mdi6.debug-step-over",
           begins_group=True),
    Action("debug.into", "Step into", lambda w: w.debug.into(), ("F11",), icon="mdi6.debug-step-into"),
    Action("debug.out", "Step out", lambda w: w.debug.out(), ("Shift+F11",), icon="mdi6.debug-step-out"),
    Action("debug.handler", "Step into the handler of the next event", lambda w: w.freeze.into_handler(),
           ("Ctrl+F11",), icon="mdi6.arrow-down-right"),
    Action("debug.breakpoint", "Breakpoint at this line", lambda w: w.code.toggle_breakpoint(), ("F9",),
           icon="fa6s.circle", begins_group=True),
    Action("debug.event_breakpoint", "Break on events…", lambda w: w.event_breaks.ask_new(), icon="fa6s.bolt"),
    Action("debug.freezing", "A stop freezes the whole system", lambda w: w.freeze.set_freezing(), begins_group=True),
    *(Action(f"debug.show_{name}", title, _panel(name), begins_group=place == 0, icon=picture)
      for place, (name, title, picture) in enumerate(DEBUG_PANELS)),
    Action("geometry.system", "Open the vehicle of the system", lambda w: w.vehicles.links.open_vehicle_of_system(),
           icon="mdi6.car-outline"),
    Action("geometry.add_body", "Add body…", lambda w: w.vehicles.links.add_body(), ("Ctrl+Shift+B",), "document",
           icon="mdi6.cube-outline", also="insert sensor laser camera library", begins_group=True),
    Action("geometry.drive", "Drive…", lambda w: w.vehicles.links.drive(), ("Ctrl+F5",), "document",
           icon="mdi6.steering", also="simulate simulator"),
    Action("geometry.export_urdf", "Export URDF…", lambda w: w.vehicles.links.export("urdf"), scope="document",
           begins_group=True),
    Action("geometry.export_sdf", "Export SDF…", lambda w: w.vehicles.links.export("sdf"), scope="document"),
    Action("geometry.export_mjcf", "Export MJCF…", lambda w: w.vehicles.links.export("mjcf"), scope="document"),
    Action("tools.commands", "Command palette", lambda w: w.window_commands.open_commands(), ("Ctrl+Shift+P",),
           "window"),
    Action("tools.go_to", "Go to…", lambda w: w.window_commands.open_go_to(), ("Ctrl+P",), "document"),
    Action("tools.source", "Open the code of a component", lambda w: w.window_commands.open_source(), ("Ctrl+E",)),
    Action("tools.profile", "Update ports from code", lambda w: w.tests.update_profile()),
    Action("tools.check", "Check the system", lambda w: w.window_commands.check(), ("F7",), begins_group=True),
    Action("tools.emulators", "Start or stop emulated devices", lambda w: w.emulators.toggle()),
    Action("tools.gazebo", "Gazebo servers", lambda w: w.gazebo.open(), ("Ctrl+Alt+G",), icon="mdi6.server-network",
           also="simulator spawn world connect classic modern", begins_group=True),
    Action("tools.rescan", "Rescan components", lambda w: w.window_commands.rescan()),
    Action("window.next_document", "Next document", lambda w: window_menu.go_to_document(w, 1), ("Ctrl+PgDown",)),
    Action("window.previous_document", "Previous document", lambda w: window_menu.go_to_document(w, -1),
           ("Ctrl+PgUp",)),
    Action("window.close_document", "Close document", window_menu.close_document, ("Ctrl+F4",)),
    Action("view.next_pane", "Next pane", lambda w: w.window_commands.next_pane(), ("Ctrl+F2",), menu="Window"),
    Action("view.palette", "Palette", lambda w: w.rail.toggle("palette"), menu="Window", begins_group=True),
    Action("view.inspector", "Inspector", lambda w: w.docks.toggle("inspector"), menu="Window"),
    Action("view.problems", "Problems", lambda w: w.docks.show("problems"), ("Ctrl+Shift+M",), menu="Window"),
    Action("view.console", "Console", lambda w: w.docks.show("console"), ("Ctrl+`",), menu="Window"),
    Action("view.processes", "Processes", lambda w: w.docks.show("processes"), menu="Window"),
    Action("view.tests", "Tests", _panel("tests"), menu="Window"),
    Action("view.reset_layout", "Reset layout", lambda w: w.layouts.reset(), menu="Window", begins_group=True),
    Action("view.keep_layout", "Save layout as…", layout_menu.ask_keep, menu="Window"),
    Action("view.rename_layout", "Rename layout…", layout_menu.ask_rename, menu="Window"),
    Action("view.remove_layout", "Remove layout", layout_menu.remove, menu="Window"),
    Action("help.first_steps", "First steps", lambda w: w.window_commands.show_first_steps(), scope="window"),
    Action("help.guide", "Guide", lambda w: w.window_commands.show_guide(), ("F1",), "window"),
    Action("help.project", "README of this project", lambda w: w.window_commands.show_project_readme()),
    Action("help.component", "README of this component", lambda w: w.window_commands.show_component_readme()),
    Action("help.keys", "Shortcuts", lambda w: w.window_commands.show_keys(), ("Ctrl+K",), "window"),
    Action("help.about", "About", lambda w: w.window_commands.show_about(), scope="window"),
)  # fmt: skip


def by_id(name: str) -> Action:
    return next(action for action in ACTIONS if action.id == name)


OTHER_KEYS = (
    ("Run", "Stop vehicle", "Esc Esc"),
    ("Window", "Layout", f"Ctrl+1 to Ctrl+{MOST}"),
    ("LogPlayer", "Play, or pause", "Space"),
    ("LogPlayer", "One event back, or on", "Left or Right"),
    ("LogPlayer", "One second back, or on", "Shift+Left or Shift+Right"),
    ("LogPlayer", "Next, or previous, event of the stream", "N or P"),
    ("LogPlayer", "Faster, or slower", "Up or Down"),
    ("LogPlayer", "Loop from here, to here", "[ or ]"),
    ("LogPlayer", "Loop, or not", "L"),
    ("LogPlayer", "Bookmark", "B"),
    ("LogPlayer", "The stream on, or off", "E"),
    ("LogPlayer", "To the start, or the end", "Home or End"),
)
"""Keys that are no shortcuts of a menu entry: menu or panel, text and keys."""


def keys_table(actions: tuple[Action, ...] = ACTIONS) -> list[tuple[str, str, str]]:
    """Menu, text and keys of everything that has keys."""
    rows = [(action.in_menu, action.text.rstrip("…"), " or ".join(action.keys)) for action in actions if action.keys]
    return [*rows, *OTHER_KEYS]
