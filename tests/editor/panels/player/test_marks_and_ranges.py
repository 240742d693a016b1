"""Bookmarks of a log, and the range that is played of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QInputDialog

from studio.editor.panels.player.player_viewer import PlayerViewer
from studio.editor.views.timeline.log_bookmarks import Mark, file_of, read_marks
from tests.runtime.replay.played import MS, START


def test_bookmarks_are_kept_beside_the_log(viewer: PlayerViewer, tmp_path: Path) -> None:
    log = tmp_path / "rig.mcap"
    before = log.read_bytes()
    viewer.timeline.now_ns = START + 300 * MS
    viewer.marks.add("stairs")
    viewer.timeline.now_ns = START + 100 * MS
    viewer.marks.add("door")
    assert [mark.text for mark in viewer.timeline.marks] == ["door", "stairs"]
    viewer.marks.rename(viewer.timeline.marks[0], "the door")
    viewer.marks.remove(viewer.timeline.marks[1])
    assert read_marks(log) == [Mark(START + 100 * MS, "the door")] and log.read_bytes() == before
    x = viewer.timeline._x_of(START + 100 * MS)
    QTest.mouseClick(viewer.timeline, Qt.MouseButton.LeftButton, pos=QPoint(int(x) + 20, 28))
    assert viewer.timeline.now_ns == START + 100 * MS, "a click on it goes there"
    file_of(log).write_text("not a list")
    with pytest.raises(Exception, match="cannot be read"):
        read_marks(log)


def test_the_range_is_dragged_by_its_flags(viewer: PlayerViewer) -> None:
    timeline, asked = viewer.timeline, viewer.asked  # type: ignore[attr-defined]
    timeline.show_now(timeline.now_ns, (START + 200 * MS, START + 800 * MS))
    x, to = int(timeline._x_of(START + 200 * MS)) + 5, int(timeline._x_of(START + 400 * MS))
    QTest.mousePress(timeline, Qt.MouseButton.LeftButton, pos=QPoint(x, 8))
    QTest.mouseMove(timeline, QPoint(to, 8))
    QTest.mouseRelease(timeline, Qt.MouseButton.LeftButton, pos=QPoint(to, 8))
    action, fields = asked[-1]
    assert action == "range" and fields["end_ns"] == START + 800 * MS
    assert fields["start_ns"] == pytest.approx(START + 400 * MS, abs=2 * MS)


def test_a_flag_that_is_dragged_over_the_other_becomes_it_and_an_empty_range_is_none(viewer: PlayerViewer) -> None:
    timeline, asked = viewer.timeline, viewer.asked  # type: ignore[attr-defined]
    timeline.show_now(timeline.now_ns, (START + 200 * MS, START + 400 * MS))

    def drag(start_ns: int, end_ns: int) -> None:
        x, to = int(timeline._x_of(start_ns)) + 5, round(timeline._x_of(end_ns))
        QTest.mousePress(timeline, Qt.MouseButton.LeftButton, pos=QPoint(x, 8))
        QTest.mouseMove(timeline, QPoint(to, 8))
        QTest.mouseRelease(timeline, Qt.MouseButton.LeftButton, pos=QPoint(to, 8))

    drag(START + 200 * MS, START + 800 * MS)
    action, fields = asked[-1]
    assert action == "range" and fields["start_ns"] == START + 400 * MS
    assert fields["end_ns"] == pytest.approx(START + 800 * MS, abs=2 * MS)
    asked.clear()
    timeline.show_now(timeline.now_ns, (timeline.span_ns[0], START + 400 * MS))
    QTest.mousePress(timeline, Qt.MouseButton.LeftButton, pos=QPoint(int(timeline._x_of(START + 400 * MS)) - 5, 8))
    QTest.mouseMove(timeline, QPoint(timeline.list_width - 20, 8))
    QTest.mouseRelease(timeline, Qt.MouseButton.LeftButton, pos=QPoint(timeline.list_width - 20, 8))
    assert not asked and timeline.range_ns == (timeline.span_ns[0], START + 400 * MS), "nothing would be between them"


def test_a_behind_b_moves_the_other_end(viewer: PlayerViewer) -> None:
    asked, state = viewer.asked, viewer.state  # type: ignore[attr-defined]
    first, last = state["start_ns"], state["end_ns"]
    middle = (first + last) // 2
    state.update(range_ns=[first, first + (last - first) // 4], time_ns=middle)
    QTest.keyClick(viewer.timeline, Qt.Key.Key_BracketLeft)
    assert asked == [("range", {"start_ns": middle, "end_ns": last})]
    state.update(range_ns=[last - (last - first) // 4, last])
    QTest.keyClick(viewer.timeline, Qt.Key.Key_BracketRight)
    assert asked[1:] == [("range", {"start_ns": first, "end_ns": middle})]
    state.update(time_ns=last)
    QTest.keyClick(viewer.timeline, Qt.Key.Key_BracketLeft)
    assert len(asked) == 2 and "would be empty" in viewer.words.text()


def test_a_bookmark_is_where_it_was_asked_for_and_not_where_the_words_ended(
    viewer: PlayerViewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def typed(*_: object, **__: object) -> tuple[str, bool]:
        viewer.timeline.show_now(START + 700 * MS, None)  # the log plays on while one types
        return "here", True

    monkeypatch.setattr(QInputDialog, "getText", typed)
    viewer.timeline.show_now(START + 200 * MS, None)
    QTest.keyClick(viewer.timeline, Qt.Key.Key_B)
    assert viewer.timeline.marks == [Mark(START + 200 * MS, "here")]
