"""What a program in another language reports: no more than the protocol asks for."""

from __future__ import annotations

from studio.runtime.host.statistics import topic_totals


def test_a_report_with_nothing_but_counts_is_enough() -> None:
    report = {"components": {"c_filter": {"state": "active"}}, "topics": {"/signal/value": {"count": 1200, "lost": 3}}}
    total = topic_totals([report], ["/signal/value"])["/signal/value"]
    assert (total.count, total.drops, total.bytes, total.latency_us(0.5)) == (1200, 3, None, None)
