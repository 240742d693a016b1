"""Starting: the first paint waits for nothing it does not need; what is wanted before it is there comes at once."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PyQt6.QtCore import QRect, QSize, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.editor.base.display import NoDisplay, require_display
from studio.editor.base.settings import Settings
from studio.editor.window.app import (
    EDGE,
    FRAME,
    furnish_and_open,
    make_window,
    place_again,
    place_first,
    show_first_page,
)
from studio.editor.window.help_pages import KeysDialog
from studio.editor.window.main_window import MainWindow
from tests.editor.conftest import delete_now

HEAVY = (
    "lxml", "numba", "numpy", "psutil", "pyqtgraph", "qtawesome", "rosbags", "scipy", "zmq",
    "PyQt6.Qsci", "PyQt6.QtOpenGL", "PyQt6.QtSvg", "PyQt6Ads",
    "studio.messages", "studio.model", "studio.editor.canvas", "studio.editor.docking.docks", "studio.editor.live.feed",
    "studio.editor.window.deferred_parts", "studio.runtime.server.attach_server",
)  # fmt: skip
PAINT_BOTH = f"""
import sys, tempfile
from pathlib import Path
from PyQt6.QtCore import QEventLoop
from PyQt6.QtWidgets import QApplication
from studio.editor.window.app import make_window, show_first_page
from studio.editor.base.settings import Settings

app = QApplication(["studio"])
painted = []
for project in (None, Path("my_robot")):
    window = make_window(app, Settings(Path(tempfile.mkdtemp()) / "editor.ini"))
    window.painted.connect(lambda project=project: painted.append(project))
    show_first_page(window, project)
    while project not in painted:
        app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
