"""An armed vehicle after a safety stop, as a person at a terminal has it: what is told, and what lets it go on."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from studio.runtime.emulators.pty_port import PtyPort
from studio.runtime.emulators.vehicle import Vehicle
from tests.cli.running import STUDIO, Studio
from tests.cli.test_ctl import process
from tests.components.driven_vehicle import StopClock
from tests.waiting import await_true

SYSTEM = """<system name="by_hand" version="1">
  <geometry assembly="raptor"/>
  <source name="vehicle" mode="real">
    <port name="command" direction="in" type="Velocity"/>
    <real>
      <component name="car" type="serial_vehicle"><parameter name="port" value="{port}"/></component>
      <bind port="command" to="car.command"/>
    </real>
  </source>
  <component name="teleop" type="teleop"><parameter name="valid_s" value="1.0"/></component>
  <component name="arbiter" type="arc_arbiter" period_s="0.05">
    <parameter name="required" value="teleop"/>
  </component>
  <wire from="teleop.votes" to="arbiter.votes"/>
  <wire from="arbiter.command" to="vehicle.command"/>
</system>
"""
HAND = [
    "ctl",
    "send",
    "teleop.joy",
    '{"axes": [0.0, 0.5], "buttons": [1]}',
    "--real",
    "--rate",
    "20",
    "--for",
    "100",
]


@contextmanager
def hand() -> Iterator[subprocess.Popen[bytes]]:
    """Somebody who holds the stick until it is killed."""
    person = subprocess.Popen([*STUDIO, *HAND], stdout=subprocess.DEVNULL, env=dict(os.environ))
    try:
        yield person
    finally:
        person.kill()
        person.wait()


@pytest.mark.timeout(240)
def test_without_votes_it_stops_and_stays_until_a_person_lets_it_go_on(
    tmp_path: Path, studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs, project, vehicle = tmp_path / "r", tmp_path / "by_hand", Vehicle()
    runs.mkdir()
    project.mkdir()
    monkeypatch.setenv("STUDIO_RUNS", str(runs))
    (project / "system.xml").write_text(SYSTEM.format(port=tmp_path / "car"))

    def stop() -> str:
        found = studio("ctl", "list", "car").out
        return next((line for line in found.splitlines() if "safety_stop" in line), "")

    def stays() -> bool:
        return "no votes from teleop" in stop() or "the sticks fell silent" in stop()

    with PtyPort(vehicle, tmp_path / "car") as port, StopClock(port, vehicle) as clock:
        assert process(runs, "run", project, "--detach").status == 0
        try:
            assert studio("ctl", "resume", "arbiter").status == 1
            await_true(lambda: studio("ctl", "arm", "car").status == 0, "the vehicle to be armed")
            with hand():
                clock.await_driving()
            await_true(stays, "the stop to be told")
            assert "studio ctl resume car" in studio("ctl", "log").out
            before = len(clock.moves())
            too_early = studio("ctl", "resume", "car")
            assert too_early.status == 1 and "car stays stopped: teleop: the sticks fell silent" in too_early.err
            with hand():
                await_true(lambda: studio("ctl", "log").out.count("takes over") == 2, "the hand to hold the stick")
                await_true(lambda: "it is in a safety stop" in studio("ctl", "log").out, "a command to be refused")
                assert not any(note.speed_m_s for note in clock.moves()[before:]), "it drives on by itself"
                await_true(lambda: studio("ctl", "resume", "car").out == "car: resumed, now\n", "it to be let go on")
                clock.await_driving()
        finally:
            process(runs, "stop")
