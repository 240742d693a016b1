"""The debugger of the window on a real process: it stops, is looked into, stepped, and goes on."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QTreeWidgetItem
from pytestqt.qtbot import QtBot

from studio.editor.code.code_editor import HERE
from studio.editor.code.reload import components_with
from studio.editor.panels.debug.value_tree import VALUE, ValueTree
from studio.editor.window.main_window import MainWindow

ROOT = Path(__file__).resolve().parents[3]
WAIT_MS = 30_000
TARGET = """\
import sys, threading
sys.path.insert(0, {root!r})
import debugpy
import numpy as np
print(debugpy.listen(("127.0.0.1", 0))[1], flush=True)
pause = threading.Event()


class Mapper:
    def __init__(self):
        self.mean = np.arange(12, dtype=np.float32).reshape(3, 4)
        self.mean[1, 2] = np.nan


def handle(mapper, n):
    row = mapper.mean[n % 3]
    total = float(np.nansum(row))
    return total


mapper = Mapper()
n = 0
while True:
    handle(mapper, n)
    n += 1
    pause.wait(0.01)
"""
LINE = 17


def _copy(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while chunk := source.recv(65536):
            target.sendall(chunk)
        target.shutdown(socket.SHUT_WR)


def _relay(listener: socket.socket, port: int) -> None:
    """debugpy listens on TCP, the window connects to a Unix socket."""
    ours, _ = listener.accept()
    with ours, socket.create_connection(("127.0.0.1", port)) as theirs:
        back = threading.Thread(target=_copy, args=(theirs, ours))
        back.start()
        _copy(ours, theirs)
        back.join()


@pytest.fixture
def target(tmp_path: Path) -> Iterator[tuple[Path, Path]]:
    file = tmp_path / "target.py"
    file.write_text(TARGET.format(root=str(ROOT)))
    command = [sys.executable, "-Xfrozen_modules=off", str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        address = tmp_path / "debug"
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(address))
            listener.listen()
            relay = threading.Thread(target=_relay, args=(listener, int(process.stdout.readline())))
            relay.start()
            yield file, address
            process.kill()
            relay.join()


def row(tree: ValueTree, name: str, parent: QTreeWidgetItem | None = None) -> QTreeWidgetItem | None:
    if parent is None:
        found = [tree.topLevelItem(place) for place in range(tree.topLevelItemCount())]
    else:
        found = [parent.child(place) for place in range(parent.childCount())]
    return next((item for item in found if item is not None and item.text(0) == name), None)


def value(item: QTreeWidgetItem | None) -> str:
    return item.text(VALUE) if item is not None else ""


def test_in_a_narrow_panel_the_value_has_most_of_the_room(window: MainWindow) -> None:
    tree = ValueTree(window.debug, window.theme, "values")
    header = tree.header()
    assert header is not None
    for width in (280, 900):
        tree.resize(width, 200)
        tree.grab()  # lays it out
        assert header.sectionSize(VALUE) > 0.4 * width, "the value is what one looks for"
    tree.deleteLater()


def test_a_process_is_stopped_looked_into_stepped_and_let_go(
    window: MainWindow, target: tuple[Path, Path], qtbot: QtBot
) -> None:
    file, address = target
    debug = window.debug
    debug.book.toggle(str(file), LINE)
    variables, watches = window.side_panels.show("variables"), window.side_panels.show("watches")
    stack, console = window.side_panels.show("call_stack"), window.side_panels.show("evaluate")
    watches.expressions = ["n + 1", "nonsense"]
    debug.connect_to("target", address)
    qtbot.waitUntil(lambda: debug.is_stopped, timeout=WAIT_MS)
    page = window.code.pages[str(file)]
    assert page.editor.markersAtLine(LINE - 1) & 1 << HERE
    assert stack.table.topLevelItem(0).text(0) == "handle" and debug.book.hit == {f"{file}:{LINE}": 1}

    tree = variables.tree
    qtbot.waitUntil(lambda: "(4,) float32" in value(row(tree, "row")), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: "row (4,) float32" in page.editor.values.get(LINE - 1, ("", ""))[0], timeout=WAIT_MS)
    mapper = row(tree, "mapper")
    assert mapper is not None
    mapper.setExpanded(True)
    qtbot.waitUntil(lambda: value(row(tree, "mean", mapper)) == "(3, 4) float32", timeout=WAIT_MS)
    tree.setCurrentItem(row(tree, "mean", mapper))
    qtbot.waitUntil(lambda: variables.array.data is not None, timeout=WAIT_MS)
    data = variables.array.data
    assert data.name == "mapper.mean" and data.shape == (3, 4) and data.statistics["nan"] == 1
    assert data.pixels(as_map=False, unknown="#2A2E34")[1, 2] == 0xFF2A2E34
    for kind in ("Image", "Map", "Plot", "Table"):
        variables.array.choose(kind)
        assert not variables.array.grab().isNull()

    qtbot.waitUntil(lambda: value(row(watches.tree, "n + 1")).isdigit(), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: "NameError" in value(row(watches.tree, "nonsense")), timeout=WAIT_MS)
    QTest.keyClicks(console.field, "row.size * 2")
    QTest.keyClick(console.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: console.page.toPlainText().endswith("8"), timeout=WAIT_MS)
    QTest.keyClick(console.field, Qt.Key.Key_Up)
    assert console.field.text() == "row.size * 2"

    debug.line()
    qtbot.waitUntil(lambda: debug.frame is not None and debug.frame.line == LINE + 1, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: bool(value(row(tree, "total"))), timeout=WAIT_MS)
    debug.book.clear()
    debug.continue_()
    qtbot.waitUntil(lambda: not debug.is_stopped, timeout=WAIT_MS)
    assert not page.editor.markersAtLine(LINE) and debug.sessions
    debug.sessions["target"].end()
    qtbot.waitUntil(lambda: not debug.sessions, timeout=WAIT_MS)
    watches.expressions = []


def test_who_has_to_be_reloaded_is_known_by_the_folder(tmp_path: Path) -> None:
    mine, other = tmp_path / "mine", tmp_path / "other"
    folders = {"one": mine, "two": mine, "three": other, "four": None}
    assert components_with(mine / "sub" / "part.py", folders) == ["one", "two"]
    assert components_with(tmp_path / "alone.py", folders) == []


def test_planes_of_numbers_get_places_in_the_array_they_come_from() -> None:
    from studio.editor.code import looks
    from studio.editor.views.data.array_data import ArrayData
    from studio.runtime.host import survey

    cells = np.zeros((600, 700, 5))
    data = ArrayData.read("cells", looks.told(repr(survey.array(cells, plane=3))))
    assert data.planes == 5 and data.place(2, 1) == (2 * data.steps[0], data.steps[1], 3)
    assert "[:, :, 3] of it" in data.words and "one of 2 shown" in data.words
