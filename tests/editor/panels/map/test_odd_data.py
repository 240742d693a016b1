"""What viewers make of data that nobody planned for: each of them shows something, whatever comes."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from PyQt6.QtCore import QPointF
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.editor.live.automatic_layout import wishes
from studio.editor.live.batch import Batch, Event
from studio.editor.live.feed import Changes, Feed
from studio.editor.look.theme import DARK
from studio.editor.panels.compare.compare_viewer import CompareViewer
from studio.editor.panels.map.map_viewer import MapViewer
from studio.editor.panels.map.scan_viewer import ScanViewer
from studio.editor.panels.map.votes_viewer import VotesViewer
from studio.editor.panels.plot.plot_viewer import PlotViewer
from studio.editor.viewers.viewer_kinds import KINDS, Kind
from studio.editor.views.maps.plane_view import PlaneView
from studio.editor.views.maps.votes_view import current
from studio.editor.views.shared.field_drag import Field
from studio.editor.window.main_window import MainWindow
from studio.messages import Float64, Map, Message, PoseTransform, Range3d, String, Velocity, Vote
from studio.runtime.wire.frames import HANDLED_TOPIC

MAP, OTHER_MAP, POSE, SCAN = "/terrain/map", "/traverse/map", "/car/pose", "/car/laser"
PATH, VOTES, COMMAND, NUMBER = "/planner/path", "/avoid/votes", "/arbiter/command", "/a/n"
TYPES = {
    MAP: "Map", OTHER_MAP: "Map", POSE: "PoseTransform", SCAN: "Range3d", PATH: "Range3d", VOTES: "Vote",
    COMMAND: "Velocity", NUMBER: "Float64",
}  # fmt: skip
BAD = (np.nan, np.inf, -np.inf)


@pytest.fixture
def feed(qapp: QApplication) -> Iterator[Feed]:
    made = Feed()
    made.state = {
        "topics": {name: {"type": kind, "count": 1} for name, kind in TYPES.items()},
        "components": {}, "processes": {}, "geometry": {"length_m": 3.0, "mounts": {"Laser": np.eye(4).tolist()}},
    }  # fmt: skip
    yield made
    made.close()


def deliver(feed: Feed, *events: tuple[str, Message], first: int = 1) -> None:
    """As the feed hands them over: in one batch, to all who watch."""
    batch = Batch()
    for number, (topic, message) in enumerate(events, first):
        event = Event(topic, number, number * 10_000_000, message)
        batch.events.setdefault(topic, deque()).append(event)
        batch.counts[topic] = batch.counts.get(topic, 0) + 1
    for watch in list(feed._watches):
        feed._show(watch, batch)


def opened(kind: Kind, feed: Feed) -> Any:
    viewer = kind.make(feed, DARK)
    viewer.resize(640, 420)
    if isinstance(viewer, MapViewer):
        viewer.layering.add(OTHER_MAP)
        viewer.view.things.votes = viewer.view.things.scans = True
        viewer.topics_changed()
    if isinstance(viewer, PlotViewer):
        for topic, path in ((NUMBER, "data"), (POSE, "position[0]"), (SCAN, "ranges_m.min")):
            viewer.add(Field(topic, path))
    return viewer


def grid(rows: int, columns: int, *values: float, planes: tuple[str, ...] = ("height", "variance")) -> Map:
    cells = np.resize(np.array(values or (0.1,), np.float32), (len(planes), rows, columns))
    return Map(resolution_m=0.5, plane_names=planes, planes=cells)


def drawn(viewer: Any) -> None:
    if isinstance(viewer, PlotViewer):
        viewer.redraw()
    viewer.changed(Changes(topics=set(TYPES)))
    assert not viewer.grab().isNull()


def sane() -> list[tuple[str, Message]]:
    arcs = np.linspace(-0.2, 0.2, 5)
    return [
        (MAP, grid(8, 9)), (OTHER_MAP, grid(8, 9)), (POSE, PoseTransform.from_xyz_rpy(x_m=1.0)),
        (SCAN, Range3d.from_xyz([[1, 0, 0], [2, 1, 0]], frame="Laser")), (PATH, Range3d.from_xyz([[3, 1, 0]])),
        (VOTES, Vote.over(arcs, vote=np.zeros(5))), (COMMAND, Velocity(speed_m_s=1.0)), (NUMBER, Float64(data=1.0)),
    ]  # fmt: skip


def senseless() -> list[tuple[str, Message]]:
    arcs = np.linspace(-0.2, 0.2, 5)
    nowhere = np.full((3, 3), np.nan)
    return [
        (MAP, grid(8, 9, *BAD, 0.2)), (OTHER_MAP, grid(8, 9, *BAD)), (POSE, PoseTransform.from_xyz_rpy(x_m=np.nan)),
        (POSE, PoseTransform.from_xyz_rpy(x_m=np.inf)), (SCAN, Range3d.from_xyz(nowhere, frame="Laser")),
        (PATH, Range3d.from_xyz(nowhere)), (COMMAND, Velocity(speed_m_s=np.nan, steering_angle_rad=np.inf)),
        (VOTES, Vote.over(arcs, vote=np.full(5, np.nan), confidence=np.full(5, np.inf), max_speed_m_s=np.nan)),
        *((NUMBER, Float64(data=value)) for value in BAD),
    ]  # fmt: skip


def empty() -> list[tuple[str, Message]]:
    none = Range3d.from_xyz(np.zeros((0, 3)), frame="Laser")
    return [
        (MAP, Map(plane_names=("height",), planes=np.zeros((1, 0, 0)))), (OTHER_MAP, Map()),
        (SCAN, none), (PATH, none), (VOTES, Vote.over([])),
    ]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_viewer_lives_through_everything(kind: Kind, feed: Feed) -> None:
    viewer = opened(kind, feed)
    drawn(viewer)
    for odd in (sane(), senseless(), sane(), empty(), sane()):
        deliver(feed, *odd)
        drawn(viewer)
    for rows, columns in ((1, 1), (40, 3), (3, 40)):
        deliver(feed, (MAP, grid(rows, columns)), (OTHER_MAP, grid(columns, rows, planes=("cost",))))
        drawn(viewer)
    deliver(feed, *((topic, String(data="another type")) for topic in TYPES))
    drawn(viewer)
    deliver(feed, *sane())
    drawn(viewer)
    flood = [(topic, message) for topic, message in sane() for _ in range(60)]
    deliver(feed, *flood, first=1000)
    drawn(viewer)
    feed.state = {}
    viewer.ended()
    viewer.close_viewer()
    kept = {HANDLED_TOPIC}  # the trace is kept for the next viewer
    assert {watch.topic for watch in feed._watches} <= kept, "whoever is closed looks at nothing any more"


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_without_one_known_type_every_viewer_says_so(kind: Kind, feed: Feed) -> None:
    feed.state["topics"] = {"/radar/tracks": {"type": "acme_msgs/msg/Tracks", "count": 7, "rate_hz": 5.0}}
    viewer = kind.make(feed, DARK)
    viewer.resize(500, 300)
    assert not viewer.grab().isNull()
    viewer.close_viewer()


class TestWhatIsShown:
    def test_the_way_is_whole_however_fast_a_log_plays(self, feed: Feed) -> None:
        """Flat out two pictures are ten seconds of the log apart, and the way was cleared as of another run."""
        viewer = MapViewer(feed, DARK)
        viewer.pose.choose(POSE)
        poses = [(POSE, PoseTransform.from_xyz_rpy(x_m=float(n), stamp_ns=n * 4 * 10**9)) for n in range(40)]
        deliver(feed, *poses[:20])
        deliver(feed, *poses[20:], first=21)
        assert len(viewer.view.path) == 40

    def test_a_map_that_changes_size_and_planes(self, feed: Feed) -> None:
        viewer = MapViewer(feed, DARK)
        viewer._choose_plane("variance")
        deliver(feed, (MAP, grid(8, 9)))
        assert viewer.view.layers[0].plane == "variance"
        deliver(feed, (MAP, grid(20, 30, planes=("cost",))))
        assert viewer.view.layers[0].plane == "cost" and "30 × 20 cells" in viewer.facts.text()
        deliver(feed, (MAP, grid(8, 9)))
        assert viewer.view.layers[0].plane == "variance", "the wish is kept until it can be fulfilled"

    def test_a_map_that_grows_stays_in_view_until_somebody_chooses_what_is_seen(self, feed: Feed, qtbot: QtBot) -> None:
        """Of a map that was made four times as large, a corner was seen."""
        viewer = MapViewer(feed, DARK)
        qtbot.addWidget(viewer)
        viewer.resize(640, 420)
        viewer.show()
        QApplication.processEvents()
        deliver(feed, (MAP, grid(8, 9)))
        deliver(feed, (MAP, grid(80, 90)))
        assert sees_all(viewer.view)
        viewer.resize(300, 600)
        QApplication.processEvents()
        assert sees_all(viewer.view)
        viewer.view.zoom_at(QPointF(20, 20), 0.2)
        viewer.view.moved_by_hand.emit()
        chosen = viewer.view.world()
        deliver(feed, (MAP, grid(8, 9)), (MAP, grid(160, 90)))
        assert viewer.view.world() == chosen

    def test_a_scan_that_grows_stays_in_view_until_somebody_moves_it(self, feed: Feed, qtbot: QtBot) -> None:
        viewer = ScanViewer(feed, DARK)
        qtbot.addWidget(viewer)
        viewer.resize(640, 420)
        viewer.topic.choose(SCAN)
        viewer.show()
        QApplication.processEvents()
        for far in (1.0, 1.02, 200.0, 3.0):
            deliver(feed, (SCAN, Range3d.from_xyz([[far, 0, 0], [far, far, 0], [0, -far, 0]])))
            assert sees_all(viewer.view)
        assert viewer.view.metres_per_pixel < 0.1, "one long beam is forgotten"
        viewer.resize(300, 600)
        QApplication.processEvents()
        assert sees_all(viewer.view)
        viewer.view.zoom_at(QPointF(20, 20), 0.2)
        viewer.view.moved_by_hand.emit()
        chosen = viewer.view.world()
        deliver(feed, (SCAN, Range3d.from_xyz([[70.0, 0, 0]])))
        assert viewer.view.world() == chosen
        viewer.fit.click()
        assert sees_all(viewer.view)

    def test_nothing_is_neither_above_nor_below(self, feed: Feed) -> None:
        """A flat floor was −0.00 m high here and +0.00 m there."""
        viewer = MapViewer(feed, DARK)
        deliver(feed, (MAP, grid(4, 4, -0.001, planes=("height",))))
        assert viewer.view.read_out(0.2, 0.2).endswith("   0.00 m")

    def test_a_map_of_nothing_but_nan_and_one_of_infinite_cells(self, feed: Feed) -> None:
        viewer = MapViewer(feed, DARK)
        deliver(feed, (MAP, grid(4, 4, np.nan)))
        assert viewer.view.read_out(0.2, 0.2).endswith("unknown")
        deliver(feed, (MAP, grid(4, 4, np.inf)))
        assert viewer.view.read_out(0.2, 0.2).endswith("infinite")

    def test_a_layer_whose_type_changes_goes_and_the_map_stays(self, feed: Feed) -> None:
        viewer = MapViewer(feed, DARK)
        viewer.layering.add(OTHER_MAP)
        deliver(feed, *sane())
        assert len(viewer.view.layers) == 2
        deliver(feed, (OTHER_MAP, Float64(data=1.0)))
        assert [layer.map.rows for layer in viewer.view.layers] == [8]

    def test_maps_to_compare_that_turn_into_something_else(self, feed: Feed) -> None:
        viewer = CompareViewer(feed, DARK)
        deliver(feed, *sane())
        assert viewer.found is not None and not viewer.empty.isVisibleTo(viewer)
        deliver(feed, (MAP, Map()))
        assert viewer.empty.isVisibleTo(viewer) and "Map A is empty" in viewer.empty.words.text()
        deliver(feed, *sane())
        assert not viewer.empty.isVisibleTo(viewer)
        viewer.sides[0].hold.click()
        deliver(feed, (MAP, String(data="?")))
        assert not viewer.empty.isVisibleTo(viewer), "a map that is held stays"
        deliver(feed, (OTHER_MAP, String(data="?")))
        assert viewer.empty.isVisibleTo(viewer), "the last map of another log stayed as if it were of this one"
        assert viewer.empty.words.text() == f"{OTHER_MAP} carries String now, not Map"
        deliver(feed, *sane())
        assert not viewer.empty.isVisibleTo(viewer) and not viewer.facts.text()

    def test_a_voter_who_falls_silent_has_no_say(self, feed: Feed) -> None:
        viewer = VotesViewer(feed, DARK)
        viewer.resize(400, 300)
        arcs = [-0.1, 0.1]
        for voter, seconds in (("/a/votes", 1), ("/b/votes", 9)):
            vote = Vote.over(arcs, vote=[1.0, -1.0]).replace(stamp_ns=seconds * 10**9)
            viewer._take_votes([Event(voter, 1, 0, vote)])
        assert list(current(viewer.view.votes)) == ["b"]
        assert not viewer.grab().isNull()


def sees_all(view: PlaneView) -> bool:
    extent, world = view.extent_m(), view.world()
    assert extent is not None
    left, bottom, right, top = extent
    return (
        world.left_m <= left and right <= world.x_of(world.width)
        and world.y_of(world.height) <= bottom and top <= world.top_m
    )  # fmt: skip


KNOWN = {kind.name: kind.types for kind in KINDS}


class TestWhatOpensByItself:
    def test_by_the_types_of_a_driving_system(self) -> None:
        topics = {name: {"type": kind} for name, kind in TYPES.items()}
        found = wishes({"topics": topics}, KNOWN)
        assert [wish.kind for wish in found][:3] == ["map", "votes", "scan"]
        chosen = {wish.kind: wish.settings for wish in found}
        assert chosen["map"] == {"topic": MAP} and chosen["scan"] == {"topic": SCAN}
        assert chosen["plot"]["fields"][0] == [COMMAND, "speed_m_s"], "what moves it gives the plot its name"
        assert [NUMBER, "data"] in chosen["plot"]["fields"]

    def test_poses_become_curves_where_nothing_else_shows_them(self) -> None:
        found = wishes({"topics": {POSE: {"type": "PoseTransform"}}}, KNOWN)
        assert [wish.kind for wish in found] == ["plot"]
        assert found[0].settings["fields"][0] == [POSE, "position[0]"]

    def test_a_path_is_no_scan(self) -> None:
        found = wishes({"topics": {PATH: {"type": "Range3d"}, NUMBER: {"type": "Float64"}}}, KNOWN)
        assert [wish.kind for wish in found] == ["plot"]

    def test_a_log_without_one_known_type_is_shown_as_it_is(self) -> None:
        state = {"topics": {"/b": {"type": "acme/B"}, "/a": {"type": "acme/A"}}, "player": {"log": "x.mcap"}}
        found = wishes(state, KNOWN)
        assert [wish.kind for wish in found] == ["message", "topics", "player"]
        assert found[0].settings == {"topic": "/a"}

    def test_nothing_for_nothing(self) -> None:
        assert wishes({}, KNOWN) == []

    def test_they_open_one_after_the_other_in_the_window(self, window: MainWindow, qtbot: QtBot) -> None:
        topics = {name: {"type": TYPES[name], "count": 1} for name in (MAP, VOTES, COMMAND)}
        feed = window.live.feed
        feed.state = {"topics": topics, "components": {}, "processes": {}}
        try:
            window.viewers.choose_by_types()
            qtbot.waitUntil(lambda: len(window.viewers.open) == 3, timeout=30_000)
            assert list(window.viewers.open) == ["map.1", "votes.1", "plot.1"]
            assert window.viewers.open["map.1"].save()["topic"] == MAP
            assert window.viewers.open["plot.1"].save()["fields"][0] == [COMMAND, "speed_m_s"]
        finally:
            feed.state = {}
