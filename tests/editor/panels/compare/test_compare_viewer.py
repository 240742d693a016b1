"""Two maps with real messages: their difference, the cut through both, and how they are shown."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.editor.live.feed import Feed
from studio.editor.look.theme import DARK, LIGHT
from studio.editor.panels.compare.compare_viewer import CompareViewer
from studio.messages import Map
from tests.editor.panels.given import event, terrain


def test_two_maps_and_their_difference(feed: Feed) -> None:
    viewer = CompareViewer(feed, DARK)
    viewer.resize(900, 300)
    a, b = viewer.sides
    viewer._take(a, [event("/a", terrain(value=0.3))])
    assert viewer.empty.isVisibleTo(viewer)
    viewer._take(b, [event("/b", terrain(value=0.33))])
    assert viewer.found is not None and viewer.found.rms == pytest.approx(0.03, abs=1e-6)
    told = viewer.panes.figures.accessibleDescription()
    assert "RMS difference 0.030 m; mean B − A +0.030 m; within ± 0.05 m 100 %; cells in both 600" in told
    a.hold.click()
    viewer._take(a, [event("/a", terrain(value=9.0))])
    assert viewer.found.rms == pytest.approx(0.03, abs=1e-6), "A is held"
    assert not viewer.grab().isNull()


def test_all_views_move_together(feed: Feed) -> None:
    viewer = CompareViewer(feed, LIGHT)
    for side in viewer.sides:
        viewer._take(side, [event("/a", terrain())])
    viewer.sides[1].view.zoom_at(QPointF(5, 5), 3.0)
    assert len({(view.centre_m, view.metres_per_pixel) for view in viewer.views()}) == 1


def test_a_cut_shows_both_along_one_line(feed: Feed) -> None:
    viewer = CompareViewer(feed, LIGHT)
    viewer.resize(900, 600)
    viewer.show()
    for side, value in zip(viewer.sides, (0.3, 0.5), strict=True):
        viewer._take(side, [event("/a", terrain(value=value))])
    viewer.cut.click()
    assert len({view.cut for view in viewer.views()}) == 1 and viewer.panes.profile.isVisible()
    (_, a), (_, b) = viewer.panes.profile.lines
    assert np.nanmax(a) == pytest.approx(0.3) and np.nanmin(b) == pytest.approx(0.5)
    view = viewer.sides[0].view
    assert view.cut is not None
    end = QPointF(*view.world().pixel_of(*view.cut[1])).toPoint()
    QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=end)
    QTest.mouseMove(view, end + QPoint(0, 30))
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=end + QPoint(0, 30))
    cut = viewer.change.cut
    assert cut is not None and cut[1][1] < cut[0][1], "the end was dragged down, in all three"
    viewer.cut.click()
    assert viewer.change.cut is None and not viewer.panes.profile.isVisible()


def test_one_over_the_other_by_swiping_and_blinking(feed: Feed, tmp_path: Path) -> None:
    viewer = CompareViewer(feed, DARK)
    viewer.resize(900, 600)
    viewer.show()
    for side, value in zip(viewer.sides, (-0.5, 0.5), strict=True):
        viewer._take(side, [event("/a", terrain(value=value))])
    view = viewer.sides[0].view
    viewer.way.setCurrentText("Swipe")
    viewer.linked.fit_by_hand()
    QApplication.processEvents()
    picture, y = view.grab().toImage(), view.height() // 2
    left, right = (picture.pixelColor(view.width() // 2 + x, y) for x in (-25, 25))
    assert left.red() > left.blue() and right.blue() > right.red()
    QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=QPoint(view.width() // 2, 20))
    QTest.mouseMove(view, QPoint(view.width() // 4, 20))
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=QPoint(view.width() // 4, 20))
    assert view.share == pytest.approx(0.25, abs=0.01)
    viewer.way.setCurrentText("Blink")
    shown = [float(view.layers[0].values[0, 0]) for _ in range(2) if viewer._turn_over() is None]
    assert sorted(shown) == [-0.5, 0.5] and not view.over
    assert viewer.save()["way"] == "Blink"
    viewer.way.setCurrentText("Side by side")
    assert viewer.sides[1].view.isVisible() and not viewer._blink.isActive()
    assert viewer.export_to(tmp_path / "compared") and (tmp_path / "compared.png").exists()


def test_maps_without_a_common_plane_say_so(feed: Feed) -> None:
    feed.state["topics"] = {"/a": {"type": "Map"}, "/b": {"type": "Map"}}
    viewer = CompareViewer(feed, LIGHT)
    for side, topic in zip(viewer.sides, ("/b", "/a"), strict=True):
        side.topic.choose(topic)
    other = Map(plane_names=("cost",), planes=np.zeros((1, 2, 2)))
    viewer._take(viewer.sides[0], [event("/a", terrain())])
    viewer._take(viewer.sides[1], [event("/b", other)])
    assert "No plane is in both" in viewer.empty.words.text()


def test_maps_that_nobody_chose_and_that_have_nothing_in_common_become_one(feed: Feed) -> None:
    feed.state["topics"] = {"/a": {"type": "Map"}, "/b": {"type": "Map"}}
    viewer = CompareViewer(feed, LIGHT)
    viewer.topics_changed()
    assert [side.topic.topic for side in viewer.sides] == ["/a", "/b"]
    other = Map(plane_names=("cost",), planes=np.zeros((1, 2, 2)))
    viewer._take(viewer.sides[0], [event("/a", terrain())])
    viewer._take(viewer.sides[1], [event("/b", other)])
    assert [side.topic.topic for side in viewer.sides] == ["/a", "/a"], "one can be held, and the other goes on"


def test_that_the_run_is_over_covers_no_title(feed: Feed, qtbot: QtBot) -> None:
    """It lay over the letter of B."""
    feed.state["topics"] = {"/a": {"type": "Map"}}
    viewer = CompareViewer(feed, LIGHT)
    qtbot.addWidget(viewer)
    viewer.resize(640, 500)
    viewer.show()
    for side in viewer.sides:
        side.topic.choose("/a")
        viewer._take(side, [event("/a", terrain())])
    assert viewer.tolerance.text().endswith(" m"), "in the unit of the plane"
    assert ("mean B − A", "0.000", "m") in viewer.panes.figures.figures, "no more and no less"
    QApplication.processEvents()
    feed.ended.emit(False)
    title = viewer.panes.titles[1]
    assert viewer.over.isVisible() and viewer.over.y() >= title.mapTo(viewer, title.rect().bottomLeft()).y()
    viewer.close_viewer()


def test_the_only_map_of_a_system_is_both(feed: Feed) -> None:
    """Two had to be chosen from a list of one."""
    feed.state["topics"] = {"/a": {"type": "Map"}}
    viewer = CompareViewer(feed, LIGHT)
    assert [side.topic.topic for side in viewer.sides] == ["/a", "/a"]


def test_a_cut_leaves_all_of_the_maps_in_view_until_somebody_moves_them(feed: Feed, qtbot: QtBot) -> None:
    """The charts of a low panel took half of the room of the maps, of which a strip was left."""
    feed.state["topics"] = {"/a": {"type": "Map"}}
    viewer = CompareViewer(feed, LIGHT)
    qtbot.addWidget(viewer)
    viewer.resize(900, 470)
    viewer.show()
    for side in viewer.sides:
        viewer._take(side, [event("/a", terrain(60, 60))])
    view = viewer.sides[0].view
    height_m = terrain(60, 60).rows * terrain().resolution_m

    def shows_all() -> bool:
        return view.height() * view.metres_per_pixel >= height_m

    qtbot.waitUntil(shows_all)
    viewer.cut.click()
    qtbot.waitUntil(lambda: viewer.panes.profile.isVisible() and shows_all())
    viewer.resize(900, 420)
    qtbot.waitUntil(shows_all)
    view.look_at(*view.centre_m, 0.01)
    view.moved_by_hand.emit()
    viewer.cut.click()
    qtbot.wait(50)
    assert view.metres_per_pixel == 0.01
    viewer.close_viewer()
