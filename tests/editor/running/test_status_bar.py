"""The bar below answers where the data comes from, what time it is and what is lost, and leads to where one can act."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QTextDocument
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication

from studio.editor.live.state import parts_of
from studio.editor.panels.inspector.error_card import ErrorCard
from studio.editor.running.live_status import show_running
from studio.editor.running.status_bar import SAFETY
from studio.editor.window.main_window import MainWindow

CLOCK = {"kind": "simulation", "base_ns": 3_723_000_000_000, "at_ns": 0, "rate": 0.0}


@pytest.fixture
def running(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> Iterator[MainWindow]:
    """A window that was told of a system in which the source is logged, while its file says simulated."""
    source = next(iter(window.session.system.sources))
    assert source.mode == "simulated"
    window.live.edits._following.stop()  # or it would soon say that the canvas has errors this system does not follow
    feed = window.live.feed
    monkeypatch.setattr(feed, "state", {
        "topics": {}, "components": {}, "processes": {}, "gate": "run", "clock": CLOCK,
        "sources": {source.name: "logged"},
    })  # fmt: skip
    monkeypatch.setattr(type(window.live.control), "phase", "running")
    show_running(window.status, window.live)
    yield window
    monkeypatch.undo()
    show_running(window.status, window.live)


def test_the_origin_is_the_one_that_runs_and_not_the_one_of_the_file(running: MainWindow) -> None:
    assert running.status.origin.text() == "Logged"
    assert running.status.words.text() == SAFETY
    assert running.status.minimumSizeHint().width() < 1280, "a sentence does not make the window wider"
    source = next(iter(running.session.system.sources))
    assert parts_of(source, running.live.feed.state) == (), "a log has no processes, whatever the canvas has by now"
    assert parts_of(source, {}) != ()


def test_the_promise_is_told_wherever_a_log_is_among_the_sources(
    running: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    running.status.say("", stays=True)
    for modes, told in (({"a": "logged", "b": "real"}, True), ({"a": "simulated", "b": "real"}, False)):
        monkeypatch.setattr(running.status, "modes", lambda modes=modes: modes)
        running.status.show_origin()
        assert (running.status.words.text() == SAFETY) is told, modes


def test_the_title_says_real_until_it_has_stopped(running: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(running.live.feed.state, "sources", {"platform": "real"})
    for phase in ("running", "paused", "stopping"):
        monkeypatch.setattr(type(running.live.control), "phase", phase)
        assert running.live.title_words() == f" — REAL, {phase}"
    monkeypatch.setattr(type(running.live.control), "phase", "stopped")
    assert running.live.title_words() == ""


def test_without_a_run_the_origin_is_that_of_the_canvas(window: MainWindow) -> None:
    window.project.refresh()
    assert window.status.origin.text() == "Simulated"
    assert window.status.words.text() != SAFETY and not window.status.clock.isVisible()


def test_the_clock_says_what_time_it_is_and_of_which_kind(running: MainWindow) -> None:
    assert running.status.clock.text() == "01:02:03 sim time"


def test_each_part_leads_to_its_panel(running: MainWindow) -> None:
    status = running.status

    def click(part: object) -> None:
        QTest.mouseClick(part, Qt.MouseButton.LeftButton)  # type: ignore[call-overload]

    click(status.origin)
    assert running.canvas.canvas.selected_nodes() == [next(iter(running.session.system.sources)).name]
    for part, kind in ((status.clock, "states"), (status.figures, "topics")):
        click(part)
        click(part)
        assert [viewer.KIND for viewer in running.viewers.open.values()].count(kind) == 1
    click(status.load)
    assert running.live_panels.processes.isVisible()


def test_a_system_in_trouble_does_not_make_the_window_wider(running: MainWindow) -> None:
    bar = running.status
    before = bar.minimumSizeHint().width()
    bar.content.setText("12 selected · 24 nodes · 36 wires")
    assert bar.minimumSizeHint().width() == before
    bar.running.setText("Running, laser_obstacle_avoid in trouble")
    bar.figures.setText("12 345 events/s · p99 10.0 ms · 38 dropped")
    assert bar.minimumSizeHint().width() < 1280


def test_an_error_fits_the_inspector_of_a_small_screen(running: MainWindow) -> None:
    card = ErrorCard(running.theme)
    card.show_error(
        'Traceback\n  File "fragile.py", line 20, in on_value\n    raise ValueError\nValueError: no', "fragile"
    )
    assert card.open_line.isVisibleTo(card) and card.minimumSizeHint().width() <= 240


@pytest.mark.parametrize("trouble", [False, True])
def test_a_sentence_keeps_what_is_in_angle_brackets(window: MainWindow, trouble: bool) -> None:
    sentence = "unknown element <wire> in system.xml, expected <port name='x'>"
    window.status.say(sentence, trouble=trouble)
    shown = QTextDocument()
    for text, is_rich in (
        (window.status.words.text(), window.status.words.textFormat() == Qt.TextFormat.RichText),
        (window.status.words.toolTip(), True),
    ):
        if is_rich:
            shown.setHtml(text)
        else:
            shown.setPlainText(text)
        assert shown.toPlainText().removeprefix("▲ ") == sentence


def test_a_sentence_that_has_no_room_ends_with_dots_and_what_is_counted_waits(window: MainWindow) -> None:
    status = window.status
    window.project.refresh()
    status.say("", stays=True)
    assert status.content.isVisible()
    long = "a sentence that goes on " * 20
    status.say(long, trouble=True, stays=True)
    assert not status.content.isVisible() and not status.words.fits
    assert status.words.plain == long and status.words.toolTip() == long
    QApplication.sendPostedEvents()
    cut = status.words.grab().toImage()
    status.words.tell(long.replace("a sentence", "a  sentenc", 1), status.theme.warning)
    assert status.words.grab().toImage() != cut
    status.words.tell(long + "and more", status.theme.warning)
    assert status.words.grab().toImage() == cut, "it is cut off before that, with dots"
    status.say("", stays=True)
    assert status.content.isVisible()


def test_figures_wait_while_a_sentence_needs_their_room(running: MainWindow) -> None:
    """At 1280 pixels the result of a reload was cut after its first letters."""
    bar = running.status
    running.project.refresh()
    bar.figures.setText("12 345 events/s · p99 10.0 ms · 38 dropped")
    bar.load.setText("183 % CPU · 1234 MB")
    show_running(bar, running.live)
    assert bar.figures.isVisible() and bar.load.isVisible() and bar.zoom.isVisible()
    bar.say("filter runs the new code. Its outputs differ, so this event did not come again", stays=True)
    QApplication.sendPostedEvents()
    QApplication.processEvents()
    assert bar.words.fits and not bar.load.isVisible()
    bar.say("", stays=True)
    assert bar.figures.isVisible() and bar.load.isVisible() and bar.zoom.isVisible()
