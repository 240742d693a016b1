"""States over time: what was seen of each component, also when time goes back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication

from studio.editor.live.feed import Changes, Feed
from studio.editor.live.state_history import history_of
from studio.editor.live.state_spans import Lane, Mark
from studio.editor.look.theme import DARK, LIGHT
from studio.editor.panels.data.states_viewer import StatesViewer

S = 1_000_000_000


def spans(lane: Lane) -> list[tuple[int, int, str]]:
    return [(span.start_ns, span.end_ns, span.state) for span in lane.spans]


def test_a_state_lasts_until_another_is_seen() -> None:
    lane = Lane()
    for at, state in ((0, "created"), (5, "created"), (7, "active"), (20, "active"), (21, "error")):
        lane.see(at, state)
    assert spans(lane) == [(0, 7, "created"), (7, 21, "active"), (21, 21, "error")]
    assert lane.at(6.5).state == "created" and lane.at(15).state == "active"  # type: ignore[union-attr]
    assert lane.at(30) is None and lane.at(-1) is None


def test_time_that_goes_back_is_written_anew_as_far_as_it_comes() -> None:
    lane = Lane()
    for at, state in ((0, "active"), (10, "error"), (20, "active"), (30, "active")):
        lane.see(at * S, state)
    lane.happen(Mark(12 * S, "error"))
    lane.happen(Mark(25 * S, "error"))
    lane.see(5 * S, "paused")
    lane.see(15 * S, "paused")
    seen = [(0, 5, "active"), (5, 15, "paused"), (15, 20, "error"), (20, 30, "active")]
    assert spans(lane) == [(start * S, end * S, state) for start, end, state in seen]
    assert [mark.time_ns for mark in lane.marks] == [25 * S]
    lane.see(40 * S, "paused")
    assert spans(lane) == [(0, 5 * S, "active"), (5 * S, 40 * S, "paused")] and not lane.marks


def test_a_clock_that_goes_back_cuts_nothing_that_stays_as_it_was() -> None:
    """After a second of an overloaded machine a component was told to be active since then."""
    lane = Lane()
    lane.see(0, "active")
    lane.see(10 * S, "active")
    lane.see(9 * S, "active")
    lane.see(20 * S, "active")
    assert [(span.start_ns, span.end_ns) for span in lane.spans] == [(0, 20 * S)]
    lane.see(15 * S, "error")
    lane.see(17 * S, "error")
    assert [span.state for span in lane.spans] == ["active", "error", "active"], (
        "what is left is overwritten as it comes"
    )


def test_a_clock_that_jitters_cuts_nothing() -> None:
    lane = Lane()
    for at in (1.0, 2.0, 1.9, 2.1, 2.05, 3.0):
        lane.see(int(at * S), "active")
    assert spans(lane) == [(S, 3 * S, "active")]


def test_while_no_system_runs_nothing_is_known() -> None:
    lane = Lane()
    lane.see(0, "active")
    lane.see(10, "active")
    lane.rest()
    lane.see(20, "active")
    lane.see(30, "active")
    assert spans(lane) == [(0, 10, "active"), (20, 30, "active")] and lane.at(15) is None


def told(state: str, restarts: int = 0, error: str = "", errors: int = 0) -> dict[str, Any]:
    return {"state": state, "restarts": restarts, "error": error, "errors": errors, "type": "x", "rate_hz": 1.0}


@pytest.fixture
def feed(qapp: QApplication) -> Iterator[Feed]:
    made = Feed()
    made.run = "run"
    history_of(made)
    yield made
    made.close()


def tell(feed: Feed, seconds: float, **components: dict[str, Any]) -> None:
    feed.state = {
        "clock": {"kind": "simulation", "base_ns": int(seconds * S), "at_ns": 0, "rate": 0.0}, "gate": "run",
        "components": components, "topics": {}, "processes": {}, "player": None,
    }  # fmt: skip
    feed.changed.emit(Changes(components=set(components)))


def test_what_happened_before_it_was_opened_is_there(feed: Feed) -> None:
    tell(feed, 1.0, laser=told("active"), filter=told("inactive"))
    tell(feed, 4.0, laser=told("error", error='  File "low.py", line 41, in on_x\nValueError: no', errors=1),
         filter=told("inactive"))  # fmt: skip
    tell(feed, 6.0, laser=told("restarting", restarts=1), filter=told("inactive"))
    tell(feed, 9.0, laser=told("active", restarts=1), filter=told("inactive"))
    viewer = StatesViewer(feed, LIGHT)
    viewer.resize(900, 200)
    viewer.show()
    viewer.view.show_all()
    view = viewer.view
    assert view.names == ["filter", "laser"] and not viewer.follow.isChecked()
    y = 28 + 26 + 13
    assert view.words_at(view.x_of(2.0 * S), y).startswith("laser: Active\nfrom 00:01.000, for 3.0 s")
    assert view.words_at(view.x_of(5.0 * S), y).endswith("for 2.0 s\nlow.py:41")
    assert view.words_at(view.x_of(6.0 * S), y) == "laser: restart 1, at 00:06.000"
    viewer.trouble.click()
    assert view.names == ["laser"]
    for theme in (DARK, LIGHT):
        viewer.show_theme(theme)
        assert not viewer.grab().isNull()
    viewer.close_viewer()


def test_patterns_tell_the_states_apart_without_colour(feed: Feed) -> None:
    """The same widget in grey: no two of these look the same."""
    states = {"active": "a", "inactive": "b", "error": "c", "held": "d", "created": "e"}
    for second in (0.0, 10.0):
        tell(feed, second, **{name: told(state) for state, name in states.items()})
    viewer = StatesViewer(feed, LIGHT)
    viewer.resize(500, 200)
    viewer.show()
    viewer.view.show_all()
    seen = viewer.view.grab().toImage()
    looks = set()
    for number in range(5):
        x, top = int(viewer.view.x_of(8.0 * S)), 28 + 26 * number + 7
        greys = [seen.pixelColor(x + i % 12, top + i // 12).lightness() for i in range(144)]
        is_even = max(greys) - min(greys) < 5
        looks.add(("solid" if greys[0] < 200 else "plain") if is_even else str([grey > 200 for grey in greys]))
    assert len(looks) == 5
    viewer.close_viewer()


def test_a_click_goes_there_in_the_log_and_the_span_is_kept(feed: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, Any]] = []
    monkeypatch.setattr(feed, "ask", lambda do, done, failed, **fields: asked.append({"do": do, **fields}))
    tell(feed, 10.0, laser=told("active"))
    viewer = StatesViewer(feed, LIGHT)
    viewer.resize(900, 200)
    viewer.show()
    middle = QPoint(500, 40)
    QTest.mouseClick(viewer.view, Qt.MouseButton.LeftButton, pos=middle)
    assert not asked and viewer.view.chosen == "laser", "nothing is played"
    feed.state["player"] = {"time_ns": 10 * S}
    viewer._refresh()
    QTest.mouseClick(viewer.view, Qt.MouseButton.LeftButton, pos=middle)
    assert asked == [{"do": "player", "timeout_s": None, "action": "seek", "time_ns": viewer.view.time_at(500.0)}]
    QTest.keyClick(viewer.view, Qt.Key.Key_Minus)
    kept = viewer.save()
    assert kept["seconds"] == pytest.approx(37.5)
    other = StatesViewer(feed, DARK)
    other.restore(kept)
    assert other.save() == kept
    other.restore({"seconds": "x", "trouble": 3})
    assert other.save()["trouble"] is False
    for each in (viewer, other):
        each.close_viewer()
