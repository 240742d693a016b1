"""Lockstep replay: a log's inputs in, everything else computed anew, in an order that depends on nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from studio.messages import MessageTypes, String, decode
from studio.model.project import Project
from studio.model.sources import Specs
from studio.runtime.base.clock import ClockKind
from studio.runtime.base.errors import ReplayError
from studio.runtime.base.log_compression import Compression
from studio.runtime.host.host import create
from studio.runtime.host.in_process import InProcess
from studio.runtime.plan.plan import LAG, Plan, RecordingPlan
from studio.runtime.plan.planning import plan_of
from studio.runtime.recording import LogReader
from studio.runtime.recording.facts.circumstances import changed_circumstances, recorded_seed
from studio.runtime.recording.facts.logged_geometry import geometry_warnings
from studio.runtime.replay.event_log import EventLog
from studio.runtime.replay.inputs import END, Inputs, Read, inputs_of
from studio.runtime.replay.mapping import choose_logged, mapped_topics
from studio.runtime.replay.sockets import FEEDER, Listener, LogFeed
from studio.runtime.session.session import Session
from studio.runtime.wire.frames import COMMAND_PREFIX

PIECES = 200
"""Between them progress is told; the order is the same."""

Progress = Callable[[int, int], None]
"""System time that has passed, and in all, in ns."""


@dataclass(frozen=True)
class Result:
    """What a replay did."""

    delivered: int
    """Events, those at the start not counted."""
    start_ns: int
    end_ns: int
    fed: tuple[str, ...]
    """Topics of the system that came from the log."""
    computed: tuple[str, ...]
    """Components that ran."""
    left_out: tuple[str, ...]
    """Components whose part the log played."""
    warnings: tuple[str, ...] = ()
    failures: dict[str, str] = field(default_factory=dict)
    """Component -> why it failed."""

    @property
    def system_s(self) -> float:
        return (self.end_ns - self.start_ns) / 1e9


def replay_lockstep(
    project: Project,
    log: Path | str,
    *,
    specs: Specs,
    types: MessageTypes,
    in_process: bool = False,
    record: Path | str | None = None,
    topics: Collection[str] | None = None,
    compression: Compression = "none",
    seed: int | None = None,
    progress: Progress | None = None,
) -> Result:
    """Replay `log` through a project's system; `seed` is that of the recorded run if not given. Of the data only
    `topics` are recorded, if they are given.

    The project's sources are taken from the log where they are logged, or the log is not one of ours: in memory only.
    """
    with LogReader(log) as reader:
        choose_logged(project.system, reader)
        plan = plan_of(
            project.system, specs, project=project.folder, seed=recorded_seed(reader) if seed is None else seed
        )
        mapped = mapped_topics(project.system, reader, types)
        inputs = inputs_of(plan, reader, mapped)
        out = None if record is None else (Path(record), topics, compression)
        return replay_inputs(inputs, types, in_process=in_process, record=out, progress=progress)


def replay_inputs(
    inputs: Inputs,
    types: MessageTypes,
    *,
    in_process: bool = False,
    record: Path | str | tuple[Path, Collection[str] | None, Compression] | None = None,
    progress: Progress | None = None,
) -> Result:
    """The same for a plan and what is fed into it. `record`: a file, or with it the topics and the compression."""
    out = (Path(record), None, "none") if isinstance(record, (str, Path)) else record
    if out is not None and out[0].exists() and out[0].samefile(inputs.log.path):
        raise ReplayError("a replay cannot be recorded into its own log", file=out[0])
    with ExitStack() as stack:
        log = None
        if out is not None:
            path, topics, compression = out
            log = stack.enter_context(EventLog(path, inputs.plan, types, topics, compression))
        run = _in_process if in_process else _over_processes
        delivered, failures = run(inputs, log, progress or _unseen)
    fed = tuple(topic for topic in inputs.topics.values() if not topic.startswith(COMMAND_PREFIX))
    warnings = tuple(warnings_of(inputs))
    computed = tuple(component.name for component in inputs.plan.components)
    return Result(delivered, inputs.start_ns, inputs.end_ns, fed, computed, inputs.left_out, warnings, failures)


def warnings_of(inputs: Inputs) -> list[str]:
    """Why the results may not be those of the recorded run."""
    silent = (f"no message will arrive on {topic}: it is not in the log" for topic in inputs.silent)
    geometry = geometry_warnings(inputs.log, inputs.plan)
    return [*changed_circumstances(inputs.log, inputs.plan), *geometry, *silent]


def _unseen(_done_ns: int, _all_ns: int) -> None:
    """The progress that nobody asked for."""


class _Runs(Protocol):
    def lockstep(self, until_ns: int | None = None, *, lag: int = 0) -> int: ...

    def command(self, component: str, command: Mapping[str, Any]) -> None: ...

    def end_hearers(self) -> list[str]: ...


def _to_the_end(run: _Runs, inputs: Inputs, progress: Progress) -> int:
    whole_ns = inputs.end_ns - inputs.start_ns
    delivered = 0
    for piece in range(1, PIECES + 1):
        delivered += run.lockstep(until_ns=inputs.start_ns + whole_ns * piece // PIECES, lag=LAG)
        progress(whole_ns * piece // PIECES, whole_ns)
    for component in run.end_hearers():
        run.command(component, END)
    return delivered + run.lockstep(until_ns=inputs.end_ns, lag=LAG)


def _in_process(inputs: Inputs, log: EventLog | None, progress: Progress) -> tuple[int, dict[str, str]]:
    refuse_programs(inputs.plan)
    twin = InProcess(inputs.plan, create, start_ns=inputs.start_ns, tap=log.take if log else None)
    try:
        twin.feed(FEEDER, inputs.events(decoder(twin)))
        twin.start()
        delivered = _to_the_end(twin, inputs, progress)
    finally:
        twin.stop()
    return delivered, {name: runner.error for name, runner in twin.runners.items() if runner.error}


def refuse_programs(plan: Plan) -> None:
    for component in plan.components:
        if component.command:
            raise ReplayError(f"{component.name} is a program of its own", hint="replay it without --in-process")


def decoder(twin: InProcess) -> Read:
    """Decodes for those who listen, by the types of their ports; what nobody listens to stays bytes."""
    kinds: dict[str, Any] = {}
    for runner in twin.runners.values():
        kinds |= runner.kinds

    def read(topic: str, payload: memoryview) -> Any:
        if topic.startswith(COMMAND_PREFIX):
            return json.loads(decode(String, payload).data)
        kind = kinds.get(topic)
        return decode(kind, payload) if kind is not None else None

    return read


def _over_processes(inputs: Inputs, log: EventLog | None, progress: Progress) -> tuple[int, dict[str, str]]:
    with ExitStack() as stack:
        session: Session
        if log is None:
            session = Session(inputs.plan, clock=ClockKind.SIMULATION, start_ns=inputs.start_ns)
        else:
            session = recorded = RecordedSession(inputs, log)
            stack.callback(recorded.end_listening)
        stack.enter_context(session)
        session.launch()
        session.control.ask("feed", name=FEEDER, topics=list(inputs.topics.values()))
        feed = LogFeed(session.folders.run, FEEDER, inputs.events())
        stack.callback(feed.close)
        session.start("pause")
        delivered = _to_the_end(session, inputs, progress)
        if log is not None:
            recorded.listener.await_events(int(session.control.status()["delivered"]))
        if feed.failure is not None:
            raise feed.failure
    return delivered, failures_of(session)


class RecordedSession(Session):
    """With this process in the place of the recorder: its log depends on nothing but the events."""

    listener: Listener

    def __init__(self, inputs: Inputs, log: EventLog) -> None:
        recording = RecordingPlan(str(log.path), tuple(inputs.plan.types))
        plan = replace(inputs.plan, recording=recording)
        super().__init__(plan, clock=ClockKind.SIMULATION, start_ns=inputs.start_ns)
        self._log = log

    def start_recorder(self, extra: Mapping[str, str] | None = None) -> None:
        self.folders.shared = None  # what is to be heard in full comes over the socket
        self.listener = Listener(self.folders.run, self.plan.recorder_index, self._log.take_frame)

    def end_listening(self) -> None:
        if hasattr(self, "listener"):
            self.listener.close()


def failures_of(session: Session) -> dict[str, str]:
    found = {name: session.observer.component(name).get("error", "") for name in session.plan.by_name}
    for host, status in session.exits.items():
        found |= {component.name: f"its process ended with status {status}" for component in session.plan.on_host(host)}
    return {name: error for name, error in found.items() if error}
