"""Logs with Protobuf, from `studio convert` to the tree and the plot."""

from __future__ import annotations

from pathlib import Path

import pytest
from PyQt6.QtWidgets import QApplication

from studio.cli import main
from studio.editor.live.batch import Event
from studio.editor.live.feed import Feed
from studio.editor.live.foreign_messages import ForeignMessages
from studio.editor.log_files.log_facts import read_facts, viewing_project
from studio.editor.look.theme import LIGHT
from studio.editor.panels.data.message_viewer import MessageViewer
from studio.editor.views.data.message_nodes import kind_words
from studio.editor.views.data.message_tree import NAME, VALUE
from studio.editor.views.plots.logged_series import numbers_of, read_series
from studio.editor.views.shared.field_drag import Field
from studio.messages import MessageError
from studio.model.loaded_project import open_project
from studio.runtime.recording import LogReader
from studio.runtime.replay.mapping import mapped_topics
from tests.messages.test_protobuf_content import GIVEN, ROBOT, descriptors, robot
from tests.runtime.recording.importers.test_ros2_bags import mcap_log

ROBOTS, BROKEN = "/fleet/robot", "/broken"


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One topic that is described well, one whose description is damaged; imported by the command."""
    folder = tmp_path_factory.mktemp("protobuf")
    whole = descriptors().SerializeToString()
    messages = [GIVEN, robot(name="carl", ticks=7, pose={"x": 4.0}), b"\xff\xff"]
    topics = [
        (ROBOTS, "protobuf", ROBOT, "protobuf", whole, messages),
        (BROKEN, "protobuf", ROBOT, "protobuf", whole[:-5], messages[:1]),
    ]
    given = mcap_log(folder / "given.mcap", *topics)
    assert main(["convert", str(given), str(folder / "robots.mcap")]) == 0
    return folder / "robots.mcap"


def _played(log: Path, folder: Path) -> dict[str, list[dict[str, object]]]:
    """What a window shows of the events of each topic of the project that plays the log."""
    opened = open_project(folder)
    foreign = ForeignMessages(folder)
    with LogReader(log) as reader:
        topics = mapped_topics(opened.system, reader, opened.types)
        kind = opened.types.get("Bytes")
        return {
            logged: [foreign.read(topic, kind, event.payload) for event in reader.events([logged])]  # type: ignore[misc]
            for topic, logged in topics.items()
        }


def test_a_topic_in_protobuf_is_a_tree_of_its_fields(log: Path, tmp_path: Path, qapp: QApplication) -> None:
    first, second, damaged = _played(log, viewing_project(read_facts(log), tmp_path))[ROBOTS]
    feed = Feed()
    viewer = MessageViewer(feed, LIGHT)
    viewer._take([Event(ROBOTS, 1, 10**9, first)])
    viewer._show()
    assert viewer.facts.text().startswith(f"{ROBOT} · event 1")
    rows = {row.text(NAME): row.text(VALUE) for i in range(20) if (row := viewer.tree.topLevelItem(i)) is not None}
    assert rows == {
        "name": "carl", "ticks": str(2**60), "ranges": "1.5  nan  2.5", "image": "0  255", "mode": "DRIVING (1)",
        "pose": "", "goal": "null", "path": "", "cells": "", "inner": "null",
    }  # fmt: skip
    assert kind_words(first["mode"]) == "enum"
    viewer.tree.copy_message()
    assert second["pose"] == {"x": 4.0, "y": 0.0}
    assert "2 bytes cannot be read as fleet.Robot" in str(damaged["error"]) and damaged["data"].tolist() == [255, 255]  # type: ignore[attr-defined]
    viewer.close_viewer()
    feed.close()


def test_a_damaged_description_is_told_beside_the_bytes(log: Path, tmp_path: Path) -> None:
    folder = viewing_project(read_facts(log), tmp_path)
    (message,) = _played(log, folder)[BROKEN]
    assert f"the description of {ROBOT} in the log is damaged" in str(message["error"])
    assert message["data"].tobytes() == GIVEN  # type: ignore[attr-defined]
    for each in (folder / "msg").glob("*.protobuf"):
        each.unlink()
    assert "open the log again" in str(_played(log, folder)[ROBOTS][0]["error"])
    (folder / "msg" / "protobuf.json").write_text('{"/log/fleet.robot": {"message": "a", "descriptors": "../../x"}}')
    assert "names no descriptors" in str(_played(log, folder)[ROBOTS][0]["error"])
    (folder / "msg" / "protobuf.json").write_text("[[")
    assert not isinstance(_played(log, folder)[ROBOTS][0], dict), "then it is bytes"


def test_numbers_in_protobuf_can_be_plotted(tmp_path: Path) -> None:
    topic = (ROBOTS, "protobuf", ROBOT, "protobuf", descriptors().SerializeToString())
    whole = mcap_log(tmp_path / "whole.mcap", (*topic, [GIVEN, robot(pose={"x": 4.0})]))
    assert {"ticks", "pose.x", "cells.front"} <= set(numbers_of(whole, ROBOTS, None))
    assert read_series(whole, Field(ROBOTS, "pose.x"), None).values.tolist() == [3.0, 4.0]
    cut = mcap_log(tmp_path / "cut.mcap", (*topic, [GIVEN, b"\xff"]))
    with pytest.raises(MessageError, match=r"1 bytes cannot be read as fleet\.Robot"):
        read_series(cut, Field(ROBOTS, "pose.x"), None)
