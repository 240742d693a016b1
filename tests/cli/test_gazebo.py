"""`studio gazebo` without a server; with one it is tried by `make test-gazebo`."""

from __future__ import annotations

from tests.cli.running import Studio


def test_a_missing_server_is_said_with_its_port_and_remedy(studio: Studio) -> None:
    done = studio("gazebo", "list", "--port", "9", "--json")
    told = done.json
    assert done.status == 1
    assert told["error"]["message"] == "no Gazebo classic server on port 9: no server listens there"
    assert told["error"]["hint"] == "start one: studio gazebo serve"


def test_steps_and_files_are_checked_before_a_server_is_looked_for(studio: Studio) -> None:
    assert studio("gazebo", "step", "0").status == 2
    missing = studio("gazebo", "spawn", "box", "missing.sdf")
    assert missing.status == 2
    assert "missing.sdf cannot be read" in missing.err


def test_the_doctor_tells_of_this_machine(studio: Studio) -> None:
    told = studio("gazebo", "doctor", "--json").json
    subjects = {each["subject"] for each in told["findings"]}
    assert {"installed", "classic", "address", "multicast"} <= subjects
    assert all(each["command"] for each in told["findings"] if each["level"] == "trouble")
