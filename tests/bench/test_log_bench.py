"""The benchmark of logs compares what it says it compares."""

from __future__ import annotations

from pathlib import Path

import pytest

import bench.log
from bench.harness import OURS, installed
from bench.log_parts.opening import write_holes
from bench.log_parts.workload import workload
from bench.log_parts.writing import PLAIN, WRITERS
from studio.runtime.recording import LogReader
from studio.runtime.recording.format.log_source import LogSource
from studio.runtime.recording.reading.log_index import read_summary
from studio.runtime.recording.writing.log_writer import CHUNK_BYTES


def test_the_rows_and_their_goals() -> None:
    report = bench.log.run(rounds=1, scale=0.01).to_json()
    found = {row["what"]: (row["unit"], row["better"], row["goal"]) for row in report["rows"]}
    assert found == {
        "write, timed flush and CRC": ("MB/s", "higher", 1.5),
        "read, all checked": ("MB/s", "higher", 1.5),
        "seek": ("ms", "lower", 0.5),
        "open: 1 GB against 10 MB": ("us", "lower", 3.0),
    }
    write, read, seek, _ = report["rows"]
    assert write["against"] == read["against"] == "mcap"
    assert seek["against"] in {"mcap", "small-mcap", "foxglove-sdk", "rosbags"}
    assert all(row["ratio"] == pytest.approx(row["ours"] / row["peers"][row["against"]]) for row in report["rows"])


def test_the_workload_is_that_of_the_anchors() -> None:
    work = workload(1.0)
    assert len(work.items) == 17_334
    assert 200 <= work.megabytes <= 203


@pytest.mark.parametrize("name", [name for name in WRITERS if name != PLAIN])
def test_every_contender_writes_the_same_log(tmp_path: Path, name: str) -> None:
    if not installed(bench.log.MODULES.get(name, "bench")):
        pytest.skip(f"{name} is not installed: make bench")
    work = workload(0.01)
    WRITERS[name](tmp_path / f"{name}.mcap", work)
    with LogReader(bench.log.log_of(tmp_path, name)) as log:
        assert [(event.topic, bytes(event.payload)) for event in log.events()] == work.items
        assert log.problems == []


def test_a_log_with_holes_is_a_log(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    write_holes(path, 80)
    assert path.stat().st_size > 10_000_000 > 2 * path.stat().st_blocks * 512
    with LogReader(path) as log:
        assert log.problems == []
        assert sum(len(event.payload) for event in log.events()) == 80 * CHUNK_BYTES


def test_the_chunks_are_those_of_our_writer(tmp_path: Path) -> None:
    """No log of ours that is as long has more of them, or more topics in each, so none takes longer to be opened."""
    WRITERS[OURS](tmp_path / "ours.mcap", workload(0.05))
    write_holes(tmp_path / "holes.mcap", 80)
    tables = {}
    for name in ("ours", "holes"):
        with LogSource(tmp_path / f"{name}.mcap") as source:
            index = read_summary(source)
        assert index is not None
        tables[name] = index.chunks
    ours, holes = tables["ours"], tables["holes"]
    assert holes.size.mean() <= ours.size.mean()
    assert len(holes.entries.chunk) / len(holes) >= len(ours.entries.chunk) / len(ours)
