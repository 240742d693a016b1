"""What actions do with the window as a whole: find something, go there, check, show a dialog."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QApplication

from studio.editor.code.source_view import open_component
from studio.editor.help.controller import HelpController
from studio.editor.look.command_palette import Choice
from studio.editor.look.focus import place_for_focus
from studio.editor.panels.inspector.component_docs import README
from studio.editor.welcome.welcome import GUIDE
from studio.editor.window.actions import ACTIONS, Action
from studio.editor.window.help_pages import AboutDialog, KeysDialog
from studio.editor.window.preferences import PreferencesDialog
from studio.errors import Problem
from studio.model.geometry_check import GEOMETRY
from studio.model.parts import Connection
from studio.model.registry import Registry
from studio.paths import component_roots

if TYPE_CHECKING:
    from studio.editor.window.main_window import MainWindow


class WindowCommands:
    def __init__(self, window: MainWindow) -> None:
        self.window = window
        self.help = HelpController(window, GUIDE.parent)

    # ---- finding

    def open_commands(self) -> None:
        usable = [action for action in ACTIONS if self.window.menus.actions[action.id].isEnabled()]
        choices = [self._choice(action) for action in usable]
        choices += [Choice(f"Geometry: {each.text()}", each.shortcut().toString(), each.trigger)
                    for each in self.window.vehicles.actions() if each.isEnabled()]  # fmt: skip
        self.window.commands.open(choices, "Type a command")

    def _choice(self, action: Action) -> Choice:
        keys = action.keys[0] if action.keys else ""
        return Choice(f"{action.in_menu}: {action.text}", keys, lambda: self.window.menus.perform(action), action.also)

    def find(self) -> None:
        """In the panel that has the focus, or on the canvas."""
        if not self._in_panel("begin_search"):
            self.open_go_to()

    def zoom_100(self) -> None:
        """The canvas; a time line that has the focus shows all of itself."""
        if not self._in_panel("show_all"):
            self.window.canvas.glide.to(lambda: self.window.canvas.zoom_to(1.0))

    def close(self) -> None:
        """The code that is being edited, the vehicle in front, or the project."""
        window = self.window
        if not window.code.close_focused() and not window.vehicles.close_active() and window.has_session:
            window.files.close()

    # ---- the document in front

    def save(self) -> None:
        window = self.window
        if window.code.save_focused():
            return
        keeping = window.vehicles.keeping
        if keeping is not None:
            keeping.save()
        elif window.has_session:
            window.files.save()

    def save_as(self) -> None:
        keeping = self.window.vehicles.keeping
        if keeping is not None:
            keeping.ask_save_as()
        elif self.window.has_session:
            self.window.files.ask_save_as()

    def undo(self) -> None:
        window = self.window
        if not window.vehicles.undo() and window.has_session:
            window.canvas.keep_in_sight(window.session.undo)

    def redo(self) -> None:
        window = self.window
        if not window.vehicles.redo() and window.has_session:
            window.canvas.keep_in_sight(window.session.redo)

    def _in_panel(self, name: str) -> bool:
        """Let the panel that has the focus do what it has a method for; False if it has none.

        A key of the window that means something else in a panel is not a second shortcut there: of two with the same
        key Qt calls both ambiguous and does neither.
        """
        widget = QApplication.focusWidget()
        while widget is not None and not hasattr(widget, name):
            widget = widget.parentWidget()
        if widget is None:
            return False
        getattr(widget, name)()
        return True

    def open_go_to(self) -> None:
        places = self.window.vehicles.links.places()
        if not self.window.has_session:
            self.window.commands.open(places, "Find a body, frame or vehicle")
            return
        system = self.window.session.system
        choices = [self._place(node.name, getattr(node, "type", "source"), node.name) for node in system.nodes]
        choices += [Choice(str(wire), "wire", partial(self._go_to_wire, wire)) for wire in system.wires]
        choices += [Choice(str(wire), "service", partial(self._go_to_wire, wire)) for wire in system.services]
        choices = [*places, *choices] if self.window.vehicles.active is not None else [*choices, *places]
        self.window.commands.open(choices, "Find a component, source, wire or vehicle")

    def _place(self, text: str, kind: str, name: str) -> Choice:
        return Choice(text, kind, lambda: self.window.canvas.go_to(name))

    def _go_to_wire(self, wire: Connection) -> None:
        self.window.canvas.go_to_wire(wire)

    def go_to_problem(self, problem: Problem) -> None:
        window = self.window
        if problem in window.project.of_run and problem.file and problem.line:
            window.code.open_at(problem.file, problem.line)
            return
        name = problem.subject.partition(".")[0]
        if problem.subject == GEOMETRY:
            window.canvas.canvas.clearSelection()
            window.docks.show("inspector")
            window.inspector.show_geometry()
            return
        if name in window.session.system.nodes:
            window.canvas.go_to(name)
            return
        for item in window.canvas.canvas.wires.values():
            if str(item.connection) == problem.subject:
                window.canvas.go_to_wire(item.connection)
                return
        if problem.file == str(window.session.opened.project.system_file) and problem.line:
            window.system_text.open(problem.line)
        else:
            window.status.say(str(problem))

    def next_pane(self) -> None:
        """To the next panel that can be seen, code and viewers too, and to the rail where there is one."""
        rail = self.window.rail
        panes = [(pane, place) for pane in self.window.docks.in_front() if (place := place_for_focus(pane))]
        if rail.isVisible():
            panes.insert(0, (rail, rail.buttons["palette"]))
        focus = QApplication.focusWidget()
        within = [focus is not None and (pane is focus or pane.isAncestorOf(focus)) for pane, _ in panes]
        here = within.index(True) if True in within else -1
        if panes:
            panes[(here + 1) % len(panes)][1].setFocus(Qt.FocusReason.TabFocusReason)

    # ---- the project

    def check(self) -> None:
        self.window.session.check()
        self.window.docks.show("problems")

    def rescan(self) -> None:
        """Components that were written meanwhile."""
        window = self.window
        session = window.session
        registry = Registry.scan(component_roots(session.folder))
        session.opened = replace(session.opened, registry=registry)
        window.palette_panel.show_registry(registry)
        window.canvas.quick_add.registry = registry
        window.canvas.canvas.rebuild()
        session.check()
        window.status.say(f"{len(registry.specs())} components found")

    def open_source(self) -> None:
        """Of the one component that is selected."""
        chosen = self.window.canvas.canvas.selected_nodes()
        if len(chosen) == 1:
            open_component(self.window, chosen[0])
        else:
            self.window.status.say("Select one component to see its source")

    # ---- dialogs

    def show_keys(self) -> None:
        KeysDialog(self.window).show()

    def show_guide(self, page: Path | None = None) -> None:
        self.help.show(page)

    def show_first_steps(self) -> None:
        self.help.show().show_first()

    def show_project_readme(self) -> None:
        self._show_readme(self.window.session.folder, self.window.session.name)

    def show_component_readme(self) -> None:
        """Of the one component that is selected."""
        chosen = self.window.canvas.canvas.selected_nodes()
        node = self.window.session.system.nodes.get(chosen[0]) if len(chosen) == 1 else None
        if node is None:
            self.window.status.say("Select one component to read its documentation")
            return
        spec = self.window.session.registry.get(getattr(node, "type", ""))
        self._show_readme(spec.folder if spec is not None else None, node.name)

    def _show_readme(self, folder: Path | None, name: str) -> None:
        file = folder / README if folder is not None else None
        if file is not None and file.is_file():
            self.help.show(file)
        else:
            self.window.status.say(f"{name} has no {README}", trouble=True)

    def show_preferences(self) -> None:
        PreferencesDialog(self.window).show()

    def show_about(self) -> None:
        AboutDialog(self.window).show()
