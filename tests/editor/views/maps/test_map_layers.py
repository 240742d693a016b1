"""Layers of maps and what lies on them: pictures are kept while they can be, and places are where they should be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PyQt6.QtGui import QImage, QPainter
from PyQt6.QtWidgets import QApplication

from studio.editor.views.maps import map_layers
from studio.editor.views.maps.map_layers import Ground, Layer, layer_of
from studio.editor.views.maps.map_overlays import MOST_POINTS, Track, arc_places, scan_places
from studio.editor.views.maps.map_raster import Window
from studio.messages import Map, PoseTransform, Range3d


def grid(value: float, plane: str = "height") -> Map:
    return Map(resolution_m=1.0, plane_names=(plane,), planes=np.full((1, 100, 100), value, np.float32))


class TestGround:
    @pytest.fixture
    def made(self, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
        """What was painted anew."""
        windows: list[Any] = []
        paint = map_layers.paint
        monkeypatch.setattr(map_layers, "paint", lambda *a, **k: windows.append(a[3]) or paint(*a, **k))
        return windows

    def draw(self, ground: Ground, layers: list[Layer], left_m: float = 10.0, scale: float = 0.5) -> QImage:
        image = QImage(60, 40, QImage.Format.Format_RGB32)
        image.fill(0)
        painter = QPainter(image)
        ground.draw(painter, layers, Window(left_m, 90.0, scale, 60, 40), 1.0, "light")
        painter.end()
        return image

    def test_a_view_that_moves_a_little_needs_no_new_picture(self, qapp: QApplication, made: list[Any]) -> None:
        ground, layers = Ground(), [layer_of(grid(0.3), "height")]
        for left_m in (10.0, 12.5, 8.0, 10.0):
            self.draw(ground, layers, left_m)
        assert len(made) == 1
        self.draw(ground, layers, 60.0)
        self.draw(ground, layers, 60.0, scale=0.25)
        self.draw(ground, [layer_of(grid(0.4), "height")], 60.0, scale=0.25)
        assert len(made) == 4, "far away, another scale, another map"

    def test_a_moved_picture_is_the_same_as_a_new_one(self, qapp: QApplication) -> None:
        heights = np.random.default_rng(1).normal(0, 0.5, (1, 100, 100)).astype(np.float32)
        layers = [layer_of(Map(resolution_m=1.0, plane_names=("height",), planes=heights), "height")]
        moved = Ground()
        self.draw(moved, layers, 10.0)
        assert self.draw(moved, layers, 13.0) == self.draw(Ground(), layers, 13.0)

    def test_what_lies_over_another_lets_it_shine_through(self, qapp: QApplication) -> None:
        low, high = layer_of(grid(-1.2), "height"), layer_of(grid(1.2), "height", opacity=0.5)
        below, above = (self.draw(Ground(), [layer]).pixelColor(5, 5) for layer in (low, layer_of(grid(1.2), "height")))
        mixed = self.draw(Ground(), [low, high]).pixelColor(5, 5)
        assert mixed.blue() == pytest.approx((below.blue() + above.blue()) / 2, abs=2)


class TestTrack:
    def test_standing_still_is_one_place_and_zoomed_out_less_is_drawn(self) -> None:
        track = Track()
        for x in np.linspace(0.0, 100.0, 4001):
            track.add(float(x), 0.0)
            track.add(float(x), 0.0)
        assert len(track) == 4001
        drawn = track.drawn(1.0)
        assert len(drawn) < 100 and drawn[0].tolist() == [0.0, 0.0] and drawn[-1].tolist() == [100.0, 0.0]
        assert len(track.drawn(0.001)) == 4001

    def test_a_long_way_forgets_its_beginning(self) -> None:
        track = Track()
        for step in range(MOST_POINTS + 1):
            track.add(step * 0.1, 0.0)
        assert len(track) == MOST_POINTS // 2 + 1
        assert track.places[-1, 0] == pytest.approx(MOST_POINTS * 0.1)


def test_arcs_begin_at_the_vehicle_and_turn_as_they_should() -> None:
    pose = PoseTransform.from_xyz_rpy(x_m=2.0, y_m=1.0, yaw_rad=np.pi / 2)
    straight = arc_places(pose, 0.0, 3.0)
    assert straight[0] == pytest.approx([2.0, 1.0]) and straight[-1] == pytest.approx([2.0, 4.0])
    quarter = arc_places(pose, 1.0, np.pi / 2)
    assert quarter[-1] == pytest.approx([1.0, 2.0]), "a quarter of a circle of one metre, to the left"


def test_a_scan_lies_where_its_sensor_looks() -> None:
    mount = np.eye(4)
    mount[:3, 3] = 1.0, 0.0, 0.5
    pose = PoseTransform.from_xyz_rpy(x_m=10.0, yaw_rad=np.pi / 2)
    scan = Range3d.from_xyz([[2.0, 0.0, 0.0], [np.nan, 0.0, 0.0]], frame="Laser")
    assert scan_places(scan, mount, pose) == pytest.approx(np.array([[10.0, 3.0]]))
