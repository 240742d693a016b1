"""The toolbar: places that never move, and the gate chosen before there is a system."""

from __future__ import annotations

from typing import Any

import pytest
from PyQt6.QtCore import QPoint
from PyQt6.QtWidgets import QApplication, QWidget

from studio.editor.running.gate_choice import AUTO, FREE, KINDS, LOCKSTEP, ONE, GateChoice
from studio.editor.window.main_window import MainWindow


def places(window: MainWindow) -> list[int]:
    bar = window.toolbar
    widgets: list[QWidget] = [bar.run_buttons, bar.gate, bar.switch, bar.clock, bar.record]
    QApplication.processEvents()
    behind = bar.widgetForAction(bar._edits[1])
    widgets += [behind] if behind is not None and behind.isVisible() else []
    return [widget.mapTo(bar, QPoint(0, 0)).x() for widget in widgets]


@pytest.mark.parametrize("width", [1280, 1600, 1920])
def test_nothing_moves_when_a_system_starts(window: MainWindow, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    window.resize(width, 800)
    stopped = places(window)
    assert stopped == sorted(set(stopped)), "all are to be seen, one beside the other"
    monkeypatch.setattr(type(window.live.control), "phase", property(lambda _: "running"))
    window.toolbar.clock.kind.setText("sim time · in lockstep")
    window.toolbar.show_phase()
    window.toolbar.record.show_state("running", {"seconds": 3600.0}, None)
    assert places(window) == stopped
    monkeypatch.setattr(window.toolbar.switch, "under_way", "logged")
    window.toolbar.switch.refresh()
    assert places(window) == stopped, "while sources are switched, too"


class Asked:
    """What the runtime is asked, without one."""

    def __init__(self, window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
        self.window = window
        self.words: list[tuple[str, dict[str, Any]]] = []
        control = window.live.control
        monkeypatch.setattr(control, "request", lambda do, _, **what: self.words.append((do, what)))
        monkeypatch.setattr(control, "pause", lambda: self.words.append(("pause", {})))
        monkeypatch.setattr(control, "go_on", lambda: self.words.append(("go on", {})))
        self.started: list[list[str]] = []
        monkeypatch.setattr(control, "start", lambda _, more, text=None: self.started.append(list(more)))
        self.patch = monkeypatch

    def phase(self, phase: str, gate: str = "") -> None:
        control = self.window.live.control
        self.patch.setattr(type(control), "phase", property(lambda _: phase))
        self.patch.setattr(type(control), "is_up", property(lambda _: phase in ("running", "paused")))
        self.patch.setattr(GateChoice, "kind", property(lambda _: gate))
        self.window.toolbar.gate._phase_changed()


@pytest.fixture
def asked(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> Asked:
    window.toolbar.gate.wish = AUTO
    return Asked(window, monkeypatch)


def choose(window: MainWindow, kind: str) -> None:
    gate = window.toolbar.gate
    gate.setCurrentIndex(list(KINDS).index(kind))
    gate.activated.emit(gate.currentIndex())


def test_the_gate_is_chosen_before_the_run(window: MainWindow, asked: Asked) -> None:
    gate = window.toolbar.gate
    assert gate.isEnabled() and gate.currentData() == AUTO
    choose(window, FREE)
    asked.phase("starting")
    asked.phase("running", "lockstep")
    gate._attached()
    assert asked.words == [("gate", {"kind": FREE})]
    asked.phase("stopped")
    assert gate.currentData() == FREE, "the next run begins the same way"
    folder = window.session.folder
    assert window.files.open(folder)
    assert gate.wish == FREE
    window.show_session(None)
    assert window.files.open(folder)
    assert gate.wish == AUTO, "it was for what was open then"


def test_a_system_that_is_found_running_is_left_as_it_is(window: MainWindow, asked: Asked) -> None:
    choose(window, FREE)
    asked.phase("running", "lockstep")
    window.toolbar.gate._attached()
    assert not asked.words and window.toolbar.gate.currentData() == LOCKSTEP


def test_one_event_at_a_time(window: MainWindow, asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window.live, "_is_ready", lambda: True)
    choose(window, ONE)
    window.live.run()
    assert asked.started == [["--paused"]]
    asked.phase("starting")
    asked.phase("paused", "lockstep")
    gate = window.toolbar.gate
    gate._attached()
    assert gate.currentData() == ONE
    asked.phase("running", "lockstep")
    assert gate.currentData() == LOCKSTEP, "Continue was pressed"
    choose(window, ONE)
    assert asked.words == [("pause", {})] and gate.currentData() == ONE
    choose(window, LOCKSTEP)
    assert asked.words[1:] == [("go on", {})]
