"""What hosts and programs report of what they send: a program no more than the protocol asks for."""

from __future__ import annotations

from studio.runtime.host.statistics import topic_totals


def test_a_report_with_nothing_but_counts_is_enough() -> None:
    report = {"components": {"c_filter": {"state": "active"}}, "topics": {"/signal/value": {"count": 1200, "lost": 3}}}
    total = topic_totals([report], ["/signal/value"])["/signal/value"]
    assert (total.count, total.drops, total.bytes, total.latency_us(0.5)) == (1200, 3, None, None)


def test_what_nobody_receives_is_counted_by_its_sender() -> None:
    report = {"components": {"filter": {"state": "active", "published": {"/filter/smooth": 1200}}}, "topics": {}}
    assert topic_totals([report], ["/filter/smooth"])["/filter/smooth"].count == 1200
