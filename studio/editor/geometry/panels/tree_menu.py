"""The menu of a row in the assembly tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PyQt6.QtCore import QPoint
from PyQt6.QtGui import QAction, QKeySequence
from PyQt6.QtWidgets import QMenu

from studio.editor.geometry import thing_edits
from studio.editor.geometry.panels.array_dialog import ask_for_array
from studio.editor.geometry.panels.mirror_dialog import mirror_body
from studio.editor.geometry.panels.new_parts import NEW_PARTS, add_new_part
from studio.editor.geometry.panels.wheels_dialog import ask_for_wheels
from studio.editor.geometry.selection import (
    BodyThing,
    ConstraintThing,
    FrameThing,
    JointThing,
    SensorThing,
    ShapeThing,
    Thing,
    VehicleThing,
)
from studio.model.geometry.arrange import hanging_on

if TYPE_CHECKING:
    from studio.editor.geometry.panels.tree import AssemblyTree


def open_tree_menu(panel: AssemblyTree, thing: Thing, at: QPoint) -> QMenu:
    menu = tree_menu(panel, thing)
    menu.popup(at)
    return menu


def tree_menu(panel: AssemblyTree, thing: Thing) -> QMenu:
    menu = QMenu(panel)
    menu.setToolTipsVisible(True)
    if thing not in panel.context.selection.selected:
        panel.context.selection.choose(thing)
    _general(menu, panel, thing)
    if panel.context.workspace.is_world:
        _of_world(menu, panel, thing)
        return menu
    match thing:
        case VehicleThing():
            _add(menu, "Show the library", "Drag bodies from there into the view",
                 lambda: panel.context.show_panel("geometry_library"))  # fmt: skip
        case BodyThing(body):
            _of_body(menu, panel, body)
        case ConstraintThing(name):
            menu.addSeparator()
            _add(menu, "Swap ends", "Written from the other side; nothing moves",
                 lambda: panel.do(lambda: thing_edits.swap_ends(panel.context.workspace, name)))  # fmt: skip
        case JointThing(body) if body:
            tip = "The joint, and the frames, shapes and mass that are on it"
            workspace = panel.context.workspace
            _add(menu, "Remove with the parts it moves", tip,
                 lambda: panel.do(lambda: thing_edits.remove(workspace, thing, with_parts=True)))  # fmt: skip
    _measures(menu, panel, thing)
    return menu


def _general(menu: QMenu, panel: AssemblyTree, thing: Thing) -> None:
    _add(menu, "Rename", "", panel.begin_rename, "F2")
    if isinstance(thing, VehicleThing):
        return
    if isinstance(thing, BodyThing | FrameThing | SensorThing | ShapeThing):
        _add(menu, "Duplicate", "", lambda: panel.do(lambda: thing_edits.duplicate(panel.context.workspace, thing)))
    _add(menu, "Remove", "", panel.remove_selected, "Del")


def _of_world(menu: QMenu, panel: AssemblyTree, thing: Thing) -> None:
    if isinstance(thing, BodyThing):
        menu.addSeparator()
        _visibility(menu, panel, thing.body)
    _measures(menu, panel, thing)
    menu.addSeparator()
    _add(menu, "Show XML", "The text of the world, at this place", lambda: panel.context.show_panel("geometry_xml"))


def _of_body(menu: QMenu, panel: AssemblyTree, body: str) -> None:
    context = panel.context
    workspace = context.workspace
    adding = menu.addMenu("Add")
    assert adding is not None
    for words, make in NEW_PARTS.items():
        _add(adding, words, "", lambda make=make: add_new_part(panel.context, body, make))
    _add(adding, "Four wheels…", "With joints, tyres and drive", lambda: ask_for_wheels(panel, context, body))
    menu.addSeparator()
    if not workspace.is_body:
        _add(menu, "Mirror", "Copy the body to the other side", lambda: mirror_body(panel, context, body))
        _add(menu, "Mirror across…", "Choose the plane of the mirror",
             lambda: mirror_body(panel, context, body, ask=True))  # fmt: skip
        _add(menu, "Array…", "Several of it, in a line or in a circle", lambda: ask_for_array(panel, context, body))
        detached = _add(menu, "Detach", "Remove its mount; it stays where it is",
                        lambda: panel.do(lambda: thing_edits.detach(workspace, body)))  # fmt: skip
        detached.setEnabled(hanging_on(workspace.assembled.model, body) is not None)
        root = _add(menu, "Make root", "All other bodies are placed from it",
                    lambda: panel.do(lambda: thing_edits.root_at(workspace, body)))  # fmt: skip
        root.setEnabled(next(iter(workspace.assembled.model.bodies)) != body)
        menu.addSeparator()
    _visibility(menu, panel, body)
    menu.addSeparator()
    if not workspace.is_body:
        _add(menu, "Open body file", str(workspace.file_of(body)), lambda: context.open(workspace.file_of(body)))
    _add(menu, "Show XML", "The text of the body file", lambda: _show_text(panel, body))


def _visibility(menu: QMenu, panel: AssemblyTree, body: str) -> None:
    selection = panel.context.selection
    is_hidden = body in selection.hidden
    others = [name for name in panel.context.workspace.assembled.model.bodies if name != body]
    _add(menu, "Show" if is_hidden else "Hide", "In the view only", lambda: selection.hide(selection.hidden ^ {body}))
    _add(menu, "Isolate", "Hide all others in the view", lambda: selection.hide(others))
    if selection.hidden:
        _add(menu, "Show all", "", lambda: selection.hide(()))


def _show_text(panel: AssemblyTree, body: str) -> None:
    page = panel.context.show_panel("geometry_xml")
    if page is not None:
        page.show_file(panel.context.workspace.file_of(body))


def _measures(menu: QMenu, panel: AssemblyTree, thing: Thing) -> None:
    if isinstance(thing, FrameThing | BodyThing):
        menu.addSeparator()
        for words, side in (("Measure this frame", "foi"), ("Measure from this frame", "reference")):
            _add(menu, words, "", lambda side=side: _measure(panel, side, str(thing)))


def _measure(panel: AssemblyTree, side: str, frame: str) -> None:
    page = panel.context.show_panel("geometry_measure")
    if page is not None:
        page.set_frame(side, frame)


def _add(menu: QMenu, words: str, tip: str, do: Callable[..., object], keys: str = "") -> QAction:
    action = menu.addAction(words)
    assert action is not None
    action.setToolTip(tip)
    if keys:
        action.setShortcut(QKeySequence(keys))
    action.triggered.connect(lambda _=False: do())
    return action
