"""The menu of what is selected on the canvas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtCore import QPoint
from PyQt6.QtWidgets import QMenu

from studio.editor.canvas.wires.wire_item import WireItem
from studio.editor.look.icons import icon
from studio.editor.window.live_menu import add_component_entries
from studio.model.parts import Wire
from studio.model.wiring import topic_of

if TYPE_CHECKING:
    from studio.editor.window.main_window import MainWindow

NEW = "insert.new_component"
ON_WIRES = ("edit.delete",)
ON_GROUND = (
    "insert.quick", NEW, "insert.note", "insert.frame", "", "edit.paste", "edit.select_all", "",
    "view.fit", "view.arrange", "", "view.system_text", "help.project",
)  # fmt: skip
"""Where only wires are selected, and where nothing is."""
ON_CARDS = (
    "insert.quick", "", "edit.rename", "edit.duplicate", "edit.copy", "edit.cut", "edit.paste", "edit.delete", "",
    "edit.align_left", "edit.align_top", "edit.spread_down", "view.arrange", "", "insert.group", "edit.fold",
    "edit.ungroup", "insert.note", "insert.frame",
)  # fmt: skip
"""For cards, notes, frames and groups; an empty name is a line."""


def open_context_menu(window: MainWindow, at: QPoint) -> None:
    menu = QMenu(window)
    add_component_entries(menu, window)
    _add_wire_entries(menu, window)
    chosen = window.canvas.canvas.selectedItems()
    is_wire = bool(chosen) and all(isinstance(item, WireItem) for item in chosen)
    for name in ON_WIRES if is_wire else ON_CARDS if chosen else ON_GROUND:
        if name == NEW:
            _add_new_component(menu, window, at)
        elif name:
            menu.addAction(window.menus.actions[name])
        else:
            menu.addSeparator()
    menu.popup(at)


def _add_new_component(menu: QMenu, window: MainWindow, at: QPoint) -> None:
    """Its card will be where the menu was opened, not where there is room."""
    canvas = window.canvas
    viewport = canvas.viewport()
    assert viewport is not None
    place = canvas.mapToScene(viewport.mapFromGlobal(at))
    general = window.menus.actions[NEW]
    entry = menu.addAction(general.icon(), general.text())
    assert entry is not None
    entry.triggered.connect(lambda _=False: window.new_component.ask(place))


def _add_wire_entries(menu: QMenu, window: MainWindow) -> None:
    """For a wire: put something into it, and stop the system at what it carries."""
    wires = [each for each in window.canvas.canvas.selected_connections() if isinstance(each, Wire)]
    topics = list(dict.fromkeys(topic_of(wire.start) for wire in wires))
    if len(topics) != 1:
        return
    menu.addAction(window.menus.actions["insert.into_wire"])
    for text, do in (
        (f"Break on events of {topics[0]}", window.event_breaks.break_on),
        ("Break on some of them…", window.event_breaks.ask_new),
    ):
        entry = menu.addAction(text)
        assert entry is not None
        entry.setIcon(icon("fa6s.bolt", window.theme.muted))
        entry.triggered.connect(lambda _=False, do=do: do(topics[0]))
    menu.addAction(window.menus.actions["run.next_of_stream"])
    menu.addSeparator()
