"""Which state a component was in, and when: spans over system time, also when that time goes back. No Qt in here."""

from __future__ import annotations

from bisect import bisect_left, insort
from dataclasses import dataclass, field
from typing import Literal

MOST = 5000
"""Spans or marks of one lane; of more, the oldest are forgotten."""
JITTER_NS = 300_000_000
"""A clock that goes back by less was only told anew, or stepped back an event: nothing is overwritten for it."""
Sort = Literal["restart", "error"]


@dataclass
class Span:
    start_ns: int
    end_ns: int
    state: str
    note: str = ""
    """Why, where that is known."""


@dataclass(frozen=True, order=True)
class Mark:
    """Something that happened at one moment."""

    time_ns: int
    sort: Sort
    note: str = ""


@dataclass
class Lane:
    spans: list[Span] = field(default_factory=list)
    """In order, never overlapping; what nobody saw is a gap."""
    marks: list[Mark] = field(default_factory=list)
    _open: Span | None = None

    def see(self, now_ns: int, state: str, note: str = "") -> None:
        """The state at a moment. A clock that went back overwrites what was seen of that time before."""
        current = self._open
        if current is not None and current.end_ns - JITTER_NS < now_ns < current.end_ns:
            now_ns = current.end_ns
        if current is None or now_ns < current.end_ns:
            self._begin(now_ns, state, note)
        elif state == current.state:
            self._grow(current, now_ns)
            current.note = note or current.note
        else:
            self._grow(current, now_ns)
            self._begin(now_ns, state, note)

    def happen(self, mark: Mark) -> None:
        insort(self.marks, mark)
        del self.marks[:-MOST]

    def rest(self) -> None:
        """Nothing is known from here on: the system is gone."""
        self._open = None

    def at(self, time_ns: float) -> Span | None:
        place = bisect_left(self.spans, time_ns, key=lambda span: span.end_ns)
        found = self.spans[place] if place < len(self.spans) else None
        return found if found is not None and found.start_ns <= time_ns else None

    def _begin(self, now_ns: int, state: str, note: str) -> None:
        self._clear(now_ns, now_ns)
        before = next((span for span in self.spans if span.start_ns < span.end_ns == now_ns), None)
        if before is not None and (before.state, before.note) == (state, note):
            self._open = before  # the clock went back, and nothing else has changed
            return
        self._open = Span(now_ns, now_ns, state, note)
        # Before one that begins at the same moment: that is the rest of what is being overwritten.
        self.spans.insert(bisect_left(self.spans, now_ns, key=lambda span: span.start_ns), self._open)
        del self.spans[:-MOST]

    def _grow(self, current: Span, now_ns: int) -> None:
        if now_ns > current.end_ns:
            if current is not self.spans[-1]:
                self._clear(current.end_ns, now_ns, but=current)
            current.end_ns = now_ns

    def _clear(self, first_ns: int, last_ns: int, but: Span | None = None) -> None:
        """Make room: spans are cut at both ends, and marks between them are gone."""
        kept: list[Span] = []
        for span in self.spans:
            if span is but or span.start_ns < span.end_ns <= first_ns or span.start_ns >= last_ns:
                kept.append(span)
                continue
            if span.start_ns < first_ns:
                kept.append(Span(span.start_ns, first_ns, span.state, span.note))
            if span.end_ns > last_ns:
                kept.append(Span(last_ns, span.end_ns, span.state, span.note))
        self.spans = kept
        self.marks = [mark for mark in self.marks if not first_ns < mark.time_ns < last_ns]
