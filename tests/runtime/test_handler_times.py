"""How long handlers take, as a host tells it: the median of the last events of each component."""

from __future__ import annotations

from studio.runtime.host.handler_times import KEPT, HandlerTimes
from studio.runtime.host.trace_book import TraceBook


def note(book: TraceBook, component: str, took_us: float, count: int = 1) -> None:
    for number in range(count):
        book.note(component, "/a/b", number, 5_000_000, 5_000_000 + round(took_us * 1000), [], [])


def told(book: TraceBook, times: HandlerTimes) -> None:
    for _ in range(2):  # a page is given once it is no longer written
        if (trace := book.take()) is not None:
            times.add(trace)


def test_the_median_of_each_component_is_told() -> None:
    book, times = TraceBook(), HandlerTimes()
    for took_us in (100.0, 123.4, 9_000.0):
        note(book, "map", took_us)
    note(book, "filter", 7.25)
    told(book, times)
    assert (times.p50_us("map"), times.p50_us("filter"), times.p50_us("nobody")) == (120.0, 7.2, None)


def test_it_follows_what_has_changed() -> None:
    book, times = TraceBook(), HandlerTimes()
    note(book, "map", 50.0, KEPT)
    told(book, times)
    note(book, "map", 2_000.0, KEPT // 2 - 1)
    told(book, times)
    assert times.p50_us("map") == 50.0
    note(book, "map", 2_000.0, 2)
    told(book, times)
    assert times.p50_us("map") == 2_000.0
