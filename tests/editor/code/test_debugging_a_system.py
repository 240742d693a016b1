"""The window's debugger on a system that runs: frozen within an event, stepped, taken back, and given other code."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QLineEdit, QPushButton, QTreeWidgetItem
from pytestqt.exceptions import TimeoutError as TookTooLong
from pytestqt.qtbot import QtBot

from studio.editor.code.attachments import NOT_RUNNING
from studio.editor.code.code_editor import CALLER, WAITING
from studio.editor.code.code_editor import STOP as SOLID
from studio.editor.panels.debug.held import HeldEvents
from studio.editor.panels.debug.value_tree import VALUE, ValueTree
from studio.editor.window.main_window import MainWindow
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
        freeze = self.window.freeze  # it shows the stop of before until the step has ended
        self.until(
            lambda: self.position > before and freeze.stand is not None and freeze.stand.between, "the next event"
        )

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

    def line_of(self, text: str) -> int:
        """In the code as it is now."""
        return next(number for number, line in enumerate(self.file.read_text().splitlines(), 1) if text in line)

    def pids(self) -> dict[str, Any]:
        processes = self.window.live.feed.state["processes"]
        return {name: processes[name]["pid"] for name in ("adder", "filter")}


@pytest.fixture
def bench(one_window: MainWindow, qtbot: QtBot, tmp_path: Path) -> Iterator[Bench]:
    file = write_robot(tmp_path / "robot")
    window = one_window
    window.show()
    QApplication.setActiveWindow(window)  # without a screen nobody makes one active that was hidden before
    assert window.files.open(tmp_path / "robot")
    made = Bench(window, file, qtbot)
    try:
        window.trigger("run.start")
        made.until(lambda: window.live.control.phase == "running", "the system to run")
        window.debug.book.toggle(str(made.file), STOP)  # attaches by itself
        yield made
    finally:  # a window that is closed over a running system would ask what is to become of it
        window.debug.book.clear()
        window.live.stop()
        qtbot.waitUntil(lambda: window.live.control.phase == "stopped", timeout=PATIENCE_MS)
        window.hide()
        window.show_session(None)


@pytest.mark.timeout(300)
def test_a_system_frozen_at_a_breakpoint_is_looked_into_stepped_taken_back_changed_and_reloaded(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    window = bench.window
    first = bench.stands_anywhere()
    pids = bench.pids()
    _view_an_array(bench)
    _hover(bench, monkeypatch)
    _open_in_vscode(bench, monkeypatch, tmp_path / "bin")

    # What waits meanwhile is shown, though the gate is in the middle of an event.
    held: HeldEvents = window.side_panels.show("held")
    bench.until(lambda: held.table.topLevelItemCount() > 1, "what waits at the gate")
    rows = [held.table.topLevelItem(place) for place in range(2)]
    assert [(row.text(1), row.text(2)) for row in rows if row is not None] == [
        (str(first), "now"),
        (str(first + 1), "+0.0"),
    ]
    assert "its results come before the others" in held.words.text()

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

    # It was being stepped and taken back; all the same Continue has the system run, into the next stop.
    bench.press(Qt.Key.Key_F5)
    bench.until(lambda: bench.stands_at(STOP, first + 2), "the next stop")
    assert bench.evaluated("self.seen") == str(first + 1)

    _change_a_value(bench)
    _reload(bench, first + 2)
    assert bench.pids()["filter"] == pids["filter"]
    assert bench.pids()["adder"] != pids["adder"]
    _go_into_handlers(bench)
    _start_under(bench)
    _stop_and_run(bench)


def _stop_and_run(bench: Bench) -> None:
    """What stopped in one run stops in the next one; in between, its dot is hollow and says why."""
    window = bench.window
    book = window.debug.book
    book.clear()
    book.toggle(str(bench.file), STOP)
    window.live.stop()
    bench.until(lambda: window.live.control.phase == "stopped", "the end")
    assert not window.debug.sessions
    (point,) = book.all()
    editor = window.code.pages[point.file].editor
    assert editor.markersAtLine(point.line - 1) == 1 << WAITING and NOT_RUNNING in editor.tip_of(point.line)
    window.trigger("run.start")
    bench.until(lambda: window.debug.is_stopped and window.freeze.is_frozen, "the stop in the next run")
    assert window.debug.frame is not None and window.debug.frame.line == point.line and not book.waiting
    assert editor.markersAtLine(point.line - 1) & 1 << SOLID

    # Ctrl+Shift+D from the code in front lets go of its component, and the dot says so.
    editor.setFocus()
    bench.press(Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    bench.until(lambda: not window.debug.is_debugged("adder"), "the debugger to go")
    assert "adder is not debugged" in editor.tip_of(point.line)
    bench.until(lambda: window.live.control.phase == "running", "the system to go on")
    bench.press(Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    bench.until(lambda: window.debug.is_stopped and not book.waiting, "the next stop")
    _step_without_a_breakpoint(bench)


def _step_without_a_breakpoint(bench: Bench) -> None:
    """A system that runs, no breakpoint, no code open: one event opens the code that got it; then into the next one."""
    window = bench.window
    window.debug.book.clear()
    for key in list(window.code.pages):
        window.code.close(key)
    bench.press(Qt.Key.Key_F5)
    bench.until(lambda: window.live.control.phase == "running", "the system to run")
    control = window.live.control
    for _ in range(3):  # one of three events is what the filter makes, and nobody takes that
        bench.press(Qt.Key.Key_F6)
        bench.until(lambda: control.phase == "paused" and not control.is_moving, "the end of the step")
        bench.qtbot.wait(50)  # the code opens when the window has shown where the system is
        if window.code.pages:
            break
    bench.until(lambda: window.code.pages, "the code of the event")
    (page,) = window.code.pages.values()
    assert page.editor.markersAtLine(page.editor.line - 1) & 1 << CALLER and page.isVisible()
    assert page.editor.values[page.editor.line][0].startswith("got ")
    assert not window.debug.is_stopped
    bench.press(Qt.Key.Key_F6, Qt.KeyboardModifier.ShiftModifier)
    bench.until(lambda: not page.editor.values, "the mark of an event that is still to come to go")
    bench.press(Qt.Key.Key_F5)
    bench.until(lambda: window.live.control.phase == "running", "the system to run on")
    bench.press(Qt.Key.Key_F11, Qt.KeyboardModifier.ControlModifier)
    # The next event may be one that nobody takes: then it only stands after it.
    bench.until(lambda: window.live.control.phase == "paused", "a system that was not paused first")


def _go_into_handlers(bench: Bench) -> None:
    """One event is delivered, and stands at the first line of its handler; then on to the next of its stream."""
    window = bench.window
    window.debug.book.clear()
    window.trigger("run.start")
    bench.until(lambda: window.live.control.phase == "running", "the system to run, as before it was reloaded")
    bench.press(Qt.Key.Key_F8)
    bench.until(lambda: window.freeze.held and not window.freeze.busy, "what comes next")
    while (window.freeze.held or [{}])[0].get("topic") != LEVEL:  # what the adder and the filter have made of the last
        bench.step()
        bench.qtbot.wait(300)
    bench.press(Qt.Key.Key_F11, Qt.KeyboardModifier.ControlModifier)
    bench.until(lambda: window.debug.is_stopped and window.freeze.is_frozen, "the first line of the handler")
    stop = window.debug.stop
    assert stop is not None and stop.top is not None and stop.top.function == "on_raw"
    assert (stop.host, stop.top.line) == ("adder", bench.line_of("value = message.data"))
    sequence = bench.stands_anywhere()

    # On to the next event of the stream that it stands at: what lies between passes.
    bench.press(Qt.Key.Key_F6, Qt.KeyboardModifier.ControlModifier)
    last = lambda: (window.live.feed.state["stepping"]["last"] or ["", 0])[:2]  # noqa: E731
    bench.until(lambda: last() == [LEVEL, sequence + 1] and not window.debug.is_stopped, "the next level")


def _view_an_array(bench: Bench) -> None:
    bench.until(lambda: "self" in bench.rows(), "the variables")
    bench.rows()["self"].setExpanded(True)
    grid = lambda: next((row for row in _children(bench.rows()["self"]) if row.text(0) == "grid"), None)  # noqa: E731
    bench.until(grid, "the array")
    bench.until(lambda: grid().text(VALUE) == "(3, 4) float64", "its shape")
    bench.tree.setCurrentItem(grid())
    array = bench.window.side_panels.show("variables").array
    bench.until(lambda: array.data is not None and array.data.name == "self.grid", "what is in it")
    assert array.data.statistics["max"] == 11.0
    body = lambda: array._place.currentWidget().grab().toImage()  # noqa: E731  # without the buttons: they differ anyway
    array.buttons["Table"].click()
    seen = [body()]
    for kind in ("Image", "Map", "Plot", "Table"):
        QTest.mouseClick(array.buttons[kind], Qt.MouseButton.LeftButton)
        assert array.kind == kind
        bench.until(lambda: body() != seen[-1], f"its {kind}")
        seen.append(body())


def _children(item: QTreeWidgetItem) -> list[QTreeWidgetItem]:
    return [child for place in range(item.childCount()) if (child := item.child(place)) is not None]


def _hover(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The mouse rests over a name: as QScintilla tells it."""
    editor = bench.window.code.pages[str(bench.file)].editor
    tips: list[str] = []
    monkeypatch.setattr(editor, "show_tip", lambda at, text: tips.append(text))
    line = CODE.splitlines()[STOP - 2]
    editor.SCN_DWELLSTART.emit(editor.positionFromLineIndex(STOP - 2, line.index("message") + 2), 0, 0)
    bench.until(lambda: tips, "the value under the mouse")
    assert tips[0].startswith("message: Float64\ndata ")
    tips.clear()
    editor.SCN_DWELLSTART.emit(-1, 0, 0)  # beside the text
    assert not tips


