"""Causes, effects and paths: of traces as hosts write them, and of a recorded run."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.messages import Handled
from studio.runtime.causality.paths import LatencyBook, effects_of, longest, path_words, paths_to
from studio.runtime.causality.story import story_of
from studio.runtime.causality.trace import Trace, trace_of
from studio.runtime.causality.traced_log import traced
from studio.runtime.causality.why import why
from studio.runtime.recording import LogReader
from studio.runtime.replay.causes import chain_of
from tests.runtime.replay.small_systems import diamond, plan, record_traced
from tests.runtime.systems import Part

MS = 1_000_000
TIMER = "/_studio/timer/"


def row(component: str, topic: str, number: int, start: float, end: float, read=(), published=()) -> Handled:  # type: ignore[no-untyped-def]
    return Handled(component, topic, number, int(start * MS), int(end * MS), tuple(read), tuple(published))


def robot() -> Trace:
    """A source with a laser, a map that keeps scans for its timer, a planner that reads it, an arbiter."""
    trace = Trace()
    trace.add(
        [
            row("driver", f"{TIMER}driver", 1, 0, 1, published=[("/platform/laser", 1)]),
            row("map", "/platform/laser", 1, 2, 3),
            row("driver", f"{TIMER}driver", 2, 10, 11, published=[("/platform/laser", 2)]),
            row("map", "/platform/laser", 2, 12, 13),
            row("map", f"{TIMER}map", 1, 20, 25, published=[("/map/grid", 1)]),
            row("planner", "/map/grid", 1, 26, 27),
            row("planner", f"{TIMER}planner", 1, 40, 45, [("/map/grid", 1)], [("/planner/vote", 1)]),
            row("arbiter", "/planner/vote", 1, 46, 47, published=[("/arbiter/command", 1)]),
            row("driver", "/arbiter/command", 1, 48, 49),
        ]
    )
    return trace


def test_what_a_timer_had_been_given_or_read_is_what_it_worked_with() -> None:
    (path,) = paths_to(robot(), ("/arbiter/command", 1))
    assert path.events == (("/platform/laser", 2), ("/map/grid", 1), ("/planner/vote", 1), ("/arbiter/command", 1))
    assert [hop.input.how for hop in path.hops] == ["kept", "read", "handled"]
    assert [(hop.way_ns, hop.kept_ns, hop.handling_ns) for hop in path.hops] == [
        (1 * MS, 7 * MS, 6 * MS), (1 * MS, 13 * MS, 6 * MS), (1 * MS, 0, 1 * MS),
    ]  # fmt: skip
    assert path.latency_ns == 36 * MS == sum((hop.way_ns or 0) + hop.kept_ns + hop.handling_ns for hop in path.hops)
    assert path_words(path.topics) == "platform.laser → map → planner → arbiter.command"


def test_a_scan_that_was_replaced_by_a_newer_one_is_in_the_map_all_the_same() -> None:
    hops, left_out = effects_of(robot(), ("/platform/laser", 1))
    assert [hop.published for hop in hops] == [("/map/grid", 1), ("/planner/vote", 1), ("/arbiter/command", 1)]
    assert not left_out
    assert effects_of(robot(), ("/platform/laser", 1), most=1) == (hops[:1], 1)


def test_a_story_goes_through_its_event_from_sensor_to_command() -> None:
    trace = robot()
    for event in (("/platform/laser", 2), ("/planner/vote", 1), ("/arbiter/command", 1)):
        story = story_of(trace, event, lambda topic: "laser" in topic, lambda topic: topic.endswith("command"))
        assert story is not None and story.latency_ns == 36 * MS
        assert story.components == ["driver", "map", "planner", "arbiter"]
    assert story_of(trace, ("/planner/vote", 9), bool, bool) is None
    alone = story_of(trace, ("/platform/laser", 1), bool, lambda topic: False)
    assert alone is not None and not alone.critical and alone.latency_ns == 0


def test_what_a_source_makes_of_a_command_is_another_round() -> None:
    trace = robot()
    trace.add([row("driver", f"{TIMER}driver", 3, 50, 51, published=[("/platform/laser", 3)])])
    assert paths_to(trace, ("/platform/laser", 3)) == []
    assert effects_of(trace, ("/arbiter/command", 1)) == ([], 0)


def test_a_loop_in_the_wiring_ends_where_a_component_would_come_again() -> None:
    trace = Trace()
    for n in range(1, 6):
        at = 10.0 * n
        trace.add([row("a", "/b/out", n - 1, at, at + 1, published=[("/a/out", n)])])
        trace.add([row("b", "/a/out", n, at + 2, at + 3, published=[("/b/out", n)])])
    (path,) = paths_to(trace, ("/b/out", 5))
    assert path.events == (("/b/out", 4), ("/a/out", 5), ("/b/out", 5))


def test_the_oldest_is_forgotten_and_nothing_of_it_stays() -> None:
    trace = Trace(most=4)
    for n in range(1, 50):
        trace.add([row("a", f"{TIMER}a", n, n, n + 0.1, published=[("/a/out", n)])])
        trace.add([row("b", "/a/out", n, n + 0.2, n + 0.3, published=[("/b/out", n)])])
    assert len(trace) == 4 and trace.events_of("/b/out") == [("/b/out", 48), ("/b/out", 49)]
    assert not trace.knows(("/a/out", 47)) and trace.took(("/a/out", 49))
    assert sum(len(rows) for topics in trace._given.values() for rows in topics.values()) == 4


def test_a_log_that_is_played_again_tells_its_last_story() -> None:
    trace = robot()
    again = [each._replace(start_ns=each.start_ns + 1000 * MS, end_ns=each.end_ns + 1003 * MS) for each in trace.rows]
    book = LatencyBook(trace, "/arbiter/command")
    book.update()
    trace.add(again)
    assert len(trace.took(("/platform/laser", 1))) == 1
    (path,) = paths_to(trace, ("/arbiter/command", 1))
    assert path.latency_ns == 36 * MS and path.start_ns > 1000 * MS


def test_latencies_of_all_paths_the_slowest_first() -> None:
    trace = robot()
    trace.add(
        [
            row("driver", f"{TIMER}driver", 4, 60, 61, published=[("/platform/laser", 4)]),
            row("arbiter", "/platform/laser", 4, 61, 62, published=[("/arbiter/command", 2)]),
        ]
    )
    book = LatencyBook(trace, "/arbiter/command")
    book.update(before_ns=50 * MS)
    assert [found.sequences for found in book.all()] == [(1,)], "of the second not all may be known yet"
    book.update()
    slow, fast = book.all()
    assert slow.quantile_ms(0.5) == 36.0 and fast.topics == ("/platform/laser", "/arbiter/command")
    assert fast.times_ns == (1 * MS,)


def test_why_tells_the_path_that_causality_marks(tmp_path: Path) -> None:
    """The chain goes on through a component that works by a timer, as the panel does."""
    system = plan(
        ticker=Part("Ticker", period_s=0.01, outlets=("out",)),
        sampler=Part("Sampler", {"raw": "ticker.out"}, period_s=0.025, outlets=("out",)),
        adder=Part("Adder", {"raw": "sampler.out"}, outlets=("out",)),
    )
    with LogReader(record_traced(tmp_path / "run.mcap", system, 0.1)) as log:
        chain, _ = why(log, "/adder/out", 2)
        seen = traced(log)
        story = story_of(seen.trace, ("/adder/out", 2), seen.is_sensor, seen.is_command)
    assert story is not None
    assert [link.topic for link in chain] == ["/_studio/timer/ticker", "/ticker/out", "/sampler/out", "/adder/out"]
    assert [link.identity for link in chain[2:]] == [hop.published for hop in story.critical]
    assert [link.how for link in chain[2:]] == ["kept", "handled"]
    assert [link.kept_ns or 0 for link in chain[2:]] == [hop.kept_ns for hop in story.critical]
    assert [link.waiting_ns for link in chain[2:]] == [hop.way_ns for hop in story.critical]


def test_why_also_names_what_was_not_recorded(tmp_path: Path) -> None:
    log = record_traced(tmp_path / "run.mcap", diamond(), 0.05, without=("/left/out", "/ticker/out"))
    with LogReader(log) as reader:
        chain, stopped = why(reader, "/merger/out", 3)
    assert stopped == ""
    assert [(link.identity, link.stamp_ns is None) for link in chain] == [
        (("/ticker/out", 2), True), (("/left/out", 2), True), (("/merger/out", 3), False),
    ]  # fmt: skip


@pytest.mark.parametrize("most", [200_000, 12])
def test_why_goes_back_as_far_as_the_log_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Also to what a component was given long ago, and with a memory for a small part of the trace."""
    monkeypatch.setattr("studio.runtime.causality.why.BEFORE_NS", 20 * MS)
    system = plan(
        ticker=Part("Ticker", period_s=0.5, outlets=("out",)),
        sampler=Part("Sampler", {"raw": "ticker.out"}, period_s=0.01, outlets=("out",)),
        adder=Part("Adder", {"raw": "sampler.out"}, outlets=("out",)),
    )
    with LogReader(record_traced(tmp_path / "run.mcap", system, 0.9, batches=60)) as log:
        last = next(log.events(["/adder/out"], reverse=True)).sequence
        chain, stopped = why(log, "/adder/out", last, most)
    if most == 12:
        assert [link.topic for link in chain] == ["/_studio/timer/sampler", "/sampler/out", "/adder/out"]
        assert stopped.startswith("more than 12 handlings follow 0.")
    else:
        assert [link.topic for link in chain] == ["/_studio/timer/ticker", "/ticker/out", "/sampler/out", "/adder/out"]
        assert stopped == ""


