"""Breakpoints of several clients in one file, and the configuration for VS Code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from studio.runtime.debug.breakpoints import Breakpoints
from studio.runtime.debug.vscode import FILE, LaunchFileError, write_launch_file

SOURCE = {"path": "/x/filter.py"}


def test_a_line_stops_whenever_one_of_its_conditions_holds() -> None:
    points = Breakpoints()
    points.put("a", SOURCE, [{"line": 3, "condition": "x > 1"}, {"line": 9, "logMessage": "{x}"}])
    points.put("b", SOURCE, [{"line": 3, "condition": "y"}, {"line": 9, "hitCondition": "5"}, {"line": 4}])
    merged = {each["line"]: each for each in points.merged("/x/filter.py")["breakpoints"]}
    assert merged == {
        3: {"line": 3, "condition": "(x > 1) or (y)"},
        4: {"line": 4},
        9: {"line": 9, "hitCondition": "5"},
    }
    points.put("c", SOURCE, [{"line": 3}])
    merged = {each["line"]: each for each in points.merged("/x/filter.py")["breakpoints"]}
    assert merged[3] == {"line": 3}, "one without a condition stops always"


def test_each_client_keeps_its_own_numbers() -> None:
    points = Breakpoints()
    first = points.put("a", SOURCE, [{"line": 3}])
    second = points.put("b", SOURCE, [{"line": 3}, {"line": 4}])
    points.merged("/x/filter.py")
    points.answered("/x/filter.py", [{"id": 70, "verified": True, "line": 3}, {"id": 71, "verified": False, "line": 4}])
    assert first[0].answer() == {"id": first[0].number, "verified": True, "line": 3}
    assert points.behind(70) == [first[0].number, second[0].number]
    told = points.changed({"id": 71, "verified": True, "line": 5})
    assert told == [{"id": second[1].number, "verified": True, "line": 5}]
    assert points.leave("b") == ["/x/filter.py"]
    assert [each["line"] for each in points.merged("/x/filter.py")["breakpoints"]] == [3]
    assert points.leave("a") == ["/x/filter.py"]
    assert points.files == []


def test_the_configuration_takes_the_place_of_an_older_one(tmp_path: Path) -> None:
    other = {"name": "mine", "type": "debugpy", "request": "launch"}
    (tmp_path / FILE).parent.mkdir()
    (tmp_path / FILE).write_text(json.dumps({"version": "0.2.0", "compounds": [], "configurations": [other]}))
    write_launch_file(tmp_path, "filter", "/run/debug.1.py")
    write_launch_file(tmp_path, "filter", "/run/debug.2.py")
    content = json.loads((tmp_path / FILE).read_text())
    assert [each["name"] for each in content["configurations"]] == ["Studio: filter", "mine"]
    assert content["configurations"][0]["debugAdapterPath"] == "/run/debug.2.py"
    assert content["compounds"] == []


def test_a_file_with_comments_is_left_alone_and_the_configuration_told(tmp_path: Path) -> None:
    (tmp_path / FILE).parent.mkdir()
    (tmp_path / FILE).write_text("// my own\n{}")
    with pytest.raises(LaunchFileError) as raised:
        write_launch_file(tmp_path, "filter", "/run/debug.1.py")
    assert '"debugAdapterPath": "/run/debug.1.py"' in raised.value.hint
    assert (tmp_path / FILE).read_text().startswith("// my own")


def test_a_folder_that_cannot_be_written_says_what_to_add_by_hand(tmp_path: Path) -> None:
    (tmp_path / FILE).with_suffix(".new").mkdir(parents=True)  # nobody can write a file there, not even root
    with pytest.raises(LaunchFileError, match="cannot be written") as refused:
        write_launch_file(tmp_path, "filter", "/run/debug.1.py")
    assert '"debugAdapterPath": "/run/debug.1.py"' in refused.value.hint
