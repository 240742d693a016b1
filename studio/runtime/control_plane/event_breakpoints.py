"""Event breakpoints: where a system is to stop, by what passes in it instead of by a line of code. Pure logic.

    on event     before or after an event of a topic is delivered, perhaps only where a condition on its fields holds
    on state     a component's state changes, perhaps only to one that is named
    on error     a component's handler has failed
    on latency   an event of a topic was handled later than a limit after it was published

Each may count: it stops at every n-th time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Literal

from studio.errors import StudioError
from studio.model.close_matches import did_you_mean
from studio.runtime.base.typed_json import Count, Finite, Malformed, typed
from studio.runtime.wire.frames import Header, topic_hash

On = Literal["event", "state", "error", "latency"]
When = Literal["before", "after"]
TOLD = ("words", "hits", "trouble")
"""What is told of one besides: a list may be given back as it was told."""
MOST = 200
"""More would be a program, and slow every event down."""


Example = Callable[[str], object]
"""A message of a topic, of which only the fields matter; None where its type is not known."""


class BreakpointError(StudioError):
    """An event breakpoint that cannot be."""


@dataclass(frozen=True)
class EventBreakpoint:
    id: str
    on: On = "event"
    topic: str = ""
    """Of its events; empty for states and errors."""
    component: str = ""
    """Whose state, error or handling; empty: anybody's."""
    when: When = "before"
    condition: str = ""
    """On fields of the message, as `position.x > 3`; of a state: the one that is waited for."""
    count: Count = 1
    limit_ms: Finite = 0.0
    enabled: bool = True

    @property
    def words(self) -> str:
        """What it waits for, in a few words."""
        every = f", every {ordinal(self.count)}" if self.count > 1 else ""
        match self.on:
            case "event":
                return f"{self.when} {self.topic}{f' if {self.condition}' if self.condition else ''}{every}"
            case "state":
                to = f" becomes {self.condition}" if self.condition else " changes its state"
                return f"{self.component or 'any component'}{to}{every}"
            case "error":
                return f"error in {self.component or 'any component'}{every}"
        by = f" by {self.component}" if self.component else ""
        return f"{self.topic} handled{by} later than {self.limit_ms:g} ms{every}"


def ordinal(number: int) -> str:
    """2nd, 3rd, 11th."""
    last = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{last}"


@dataclass(frozen=True)
class Hit:
    """A breakpoint that stopped the system, and on what."""

    id: str
    text: str
    topic: str = ""
    sequence: int = 0
    stamp_ns: int = 0
    component: str = ""
    when: str = ""
    """before or after the event; `seen` where the system ran freely and was stopped as soon as it was seen."""
    message: dict[str, str] = field(default_factory=dict)
    """Its fields in short."""
    cause: tuple[str, int] | None = None
    """The event from which it came about."""
    ran: bool = False
    """It went on by itself until then, and does again when somebody lets it."""

    def plain(self) -> dict[str, Any]:
        return asdict(self)


def cause_of(header: Header, topics: Iterable[str]) -> tuple[str, int] | None:
    """The event that led to one, by the header of its frame; None for an input, or where nobody knows the topic."""
    name = next((topic for topic in topics if topic_hash(topic) == header.cause_topic), None)
    return None if name is None else (name, header.cause_sequence)


def parse(
    content: Any, topics: Iterable[str], components: Iterable[str], example: Example | None = None
) -> EventBreakpoint:
    """Of plain data, checked against what there is; raises BreakpointError, or ConditionError.

    `example` gives a message as a topic carries it, or None where that is not known: a condition must fit it.
    """
    if not isinstance(content, Mapping):
        raise BreakpointError(
            "an event breakpoint must be a JSON object", hint='e.g. {"id": "1", "on": "event", "topic": "/t"}'
        )
    known = [each.name for each in fields(EventBreakpoint)]
    for name in content:
        if name not in known and name not in TOLD:
            raise BreakpointError(f"an event breakpoint has no {name}", hint=did_you_mean(str(name), known))
    try:
        point = typed(EventBreakpoint, {"id": "", **{name: each for name, each in content.items() if each is not None}})
    except Malformed as malformed:
        raise BreakpointError(f"an event breakpoint: {malformed}") from None
    point = replace(point, condition=point.condition.strip())
    _verify(point, list(topics), list(components))
    if example is not None and point.on == "event" and point.condition:
        message = example(point.topic)
        if message is not None:
            condition_of(point)(message)
    return point


def parse_all(
    content: Any, topics: Iterable[str], components: Iterable[str], example: Example | None = None
) -> list[EventBreakpoint]:
    if not isinstance(content, list) or len(content) > MOST:
        raise BreakpointError(f"event breakpoints must be a list of at most {MOST}")
    known_topics, known_components = list(topics), list(components)
    points = [parse(each, known_topics, known_components, example) for each in content]
    ids = [point.id for point in points]
    if len(set(ids)) != len(ids):
        raise BreakpointError("two event breakpoints have the same id")
    return points


def _verify(point: EventBreakpoint, topics: list[str], components: list[str]) -> None:
    if not point.id:
        raise BreakpointError("an event breakpoint needs an id")
    if point.count < 1:
        raise BreakpointError("the count of an event breakpoint must be at least 1", hint="3: every third time")
    if point.on in ("event", "latency") and point.topic not in topics:
        hint = did_you_mean(point.topic, topics) or f"there are: {', '.join(topics)}"
        raise BreakpointError(
            f"there is no topic {point.topic}" if point.topic else "an event breakpoint needs a topic", hint=hint
        )
    if point.component and point.component not in components:
        raise BreakpointError(
            f"there is no component {point.component}", hint=did_you_mean(point.component, components)
        )
    if point.on == "latency" and not point.limit_ms > 0:
        raise BreakpointError("a latency breakpoint needs a limit", hint="limit_ms: 50")
    if point.on == "event" and point.condition:
        condition_of(point)