def test_a_recorded_run_has_the_same_path_as_the_headers_of_its_events(tmp_path: Path) -> None:
    with LogReader(record_traced(tmp_path / "run.mcap", diamond(), 0.05)) as log:
        (chain, _), trace = why(log, "/merger/out", 3), trace_of(log)
        by_headers = chain_of(log, "/merger/out", 3)
        book = LatencyBook(trace, "/merger/out")
    assert [link.identity for link in by_headers] == [link.identity for link in chain]
    assert [link.handling_ns for link in by_headers] == [link.handling_ns for link in chain]
    book.update()
    assert sorted(path_words(found.topics) for found in book.all()) == [
        "ticker.out → left → merger.out", "ticker.out → right → merger.out",
    ]  # fmt: skip


def test_a_log_of_others_has_no_trace(tmp_path: Path) -> None:
    from tests.runtime.replay.played import write_rig

    write_rig(tmp_path / "rig.mcap")
    with LogReader(tmp_path / "rig.mcap") as log:
        assert len(trace_of(log)) == 0


@pytest.mark.parametrize("count", [0, 1])
def test_an_empty_trace_is_no_error(count: int) -> None:
    trace = Trace()
    trace.add([row("a", f"{TIMER}a", 1, 0, 1)] * count)
    book = LatencyBook(trace, "/a/out")
    book.update()
    assert book.all() == [] and paths_to(trace, ("/a/out", 1)) == [] and longest([]) is None
