"""The table of topics: what it tells of each, and the fields in it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.editor.live.batch import Event
from studio.editor.live.feed import Feed
from studio.editor.look.theme import LIGHT
from studio.editor.panels.data.topics_viewer import TopicsViewer, bandwidth, in_words
from studio.editor.views.data.field_tree import plate_of
from studio.editor.views.shared.field_drag import Field, fields_in, mime_of
from studio.messages import PoseTransform
from tests.editor.panels.given import event


def test_all_topics_are_listed_with_what_is_known(feed: Feed) -> None:
    viewer = TopicsViewer(feed, LIGHT)
    row = viewer._rows["/terrain_map/terrain"]
    assert [row.text(i) for i in range(6)] == ["/terrain_map/terrain", "Map", "10.0 Hz", "2.0 kB/s", "1.50 ms", ""]
    assert viewer._rows["/platform/pose"].text(5) == "2"
    unheard = viewer._rows["/planner/path"]  # what only those know who receive it
    assert [unheard.text(i) for i in range(3, 7)] == ["—", "—", "—", "1"]


def test_an_open_topic_shows_its_message_and_numbers_can_be_dragged(feed: Feed) -> None:
    viewer = TopicsViewer(feed, LIGHT)
    row = viewer._rows["/platform/pose"]
    row.setExpanded(True)
    viewer._open(row)
    assert viewer.watched("/platform/pose") == "/platform/pose"
    viewer._take([event("/platform/pose", PoseTransform.from_xyz_rpy(x_m=1.5, frame="map"))])
    texts = {row.child(i).text(0): row.child(i).text(1) for i in range(row.childCount())}
    assert texts["frame"] == "map" and texts["position"].startswith("1.5")
    position = next(row.child(i) for i in range(row.childCount()) if row.child(i).text(0) == "position")
    assert position.child(0).text(1) == "1.5", "what is inside of a field has its value, too"
    position.setExpanded(True)
    viewer._take([event("/platform/pose", PoseTransform.from_xyz_rpy(x_m=2.5, frame="map"))])
    assert position.child(0).text(1) == "2.5"
    assert fields_in(viewer.tree.mimeData([position.child(0)])) == [Field("/platform/pose", "position[0]")]
    wanted: list[object] = []
    viewer.plot_wanted.connect(wanted.append)
    viewer._double_clicked(position.child(0), 0)
    assert wanted == [Field("/platform/pose", "position[0]")]


def test_json_and_protobuf_show_their_keys_a_limited_number_of_them_and_may_change(feed: Feed) -> None:
    viewer = TopicsViewer(feed, LIGHT)
    row = viewer._rows["/platform/pose"]
    row.setExpanded(True)
    said = {"top speed": 1.5, "cells": {f"c{number}": number for number in range(2000)}, "ok": None}
    viewer._take([Event("/platform/pose", 1, 0, said)])
    speed, cells, ok = (row.child(i) for i in range(3))
    assert (speed.text(1), ok.text(1), cells.childCount()) == ("1.5", "null", 500)
    assert fields_in(viewer.tree.mimeData([speed])) == [Field("/platform/pose", '["top speed"]')]
    cells.setExpanded(True)
    viewer._take([Event("/platform/pose", 2, 0, {**said, "cells": {"c1": 7}})])
    assert [cells.child(i).text(1) for i in range(3)] == ["", "7", ""], "the others are gone"
    viewer._take([Event("/platform/pose", 3, 0, {f"k{number}": number for number in range(900)})])
    assert row.childCount() == 501 and row.child(500).text(1) == "400 in its messages"


def test_words_filter(feed: Feed) -> None:
    viewer = TopicsViewer(feed, LIGHT)
    viewer.search.setText("range3d las")
    assert [name for name, row in viewer._rows.items() if not row.isHidden()] == ["/platform/laser"]


@pytest.mark.parametrize(("width", "seen"), [(300, 1), (446, 1), (618, 2), (1000, 5)])
def test_a_narrow_panel_leaves_figures_out(feed: Feed, width: int, seen: int) -> None:
    """At the right of a panel the rates were cut in two, and one had to scroll for the rest."""
    viewer = TopicsViewer(feed, LIGHT)
    viewer.resize(width, 300)
    viewer.show()
    QApplication.processEvents()
    assert sum(not viewer.tree.isColumnHidden(number) for number in range(2, 7)) == seen
    across = viewer.tree.horizontalScrollBar()
    assert across is not None and across.maximum() == 0
    assert viewer.tree.columnWidth(0) >= 140, "or all names would begin and end alike"


def test_in_a_narrow_panel_the_values_of_an_open_topic_take_the_place_of_rates(feed: Feed) -> None:
    viewer = TopicsViewer(feed, LIGHT)
    viewer.resize(260, 300)
    viewer.show()
    viewer._rows["/platform/pose"].setExpanded(True)
    assert viewer.tree.isColumnHidden(2) and viewer.tree.columnWidth(1) >= 100
    viewer._rows["/platform/pose"].setExpanded(False)
    assert viewer.tree.isColumnHidden(1) and not viewer.tree.isColumnHidden(2)


def names(viewer: TopicsViewer) -> list[str]:
    return [viewer.tree.topLevelItem(i).text(0) for i in range(viewer.tree.topLevelItemCount())]


def test_a_click_on_a_column_sorts_topics_and_leaves_their_fields_alone(feed: Feed) -> None:
    viewer = TopicsViewer(feed, LIGHT)
    viewer.resize(1000, 400)
    viewer.show()
    row = viewer._rows["/platform/pose"]
    row.setExpanded(True)
    viewer._take([event("/platform/pose", PoseTransform())])
    fields = [row.child(i).text(0) for i in range(row.childCount())]
    header = viewer.tree.header()
    assert header is not None
    at = QPoint(header.sectionViewportPosition(6) + 20, header.height() // 2)
    QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert names(viewer)[:3] == ["/platform/pose", "/platform/laser", "/arbiter/command"], "the most events first"
    assert [row.child(i).text(0) for i in range(row.childCount())] == fields and row.isExpanded()
    feed.state["topics"]["/planner/path"] = {"type": "Range3d", "count": 1000}
    viewer._refresh({"/planner/path"})
    viewer._sort()
    assert names(viewer)[0] == "/planner/path"
    QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert names(viewer)[-1] == "/planner/path"
    assert [row.child(i).text(0) for i in range(row.childCount())] == fields
    QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(20, at.y()))
    assert names(viewer) == sorted(names(viewer))


def test_the_menu_of_a_topic_shows_its_messages_and_copies_its_name(feed: Feed) -> None:
    viewer = TopicsViewer(feed, LIGHT)
    wanted: list[str] = []
    viewer.message_wanted.connect(wanted.append)
    actions = {action.text(): action for action in viewer.menu_of("/platform/pose", []).actions()}
    actions["Show its messages"].trigger()
    actions["Copy its name"].trigger()
    clipboard = QApplication.clipboard()
    assert wanted == ["/platform/pose"] and clipboard is not None and clipboard.text() == "/platform/pose"


def test_of_a_silent_topic_the_last_message_is_asked_for(feed: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, Any]] = []
    monkeypatch.setattr(feed, "ask", lambda do, done, failed, **fields: asked.append({"done": done, **fields}))
    feed.state["components"] = {"arbiter": {"outputs": {"command": "/arbiter/command"}}}
    viewer = TopicsViewer(feed, LIGHT)
    row = viewer._rows["/arbiter/command"]
    row.setExpanded(True)
    viewer._open(row)
    waiting = row.child(0)
    assert waiting is not None and waiting.text(1) == "double-click: ask arbiter for its last one"
    viewer._double_clicked(waiting, 0)
    asked[0]["done"]({"type": "Velocity", "reply": {"speed_m_s": 1.5}})
    texts = {row.child(i).text(0): row.child(i).text(1) for i in range(row.childCount())}
    assert asked[0]["port"] == "command" and texts["speed_m_s"] == "1.5"


def test_figures_in_words() -> None:
    assert bandwidth(0) == "" and bandwidth(950) == "950 B/s" and bandwidth(2.5e6) == "2.5 MB/s"
    assert in_words(np.array([np.nan, np.nan] * 10)) == "20 float64, nothing finite"
    assert in_words(np.arange(12).reshape(3, 4)) == "3 × 4 int64, 0 … 11"


def test_at_the_pointer_goes_the_name_of_a_field_and_not_its_row(feed: Feed, qtbot: QtBot) -> None:
    """The row of a wide tree lay over the plot on which it was to be dropped."""
    viewer = TopicsViewer(feed, LIGHT)
    qtbot.addWidget(viewer)
    viewer.resize(1200, 300)
    one, two = mime_of([Field("/a/b", "x")]), mime_of([Field("/a/b", "x"), Field("/a/b", "y")])
    narrow, wide = plate_of(one, viewer.tree), plate_of(two, viewer.tree)
    assert 0 < narrow.width() < wide.width() < 300 and narrow.height() < 60
