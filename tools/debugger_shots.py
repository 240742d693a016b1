"""Takes the pictures of the guide's page on the debugger: the Raptor that really stands, and gdb on a program in C."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from studio.editor.docking.layouts import BUILD, DEBUG
from studio.editor.freeze.event_break_dialog import EventBreakDialog
from tools.hand import Stuck
from tools.screen_places import middle, shown, title_of
from tools.stage import LARGE, ROOT, SMALL, Stage, perform

CODE = ROOT / "components" / "terrain_map" / "terrain_map.py"
HANDLER = "self._scans.append(scan)"
"""A line in the handler of a scan."""
LASER = "/platform/laser_left"
PROGRAM = ROOT / "components" / "c_filter" / "c_filter.c"
PUBLISHES = "studio_publish("
SMOOTHING = """<system name="smoothing" version="1">
  <component name="signal" type="signal_source" mode="periodic" period_s="0.02"/>
  <component name="c_filter" type="c_filter"/>
  <component name="low_pass" type="low_pass"/>
  <component name="after" type="signal_sink"/>
  <wire from="signal.value" to="c_filter.raw"/>
  <wire from="signal.value" to="low_pass.raw"/>
  <wire from="c_filter.smooth" to="after.value"/>
</system>
"""


def it_drives(stage: Stage) -> None:
    hand, window = stage.hand, stage.window
    hand.key("F5")
    hand.until(lambda: window.live.control.phase == "running", "the Raptor to drive")
    hand.until(lambda: len(window.viewers.open) >= 3, "the viewers that open by themselves")
    hand.rest(8.0)


def the_dialog(stage: Stage) -> None:
    hand, window = stage.hand, stage.window
    hand.see(lambda: window.event_breaks.ask_new(LASER))
    hand.until(lambda: shown(window, EventBreakDialog), "the dialog")
    stage.part("debugger_event_dialog", lambda: shown(window, EventBreakDialog))
    stage.tidy()


def frozen_on_an_event(stage: Stage) -> None:
    """At an event breakpoint, in the layout that one builds in."""
    hand, window = stage.hand, stage.window
    hand.see(lambda: window.layouts.choose(BUILD))
    hand.see(lambda: window.event_breaks.break_on(LASER))
    hand.until(lambda: window.freeze.is_frozen, "the stop at the event")
    hand.rest(1.5)
    hand.see(window.canvas.fit)
    stage.whole("debugger_event")
    for row in hand.see(window.event_breaks.rows):
        hand.see(lambda row=row: window.event_breaks.remove(row.key))  # type: ignore[misc]
    hand.key("F5")
    hand.until(lambda: not window.freeze.is_frozen, "the system to go on")


def stopped_in_a_handler(stage: Stage) -> None:
    """At a line, in the layout of the debugger."""
    hand, window = stage.hand, stage.window
    hand.click(lambda: title_of(window, "terrain_map"), "the card of terrain_map")
    hand.key("ctrl+shift+d")
    hand.until(lambda: window.debug.is_debugged("terrain_map"), "the debugger")
    hand.key("ctrl+5")
    hand.until(lambda: window.layouts.current == DEBUG, "the layout of the debugger")
    line = _line_with(CODE, HANDLER)
    hand.see(lambda: window.code.open_at(CODE, line))
    hand.see(lambda: window.debug.book.toggle(str(CODE), line))
    hand.until(lambda: window.freeze.is_frozen and window.debug.is_stopped, "the stop at the line")
    hand.rest(2.5)
    stage.whole("debugger_frozen")
    hand.see(window.debug.book.clear)
    hand.key("F5")
    hand.until(lambda: not window.freeze.is_frozen, "the system to go on")
    stage.stop()


def gdb_on_a_program(stage: Stage) -> None:
    """At a breakpoint that was set beside its code."""
    hand, window = stage.hand, stage.window
    stage.stop()
    stage.resize(SMALL)
    folder = stage.home / "smoothing"
    code = folder / "components" / PROGRAM.parent.name
    shutil.copytree(PROGRAM.parent, code)
    subprocess.run(["make", "--always-make", "--silent", "CFLAGS=-g -O0"], cwd=code, check=True)  # gdb sees all values
    (folder / "system.xml").write_text(SMOOTHING)
    stage.open(folder)
    hand.see(lambda: window.layouts.choose(BUILD))
    hand.key("F5")
    hand.until(lambda: window.live.control.phase == "running", "the system to run")
    hand.click(lambda: title_of(window, "c_filter"), "the card of c_filter")
    hand.key("ctrl+shift+d")
    page = hand.until(lambda: window.side_panels.get("terminal").page_of("c_filter"), "the terminal")
    hand.until(lambda: window.freeze.is_frozen and page.stop is not None and bool(page.stop["function"]), "gdb")
    line = _line_with(PROGRAM, PUBLISHES)
    hand.see(lambda: window.layouts.choose(DEBUG))
    hand.see(lambda: window.code.open_at(code / PROGRAM.name, line))
    hand.see(lambda: window.debug.book.toggle(str(code / PROGRAM.name), line))
    hand.key("F5")
    hand.until(lambda: page.stop is not None and page.stop["line"] == line, "gdb at the line")
    hand.click(lambda: middle(page.view), "the terminal")
    hand.write("print *f")
    hand.key("Return")
    hand.until(lambda: any("has_level =" in text for text in page.view.page.text()), "the answer of gdb")
    stage.whole("debugger_gdb")
    stage.resize(LARGE)
    hand.rest(1.0)
    stage.whole("debugger_gdb_large")
    hand.see(window.debug.book.clear)
    hand.see(lambda: window.side_panels.get("terminal").close_panel())
    hand.until(lambda: window.freeze.stand is None, "the system to go on")


def _line_with(file: Path, words: str) -> int:
    for number, text in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if words in text:
            return number
    raise Stuck(f"{file.name} has no line with {words} any more")


STEPS = (it_drives, the_dialog, frozen_on_an_event, stopped_in_a_handler, gdb_on_a_program)


if __name__ == "__main__":
    sys.exit(perform(STEPS, Path(sys.argv[1]), project="raptor_blocks_world"))
