"""As-recorded replay: every component gets the events it handled, in the order in which it handled them.

Components do not hear each other: each is compared with the recording for itself, so that the first one that does
something else is found, however much the others would have made of it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from studio.errors import StudioError
from studio.messages import Handled, HandledTrace, MessageTypes, ServiceCall, String, decode, encode
from studio.model.project import Project
from studio.model.sources import Specs
from studio.runtime.base.errors import ReplayError
from studio.runtime.channel.call_frames import call_topics, ends_of, reply_topic, request_topic
from studio.runtime.component import ServiceError
from studio.runtime.host.calls import answer
from studio.runtime.host.component_runner import ComponentRunner
from studio.runtime.host.hand_commands import obey
from studio.runtime.host.host import create
from studio.runtime.plan.plan import Plan, PlannedComponent
from studio.runtime.plan.planning import plan_of
from studio.runtime.recording import LoggedEvent, LogReader
from studio.runtime.recording.facts.circumstances import changed_circumstances, recorded_seed
from studio.runtime.recording.facts.logged_geometry import GEOMETRY_TOPIC, follows_log, geometry_warnings
from studio.runtime.recording.facts.run_facts import RunDifference, facts_of, facts_of_plan, run_differences
from studio.runtime.replay.causes import find_event
from studio.runtime.replay.comparison import Difference
from studio.runtime.replay.field_difference import first_difference
from studio.runtime.replay.inputs import inputs_of
from studio.runtime.replay.mapping import mapped_topics
from studio.runtime.replay.recorded_calls import RecordedCalls
from studio.runtime.wire.frames import COMMAND_PREFIX, HANDLED_TOPIC, REQUEST_PREFIX, TIMER_PREFIX, Event, Kind

Progress = Callable[[int, int], None]


@dataclass
class ComponentReplay:
    """What one component did with its recorded inputs."""

    handled: int = 0
    compared: int = 0
    """Publications that were compared."""
    first_difference: Difference | None = None
    """A is the recording, B the replay."""
    after: tuple[str, int] | None = None
    """The input at which it happened."""
    failure: str = ""


@dataclass
class AsRecorded:
    components: dict[str, ComponentReplay] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    """Component -> why it was not replayed."""
    warnings: tuple[str, ...] = ()
    runs: list[RunDifference] = field(default_factory=list)
    """In what the recorded run was made of other things than the project is now."""

    @property
    def identical(self) -> bool:
        return not any(one.first_difference for one in self.components.values())

    @property
    def first_difference(self) -> tuple[str, ComponentReplay] | None:
        """The component that was the first to differ."""
        found = [(name, one) for name, one in self.components.items() if one.first_difference]
        return min(found, key=lambda pair: _stamp_ns(pair[1]), default=None)


def _stamp_ns(one: ComponentReplay) -> int:
    return (one.first_difference.stamp_ns or 0) if one.first_difference else 0


def replay_as_recorded(
    project: Project,
    log: Path | str,
    *,
    specs: Specs,
    types: MessageTypes,
    seed: int | None = None,
    tolerance: float = 0.0,
    progress: Progress | None = None,
) -> AsRecorded:
    with LogReader(log) as reader:
        seed = recorded_seed(reader) if seed is None else seed
        plan = plan_of(project.system, specs, project=project.folder, seed=seed)
        plan = inputs_of(plan, reader, mapped_topics(project.system, reader, types)).plan
        return replay_plan_as_recorded(plan, reader, tolerance=tolerance, progress=progress)


def replay_plan_as_recorded(
    plan: Plan, log: LogReader, *, tolerance: float = 0.0, progress: Progress | None = None
) -> AsRecorded:
    if HANDLED_TOPIC not in log.topics or not log.topics[HANDLED_TOPIC].count:
        hint = "replay it with --lockstep, or record again with studio run --record"
        raise ReplayError("this log does not say which component handled which event", file=log.path, hint=hint)
    found = AsRecorded(warnings=(*changed_circumstances(log, plan), *geometry_warnings(log, plan)))
    replayed = {component.name for component in plan.components}
    found.runs = [
        difference
        for difference in run_differences(facts_of(log), facts_of_plan(plan))
        if difference.kind != "component" or difference.what.removeprefix("component ") in replayed
    ]
    for number, planned in enumerate(plan.components, 1):
        reason = _why_not(planned, plan, log)
        if reason:
            found.skipped[planned.name] = reason
        else:
            found.components[planned.name] = _Replay(plan, planned, log, tolerance).run()
        if progress:
            progress(number, len(plan.components))
    return found


def _why_not(planned: PlannedComponent, plan: Plan, log: LogReader) -> str:
    if planned.command:
        return "is a program of its own"
    for topic in call_topics(plan):
        caller, provider = ends_of(topic)
        if planned.name in (caller, provider) and topic not in log.topics:
            return "calls or provides services, and the log has no calls"
    return ""


class _Replay:
    def __init__(self, plan: Plan, planned: PlannedComponent, log: LogReader, tolerance: float) -> None:
        self._plan = plan
        self._planned = planned
        self._log = log
        self._calls = RecordedCalls(log, planned, self._find)
        self._call_differences: list[Difference] = []
        self._tolerance = tolerance
        self._published: list[Event] = []
        self._now_ns = 0
        component = create(planned)
        ports = type(component).__ports__
        self._types: dict[str, Any] = {topic: ports[port].type for port, topic in planned.outlets.items()}
        self._runner = ComponentRunner(
            component, planned, effect=self._published.append, stray=lambda _, __: None, call=self._call,
            now_ns=lambda: self._now_ns, seed=plan.seed, geometry=plan.geometry, project=plan.project,
        )  # fmt: skip
        self._runner.by_hand = lambda command: obey(self._runner, command, lambda *_: None)
        self._kinds = self._runner.kinds
        self._follows_geometry = follows_log(plan, log)
        self._cursors: dict[str, Iterator[LoggedEvent]] = {}

    def run(self) -> ComponentReplay:
        result = ComponentReplay()
        self._runner.obey("initialize")
        try:
            for line in self._lines():
                if not self._repeat(line, result):
                    break
        finally:
            if not self._runner.error:
                self._runner.obey("deactivate")
            result.failure = self._runner.error
            self._runner.obey("finalize")
        return result

    def _lines(self) -> Iterator[Handled]:
        """The component's part of the trace. Number 0 has what its host told it at the start and the end."""
        for batch in self._log.events([HANDLED_TOPIC]):
            trace = decode(HandledTrace, batch.payload)
            if self._planned.name in trace.names:
                yield from (line for line in trace if line.component == self._planned.name and self._counts(line))

    def _counts(self, line: Handled) -> bool:
        return bool(line.sequence) and (line.topic != GEOMETRY_TOPIC or self._follows_geometry)

    def _repeat(self, line: Handled, result: ComponentReplay) -> bool:
        """Handle one event again; whether the same came of it."""
        event = self._event(line)
        self._published.clear()
        self._call_differences.clear()
        self._now_ns = event.stamp_ns
        if event.kind == Kind.REQUEST:
            self._serve(event)
        else:
            self._runner.handle(event)
        result.handled += 1
        result.compared += len(line.published)
        result.first_difference = self._difference_of_calls(event) or self._difference(line, event)
        if result.first_difference:
            result.after = line.topic, line.sequence
        return result.first_difference is None

    def _event(self, line: Handled) -> Event:
        logged = self._find(line.topic, line.sequence)
        if logged is None:
            text = f"{self._planned.name} handled {line.topic}:{line.sequence}, which is not in this log"
            raise ReplayError(text, file=self._log.path, hint="record all topics that are wired")
        if line.topic.startswith(TIMER_PREFIX):
            return Event(line.topic, line.sequence, logged.stamp_ns, kind=Kind.TIMER)
        if line.topic.startswith(COMMAND_PREFIX):
            command = json.loads(decode(String, logged.payload).data)
            return Event(line.topic, line.sequence, logged.stamp_ns, command, kind=Kind.COMMAND)
        if line.topic.startswith(REQUEST_PREFIX):
            asked = decode(ServiceCall, logged.payload)
            return Event(line.topic, line.sequence, logged.stamp_ns, asked, kind=Kind.REQUEST)
        return Event(line.topic, line.sequence, logged.stamp_ns, decode(self._kinds[line.topic], logged.payload))

    # Calls.

    def _call(self, _runner: ComponentRunner, name: str, request: Any, _deadline_s: float) -> Any:
        """The recorded reply, whatever the provider would say now."""
        provider, service = self._planned.requires[name]
        topic = request_topic(provider, self._planned.name)
        cause = self._runner.event
        assert cause is not None, "services can be called in handlers only"
        logged = self._calls.request(topic, cause)
        if logged is None:
            # A call that goes in a circle is refused before it is made.
            if self._planned.name not in self._plan.reach[provider]:
                self._call_differences.append(Difference("extra", topic, None, cause.stamp_ns))
            raise ServiceError(f"{provider}.{service} was not called at this point of the recording")
        declared = type(self._runner.component).__services__[name]
        asked = decode(ServiceCall, logged.payload)
        identity = topic, logged.sequence, logged.stamp_ns
        if asked.service != service:
            self._call_differences.append(Difference("value", *identity, "service", asked.service, service))
        else:
            self._compare_data(identity, declared.request, asked, encode(request))
        reply = self._calls.reply(topic, logged.sequence)
        if reply is None:
            raise ServiceError(f"the reply of {provider}.{service} is not in the log")
        if reply.error:
            raise ServiceError(reply.error)
        return decode(declared.reply, reply.data.tobytes())

    def _serve(self, event: Event) -> None:
        asked: ServiceCall = event.message
        types = self._runner.service_types(asked.service)
        if types is None:
            self._call_differences.append(Difference("missing", event.topic, event.sequence, event.stamp_ns))
            return
        error, data = "", b""
        try:
            data = encode(answer(self._runner, asked.service, decode(types[0], asked.data.tobytes()), event))
        except StudioError as failure:
            error = str(failure)
        recorded = self._calls.answer(event.topic, event.sequence)
        if recorded is None:
            return  # the recording ended before it
        identity = reply_topic(*ends_of(event.topic)), event.sequence, event.stamp_ns
        if recorded.error != error:
            self._call_differences.append(Difference("value", *identity, "error", recorded.error, error))
        elif not error:
            self._compare_data(identity, types[1], recorded, data)

    def _compare_data(
        self, identity: tuple[str, int, int], kind: type[Any], recorded: ServiceCall, data: bytes
    ) -> None:
        before = recorded.data.tobytes()
        if before != data:
            found = first_difference(decode(kind, before), decode(kind, data), self._tolerance)
            if found is not None:
                self._call_differences.append(Difference("value", *identity, *found))

    def _difference_of_calls(self, cause: Event) -> Difference | None:
        left_out = self._calls.left_out(cause)
        if left_out is not None:
            self._call_differences.append(Difference("missing", *left_out, cause.stamp_ns))
        return next(iter(self._call_differences), None)

    # What was recorded, and what came out now.

    def _find(self, topic: str, sequence: int) -> LoggedEvent | None:
        """Mostly the next one of its topic; else looked for."""
        if topic not in self._log.topics:
            return None
        cursor = self._cursors.setdefault(topic, self._log.events([topic]))
        event = next((event for event in cursor if event.sequence >= sequence), None)  # `latest` leaves some out
        return event if event is not None and event.sequence == sequence else find_event(self._log, topic, sequence)

    def _difference(self, line: Handled, cause: Event) -> Difference | None:
        for (topic, sequence), event in zip(line.published, self._published, strict=False):
            if (topic, sequence) != (event.topic, event.sequence):
                names = f"{topic}:{sequence}", f"{event.topic}:{event.sequence}"
                return Difference("value", topic, sequence, cause.stamp_ns, "event", *names)
            difference = self._payload_difference(event)
            if difference is not None:
                return difference
        if len(line.published) > len(self._published):
            topic, sequence = line.published[len(self._published)]
            return Difference("missing", topic, sequence, cause.stamp_ns)
        if len(self._published) > len(line.published):
            extra = self._published[len(line.published)]
            return Difference("extra", extra.topic, extra.sequence, cause.stamp_ns)
        return None

    def _payload_difference(self, event: Event) -> Difference | None:
        recorded = self._find(event.topic, event.sequence)
        if recorded is None:
            return None  # a topic that was not recorded
        if recorded.stamp_ns != event.stamp_ns:
            stamps = recorded.stamp_ns, event.stamp_ns
            return Difference("value", event.topic, event.sequence, event.stamp_ns, "stamp_ns", *stamps)
        payload = encode(event.message)
        if recorded.payload == payload:
            return None
        kind = self._types[event.topic]
        found = first_difference(decode(kind, recorded.payload), decode(kind, payload), self._tolerance)
        return Difference("value", event.topic, event.sequence, event.stamp_ns, *found) if found else None
