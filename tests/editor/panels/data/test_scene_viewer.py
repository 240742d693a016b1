"""The scene in three dimensions: what is in it, where it is on the picture, and who paints it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtGui import QColor
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.editor.live.batch import Event
from studio.editor.live.feed import Changes, Feed
from studio.editor.look.theme import DARK, LIGHT
from studio.editor.panels.data.scene_viewer import SceneViewer
from studio.editor.views.scene.batches import Placed, Points, Scene, Triangles, all_of
from studio.editor.views.scene.camera import PRESETS, Camera
from studio.editor.views.scene.content import Content, Vehicle, drives
from studio.editor.views.scene.meshes import shape_batches, surface, thinned
from studio.editor.views.scene.painted_picture import PaintedPicture
from studio.editor.views.shared.map_colours import SCHEMES
from studio.messages import Float64, JointState, Map, Message, PoseTransform, Range3d
from studio.model.geometry.content import GeometryContent
from studio.model.geometry.flat_model import content_of, model_of
from studio.model.geometry.shapes import Box, Cylinder, Mesh, Sphere
from studio.model.geometry_check import find_geometry
from studio.model.parts import GeometryUse

TOPICS: dict[str, Any] = {
    "/map/terrain": {"type": "Map"}, "/platform/pose": {"type": "PoseTransform"},
    "/platform/laser": {"type": "Range3d"}, "/planner/path": {"type": "Range3d"},
    "/platform/joints": {"type": "JointState"},
}  # fmt: skip


@pytest.fixture(scope="module")
def raptor() -> GeometryContent:
    found = find_geometry(GeometryUse("raptor"), Path(__file__).parents[4] / "projects" / "raptor_blocks_world")
    assert found.model is not None
    return content_of(found.model)


@pytest.fixture
def viewer(qapp: QApplication) -> Iterator[SceneViewer]:
    feed = Feed()
    feed.state = {"topics": dict(TOPICS), "components": {}}
    made = SceneViewer(feed, LIGHT)
    made.resize(500, 400)
    made.show()
    yield made
    made.close_viewer()
    feed.close()


def take(viewer: SceneViewer, topic: str, message: Message) -> None:
    viewer._take([Event(topic, 1, getattr(message, "stamp_ns", 0), message)])


def hills(rows: int = 40, columns: int = 60) -> Map:
    heights = np.full((rows, columns), 0.1, np.float32)
    heights[:, :10] = np.nan
    heights[rows // 2, columns // 2] = 2.0
    return Map(frame="map", resolution_m=0.5, plane_names=("height",), planes=heights[None])


class TestCamera:
    def test_from_above_x_is_right_and_y_is_up(self) -> None:
        camera = Camera(distance_m=10.0)
        camera.look_from(PRESETS[1])
        (middle, right, up), depths = camera.project(np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0.0]]), 200, 100)
        assert middle.tolist() == pytest.approx([100, 50]) and depths[0] == pytest.approx(10.0)
        assert right[0] > 100 and right[1] == pytest.approx(50) and up[1] < 50 and up[0] == pytest.approx(100)

    def test_both_painters_see_the_same(self) -> None:
        """GL's matrices and our own projection put every point on the same pixel."""
        camera = Camera(np.array([1.0, 2.0, 0.5]), 7.0, 0.7, 0.4)
        points = np.random.default_rng(1).normal(size=(50, 3))
        ours, depths = camera.project(points, 640, 480)
        clip = np.column_stack([points, np.ones(50)]) @ (camera.projection(640, 480) @ camera.view_matrix()).T
        theirs = np.stack([(clip[:, 0] / clip[:, 3] + 1) * 320, (1 - clip[:, 1] / clip[:, 3]) * 240], axis=1)
        assert np.allclose(ours[depths > 0.1], theirs[depths > 0.1])

    def test_panning_moves_what_is_looked_at_with_the_pointer(self) -> None:
        camera = Camera(distance_m=10.0)
        target = camera.target.copy()
        camera.pan(30.0, -20.0, 400)
        (at,), _ = camera.project(target[None], 600, 400)
        assert at.tolist() == pytest.approx([330.0, 220.0])

    def test_it_stays_within_reason(self) -> None:
        camera = Camera()
        camera.orbit(0, 10_000)
        assert camera.pitch_rad == pytest.approx(math.pi / 2)
        camera.zoom(1e9)
        assert camera.distance_m > 0.1
        camera.zoom(1e-9)
        assert camera.distance_m < 1e4


