"""Starting and stopping without a system: what is remembered for its end, and which questions outlive it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PyQt6.QtCore import QProcess
from PyQt6.QtWidgets import QApplication

from studio.editor.feed import Feed
from studio.editor.main_window import MainWindow
from studio.editor.run_control import RunControl

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
