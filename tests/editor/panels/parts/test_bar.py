"""The row of choices above a picture: narrow panels keep their neighbours' room, and lose no choice."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PyQt6.QtCore import QEvent, QObject, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QLabel, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from studio.editor.panels.parts.bar import Bar
from studio.editor.panels.parts.viewer import Facts
from studio.editor.window.main_window import MainWindow


def button(text: str) -> QToolButton:
    made = QToolButton()
    made.setText(text)
    made.setFixedWidth(60)
    return made


@pytest.fixture
def in_a_panel(qtbot: QtBot) -> Iterator[Callable[..., Bar]]:
    panel = QWidget()
    qtbot.addWidget(panel)
    panel.resize(600, 200)

    def shown(*widgets: QWidget) -> Bar:
        bar = Bar(*widgets)
        bar.setParent(panel)
        panel.show()
        make_wide(bar, 500)
        return bar

    yield shown


def make_wide(bar: Bar, width: int) -> None:
    bar.resize(width, 38)
    QApplication.processEvents()


def seen(widget: QWidget, on: bool) -> None:
    widget.setVisible(on)
    QApplication.processEvents()


def test_what_has_no_room_is_behind_a_button_and_comes_back(in_a_panel: Callable[..., Bar]) -> None:
    first, second, third, gone = (button(word) for word in ("first", "second", "third", "gone"))
    gone.hide()
    bar = in_a_panel(first, second, gone, third, QLabel("facts"))
    assert bar.outside == () and not bar.more.isVisible()
    make_wide(bar, 130)
    assert bar.outside == (second, third) and bar.more.isVisible() and first.isVisible()
    pressed: list[bool] = []
    third.clicked.connect(lambda: pressed.append(True))
    bar.more.click()
    assert third.isVisible() and not gone.isVisible()
    QTest.mouseClick(third, Qt.MouseButton.LeftButton)
    assert pressed
    bar._rest.hide()
    make_wide(bar, 500)
    assert bar.outside == () and [first.x(), second.x(), third.x()] == sorted([first.x(), second.x(), third.x()])
    assert third.isVisible() and not gone.isVisible()


def test_what_is_hidden_while_it_has_no_room_stays_hidden(in_a_panel: Callable[..., Bar]) -> None:
    first, second, third = (button(word) for word in ("first", "second", "third"))
    bar = in_a_panel(first, second, third)
    make_wide(bar, 130)
    assert bar.outside == (second, third)
    seen(third, False)
    make_wide(bar, 500)
    assert second.isVisible() and third.isHidden()
    seen(third, True)
    assert bar.outside == () and third.isVisible()


def test_the_button_goes_with_the_last_that_is_behind_it(in_a_panel: Callable[..., Bar]) -> None:
    first, second, third = (button(word) for word in ("first", "second", "third"))
    bar = in_a_panel(first, second, third)
    make_wide(bar, 130)
    seen(third, False)
    assert bar.outside == (second,) and bar.more.isVisible()
    seen(second, False)
    assert bar.outside == () and not bar.more.isVisible(), "it would open on nothing"
    seen(third, True)
    assert third.isVisible() or bar.more.isVisible(), "what is there again can be reached"


def test_what_is_behind_the_button_stands_there_in_the_order_of_the_bar(in_a_panel: Callable[..., Bar]) -> None:
    first, second, third = (button(word) for word in ("first", "second", "third"))
    bar = in_a_panel(first, second, third)
    make_wide(bar, 212)  # first the last one goes
    assert bar.outside == (third,)
    make_wide(bar, 100)
    assert bar.outside == (second, third)
    bar.more.click()
    assert second.y() < third.y()


class Moves(QObject):
    """Counts how often what it watches gets another parent."""

    def __init__(self, watched: QWidget) -> None:
        super().__init__()
        self.count = 0
        watched.installEventFilter(self)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        self.count += event is not None and event.type() == QEvent.Type.ParentChange
        return False


def test_a_panel_that_finds_its_size_moves_nothing_on_the_way(in_a_panel: Callable[..., Bar]) -> None:
    """Docks give a new panel several sizes before it is seen, and every move has the style computed anew."""
    first, second, third = (button(word) for word in ("first", "second", "third"))
    bar = in_a_panel(first, second, third)
    moves = Moves(third)
    for width in (130, 400, 90):
        bar.resize(width, 38)
    make_wide(bar, 500)
    assert moves.count == 0
    make_wide(bar, 130)
    assert moves.count == 1 and third in bar.outside


def test_no_panel_takes_the_canvas_its_room(window: MainWindow) -> None:
    """A bar that was as wide as its words once left the canvas a strip of 70 pixels."""
    for kind in ("map", "compare", "scene", "plot", "message", "image"):
        assert window.viewers.add(kind).minimumSizeHint().width() <= 360, kind


def test_a_viewer_below_another_leaves_canvas_and_viewers_the_widths_they_had(window: MainWindow) -> None:
    window.resize(1920, 1080)
    QApplication.processEvents()
    window.viewers.add("map")
    QApplication.processEvents()
    before = window.document.width()
    window.viewers.add("votes")
    QApplication.processEvents()
    after = window.document.width()
    window.resize(1280, 800)
    assert after == before


def test_facts_are_drawn_where_they_are_aligned(qtbot: QtBot) -> None:
    words = Facts("words")
    qtbot.addWidget(words)
    words.resize(400, 30)

    def ink() -> tuple[bool, bool]:
        """Whether something is drawn in the left and in the right half."""
        picture = words.grab().toImage()
        ground = picture.pixel(200, 0)
        columns = [x for x in range(400) if any(picture.pixel(x, y) != ground for y in range(30))]
        return min(columns) < 200, max(columns) >= 200

    assert ink() == (False, True)
    words.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    assert ink() == (True, False)
