"""The bench of the recorder runs, small, and every row has the shape that scripts rely on."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import record
from bench.harness import Report


def test_publishing_is_compared_with_and_without_the_recorder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record, "COUNTS", {"poses": 5, "scans": 5, "maps": 2})
    report = Report("record", 2)
    record.publishing(report, tmp_path)
    assert [(row.unit, row.against, row.goal) for row in report.rows] == [
        ("us", "without recorder", goal) for goal in (1.3, 2.0) * 3
    ]
    assert all(row.ours > 0 and row.ratio for row in report.rows)
    assert (tmp_path / "with.mcap").exists() and not (tmp_path / "bare.mcap").exists()


def test_publishing_is_timed_while_recorder_and_viewer_stand_still(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record, "MANY", 20)
    report = Report("record", 1)
    record.unhindered(report, tmp_path)
    assert [(row.unit, row.against, row.goal) for row in report.rows] == [
        ("us", "without recorder", 2.0),
        ("us", "promised", 1.0),
    ]
    assert report.rows[1].peers == {"promised": 1000.0} and report.rows[0].ours == report.rows[1].ours > 0
