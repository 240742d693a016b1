"""The raw message: its tree, what has changed in it, and what can be taken out of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QGuiApplication
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QTreeWidgetItem

from studio.editor.live.batch import Event
from studio.editor.live.feed import Changes, Feed
from studio.editor.look.theme import DARK, LIGHT
from studio.editor.panels.data.message_viewer import MessageViewer
from studio.editor.views.data.message_nodes import children_of, copy_of, value_line
from studio.editor.views.data.message_tree import MARK, NAME, VALUE
from studio.editor.views.shared.field_drag import Field, fields_in
from studio.messages import Float64, Message, Odometry, Range3d
from studio.messages.field_paths import parse_path, value_at

LASER = "/platform/laser"


@pytest.fixture
def viewer(qapp: QApplication) -> Iterator[MessageViewer]:
    feed = Feed()
    feed.state = {"topics": {LASER: {"type": "Range3d"}, "/odom": {"type": "Odometry"}}, "components": {}}
    made = MessageViewer(feed, LIGHT)
    made.resize(700, 500)
    made.show()
    made.choose(LASER)
    yield made
    made.close_viewer()
    feed.close()


def show(viewer: MessageViewer, message: Message, number: int = 1, topic: str = LASER) -> None:
    viewer._take([Event(topic, number, number * 10**9, message)])
    viewer._show()


def row(parent: QTreeWidgetItem | MessageViewer, name: str) -> QTreeWidgetItem:
    above = parent.tree.invisibleRootItem() if isinstance(parent, MessageViewer) else parent
    assert above is not None
    found = [item for i in range(above.childCount()) if (item := above.child(i)) and item.text(NAME) == name]
    assert found, [above.child(i).text(NAME) for i in range(above.childCount())]  # type: ignore[union-attr]
    return found[0]


def scan(count: int = 250, first: float = 1.0) -> Range3d:
    xyz = np.column_stack([np.full(count, first), np.zeros(count), np.zeros(count)])
    xyz[3, 0] = np.nan
    return Range3d.from_xyz(xyz, frame="Laser:Scan")


def test_every_path_of_the_tree_leads_to_its_value() -> None:
    """Down to the last element: what is dragged onto a plot is what is seen."""
    message = scan(120)
    todo, looked = [(node, "") for node in children_of(message)], 0
    while todo:
        node, above = todo.pop()
        path = node.path or above
        if node.path and not isinstance(node.value, np.ndarray):
            assert copy_of(value_at(message, parse_path(node.path))) == copy_of(node.value), node.path
            looked += 1
        todo += [(child, path) for child in children_of(node.value, path)]
    assert looked > 480


def test_arrays_tell_their_shape_and_what_their_numbers_are_like(viewer: MessageViewer) -> None:
    show(viewer, scan())
    points = row(viewer, "points")
    assert points.text(3) == "float32 250 × 4"
    assert points.text(VALUE) == "0 … 1, mean 0.499, 2 not finite"
    points.setExpanded(True)
    assert [points.child(i).text(NAME) for i in range(points.childCount())] == [
        "min", "max", "mean", "[0 … 99]", "[100 … 199]", "[200 … 249]",
    ]  # fmt: skip
    page = points.child(5)
    assert page is not None
    page.setExpanded(True)
    assert page.childCount() == 50 and page.child(0).text(NAME) == "[200]"  # type: ignore[union-attr]
    page.child(0).setExpanded(True)  # type: ignore[union-attr]
    leaf = page.child(0).child(0)  # type: ignore[union-attr]
    data = viewer.tree.mimeData([leaf])
    assert fields_in(data) == [Field(LASER, "points[200][0]")]


def test_what_changed_is_marked_until_it_stays(viewer: MessageViewer) -> None:
    show(viewer, scan(first=1.0), 1)
    show(viewer, scan(first=2.0), 2)
    assert row(viewer, "points").text(MARK) == "•" and row(viewer, "frame").text(MARK) == ""
    show(viewer, scan(first=2.0), 3)
    assert row(viewer, "points").text(MARK) == ""


def test_a_held_message_stays(viewer: MessageViewer) -> None:
    show(viewer, scan(first=1.0), 1)
    viewer.hold.click()
    show(viewer, scan(first=9.0), 2)
    assert viewer.shown is not None and viewer.shown.sequence == 1 and "held" in viewer.facts.text()
    asked: list[tuple[str, int]] = []
    viewer.cause_wanted.connect(lambda topic, number: asked.append((topic, number)))
    viewer.why.click()
    assert asked == [(LASER, 1)]


def test_what_is_open_stays_open_when_the_length_changes_for_a_while(viewer: MessageViewer) -> None:
    show(viewer, scan(5))
    row(viewer, "points").setExpanded(True)
    show(viewer, Range3d.from_xyz(np.zeros((0, 3))), 2)
    assert row(viewer, "points").text(VALUE) == "empty"
    show(viewer, scan(7), 3)
    assert row(viewer, "points").isExpanded() and row(viewer, "points").childCount() == 10
    other = MessageViewer(viewer.feed, DARK)
    other.restore(viewer.save())
    other._take([Event(LASER, 1, 0, scan(5))])
    assert row(other, "points").isExpanded()
    other.close_viewer()


def test_another_type_on_the_same_topic_and_one_that_nobody_knows(viewer: MessageViewer) -> None:
    show(viewer, scan())
    show(viewer, Odometry(position=(1.0, 2.0, 3.0)), 2)
    assert row(viewer, "position").text(VALUE) == "1  2  3" and "Odometry" in viewer.facts.text()
    viewer.choose("/odom")
    viewer.feed.state["topics"]["/odom"] = {"type": "Unheard", "rate_hz": 3.0}
    viewer.changed(Changes())
    assert "Waiting" in viewer.empty.words.text(), "it may be one that was sent before this was opened"
    viewer._watches["message"].came = 1
    viewer.changed(Changes())
    assert "type Unheard" in viewer.empty.words.text()


def test_values_and_paths_go_to_the_clipboard(viewer: MessageViewer) -> None:
    show(viewer, scan(5))
    viewer.tree.setCurrentItem(row(viewer, "points"))
    QTest.keyClick(viewer.tree, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    clipboard = QGuiApplication.clipboard()
    assert clipboard is not None and clipboard.text().startswith("[[1.0, 0.0, 0.0, 1.0], [1.0,")
    viewer.tree.copy_paths()
    assert clipboard.text() == f"{LASER}/points"
    viewer.tree.copy_message()
    assert json.loads(clipboard.text())["frame"] == "Laser:Scan"


def test_words_find_fields(viewer: MessageViewer) -> None:
    show(viewer, scan(5))
    viewer.search.setText("laser:")
    shown = [name for name in ("frame", "points", "is_dense") if not row(viewer, name).isHidden()]
    assert shown == ["frame"] and not viewer.search.property("wrong")
    viewer.search.setText("nothing has it")
    assert viewer.search.property("wrong")


def test_odd_values_in_words() -> None:
    assert value_line(np.full(20, np.nan)) == "none of 20 is a finite number"
    assert value_line(Float64(float("nan")).data) == "nan" and value_line(-1.5) == "−1.5" and value_line(True) == "yes"
    assert value_line("a\nb") == "a⏎ b" and value_line("x" * 400).endswith("400 characters")
    assert value_line("a\r\nb\x1b[0m\u2028c\u202ed") == "a⏎ b␛[0m⏎ c�d", "in one line, in the order of its letters"
    assert value_line(("a", "b")) == "a, b" and value_line(()) == "empty"


def test_of_a_topic_that_is_silent_the_last_message_can_be_had(
    viewer: MessageViewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What had been said once, at the beginning, could never be seen."""
    asked: list[dict[str, Any]] = []
    monkeypatch.setattr(viewer.feed, "ask", lambda do, done, failed, **fields: asked.append({"done": done, **fields}))
    viewer.feed.state["topics"]["/car/status"] = {"type": "String", "count": 2}
    viewer.feed.state["components"] = {"car": {"outputs": {"status": "/car/status"}}}
    viewer.choose("/car/status")
    assert viewer.empty.button.text() == "Ask car for its last one"
    viewer.empty.button.click()
    assert (asked[0]["component"], asked[0]["port"]) == ("car", "status")
    asked[0]["done"]({"type": "String", "reply": {"data": "arrived"}})
    assert row(viewer, "data").text(VALUE) == "arrived" and viewer.facts.text() == "String · event 2"
    viewer.choose("/odom")
    assert viewer.empty.button.text() == "Show the topics", "of what never came there is no last one"


