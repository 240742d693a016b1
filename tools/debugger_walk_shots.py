"""The walk of the guide's page on the debugger, with mouse and keys on the real window; takes its pictures on the way.

A drive of the simulated Raptor is recorded, opened in the window, and stepped through under the debugger; a line of its
terrain map is changed, and the new code ends up within the same event. Every step is waited for: one that does not come
about ends the walk with what it waited for. The project and the component are copies.

python tools/docs_shots.py debugger_walk
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

from PyQt6.QtWidgets import QToolTip

from studio.editor.code.code_editor import CodeEditor
from studio.editor.docking.layouts import DEBUG
from studio.editor.log_files.open_dialog import OpenLogDialog
from studio.editor.panels.debug.value_tree import ValueTree
from tools.hand import PATIENCE_S, Stuck
from tools.screen_places import (
    at_word,
    button_with,
    file_field,
    highest,
    in_dialog,
    in_margin,
    in_text,
    middle,
    played_ns,
    row_at,
    run_button,
    title_of,
    tree_row,
    where_it_stands,
    which_way,
)
from tools.stage import ROOT, Ready, Stage, perform

SECONDS = 12
PLAYED_NS = 7_000_000_000
"""Of the log, before it is paused: enough for a map that one recognizes."""
COMPONENT = "terrain_map"
LINE = "self._scans.append(scan)"
NEW = "count = len(scan.points)"
STEPS = 5
LOOKS = 6
"""So often in a row the same has to be seen: code that stands finishes its event before the next one comes."""
HEIGHTS = "2"
"""The grid of the cells that has the heights."""


class Walk:
    def __init__(self, stage: Stage, project: Path, log: Path) -> None:
        self.stage, self.window, self.log = stage, stage.window, log
        self.code = project / "components" / COMPONENT / f"{COMPONENT}.py"
        self.line = next(number for number, text in enumerate(self.code.read_text().splitlines(), 1) if LINE in text)
        self.hand = stage.hand

    def go(self) -> None:
        self.open_the_log()
        self.debug()
        self.step()
        self.view_an_array()
        self.step_back_and_forth()
        self.change_and_reload()

    # ---- the way

    def open_the_log(self) -> None:
        hand, window = self.hand, self.window
        hand.key("ctrl+shift+o")
        hand.click(lambda: file_field(window), "the dialog that opens a file")
        hand.key("ctrl+a")
        hand.write(str(self.log))
        hand.key("Return")
        hand.click(lambda: middle(in_dialog(window, OpenLogDialog, "project")), "where it is to play")
        hand.until(lambda: window.live.control.phase == "running" or None, "the log to play")
        hand.until(lambda: played_ns(window) > PLAYED_NS or None, "some of the log")
        hand.click(lambda: run_button(window, "run.pause"), "Pause")
        hand.until(lambda: window.live.control.phase == "paused" or None, "the pause")

    def debug(self) -> None:
        hand, window = self.hand, self.window
        hand.click(lambda: title_of(window, COMPONENT), f"the card of {COMPONENT}")
        hand.key("ctrl+shift+d")
        hand.until(lambda: window.debug.is_debugged(COMPONENT) or None, "the debugger")
        hand.key("ctrl+e")
        editor = hand.until(lambda: self._editor, "the code")
        hand.key("ctrl+5")
        hand.until(lambda: window.layouts.current == DEBUG or None, "the layout of the debugger")
        hand.click(lambda: in_text(editor, 1), "the code")
        hand.key("ctrl+f")
        hand.write(LINE)
        hand.key("Return", "Escape")
        hand.click(lambda: in_margin(editor, self.line), f"the margin of line {self.line}")
        hand.until(lambda: self._points() == [self.line] or None, "the breakpoint")

    def step(self) -> None:
        """Five events, and on until a scan stops there."""
        pressed = 0
        while pressed < STEPS or not self._stands_at(self.line):
            self._press("run.step")
            pressed += 1
        editor = self.hand.see(lambda: self._editor)
        assert editor is not None

        def point() -> None:
            self.hand.hover(self.hand.until(lambda: in_text(editor, self.line - 1), "the line above"))
            self.hand.hover(self.hand.until(lambda: at_word(editor, self.line, "scan"), "the name in the line"))
            self.hand.until(lambda: "Range3d" in QToolTip.text() or None, "its value under the mouse")

        self.picture("debugger_walk_stopped", point)

    def view_an_array(self) -> None:
        hand, variables = self.hand, self.window.side_panels.show
        tree = hand.see(lambda: variables("variables").tree)
        for path in (("self",), ("self", "_grid")):
            self._wheel_to(tree, path)
            if not hand.see(lambda path=path: tree_row(tree, path).isExpanded()):  # type: ignore[misc, union-attr]
                hand.key("Right")
        self._wheel_to(tree, ("self", "_grid", "cells"))
        array = hand.see(lambda: variables("variables").array)
        hand.until(lambda: (array.data is not None and array.data.name.endswith("cells")) or None, "the array")
        hand.click(lambda: middle(array.buttons["Image"]), "Image")
        hand.click(lambda: middle(array.plane), "the number of the grid")
        hand.key("ctrl+a", HEIGHTS, "Return")
        hand.until(lambda: (array.data is not None and f"{HEIGHTS}]" in array.data.words) or None, "another grid of it")
        self.picture("debugger_walk_array", lambda: hand.hover(hand.until(lambda: highest(array), "the picture")))

    def step_back_and_forth(self) -> None:
        stand = self.hand.see(lambda: self.window.freeze.stand)
        assert stand is not None
        self.event = (stand.topic, stand.sequence)
        for _ in range(2):
            self._press("run.back")
        time.sleep(1.0)
        self.picture("debugger_walk_back")
        for _ in range(STEPS):  # an event on the way may stop at the same line
            self._press("run.step")
            if self._stands_at(self.line) and self._is_same_event():
                break
        self._same_event()

    def change_and_reload(self) -> None:
        hand, window = self.hand, self.window
        editor = hand.see(lambda: self._editor)
        assert editor is not None
        hand.click(lambda: in_text(editor, self.line - 1), "the line above")
        hand.key("End", "Return", "BackSpace")
        hand.write(NEW)
        hand.key("ctrl+s")
        page = hand.see(lambda: window.code.pages[str(self.code)])
        hand.until(lambda: page.notice.isVisible() or None, "the offer to reload")
        time.sleep(0.5)
        self.picture("debugger_walk_edit")
        hand.click(lambda: button_with(page.notice, f"Reload {COMPONENT}"), "Reload")
        hand.until(lambda: self._is_at(self.line + 1) or None, "the new code at the breakpoint")
        self._same_event()
        tree = hand.see(lambda: window.side_panels.show("variables").tree)
        hand.until(lambda: tree_row(tree, ("count",)), "the new variable")
        time.sleep(1.5)
        self.picture("debugger_walk_reloaded")

    # ---- looking

    @property
    def _editor(self) -> CodeEditor | None:
        page = self.window.code.pages.get(str(self.code))
        return page.editor if page is not None else None

    def _points(self) -> list[int]:
        return [point.line for point in self.window.debug.book.of_file(str(self.code))]

    def _is_at(self, line: int) -> bool:
        """The code stands there, and the window shows that the system does."""
        frame, freeze = self.window.debug.frame, self.window.freeze
        return frame is not None and frame.line == line and freeze.is_frozen and freeze.stand.line == line  # type: ignore[union-attr]

    def _stands_at(self, line: int) -> bool:
        return self.hand.see(lambda: self._is_at(line))

    def _is_same_event(self) -> bool:
        stand = self.hand.see(lambda: self.window.freeze.stand)
        return stand is not None and (stand.topic, stand.sequence) == self.event

    def _same_event(self) -> None:
        if not self._is_same_event():
            raise Stuck(
                f"it should stop in {self.event}, but does at {self.hand.see(lambda: self.window.freeze.stand)}"
            )

    def _press(self, action: str) -> None:
        """A button of the freeze bar, or of the tool bar while that is not there; until its effect has come about."""
        window, hand = self.window, self.hand
        before = hand.see(lambda: where_it_stands(window))
        in_bar = hand.see(lambda: window.freeze.bar.isVisible())
        hand.click(lambda: middle(window.freeze.bar.buttons[action]) if in_bar else run_button(window, action), action)
        hand.until(lambda: (where_it_stands(window) != before) or None, f"the effect of {action}")
        looks: list[tuple[object, ...] | None] = []
        while len(looks) < LOOKS or len({*looks[-LOOKS:]}) > 1 or looks[-1] is None:
            looks.append(hand.see(lambda: where_it_stands(window) if self._settled() else None))
            time.sleep(0.1)
            if len(looks) > PATIENCE_S * 10:
                raise Stuck(f"nothing came to rest after {action}")

    def _settled(self) -> bool:
        """What is shown is of one place: in the middle of code with its frame, or between two events without one."""
        stand, frame = self.window.freeze.stand, self.window.debug.frame
        if stand is None:
            return self.window.live.control.phase == "paused"
        return (stand.line == frame.line) if frame is not None else not stand.line

    def _wheel_to(self, tree: ValueTree, path: tuple[str, ...]) -> None:
        """Turn the wheel over the tree until that row can be seen; then click on it."""
        hand = self.hand
        hand.until(lambda: tree_row(tree, path), f"the row {'.'.join(path)}")
        for _ in range(60):
            hidden = hand.see(lambda: which_way(tree, path))
            if not hidden:
                break
            hand.hover(hand.until(lambda: middle(tree.viewport()), "the variables"))
            hand.wheel(hidden)
            time.sleep(0.15)
        hand.click(lambda: row_at(tree, path), f"the row {'.'.join(path)}")

    def picture(self, name: str, ready: Ready | None = None) -> None:
        self.stage.whole(name, ready=ready)
        print(f"docs-shots:   {name}", flush=True)


# ---- all of it


def prepare(stage: Stage) -> tuple[Path, Path]:
    """A copy of the project with the component in it, and the log of a drive."""
    project, log = stage.copy_of("raptor_blocks_world"), stage.home / "drive.mcap"
    shutil.copytree(ROOT / "components" / COMPONENT, project / "components" / COMPONENT)
    run = [sys.executable, "-m", "studio", "run", str(project), "--mode", "simulated", "--seed", "7"]
    run += ["--for", str(SECONDS), "--rate", "0", "--record", str(log)]
    subprocess.run(run, cwd=ROOT, check=True, capture_output=True)
    return project, log


def the_walk(stage: Stage) -> None:
    project, log = prepare(stage)
    stage.open(project)
    walk = Walk(stage, project, log)
    try:
        walk.go()
    finally:
        stage.hand.see(stage.window.debug.book.clear)


if __name__ == "__main__":
    sys.exit(perform((the_walk,), Path(sys.argv[1])))
