from __future__ import annotations

import gc

import pytest

from bench.harness import Report, Row, interleave, no_garbage_collection, per_call_us, table


def test_contenders_take_turns_and_every_other_round_is_reversed() -> None:
    order: list[str] = []

    def contender(name: str) -> float:
        order.append(name)
        return 1.0

    interleave({"a": lambda: contender("a"), "b": lambda: contender("b"), "c": lambda: contender("c")}, rounds=3)
    assert "".join(order) == "abc" + "cba" + "abc"


def test_the_median_is_reported_and_an_absent_peer_stays_none() -> None:
    results = iter([5.0, 1.0, 100.0, 2.0, 3.0])
    assert interleave({"ours": lambda: next(results), "absent": None}, rounds=5) == {"ours": 3.0, "absent": None}


@pytest.mark.parametrize(
    ("better", "ours", "met"),
    [("lower", 0.4, True), ("lower", 0.6, False), ("higher", 0.6, True), ("higher", 0.4, False)],
)
def test_a_goal_is_a_ratio_and_knows_its_direction(better: str, ours: float, met: bool) -> None:
    row = Row("x", "us", ours, {"peer": 1.0}, "peer", 0.5, better)  # type: ignore[arg-type]
    assert row.ratio == ours
    assert row.met is met


def test_without_the_peer_there_is_no_ratio_and_no_verdict() -> None:
    row = Row("x", "us", 1.0, {"peer": None}, "peer", 0.5)
    assert row.ratio is None
    assert row.met is None


def test_json_has_the_fields_that_scripts_rely_on() -> None:
    report = Report("demo", 5)
    report.add("encode", "us", {"ours": 1.0, "peer": 2.0, "other": None}, against="peer", goal=0.6)
    report.missing("other", "pip install other")
    data = report.to_json()
    assert data["bench"] == "demo"
    assert data["rounds"] == 5
    assert data["install"] == {"other": "pip install other"}
    expected = {
        "what": "encode", "unit": "us", "ours": 1.0, "peers": {"peer": 2.0, "other": None},
        "ratio": 0.5, "against": "peer", "goal": 0.6, "better": "lower", "met": True,
    }  # fmt: skip
    assert data["rows"] == [expected]


def test_the_table_names_a_missed_goal_and_how_to_get_an_absent_peer() -> None:
    report = Report("demo", 5)
    report.add("encode", "us", {"ours": 3.0, "peer": 2.0, "other": None}, against="peer", goal=1.2)
    report.missing("other", "pip install other")
    text = table(report)
    assert "1.50 of peer" in text
    assert "MISSED" in text
    assert "pip install other" in text


def test_timing_a_call_measures_microseconds() -> None:
    assert 0.001 < per_call_us(lambda: None, at_least_ms=0.5) < 100


def test_garbage_collection_comes_back_on() -> None:
    with no_garbage_collection():
        assert not gc.isenabled()
    assert gc.isenabled()