class TestMeshes:
    @pytest.mark.parametrize(
        ("shape", "volume"),
        [(Box(size=(1, 2, 3)), 6.0), (Cylinder(radius=1.0, length=2.0), 2 * math.pi), (Sphere(radius=1.0), 4.19)],
    )
    def test_faces_look_outwards_and_enclose_the_shape(self, shape: Any, volume: float) -> None:
        faces = next(batch for batch in shape_batches(shape) if isinstance(batch, Triangles)).points
        enclosed = np.einsum("ij,ij->i", faces[:, 0], np.cross(faces[:, 1], faces[:, 2])).sum() / 6
        assert enclosed == pytest.approx(volume, rel=0.08)

    def test_a_mesh_is_left_out(self) -> None:
        assert shape_batches(Mesh(file="hull.stl")) == ()

    def test_a_post_survives_thinning_and_the_unknown_stays_unknown(self) -> None:
        values = np.full((6, 6), 0.1)
        values[1, 1], values[2:4, 2:4] = -3.0, np.nan
        assert thinned(values, 2)[0, 0] == -3.0 and np.isnan(thinned(values, 2)[1, 1])
        ground = surface(hills(), "height", SCHEMES["terrain"], 200)
        assert 0 < len(ground.points) <= 500 and ground.points[..., 2].max() == pytest.approx(2.0)
        assert ground.points[..., 0].min() > 4.0, "where nothing is known there is no ground"

    def test_odd_maps_have_no_ground(self) -> None:
        for planes in (np.zeros((1, 0, 0)), np.zeros((1, 1, 9)), np.full((1, 4, 4), np.nan)):
            assert not len(
                surface(Map(plane_names=("height",), planes=planes), "height", SCHEMES["terrain"], 99).points
            )


class TestContent:
    def test_scans_are_where_their_laser_was(self, raptor: GeometryContent) -> None:
        """Ahead of the vehicle by where the laser is mounted, at the pose of their own stamp."""
        model = model_of(raptor)
        content = Content(Vehicle(model, drives(model)))
        for second in (1, 2, 3):
            pose = PoseTransform.from_xyz_rpy(10.0 * second, stamp_ns=second * 10**9, child_frame="Raptor", frame="map")
            assert content.show_pose(pose)
        assert not content.show_pose(PoseTransform(matrix=np.full((4, 4), np.nan)))
        scan = Range3d.from_xyz([[0, 0, 0], [np.nan, 0, 0]], frame="LeftLaser:ScanOrigin", stamp_ns=2 * 10**9)
        content.show_scan("/laser", scan)
        (at,) = content.scans["/laser"]
        mounted = content.vehicle.frame_pose("LeftLaser:ScanOrigin")  # type: ignore[union-attr]
        assert mounted is not None and at.tolist() == pytest.approx((mounted[:3, 3] + [20.0, 0, 0]).tolist())
        content.show_scan("/odd", Range3d.from_xyz([[1, 2, 3]], frame="Nobody:Knows"))
        assert content.unplaced == {"/odd": "Nobody:Knows"}
        content.show_scan("/world", Range3d.from_xyz([[1, 2, 3]], frame="map"), "map")
        assert content.scans["/world"].tolist() == [[1, 2, 3]] and "/world" not in content.unplaced

    def test_joints_move_what_hangs_on_them(self, raptor: GeometryContent) -> None:
        model = model_of(raptor)
        vehicle = Vehicle(model, drives(model))
        before = vehicle.frame_pose("Raptor:FrontLeftWheel")
        vehicle.hear(JointState(names=("Raptor.front_left_steering", "nonsense"), position=[0.3, math.nan]))
        after = vehicle.frame_pose("Raptor:FrontLeftWheel")
        assert before is not None and after is not None and not np.allclose(before, after)
        assert vehicle.frame_pose("Raptor:Nothing") is None and vehicle.frame_pose("Nobody") is None

    def test_another_place_of_a_log_is_another_trail(self) -> None:
        content = Content()
        for second in (10, 11, 12, 2):
            content.show_pose(PoseTransform.from_xyz_rpy(float(second), stamp_ns=second * 10**9))
        assert len(content.trail) == 1


class TestPainted:
    def test_what_is_near_hides_what_is_far(self, qapp: QApplication) -> None:
        camera = Camera(distance_m=10.0)
        camera.look_from(PRESETS[1])
        sheet = np.array([[[-1, -1, 0], [1, -1, 0], [0, 1, 0]]], float)
        red, green = (
            Triangles(sheet + np.array([0, 0, z]), all_of(c, 1))
            for z, c in ((1, (255, 0, 0, 255)), (0, (0, 255, 0, 255)))
        )
        behind = Points(np.array([[0.0, 0.0, 50.0]]), all_of((0, 0, 255, 255), 1))
        scene = Scene((Placed((red, behind)), Placed((green,))))
        picture = PaintedPicture().paint(scene, camera, 100, 100, QColor("#000000"))
        assert picture.pixelColor(50, 50).name() == "#ff0000"
        empty = PaintedPicture().paint(Scene(), camera, 10, 10, QColor("#123456"))
        assert empty.pixelColor(5, 5).name() == "#123456"


