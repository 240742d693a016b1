"""A real vehicle that a person drives from elsewhere: whoever drives may be killed, and the vehicle stands."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from studio.runtime.emulators.pty_port import PtyPort
from studio.runtime.emulators.vehicle import Vehicle
from tests.cli.running import STUDIO, Studio
from tests.cli.test_ctl import process
from tests.components.driven_vehicle import StopClock
from tests.waiting import await_true

SYSTEM = """<system name="by_hand" version="1">
  <component name="car" type="serial_vehicle"><parameter name="port" value="{port}"/></component>
</system>
"""
HANDS = 3
"""Runtime, broker and driver: through these passes what was said last."""


@pytest.mark.timeout(180)
def test_a_killed_client_stops_the_vehicle_that_it_drives(
    tmp_path: Path, studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs, project, vehicle = tmp_path / "r", tmp_path / "by_hand", Vehicle()
    runs.mkdir()
    project.mkdir()
    monkeypatch.setenv("STUDIO_RUNS", str(runs))
    (project / "system.xml").write_text(SYSTEM.format(port=tmp_path / "car"))

    def drives() -> int:
        with port.lock:
            return sum(note.what == "drive" for note in vehicle.record)

    with PtyPort(vehicle, tmp_path / "car") as port, StopClock(port, vehicle) as clock:
        assert process(runs, "run", project, "--detach").status == 0
        try:
            # Armed when the line stands; and what is made up did not move it, unless somebody says that he means it.
            await_true(lambda: studio("ctl", "arm", "car").status == 0, "the vehicle to be armed")
            refused = studio("ctl", "send", "car.command", '{"speed_m_s": 0.3}')
            assert refused.status == 1 and "--real" in refused.err and drives() == 0
            assert studio("ctl", "switch", "real").status == 0
            await_true(lambda: studio("ctl", "arm", "car").status == 0, "it to be armed again")
            words = ["ctl", "send", "car.command", '{"speed_m_s": 0.3}', "--real", "--rate", "20", "--for", "100"]
            person = subprocess.Popen([*STUDIO, *words], stdout=subprocess.DEVNULL, env=dict(os.environ))
            await_true(lambda: drives() > 5, "the vehicle to drive")
            clock.assert_stops(person.kill, HANDS)
            person.wait()
        finally:
            process(runs, "stop")
