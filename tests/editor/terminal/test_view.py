"""Real processes on a real pseudo terminal, through the widget: what is typed reaches them, what they say is shown."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from PyQt6.QtCore import QPoint, Qt, QTimer
from PyQt6.QtGui import QGuiApplication
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.editor.look.theme import DARK, LIGHT
from studio.editor.terminal.grid import MARGIN
from studio.editor.terminal.pseudo_terminal import PseudoTerminal
from studio.editor.terminal.view import TerminalView
from tests.waiting import await_true

ROOT = Path(__file__).resolve().parents[3]
WAIT_MS = 30_000
CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
LONGEST_STALL_S = 0.2


class Desk:
    """A terminal with a process in it, and somebody who types."""

    def __init__(self, qtbot: QtBot, *words: str) -> None:
        self.qtbot = qtbot
        self.view = TerminalView(LIGHT)
        qtbot.addWidget(self.view)
        self.view.resize(700, 300)
        self.view.show()
        self.view.setFocus()
        self.terminal = PseudoTerminal(words, self.view.page.columns, self.view.page.lines, self.view)
        self.terminal.said.connect(self.view.feed)
        self.view.typed.connect(self.terminal.write)
        self.view.resized.connect(self.terminal.resize)

    @property
    def lines(self) -> list[str]:
        return [line for line in self.view.page.text() if line]

    def type(self, words: str) -> None:
        QTest.keyClicks(self.view, words)
        QTest.keyClick(self.view, Qt.Key.Key_Return)

    def wait(self, condition: Callable[[], bool]) -> None:
        self.qtbot.waitUntil(condition, timeout=WAIT_MS)

    def wait_for(self, line: str) -> None:
        self.wait(lambda: line in self.lines)


@pytest.fixture
def start(qtbot: QtBot) -> Iterator[Callable[..., Desk]]:
    desks: list[Desk] = []

    def begin(*words: str) -> Desk:
        desks.append(Desk(qtbot, *words))
        return desks[-1]

    yield begin
    for desk in desks:
        desk.terminal.close()
        desk.terminal.process.wait(20)


def test_a_shell_is_typed_to_completed_interrupted_resized_and_left(start: Callable[..., Desk], tmp_path: Path) -> None:
    (tmp_path / "only_one_file").touch()
    desk = start("env", "PS1=$ ", "bash", "--norc", "--noprofile", "-i")
    desk.wait_for("$")
    desk.type(f"cd {tmp_path}; test -t 0 && tty | cut -c-9")
    desk.wait_for("/dev/pts/")
    QTest.keyClicks(desk.view, "echo only")
    QTest.keyClick(desk.view, Qt.Key.Key_Tab)
    QTest.keyClick(desk.view, Qt.Key.Key_Return)
    desk.wait_for("only_one_file")
    QTest.keyClick(desk.view, Qt.Key.Key_Up)
    QTest.keyClick(desk.view, Qt.Key.Key_A, CONTROL)
    QTest.keyClicks(desk.view, "printf '<%s>\\n' ")
    QTest.keyClick(desk.view, Qt.Key.Key_Return)
    desk.wait_for("<only_one_file>")
    desk.type("sleep 1000; echo went on: $?")
    desk.wait(lambda: any(line.endswith("$?") for line in desk.lines))
    time.sleep(0.2)  # the shell has to have started it
    QTest.keyClick(desk.view, Qt.Key.Key_C, CONTROL)
    desk.type("stty size")
    desk.wait_for(f"{desk.view.page.lines} {desk.view.page.columns}")
    desk.view.resize(500, 420)
    desk.wait(lambda: desk.view.page.lines > 18)
    desk.type("stty size")
    desk.wait_for(f"{desk.view.page.lines} {desk.view.page.columns}")
    ended: list[int] = []
    desk.terminal.ended.connect(ended.append)
    desk.type("echo last words; exit 3")
    desk.wait(lambda: ended == [3])
    assert desk.lines[-1] in ("exit", "last words") and not desk.terminal.is_open
    QTest.keyClicks(desk.view, "nobody reads this")


def test_copy_takes_what_the_mouse_has_selected_and_paste_types_it(start: Callable[..., Desk]) -> None:
    desk = start("cat")
    desk.type("some words here")
    desk.wait(lambda: desk.lines.count("some words here") == 2)
    grid, port = desk.view.grid, desk.view.port

    def at(column: float, row: int) -> QPoint:
        return QPoint(round(MARGIN + column * grid.width), row * grid.height + 4)

    QTest.mousePress(port, Qt.MouseButton.LeftButton, pos=at(5, 0))
    QTest.mouseMove(port, at(7, 0))
    QTest.mouseMove(port, at(10, 0))
    QTest.mouseRelease(port, Qt.MouseButton.LeftButton, pos=at(10, 0))
    assert desk.view.selection.text() == "words"
    for theme in (DARK, LIGHT):
        desk.view.show_theme(theme)
        assert not desk.view.grab().isNull()
    QTest.keyClick(desk.view, Qt.Key.Key_C, CONTROL | SHIFT)
    clipboard = QGuiApplication.clipboard()
    assert clipboard is not None and clipboard.text() == "words"
    QTest.mouseDClick(port, Qt.MouseButton.LeftButton, pos=at(12, 0))
    assert desk.view.selection.text() == "here"
    QTest.keyClick(desk.view, Qt.Key.Key_V, CONTROL | SHIFT)
    QTest.keyClick(desk.view, Qt.Key.Key_Return)
    desk.wait(lambda: desk.lines.count("words") == 2)
    assert desk.view.selection.is_empty
    desk.view.feed(b"\x1b[?2004h")
    typed: list[bytes] = []
    desk.view.typed.connect(typed.append)
    clipboard.setText("two\nlines")
    desk.view.paste()
    assert typed == [b"\x1b[200~two\rlines\x1b[201~"]


def test_a_flood_stalls_nothing_is_bounded_and_can_be_interrupted(start: Callable[..., Desk]) -> None:
    desk = start(
        "bash", "-c", "trap 'sleep 0.3; echo done; exit' INT; while :; do echo 'a line of many that come'; done"
    )
    turns: list[float] = []
    clock = QTimer(desk.view)
    clock.timeout.connect(lambda: turns.append(time.process_time()))
    clock.start(0)
    desk.wait(lambda: desk.view.page.count_left > 6000)
    # Of this process's own time: how long the machine has others at work is no defect of ours.
    assert max(later - earlier for earlier, later in pairwise(turns)) < LONGEST_STALL_S
    assert len(desk.view.page.left) == 5000
    QTest.keyClick(desk.view, Qt.Key.Key_PageUp, SHIFT)
    seen = desk.view.bar.value()
    QApplication.processEvents()
    assert desk.view.bar.value() <= max(seen, desk.view.page.first)  # what is looked at does not run away
    QTest.keyClick(desk.view, Qt.Key.Key_C, CONTROL)  # the kernel drops what is on its way: hence the sleep above
    desk.wait(lambda: not desk.terminal.is_open)
    assert desk.lines[-1].removeprefix("^C") == "done", "the terminal may echo the key on the same line"
    assert desk.view.bar.value() == desk.view.bar.maximum()  # who types sees the end


def test_a_process_that_ignores_the_end_of_its_terminal_is_ended(
    start: Callable[..., Desk], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studio.editor.terminal.pseudo_terminal.ENDS_WITHIN_S", 0.2)
    desk = start("bash", "-c", "trap '' HUP TERM; echo ready; while :; do sleep 0.1; done")
    desk.wait_for("ready")
    desk.terminal.close()
    assert desk.terminal.process.wait(20) == -signal.SIGKILL


KILLED = """
import sys
from PyQt6.QtWidgets import QApplication
from studio.editor.terminal.pseudo_terminal import PseudoTerminal
app = QApplication([])
terminal = PseudoTerminal(["sleep", "1000"], 80, 24)
print(terminal.process.pid, flush=True)
app.exec()
"""


def test_nothing_is_left_of_a_window_that_was_killed() -> None:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT)}
    with subprocess.Popen([sys.executable, "-c", KILLED], stdout=subprocess.PIPE, env=environment) as window:
        assert window.stdout is not None
        pid = int(window.stdout.readline())
        command = Path(f"/proc/{pid}/cmdline")
        await_true(lambda: command.read_bytes().startswith(b"sleep"), "the shell to have become it")
        window.kill()
    await_true(lambda: not command.exists() or not command.read_bytes(), "the process to end with its terminal")