def _open_in_vscode(bench: Bench, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """A program of that name on the PATH writes down what it was given."""
    folder.mkdir()
    program = folder / "code"
    program.write_text(f'#!/bin/sh\necho "$@" > {folder}/given\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    bench.window.trigger("debug.vscode")
    project = bench.window.session.folder
    bench.until((folder / "given").is_file, "VS Code")
    bench.until((folder / "given").read_text, "its arguments")
    assert (folder / "given").read_text() == f"{project} --goto {bench.file}:{STOP}\n"
    (ours,) = json.loads((project / ".vscode" / "launch.json").read_text())["configurations"]
    assert (
        ours["name"] == "Studio: adder"
        and ours["debugAdapterPath"] == f"{bench.window.debug.sessions['adder'].address}.py"
    )
    assert "choose “Studio: adder”" in bench.window.status.words.text()


def _start_under(bench: Bench) -> None:
    """The process starts anew, and stops where its component is made."""
    window, before = bench.window, bench.pids()
    made = bench.line_of("self.grid = np")
    window.debug.book.toggle(str(bench.file), made)
    window.canvas.canvas.select(["adder"])
    window.trigger("debug.start")
    bench.until(lambda: window.debug.frame is not None and window.debug.frame.line == made, "on_initialize")
    stop = window.debug.stop
    assert stop is not None and stop.top is not None and stop.top.function == "on_initialize"
    bench.until(lambda: bench.pids()["adder"] != before["adder"], "another process")
    assert bench.pids()["filter"] == before["filter"]
    window.debug.book.clear()
    bench.press(Qt.Key.Key_F5)
    bench.until(lambda: "has started under the debugger" in window.status.words.text(), "its start")


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
    assert "still runs its old code" in page.editor.tip_of(STOP + 1)
    (button,) = (each for each in page.notice.findChildren(QPushButton) if each.text() == "Reload adder")
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    bench.until(lambda: "runs the new code" in window.status.words.text(), "the reloading")
    bench.until(lambda: bench.stands_at(STOP + 1, sequence), "the same event in the new code")
    assert bench.evaluated("FACTOR") == "2.0" and bench.evaluated("self.seen") == str(sequence - 1)
    assert bench.evaluated("value") == bench.evaluated("message.data * 2.0"), "what was written by hand is undone"
    assert [(point.line, point.enabled) for point in window.debug.book.of_file(str(bench.file))] == [(STOP + 1, True)]
    assert "old code" not in page.editor.tip_of(STOP + 1)
