"""The benchmark compares what it says it compares."""

from __future__ import annotations

import pytest

import bench.messages
from studio.messages import MessageTypes


def test_every_type_has_a_row_with_its_goal() -> None:
    report = bench.messages.run(rounds=1).to_json()
    assert (report["bench"], report["rounds"]) == ("messages", 1)
    assert {row["what"].split(":")[0].split(" of ")[0] for row in report["rows"]} == set(MessageTypes.builtin().names())
    for row in report["rows"]:
        assert (row["against"], row["unit"], row["better"]) == ("rosbags", "us", "lower")
        assert row["goal"] == (0.4 if row["what"].startswith("Range3d") else 1.2)
        assert set(row["peers"]) == {"rosbags", "pickle5", "msgspec", "protobuf"}
        assert row["ratio"] == pytest.approx(row["ours"] / row["peers"]["rosbags"])


def test_an_absent_peer_is_null_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench.messages, "present", lambda module: module == "rosbags")
    monkeypatch.setattr(bench.messages, "samples", lambda: {"Float64": bench.messages.Float64(1.0)})
    report = bench.messages.run(rounds=1).to_json()
    assert report["rows"][0]["peers"]["msgspec"] is None
    assert report["install"] == {"msgspec": "make bench", "protobuf": "make bench"}