def test_a_message_in_json_is_a_tree_of_its_own_keys(viewer: MessageViewer) -> None:
    said = {"battery": {"volts": 24.5, "top cell": [4.1, 4.2]}, "ok": True, "note": None, "left": {}}
    viewer._take([Event(LASER, 1, 10**9, said)])
    viewer._show()
    assert viewer.facts.text().startswith("JSON · event 1")
    assert [row(viewer, name).text(VALUE) for name in said] == ["", "yes", "null", "empty"]
    battery = row(viewer, "battery")
    battery.setExpanded(True)
    volts, cells = row(battery, "volts"), row(battery, "top cell")
    cells.setExpanded(True)
    wanted = viewer.tree.fields([volts, row(cells, "[1]")])
    assert [field.path for field in wanted] == ["battery.volts", 'battery["top cell"][1]']
    assert [value_at(said, parse_path(field.path)) for field in wanted] == [24.5, 4.2]
    viewer.tree.copy_message()
    clipboard = QGuiApplication.clipboard()
    assert clipboard is not None and json.loads(clipboard.text()) == said


def test_thousands_of_keys_come_in_pages_with_the_paths_of_all(viewer: MessageViewer) -> None:
    """A row for each would halt the window."""
    said = {"cells": {f"cell {number}": number for number in range(1200)}}
    viewer._take([Event(LASER, 1, 10**9, said)])
    viewer._show()
    cells = row(viewer, "cells")
    cells.setExpanded(True)
    assert cells.childCount() == 3
    page = row(cells, "cell 1000 … cell 1199")
    page.setExpanded(True)
    (field,) = viewer.tree.fields([row(page, "cell 1100")])
    assert value_at(said, parse_path(field.path)) == 1100
