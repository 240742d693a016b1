"""The console: bounded, quick under a flood, filtered, folded; it follows until somebody scrolls up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication

from studio.editor.look.theme import DARK, LIGHT
from studio.editor.panels.system.console import Console
from studio.editor.panels.system.console_lines import Book
from studio.editor.panels.system.line_view import ROW, name_words, told

TRACE = 'on_raw failed\nTraceback (most recent call last):\n  File "/x/low_pass.py", line 41, in on_raw\nValueError: no'


def said(text: str, level: str = "info", component: str = "filter", time_ns: int = 1_000_000_000) -> dict[str, Any]:
    return {"time_ns": time_ns, "component": component, "level": level, "text": text}


@pytest.fixture
def console(qapp: QApplication) -> Iterator[Console]:
    made = Console(LIGHT)
    made.resize(800, 240)
    made.show()
    yield made
    made.close()
    made.deleteLater()


def test_a_flood_is_kept_within_bounds_and_the_end_stays_in_sight(console: Console) -> None:
    console.book.keep_at_most(2000)
    for batch in range(20):
        console.add([said(f"line {batch * 1000 + number}") for number in range(1000)])
    assert len(console.book.said) == 2000
    assert len(console.book.rows) <= 2500
    assert console.book.rows[-1].text == "line 19999"
    assert console.view.bar.value() == console.view.bar.maximum()


def test_scrolling_up_pauses_and_counts_what_is_new(console: Console) -> None:
    console.add([said(f"line {number}") for number in range(100)])
    console.view.bar.setValue(0)
    assert not console.view.follows
    console.add([said("new"), said("newer")])
    assert console.follow.text() == "Paused, 2 new"
    assert console.view.bar.value() == 0
    QTest.mouseClick(console.follow, Qt.MouseButton.LeftButton)
    assert console.follow.text() == "Follow"
    assert console.view.bar.value() == console.view.bar.maximum()


def test_level_and_text_filter(console: Console) -> None:
    console.add([said("fine"), said("hot", "warning"), said("broken", "error", "motor")])
    QTest.mouseClick(console.levels.buttons()[2], Qt.MouseButton.LeftButton)
    assert [row.text for row in console.book.rows] == ["hot", "broken"]
    console.field.setText("MOTOR")
    assert [row.text for row in console.book.rows] == ["broken"]
    console.add([said("motor is fine", "info"), said("again", "critical", "motor")])
    assert [row.text for row in console.book.rows] == ["broken", "again"]
    console.field.setText("nobody says this")
    assert console.empty.isVisible() and "filter" in console.empty.words.text()


def test_a_traceback_is_folded_and_its_lines_are_links(console: Console) -> None:
    console.add([said("before"), said(TRACE, "error")])
    assert len(console.book.rows) == 2
    places: list[tuple[str, int]] = []
    console.open_place.connect(lambda file, line: places.append((file, line)))
    viewport = console.view.viewport()
    left = console.view._text_left() + 40
    QTest.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=QPoint(left, ROW + ROW // 2))
    assert [row.text for row in console.book.rows] == ["before", *TRACE.splitlines()]
    QTest.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=QPoint(left, 3 * ROW + ROW // 2))
    assert places == [("/x/low_pass.py", 41)]


def test_search_goes_from_hit_to_hit_and_unfolds(console: Console) -> None:
    console.add([said("one"), said(TRACE, "error"), said("two"), said("valueerror again")])
    console.search.setText("ValueError")
    assert console.go_to_next(-1)
    assert console.view.marked is not None and console.book.rows[console.view.marked[0]].text == "valueerror again"
    assert console.go_to_next(-1)
    assert console.book.rows[console.view.marked[0]].text == "on_raw failed"
    assert len(console.book.rows) == 7
    console.search.setText("nowhere")
    assert not console.go_to_next(1)


def test_what_is_selected_can_be_copied(console: Console) -> None:
    console.add([said("one"), said("two", "warning", "motor")])
    QTest.keyClick(console.view, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert [line.split(" ", 1)[1] for line in console.view.selected_text().splitlines()] == [
        "info    filter: one",
        "warning motor: two",
    ]


def test_forgetting_and_another_theme(console: Console) -> None:
    assert "F5" in console.empty.words.text()
    console.add([said("one")])
    console.show_theme(DARK)
    console.grab()
    QTest.mouseClick(console.clear, Qt.MouseButton.LeftButton)
    assert console.book.rows == [] and console.empty.isVisible()


def test_what_is_unfolded_stays_so_under_another_filter() -> None:
    book = Book()
    book.add([said(TRACE, "error"), said("fine")])
    book.toggle(book.rows[0])
    book.show("error", "")
    assert len(book.rows) == 4
    book.show("all", "fine")
    assert [row.text for row in book.rows] == ["fine"]


def test_a_name_without_room_keeps_its_end(qapp: QApplication) -> None:
    assert name_words("signal_sink", 300) == "signal_sink"
    assert name_words("signal_sink_2", 60).endswith("2") and "…" in name_words("signal_sink_2", 60)


def test_what_is_read_stays_in_sight_while_a_flood_drops_the_oldest(console: Console) -> None:
    console.book.keep_at_most(2000)
    console.add([said(f"line {number}") for number in range(2400)])
    console.view.bar.setValue(2300)
    console.view.show_row(2305)
    read = console.book.rows[2300].text
    console.add([said(f"more {number}") for number in range(300)])
    assert console.book.rows[console.view.bar.value()].text == read
    assert console.view.selected_text().endswith("line 2305")
    assert not console.view.follows
    assert console.follow.text() == "Paused, 300 new"


def test_a_line_without_an_end_is_cut_and_one_for_a_terminal_is_readable() -> None:
    book = Book()
    book.add([said("y" * 3_000_000), said("\x1b[31mred\x1b[0m and a bell\x07"), said("\n".join(["more"] * 100_000))])
    long, plain, many = book.said
    assert long.text.endswith(" … 2990000 more characters") and len(long.text) < 11_000
    assert plain.text == "red and a bell␇"
    assert len(many.more) == 2000


def test_the_menu_copies_and_shows_one_component_alone(console: Console) -> None:
    console.add([said("one"), said("two", component="signal")])
    QTest.mouseClick(console.view.viewport(), Qt.MouseButton.RightButton, pos=QPoint(20, ROW + 4))
    actions = {action.text(): action for action in console.view.menu().actions()}
    actions["Copy\tCtrl+C"].trigger()
    clipboard = QApplication.clipboard()
    assert clipboard is not None and clipboard.text().endswith("signal: two")
    actions["Only what signal says"].trigger()
    assert [row.text for row in console.book.rows] == ["two"]


def test_the_tooltip_of_a_long_line_fits_the_screen() -> None:
    assert told("short") == "short"
    lines = told("y" * 5000).splitlines()
    assert len(lines) == 20 and {len(line) for line in lines} == {100}
