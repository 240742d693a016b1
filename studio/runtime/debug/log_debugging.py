"""A log and a system, opened to debug a component at one of the log's events."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from studio.messages import MessageTypes
from studio.model.project import Project
from studio.model.sources import Specs
from studio.runtime.base.clock import ClockKind
from studio.runtime.debug.debugger import Debugger
from studio.runtime.debug.freeze import Freeze
from studio.runtime.debug.host_line import DebugError
from studio.runtime.debug.proxy import DebugSession
from studio.runtime.plan.planning import plan_of
from studio.runtime.recording import LogReader
from studio.runtime.recording.facts.circumstances import recorded_seed
from studio.runtime.replay.inputs import inputs_of
from studio.runtime.replay.lockstep import warnings_of
from studio.runtime.replay.mapping import choose_logged, mapped_topics
from studio.runtime.replay.sockets import FEEDER, LogFeed
from studio.runtime.session.session import Session

PIECE = 2000
"""Events between two looks at how far it is."""


@dataclass
class LogDebugging:
    """A replay that stands at its start, everybody active, one component under the debugger."""

    session: Session
    debugger: Debugger
    debugged: DebugSession
    warnings: list[str]
    end_ns: int
    delivered: int = 0

    def go_to(self, topic: str, sequence: int, progress: Callable[[int], None] = lambda _: None) -> None:
        """Stand before that event is delivered. Raises if the log ends before."""
        last = 0
        while True:
            upcoming = self.session.upcoming()
            if not upcoming or int(upcoming[0]["stamp_ns"]) > self.end_ns:
                raise DebugError(f"the log ends before {topic} {sequence}", hint="studio step lists the events")
            coming = int(upcoming[0]["sequence"]) if upcoming[0]["topic"] == topic else 0
            if coming == sequence:
                return
            last = self._advance(topic, sequence, max(last, coming - 1))
            if last >= sequence:
                raise DebugError(f"there is no {topic} {sequence}", hint=f"{topic} {last} came instead")
            progress(self.delivered)

    def _advance(self, topic: str, sequence: int, last: int) -> int:
        """A piece of the way to before that event, `last` being the one before; returns what is the last then."""
        # All but the last one before it in one go: between that one and the event itself others may come.
        count = sequence - 1 - last if last else 1
        on_the_way = count > 0 and sequence > 1
        came = self.session.advance(count if on_the_way else 1, topic if on_the_way else None, self.end_ns, PIECE)
        self.delivered += len(came)
        return next((event.sequence for event in reversed(came) if event.topic == topic), last)

    def go_on(self) -> int:
        """To the end of the log; breakpoints stop on the way."""
        return self.session.lockstep(self.end_ns)


@contextmanager
def debug_log(
    project: Project, log: Path | str, component: str, *, specs: Specs, types: MessageTypes, seed: int | None = None
) -> Iterator[LogDebugging]:
    """As a lockstep replay of `log` through the project's system."""
    with LogReader(log) as reader:
        choose_logged(project.system, reader)
        chosen = recorded_seed(reader) if seed is None else seed
        plan = plan_of(project.system, specs, project=project.folder, seed=chosen)
        inputs = inputs_of(plan, reader, mapped_topics(project.system, reader, types))
        planned = inputs.plan.by_name.get(component)
        if planned is None or planned.command:
            known = ", ".join(each.name for each in inputs.plan.components if not each.command)
            raise DebugError(f"{component} is not a Python component of this replay", hint=f"those do: {known}")
        with Session(inputs.plan, clock=ClockKind.SIMULATION, start_ns=inputs.start_ns) as session:
            debugger = Debugger(session, Freeze(session))
            debugged = debugger.start_under(planned.host, wait=False)
            session.launch()
            session.feed(FEEDER, inputs.events(), inputs.topics.values(), LogFeed)
            session.start("pause")
            debugger.attach(planned.host)
            yield LogDebugging(session, debugger, debugged, warnings_of(inputs), inputs.end_ns)
