"""gdb on a program in C in the window's terminal, in a real system: it freezes, is stepped by keys, and goes on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QGuiApplication
from PyQt6.QtTest import QTest
from pytestqt.qtbot import QtBot

from studio.editor.code.breakpoint_book import Breakpoint, BreakpointBook
from studio.editor.code.code_editor import HERE
from studio.editor.docking.layouts import BUILD, DEBUG
from studio.editor.panels.system.terminal import Terminal
from studio.editor.terminal.gdb_breakpoints import GdbBreakpoints
from studio.editor.window.main_window import MainWindow
from studio.runtime.debug.native import Obstacle, gdb_obstacle
from tests.components.c_filter_program import FOLDER, build

WAIT_MS = 120_000
SOURCE = FOLDER / "c_filter.c"
SYSTEM = """<system name="small" version="1">
  <component name="signal" type="signal_source" mode="periodic" period_s="0.02"/>
  <component name="smooth" type="c_filter"/>
  <wire from="signal.value" to="smooth.raw"/>
</system>"""


@pytest.fixture
def running(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> Iterator[MainWindow]:
    build()
    project = tmp_path / "small"
    project.mkdir()
    (project / "system.xml").write_text(SYSTEM, encoding="utf-8")
    assert window.files.open(project)
    window.live.run()
    qtbot.waitUntil(lambda: window.live.control.phase == "running", timeout=WAIT_MS)
    yield window
    window.side_panels.get("terminal").close_panel()
    window.live.stop()
    qtbot.waitUntil(lambda: window.live.control.phase == "stopped", timeout=WAIT_MS)
    window.layouts.choose(BUILD)


def debug_smooth(window: MainWindow) -> Terminal:
    """As Ctrl+Shift+D or the entry of its menu does."""
    window.canvas.go_to("smooth")
    window.trigger("debug.attach")
    panel: Terminal = window.side_panels.get("terminal")
    return panel


@pytest.mark.skipif(bool(str(gdb_obstacle())), reason=str(gdb_obstacle()))
@pytest.mark.timeout(400)
def test_gdb_holds_the_system_at_a_line_is_stepped_by_the_windows_keys_and_goes_with_the_panel(
    running: MainWindow, qtbot: QtBot
) -> None:
    window = running
    lines = SOURCE.read_text(encoding="utf-8").splitlines()
    published = next(number for number, line in enumerate(lines, 1) if "studio_publish(" in line)
    panel = debug_smooth(window)
    qtbot.waitUntil(lambda: window.freeze.is_frozen and window.debug.is_debugged("smooth"), timeout=WAIT_MS)
    page = panel.page_of("smooth")
    assert page is not None and not window.docks.is_closed("terminal")
    qtbot.waitUntil(lambda: page.stop is not None and bool(page.stop["function"]), timeout=WAIT_MS)
    assert not window.code.pages  # attaching stops somewhere; that is nothing to look at

    QTest.keyClicks(page.view, "break take")
    QTest.keyClick(page.view, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: any("Breakpoint 1 at" in line for line in page.view.page.text()), timeout=WAIT_MS)
    QTest.keyClicks(page.view, "half a comma")  # which the window's own commands must not be added to
    window.trigger("run.start")  # F5
    qtbot.waitUntil(lambda: page.stop is not None and page.stop["function"] == "take", timeout=WAIT_MS)
    stand = window.freeze.stand
    assert stand is not None and stand.why == "breakpoint" and stand.file == str(SOURCE)
    assert "is stopped" in page.where.text() and f"c_filter.c:{stand.line}" in page.where.text()
    code = window.code.pages[str(SOURCE)]
    assert code.editor.markersAtLine(stand.line - 1) & 1 << HERE

    window.trigger("debug.line")  # F10
    qtbot.waitUntil(lambda: page.stop is not None and page.stop["line"] > stand.line, timeout=WAIT_MS)
    assert window.freeze.is_frozen and not code.editor.markersAtLine(stand.line - 1) & 1 << HERE
    page.where.linkActivated.emit("at")
    assert window.code.current is code and page.stop is not None and code.editor.line == page.stop["line"]

    window.layouts.choose(DEBUG)  # which does not have this panel
    assert not window.docks.is_closed("terminal") and page.terminal.is_open

    window.debug.book.toggle(str(SOURCE), published)  # a click left of the line
    window.trigger("run.start")
    qtbot.waitUntil(lambda: page.stop is not None and page.stop["line"] == published, timeout=WAIT_MS)
    window.debug.book.toggle(str(SOURCE), published)
    page.view.type(b"info breakpoints\r")
    qtbot.waitUntil(lambda: any("Num     Type" in line for line in page.view.page.text()), timeout=WAIT_MS)
    shown = " ".join(page.view.page.text()).rpartition("Num     Type")[2]
    assert "take at" in shown and f":{published}" not in shown

    page.view.type(b"\x15delete\rcontinue\r")
    qtbot.waitUntil(lambda: window.freeze.stand is None, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: "Ctrl+C" in page.where.text(), timeout=WAIT_MS)
    page.view.type(b"\x03")
    qtbot.waitUntil(lambda: window.freeze.is_frozen, timeout=WAIT_MS)
    panel.close_panel()
    page.terminal.process.wait(20)
    qtbot.waitUntil(lambda: window.freeze.stand is None and not window.debug.is_debugged("smooth"), timeout=WAIT_MS)
    components = window.live.feed.state["components"]
    assert components["smooth"]["state"] == "active" and window.docks.is_closed("terminal")
    assert panel.pages.currentWidget() is panel.nothing


def test_what_keeps_gdb_away_is_said_with_the_command_that_helps(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel: Terminal = window.side_panels.show("terminal")
    assert panel.pages.currentWidget() is panel.nothing and "Ctrl+Shift+D" in panel.nothing.words.text()
    obstacle = Obstacle("gdb is not installed", "sudo apt install gdb")
    told = {"host": "smooth", "missing": str(obstacle), "remedy": obstacle.remedy}
    window.debug.native.emit("smooth", {**told, "goes_on": True})  # a breakpoint asked for it: its dot says why
    assert panel.pages.currentWidget() is panel.nothing
    window.debug.native.emit("smooth", {**told, "goes_on": False})
    assert panel.pages.currentWidget() is panel.obstacle
    assert panel.obstacle.picture.words.text() == "smooth cannot be debugged yet. gdb is not installed."
    assert panel.obstacle.remedy.text() == "sudo apt install gdb"
    panel.obstacle.copies.click()
    clipboard = QGuiApplication.clipboard()
    assert clipboard is not None and clipboard.text() == "sudo apt install gdb"
    asked: list[str] = []
    monkeypatch.setattr(window.debug, "attach", asked.append)
    panel.obstacle.again.click()
    assert asked == ["smooth"]
    panel.close_panel()


def test_breakpoints_of_the_programs_own_sources_are_told_to_gdb_once(tmp_path: Path) -> None:
    book = BreakpointBook()
    file = str(tmp_path / "a b" / "filter.c")
    told = GdbBreakpoints(book, tmp_path)
    book.put(Breakpoint(file, 12, condition="raw > 3"))
    book.put(Breakpoint(file, 14, log="says {raw}"))
    book.put(Breakpoint("/elsewhere/other.c", 5))
    assert told.commands() == [f'break -source "{file}" -line 12 if raw > 3']
    assert told.commands() == []
    book.put(Breakpoint(file, 12))
    assert told.commands() == [f'unbreak -source "{file}" -line 12', f'break -source "{file}" -line 12']
    book.mute(True)
    assert told.commands() == [f'unbreak -source "{file}" -line 12']
