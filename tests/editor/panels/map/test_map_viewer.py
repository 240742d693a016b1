"""The map viewer with real messages: what it shows, remembers, and says when there is nothing sensible."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication

from studio.editor.live.feed import Changes, Feed
from studio.editor.look.theme import DARK, LIGHT
from studio.editor.panels.map.map_viewer import MapViewer
from studio.messages import Float64, Map, Odometry, PoseTransform, Range3d
from tests.editor.panels.given import event, terrain


def test_it_chooses_topics_by_their_types(feed: Feed) -> None:
    viewer = MapViewer(feed, LIGHT)
    assert viewer.topic.topic == "/terrain_map/terrain"
    assert viewer.pose.topic == "/platform/pose"
    assert viewer.planned.topic == "/planner/path"


def test_a_map_is_painted_and_read_out(feed: Feed) -> None:
    viewer = MapViewer(feed, LIGHT)
    viewer.resize(700, 500)
    viewer.show()
    QApplication.processEvents()
    viewer._take_map([event("/terrain_map/terrain", terrain())])
    assert viewer.view.read_out(12.2, -4.9) == "cell 4, 0   x 12.20  y −4.90 m   +0.30 m ± 0.02"
    assert "outside" in viewer.view.read_out(0.0, 0.0)
    picture = viewer.view.grab().toImage()
    middle = picture.pixelColor(picture.width() // 2, picture.height() // 2)
    assert middle.blue() > middle.red(), "above grade is blue"


def test_the_plane_and_the_colours_can_be_chosen_and_are_kept(feed: Feed) -> None:
    viewer = MapViewer(feed, LIGHT)
    viewer._take_map([event("/terrain_map/terrain", terrain())])
    viewer._choose_plane("variance")
    viewer.colours.setCurrentIndex(viewer.colours.findData("terrain_safe"))
    viewer.follow.setChecked(False)
    kept = viewer.save()
    other = MapViewer(feed, DARK)
    other.restore(kept)
    other._take_map([event("/terrain_map/terrain", terrain())])
    assert other.save() == kept
    assert other.view.layers[0].plane == "variance"
    assert other.view.layers[0].scheme.title == "Terrain, colour-blind safe"


def test_a_click_on_the_legend_changes_to_colours_for_everybody_and_back(feed: Feed) -> None:
    viewer = MapViewer(feed, LIGHT)
    viewer.resize(600, 450)
    viewer.show()
    viewer._take_map([event("/terrain_map/terrain", terrain())])
    for name in ("terrain_safe", "terrain"):
        QTest.mouseClick(viewer.view, Qt.MouseButton.LeftButton, pos=viewer.view.legend_rectangle().center().toPoint())
        assert viewer.view.layers[0].scheme.name == name


def test_earlier_maps_can_be_looked_at(feed: Feed) -> None:
    viewer = MapViewer(feed, LIGHT)
    for value in (0.1, 0.2, 0.3):
        viewer._take_map([event("/terrain_map/terrain", terrain(value=value), seconds=value * 10)])
    assert viewer.past.words.text() == "Newest map"
    viewer.past.slider.setValue(0)
    assert viewer.view.notes == ("The map of 2.0 s ago",) and viewer.past.words.text() == "2.0 s ago"
    assert float(viewer.view.layers[0].values[0, 0]) == pytest.approx(0.1)
    viewer._take_map([event("/terrain_map/terrain", terrain(value=0.4), seconds=4.0)])
    assert float(viewer.view.layers[0].values[0, 0]) == pytest.approx(0.1), "the past stays until one comes back"
    viewer.past.slider.setValue(viewer.past.slider.maximum())
    assert float(viewer.view.layers[0].values[0, 0]) == pytest.approx(0.4)
    assert viewer.view.notes == ()
    viewer.past.slider.setValue(2)
    viewer._take_map([event("/terrain_map/terrain", terrain(value=0.5), seconds=1.5)])
    assert viewer.past.slider.maximum() == 1, "a log was rewound: what came later is not before it"
    assert float(viewer.view.layers[0].values[0, 0]) == pytest.approx(0.5) and viewer.view.notes == ()


def test_a_map_of_a_real_vehicle_says_so(feed: Feed) -> None:
    viewer = MapViewer(feed, LIGHT)
    viewer._take_map([event("/terrain_map/terrain", terrain())])
    before = viewer.view.grab().toImage()
    feed.state["sources"] = {"platform": "real"}
    viewer.changed(Changes(system=True))
    assert viewer.view.is_real and viewer.view.grab().toImage() != before


def test_an_empty_map_a_growing_one_and_another_type(feed: Feed) -> None:
    viewer = MapViewer(feed, LIGHT)
    viewer.show()
    viewer._take_map([event("/terrain_map/terrain", Map(plane_names=("height",), planes=np.zeros((1, 0, 0))))])
    assert viewer.empty.isVisible() and "empty" in viewer.empty.words.text()
    viewer._take_map([event("/terrain_map/terrain", terrain(5, 5))])
    viewer._take_map([event("/terrain_map/terrain", terrain(50, 80))])
    assert viewer.view.isVisible() and "80 × 50" in viewer.facts.text()
    viewer._take_map([event("/terrain_map/terrain", Float64(data=1.0))])
    assert viewer.empty.isVisible() and "Float64" in viewer.empty.words.text()


def test_the_vehicle_leaves_a_path_and_the_view_follows_until_a_hand_moves_it(feed: Feed) -> None:
    viewer = MapViewer(feed, LIGHT)
    viewer.resize(600, 400)
    viewer.show()
    viewer._take_map([event("/terrain_map/terrain", terrain())])
    for x in (12.0, 13.0, float("nan"), 14.0):
        viewer._take_pose([event("/platform/pose", PoseTransform.from_xyz_rpy(x_m=x, y_m=1.0))])
    assert viewer.view.path.places.tolist() == [[12.0, 1.0], [13.0, 1.0], [14.0, 1.0]]
    assert viewer.view.centre_m == (14.0, 1.0)
    before = viewer.view.metres_per_pixel
    viewer.view.zoom_at(QPointF(10, 10), 2.0)
    assert viewer.view.metres_per_pixel == before / 2 and viewer.view.centre_m == (14.0, 1.0)
    assert viewer.follow.isChecked(), "another scale is no other place"
    QTest.mousePress(viewer.view, Qt.MouseButton.LeftButton, pos=QPoint(100, 200))
    QTest.mouseMove(viewer.view, QPoint(160, 200))
    QTest.mouseRelease(viewer.view, Qt.MouseButton.LeftButton, pos=QPoint(160, 200))
    assert not viewer.follow.isChecked()
    viewer._take_pose([event("/platform/pose", Odometry(position=(20.0, 2.0, 0.0)))])
    assert viewer.view.pose is not None and viewer.view.centre_m[0] < 20


def test_the_plan_ends_at_the_goal(feed: Feed) -> None:
    viewer = MapViewer(feed, LIGHT)
    viewer._take_path([event("/planner/path", Range3d.from_xyz([[0, 0, 0], [3, 4, 0]]))])
    assert viewer.view.goal_m == (3.0, 4.0)
    viewer._take_path([event("/planner/path", Range3d.from_xyz(np.zeros((0, 3))))])
    assert viewer.view.goal_m is None


def test_zoom_keeps_the_place_under_the_pointer(feed: Feed) -> None:
    view = MapViewer(feed, LIGHT).view
    view.resize(400, 300)
    at = QPointF(310, 40)
    before = view.world().x_of(at.x()), view.world().y_of(at.y())
    view.zoom_at(at, 3.0)
    assert (view.world().x_of(at.x()), view.world().y_of(at.y())) == pytest.approx(before)


def test_two_clicks_measure(feed: Feed) -> None:
    viewer = MapViewer(feed, LIGHT)
    viewer.resize(500, 400)
    viewer.show()
    viewer._take_map([event("/terrain_map/terrain", terrain())])
    viewer.measure.click()
    middle = viewer.view.rect().center()
    QTest.mouseClick(viewer.view, Qt.MouseButton.LeftButton, pos=middle)
    QTest.mouseClick(viewer.view, Qt.MouseButton.LeftButton, pos=middle + middle / 4)
    assert len(viewer.view._measured) == 2
    viewer.measure.click()
    assert not viewer.view._measured


def test_a_click_is_a_goal_for_whoever_plans(feed: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, Any]] = []
    monkeypatch.setattr(feed, "ask", lambda do, done, failed, **fields: asked.append({"do": do, **fields}))
    viewer = MapViewer(feed, LIGHT)
    viewer.resize(500, 400)
    viewer.show()
    viewer._take_map([event("/terrain_map/terrain", terrain())])
    viewer.goal.click()
    middle = viewer.view.rect().center()
    QTest.mouseClick(viewer.view, Qt.MouseButton.LeftButton, pos=middle)
    assert not asked and "no component" in viewer.facts.text()
    goal = {"goal_x_m": 0.0, "goal_y_m": 0.0}
    feed.state["components"] = {
        "judge": {"parameters": goal, "outputs": {}},
        "planner": {"parameters": goal, "outputs": {"path": "/planner/path"}},
    }
    viewer.goal.click()
    QTest.mouseClick(viewer.view, Qt.MouseButton.LeftButton, pos=middle)
    assert [(each["component"], each["name"]) for each in asked] == [
        ("planner", "goal_x_m"),
        ("planner", "goal_y_m"),
    ]
    assert asked[0]["value"] == pytest.approx(viewer.view.centre_m[0], abs=0.2)
    assert not viewer.goal.isChecked(), "one click, one goal"
    feed.state["components"]["driver"] = {"accepts": {"goal": "PoseTransform"}}
    viewer.goal.click()
    QTest.mouseClick(viewer.view, Qt.MouseButton.LeftButton, pos=middle)
    assert asked[-1]["do"] == "send" and asked[-1]["to"] == "driver.goal"
    assert asked[-1]["message"]["matrix"][0][3] == pytest.approx(viewer.view.centre_m[0], abs=0.2)


def test_layers_lie_over_each_other_and_are_kept(feed: Feed) -> None:
    feed.state["topics"]["/traverse/map"] = {"type": "Map", "count": 1}
    viewer = MapViewer(feed, LIGHT)
    viewer.layers.wanted.emit("/traverse/map")
    cost = Map(resolution_m=0.5, plane_names=("cost", "slope"), planes=np.zeros((2, 4, 4)))
    viewer._take_map([event("/terrain_map/terrain", terrain())])
    viewer.layering.take(viewer.stack.choices[1], cost)
    assert [layer.plane for layer in viewer.view.layers] == ["height", "cost"], "the new one is on top"
    assert viewer.view.read_out(10.1, -4.9).endswith("height +0.30 m ± 0.02")
    top = viewer.layers.lines[0]
    top.opacity.setValue(30)
    assert viewer.view.layers[1].opacity == pytest.approx(0.3)
    top.plane.setCurrentText("slope")
    top._choose_plane()
    assert not top.up.isEnabled() and top.down.isEnabled(), "nothing is above it"
    top.down.click()
    assert [layer.plane for layer in viewer.view.layers] == ["slope", "height"]
    viewer.layers.lines[0].seen.click()
    assert [layer.plane for layer in viewer.view.layers] == ["slope"], "the map of the bar can be hidden, too"
    viewer.layers.boxes["votes"].click()
    assert viewer.watched("/avoid/votes") and viewer.watched("/arbiter/command")
    kept = viewer.save()
    other = MapViewer(feed, DARK)
    other.restore(kept)
    assert other.save() == kept
    assert (other.stack.choices[0].topic, other.stack.choices[0].opacity) == ("/traverse/map", 0.3)
    other.layering.remove(other.stack.choices[0])
    assert other.stack.choices == [other.stack.main]


def test_the_picture_is_saved(feed: Feed, tmp_path: Path) -> None:
    viewer = MapViewer(feed, LIGHT)
    viewer._take_map([event("/terrain_map/terrain", terrain())])
    assert viewer.export_to(tmp_path / "map") and viewer.export_to(tmp_path / "at 0.5 m")
    assert (tmp_path / "at 0.5 m.png").exists(), "what follows a dot need not be an ending"
    assert viewer.over.isHidden()
    assert not viewer.export_to(tmp_path / "nowhere" / "map.png")
    assert not viewer.over.isHidden() and "map.png cannot be written" in viewer.over.text()
    assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")
