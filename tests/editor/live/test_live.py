"""The window with a system that really runs: started, watched, edited, steered, and killed."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PyQt6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from studio.editor.base.stalls import StallLog
from studio.editor.panels.inspector.error_card import ErrorCard
from studio.editor.window.main_window import MainWindow
from studio.model.parameter_sets import SaveParameterSet
from studio.model.parts import Component, Endpoint, Wire
from studio.model.system_edits import AddNode, Compound, Connect, RemoveNodes, SetParameters, SetParameterSet
from studio.runtime.client.running_systems import running_systems

PATIENCE_MS = 60_000
pytestmark = pytest.mark.timeout(240)

WATCHED = """<system name="watched" version="1">
  <component name="signal" type="signal_source" mode="periodic" period_s="0.02"/>
  <component name="sink" type="signal_sink" host="ends"/>
  <component name="fragile" type="fragile" host="ends"/>
  <host name="ends"/>
  <wire from="signal.value" to="sink.value"/>
  <wire from="signal.value" to="fragile.value"/>
</system>"""
WILD = """<system name="wild" version="1">
  <component name="flood" type="flood" mode="periodic" period_s="0.01"/>
  <component name="stuck" type="stuck"/>
  <wire from="flood.value" to="stuck.value" delivery="latest"/>
