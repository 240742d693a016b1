"""The scene in three dimensions: the vehicle as its geometry says, what its lasers see, the ground, and the way."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path
from typing import Any

from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtGui import QAction
from PyQt6.QtWidgets import QFileDialog, QMenu, QToolButton

from studio.editor.live.batch import Event
from studio.editor.live.feed import Changes, Feed
from studio.editor.live.quiet_topics import quiet_words
from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme
from studio.editor.panels.parts.picture_file import save_picture
from studio.editor.panels.parts.viewer import (
    RUN,
    Bar,
    Empty,
    More,
    Offer,
    Settings,
    TopicChoice,
    Viewer,
    column,
    facts,
    stacked,
)
from studio.editor.views.scene.camera import PRESETS
from studio.editor.views.scene.content import LAYERS, Vehicle, drives
from studio.editor.views.scene.meshes import height_plane
from studio.editor.views.scene.view import SceneView
from studio.editor.views.shared.map_colours import fixed_range, range_of, scheme_for
from studio.errors import StudioError
from studio.messages import JointState, Map, Odometry, PoseTransform, Range3d
from studio.model.geometry.content import GeometryContent

POSES = frozenset({"PoseTransform", "Odometry"})
MOST_SCANS = 6
TOLD_EVERY_MS = 1000
NOTHING = "Nothing to see yet. Run a system that has a geometry, a map or a laser"
LAYER_WORDS = {
    "vehicle": "Vehicle", "frames": "Frames, with their names", "points": "Points of lasers", "map": "Ground",
    "path": "Planned path", "trail": "Way that was driven", "grid": "Grid",
}  # fmt: skip


class SceneViewer(Viewer):
    KIND, TITLE, ICON = "scene", "3-D scene", "mdi6.cube-scan"

    def __init__(self, feed: Feed, theme: Theme) -> None:
        super().__init__(feed, theme)
        self.view = SceneView(theme)
        self.view.moved_by_hand.connect(lambda: self.follow.setChecked(False))
        self.view.looked.connect(self.settled)
        self.empty = Empty(self.ICON, NOTHING, theme)
        self.place, self._stack = stacked(self.empty, self.view)
        self._digest = ""
        self._scans: set[str] = set()
        self._joints: set[str] = set()
        self._was_fitted = False
        self._build(theme)
        self._timer = QTimer(self)
        self._timer.setInterval(TOLD_EVERY_MS)
        self._timer.timeout.connect(self._tell)
        self._timer.start()
        self.setFocusProxy(self.view)
        self._ask_geometry()
        self.topics_changed()

    def _build(self, theme: Theme) -> None:
        self.topic = TopicChoice(frozenset({"Map"}), "No ground")
        self.topic.setToolTip("The map that is the ground")
        self.topic.chosen.connect(self._watch_map)
        self.pose = TopicChoice(POSES, "No pose")
        self.pose.setToolTip("Where the vehicle is")
        self.pose.chosen.connect(self._watch_pose)
        self.planned = TopicChoice(frozenset({"Range3d"}), "No path", "path")
        self.planned.setToolTip("Where the vehicle is to go")
        self.planned.chosen.connect(self._watch_path)
        self.more = More("Topics", {"Vehicle": self.pose, "Path": self.planned}, theme)
        self.follow = self.tool("mdi6.crosshairs-gps", "Follow the vehicle: V", self._follow, on=True)
        self.fit = self.tool(
            "mdi6.fit-to-page-outline", "Show everything: F, or a double-click", lambda _: self.view.fit()
        )
        self.export = self.tool("mdi6.image-outline", "Save the picture as PNG", lambda _: self.ask_export())
        self.looks = self._menu("mdi6.eye-outline", "From where: above, the side, ahead", [
            (preset.words, partial(self.view.look_from, number)) for number, preset in enumerate(PRESETS)
        ])  # fmt: skip
        self.layers = self._menu("mdi6.eye-check-outline", "Choose what to draw", [])
        self._layer_actions = {name: self._layer(name) for name in LAYERS}
        follow_key = QAction(self)
        follow_key.setShortcut("V")
        follow_key.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        follow_key.triggered.connect(self.follow.click)
        self.view.addAction(follow_key)
        self.facts = facts()
        bar = Bar(self.topic, self.follow, self.looks, self.layers, self.fit, self.more, self.export, self.facts)
        column(self, bar, self.place)

    def _menu(self, picture: str, words: str, entries: list[tuple[str, Any]]) -> QToolButton:
        button = self.tool(picture, words, lambda _: None)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(button)
        for text, do in entries:
            menu.addAction(text, do)
        button.setMenu(menu)
        return button

    def _layer(self, name: str) -> QAction:
        menu = self.layers.menu()
        assert menu is not None
        action = menu.addAction(LAYER_WORDS[name])
        assert action is not None
        action.setCheckable(True)
        action.setChecked(name in self.view.shown)
        action.toggled.connect(lambda on: self.show_layer(name, on))
        return action

    # ---- what is kept

    def save(self) -> Settings:
        at = self.view.camera
        target = [0.0, 0.0, 0.0] if self.follow.isChecked() else at.target.tolist()
        camera = [round(each, 3) for each in (at.yaw_rad, at.pitch_rad, at.distance_m, *target)]
        return {
            "map": self.topic.topic, "pose": self.pose.topic, "path": self.planned.topic,
            "layers": sorted(self.view.shown), "follow": self.follow.isChecked(),
            "camera": camera,
        }  # fmt: skip

    def restore(self, settings: Settings) -> None:
        layers, camera = settings.get("layers"), settings.get("camera")
        if isinstance(layers, list):
            for name, action in self._layer_actions.items():
                action.setChecked(name in layers)
        if isinstance(camera, list) and len(camera) == 6 and all(_is_number(each) for each in camera):
            at = self.view.camera
            at.yaw_rad, at.pitch_rad = camera[0], min(max(camera[1], -math.pi / 2), math.pi / 2)
            at.target[:] = camera[3:]
            at.distance_m = 1.0
            at.zoom(1.0 / max(camera[2], 0.01))
            self._was_fitted = True
        self.follow.setChecked(settings.get("follow") is not False)
        self.view.follows = self.follow.isChecked()
        for choice, name in ((self.topic, "map"), (self.pose, "pose"), (self.planned, "path")):
            choice.choose(str(settings.get(name, "")))
        self.topics_changed()

    # ---- the feed

    def offer(self) -> Offer | None:
        return None if self.feed.is_attached else RUN

    def attached(self) -> None:
        self.view.content.forget()
        self._digest = ""
        self._ask_geometry()

    def changed(self, changes: Changes) -> None:
        if changes.system:
            self._ask_geometry()

    def ended(self) -> None:
        self._tell()

    def quiet_words(self) -> str:
        return quiet_words(self.feed.state, self.seen_topics())

    def topics_changed(self) -> None:
        topics = self.feed.state.get("topics", {})
        for choice in (self.topic, self.pose, self.planned):
            choice.refresh(topics, first=True)
        scans = {name for name, told in topics.items() if told.get("type") == "Range3d" and "path" not in name}
        joints = {name for name, told in topics.items() if told.get("type") == "JointState"}
        if topics:
            self._scans = self._watch_all("scan", self._scans, set(sorted(scans)[:MOST_SCANS]))
            self._joints = self._watch_all("joints", self._joints, joints)

    def _watch_all(self, role: str, before: set[str], now: set[str]) -> set[str]:
        for topic in before - now:
            self.look_at(f"{role} {topic}", "", self._take)
            self.view.content.scans.pop(topic, None)
        for topic in now - before:
            self.look_at(f"{role} {topic}", topic, self._take)
        return now

    def _ask_geometry(self) -> None:
        """Once for each geometry: it may be corrected while the system runs."""
        told = self.feed.state.get("geometry")
        digest = str(told.get("digest", "")) if isinstance(told, dict) else ""
        if digest != self._digest:
            self._digest = digest
            if digest:
                self.feed.ask("geometry", self._take_geometry, self._refused)
            else:
                self.view.content.vehicle = None

    def _take_geometry(self, reply: dict[str, Any]) -> None:
        told = reply.get("geometry")
        if told is not None:
            self.show_geometry(GeometryContent.of_json(told))

    def show_geometry(self, content: GeometryContent) -> None:
        from studio.model.geometry.flat_model import model_of  # reads XML, which nobody needs who has no geometry

        model = model_of(content)
        if model.bodies:
            self.view.content.vehicle = Vehicle(model, drives(model))
            self._show()
            if not self._was_fitted:
                self._was_fitted = True
                self.view.camera.show_sphere(self.view.camera.target, 2.5 * self.view.content.vehicle.radius_m())

    def _refused(self, error: StudioError) -> None:
        self.facts.setText(str(error))
        self.facts.setToolTip(str(error))

    # ---- messages

    def _watch_map(self, topic: str) -> None:
        self.view.content.show_map(None, "", None)
        self.look_at("map", topic, self._take)
        self.view.changed()
        self.settled.emit()

    def _watch_pose(self, topic: str) -> None:
        self.view.content.trail.clear()
        self.look_at("pose", topic, self._take)
        self.settled.emit()

    def _watch_path(self, topic: str) -> None:
        self.look_at("path", topic, self._take)
        self.settled.emit()

    def _take(self, events: list[Event]) -> None:
        event, content = events[-1], self.view.content
        match event.message:
            case Map() as map_ if event.topic == self.topic.topic:
                self._take_map(map_)
            case PoseTransform() | Odometry() as pose if event.topic == self.pose.topic:
                content.show_pose(pose)
            case Range3d() as path if event.topic == self.planned.topic:
                content.show_path(path)
            case Range3d() as scan:
                content.show_scan(event.topic, scan, content.map.frame if content.map is not None else "")
            case JointState() as joints if content.vehicle is not None:
                content.vehicle.hear(joints)
            case _:
                return  # a topic whose type has changed, or a vehicle that is not known yet
        self._show()

    def _take_map(self, map_: Map) -> None:
        plane = height_plane(map_) or (map_.plane_names[0] if map_.plane_names else "")
        scheme = scheme_for(plane).seen_in(self.theme.name)
        if plane and map_.planes.size and not fixed_range(plane):
            scheme = scheme.over(*range_of(map_.plane(plane)))
        self.view.content.show_map(map_, plane, scheme)

    def _show(self) -> None:
        if self._stack.currentWidget() is not self.view:
            self._stack.setCurrentWidget(self.view)
            self._tell()
        self.view.changed()

    def _tell(self) -> None:
        content, view = self.view.content, self.view
        words = []
        if content.vehicle is not None:
            words.append(content.vehicle.model.name)
        if content.scans and "points" in view.shown:
            words.append(f"{sum(len(points) for points in content.scans.values())} points")
        if content.unplaced:
            topic, frame = next(iter(content.unplaced.items()))
            words.append(f"the place of {frame} of {topic} is not known")
        self.facts.setText(" · ".join(words))
        maker, why = view.pictures.maker, view.pictures.why_no_gl
        if maker is not None:
            how = f"OpenGL is not used: {why}\n" if why else ""
            self.facts.setToolTip(f"{how}{maker.renderer}\n{view.took_ms:.0f} ms a picture")
        if view.isVisible():
            view.update()  # the rate in its corner

    # ---- choices

    def show_layer(self, name: str, on: bool) -> None:
        (self.view.shown.add if on else self.view.shown.discard)(name)
        self.view.changed(by_hand=True)
        self.settled.emit()

    def _follow(self, on: bool) -> None:
        self.view.follow(on)
        self.settled.emit()

    def ask_export(self) -> None:
        name, _ = QFileDialog.getSaveFileName(self, "Save the picture", "scene.png", "Pictures (*.png)")
        if name:
            self.export_to(Path(name))

    def export_to(self, path: Path) -> bool:
        return self.has_saved(save_picture(self.view.grab(), path))

    def close_viewer(self) -> None:
        self._timer.stop()
        self.view.close_view()
        super().close_viewer()

    def show_theme(self, theme: Theme) -> None:
        super().show_theme(theme)
        self.view.show_theme(theme)
        self.empty.show_theme(theme)
        self.more.show_theme(theme)
        for button, picture in ((self.looks, "mdi6.eye-outline"), (self.layers, "mdi6.eye-check-outline")):
            button.setIcon(icon(picture, theme.muted))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)
