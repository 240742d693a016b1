"""The layouts that are always there, each made from Build: which panels it opens, and where."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.editor.code.place import CODE, code_place, fit_canvas, settle_code
from studio.editor.docking.layouts import COMPARE, DEBUG, GAZEBO, GEOMETRY, LOG, NARROW, RUN
from studio.editor.help.controller import DOCK as HELP

if TYPE_CHECKING:
    from studio.editor.window.main_window import MainWindow


def keep_all(window: MainWindow) -> None:
    """Build is as the docks are now; the others are derived from it when they are wanted."""
    window.docks.show("problems")
    window.layouts.keep_build()
    window.layouts.derive(RUN, lambda: _run(window))
    window.layouts.derive(LOG, lambda: _log(window))
    window.layouts.derive(COMPARE, lambda: _compare(window))
    window.layouts.derive(DEBUG, lambda: _debug(window))
    window.layouts.derive(GEOMETRY, lambda: window.vehicles.lay_out())
    window.layouts.derive(GAZEBO, lambda: window.gazebo.lay_out())
    window.layouts.has_vehicle = lambda: bool(window.vehicles.documents)
    window.viewers.as_tabs = lambda: window.layouts.current == DEBUG


def _run(window: MainWindow) -> None:
    """What is said and what it costs stand side by side where there is room."""
    if window.width() >= NARROW:
        window.docks.move("processes", "right", beside="problems")
    window.docks.show("console")


def for_watching(window: MainWindow) -> None:
    """Run, and no palette: what is looked at is not being built, and the canvas needs the room beside viewers."""
    window.layouts.choose(RUN)
    window.docks.hide("palette")


def _log(window: MainWindow) -> None:
    """The time line over the whole width below, and above it what it plays."""
    docks = window.docks
    docks.hide("palette")
    docks.hide("inspector")
    name = _viewer(window, "player")
    docks.move(name, "tab", beside="problems")
    docks.show(name)
    docks.set_shares("system", (55, 45))


def _compare(window: MainWindow) -> None:
    """Two maps get the room of the document; the time line, if there is one, stays below."""
    docks = window.docks
    docks.hide("palette")
    docks.hide("inspector")
    name = _viewer(window, "compare")
    docks.move(name, "tab", beside="system")
    docks.show(name)
    player = next((each for each, open_one in window.viewers.open.items() if open_one.KIND == "player"), "")
    if player:
        docks.move(player, "tab", beside="problems")
        docks.show(player)
    docks.set_shares("system", (68, 32) if player else (80, 20))


def _debug(window: MainWindow) -> None:
    """The stack and what stops at the left, the code above the canvas, the event and its values at the right."""
    docks = window.docks
    docks.move("call_stack", "tab", beside="palette")
    docks.hide("palette")
    docks.move("breakpoints", "bottom", beside="call_stack")
    docks.move("held", "bottom", beside="breakpoints")
    docks.set_shares("call_stack", (30, 35, 35))
    docks.move("this_event", "tab", beside="inspector")
    docks.hide("inspector")
    docks.move("variables", "bottom", beside="this_event")
    docks.move("watches", "tab", beside="variables")
    docks.set_shares("this_event", (38, 62))
    docks.move("evaluate", "tab", beside="system")
    docks.move("console", "tab", beside="system")
    for name in ("problems", "processes"):
        docks.hide(name)
    for name in ("call_stack", "breakpoints", "held", "this_event", "watches", "variables"):
        docks.show(name)
    docks.set_columns(*((232, 300) if window.width() < NARROW else (280, 380)))


def _viewer(window: MainWindow, kind: str) -> str:
    """The dock of the first viewer of a kind; one is opened if there is none."""
    for name, viewer in window.viewers.open.items():
        if kind == viewer.KIND:
            return name
    window.viewers.add(kind)
    return next(name for name, viewer in window.viewers.open.items() if kind == viewer.KIND)


def rehang_code(window: MainWindow, *, was_debug: bool = False) -> None:
    """A layout was chosen that does not know the open files: they stay open, in their place in it."""
    front = window.docks.front_beside("system")
    closed = [name for name in window.docks.names() if name.startswith(CODE) and window.docks.is_closed(name)]
    for name in closed:
        side, beside = code_place(window)
        window.docks.move(name, side, beside=beside)
        settle_code(window, side)
    if window.docks.has(HELP) and window.docks.is_closed(HELP):
        window.docks.move(HELP, "tab", beside="system")
        closed.append(HELP)
    if window.layouts.current == DEBUG:
        window.docks.show("system")
    elif closed:
        window.docks.show(front)  # in Compare the maps, and not the canvas
    if window.layouts.current == DEBUG or was_debug:
        fit_canvas(window)  # it has much less room there, and again more elsewhere