def condition_of(point: EventBreakpoint) -> Callable[[object], bool]:
    """What a message must be like. Fields are named as anywhere, with their topic before them or without it."""
    from studio.runtime.control_plane.condition import condition_on  # brings numpy, which few processes need for this

    return condition_on(point.topic, point.condition).holds


Message = Callable[[], object]
"""Decodes a message when somebody wants to look at it; None if that cannot be done."""


@dataclass
class _Armed:
    point: EventBreakpoint
    holds: Callable[[object], bool] | None
    times: int = 0

    def happens(self) -> bool:
        """One more time; whether the system stops at this one."""
        self.times += 1
        return self.times % self.point.count == 0


@dataclass
class EventBreakpoints:
    """The enabled ones of a list, and how often each has come true. Those that stay keep their counts."""

    points: list[EventBreakpoint] = field(default_factory=list)
    hits: dict[str, int] = field(default_factory=dict)
    """How often each has stopped the system."""
    trouble: dict[str, str] = field(default_factory=dict)
    """Why the condition of one cannot be answered."""

    def __post_init__(self) -> None:
        self._armed: dict[str, _Armed] = {}
        self._by_topic: dict[tuple[str, str], list[_Armed]] = {}
        self._states: dict[str, tuple[str, int]] = {}
        self.replace(self.points)

    def replace(self, points: Iterable[EventBreakpoint]) -> None:
        self.points = list(points)
        before, self._armed, self._by_topic = self._armed, {}, {}
        ids = {point.id for point in self.points}
        self.hits = {each: count for each, count in self.hits.items() if each in ids}
        self.trouble = {}
        for point in self.points:
            if not point.enabled:
                continue
            kept = before.get(point.id)
            if kept is None or kept.point != point:
                kept = _Armed(point, condition_of(point) if point.on == "event" and point.condition else None)
            self._armed[point.id] = kept
            if point.on == "event":
                self._by_topic.setdefault((point.topic, point.when), []).append(kept)

    @property
    def topics(self) -> frozenset[str]:
        """Whose events matter."""
        return frozenset(each.point.topic for each in self._armed.values() if each.point.topic)

    @property
    def wants_traces(self) -> bool:
        return any(each.point.on == "latency" for each in self._armed.values())

    @property
    def wants_reports(self) -> bool:
        return any(each.point.on in ("state", "error") for each in self._armed.values())

    def __bool__(self) -> bool:
        return bool(self._armed)

    # ---- what happens

    def event(self, when: When, topic: str, sequence: int, stamp_ns: int, message: Message) -> Hit | None:
        """An event is about to be delivered, or was. Every breakpoint counts; the first that stops is told."""
        found: Hit | None = None
        for armed in self._by_topic.get((topic, when), ()):
            if armed.holds is not None and not self._holds(armed, message):
                continue
            if armed.happens() and found is None:
                found = self._hit(armed.point, topic=topic, sequence=sequence, stamp_ns=stamp_ns, when=when)
        return found

    def _holds(self, armed: _Armed, message: Message) -> bool:
        assert armed.holds is not None
        try:
            looked_at = message()
            return looked_at is not None and armed.holds(looked_at)
        except StudioError as error:  # a field that its messages do not have: said, and no reason to stop
            self.trouble[armed.point.id] = str(error)
            return False

    def report(self, component: str, state: str, errors: int) -> Hit | None:
        """What is told of a component; the first time it only begins to be followed."""
        before_state, before_errors = self._states.get(component, (state, errors))
        self._states[component] = (state, errors)
        found: Hit | None = None
        for armed in self._armed.values():
            point = armed.point
            if point.on not in ("state", "error") or point.component not in ("", component):
                continue
            if point.on == "state":
                is_it = state != before_state and point.condition in ("", state)
                text = f"{component} is {state}"
            else:
                is_it = errors > before_errors or (state == "error" and before_state != "error")
                text = f"error in {component}"
            if is_it and armed.happens() and found is None:
                found = self._hit(point, component=component, text=text)
        return found

    def handled(self, component: str, topic: str, sequence: int, took_ms: float) -> Hit | None:
        """An event was handled, so long after it was published."""
        found: Hit | None = None
        for armed in self._armed.values():
            point = armed.point
            if point.on != "latency" or point.topic != topic or point.component not in ("", component):
                continue
            if took_ms > point.limit_ms and armed.happens() and found is None:
                text = f"{component} had handled it {took_ms:.1f} ms after it was published"
                found = self._hit(point, topic=topic, sequence=sequence, component=component, text=text, when="seen")
        return found

    def follow(self, component: str, state: str, errors: int) -> None:
        """How it is now: what is told of it next is compared with this."""
        self._states[component] = (state, errors)

    def _hit(self, point: EventBreakpoint, *, text: str = "", **about: Any) -> Hit:
        self.count_hit(point.id)
        return Hit(point.id, text or point.words, **about)

    def count_hit(self, point_id: str) -> None:
        self.hits[point_id] = self.hits.get(point_id, 0) + 1

    def plain(self) -> list[dict[str, Any]]:
        """For clients: the list as it was given, with what became of each."""
        return [
            {
                **asdict(point),
                "words": point.words,
                "hits": self.hits.get(point.id, 0),
                "trouble": self.trouble.get(point.id, ""),
            }
            for point in self.points
        ]
