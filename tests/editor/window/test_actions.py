"""The table of actions: menus, shortcuts and help are made from it."""

from __future__ import annotations

from collections import Counter

from studio.editor.window.actions import ACTIONS, MENUS, SUBMENUS, keys_table
from studio.editor.window.main_window import MainWindow

ASKS = {
    "file.new", "file.open", "file.save_as", "file.export_svg", "file.export_png", "file.quit", "file.close",
    "view.keep_layout", "file.open_log", "run.record_some", "debug.event_breakpoint", "insert.new_component",
    "file.open_vehicle", "file.new_assembly", "file.new_body", "file.new_world",
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


WANTED = {
    "run.start": "F5", "run.stop": "Shift+F5", "run.pause": "F8", "run.step": "F6", "run.back": "Shift+F6",
    "run.next_of_stream": "Ctrl+F6", "debug.line": "F10", "debug.into": "F11", "debug.out": "Shift+F11",
    "debug.breakpoint": "F9", "debug.handler": "Ctrl+F11", "debug.attach": "Ctrl+Shift+D", "run.record": "Ctrl+R",
    "tools.commands": "Ctrl+Shift+P", "tools.go_to": "Ctrl+P", "insert.quick": "Shift+A", "edit.connect": "C",
    "edit.rename": "F2", "edit.duplicate": "Ctrl+D", "edit.delete": "Del", "view.fit": "F", "view.zoom_100": "Ctrl+0",
    "edit.find": "Ctrl+F", "view.arrange": "L", "insert.group": "Ctrl+G", "insert.frame": "Shift+F",
    "insert.note": "Shift+N", "view.problems": "Ctrl+Shift+M", "view.console": "Ctrl+`", "file.new": "Ctrl+N",
    "file.open": "Ctrl+O", "file.open_log": "Ctrl+Shift+O", "edit.undo": "Ctrl+Z", "edit.redo": "Ctrl+Shift+Z",
    "help.keys": "Ctrl+K", "view.next_pane": "Ctrl+F2",
}  # fmt: skip
"""The shortcuts that the design promises."""


def test_promised_keys_do_what_was_promised() -> None:
    found = {action.id: action.keys for action in ACTIONS}
    assert {name: keys for name, keys in WANTED.items() if keys not in found.get(name, ())} == {}


def test_the_list_of_shortcuts_tells_keys_that_no_menu_has() -> None:
    listed = {(where, keys) for where, _, keys in keys_table()}
    assert {
        ("Run", "Esc Esc"),
        ("Window", "Ctrl+1 to Ctrl+9"),
        ("LogPlayer", "Space"),
        ("LogPlayer", "[ or ]"),
    } <= listed


def test_the_command_palette_offers_only_what_can_be_done(window: MainWindow) -> None:
    window.window_commands.open_commands()
    offered = {choice.text for choice in window.commands._choices}
    window.commands.hide()
    assert "Run: Run" in offered
    assert not {"Run: Pause", "Run: Stop", "Run: Activate", "Run: Stop vehicle"} & offered
