"""The table of actions: menus, shortcuts and help are made from it."""

from __future__ import annotations

from collections import Counter

from studio.editor.actions import ACTIONS, MENUS, SUBMENUS, keys_table
from studio.editor.main_window import MainWindow

ASKS = {
    "file.new", "file.open", "file.save_as", "file.export_svg", "file.export_png", "file.quit", "file.close",
    "view.keep_layout", "file.open_log", "run.record_some", "debug.event_breakpoint",
}  # fmt: skip
"""Open a dialog that waits for an answer, or end the session."""


def test_ids_and_keys_are_used_once() -> None:
    assert max(Counter(action.id for action in ACTIONS).values()) == 1
    assert max(Counter(key for action in ACTIONS for key in action.keys).values()) == 1


def test_every_action_has_a_menu() -> None:
    assert {action.in_menu for action in ACTIONS} <= {*MENUS, *SUBMENUS}


def test_the_list_of_shortcuts_names_every_key() -> None:
    listed = " or ".join(keys for _, _, keys in keys_table())
    assert all(key in listed for action in ACTIONS for key in action.keys)


def test_every_action_can_be_done_and_undone_with_a_project_open(window: MainWindow) -> None:
    system = window.session.folder / "system.xml"
    before = window.session.document.texts()[system]
    for action in ACTIONS:
        if action.id not in ASKS:
            window.canvas.canvas.select(["terrain_map", "traverse_map", "path_planner"])
            window.trigger(action.id)
            while window.session.document.undo():
                pass
            assert window.session.document.texts()[system] == before, action.id


def test_single_letters_work_only_on_the_canvas() -> None:
    letters = [action for action in ACTIONS for key in action.keys if len(key.removeprefix("Shift+")) == 1]
    assert letters and all(action.scope == "canvas" for action in letters)
