"""Starting and stopping without a system: what is remembered for its end, and which questions outlive it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PyQt6.QtCore import QProcess, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.editor.code.reload import MAY_BEGIN_ANEW
from studio.editor.live.feed import Changes, Feed
from studio.editor.live.run_control import RunControl
from studio.editor.window.main_window import MainWindow

UP = {"gate": "run", "components": {}, "topics": {}, "processes": {}, "sources": {}}


@pytest.fixture
def control(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunControl]:
    feed = Feed()
    monkeypatch.setattr(feed, "ask", lambda *_, **__: None)
    yield RunControl(feed)
    feed.close()


def attach(control: RunControl) -> None:
    control.feed.state = dict(UP)
    control.feed.attached.emit()


def end(control: RunControl) -> None:
    control.feed.state = {}
    control.feed.ended.emit(False)


def test_what_waits_for_the_end_of_a_stopped_system_is_done_at_once_and_once(control: RunControl) -> None:
    done: list[str] = []
    control.stop(then=lambda: done.append("run"))
    assert done == ["run"]
    attach(control)
    end(control)
    assert done == ["run"], "a later system has come to its end"


def test_what_waits_for_the_end_is_done_when_it_has_ended(control: RunControl) -> None:
    done: list[str] = []
    attach(control)
    control.stop(then=lambda: done.append("run"))
    assert not done and control.phase == "stopping"
    end(control)
    end(control)
    assert done == ["run"] and control.phase == "stopped"


def test_one_that_never_came_to_run_is_not_waited_for(control: RunControl) -> None:
    done: list[str] = []
    control._process = QProcess(control)
    control._look()
    assert control.phase == "starting"
    control.stop(then=lambda: done.append("close"))
    control._started(1, QProcess.ExitStatus.NormalExit)
    assert done == ["close"] and control.phase == "stopped"


def starting(control: RunControl) -> list[str]:
    """A start whose `studio run` has not answered; the list gets every failure that is shown."""
    failures: list[str] = []
    control.start_failed.connect(failures.append)
    process = control._process = QProcess(control)
    process.finished.connect(control._started)
    process.errorOccurred.connect(control._not_started)
    control._look()
    return failures


def test_a_stop_while_it_starts_is_no_failed_start(control: RunControl) -> None:
    failures = starting(control)
    control.stop()
    attach(control)
    assert control.phase == "stopping"
    end(control)
    assert control.phase == "stopped", "it waits for the answer of `studio run`"
    control._started(0, QProcess.ExitStatus.NormalExit)
    assert not failures and control.phase == "stopped"


def test_a_start_that_fails_after_stop_shows_no_error(control: RunControl) -> None:
    failures = starting(control)
    told: list[str] = []
    control.told.connect(told.append)
    control.stop()
    control._started(1, QProcess.ExitStatus.NormalExit)
    assert not failures and told == ["The system has stopped"]


def test_what_waits_is_not_done_to_another_project(control: RunControl) -> None:
    done: list[str] = []
    told: list[str] = []
    control.told.connect(told.append)
    attach(control)
    control.stop(then=lambda: done.append("run"))
    control.turn_away()
    end(control)
    assert not done and not told, "it goes on, and only we are gone"


def test_a_system_is_ours_if_it_was_started_here(control: RunControl) -> None:
    attach(control)
    assert not control.feed.is_ours, "it ran already"
    end(control)
    control._process = QProcess(control)
    control._look()
    attach(control)
    control._process = None
    assert control.feed.is_ours
    end(control)
    attach(control)
    assert not control.feed.is_ours, "the next one was started by somebody else"


@pytest.fixture
def up(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> Iterator[MainWindow]:
    monkeypatch.setattr(window.live.feed, "ask", lambda *_, **__: None)
    window.live.feed.state = dict(UP)
    window.live.feed.attached.emit()
    yield window
    window.live.feed.state = {}
    window.live.feed.ended.emit(False)


def test_a_question_about_a_run_is_withdrawn_when_it_means_nothing_any_more(up: MainWindow) -> None:
    def asked() -> str:
        return up.notice.words.text() if up.notice.isVisible() else ""

    live: Any = up.live
    live._not_followed("It stays as it is")
    assert asked() == "It stays as it is"
    live.control.stop()
    assert asked() == ""
    live._stop_is_slow()
    assert "not stopped yet" in asked()
    end(live.control)
    assert asked() == ""
    live._died()
    assert "The runtime of this system" in asked()
    attach(live.control)
    assert asked() == ""


class Asked:
    """What the window asks of a runtime, which has not answered yet."""

    def __init__(self, window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
        self.window = window
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self._done: list[Callable[[dict[str, Any]], object]] = []
        monkeypatch.setattr(window.live.feed, "ask", self._ask)

    def _ask(self, do: str, done: Any = None, failed: Any = None, timeout_s: Any = None, **fields: Any) -> None:
        if do != "held":
            self.requests.append((do, fields))
            self._done.append(done)

    def answer(self, **reply: Any) -> None:
        self._done.pop(0)(reply)

    def press(self, *keys: Qt.Key) -> None:
        self.window.activateWindow()
        for key in keys:
            QTest.keyClick(self.window, key)

    def shows(self, **state: Any) -> None:
        self.window.live.feed.state.update(state)
        self.window.live.feed.changed.emit(Changes(system=True))


RUN, PAUSE = ("gate", {"mode": "run"}), ("gate", {"mode": "pause"})
CONTINUE = ("continue", {"gate": "run"})
ONE_EVENT = ("step", {"count": 1, "topic": None})
STANDS: dict[str, Any] = {
    "freezing": True,
    "hosts": {},
    "frozen": {"why": "breakpoint", "host": "a", "line": 3, "topic": "/x"},
}


@pytest.fixture
def asked(up: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Asked:
    QApplication.setActiveWindow(up)  # without a screen nobody makes one active that was hidden before
    qtbot.waitUntil(up.isActiveWindow)
    return Asked(up, monkeypatch)


def test_run_that_follows_a_step_at_once_is_asked_for_though_it_is_not_known_yet_that_it_stands(asked: Asked) -> None:
    asked.press(Qt.Key.Key_F6, Qt.Key.Key_F5)
    assert asked.requests == [ONE_EVENT, RUN]
    asked.answer(delivered=[])
    asked.answer()
    asked.press(Qt.Key.Key_F5)
    assert asked.requests == [ONE_EVENT, RUN], "it runs, and nothing is under way"


def test_pause_that_follows_run_at_once_is_asked_for_though_it_is_not_known_yet_that_it_runs(asked: Asked) -> None:
    asked.shows(gate="pause")
    asked.press(Qt.Key.Key_F5, Qt.Key.Key_F8)
    assert asked.requests == [RUN, PAUSE]


def test_continue_that_follows_a_step_at_once_means_the_system_and_not_the_stop_that_it_leaves(asked: Asked) -> None:
    asked.shows(gate="pause", debug=STANDS)
    asked.press(Qt.Key.Key_F6, Qt.Key.Key_F5)
    assert asked.requests == [ONE_EVENT, RUN]
    asked.press(Qt.Key.Key_F5)  # it is still shown there after all: perhaps it has stopped at the same place again
    assert asked.requests[2:] == [CONTINUE]


def test_a_second_continue_runs_the_system_though_the_debugger_still_tells_of_the_stop(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    debug, stop = type(asked.window.debug), object()
    monkeypatch.setattr(debug, "stop", property(lambda self: stop))
    asked.shows(gate="pause", debug=STANDS)
    asked.press(Qt.Key.Key_F5)
    asked.answer()
    asked.shows(debug={**STANDS, "frozen": None})
    stand = asked.window.freeze.stand
    assert stand is not None and stand.between
    asked.press(Qt.Key.Key_F5)
    assert asked.requests == [CONTINUE, RUN]
    monkeypatch.setattr(debug, "stop", property(lambda self: "the next stop"))
    asked.answer()
    asked.press(Qt.Key.Key_F5)
    assert asked.requests[2:] == [CONTINUE], "the system has not told of that stop yet"


def test_continue_means_a_stop_that_a_step_has_come_to(asked: Asked) -> None:
    asked.shows(gate="pause", debug=STANDS)
    asked.press(Qt.Key.Key_F6)
    asked.shows(debug={**STANDS, "frozen": {**STANDS["frozen"], "line": 9}})
    asked.press(Qt.Key.Key_F5)
    assert asked.requests == [ONE_EVENT, CONTINUE]


def test_the_next_handler_is_asked_for_without_waiting_for_the_pause(asked: Asked) -> None:
    asked.window.trigger("debug.handler")
    assert asked.requests == [PAUSE, ("into_handler", {})]


def test_a_step_and_a_step_back_count_events_in_the_same_way(window: MainWindow) -> None:
    control, told = window.live.control, window.status.words
    control._stepped({"delivered": [["/pose", 12, 0]], "position": 343})
    assert told.plain == "Delivered /pose #12 · event 343 of this run"
    window.freeze._went_back({"position": 342})
    assert told.plain == "Back after event 342 of this run"
    window.freeze._went_back({"position": 0})
    assert told.plain == "Back at the start of this run"
    window.freeze._went_back({"position": 343, "delivered": [["/pose", 12, 0]]})  # long after, when the code goes on
    assert told.plain == "Back at the start of this run"
    control._stepped({"delivered": [["/pose", 12, 0]], "position": 0})  # in free run nobody counts
    assert told.plain == "Delivered /pose #12"


@pytest.mark.parametrize(
    ("phase", "stepping", "after"),
    [
        ("running", {"gate": "free"}, "The rest of the system keeps running."),
        ("paused", {"gate": "free"}, "The system stays paused."),
        ("paused", {"gate": "lockstep"}, "brings the system back to this event."),
        ("running", {"gate": "lockstep"}, "brings the system back to this event. Then the system continues."),
        ("paused", {"gate": "lockstep", "whole": False}, "new code. " + MAY_BEGIN_ANEW),
        ("running", {"gate": "lockstep", "whole": False}, f"new code. {MAY_BEGIN_ANEW} Then the system continues."),
    ],
)
def test_reload_says_what_becomes_of_the_system(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, phase: str, stepping: dict[str, object], after: str
) -> None:
    """Of a frozen system it said that it runs on; and it promised to come back where that cannot be."""
    monkeypatch.setattr(window.live.feed, "state", {**UP, "stepping": stepping})
    monkeypatch.setattr(type(window.live.control), "phase", phase)
    assert window.code_controller.reload._what_reload_does().endswith(after)


@pytest.mark.parametrize(("phase", "goes_on"), [("running", True), ("paused", False)])
def test_a_system_that_runs_continues_after_a_reload(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, phase: str, goes_on: bool
) -> None:
    """It stayed paused in lockstep, and nothing said so."""
    asked: list[str] = []

    def answered(_: object, do: str, done: Callable[[dict[str, Any]], object], *__: object, **___: object) -> None:
        asked.append(do)
        done({"component": "filter", "host": "filter", "position": 4, "same": True})

    file = tmp_path / "filter.py"
    file.write_text("a = 1\n")
    page = window.code.open_at(file, 1)
    assert page is not None
    monkeypatch.setattr(type(window.live.control), "phase", phase)
    monkeypatch.setattr(type(window.live.control), "move", answered)
    monkeypatch.setattr(window.code_controller.reload, "running_with", lambda _: ["filter"])
    window.code_controller.reload.reload(page)
    assert asked == (["again", "gate"] if goes_on else ["again"])
    said = "and the system continues" if goes_on else "back at the same event"
    assert said in window.status.words.plain
