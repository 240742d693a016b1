"""What the LogPlayer says, and whether there is room for it."""

from __future__ import annotations

from PyQt6.QtGui import QColor
from PyQt6.QtWidgets import QApplication

from studio.editor.look.fonts import metrics
from studio.editor.look.theme import LIGHT
from studio.editor.panels.player.player_viewer import PlayerViewer


def test_beside_two_docks_the_rates_are_at_hand_and_the_words_whole(viewer: PlayerViewer) -> None:
    """At 1600 × 1000, with palette and inspector: of the words half a sentence was left, and of the rates a menu."""
    viewer.resize(1070, 240)
    viewer.feed.state["player"] |= {"gate": "lockstep", "number": 2384, "count": 7944}
    viewer.feed.state["stepping"] |= {"last": ["/platform/laser_left", 1221]}
    viewer._take_state()
    QApplication.processEvents()
    bar, words = viewer.bar, viewer.words
    assert bar.presets.isVisible() and not bar.times.isVisible() and bar.number.isVisible()
    assert bar.dial.isVisible() and bar.hidden_widgets == [bar.condition, bar.mapping, bar.recorder]
    assert bar.beside.geometry().right() < bar.more.geometry().left() and bar.more.geometry().right() <= bar.width()
    assert words.width() <= viewer.timeline.list_width
    assert metrics(11).horizontalAdvance("event 2 384 of 7 944 · after /platform/laser_left #1221") < words.width() - 24
    viewer.resize(620, 240)
    QApplication.processEvents()
    assert bar.times.isVisible() and not bar.presets.isVisible(), "a menu stands for what has no room"
    ends = {each.isVisible() for each in (bar.loop, bar.from_here, bar.to_here, bar.no_range)}
    assert len(ends) == 1, "B without A is of no use"


def test_what_cannot_be_done_is_told_over_the_whole_width(viewer: PlayerViewer) -> None:
    viewer.steering.refused.emit("no stream is played: tick one in the list")
    assert viewer.words.text() == "no stream is played: tick one in the list"
    assert viewer.words.width() == viewer.timeline.width()
    viewer._show_state()
    assert viewer.words.text().startswith("no stream"), "whatever is said meanwhile"
    viewer.words._stays.timeout.emit()
    assert viewer.words.text().startswith("event 0 of 100") and viewer.words.width() < viewer.timeline.list_width


def test_a_log_that_no_source_plays_any_more_says_so(viewer: PlayerViewer) -> None:
    """Its streams were still said to play after a switch to Real."""
    viewer.feed.state["player"] = None
    viewer._take_state()
    assert "No source plays this log now" in viewer.words.text() and viewer.timeline.words == "3 streams"
    viewer.feed.state = {}
    viewer.ended()
    assert viewer.words.text() == "The system does not run"


def test_of_a_log_that_does_not_play_the_time_is_not_frozen(viewer: PlayerViewer) -> None:
    viewer.feed.state["debug"] = {"frozen": {"why": "breakpoint"}, "hosts": {}}
    viewer._take_state()
    assert viewer.timeline.frozen
    viewer.feed.state["player"] = None
    viewer._take_state()
    assert not viewer.timeline.frozen


def test_before_its_first_event_a_log_is_at_its_start(viewer: PlayerViewer) -> None:
    """The clock can stand some milliseconds before it; that was shown as 1:59:59.997."""
    viewer.bar.show_time(-3_000_000)
    assert viewer.bar.time.text() == "00:00.000"


def test_times_at_the_edge_are_whole_or_not_there(viewer: PlayerViewer) -> None:
    """The last one was cut off; its tick stays."""
    timeline = viewer.timeline
    for width in range(1000, 1040, 7):
        timeline.resize(width, 200)
        image = timeline.grab().toImage()
        ground = QColor(LIGHT.canvas)
        assert all(image.pixelColor(image.width() - 1, y) == ground for y in range(2, 12)), width
