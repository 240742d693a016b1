"""Whether what came out of a case is what was expected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from studio.errors import StudioError
from studio.messages import MessageTypes, decode
from studio.runtime.cases.case import Case
from studio.runtime.cases.expression import ExpressionError, Facts, Place, Series, series_of
from studio.runtime.recording import LogReader
from studio.runtime.replay.comparison import MACHINERY, Comparison, Difference, compare


@dataclass(frozen=True)
class Failure:
    expected: str
    found: str
    place: Place | None = None

    def __str__(self) -> str:
        return f"{self.expected}: {self.found}" + (f" ({self.place})" if self.place else "")


@dataclass
class Judged:
    failures: list[Failure] = field(default_factory=list)
    comparison: Comparison | None = None
    """With the golden log."""


def judge(case: Case, log: Path, outcome: Mapping[str, Any], types: MessageTypes) -> Judged:
    """`log`: everything that came out of the case, recorded."""
    judged = Judged()
    with LogReader(log) as reader:
        facts = _facts(reader, outcome, types)
        for expression in case.expect:
            try:
                finding = expression.finding(facts)
            except StudioError as error:
                hint = f" ({error.hint})" if error.hint else ""
                judged.failures.append(Failure(expression.text, f"{error.message}{hint}"))
                continue
            if not finding.holds:
                judged.failures.append(Failure(expression.text, finding.found, finding.place))
        topics = [name for name in reader.topics if not name.startswith(MACHINERY)]
    if case.golden:
        _compare(case, log, topics, types, judged)
    return judged


def golden_topics(case: Case, topics: list[str]) -> list[str]:
    return [topic for topic in topics if any(fnmatchcase(topic, pattern) for pattern in case.golden)]


def _compare(case: Case, log: Path, topics: list[str], types: MessageTypes, judged: Judged) -> None:
    expected = f"the golden log {case.golden_log.name}"
    if not case.golden_log.exists():
        judged.failures.append(Failure(expected, f"there is none yet: studio test --accept {case.name}"))
        return
    with LogReader(case.golden_log) as golden:
        wanted = [name for name in golden.topics if not name.startswith(MACHINERY)]
    both = list(dict.fromkeys([*golden_topics(case, wanted), *golden_topics(case, topics)]))
    found = compare(case.golden_log, log, case.tolerance, topics=both, types=types)
    judged.comparison = found
    first = found.first_difference
    if first is not None:
        judged.failures.append(Failure(expected, *_told(first)))


def _told(first: Difference) -> tuple[str, Place | None]:
    if first.what != "value" or first.sequence is None or first.stamp_ns is None:
        return str(first), None
    return f"{first.field} is {first.b}, not {first.a}", Place(first.topic, first.sequence, first.stamp_ns)


def _facts(reader: LogReader, outcome: Mapping[str, Any], types: MessageTypes) -> Facts:
    topics = [name for name in reader.topics if not name.startswith(MACHINERY)]

    @cache
    def series(topic: str, path: str) -> Series:
        schema = reader.topics[topic].schema.name
        kind = types.find_schema(schema)
        if kind is None:
            raise ExpressionError(f"messages of {topic} cannot be read: {schema} is not known")
        events = ((event.sequence, event.stamp_ns, decode(kind, event.payload)) for event in reader.events([topic]))
        return series_of(topic, path, events)

    duration_s = (reader.end_ns - reader.start_ns) / 1e9 if reader.event_count else 0.0
    return Facts(series, topics, outcome, duration_s)