print([name for name in {HEAVY} if name in sys.modules])
"""


def test_nothing_heavy_is_imported_before_the_first_paint() -> None:
    """Of the welcome page, and of a window that is to open a project."""
    env = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run([sys.executable, "-c", PAINT_BOTH], capture_output=True, text=True, check=True, env=env)
    assert done.stdout == "[]\n"


@pytest.fixture
def fresh(tmp_path: Path, qapp: QApplication) -> Iterator[MainWindow]:
    """As it is at its first paint."""
    made = make_window(qapp, Settings(tmp_path / "editor.ini"))
    show_first_page(made, None)
    assert not made.is_furnished
    yield made
    made.close()
    made.deleteLater()
    delete_now()


def test_a_menu_entry_works_before_the_window_is_furnished(fresh: MainWindow) -> None:
    fresh.actions_by_id["tools.commands"].trigger()
    assert fresh.is_furnished and fresh.commands.isVisible()
    fresh.commands.hide()


def test_a_shortcut_works_before_the_window_is_furnished(fresh: MainWindow) -> None:
    QTest.keyClick(fresh, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    shown = [child for child in fresh.findChildren(KeysDialog) if child.isVisible()]
    assert fresh.is_furnished and len(shown) == 1


def test_a_panel_that_is_wanted_between_two_slices_is_there(fresh: MainWindow, qtbot: QtBot) -> None:
    with qtbot.waitSignal(fresh.furnished, timeout=60_000):
        fresh.furnish_soon()
        qtbot.waitUntil(lambda: "docks" in vars(fresh), timeout=60_000)  # some are made, others are not
        fresh.side_panels.show("breakpoints")
    assert not fresh.docks.is_closed("breakpoints")
    assert fresh.docks.names()[:4] == ["system", "palette", "inspector", "problems"]


def test_a_project_is_opened_after_the_first_paint_and_then_it_goes_on(
    tmp_path: Path, rover: Path, qapp: QApplication, qtbot: QtBot
) -> None:
    told: list[str] = []
    window = make_window(qapp, Settings(tmp_path / "editor.ini"))
    window.painted.connect(lambda: told.append("painted"))
    window.furnished.connect(lambda: told.append("furnished"))
    furnish_and_open(window, rover, then=lambda: told.append("opened"))
    show_first_page(window, rover)
    qtbot.waitUntil(lambda: "opened" in told, timeout=60_000)
    assert told == ["painted", "furnished", "opened"]
    assert window.session.name == "rover" and window.canvas.isVisible() and window.toolbar.isVisible()
    window.close()
    window.deleteLater()
    delete_now()


def test_a_window_that_has_everything_before_its_first_paint_opens_its_project(
    tmp_path: Path, rover: Path, qapp: QApplication, qtbot: QtBot
) -> None:
    window = make_window(qapp, Settings(tmp_path / "editor.ini"))
    window.furnish()
    told: list[str] = []
    furnish_and_open(window, rover, then=lambda: told.append("opened"))
    show_first_page(window, rover)
    qtbot.waitUntil(lambda: told == ["opened"], timeout=60_000)
    window.close()
    window.deleteLater()
    delete_now()


def test_a_project_that_cannot_be_read_leads_to_the_welcome_page(
    fresh: MainWindow, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    complaints: list[str] = []
    monkeypatch.setattr(fresh.files, "_complain", lambda title, error: complaints.append(title))
    fresh.files.open_soon(tmp_path / "nothing", then=lambda: complaints.append("opened"))
    qtbot.waitUntil(lambda: bool(complaints), timeout=60_000)
    assert complaints == ["nothing cannot be opened"]
    assert fresh.pages.currentWidget() is fresh.welcome and not fresh.has_session


def test_the_project_that_was_wanted_last_is_shown(fresh: MainWindow, rover: Path, qtbot: QtBot) -> None:
    fresh.files.create(rover.parent / "other")
    fresh.files.close()
    told: list[str] = []
    fresh.files.open_soon(rover.parent / "other", then=lambda: told.append("other"))
    fresh.files.open_soon(rover, then=lambda: told.append("rover"))
    qtbot.waitUntil(lambda: bool(told), timeout=60_000)
    qtbot.wait(100)
    assert told == ["rover"] and fresh.session.name == "rover"


def test_a_missing_display_is_noticed_before_qt_aborts(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("QT_QPA_PLATFORM", "WAYLAND_DISPLAY", "DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(NoDisplay):
        require_display()
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    require_display()


@pytest.mark.parametrize(
    ("room", "is_whole", "size"),
    [
        (QSize(1280, 800), True, QSize(1276, 760)),
        (QSize(1280, 720), True, QSize(1276, 680)),
        (QSize(1920, 1080), False, QSize(1728, 972)),
        (QSize(3840, 2160), False, QSize(1760, 1100)),
        (QSize(1366, 845), False, QSize(1280, 800)),
    ],
)
def test_the_first_window_is_never_larger_than_the_screen(
    fresh: MainWindow, room: QSize, is_whole: bool, size: QSize
) -> None:
    """Its status bar would lie below the edge."""
    place_first(fresh, room)
    assert fresh.isMaximized() is is_whole and fresh.size() == size


@pytest.mark.parametrize("was", [QRect(1, 40, 1278, 790), QRect(700, 500, 1300, 900), QRect(-40, 0, 1270, 760)])
def test_a_window_comes_back_with_its_title_and_status_bar_on_the_screen(fresh: MainWindow, was: QRect) -> None:
    room = QRect(0, 0, 1280, 800)
    fresh.setGeometry(was)
    place_again(fresh, room)
    shown = fresh.geometry()
    assert room.contains(shown) and shown.top() >= FRAME.height() - EDGE, "there is room for its title"
    assert shown.size() == was.size().boundedTo(room.size() - FRAME)
    place_again(fresh, room)
    assert fresh.geometry() == shown


def test_a_window_that_fits_comes_back_where_it_was(fresh: MainWindow) -> None:
    fresh.setGeometry(QRect(300, 200, 1300, 820))
    place_again(fresh, QRect(0, 0, 1920, 1080))
    assert fresh.geometry() == QRect(300, 200, 1300, 820)
