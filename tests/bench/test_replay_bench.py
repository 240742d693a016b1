"""The bench of replays runs, small, and tells in rows whether the same bytes come out."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import replay
from bench.harness import Report
from bench.replay_parts.examples import Example


def test_first_steps_is_fast_and_comes_back_to_its_start(tmp_path: Path) -> None:
    report = Report("replay", 1)
    replay.first_steps(report, tmp_path, 3.0)
    goals = {row.what: (row.unit, row.goal, row.better) for row in report.rows}
    assert goals == {
        "first_steps, in process": ("s/s", 60.0, "higher"),
        "200 events back, in process": ("ms", None, "lower"),
        "200 events there and back, in process: the state of the start": ("times", 1.0, "higher"),
        "first_steps, over processes": ("s/s", 10.0, "higher"),
        "200 events back, over processes": ("ms", None, "lower"),
        "200 events there and back, over processes: the state of the start": ("times", 1.0, "higher"),
    }
    assert all(row.met for row in report.rows if row.unit == "times")


@pytest.mark.soak
def test_a_way_through_a_log_is_set_against_a_replay_of_it(tmp_path: Path) -> None:
    report = Report("replay", 1)
    replay.way(report, tmp_path, "terrain_truth", 0.5)
    [row] = report.rows
    assert (row.unit, row.against, row.goal, row.better) == ("s", "replayed", 1.3, "lower")
    assert row.ours > 0 and all(peer is not None and peer > 0 for peer in row.peers.values())


def test_replays_of_a_recorded_run_are_counted_by_their_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "TEN", 2)
    report = Report("replay", 1)
    replay.identity(report, tmp_path, 1.0)
    assert [(row.ours, row.peers, row.goal, row.met) for row in report.rows] == [
        (count, {"replays": count}, 1.0, True) for count in (2.0, 2.0, 4.0)
    ]
    (tmp_path / "live in process 0.mcap").write_bytes(b"another")
    replay.add_identity(report, "one differs", tmp_path.glob("live * *.mcap"))
    assert (report.rows[-1].ours, report.rows[-1].met) == (3.0, False)


def test_the_other_examples_have_figures_and_no_goal(tmp_path: Path) -> None:
    report = Report("replay", 1)
    replay.other_example(report, tmp_path, Example("coroba_patterns", 1.0))
    speeds = [row for row in report.rows if row.unit == "s/s"]
    assert [row.what for row in speeds] == [
        "coroba_patterns, in process, recorded", "coroba_patterns, over processes, recorded",
    ]  # fmt: skip
    assert all(row.ours > 0 and row.goal is None for row in speeds)
    assert report.rows[-1].met and not list(tmp_path.iterdir())
