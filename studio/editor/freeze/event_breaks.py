"""Event breakpoints in the window: kept with the project, given to its system whenever that runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any, Protocol

from PyQt6.QtCore import QObject

from studio.editor.code.debug_control import project_key
from studio.editor.live.feed import Changes
from studio.editor.panels.debug.breakpoints import Row
from studio.editor.ports import WithSettings, WithStatus, WithWidget
from studio.editor.project.ports import WithFreeze, WithLive, WithProject
from studio.errors import StudioError
from studio.messages import Message, MessageTypes
from studio.messages.message_types import example_of
from studio.model.sources import Source
from studio.model.wiring import topic_of, topics_of
from studio.runtime.control_plane.event_breakpoints import EventBreakpoint, ordinal, parse


class Needs(WithFreeze, WithLive, WithProject, WithSettings, WithStatus, WithWidget, Protocol):
    """What is taken from the window."""


class EventBreakController(QObject):
    """The breakpoints themselves, and rows of them for the breakpoints panel."""

    adds = "Event breakpoint…"

    def __init__(self, window: Needs) -> None:
        super().__init__(window.widget)
        self.window = window
        self.points: list[EventBreakpoint] = []
        self.hits: dict[str, int] = {}
        self.trouble: dict[str, str] = {}
        self._running: set[str] = set()
        """Those that the system had when it told of them last."""
        self._told: dict[str, EventBreakpoint] = {}
        """What it told then: the answer to a new list may come before the system tells of it."""
        self._asked = 0
        """Lists that it was given and has not answered."""
        self._listeners: list[Callable[[], object]] = []
        self._key = ""
        feed = window.live.feed
        feed.attached.connect(self._attached)
        feed.changed.connect(self._followed)
        feed.ended.connect(lambda _: self._forget_system())
        window.live.control.refused.connect(lambda _: self._not_answered())

    # ---- a project has its own

    def show_project(self) -> None:
        """Those of the project that is open now."""
        window = self.window
        self._key = f"{project_key(window.session.folder)}/event_breakpoints" if window.has_session else ""
        self.points, self.hits, self.trouble = [], {}, {}
        try:
            kept = json.loads(window.settings.text(self._key)) if self._key else []
            self.points = [EventBreakpoint(**each) for each in kept]
        except (ValueError, TypeError):  # of another version, or damaged
            self.points = []
        self._heard()

    def topics(self) -> list[str]:
        """Of the running system, or those that it would have."""
        running = self.window.live.feed.state.get("topics")
        if running:
            return sorted(running)
        return sorted({topic_of(wire.start) for wire in self.window.session.system.wires})

    def components(self) -> list[str]:
        running = self.window.live.feed.state.get("components")
        if running:
            return list(running)
        return [node.name for node in self.window.session.system.nodes if not isinstance(node, Source)]

    def example(self, topic: str) -> Message | None:
        """A message with the fields of those that a topic carries; None where its type is not known."""
        running = self.window.live.feed.state.get("topics") or {}
        session = self.window.session
        kind = str((running.get(topic) or {}).get("type") or "")
        if not kind:
            kind = next((kind for name, kind, _ in topics_of(session.system, session.registry) if name == topic), "")
        return example_of(MessageTypes.builtin().with_folder(session.folder), kind)

    # ---- changing them

    def put(self, point: EventBreakpoint) -> None:
        """A new one, or another version of one that is there."""
        others = [each for each in self.points if each.id != point.id]
        place = next((place for place, each in enumerate(self.points) if each.id == point.id), len(others))
        self._set([*others[:place], point, *others[place:]])

    def free_id(self) -> str:
        taken = {point.id for point in self.points}
        return next(str(number) for number in range(1, len(taken) + 2) if str(number) not in taken)

    def break_on(self, topic: str) -> None:
        """Stop before every event of a topic; one that is there already is switched on."""
        for point in self.points:
            if point.on == "event" and point.topic == topic and not point.condition and point.count == 1:
                self.put(replace(point, enabled=True))
                break
        else:
            self.put(EventBreakpoint(self.free_id(), topic=topic))
        self.window.status.say(f"The system stops before events of {topic}")

    def _set(self, points: list[EventBreakpoint]) -> None:
        self.points = points
        self._keep()
        if self.window.live.feed.is_attached:
            self._tell()
        self._heard()

    def _keep(self) -> None:
        if self._key:
            self.window.settings.set_text(self._key, json.dumps([asdict(point) for point in self.points]))

    # ---- the running system

    def _attached(self) -> None:
        """What the system has already is kept; those of the project join it."""
        told = self.window.live.feed.state.get("event_breakpoints") or []
        self._told = {str(each["id"]): _point(each) for each in told}
        self._running = set(self._told)
        if any(point.id not in self._running for point in self.points):
            known = {point.id for point in self.points}
            self.points += [point for name, point in self._told.items() if name not in known]
            self._tell()

    def _not_answered(self) -> None:
        self._asked = 0

    def _forget_system(self) -> None:
        self._running, self._told, self._asked, self.hits = set(), {}, 0, {}
        self._heard()

    def _tell(self) -> None:
        """All that fit the system that runs; those that do not stay in the list and say why."""
        self.trouble, fitting = {}, []
        for point in self.points:
            try:
                fitting.append(parse(asdict(point), self.topics(), self.components(), self.example))
            except StudioError as error:
                self.trouble[point.id] = str(error)
        self._asked += 1
        self.window.live.control.request("event_breakpoints", self._answered, list=[asdict(each) for each in fitting])

    def _answered(self, reply: dict[str, Any]) -> None:
        self._asked = max(0, self._asked - 1)
        self._running = {str(each["id"]) for each in reply.get("list") or ()}

    def _followed(self, changes: Changes) -> None:
        """Others may set them too: what runs is what is shown."""
        told = self.window.live.feed.state.get("event_breakpoints")
        if not changes.system or told is None:
            return
        running = {str(each["id"]): _point(each) for each in told}
        if running != self._told and not self._asked:  # otherwise it has not heard yet what is wanted now
            self._told = running
            self._adopt(running)
        hits = {str(each["id"]): int(each["hits"]) for each in told}
        trouble = {str(each["id"]): str(each["trouble"]) for each in told if each["trouble"]}
        if hits != self.hits or any(self.trouble.get(name) != why for name, why in trouble.items()):
            self.hits = hits
            self.trouble.update(trouble)
            self._heard()

    def _adopt(self, running: dict[str, EventBreakpoint]) -> None:
        """Others have added, changed or removed some: what ran and runs no more is forgotten here, too."""
        gone = self._running - set(running)
        self._running = set(running)
        points = [running.get(point.id, point) for point in self.points if point.id not in gone]
        known = {point.id for point in points}
        points += [point for point in running.values() if point.id not in known]
        if points != self.points:
            self.points = points
            self._keep()
            self._heard()

    # ---- rows of the breakpoints panel

    def rows(self) -> list[Row]:
        return [self._row(point) for point in self.points]

    def _row(self, point: EventBreakpoint) -> Row:
        about: list[str] = []
        if point.on == "event":
            about.append(point.when)
        if point.count > 1:
            about.append(ordinal(point.count))
        if self.hits.get(point.id):
            about.append(f"{self.hits[point.id]}×")
        trouble = self.trouble.get(point.id, "")
        tone = "error" if trouble else "warning" if point.enabled else "muted"
        tip = f"Stops {point.words}" if point.on == "event" else f"Stops at: {point.words}"
        return Row(
            point.id, short_words(point), "fa6s.bolt", tone, point.enabled, ", ".join(about),
            f"{tip}\n{trouble}" if trouble else tip,
        )  # fmt: skip

    def set_enabled(self, key: str, on: bool) -> None:
        for point in self.points:
            if point.id == key:
                self.put(replace(point, enabled=on))

    def remove(self, key: str) -> None:
        self._set([point for point in self.points if point.id != key])

    def open(self, key: str) -> None:
        point = next((each for each in self.points if each.id == key), None)
        if point is not None:
            self._edit(point)

    def add(self) -> None:
        self.ask_new()

    def listen(self, heard: Callable[[], object]) -> None:
        self._listeners.append(heard)

    # ---- asking

    def ask_new(self, topic: str = "") -> None:
        """A dialog for a new one, about the topic of the selected wire if none is named."""
        if not topic:
            topic = self.window.freeze.chosen_topic()
        self._edit(EventBreakpoint(self.free_id(), topic=topic if topic in self.topics() else ""))

    def _edit(self, point: EventBreakpoint) -> None:
        from studio.editor.freeze.event_break_dialog import EventBreakDialog

        dialog = EventBreakDialog(self.window.widget, point, self.topics(), self.components(), self.example)
        dialog.accepted.connect(lambda: self.put(dialog.point()))
        dialog.open()

    def _heard(self) -> None:
        for heard in self._listeners:
            heard()


def short_words(point: EventBreakpoint) -> str:
    """`ins/pose: position.x < 12`."""
    topic = point.topic.removeprefix("/")
    match point.on:
        case "event":
            return f"{topic}: {point.condition}" if point.condition else topic
        case "latency":
            return f"{topic} > {point.limit_ms:g} ms"
    return point.words.partition(",")[0]


def _point(told: dict[str, Any]) -> EventBreakpoint:
    return EventBreakpoint(**{name: told[name] for name in EventBreakpoint.__dataclass_fields__})
