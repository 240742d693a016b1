"""A key means one thing wherever the focus is: no two shortcuts share one, and no panel waits for one in vain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from PyQt6.QtCore import QEvent, QKeyCombination, QObject, Qt
from PyQt6.QtGui import QAction, QKeySequence, QShortcut, QShortcutEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QAbstractButton, QApplication, QWidget
from pytestqt.qtbot import QtBot

from studio.editor.live.log_outline import Outline
from studio.editor.panels.data.message_viewer import MessageViewer
from studio.editor.panels.data.states_viewer import StatesViewer
from studio.editor.panels.data.topics_viewer import TopicsViewer
from studio.editor.panels.player.player_viewer import PlayerViewer
from studio.editor.viewers.viewer_kinds import KINDS
from studio.editor.window.main_window import MainWindow
from studio.editor.window.side_panels import PANELS

SIDE = [panel.name for panel in PANELS]


class Shortcuts(QObject):
    """Every shortcut that Qt finds for a key is noted, and not done."""

    def __init__(self) -> None:
        super().__init__()
        self.clashes: set[str] = set()
        self.found: list[str] = []

    def eventFilter(self, receiver: QObject | None, event: QEvent | None) -> bool:
        if not isinstance(event, QShortcutEvent):
            return False
        key = event.key().toString()
        self.found.append(key)
        if event.isAmbiguous():
            self.clashes.add(key)
        return True


@pytest.fixture
def shortcuts(qapp: QApplication) -> Iterator[Shortcuts]:
    noted = Shortcuts()
    qapp.installEventFilter(noted)
    yield noted
    qapp.removeEventFilter(noted)


@pytest.fixture
def active(window: MainWindow, qtbot: QtBot) -> MainWindow:
    """Only the active window has a widget with the focus."""
    QApplication.setActiveWindow(window)  # without a screen nobody makes one active that was hidden before
    qtbot.waitUntil(window.isActiveWindow, timeout=20_000)
    return window


def every_dock(window: MainWindow) -> Iterator[QWidget]:
    """Each panel there is, in front."""
    for kind in KINDS:
        window.viewers.add(kind.name)
    for name in ("system", "palette", "inspector", "console", "processes", "problems", *window.viewers.open, *SIDE):
        window.docks.show(name)
        yield window.docks.manager.findDockWidget(name)


def words_for(dock: QWidget, widget: QWidget) -> str:
    return f"{dock.objectName()}, {type(widget).__name__} {widget.accessibleName()}".rstrip()


def keys_of_several(window: MainWindow) -> list[QKeyCombination]:
    """Only what two have can belong to both of them at the same place."""
    shortcuts = [made.key() for made in window.findChildren(QShortcut)]
    shortcuts += [keys for action in window.findChildren(QAction) for keys in action.shortcuts()]
    names = Counter(keys.toString() for keys in shortcuts)
    return [QKeySequence(name)[0] for name, count in names.items() if count > 1]


def test_no_key_belongs_to_two_shortcuts_wherever_the_focus_is(active: MainWindow, shortcuts: Shortcuts) -> None:
    window = active
    clashes = []
    for dock in every_dock(window):
        keys = [QKeySequence("F5")[0], *keys_of_several(window)]
        for widget in dock.findChildren(QWidget):
            widget.setFocus()
            if QApplication.focusWidget() is not widget or isinstance(widget, QAbstractButton):  # Space presses those
                continue
            shortcuts.clashes.clear()
            for key in keys:
                QTest.keyClick(widget, key.key(), key.keyboardModifiers())
            clashes += [f"{key} in {words_for(dock, widget)}" for key in sorted(shortcuts.clashes)]
    assert "F5" in shortcuts.found, "no key reached the window"
    assert not clashes


def test_control_f_searches_the_panel_that_has_the_focus(active: MainWindow) -> None:
    window = active
    console, message = window.live_panels.console, window.viewers.add("message")
    topics, states = window.viewers.add("topics"), window.viewers.add("states")
    assert isinstance(message, MessageViewer)
    assert isinstance(topics, TopicsViewer) and isinstance(states, StatesViewer)
    for dock, here, field in (
        ("console", console.field, console.search),
        ("message.1", message.topic, message.search),
        ("topics.1", topics.search, topics.search),
        ("states.1", states.follow, states.search),
    ):
        window.docks.show(dock)
        here.setFocus()
        QTest.keyClick(here, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
        assert QApplication.focusWidget() is field, dock


def test_control_0_on_a_time_line_shows_all_of_it_and_leaves_the_canvas_alone(active: MainWindow) -> None:
    window = active
    player = window.viewers.add("player")
    assert isinstance(player, PlayerViewer)
    window.docks.show("player.1")
    line = player.timeline
    line.show_outline(Outline(Path("drive.mcap"), 100, 0, 10_000_000_000, 5))
    player._stack.setCurrentWidget(line)
    line.setFocus()
    line.span_ns = (2_000_000_000, 3_000_000_000)
    zoom = window.canvas.transform().m11()
    QTest.keyClick(line, Qt.Key.Key_0, Qt.KeyboardModifier.ControlModifier)
    assert line.span_ns == (0, 10_000_000_000)
    assert window.canvas.transform().m11() == zoom


def test_control_w_in_code_closes_the_code_and_not_the_project(active: MainWindow) -> None:
    window = active
    file = window.session.folder / "notes.py"
    file.write_text("x = 1\n")
    page = window.code.open_at(str(file), 1)
    assert page is not None
    page.editor.setFocus()
    assert window.code.has_focus
    QTest.keyClick(page.editor, Qt.Key.Key_W, Qt.KeyboardModifier.ControlModifier)
    assert not window.code.pages
    assert window.has_session


def test_control_f2_goes_through_all_that_can_be_seen(active: MainWindow) -> None:
    window = active
    file = window.session.folder / "notes.py"
    file.write_text("x = 1\n")
    page = window.code.open_at(str(file), 1)
    topics = window.viewers.add("topics")
    assert page is not None and topics is not None
    window.docks.hide("palette")
    window.canvas.setFocus()
    reached = []
    for _ in range(12):
        QTest.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_F2, Qt.KeyboardModifier.ControlModifier)
        focus = QApplication.focusWidget()
        assert focus is not None and focus.isVisible()
        reached.append(focus)
    assert any(page.isAncestorOf(widget) for widget in reached), "the code"
    assert any(topics.isAncestorOf(widget) for widget in reached), "a viewer"
    assert any(window.inspector.isAncestorOf(widget) for widget in reached)
    assert not any(window.palette_panel.isAncestorOf(widget) for widget in reached), "it is hidden"
