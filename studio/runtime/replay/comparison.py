"""Compares two logs topic by topic. Memory does not grow with them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from studio.messages import Message, MessageError, MessageTypes, decode
from studio.runtime.recording import LoggedEvent, LogReader
from studio.runtime.recording.facts.run_facts import RunDifference, facts_of, run_differences
from studio.runtime.replay.field_difference import FieldDifference, first_difference

MACHINERY = "/_studio/"
What = Literal["value", "missing", "extra", "type"]


@dataclass(frozen=True)
class Difference:
    """Where the events of a topic part. `missing`: A has the event and B has not; `extra`: B alone has it."""

    what: What
    topic: str
    sequence: int | None = None
    stamp_ns: int | None = None
    field: str = ""
    a: Any = None
    b: Any = None

    def __str__(self) -> str:
        match self.what:
            case "missing" | "extra":
                whole = "the topic" if self.sequence is None else f"event {self.sequence}"
                return f"{self.topic}: {whole} is {self.what}"
            case "type":
                return f"{self.topic}: its type is {self.a} in A and {self.b} in B"
            case _:
                return f"{self.topic}: event {self.sequence}, {self.field}: {self.a} in A, {self.b} in B"


@dataclass
class TopicComparison:
    topic: str
    type: str
    events_a: int
    events_b: int
    identical: bool = True
    within_tolerance: bool = True
    """All that differs are numbers, and by no more than the tolerance."""
    differing: int = 0
    """Events that are in both and beyond tolerance."""
    missing: int = 0
    extra: int = 0
    first_difference: Difference | None = None

    def note(self, difference: Difference) -> None:
        self.identical = self.within_tolerance = False
        self.missing += difference.what == "missing"
        self.extra += difference.what == "extra"
        self.differing += difference.what == "value"
        self.first_difference = self.first_difference or difference


@dataclass
class Comparison:
    tolerance: float
    topics: dict[str, TopicComparison] = field(default_factory=dict)
    runs: list[RunDifference] = field(default_factory=list)
    """In what the two runs were made of different things."""

    @property
    def identical(self) -> bool:
        return all(topic.identical for topic in self.topics.values())

    @property
    def within_tolerance(self) -> bool:
        return all(topic.within_tolerance for topic in self.topics.values())

    @property
    def first_difference(self) -> Difference | None:
        """The one with the earliest stamp: what came first is nearest to the reason."""
        found = [topic.first_difference for topic in self.topics.values() if topic.first_difference]
        return min(found, key=lambda each: each.stamp_ns if each.stamp_ns is not None else -1, default=None)


def compare(
    a: Path | str,
    b: Path | str,
    tolerance: float = 0.0,
    *,
    topics: Collection[str] | None = None,
    machinery: bool = False,
    types: MessageTypes | None = None,
) -> Comparison:
    """Stamps and payloads of all topics, or of `topics`; those under /_studio/ only with `machinery`.

    Logs of ours are matched by sequence, others by position.
    """
    with LogReader(a) as log_a, LogReader(b) as log_b:
        names = list(dict.fromkeys([*log_a.topics, *log_b.topics])) if topics is None else list(topics)
        names = [name for name in names if machinery or not name.startswith(MACHINERY)]
        found = _Comparer(log_a, log_b, tolerance, types or MessageTypes.builtin()).compare(names)
        found.runs = run_differences(facts_of(log_a), facts_of(log_b))
        return found


class _Comparer:
    def __init__(self, a: LogReader, b: LogReader, tolerance: float, types: MessageTypes) -> None:
        self._a, self._b = a, b
        self._tolerance = tolerance
        self._types = types

    def compare(self, names: list[str]) -> Comparison:
        found = Comparison(self._tolerance)
        known = [name for name in names if name in self._a.topics or name in self._b.topics]
        same = self._is_all_the_same(known)
        for name in names:
            found.topics[name] = topic = self._topic(name)
            if not same:
                self._compare_topic(topic)
        return found

    def _topic(self, name: str) -> TopicComparison:
        in_a, in_b = self._a.topics.get(name), self._b.topics.get(name)
        known = in_a or in_b
        count_a, count_b = in_a.count if in_a else 0, in_b.count if in_b else 0
        return TopicComparison(name, known.schema.name if known else "", count_a, count_b)

    def _is_all_the_same(self, names: list[str]) -> bool:
        """Both logs read once, side by side: enough as long as nothing differs, not even the order of topics."""
        topics_a, topics_b = self._a.topics, self._b.topics
        for name in names:
            if name not in topics_a or name not in topics_b:
                return False
            if topics_a[name].count != topics_b[name].count or topics_a[name].schema[1:] != topics_b[name].schema[1:]:
                return False
        pairs = zip(self._a.events(names), self._b.events(names), strict=True)
        return all(one.topic == other.topic and _is_same(one, other) for one, other in pairs)

    def _compare_topic(self, topic: TopicComparison) -> None:
        name = topic.topic
        in_a, in_b = self._a.topics.get(name), self._b.topics.get(name)
        if in_a is None or in_b is None:
            topic.note(Difference("extra" if in_a is None else "missing", name))
            return
        if in_a.schema.name != in_b.schema.name or in_a.encoding != in_b.encoding:
            topic.note(Difference("type", name, a=in_a.schema.name, b=in_b.schema.name))
            return
        kind = self._types.find_schema(in_a.schema.name)
        for one, other in _matched(self._a.events([name]), self._b.events([name])):
            self._compare_events(topic, kind, one, other)

    def _compare_events(
        self, topic: TopicComparison, kind: type[Message] | None, a: LoggedEvent | None, b: LoggedEvent | None
    ) -> None:
        there = a or b
        assert there is not None
        identity = topic.topic, there.sequence, there.stamp_ns
        if a is None or b is None:
            topic.note(Difference("extra" if a is None else "missing", *identity))
        elif not _is_same(a, b):
            topic.identical = False
            found = _event_difference(a, b, kind, self._tolerance)
            if found is not None:
                topic.note(Difference("value", *identity, *found))


def _is_same(a: LoggedEvent, b: LoggedEvent) -> bool:
    return a.sequence == b.sequence and a.stamp_ns == b.stamp_ns and a.payload == b.payload


def _matched(
    a: Iterator[LoggedEvent], b: Iterator[LoggedEvent]
) -> Iterator[tuple[LoggedEvent | None, LoggedEvent | None]]:
    """Pairs of the same event; one side is None where the other log has it alone."""
    one, other = next(a, None), next(b, None)
    while one is not None or other is not None:
        if one is None or (other is not None and _is_numbered(one, other) and other.sequence < one.sequence):
            yield None, other
            other = next(b, None)
        elif other is None or (_is_numbered(one, other) and one.sequence < other.sequence):
            yield one, None
            one = next(a, None)
        else:
            yield one, other
            one, other = next(a, None), next(b, None)


def _is_numbered(a: LoggedEvent, b: LoggedEvent) -> bool:
    return a.flags is not None and b.flags is not None


def _event_difference(
    a: LoggedEvent, b: LoggedEvent, kind: type[Message] | None, tolerance: float
) -> FieldDifference | None:
    if a.stamp_ns != b.stamp_ns:
        return FieldDifference("stamp_ns", a.stamp_ns, b.stamp_ns)
    if kind is not None:
        try:
            found = first_difference(decode(kind, a.payload), decode(kind, b.payload), tolerance)
            if found is not None or tolerance:
                return found
        except MessageError:
            kind = None  # one of them is no such message: the bytes have to tell
    return _byte_difference(bytes(a.payload), bytes(b.payload))


def _byte_difference(a: bytes, b: bytes) -> FieldDifference | None:
    for at, (one, other) in enumerate(zip(a, b, strict=False)):
        if one != other:
            return FieldDifference(f"byte {at}", f"{one:02x}", f"{other:02x}")
    return FieldDifference("bytes", len(a), len(b)) if len(a) != len(b) else None