class TestViewer:
    def test_a_run_is_seen_and_words_say_how_it_is_painted(
        self, viewer: SceneViewer, raptor: GeometryContent, qtbot: QtBot
    ) -> None:
        assert viewer.empty.isVisible()
        viewer.show_geometry(raptor)
        take(viewer, "/platform/pose", PoseTransform.from_xyz_rpy(12.0, 5.0, child_frame="Raptor"))
        take(viewer, "/map/terrain", hills())
        take(viewer, "/platform/laser", Range3d.from_xyz([[5, 0, 0]], frame="LeftLaser:ScanOrigin"))
        take(viewer, "/planner/path", Range3d.from_xyz([[12, 5, 0], [20, 9, 0]], frame="map"))
        take(viewer, "/platform/joints", JointState(names=("Raptor.front_left_steering",), position=[0.1]))
        qtbot.waitUntil(lambda: viewer.view.painted > 1, timeout=20_000)
        viewer._tell()
        assert viewer.facts.text() == "Raptor · 1 points" and "has none" in viewer.facts.toolTip()
        assert viewer.view.words().startswith("without OpenGL, ")
        assert viewer.view.camera.target.tolist() == pytest.approx([12.0, 5.0, 0.0]), "it follows"
        made = viewer.view.made
        assert made is not None
        colours = {made.picture.pixelColor(x, y).name() for x in range(0, 500, 7) for y in range(0, 350, 7)}
        assert len(colours) > 10

    def test_hands_and_keys(self, viewer: SceneViewer, raptor: GeometryContent) -> None:
        viewer.show_geometry(raptor)
        view, camera = viewer.view, viewer.view.camera
        yaw, distance = camera.yaw_rad, camera.distance_m
        middle = view.rect().center()
        QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=middle)
        QTest.mouseMove(view, middle + QPoint(60, 0))
        QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=middle)
        assert camera.yaw_rad != yaw and view.follows
        QTest.keyClick(view, Qt.Key.Key_T)
        assert camera.pitch_rad == pytest.approx(math.pi / 2)
        QTest.keyClick(view, Qt.Key.Key_Plus)
        assert camera.distance_m < distance
        QTest.keyClick(view, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
        assert not viewer.follow.isChecked() and not view.follows
        viewer.follow.click()
        QTest.keyClick(view, Qt.Key.Key_F)
        assert not viewer.follow.isChecked(), "who wants to see everything does not follow"

    def test_layers_camera_and_topics_are_kept(self, viewer: SceneViewer) -> None:
        assert "frames" not in viewer.view.shown
        viewer._layer_actions["frames"].trigger()
        viewer._layer_actions["grid"].trigger()
        viewer.view.look_from(2)
        kept = viewer.save()
        other = SceneViewer(viewer.feed, DARK)
        other.restore(kept)
        assert other.save() == kept and "frames" in other.view.shown and "grid" not in other.view.shown
        other.restore({"camera": [1, 2, "x", 0, 0, 0], "layers": 7, "map": None})
        other.close_viewer()

    def test_the_geometry_is_asked_for_once_and_again_when_it_changes(
        self, viewer: SceneViewer, raptor: GeometryContent, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked: list[str] = []
        monkeypatch.setattr(
            viewer.feed, "ask", lambda do, done, failed, **_: (asked.append(do), done({"geometry": raptor.json()}))
        )
        for digest in ("a", "a", "b"):
            viewer.feed.state["geometry"] = {"name": "raptor", "digest": digest}
            viewer.changed(Changes(system=True))
        assert asked == ["geometry", "geometry"] and viewer.view.content.vehicle is not None
        viewer.feed.state["geometry"] = None
        viewer.changed(Changes(system=True))
        assert viewer.view.content.vehicle is None

    def test_odd_messages_do_no_harm(self, viewer: SceneViewer, qtbot: QtBot) -> None:
        take(viewer, "/map/terrain", Float64(1.0))
        assert viewer.empty.isVisible()
        take(viewer, "/map/terrain", Map(plane_names=("cost",), planes=np.full((1, 3, 3), np.nan)))
        take(viewer, "/platform/laser", Range3d.from_xyz(np.full((4, 3), np.inf)))
        take(viewer, "/planner/path", Range3d.from_xyz(np.zeros((0, 3))))
        take(viewer, "/map/terrain", hills(3, 90))
        viewer.view.fit()
        qtbot.waitUntil(lambda: viewer.view.painted > 0, timeout=20_000)
        for theme in (DARK, LIGHT):
            viewer.show_theme(theme)
        assert not viewer.grab().isNull()
