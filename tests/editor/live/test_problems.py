"""What is wrong while a system runs is a problem like any other: devices, processes, logs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from studio.editor.live import state as live_state
from studio.editor.live.problems import missing_logs, problems_of_run
from studio.editor.live.state import live_node, totals
from studio.editor.window.main_window import MainWindow
from studio.errors import Problem
from studio.model.document import SystemDocument
from studio.model.system_edits import RemoveNodes

SYSTEM = """<system name="rig" version="1">
  <source name="gps" mode="real">
    <port name="fix" direction="out" type="NavSatFix"/>
    <real><component name="gps_driver" type="nmea_gps"/><bind port="fix" to="gps_driver.fix"/></real>
    <logged log="logs/drive.mcap"/>
  </source>
</system>"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "system.xml").write_text(SYSTEM)
    return tmp_path


def state(count: int = 0, quiet_s: int = 0, **driver: Any) -> dict[str, Any]:
    told = {
        "state": "active", "type": "nmea_gps", "error": "", "trouble": "", "restarts": 0, "rate_hz": 0.0,
        "handler_p50_us": None, "activation": "event", **driver,
    }  # fmt: skip
    topic = {
        "count": count, "rate_hz": 0.0, "quiet_s": quiet_s, "drops": 0, "type": "NavSatFix",
        "latency_us": {"p99": None},
    }  # fmt: skip
    return {
        "gate": "run", "components": {"gps_driver": told}, "topics": {"/gps/fix": topic}, "sources": {"gps": "real"},
        "processes": {},
    }  # fmt: skip


def test_a_real_source_is_fine_only_while_its_device_answers(folder: Path) -> None:
    system = SystemDocument.load(folder).system
    gps = system.node("gps")
    assert live_node(gps, state()).look.word == "No data yet"
    assert live_node(gps, state(count=5)).look.word == "Active"
    assert live_node(gps, state(count=5, quiet_s=4)).look.word == "No data"
    gone = state(count=5, trouble="there is no device /dev/ttyUSB0 (is it plugged in?)")
    shown = live_node(gps, gone)
    assert (shown.look.word, shown.look.tone, shown.right) == ("No device", "error", "there is no device /dev/ttyUSB0")
    assert totals(gone).troubled == ("gps_driver",)
    (problem,) = problems_of_run(system, gone)
    assert (problem.message, problem.hint, problem.subject) == (
        "gps_driver: there is no device /dev/ttyUSB0", "is it plugged in?", "gps",
    )  # fmt: skip
    assert problems_of_run(system, state(count=5)) == []


def test_a_trouble_that_is_not_about_a_device_is_not_called_one(folder: Path) -> None:
    system = SystemDocument.load(folder).system
    lost = state(count=5, trouble="lost: scans do not fit (the pose goes on by the odometry)")
    shown = live_node(system.node("gps"), lost)
    assert (shown.look.word, shown.look.tone, shown.right) == ("Trouble", "error", "lost: scans do not fit")
    assert live_state._beside(lost["components"]["gps_driver"]) == ("lost: scans do not fit", "lost")


@pytest.mark.parametrize("condition", ["hung", "dead", "gave up", "restarting"])
def test_a_process_that_is_not_well_is_a_problem(folder: Path, condition: str) -> None:
    system = SystemDocument.load(folder).system
    (problem,) = problems_of_run(system, state(state=condition))
    assert problem.severity == "error" and problem.message.startswith("gps_driver ") and problem.hint


def test_a_log_that_is_not_there_is_a_problem_of_its_source(folder: Path) -> None:
    (folder / "system.xml").write_text(SYSTEM.replace('mode="real"', 'mode="logged"'))
    system = SystemDocument.load(folder).system
    (problem,) = missing_logs(system, folder)
    assert problem.subject == "gps.log" and "logs/drive.mcap, which does not exist" in problem.message
    (folder / "logs").mkdir()
    (folder / "logs" / "drive.mcap").touch()
    assert missing_logs(system, folder) == []


def test_a_system_that_runs_without_events_is_a_problem_with_its_reason(folder: Path) -> None:
    system = SystemDocument.load(folder).system
    quiet = {**state(count=5), "stalled": {"seconds": 4, "why": "gps_driver is inactive"}}
    (problem,) = problems_of_run(system, quiet)
    assert problem.message == "The system runs, but no event flows: gps_driver is inactive"
    assert problem.severity == "warning" and not problem.subject
    assert problems_of_run(system, {**quiet, "stalled": None}) == []


def test_a_problem_of_a_card_that_was_removed_has_no_remedy(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The list of problems looked for its card, and the window reported a fault."""
    (node, *_) = window.session.system.nodes
    problem = Problem(f"{node.name} failed: no", "error", subject=node.name)
    monkeypatch.setattr(window.project, "of_run", [problem])
    assert [remedy.text for remedy in window.project.fixes_of(problem)] == ["Restart"]
    window.session.do(RemoveNodes((node.name,)))
    assert window.project.fixes_of(problem) == []


def test_who_sends_malformed_messages_is_a_problem_of_that_card(folder: Path) -> None:
    system = SystemDocument.load(folder).system
    last = "cannot read /gps/fix#7"
    refused = {"gps_driver": {"count": 3, "last": last}, "": {"count": 1, "last": "text is missing"}}
    first, second = problems_of_run(system, {**state(count=5), "malformed": refused})
    assert (first.message, first.severity) == (f"gps_driver sent 3 malformed messages; last: {last}", "warning")
    assert first.subject == "gps"
    assert second.message == "An unknown sender sent 1 malformed message; last: text is missing"
