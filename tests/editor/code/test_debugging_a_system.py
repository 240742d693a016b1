"""The window's debugger on a system that runs: frozen within an event, stepped, taken back, and given other code."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QLineEdit, QPushButton, QTreeWidgetItem
from pytestqt.exceptions import TimeoutError as TookTooLong
from pytestqt.qtbot import QtBot

from studio.editor.main_window import MainWindow
from studio.editor.panels.held import HeldEvents
from studio.editor.panels.value_tree import VALUE, ValueTree
from tests.editor.code.robot import CODE, STOP, write_robot

PATIENCE_MS = 90_000
LEVEL = "/platform/level"


class Bench:
    """The window with a system that plays a log, and its adder under the debugger."""

    def __init__(self, window: MainWindow, file: Path, qtbot: QtBot) -> None:
        self.window, self.file, self.qtbot = window, file, qtbot
        self.tree: ValueTree = window.side_panels.show("variables").tree

    def until(self, condition: Callable[[], object], what: str) -> None:
        try:
            self.qtbot.waitUntil(lambda: bool(condition()), timeout=PATIENCE_MS)
        except TookTooLong:
            window = self.window
            where = f"{window.freeze.stand}, {window.debug.frame}, {window.live.control.phase}"
            pytest.fail(f"waited for {what}; it stands at {where}: {window.status.words.text()}")

    def press(self, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        self.activate()
        QTest.keyClick(self.window, key, modifier)

    def activate(self) -> None:
        """A panel that has just been shown may have taken that."""
        self.window.activateWindow()
        self.qtbot.waitUntil(self.window.isActiveWindow, timeout=PATIENCE_MS)

    def step(self) -> None:
        """One event, in which no code stands."""
        before = self.position
        self.press(Qt.Key.Key_F6)
        self.until(lambda: self.position > before and self.window.freeze.stand is not None, "the next event")
        assert self.window.freeze.stand is not None and self.window.freeze.stand.between

    @property
    def position(self) -> int:
        return int(self.window.live.feed.state["stepping"]["position"])

    def stands_at(self, line: int, sequence: int) -> bool:
        """The code stands there, within that event, and the window shows so; this is of now and not of before."""
        window = self.window
        frame, stand = window.debug.frame, window.freeze.stand
        return (
            frame is not None
            and frame.line == line
            and stand is not None
            and (stand.topic, stand.sequence, stand.line) == (LEVEL, sequence, line)
            and window.freeze.is_frozen
        )

    def stands_anywhere(self) -> int:
        """The sequence of the event in which code stands."""
        self.until(lambda: self.window.debug.is_stopped and self.window.freeze.is_frozen, "a stop")
        stand = self.window.freeze.stand
        assert stand is not None and stand.topic == LEVEL
        return stand.sequence

    def rows(self) -> dict[str, QTreeWidgetItem]:
        """Of the variables, by name."""
        rows = [self.tree.topLevelItem(place) for place in range(self.tree.topLevelItemCount())]
        return {item.text(0): item for item in rows if item is not None}

    def value(self) -> str:
        """Of the variable of that name."""
        item = self.rows().get("value")
        return item.text(VALUE) if item is not None else ""

    def evaluated(self, expression: str) -> str:
        told: list[str] = []
        self.window.debug.evaluate(
            expression, lambda body: told.append(str(body["result"])), lambda error: told.append(str(error))
        )
        self.until(lambda: told, f"the value of {expression}")
        return told[0]

    def pids(self) -> dict[str, Any]:
        processes = self.window.live.feed.state["processes"]
        return {name: processes[name]["pid"] for name in ("adder", "filter")}


@pytest.fixture
def bench(one_window: MainWindow, qtbot: QtBot, tmp_path: Path) -> Iterator[Bench]:
    file = write_robot(tmp_path / "robot")
    window = one_window
    window.show()
    assert window.files.open(tmp_path / "robot")
    made = Bench(window, file, qtbot)
    try:
        window.trigger("run.start")
        made.until(lambda: window.live.control.phase == "running", "the system to run")
        window.debug.attach("adder")
        made.until(lambda: window.debug.is_debugged("adder"), "the debugger")
        window.debug.book.toggle(str(made.file), STOP)
        yield made
    finally:  # a window that is closed over a running system would ask what is to become of it
        window.debug.book.clear()
        window.live.stop()
        qtbot.waitUntil(lambda: window.live.control.phase == "stopped", timeout=PATIENCE_MS)
        window.hide()
        window.show_session(None)


@pytest.mark.timeout(300)
def test_a_system_frozen_at_a_breakpoint_is_stepped_taken_back_changed_and_reloaded(bench: Bench) -> None:
    window = bench.window
    first = bench.stands_anywhere()
    pids = bench.pids()

    # What waits meanwhile is shown, though the gate is in the middle of an event.
    held: HeldEvents = window.side_panels.show("held")
    bench.until(lambda: held.table.topLevelItemCount() > 1, "what waits at the gate")
    rows = [held.table.topLevelItem(place) for place in range(2)]
    assert [(row.text(1), row.text(2)) for row in rows if row is not None] == [
        (str(first), "now"),
        (str(first + 1), "+0.0"),
    ]
    assert "leads to" in held.words.text()

    # Lines, within the event.
    bench.press(Qt.Key.Key_F10)
    bench.until(lambda: bench.stands_at(STOP + 1, first), "the next line")
    bench.until(bench.value, "its variables")

    # One event: the code that stands finishes its own first; then `adder.sum`, and what the filter makes of it.
    for _ in range(2):
        bench.step()
    bench.press(Qt.Key.Key_F6)
    bench.until(lambda: bench.stands_at(STOP, first + 1), "the event after it")

    # Back: the event of before, in which no code stands, is delivered again; the breakpoint is as it was.
    bench.press(Qt.Key.Key_F6, Qt.KeyboardModifier.ShiftModifier)
    bench.until(lambda: window.freeze.stand is not None and window.freeze.stand.between, "the way back")
    bench.press(Qt.Key.Key_F6)
    bench.until(lambda: bench.stands_at(STOP, first + 1), "the same event again")

    # It was being stepped, so that Continue ends the event; the next one has the system run, into the next stop.
    bench.press(Qt.Key.Key_F5)
    bench.until(lambda: window.freeze.stand is not None and window.freeze.stand.between, "the end of the event")
    bench.press(Qt.Key.Key_F5)
    bench.until(lambda: bench.stands_at(STOP, first + 2), "the next stop")
    assert bench.evaluated("self.seen") == str(first + 1)

    _change_a_value(bench)
    _reload(bench, first + 2)
    assert bench.pids()["filter"] == pids["filter"]
    assert bench.pids()["adder"] != pids["adder"]


def _change_a_value(bench: Bench) -> None:
    def write(text: str) -> None:
        bench.until(bench.value, "the variable")
        bench.window.side_panels.show("variables")
        bench.activate()
        bench.tree.setCurrentItem(bench.rows()["value"])
        QTest.keyClick(bench.tree, Qt.Key.Key_F2)
        (line,) = (each for each in bench.tree.findChildren(QLineEdit) if each.isVisible())
        QTest.keyClicks(line, text)
        QTest.keyClick(line, Qt.Key.Key_Return)

    write("40 + 2.5")
    bench.until(lambda: bench.value() == "42.5", "the new value in its row")
    assert bench.evaluated("value") == "42.5"
    write("nonsense + 1")
    bench.until(lambda: "name 'nonsense' is not defined" in bench.window.status.words.text(), "why it was not done")
    assert bench.evaluated("value") == "42.5"


def _reload(bench: Bench, sequence: int) -> None:
    """A line above the breakpoint and another factor: typed, saved by its key, reloaded by the button offered."""
    window = bench.window
    page = window.code.pages[str(bench.file)]
    page.editor.setFocus()
    place = CODE.splitlines().index("FACTOR = 1.0")
    page.editor.setCursorPosition(place, 0)
    QTest.keyClicks(page.editor, "# twice as much")
    QTest.keyClick(page.editor, Qt.Key.Key_Return)
    page.editor.setSelection(place + 1, len("FACTOR = "), place + 1, len("FACTOR = 1.0"))
    QTest.keyClicks(page.editor, "2.0")
    QTest.keyClick(page.editor, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    bench.until(lambda: "FACTOR = 2.0" in bench.file.read_text(), "the file to be saved")
    bench.until(lambda: page.notice.isVisible(), "the offer to reload")
    (button,) = (each for each in page.notice.findChildren(QPushButton) if each.text() == "Reload adder")
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    bench.until(lambda: "runs the new code" in window.status.words.text(), "the reloading")
    bench.until(lambda: bench.stands_at(STOP + 1, sequence), "the same event in the new code")
    assert bench.evaluated("FACTOR") == "2.0" and bench.evaluated("self.seen") == str(sequence - 1)
    assert bench.evaluated("value") == bench.evaluated("message.data * 2.0"), "what was written by hand is undone"
    assert [(point.line, point.enabled) for point in window.debug.book.of_file(str(bench.file))] == [(STOP + 1, True)]