</system>"""
MISBEHAVING = Path(__file__).resolve().parents[2] / "misbehaving"


def project(folder: Path, system: str, *types: str) -> Path:
    """The misbehaving `types` become components of the project."""
    folder.mkdir()
    (folder / "system.xml").write_text(system)
    for name in types:
        shutil.copytree(MISBEHAVING / name, folder / "components" / name)
    return folder


@pytest.fixture
def running(one_window: MainWindow, qtbot: QtBot) -> Iterator[Callable[[Path], MainWindow]]:
    """Open a project in the window and run it; stopped at the end, whatever happened."""

    def start(folder: Path) -> MainWindow:
        one_window.show()
        assert one_window.files.open(folder)
        one_window.trigger("run.start")
        assert one_window.live.control.phase == "starting", one_window.status.words.text()
        qtbot.waitUntil(lambda: one_window.live.control.phase == "running", timeout=PATIENCE_MS)
        return one_window

    yield start
    one_window.hide()
    if one_window.live.control.is_up:
        one_window.live.stop()
        qtbot.waitUntil(lambda: one_window.live.control.phase == "stopped", timeout=PATIENCE_MS)
    one_window.show_session(None)


def told(window: MainWindow, name: str) -> dict[str, Any]:
    found: dict[str, Any] = window.live.feed.state.get("components", {}).get(name, {})
    return found


def word(window: MainWindow, name: str) -> str:
    live = window.canvas.canvas.nodes[name].live
    return live.look.word if live else ""


def test_a_system_is_run_watched_edited_and_stopped(
    running: Callable[[Path], MainWindow], tmp_path: Path, qtbot: QtBot
) -> None:
    window = running(project(tmp_path / "watched", WATCHED, "fragile"))

    # States by word, rates on wires, the failure one click away.
    qtbot.waitUntil(lambda: word(window, "sink") == "Active", timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: word(window, "fragile") == "Error", timeout=PATIENCE_MS)
    wires = {str(item.connection.end): item for item in window.canvas.canvas.wires.values()}
    qtbot.waitUntil(
        lambda: all(item.live and item.live.flow == "flows" for item in wires.values()), timeout=PATIENCE_MS
    )
    window.canvas.canvas.select(["fragile"])
    window.inspector.refresh()
    card = window.inspector.findChild(ErrorCard)
    assert card is not None and "is too much for me" in card.sentence.text()
    failed_on = told(window, "fragile")["failed_on"]
    assert failed_on["topic"] == "/signal/value" and failed_on["sequence"] > 0
    assert card.handling.accessibleName().startswith(f"while handling /signal/value #{failed_on['sequence']} at ")
    assert card.fields.text() == f"data = {failed_on['message']['data']}"
    card.handling.linkActivated.emit("event")
    viewer = window.viewers.open[window.viewers.show("causality")]
    assert (viewer.topic.topic, viewer.number) == ("/signal/value", failed_on["sequence"])  # type: ignore[attr-defined]
    assert "in on_value" in card.trace and any("Traceback" in b.text() for b in card.findChildren(QPushButton))
    failures = [said for said in window.live_panels.console.book.said if said.level == "error"]
    # A component that fails at once may do so before the window hears of its run, which says so then.
    assert [(said.component, said.text.removeprefix("earlier: ")) for said in failures] == [
        ("fragile", f"failed while handling /signal/value #{failed_on['sequence']}")
    ]
    assert failures[0].summary == "ValueError: value 3 is too much for me"

    # It is a problem with its line and its remedy, and nothing else in the window says that all is well.
    (problem,) = window.problems.shown
    assert problem.message == "fragile failed: ValueError: value 3 is too much for me"
    assert problem.file is not None and problem.file.endswith("fragile.py") and problem.line
    assert window.status.problems.text() == "1 error" and window.status.running.text() == "Running, fragile failed"
    (restart,) = window.project.fixes_of(problem)
    assert restart.text == "Restart" and not card.restart.isHidden()
    restarts = told(window, "fragile")["restarts"]
    window.problems.fix_wanted.emit(restart)
    qtbot.waitUntil(lambda: told(window, "fragile")["restarts"] > restarts, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: word(window, "fragile") == "Error", timeout=PATIENCE_MS)

    # The events themselves, decoded.
    seen: list[float] = []
    watch = window.live.feed.watch("/signal/value", lambda events: seen.append(events[-1].message.data))  # type: ignore[attr-defined]
    qtbot.waitUntil(lambda: len(set(seen)) > 3, timeout=PATIENCE_MS)
    watch.close()

    # An edit reaches what runs before anybody saves.
    assert window.session.do(SetParameters("signal", {"frequency_hz": 0.25}))
    qtbot.waitUntil(lambda: told(window, "signal")["parameters"]["frequency_hz"] == 0.25, timeout=PATIENCE_MS)
    assert window.session.do(SaveParameterSet("signal", "lively", {"frequency_hz": "4.0"}))
    qtbot.waitUntil(lambda: told(window, "signal")["parameters"]["frequency_hz"] == 4.0, timeout=PATIENCE_MS)
    assert window.session.do(SetParameterSet("signal", "slow"))
    qtbot.waitUntil(lambda: told(window, "signal")["parameters"]["frequency_hz"] == 0.1, timeout=PATIENCE_MS)
    pid = window.live.feed.state["processes"]["ends"]["pid"]
    old = Wire(Endpoint("signal", "value"), Endpoint("sink", "value"))
    added = AddNode(Component("filter", "low_pass"))
    wired = Connect(Wire(Endpoint("signal", "value"), Endpoint("filter", "raw")))
    assert window.session.do(Compound("Put in a filter", (added, wired)))
    qtbot.waitUntil(lambda: word(window, "filter") == "Active", timeout=PATIENCE_MS)
    assert window.live.feed.state["processes"]["ends"]["pid"] == pid, "what is not touched goes on"
    assert "filter" not in (window.session.folder / "system.xml").read_text()
    assert old in list(window.session.system.wires)

    # What cannot follow is told, and done when somebody agrees.
    other = AddNode(Component("filter", "signal_sink"))
    wired = Connect(Wire(Endpoint("signal", "value"), Endpoint("filter", "value")))
    assert window.session.do(Compound("A sink for the filter", (RemoveNodes(("filter",)), other, wired)))
    qtbot.waitUntil(lambda: "of another type" in window.notice.words.text(), timeout=PATIENCE_MS)
    assert told(window, "filter")["type"] == "low_pass" and word(window, "filter") == "Not running"
    next(button for button in window.notice.findChildren(QPushButton) if button.text() == "Restart filter").click()
    qtbot.waitUntil(lambda: told(window, "filter").get("type") == "signal_sink", timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: word(window, "filter") == "Active", timeout=PATIENCE_MS)

    # Pause, one event, and what stands still says so.
    window.trigger("run.pause")
    qtbot.waitUntil(lambda: window.live.control.phase == "paused", timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: word(window, "sink") == "Held", timeout=PATIENCE_MS)
    window.trigger("run.step")
    qtbot.waitUntil(lambda: "Delivered" in window.status.words.text(), timeout=PATIENCE_MS)
    window.trigger("run.start")
    qtbot.waitUntil(lambda: window.live.control.phase == "running", timeout=PATIENCE_MS)

    # One component.
    window.canvas.canvas.select(["sink"])
    window.trigger("run.deactivate")
    qtbot.waitUntil(lambda: word(window, "sink") == "Inactive", timeout=PATIENCE_MS)

    # The window goes, the system stays; a window that comes attaches to it.
    folder, run = window.session.folder, window.live.feed.run
    window.session.save()
    window.show_session(None)
    assert window.live.control.phase == "stopped"
    assert run in [system.run for system in running_systems()]
    assert window.files.open(folder)
    qtbot.waitUntil(lambda: window.live.feed.run == run and window.live.control.is_up, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: word(window, "filter") == "Active", timeout=PATIENCE_MS)

    window.trigger("run.stop")
    qtbot.waitUntil(lambda: window.live.control.phase == "stopped", timeout=PATIENCE_MS)
    assert run not in [system.run for system in running_systems()]
    assert word(window, "filter") == "" and not window.live.feed.state


def test_a_flood_a_hanging_component_and_a_killed_runtime_do_not_stop_the_window(
    running: Callable[[Path], MainWindow], tmp_path: Path, qtbot: QtBot
) -> None:
    window = running(project(tmp_path / "wild", WILD, "flood", "stuck"))
    # The plot of the flood is open too, and has to keep up.
    qtbot.waitUntil(lambda: bool(window.viewers.open), timeout=PATIENCE_MS)
    stalls = StallLog(tmp_path / "stalls.log", window)
    try:
        shown = 0

        def show(events: list[Any]) -> None:
            nonlocal shown
            shown += len(events)

        watch = window.live.feed.watch("/flood/value", show, every=True)
        window.canvas.canvas.select(["flood"])
        qtbot.waitUntil(lambda: word(window, "stuck") == "Busy", timeout=PATIENCE_MS)
        assert window.live.feed.state["stepping"]["gate"] == "free", "in lockstep one that hangs holds up the others"
        qtbot.waitUntil(lambda: watch.came > 20_000, timeout=PATIENCE_MS)
        assert 0 < shown <= watch.came
        # A process that says nothing at all.
        os.kill(window.live.feed.state["processes"]["stuck"]["pid"], signal.SIGSTOP)
        qtbot.waitUntil(lambda: word(window, "stuck") == "Hung", timeout=PATIENCE_MS)
        assert window.status.troubled == "stuck"
        [system] = [system for system in running_systems() if system.run == window.live.feed.run]
        os.kill(system.pid, signal.SIGKILL)
        qtbot.waitUntil(lambda: window.live.control.phase == "stopped", timeout=PATIENCE_MS)
        assert window.notice.isVisible() and "killed" in window.notice.words.text()
        assert word(window, "flood") == ""
    finally:
        stalls.close()
    # The promise itself, by the window's own log: what a busy machine takes away is not among its stalls.
    assert not stalls.stalls, [str(stall) for stall in stalls.stalls]


def test_a_system_that_does_not_start_says_why(one_window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    folder = project(tmp_path / "watched", WATCHED, "fragile")
    code = folder / "components" / "fragile" / "fragile.py"
    code.write_text(
        "import nothing_of_that_name\n" + code.read_text().replace("from __future__ import annotations", "")
    )
    one_window.show()
    assert one_window.files.open(folder)
    said: list[str] = []
    one_window.live.control.start_failed.connect(said.append)
    one_window.trigger("run.start")
    qtbot.waitUntil(lambda: bool(said) or bool(one_window.session.problems), timeout=PATIENCE_MS)
    assert "nothing_of_that_name" in (said[0] if said else one_window.status.words.text())
    assert one_window.live.control.phase == "stopped"
    if one_window.live._box is not None:
        one_window.live._box.close()
    one_window.hide()
    one_window.show_session(None)
