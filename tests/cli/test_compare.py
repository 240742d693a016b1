"""`studio compare` and `studio info LOG`."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.messages import Float64, String
from tests.cli.running import Studio
from tests.runtime.replay.small_systems import diamond, record_lockstep, record_traced, write_foreign


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("logs")
    return record_lockstep(folder / "a.mcap", diamond()), record_lockstep(folder / "b.mcap", diamond(amount=1.25))


def test_a_log_equals_itself(studio: Studio, logs: tuple[Path, Path]) -> None:
    result = studio("compare", logs[0], logs[0])
    assert (result.status, result.out.splitlines()[-1]) == (0, "identical")
    assert "/_studio/" not in result.out
    assert "/_studio/timer/ticker" in studio("compare", logs[0], logs[0], "--all").out


def test_the_first_difference_is_told_to_people(studio: Studio, logs: tuple[Path, Path]) -> None:
    result = studio("compare", *logs)
    assert result.status == 1
    assert "first difference: /left/out: event 1, data: 2.0 in A, 2.25 in B" in result.out
    assert result.out.splitlines()[-1] == "different: 2 of 4 topics"


def test_the_shape_for_scripts(studio: Studio, logs: tuple[Path, Path]) -> None:
    told = studio("compare", *logs, "--json").json
    assert told["identical"] is False
    left = told["topics"]["/left/out"]
    assert (left["events_a"], left["events_b"], left["identical"], left["differing"]) == (20, 20, False, 20)
    expected = {"what": "value", "topic": "/left/out", "sequence": 1, "field": "data", "a": 2.0, "b": 2.25}
    assert expected.items() <= left["first_difference"].items()
    assert told["topics"]["/ticker/out"]["first_difference"] is None


def test_chosen_topics_and_a_tolerance(studio: Studio, logs: tuple[Path, Path]) -> None:
    assert studio("compare", *logs, "--topic", "/ticker/*").status == 0
    assert studio("compare", *logs, "--topic", "/left/*").status == 1
    assert studio("compare", *logs, "--topic", "/left/*", "--tolerance", "0.3").status == 0
    assert studio("compare", *logs, "--topic", "/nothing/*").status == 2
    assert studio("compare", *logs, "--tolerance", "-1").status == 2
    assert studio("compare", logs[0], "nowhere.mcap").status == 2


def test_a_log_of_ours_is_described(studio: Studio, logs: tuple[Path, Path]) -> None:
    told = studio("info", logs[0], "--json").json
    assert (told["gaps"], told["repaired"], told["finished"], told["problems"]) == ([], False, True, [])
    assert told["topics"]["/left/out"]["type"] == "std_msgs/msg/Float64"
    assert told["topics"]["/left/out"]["count"] == 20
    assert told["topics"]["/left/out"]["last_ns"] - told["topics"]["/left/out"]["first_ns"] == 190_000_000
    assert told["duration_s"] == pytest.approx(0.2)
    assert told["events"] == sum(topic["count"] for topic in told["topics"].values())
    text = studio("info", logs[0]).out
    assert "/left/out" in text and "100.0/s" in text and "gap" not in text


def test_a_log_of_others_is_described(studio: Studio, tmp_path: Path) -> None:
    rows = {"/x": [(10**9, Float64(1.0)), (3 * 10**9, Float64(2.0))], "/words": [(2 * 10**9, String("a"))]}
    told = studio("info", write_foreign(tmp_path / "f.mcap", rows), "--json").json
    assert (told["events"], told["duration_s"], told["gaps"]) == (3, 2.0, [])
    assert told["topics"]["/words"] == {
        "type": "std_msgs/msg/String", "count": 1, "first_ns": 2 * 10**9, "last_ns": 2 * 10**9,
    }  # fmt: skip


def test_why_an_event_came_about(studio: Studio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    log = record_traced(tmp_path / "run.mcap", diamond(), 0.05)
    result = studio("info", log, "--why", "/merger/out:4")
    assert result.status == 0
    lines = result.out.splitlines()
    assert [line.split()[0] for line in lines[2:]] == [
        "/_studio/timer/ticker:2", "/ticker/out:2", "/right/out:2", "/merger/out:4",
    ]  # fmt: skip
    assert "µs" in lines[-1]
    chain = studio("info", log, "--why", "merger/out:4", "--json").json["chain"]
    assert [link["component"] for link in chain] == ["timer", "ticker", "right", "merger"]
    assert chain[-1]["handling_us"] > 0
    none = studio("info", log, "--why", "/merger/out:999")
    assert (none.status, "its events are 1 to " in none.err) == (1, True)
    assert "did you mean /merger/out" in studio("info", log, "--why", "/merger/ou:1").err
    paths = studio("info", log, "--latency", "merger/out", "--json").json["paths"]
    assert sorted(path["topics"][1] for path in paths) == ["/left/out", "/right/out"]
    assert all(0 < path["p50_ms"] <= path["p99_ms"] <= path["most_ms"] for path in paths)
    assert "ticker.out → left → merger.out" in studio("info", log, "--latency", "/merger/out").out
    assert studio("info", log, "--latency", "/merger/nothing").status == 2
    assert studio("info", log, "--why", "nonsense").status == 2
