"""The map viewer: a plane of a map topic in colours, the vehicle on it, and what was before."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QComboBox, QFileDialog

from studio.editor.live.batch import Event
from studio.editor.live.feed import Changes, Feed
from studio.editor.look.theme import Theme
from studio.editor.panels.map.map_goal import NOBODY, send_goal
from studio.editor.panels.map.map_layering import MapLayering
from studio.editor.panels.map.map_legends import LegendHands
from studio.editor.panels.map.map_past import MapPast
from studio.editor.panels.map.map_pose import POSES, pose_of_map
from studio.editor.panels.map.map_stack import LayerStack
from studio.editor.panels.map.map_things import ThingsWatch
from studio.editor.panels.map.map_words import MapWords
from studio.editor.panels.parts.layers_form import LayersForm
from studio.editor.panels.parts.picture_file import save_picture
from studio.editor.panels.parts.viewer import Bar, Empty, Settings, TopicChoice, Viewer, column, facts, stacked
from studio.editor.panels.parts.waiting_words import waiting_words
from studio.editor.views.maps.map_raster import compiled_painting as warm  # noqa: F401  # asked for by its module's users
from studio.editor.views.maps.map_view import MapView
from studio.editor.views.maps.plane_view import place_in
from studio.editor.views.shared.map_colours import SCHEMES
from studio.messages import Map, Odometry, PoseTransform, Range3d

NOTHING = "No map yet. Choose a topic of type Map, or run a system that makes one"


class MapViewer(Viewer):
    KIND, TITLE, ICON = "map", "Map", "mdi6.map"
    SHOWS_LAST = True
    compare_wanted = pyqtSignal(str, object, str)
    """With this map of a topic: topic, map, and what it is in words."""
    scene_wanted = pyqtSignal()

    def __init__(self, feed: Feed, theme: Theme) -> None:
        super().__init__(feed, theme)
        self.view = MapView(theme)
        self.empty = Empty(self.ICON, NOTHING, theme)
        self.place, self._stack = stacked(self.empty, self.view)
        self.topic = TopicChoice(frozenset({"Map"}), "Choose a map")
        self.topic.share = 0.3  # of eight buttons, not two should have room
        self.topic.chosen.connect(self._watch_map)
        self.pose = TopicChoice(POSES, "No vehicle")
        self._pose_is_chosen = False
        """By a person; otherwise it is the pose that the map was built with."""
        self.pose.activated.connect(lambda _: self._choose_pose())
        self.pose.setToolTip("Where the vehicle is: a pose or odometry in the map's frame")
        self.pose.chosen.connect(self._watch_pose)
        self.planned = TopicChoice(frozenset({"Range3d"}), "No path", "path")
        self.planned.setToolTip("Where the vehicle is to go: points of a plan in the map's frame")
        self.planned.chosen.connect(self._watch_path)
        self.plane = _box("Plane", "The plane of the map that is shown")
        self.plane.activated.connect(lambda _: self._choose_plane(self.plane.currentText()))
        self.colours = _box("Colours", "Colours; the second terrain scheme suits colour-blind users")
        self.colours.addItem("Colours by plane", "")
        for scheme in SCHEMES.values():
            if scheme.name != "difference":
                self.colours.addItem(scheme.title, scheme.name)
        self.colours.currentIndexChanged.connect(lambda _: self._choose_colours())
        self.follow = self.tool(
            "mdi6.crosshairs-gps", "Follow the vehicle: the view moves with it", self._follow, on=True
        )
        self.measure = self.tool("mdi6.ruler", "Measure: click two places", self._measure, on=False)
        self.goal = self.tool("fa6s.flag-checkered", "Goal: click where the vehicle is to go", self._pick, on=False)
        self.view.clicked.connect(self._send_goal)
        self.fit = self.tool(
            "mdi6.fit-to-page-outline", "Show the whole map: F, or a double-click", lambda _: self.view.fit_by_hand()
        )
        self.compare = self.tool(
            "mdi6.set-split",
            "Compare: hold this map and show the new ones beside it",
            lambda _: self._compare(),
        )
        self.scene = self.tool("mdi6.cube-scan", "3-D: the same in space", lambda _: self.scene_wanted.emit())
        self.export = self.tool("mdi6.image-outline", "Save the picture as PNG", lambda _: self.ask_export())
        self.facts = facts()
        self.words = MapWords(self, self.facts)
        self.words.changed.connect(self._note)
        self.past = MapPast()
        self.past.moved.connect(self._show_map)
        self.stack = LayerStack()
        rows = {"Vehicle": self.pose, "Planned path": self.planned, "Colours": self.colours}
        self.layers = LayersForm(self, self.view.things, rows, theme)
        self.more = self.tool(
            "mdi6.layers-outline", "Layers: order, opacity, and overlays",
            lambda _: self.layers.open_below(self.more),
        )  # fmt: skip
        bar = Bar(
            self.topic, self.plane, self.follow, self.goal, self.measure, self.fit, self.more, self.scene, self.compare,
            self.export, self.facts, self.past,
        )  # fmt: skip
        column(self, bar, self.place)
        self._things = ThingsWatch(self, self.view)
        self.layering = MapLayering(self, self.layers, self.stack, self._things)
        self.setFocusProxy(self.view)
        self._is_over = False
        """What is shown is of a run that has ended."""
        self._wanted_plane = ""
        self.view.moved_by_hand.connect(self._moved)
        self._legends = LegendHands(self, self.view, self.stack)
        self._legends.changed.connect(self._colours_changed)
        for signal in (self.view.plates_moved, self.view.plates_toggled):
            signal.connect(self.settled)
        self.topics_changed()

    # ---- what is kept

    def save(self) -> Settings:
        return {
            "topic": self.topic.topic, "pose": self.pose.topic if self._pose_is_chosen else "",
            "path": self.planned.topic, "plane": self._wanted_plane,
            "colours": self.stack.main.colours, "follow": self.follow.isChecked(),
            "layers": self.stack.save(), "things": asdict(self.view.things), "plates": self.view.plates.save(),
            "hides_plates": not self.view.shows_plates,
            "view": [*self.view.centre_m, self.view.metres_per_pixel] if self.view.is_free else None,
        }  # fmt: skip

    def restore(self, settings: Settings) -> None:
        self._wanted_plane = str(settings.get("plane", ""))
        self.stack.main.colours = str(settings.get("colours", ""))
        self._show_colours()
        self.follow.setChecked(bool(settings.get("follow", True)))
        self._follow(self.follow.isChecked())
        for choice in self.stack.restore(settings.get("layers")):
            self.layering.watch(choice)
        self.view.plates.restore(settings.get("plates"))
        self.view.shows_plates = settings.get("hides_plates") is not True
        view = place_in(settings.get("view"))
        if view is not None and not self.follow.isChecked():
            self.view.show_free(*view)
        things = settings.get("things")
        for name, on in things.items() if isinstance(things, dict) else ():
            if isinstance(on, bool) and hasattr(self.view.things, name):
                setattr(self.view.things, name, on)
        self.layers.show_things()
        for box, name in ((self.topic, "topic"), (self.pose, "pose"), (self.planned, "path")):
            box.choose(str(settings.get(name, "")))
        self._pose_is_chosen = bool(self.pose.topic)
        self.topics_changed()

    # ---- the feed

    def attached(self) -> None:
        self._forget()

    def ended(self) -> None:
        """The last picture stays, and says that nothing comes any more."""
        self._is_over = True
        self._note()

    def changed(self, changes: Changes) -> None:
        is_real = "real" in self.feed.state.get("sources", {}).values()
        if changes.system and is_real != self.view.is_real:
            self.view.is_real = is_real
            self.view.update()
        if self.topic.topic in changes.topics:
            self._show_rate()

    def topics_changed(self) -> None:
        topics = self.feed.state.get("topics", {})
        self.topic.refresh(topics, first=True)
        self._take_pose_of_map()
        for box in (self.pose, self.planned):
            box.refresh(topics, first=True)
        vehicle = self.feed.state.get("geometry") or {}
        self.view.vehicle_m = float(vehicle.get("length_m", 1.0))
        self.view.mounts = vehicle.get("mounts", {})
        self._things.look(self.planned.topic)
        self.layering.show_list()
        self._show_rate()

    def _show_rate(self) -> None:
        told = self.feed.state.get("topics", {}).get(self.topic.topic, {})
        self.words.show_rate(float(told.get("rate_hz") or 0.0))

    def _watch_map(self, topic: str) -> None:
        self._forget()
        self.stack.main.topic = topic
        self.layering.show_list()
        self.look_at("map", topic, self._take_map)
        self._take_pose_of_map()
        self.retitle(topic or self.TITLE)
        self.settled.emit()

    def _choose_pose(self) -> None:
        self._pose_is_chosen = bool(self.pose.topic)

    def _take_pose_of_map(self) -> None:
        """Another one drifts away from what the map shows."""
        pose = "" if self._pose_is_chosen else pose_of_map(self.topic.topic, self.feed.state)
        if pose:
            self.pose.choose(pose)

    def _watch_pose(self, topic: str) -> None:
        self.look_at(
            "pose", topic, self._take_pose, every=True
        )  # a log that plays fast drives far between two pictures
        self.settled.emit()

    def _take_map(self, events: list[Event]) -> None:
        message = events[-1].message
        if not isinstance(message, Map):
            self._say(f"{events[-1].topic} carries {type(message).__name__} now, not Map. Choose another topic")
            return
        looked_at = self.shown
        is_kept = self.past.add(message, events[-1].stamp_ns)
        if self.shown is looked_at:  # an earlier one, which is older by now
            self._note()
            return
        if not is_kept:  # or a log was rewound behind what was looked at
            self.words.tell("That map is no longer kept: this is the oldest of this run")
        self._show_map()

    def _watch_path(self, topic: str) -> None:
        self.look_at("path", topic, self._take_path)
        self.settled.emit()

    def _take_path(self, events: list[Event]) -> None:
        message = events[-1].message
        if isinstance(message, Range3d):
            self.view.show_plan(message.xyz[:, :2])

    def _take_pose(self, events: list[Event]) -> None:
        for message in (event.message for event in events):
            if isinstance(message, Odometry):
                place, turn = message.position, message.orientation
                message = PoseTransform.from_quaternion(place, turn, stamp_ns=message.stamp_ns)
            if isinstance(message, PoseTransform):
                self.view.show_pose(message)

    # ---- showing

    @property
    def shown(self) -> Map | None:
        return self.past.shown

    def _show_map(self) -> None:
        shown = self.shown
        if shown is None:
            return
        names = list(shown.plane_names)
        if names != [self.plane.itemText(i) for i in range(self.plane.count())]:
            self.plane.clear()
            self.plane.addItems(names)
        plane = self._wanted_plane if self._wanted_plane in names else (names[0] if names else "")
        self.plane.setCurrentText(plane)
        if not names or not shown.rows or not shown.columns:
            self._say("The map is empty: it has no cells yet")
            return
        self._stack.setCurrentWidget(self.view)
        self.stack.main.plane = plane
        self._note()
        self.layering.compose()
        self.words.show_map(shown)

    def _note(self) -> None:
        """What is not as one would think."""
        shown = self.shown
        if shown is None:
            return
        past = "" if self.past.is_newest else f"The map of {self.past.ago_s:.1f} s ago"
        over = "The run is over" if self._is_over else ""
        self.view.notes = tuple(part for part in (past, over, self.words.told) if part)
        self.view.update()

    def _say(self, sentence: str) -> None:
        self.empty.say(sentence)
        self._stack.setCurrentWidget(self.empty)

    def _forget(self) -> None:
        self.past.forget()
        self._is_over = False
        self.stack.forget()
        self.view.notes = ()
        self.view.forget()
        self.words.show_map(None)
        self._say(waiting_words("map", self.topic.topic, self.feed.state) if self.topic.topic else NOTHING)

    # ---- choices

    def _choose_plane(self, plane: str) -> None:
        self._wanted_plane = plane
        self._show_map()
        self.settled.emit()

    def _choose_colours(self) -> None:
        if self.stack.main.colours != str(self.colours.currentData()):
            self.stack.main.colours = str(self.colours.currentData())
            self._show_map()
            self.settled.emit()

    def _show_colours(self) -> None:
        self.colours.setCurrentIndex(max(self.colours.findData(self.stack.main.colours), 0))

    def _measure(self, on: bool) -> None:
        """A click means one thing: measuring ends choosing a goal, and the other way round."""
        self.goal.setChecked(False)
        self.view.set_picking(False)
        self.view.set_measuring(on)

    def _pick(self, on: bool) -> None:
        self.measure.setChecked(False)
        self.view.set_measuring(False)
        self.view.set_picking(on)

    def _send_goal(self, x_m: float, y_m: float) -> None:
        self.goal.setChecked(False)
        self.view.set_picking(False)
        frame = self.shown.frame if self.shown is not None else ""
        told = send_goal(self.feed, x_m, y_m, frame, self.planned.topic, lambda error: self.words.tell(str(error)))
        self.words.tell(told)
        if told != NOBODY:
            self.view.goal_m = (x_m, y_m)  # until a plan says so
            self.view.update()

    def _colours_changed(self) -> None:
        self._show_colours()
        self.layering.compose()
        self.settled.emit()

    def _compare(self) -> None:
        if self.shown is not None:
            self.compare_wanted.emit(self.topic.topic, self.shown, f"held, of {self.shown.stamp_ns / 1e9:.1f} s")

    def _follow(self, on: bool) -> None:
        self.view.set_following(on)
        self.settled.emit()

    def _moved(self) -> None:
        self.follow.setChecked(False)
        self.settled.emit()

    def ask_export(self) -> None:
        name, _ = QFileDialog.getSaveFileName(self, "Save the picture", "map.png", "Pictures (*.png)")
        if name:
            self.export_to(Path(name))

    def export_to(self, path: Path) -> bool:
        return self.has_saved(save_picture(self.view.grab(), path))

    def show_theme(self, theme: Theme) -> None:
        super().show_theme(theme)
        self.view.show_theme(theme)
        self.empty.show_theme(theme)
        self.layers.theme = theme
        self.layering.show_list()


def _box(name: str, words: str) -> QComboBox:
    box = QComboBox()
    box.setToolTip(words)
    box.setAccessibleName(name)
    box.setPlaceholderText(name)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
    return box
