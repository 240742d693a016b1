"""Bags of ROS 2 are named like any log, wherever a log is asked for."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from rosbags.rosbag2 import StoragePlugin, Writer

from studio.messages import Float64
from tests.cli.robot import write_robot
from tests.cli.running import Studio
from tests.messages.strategies import rosbags_bytes, shipped_store
from tests.runtime.recording.logs import story, write_log

EVENTS = 50


@pytest.fixture(params=[StoragePlugin.SQLITE3, StoragePlugin.MCAP], ids=["db3", "mcap"])
def bag(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return write_bag(tmp_path, request.param)


def write_bag(folder: Path, plugin: StoragePlugin, odd: str = "") -> Path:
    """Half a second of a robot's level, and the robot; beside it a topic in an odd form, which nobody can read."""
    write_robot(folder / "robot", log="../bag", topic="/level", mode="logged")
    store = shipped_store()
    with Writer(folder / "bag", version=9, storage_plugin=plugin) as writer:
        level = writer.add_connection("/level", Float64.SCHEMA_NAME, typestore=store)
        for number in range(EVENTS):
            writer.write(level, 10**18 + number * 10**7, rosbags_bytes(store, Float64(float(number))))
        if odd:
            other = writer.add_connection("/odd", Float64.SCHEMA_NAME, typestore=store, serialization_format=odd)
            writer.write(other, 10**18, b"{}")
    return folder / "bag"


def test_a_bag_is_a_log_for_every_verb(studio: Studio, bag: Path) -> None:
    robot = bag.parent / "robot"
    told = studio("info", bag, "--json")
    assert told.status == 0, told.err
    assert told.json["topics"]["/level"]["count"] == EVENTS
    is_copied = bool(list(bag.glob("*.db3")))
    assert ("Studio reads a converted copy of" in told.err and "(ROS 2 bag)" in told.err) == is_copied
    again = studio("info", bag, "--json")
    assert not again.err and again.json == told.json, "the copy is made once"
    played = studio("play", bag, robot, "--flat-out", "--json")
    assert played.status == 0 and played.json["topics"]["/platform/level"]["count"] == EVENTS
    replayed = studio("replay", robot, "--log", bag, "--lockstep", "--in-process", "--json")
    assert replayed.status == 0 and replayed.json["fed"] == ["/platform/level"]
    stepped = studio("step", robot, "--log", bag, "--in-process", "--next", "/filter/smooth", "--json")
    assert stepped.status == 0 and stepped.json["event"]["topic"] == "/filter/smooth"
    assert studio("compare", bag, bag).status == 0
    ran = studio("run", robot, "--gate", "lockstep", "--for", "0.3", "--json")
    assert ran.status == 0 and ran.json["topics"]["/filter/smooth"]["count"] == 31


def test_what_could_not_be_brought_over_is_told_when_a_source_plays_it(
    studio: Studio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    bag, robot = write_bag(tmp_path, StoragePlugin.SQLITE3, odd="json"), tmp_path / "robot"
    complaint = f"some of {bag} could not be imported (studio convert {bag} OUT.mcap lists them)"
    ran = studio("run", robot, "--gate", "lockstep", "--for", "0.1", "--json")
    assert ran.status == 0 and f"studio: warning: {complaint}" in ran.err
    shutil.rmtree(tmp_path / "cache")
    assert studio("run", robot, "--mode", "real", "--detach").status == 0
    try:
        assert studio("ctl", "switch", "logged").status == 0
        assert complaint in studio("ctl", "log").out
    finally:
        assert studio("stop", robot).status == 0


def test_a_folder_without_a_log_is_told(studio: Studio, tmp_path: Path) -> None:
    told = studio("play", tmp_path)
    assert told.status == 2 and "is a folder without a log (name a log, e.g. drive.mcap, or the" in told.err


def test_the_logs_of_a_folder_are_listed(studio: Studio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    logs = tmp_path / "logs"
    logs.mkdir()
    write_log(logs / "drive.mcap", story(40))
    write_log(logs / "walk.mcap", story(20))
    told = studio("info", logs)
    assert told.status == 0 and told.out.splitlines()[0].startswith(f"{logs}: 2 logs, ")
    assert [line.split()[:2] for line in told.out.splitlines()[2:]] == [["drive.mcap", "40"], ["walk.mcap", "20"]]
    write_log(logs / "cut.mcap", story(20), close=False)
    found = studio("info", logs, "--json")
    assert found.status == 1, "one of them is not whole"
    assert [(Path(log["files"][0]).name, log["problem"]) for log in found.json["logs"]] == [
        ("cut.mcap", "not closed by its recorder"), ("drive.mcap", ""), ("walk.mcap", ""),
    ]  # fmt: skip
    assert not (tmp_path / "cache").exists()
