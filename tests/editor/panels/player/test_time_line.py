"""The time line of the LogPlayer: what it shows of a log, and what a hand does on it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QEvent, QPoint, QPointF, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.editor.live import log_outline
from studio.editor.live.feed import Feed
from studio.editor.live.log_outline import read_gaps, time_of_event
from studio.editor.look.theme import DARK, LIGHT
from studio.editor.panels.player.player_viewer import PlayerViewer
from studio.messages import Float64
from tests.runtime.replay.played import MS, START, A, B
from tests.runtime.replay.small_systems import write_foreign


def test_the_time_line_has_every_stream_and_how_dense_it_is(viewer: PlayerViewer) -> None:
    outline = viewer.timeline.outline
    assert outline is not None
    lanes = {lane.topic: lane for lane in outline.lanes}
    assert lanes[A].count == 100 and lanes[A].enabled and lanes[A].type == "Float64"
    assert lanes[A].density.sum() == pytest.approx(100, abs=1)
    assert not lanes[B].enabled and lanes[B].played_as == ""
    assert "event 0 of 100" in viewer.words.text() and viewer.timeline.words == "1 of 3 streams play"
    tip = viewer.timeline._tip(QPointF(60, 40 + 23 * [lane.topic for lane in outline.lanes].index(B) + 5))
    assert B in tip and "50 events" in tip and "is not played" in tip
    for theme in (DARK, LIGHT):
        viewer.show_theme(theme)
        assert not viewer.grab().isNull()


def test_scrubbing_seeks_and_the_box_switches_a_stream(viewer: PlayerViewer, qtbot: QtBot) -> None:
    timeline, asked = viewer.timeline, viewer.asked  # type: ignore[attr-defined]
    first, last = timeline.span_ns
    middle = QPoint(int(timeline._x_of((first + last) / 2)), 60)
    QTest.mouseClick(timeline, Qt.MouseButton.LeftButton, pos=middle)
    qtbot.waitUntil(lambda: bool(asked), timeout=5000)
    action, fields = asked[-1]
    assert action == "seek" and fields["time_ns"] == pytest.approx((first + last) / 2, abs=(last - first) * 0.01)
    outline = timeline.outline
    assert outline is not None
    row = [lane.topic for lane in outline.lanes].index(A)
    QTest.mouseClick(timeline, Qt.MouseButton.LeftButton, pos=QPoint(17, 40 + 23 * row + 11))
    assert asked[-1] == ("enable", {"topic": "/platform/level", "on": False})


def test_with_shift_a_pixel_is_an_event(viewer: PlayerViewer, qtbot: QtBot) -> None:
    timeline = viewer.timeline
    start_ns = timeline.now_ns
    timeline._from = (700.0, start_ns)
    assert timeline._fine(710.0) - start_ns == pytest.approx(10 * 10 * MS, rel=0.02), "events come every 10 ms"


def test_the_wheel_zooms_where_it_stands(viewer: PlayerViewer) -> None:
    timeline = viewer.timeline
    whole = timeline.span_ns
    timeline.show_span(whole[0] + 1000, whole[0] + 5_000_000)
    assert timeline.span_ns[1] - timeline.span_ns[0] < (whole[1] - whole[0]) / 10
    timeline.show_now(whole[1], None)
    assert timeline.span_ns[0] == whole[1], "the view turns the page when the cursor leaves it"
    timeline.show_all()
    assert timeline.span_ns == whole


def test_another_log_than_the_one_that_plays_is_not_shown(viewer: PlayerViewer, tmp_path: Path) -> None:
    outline = viewer.timeline.outline
    assert outline is not None
    viewer._path = str(tmp_path / "other.mcap")
    viewer.timeline.show_outline(None)
    viewer._show_outline(outline.path, outline, "")
    assert viewer.timeline.outline is None, "it was read too late"
    viewer._say_empty("Reading other.mcap …", choices=False)
    viewer._show_outline(outline.path, None, "it is damaged")
    assert "damaged" not in viewer.empty.words.text()


def test_a_closer_look_tells_more(tmp_path: Path, viewer: PlayerViewer, qtbot: QtBot) -> None:
    outline, timeline = viewer.timeline.outline, viewer.timeline
    assert outline is not None
    timeline.show_span(START + 100 * MS, START + 200 * MS)
    qtbot.waitUntil(lambda: outline.close_ns is not None, timeout=20_000)
    low, high = outline.close_ns or (0, 0)
    lane = next(lane for lane in outline.lanes if lane.topic == A)
    assert low <= START + 100 * MS and high >= START + 200 * MS and lane.close is not None
    assert lane.close.max() == 1 and lane.close.sum() == pytest.approx((high - low) / (10 * MS), abs=1)
    assert np.count_nonzero(lane.close) < len(lane.close) / 20, "single events, with nothing between them"
    timeline.show_all()
    qtbot.waitUntil(lambda: outline.close_ns is None, timeout=20_000)


def test_a_log_that_is_too_long_for_gaps_says_so(viewer: PlayerViewer, monkeypatch: pytest.MonkeyPatch) -> None:
    assert viewer.timeline.outline is not None and "gaps" not in viewer.timeline.words
    monkeypatch.setattr(log_outline, "MOST_LOOKED_AT", 10)
    viewer._show_outline(Path(viewer._path), log_outline.read_outline(Path(viewer._path)), "")
    assert viewer.timeline.words.endswith("too long to look for gaps")


def test_gaps_and_numbers_of_events_are_found(tmp_path: Path) -> None:
    times = [*range(0, 1000, 100), *range(4000, 5000, 100)]
    path = write_foreign(tmp_path / "holes.mcap", {A: [(START + at * MS, Float64(1.0)) for at in times]})
    gap = read_gaps(path)[A][0]
    assert (gap.start_ns, gap.end_ns) == (START + 900 * MS, START + 4000 * MS) and gap.words == "gap 3.1 s"
    assert time_of_event(path, [A], 0) == START and time_of_event(path, [A], 10) == START + 4000 * MS


def test_what_was_read_of_a_log_comes_too_late_for_a_panel_that_was_closed(feed: Feed, qapp: QApplication) -> None:
    viewer = PlayerViewer(feed, LIGHT)
    viewer.close_viewer()
    viewer.deleteLater()
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    viewer._do(viewer.timeline.update)
    viewer._read_log(Path("nowhere.mcap"))
