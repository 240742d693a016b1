"""Event breakpoints of a running system: at the gate where it delivers one by one, from the side where it runs freely.

In lockstep, and while stepping, the gate itself asks before and after every event: the system stops exactly there. In
free run nobody holds events up; they are seen on the lossy tap, and the system is stopped as soon as one is seen.
States, errors and latencies are always told by the hosts themselves, and so seen a moment later.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, replace
from functools import lru_cache
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from studio.errors import StudioError
from studio.messages import HandledTrace, MessageTypes, decode
from studio.messages.message_types import example_of
from studio.runtime.base.clock import Clock
from studio.runtime.base.short_values import short_fields
from studio.runtime.base.typed_json import typed
from studio.runtime.channel.run_folder import shared_folder
from studio.runtime.client.tap import Tap, read
from studio.runtime.control_plane.event_breakpoints import EventBreakpoints, Hit, cause_of, parse_all
from studio.runtime.processes.reports import read_report
from studio.runtime.session.session import Session
from studio.runtime.wire.frames import BEAT_TOPIC, HANDLED_TOPIC, split

LOOK_EVERY_S = 0.03
MOST_FRAMES = 500
REMEMBERED = 2000
"""Events whose time of publication is kept until they have been handled."""


class EventBreaks:
    """`stop` is called, in a thread of its own, with every hit: it has the system stand still."""

    def __init__(self, session: Session, stop: Callable[[Hit], None]) -> None:
        self._session = session
        self._stop = stop
        self.breakpoints = EventBreakpoints()
        self._lock = threading.Lock()
        self._hits: SimpleQueue[Hit] = SimpleQueue()
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None
        self._told: tuple[int, object] | None = None
        """Which broker has heard of which list."""
        self._sent: OrderedDict[tuple[str, int], int] = OrderedDict()
        session.on_hit = self._hit_at_the_gate

    def set(self, content: Any) -> dict[str, Any]:
        """Replace all; raises BreakpointError, and changes nothing, where one of them cannot be."""
        plan = self._session.plan
        points = parse_all(content, plan.types, plan.by_name, self._example)
        with self._lock:
            self.breakpoints.replace(points)
            for name in plan.by_name:  # a change is one of what is known now
                told = self._session.observer.component(name)
                if told:
                    self.breakpoints.follow(name, told.get("state", ""), told.get("errors", 0))
        self._tell_the_gate()
        if points and self._thread is None:
            self._thread = threading.Thread(target=self._watch, name="event breakpoints", daemon=True)
            self._thread.start()
        return {"list": self.plain()}

    def plain(self) -> list[dict[str, Any]]:
        with self._lock:
            return self.breakpoints.plain()

    def close(self) -> None:
        self._ended.set()
        if self._thread is not None:
            self._thread.join()

    # The gate.

    def _tell_the_gate(self) -> None:
        points = [point for point in self.breakpoints.points if point.enabled and point.on == "event"]
        told = (self._session.broker_restarts, points)
        if told != self._told and (points or self._told is not None):
            self._session.set_stops(list=[asdict(point) for point in points])
            self._told = told

    def _hit_at_the_gate(self, hit: dict[str, Any]) -> None:
        """By the thread that had the gate deliver; it may hold what a stop needs, so the stop is another's."""
        self._hits.put(typed(Hit, hit))

    # The thread.

    def _watch(self) -> None:
        run = self._session.folders.run
        tap, tapped = Tap(run, ()), frozenset[str]()
        try:
            while not self._ended.is_set() and not self._session.stopping:
                wanted = self._wanted()
                for topic in wanted - tapped:
                    tap.subscribe(topic)
                for topic in tapped - wanted:
                    tap.unsubscribe(topic)
                tapped = wanted
                for frame in tap.frames(LOOK_EVERY_S, MOST_FRAMES):
                    self._look(frame, shared_folder(run.name))
                self._take_hits()
                if self._told is not None and self._told[0] != self._session.broker_restarts:
                    with suppress(StudioError):  # it dies again; the next one is told
                        self._tell_the_gate()
        finally:
            tap.close()

    def _wanted(self) -> frozenset[str]:
        with self._lock:
            points = self.breakpoints
            more = [HANDLED_TOPIC] * points.wants_traces + [BEAT_TOPIC] * points.wants_reports
            return points.topics.union(more)

    def _take_hits(self) -> None:
        try:
            while True:
                hit = self._hits.get_nowait()
                with self._lock:
                    self.breakpoints.count_hit(hit.id)
                self._stop(hit)
        except Empty:
            return

    def _look(self, frame: bytes, shared: Path | None) -> None:
        name = frame[: frame.find(b"\0")]
        if name == BEAT_TOPIC.encode():
            self._look_at_report(frame)
        elif name == HANDLED_TOPIC.encode():
            self._look_at_trace(frame)
        else:
            self._look_at_event(frame, shared)

    def _stop_at(self, hit: Hit | None) -> None:
        if hit is not None:
            self._stop(replace(hit, ran=self._session.mode == "run"))

    def _look_at_event(self, frame: bytes, shared: Path | None) -> None:
        found = read(frame, shared)
        if found is None:
            return
        topic, header, payload = found
        if self.breakpoints.wants_traces:
            self._sent[topic, header.sequence] = header.sent_ns
            while len(self._sent) > REMEMBERED:
                self._sent.popitem(last=False)
        if not self._runs_freely():
            return  # the gate has asked already
        hit, plan_types = None, self._session.plan.types
        with self._lock:
            for when in ("before", "after"):
                hit = hit or self.breakpoints.event(
                    when, topic, header.sequence, header.stamp_ns, lambda: self._message(topic, payload)
                )  # fmt: skip
        if hit is not None:
            message = short_fields(self._message(topic, payload))
            self._stop_at(replace(hit, when="seen", message=message, cause=cause_of(header, plan_types)))

    def _runs_freely(self) -> bool:
        clock = self._session.observer.clock
        return self._session.mode == "run" and clock is not None and bool(clock.rate)

    def _message(self, topic: str, payload: bytes | memoryview) -> object:
        plan = self._session.plan
        try:
            return decode(_types(plan.project).get(plan.types[topic]), payload)
        except (StudioError, KeyError):
            return None

    def _example(self, topic: str) -> object:
        """A message with the fields of those that a topic carries."""
        plan = self._session.plan
        return example_of(_types(plan.project), plan.types.get(topic, ""))

    def _look_at_report(self, frame: bytes) -> None:
        try:
            report = read_report(split(frame)[2])
        except StudioError:
            return
        for name, told in report["components"].items():
            with self._lock:
                hit = self.breakpoints.report(name, told.get("state", ""), told.get("errors", 0))
            self._stop_at(hit)

    def _look_at_trace(self, frame: bytes) -> None:
        try:
            trace = decode(HandledTrace, split(frame)[2])
        except StudioError:
            return
        clock, topics = self._session.observer.clock, self.breakpoints.topics
        for row in trace:
            if self._session.mode != "run":
                return  # it stands already
            if row.topic in topics:
                took_ns = row.end_ns - row.start_ns + self._waited_ns(row.topic, row.sequence, row.start_ns, clock)
                with self._lock:
                    hit = self.breakpoints.handled(row.component, row.topic, row.sequence, took_ns / 1e6)
                self._stop_at(hit)

    def _waited_ns(self, topic: str, sequence: int, start_ns: int, clock: Clock | None) -> int:
        """From publication until the handler began. In lockstep no time passes meanwhile."""
        sent_ns = self._sent.pop((topic, sequence), None)
        if sent_ns is None or clock is None or not clock.rate:
            return 0
        return max(0, round((clock.at_moment(start_ns) - sent_ns) / clock.rate))


@lru_cache(maxsize=1)
def _types(project: str) -> MessageTypes:
    return MessageTypes.builtin().with_folder(Path(project)) if project else MessageTypes.builtin()
