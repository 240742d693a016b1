"""The view of causes and effects, of a recorded run and of a system that runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from studio.editor.live import trace_keeper
from studio.editor.live.batch import Event
from studio.editor.live.feed import Changes, Feed
from studio.editor.live.trace import is_trace, trace_event
from studio.editor.live.trace_keeper import keeper_of
from studio.editor.look.theme import DARK, LIGHT
from studio.editor.panels.data.causality_viewer import CausalityViewer
from studio.editor.views.timeline.latency_histogram import latency_words, tick_words
from studio.editor.window.main_window import MainWindow
from studio.messages import Handled, HandledTrace, encode
from studio.recordings import where_logs_are
from studio.runtime.wire.frames import HANDLED_TOPIC, Kind, pack
from tests.runtime.replay.played import write_rig
from tests.runtime.replay.small_systems import diamond, record_traced

MS = 1_000_000


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record_traced(tmp_path_factory.mktemp("log") / "run.mcap", diamond(), 0.1)


@pytest.fixture
def feed(qapp: QApplication) -> Iterator[Feed]:
    made = Feed()
    made.state = {"topics": {"/laser/scan": {"type": "Range3d"}, "/arbiter/command": {"type": "Velocity"}}}
    yield made
    made.close()


@pytest.fixture
def viewer(feed: Feed) -> Iterator[CausalityViewer]:
    made = CausalityViewer(feed, LIGHT)
    made.resize(900, 480)
    made.show()
    yield made
    made.close_viewer()


def of_log(viewer: CausalityViewer, log: Path, qtbot: QtBot) -> CausalityViewer:
    viewer.open_log(log)
    qtbot.waitUntil(lambda: viewer.log is not None, timeout=20_000)
    return viewer


def test_a_log_is_looked_for_among_the_recordings_of_the_project(
    viewer: CausalityViewer, feed: Feed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def ask(_parent: object, _title: str, folder: str, _kinds: str) -> tuple[str, str]:
        asked.append(folder)
        return "", ""

    monkeypatch.setattr(QFileDialog, "getOpenFileName", ask)
    monkeypatch.setattr(type(feed), "folder", tmp_path, raising=False)
    viewer.open.click()
    assert asked == [str(where_logs_are(tmp_path))]


def test_an_event_of_a_log_with_its_path_and_how_long_that_takes(
    viewer: CausalityViewer, log: Path, qtbot: QtBot
) -> None:
    of_log(viewer, log, qtbot).explain("/merger/out", 3)
    story = viewer.story
    assert story is not None and story.topics[0] == "/ticker/out" and story.event == ("/merger/out", 3)
    assert viewer.lanes.lanes[0] == "ticker" and viewer.lanes.lanes[-1] == "merger"
    assert "3 components" in viewer.facts.text() and "from ticker.out" in viewer.facts.text()
    assert len(viewer.histogram.times_ms) >= 3 and viewer.histogram.own_ms == pytest.approx(story.latency_ns / 1e6)
    shares = [figures.words()[3] for figures in viewer.lanes.figures.values()]
    assert sum(int(share.split()[0]) for share in shares) == pytest.approx(100, abs=2)
    for theme in (DARK, LIGHT):
        viewer.show_theme(theme)
        assert not viewer.grab().isNull()


def test_bars_can_be_asked_and_lead_to_their_own_stories(viewer: CausalityViewer, log: Path, qtbot: QtBot) -> None:
    of_log(viewer, log, qtbot).explain("/merger/out", 3)
    lanes, story = viewer.lanes, viewer.story
    assert story is not None
    middle = lanes.bar_of(story.critical[0].target).center()
    words = lanes.words_at(middle.x(), middle.y())
    side = story.critical[0].target.component
    assert words.startswith(f"{side} handled /ticker/out #2") and f"published /{side}/out #2" in words
    QTest.mouseDClick(lanes, Qt.MouseButton.LeftButton, pos=QPoint(round(middle.x()), round(middle.y())))
    assert viewer.story is not None and viewer.story.event == (f"/{side}/out", 2)
    assert viewer.topic.topic == f"/{side}/out" and viewer.field.text() == "2"
    QTest.keyClick(lanes, Qt.Key.Key_N)
    assert viewer.story.event == (f"/{side}/out", 3)
    QTest.keyClick(lanes, Qt.Key.Key_P)
    assert viewer.story.event == (f"/{side}/out", 2)


def test_a_path_is_chosen_measured_and_kept(viewer: CausalityViewer, log: Path, qtbot: QtBot) -> None:
    of_log(viewer, log, qtbot).explain("/merger/out", 3)
    paths = [viewer.paths.itemText(i).partition("  (")[0] for i in range(viewer.paths.count())]
    assert paths[0] == "The critical path"
    assert sorted(paths[1:]) == ["ticker.out → left → merger.out", "ticker.out → right → merger.out"]
    left = paths.index("ticker.out → left → merger.out")
    viewer.paths.setCurrentIndex(left)
    viewer.paths.activated.emit(left)
    assert viewer.story is not None and viewer.story.topics == ("/ticker/out", "/left/out", "/merger/out")
    kept = viewer.save()
    other = CausalityViewer(viewer.feed, DARK)
    other.restore(kept)
    qtbot.waitUntil(lambda: other.log is not None, timeout=20_000)
    assert other.save() == kept and other.story is not None and other.story.topics == viewer.story.topics
    other.close_viewer()


def test_what_nothing_is_known_of_is_said(viewer: CausalityViewer, log: Path, qtbot: QtBot, tmp_path: Path) -> None:
    assert viewer.empty.isVisible() and "step one event (F6)" in viewer.empty.words.text()
    of_log(viewer, log, qtbot).explain("/merger/out", 999)
    assert "No trace of /merger/out #999: the log has 1 to" in viewer.empty.words.text()
    viewer.field.setText("many")
    viewer.field.editingFinished.emit()
    assert "many is not a number" in viewer.facts.text() and viewer.field.property("wrong")
    viewer.step(-1)
    assert viewer.story is not None and viewer.story.event == ("/merger/out", viewer.trace.newest["/merger/out"])
    assert not viewer.field.property("wrong")
    viewer.step(1)
    assert viewer.story is not None, "there is no event behind the newest"
    write_rig(tmp_path / "rig.mcap")
    viewer.open_log(tmp_path / "rig.mcap")
    qtbot.waitUntil(lambda: "no trace" in viewer.empty.words.text(), timeout=20_000)
    viewer.open_log(tmp_path / "none.mcap")
    qtbot.waitUntil(lambda: "none.mcap" in viewer.facts.text(), timeout=20_000)
    viewer.restore({"path": 3, "topic": 4, "log": None})


def test_a_running_system_is_followed_by_its_trace(viewer: CausalityViewer) -> None:
    assert viewer.topic.topic == "/arbiter/command", "what a path should lead to"
    rows = []
    for n in range(1, 20):
        at = n * 10 * MS
        rows.append(Handled("laser", "/_studio/timer/laser", n, at, at + MS, (), (("/laser/scan", n),)))
        rows.append(Handled("arbiter", "/laser/scan", n, at + 2 * MS, at + 5 * MS, (), (("/arbiter/command", n),)))
    frame = pack(HANDLED_TOPIC, Kind.TRACE, 1, encode(HandledTrace.of(rows)))
    assert is_trace(frame) and not is_trace(pack("/laser/scan", Kind.DATA, 1))
    event = trace_event(frame)
    assert event is not None and trace_event(frame[:-20]) is None
    keeper_of(viewer.feed)._take([event])
    viewer._tick()
    assert viewer.story is not None and viewer.story.event == ("/arbiter/command", 19)
    assert viewer.facts.text() == "#19 · 4.0 ms from laser.scan · 2 components, 1 events"
    assert viewer.histogram.quantile(0.5) == pytest.approx(4.0)
    viewer.follow.click()
    assert viewer.number == 19 and viewer.field.text() == "19"
    assert not viewer.here.isEnabled()
    viewer.feed.state["stepping"] = {"last": ["/laser/scan", 5, 0]}
    viewer.changed(Changes(system=True))
    viewer.here.click()
    assert viewer.story.event == ("/laser/scan", 5) and viewer.story.topics[-1] == "/arbiter/command"
    viewer.feed.state["stepping"] = {"last": ["/_studio/timer/laser", 6, 0]}
    viewer.changed(Changes(system=True))
    assert not viewer.here.isEnabled(), "nothing leads to a tick"


def test_a_pause_is_not_told_as_a_latency_of_components(
    viewer: CausalityViewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeper, now_ns = keeper_of(viewer.feed), [0]
    monkeypatch.setattr(trace_keeper, "monotonic_ns", lambda: now_ns[0])
    for at_ns, gate in ((5_000 * MS, "pause"), (7_000 * MS, "run")):
        now_ns[0], viewer.feed.state["gate"] = at_ns, gate
        viewer.feed.changed.emit(Changes(system=True))
    rows = [
        Handled("laser", "/_studio/timer/laser", 1, 4_998 * MS, 4_999 * MS, (), (("/laser/scan", 1),)),
        Handled("arbiter", "/laser/scan", 1, 7_001 * MS, 7_002 * MS, (), (("/arbiter/command", 1),)),
    ]
    keeper._take([Event(HANDLED_TOPIC, 1, 0, HandledTrace.of(rows))])
    viewer._tick()
    said = "#1 · 2.00 s from laser.scan, the system stood for 2.00 s of it · 2 components, 1 events"
    assert viewer.facts.text() == said
    assert keeper.stood_ns(0, 6_000 * MS) == 1_000 * MS and keeper.stood_ns(7_001 * MS, 9_000 * MS) == 0


def test_a_narrow_panel_leaves_room_for_time(viewer: CausalityViewer, log: Path, qtbot: QtBot) -> None:
    of_log(viewer, log, qtbot).explain("/merger/out", 3)
    viewer.resize(260, 480)
    assert viewer.width() == 260 and viewer.minimumSizeHint().width() <= 240
    lanes = viewer.lanes
    assert lanes.x_of(lanes.span_ns[1]) - lanes.x_of(lanes.span_ns[0]) > lanes.width() / 2


def test_long_latencies_are_told_in_seconds() -> None:
    """A path that waits for a map took 11757.6 ms."""
    assert [tick_words(value) for value in (-2000.0, -5.0, 0.0, 250.0, 2500.0)] == [
        "−2 s", "−5 ms", "0 ms", "250 ms", "2.5 s",
    ]  # fmt: skip
    assert (latency_words(999.94), latency_words(11757.6)) == ("999.9 ms", "11.76 s")


def test_what_came_before_the_first_viewer_is_known(feed: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace_keeper, "MOST_ASIDE", 3)
    keeper = keeper_of(feed)
    for n in range(1, 6):
        row = Handled("laser", "/_studio/timer/laser", n, n * MS, n * MS + 1, (), (("/laser/scan", n),))
        keeper._take([Event(HANDLED_TOPIC, n, n * MS, HandledTrace.of([row]))])
    assert not len(keeper.trace), "it is made a graph for somebody who asks"
    for _ in range(2):  # also when it was closed meanwhile
        viewer = CausalityViewer(feed, LIGHT)
        assert viewer.trace.events_of("/laser/scan") == [("/laser/scan", n) for n in (3, 4, 5)]
        viewer.close_viewer()
    feed.attached.emit()
    keeper.begin()
    assert not len(keeper.trace), "of another run"


def test_other_viewers_ask_why(window: MainWindow) -> None:
    window.viewers.add("topics")
    window.viewers.open["topics.1"].cause_wanted.emit("/filter/smooth", 0)  # type: ignore[attr-defined]
    window.viewers.add("message")
    window.viewers.open["message.1"].cause_wanted.emit("/filter/smooth", 7)  # type: ignore[attr-defined]
    asked = window.viewers.open["causality.1"]
    assert isinstance(asked, CausalityViewer) and asked.topic.topic == "/filter/smooth" and asked.number == 7
    assert sum(viewer.KIND == "causality" for viewer in window.viewers.open.values()) == 1
