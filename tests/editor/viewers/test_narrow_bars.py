"""Bars of viewers in narrow docks: what gives way to what."""

from __future__ import annotations

from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.editor.live.feed import Feed
from studio.editor.look.theme import LIGHT
from studio.editor.panels.map.map_viewer import MapViewer
from studio.editor.panels.parts.topic_choice import LEAST_CHOICE
from studio.editor.panels.parts.viewer import Bar, Facts


def test_a_topic_gives_way_to_the_buttons_and_keeps_both_ends(feed: Feed) -> None:
    """In the dock of a window of 1600 pixels a map had two buttons of eight."""
    feed.state["topics"] = {"/a_component_with_a_long_name/terrain_of_the_day": {"type": "Map", "count": 1}}
    viewer = MapViewer(feed, LIGHT)
    viewer.resize(446, 300)
    viewer.show()
    QApplication.processEvents()
    assert LEAST_CHOICE <= viewer.topic.width() <= 446 * viewer.topic.share
    assert viewer.follow.isVisible() and viewer.goal.isVisible() and viewer.measure.isVisible()
    assert viewer.topic.shown_words().startswith("/a") and viewer.topic.shown_words().endswith("day")
    viewer.resize(1400, 300)
    QApplication.processEvents()
    assert viewer.topic.width() >= viewer.topic.sizeHint().width(), "there is room for all of it"
    assert viewer.topic.shown_words() == viewer.topic.topic


def test_what_has_no_room_tells_its_words_and_goes_when_it_is_done(feed: Feed, qtbot: QtBot) -> None:
    """Behind the dots was a column of pictures that stayed open."""
    viewer = MapViewer(feed, LIGHT)
    qtbot.addWidget(viewer)
    viewer.resize(300, 300)
    viewer.show()
    bar = viewer.topic.parentWidget()
    assert isinstance(bar, Bar)
    qtbot.waitUntil(lambda: viewer.compare in bar.outside)
    assert viewer.compare.text().strip() == "Compare" and not viewer.compare.icon().isNull()
    bar.more.click()
    assert viewer.compare.isVisible()
    viewer.compare.click()
    assert not viewer.compare.isVisible()
    viewer.resize(500, 300)
    qtbot.waitUntil(lambda: viewer.fit not in bar.outside)
    viewer.resize(1200, 300)
    qtbot.waitUntil(lambda: viewer.compare.isVisible())
    assert not viewer.compare.text(), "there is room again"


def test_the_beginning_of_a_word_is_no_fact(feed: Feed) -> None:
    """At the end of a bar stood `2…`."""
    facts = Facts("240 × 240 cells · 0.25 m")
    facts.resize(30, 20)
    blank = Facts("")
    blank.resize(30, 20)
    assert facts.grab().toImage() == blank.grab().toImage()
    facts.resize(90, 20)
    blank.resize(90, 20)
    assert facts.grab().toImage() != blank.grab().toImage()
