"""`studio gazebo` without a server; with one it is tried by `make test-gazebo`."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.runtime.gazebo import local_classic
from studio.runtime.gazebo.debian_tree import Tree
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


def test_a_world_is_named_or_a_file(studio: Studio, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(local_classic, "installed", lambda: Tree(tmp_path, ()))
    missing = studio("gazebo", "serve", "maz")
    assert missing.status == 2
    assert "there is no world and no file maz" in missing.err and "maze" in missing.err


def test_an_assembly_is_looked_for_where_no_file_is(studio: Studio) -> None:
    away = studio("gazebo", "spawn", "rover", "raptor", "--port", "9")
    assert away.status == 1 and "no Gazebo classic server on port 9" in away.err
    assert studio("gazebo", "spawn", "rover", "rapto").status == 2
    nowhere = studio("gazebo", "list", "--server", "gz:only")
    assert "is not the address of a world in a partition" in nowhere.err


def test_a_source_is_on_gazebo_or_on_a_server_that_is_named(studio: Studio) -> None:
    refused = studio("run", "raptor_blocks_world", "--for", "1", "--source", "platform=gazebo11")
    assert refused.status == 2 and "is not NAME=MODE" in refused.err
