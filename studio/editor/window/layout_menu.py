"""The menu of the layouts: choose one, keep, rename, remove, reset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtWidgets import QInputDialog, QMenu

from studio.editor.docking.layouts import BUILT_IN, GEOMETRY, MOST

if TYPE_CHECKING:
    from studio.editor.window.main_window import MainWindow


def fill(menu: QMenu, window: MainWindow) -> None:
    """The layouts with their keys, and what can be done with the current one."""
    layouts = window.layouts
    menu.clear()
    for number, name in enumerate(layouts.names(), 1):
        entry = menu.addAction(f"{name}\tCtrl+{number}")
        assert entry is not None
        entry.setCheckable(True)
        entry.setChecked(name == layouts.current)
        entry.triggered.connect(lambda _=False, name=name: _choose(window, name))
    menu.addSeparator()
    for name in ("view.reset_layout", "view.keep_layout", "view.rename_layout", "view.remove_layout"):
        menu.addAction(window.actions_by_id[name])
    own = layouts.current in layouts.own()
    for name in ("view.rename_layout", "view.remove_layout"):
        window.actions_by_id[name].setEnabled(own)


def _choose(window: MainWindow, name: str) -> bool:
    return (name == GEOMETRY and not window.vehicles.links.choose_layout()) or window.layouts.choose(name)


def choose(window: MainWindow, number: int) -> None:
    names = window.layouts.names()
    if number > len(names) or not _choose(window, names[number - 1]):
        window.status.say(f"There is no layout {number} yet: keep one with Window, Layout")


def ask_keep(window: MainWindow) -> None:
    name, fine = QInputDialog.getText(window, "Save layout", "Name")
    if fine and not window.layouts.keep(name):
        words = f"{' and '.join(BUILT_IN)} stay as they are, and there can be {MOST} layouts"
        window.status.say(f"Not kept: {words}", trouble=True)


def ask_rename(window: MainWindow) -> None:
    old = window.layouts.current
    if old not in window.layouts.own():
        window.status.say(f"{old} belongs to Studio and keeps its name")
        return
    name, fine = QInputDialog.getText(window, f"Rename {old}", "Its new name", text=old)
    if fine and not window.layouts.rename(old, name):
        window.status.say("Not renamed: it needs a name that no other layout has", trouble=True)


def remove(window: MainWindow) -> None:
    name = window.layouts.current
    if name in window.layouts.own():
        window.layouts.remove(name)
        window.status.say(f"The layout {name} is removed")
    else:
        window.status.say(f"{name} belongs to Studio and stays")
