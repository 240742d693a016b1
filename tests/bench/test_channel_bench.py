"""The bench of the channel runs, small, and every row has the shape that scripts rely on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bench.channel import Amounts, fan_out, large, lockstep, run_mode
from bench.channel_parts.processes import Order, Peers
from bench.channel_parts.reports import BenchError, Reports
from bench.harness import Report

SMALL = Amounts(
    burst=50, bursts=1, paced=5, large=2, large_bytes=1 << 20, subscribers=1, events=20, in_process_events=200
)


@pytest.fixture
def reports() -> Iterator[Reports]:
    with Reports() as reports:
        yield reports


def test_run_mode_measures_broker_and_handlers_against_the_proxy(reports: Reports) -> None:
    report = Report("channel", 1)
    run_mode(report, reports, SMALL, "100 B", 100, "Fix")
    assert [(row.unit, row.better, row.goal) for row in report.rows] == [
        ("events/s", "higher", 0.8), ("events/s", "higher", None), ("us", "lower", 1.3), ("us", "lower", 1.3),
    ]  # fmt: skip
    for row in report.rows:
        assert row.against == "zmq.proxy"
        assert row.ours > 0
        assert row.ratio is not None
    assert report.rows[1].peers.keys() == {"ours with codec", "zmq.proxy", "zmq.proxy PULL/PUB"}


def test_large_payloads_are_compared_with_both_peers(reports: Reports) -> None:
    report = Report("channel", 1)
    large(report, reports, SMALL)
    fan_out(report, reports, SMALL)
    assert [(row.against, row.goal) for row in report.rows] == [("pyzmq", 0.8), ("iceoryx2", 1.25), ("pyzmq", 0.25)]
    assert all(row.ours > 0 and row.peers["pyzmq"] for row in report.rows)


def test_lockstep_is_compared_with_round_trips_and_with_itself_in_process(reports: Reports) -> None:
    report = Report("channel", 1)
    lockstep(report, reports, SMALL)
    assert [(row.against, row.goal) for row in report.rows] == [
        ("REQ/REP", 3.0), ("over processes", 100.0), ("over processes", 5.0),
    ]  # fmt: skip
    assert all(row.ratio and row.ratio > 0 for row in report.rows)


def test_a_measurement_with_a_missing_event_is_no_result(reports: Reports) -> None:
    address = f"ipc://{reports.folder}/lossy"
    bind, connect = (["zmq-source", "PUSH", address, "bind"], ["zmq-sink", "PULL", address, "connect"])
    pair = Peers(reports, "lossy", bind, connect)
    try:
        assert pair.measure(Order(3, pace_us=100)).keys() == {"lossy.sink0"}
        with pytest.raises(BenchError, match=r"no result from lossy\.sink0 after 0\.2 s: were events lost"):
            reports.collect({"lossy.sink0"}, patience_s=0.2)
    finally:
        pair.close()
