"""The way a new user goes, with mouse and keys: from an empty canvas to a system that is changed while it runs.

Every step is waited for and pictured, in light and dark; `docs_shots.py` gives it a screen and says how large it is. At
150 % (QT_SCALE_FACTOR=1.5) the same way is gone once more.

python tools/walk_shots.py FOLDER_FOR_PICTURES WIDTHxHEIGHT ENDING_OF_NAMES
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PyQt6.QtCore import QPoint, QPointF, QSize
from PyQt6.QtWidgets import QLineEdit

from studio.editor.docking.layouts import BUILD, RUN
from studio.editor.welcome.welcome_recent import RecentRow
from studio.editor.window.main_window import MainWindow
from studio.model.document import SystemDocument
from tools.hand import Stuck
from tools.screen_places import (
    dock_tab,
    file_field,
    middle,
    named,
    on_canvas,
    on_wire,
    palette_field,
    palette_row,
    port_of,
    tab_of,
    title_of,
)
from tools.stage import Stage, perform

CARDS = (("signal_source", -280, -80), ("low_pass", -20, -80), ("signal_sink", 240, -80), ("signal_sink", 240, 80))
WIRES = (
    ("signal_source.value", "low_pass.raw"),
    ("low_pass.smooth", "signal_sink.value"),
    ("signal_sink_2.value", "signal_source.value"),
)
"""The last one is drawn from its end."""
LOOK_S = 8.0
"""For a curve that one can see."""


def nothing_yet(stage: Stage) -> None:
    stage.hand.key("ctrl+n")
    stage.robots.mkdir()
    _name_a_folder(stage, stage.robots / "my_robot")
    stage.hand.until(lambda: stage.window.has_session, "the new project")
    stage.whole("walk_empty")


def first_card(stage: Stage) -> None:
    hand, window = stage.hand, stage.window
    _put(stage, *CARDS[0], count=1)
    _go_to_palette(stage)
    hand.write("low")
    hand.until(lambda: palette_row(window, "low_pass"), "what fits the letters")
    stage.whole("walk_first")


def all_wired(stage: Stage) -> None:
    for place, card in enumerate(CARDS[1:], 2):
        _put(stage, *card, count=place)
    for place, (start, end) in enumerate(WIRES, 1):
        _wire(stage, start, end, count=place)
    _empty_the_palette(stage)
    stage.hand.click(lambda: title_of(stage.window, "low_pass"), "the card of the filter")
    stage.whole("walk_wired")


def running(stage: Stage) -> None:
    hand, window = stage.hand, stage.window
    hand.key("F5")
    hand.until(lambda: window.live.control.phase == "running", "the system to run")
    hand.until(lambda: is_fed(window, "signal_sink_2") and bool(window.viewers.open), "events, and the plot of them")
    hand.rest(LOOK_S)
    _still_runs(stage)
    stage.whole("walk_running")


def values(stage: Stage) -> None:
    """With the pointer resting on a wire."""
    stage.whole("walk_values", ready=lambda: rest_on_wire(stage, "signal_source.value", "signal_sink_2.value"))


def inserted(stage: Stage) -> None:
    """A slower filter goes in before the second sink: it is let go on the wire there."""
    hand, window = stage.hand, stage.window
    _drag_out(stage, "low_pass", lambda: on_wire(window, "signal_source.value", "signal_sink_2.value", 0.75), count=5)
    hand.until(lambda: _has_wire(window, "low_pass_2.smooth", "signal_sink_2.value"), "the filter in the wire")
    _empty_the_palette(stage)
    hand.click(lambda: title_of(window, "low_pass_2"), "the card of the new filter")
    hand.click(lambda: named(window.inspector, QLineEdit, "cutoff_hz"), "the field cutoff_hz", twice=True)
    hand.key("ctrl+a")
    hand.write("0.3")
    hand.key("Return")
    hand.until(lambda: is_fed(window, "low_pass_2"), "events in the new filter")
    hand.rest(LOOK_S)
    _still_runs(stage)
    stage.whole("walk_inserted")


def plotted(stage: Stage) -> None:
    """The plot that has opened by itself, in front."""
    hand, window = stage.hand, stage.window
    hand.click(lambda: tab_of(window, "plot"), "the tab of the plot")
    hand.rest(LOOK_S)
    stage.whole("walk_plotted")
    hand.click(lambda: dock_tab(window, "system"), "the tab of the canvas")


def what_it_costs(stage: Stage) -> None:
    """The layout for running: what is said, and what each process costs."""
    hand, window = stage.hand, stage.window
    hand.key("ctrl+2")
    hand.until(lambda: window.layouts.current == RUN, "the layout Run")
    hand.rest(3.0)
    stage.whole("walk_costs")
    hand.key("ctrl+1")
    hand.until(lambda: window.layouts.current == BUILD, "the layout Build")


def saved(stage: Stage) -> None:
    hand, window = stage.hand, stage.window
    hand.key("ctrl+s")
    hand.until(lambda: not window.session.document.is_modified, "the file to be written")
    hand.key("shift+F5")
    hand.until(lambda: window.live.control.phase == "stopped", "the end of the system")
    hand.key("ctrl+w")
    hand.until(lambda: not window.has_session and window.welcome.isVisible(), "the welcome page")
    stage.whole("walk_saved", ready=lambda: tiles_are_drawn(stage))


def opened_again(stage: Stage) -> None:
    hand, window = stage.hand, stage.window
    hand.click(lambda: named(window.welcome, RecentRow, "Open my_robot"), "the project among the recent ones")
    hand.until(lambda: window.has_session and len(window.session.system.nodes) == 5, "the project with five components")
    wires = {str(wire) for wire in SystemDocument.load(stage.robots / "my_robot").system.wires}
    if "signal_source.value → low_pass_2.raw" not in wires or len(wires) != 4:
        raise Stuck(f"the file has other wires: {wires}")
    stage.whole("walk_again")


# ---- what a hand does


def rest_on_wire(stage: Stage, start: str, end: str) -> None:
    """Until the card about it has a curve."""
    hand, canvas = stage.hand, stage.window.canvas
    hand.hover(hand.found(lambda: title_of(stage.window, start.partition(".")[0]), "a card"))
    hand.hover(hand.found(lambda: on_wire(stage.window, start, end, 0.45), "the wire"))
    hand.until(lambda: canvas.hover.card is not None and canvas.hover.card.isVisible(), "the card of the wire")
    hand.rest(LOOK_S)


def _put(stage: Stage, kind: str, x: float, y: float, *, count: int) -> None:
    _drag_out(stage, kind, lambda: on_canvas(stage.window, QPointF(x, y)), count=count)


def _drag_out(stage: Stage, kind: str, place: Callable[[], QPoint | None], *, count: int) -> None:
    """As one who knows the name: type it, then drag what was found."""
    hand, window = stage.hand, stage.window
    _go_to_palette(stage)
    hand.write(kind)
    start = hand.found(lambda: palette_row(window, kind), f"{kind} in the palette")
    hand.drag(start, hand.found(place, "the place for it"))
    hand.until(lambda: len(window.session.system.nodes) == count, f"the card of {kind}")


def _go_to_palette(stage: Stage) -> None:
    """Into its field; in a narrow window the palette may be folded into the rail."""
    hand, window = stage.hand, stage.window
    if hand.see(lambda: palette_field(window)) is None:
        hand.click(lambda: middle(window.rail.buttons["palette"]), "the palette in the rail")
    hand.click(lambda: palette_field(window), "the field of the palette")
    hand.key("ctrl+a")


def _wire(stage: Stage, start: str, end: str, *, count: int) -> None:
    hand, window = stage.hand, stage.window
    places = [hand.found(lambda at=at: port_of(window, *at.split(".")), at) for at in (start, end)]  # type: ignore[misc]
    hand.drag(*places)
    hand.until(lambda: len(window.session.system.wires) == count, f"the wire from {start} to {end}")


def _empty_the_palette(stage: Stage) -> None:
    _go_to_palette(stage)
    stage.hand.key("BackSpace")
    stage.hand.until(lambda: not stage.window.palette_panel.field.text(), "an empty field")


def _name_a_folder(stage: Stage, folder: Path) -> None:
    stage.hand.click(lambda: file_field(stage.window), "the dialog that asks for a folder")
    stage.hand.key("ctrl+a")
    stage.hand.write(str(folder))
    stage.hand.key("Return")


def _has_wire(window: MainWindow, start: str, end: str) -> bool:
    return any((str(wire.start), str(wire.end)) == (start, end) for wire in window.session.system.wires)


def _still_runs(stage: Stage) -> None:
    """Before its picture is taken: it must not show a system that has ended."""
    control = stage.window.live.control
    if (phase := stage.hand.see(lambda: control.phase)) != "running":
        raise Stuck(f"the system should run, but is {phase}")


def tiles_are_drawn(stage: Stage) -> None:
    page = stage.window.welcome  # which makes its tiles anew when the theme changes
    stage.hand.until(lambda: bool(page.tiles) and all(tile.picture is not None for tile in page.tiles), "the examples")


def is_fed(window: MainWindow, component: str) -> bool:
    """The running system has this component, and events reach it."""
    told: dict[str, Any] = window.live.feed.state.get("components", {}).get(component, {})
    return bool(told.get("rate_hz"))


STEPS = (
    nothing_yet, first_card, all_wired, running, values, inserted, plotted, what_it_costs, saved, opened_again,
)  # fmt: skip


def main(folder: Path, size: QSize, ending: str) -> int:
    return perform(STEPS, folder, size=size, in_turn=True, ending=ending)


if __name__ == "__main__":
    width, _, height = sys.argv[2].partition("x")
    sys.exit(main(Path(sys.argv[1]), QSize(int(width), int(height)), sys.argv[3]))
