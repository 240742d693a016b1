"""After a safety stop an armed vehicle stays where it is, until a person or the system file lets it go on."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from studio.runtime.base.turns import Turns
from studio.runtime.control_plane import of_runtime as asked
from studio.runtime.debug.freeze import Freeze
from studio.runtime.server.gate_requests import GateRequests
from studio.runtime.session import live_change
from tests.components.driven_vehicle import Run, driving
from tests.waiting import await_true

STOPPED_S = 0.6
"""Longer than any command acts, and shorter than it takes to be called hung."""
WATCHED_COMMANDS = 20
"""So many commands have to come and be refused before it counts as staying."""


def kill(run: Run, name: str) -> None:
    """It dies, and is there again."""
    if name == "broker":
        before = run.session.broker_restarts
        os.kill(run.session.broker.pid, signal.SIGKILL)
        await_true(lambda: run.session.broker_restarts > before, "another broker")
        return
    os.kill(run.session.hosts[name].pid, signal.SIGKILL)
    await_true(lambda: name in run.session.exits, "word of its death")
    run.session.restart_host(name)


def freeze_process(run: Run, name: str) -> None:
    pid = run.session.broker.pid if name == "broker" else run.session.hosts[name].pid
    os.kill(pid, signal.SIGSTOP)
    time.sleep(STOPPED_S)
    os.kill(pid, signal.SIGCONT)


ATTACKS: dict[str, tuple[Callable[[Run, str], None], str]] = {
    "driver killed": (kill, "driver"),
    "broker killed": (kill, "broker"),
    "driver stopped and continued": (freeze_process, "driver"),
    "broker stopped and continued": (freeze_process, "broker"),
    "car stopped and continued": (freeze_process, "car"),
}


def assert_stays(run: Run) -> None:
    """Commands come again, and none of them moves it."""
    await_true(lambda: run.vehicle.speed_m_s == 0.0 and run.safety_stop(), "the stop to be told")
    drives, refused = len(run.noted("drive")), run.refusals()
    await_true(lambda: run.refusals() >= refused + WATCHED_COMMANDS, "commands that are refused")
    assert len(run.noted("drive")) == drives, "it drives on by itself"
    assert run.vehicle.speed_m_s == 0.0


@pytest.mark.parametrize("attack", ATTACKS)
def test_it_stays_stopped_until_a_person_lets_it_go_on(tmp_path: Path, attack: str) -> None:
    do, name = ATTACKS[attack]
    with driving(tmp_path) as run:
        run.await_log("bench car answers")
        run.drive()
        do(run, name)
        assert_stays(run)
        run.await_log("it stays stopped until a person resumes it: studio ctl resume car")
        assert run.armed(), "it need not be armed again"
        before = len(run.noted("drive"))
        run.session.command("car", {"do": "resume"})
        await_true(lambda: len(run.noted("drive")) > before + 5, "the vehicle to drive")
        assert not run.safety_stop()


def test_arming_it_again_lets_it_go_on(tmp_path: Path) -> None:
    with driving(tmp_path) as run:
        run.await_log("bench car answers")
        run.drive()
        freeze_process(run, "driver")
        assert_stays(run)
        run.drive()


def test_a_vehicle_whose_driver_was_killed_is_disarmed_and_says_why(tmp_path: Path) -> None:
    with driving(tmp_path) as run:
        run.await_log("bench car answers")
        run.drive()
        await_true(run.armed, "word that it is armed")
        kill(run, "car")
        run.await_log("stopped: the process of car ended; arm it to continue")
        await_true(lambda: "process of car ended" in run.safety_stop(), "the reason to be told")
        assert not run.armed()
        run.session.command("car", {"do": "resume"})
        run.await_log("car is not armed")
        assert run.stands()
        await_true(lambda: len(run.noted("hello")) > 1, "the driver to find its vehicle")
        run.drive()
        assert not run.safety_stop()


def test_a_policy_in_the_system_file_lets_it_go_on_and_nothing_else_can_set_it(tmp_path: Path) -> None:
    with driving(tmp_path, after_stop="resume") as run:
        run.await_log("bench car answers")
        run.drive()
        before = len(run.noted("drive"))
        freeze_process(run, "driver")
        run.await_log("resumed by the next command: after_stop of car is resume")
        await_true(lambda: len(run.noted("drive")) > before + 20, "the vehicle to drive on")
        assert not run.safety_stop()
        run.session.command("car", {"do": "set", "name": "after_stop", "value": "stay"})
        run.await_log("after_stop is set in the system file")


def test_a_person_who_continues_after_a_freeze_lets_it_go_on(tmp_path: Path) -> None:
    with driving(tmp_path) as run:
        freeze = Freeze(run.session)
        try:
            run.await_log("bench car answers")
            run.drive()
            freeze.freeze(why="breakpoint", host="driver")
            await_true(lambda: run.session.mode == "pause" and run.stands(), "the freeze to stop it")
            await_true(run.safety_stop, "the stop to be told")
            before = len(run.noted("drive"))
            freeze.thaw("driver", by_person=True)
            await_true(lambda: len(run.noted("drive")) > before + 5, "the vehicle to drive on")
        finally:
            freeze.close()


def test_a_person_who_lets_a_paused_system_run_lets_it_go_on_and_the_machine_does_not(tmp_path: Path) -> None:
    with driving(tmp_path) as run:
        gate = GateRequests(run.session, Turns())
        run.await_log("bench car answers")
        run.drive()
        gate.job(asked.SetGate(mode="pause"))()
        await_true(run.safety_stop, "the pause to stop it")
        before = len(run.noted("drive"))
        gate.job(asked.SetGate(mode="run"))()
        await_true(lambda: len(run.noted("drive")) > before + 5, "the vehicle to drive on")
        with live_change.paused(run.session, run.session.run):  # as for a change of the system
            await_true(run.safety_stop, "the pause to stop it")
        assert_stays(run)
        gate.job(asked.SetGate(mode="run"))()  # it runs already: nobody has said anything about a pause
        assert_stays(run)


def test_a_freeze_that_ends_by_itself_lets_nobody_go_on(tmp_path: Path) -> None:
    """A debug client that dies, or a held process that does, is no person who continues."""
    with driving(tmp_path) as run:
        freeze = Freeze(run.session)
        try:
            run.await_log("bench car answers")
            run.drive()
            freeze.freeze(why="breakpoint", host="driver")
            await_true(lambda: run.session.mode == "pause" and run.stands(), "the freeze to stop it")
            freeze.thaw("driver")
            await_true(lambda: run.session.mode == "run", "the system to go on")
            assert_stays(run)
        finally:
            freeze.close()


def test_continuing_after_a_freeze_does_not_lift_a_stop_of_before(tmp_path: Path) -> None:
    with driving(tmp_path) as run:
        freeze = Freeze(run.session)
        try:
            run.await_log("bench car answers")
            run.drive()
            freeze_process(run, "driver")
            assert_stays(run)
            freeze.freeze(why="breakpoint", host="driver")
            await_true(lambda: run.session.mode == "pause", "the freeze")
            freeze.thaw("driver", by_person=True)
            await_true(lambda: run.session.mode == "run", "the system to go on")
            assert_stays(run)
        finally:
            freeze.close()


def test_a_commander_that_reports_trouble_stops_it_for_good(tmp_path: Path) -> None:
    """It commands zero speed itself, and full speed again when it is well: nobody has let the vehicle go on."""
    with driving(tmp_path) as run:
        run.await_log("bench car answers")
        run.drive()
        run.session.command("driver", {"do": "set", "name": "blind", "value": True})
        await_true(lambda: "driver: sees nothing" in run.safety_stop(), "the stop to be told")
        run.session.command("driver", {"do": "set", "name": "blind", "value": False})
        assert_stays(run)
        run.session.command("car", {"do": "resume"})
        before = len(run.noted("drive"))
        await_true(lambda: len(run.noted("drive")) > before + 5, "the vehicle to drive")
