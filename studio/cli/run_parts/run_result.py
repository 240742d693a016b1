"""What came out of a run: for scripts as the JSON of `studio run --json`, for people as two tables."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import psutil

from studio.cli.shared.live_table import number, table
from studio.errors import StudioError
from studio.model.loaded_project import LoadedProject
from studio.model.wiring import topics_of
from studio.runtime.base.clock import SECOND_NS, monotonic_ns
from studio.runtime.host.statistics import TopicTotals, topic_totals
from studio.runtime.lifecycle import State
from studio.runtime.plan.plan import PlannedComponent
from studio.runtime.processes.events import Happening, RecordingMoved, death
from studio.runtime.processes.loads import Load
from studio.runtime.processes.supervision import BROKER, Condition
from studio.runtime.session.session import Session

REPORT_WITHIN_S = 2.0


class Measurement:
    """Looks at a session when it starts and just before it stops, and keeps what would be gone afterwards."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.wall_s = 0.0
        self.states: dict[str, str] = {}
        self.loads: dict[str, Load] = {}
        self.deaths: dict[str, str] = {}
        """Hosts that ended by themselves: how, and the last of what they printed; also if they were restarted."""
        self.restarts: dict[str, int] = {}
        self.conditions: dict[str, Condition] = {}
        self.skipped_ticks = 0
        self.played: Mapping[str, int] = {}
        """Topic -> what the player of a log has sent."""
        self.moved_to: list[str] = []
        """Logs in which the recording went on after its recorder had died."""
        session.listeners.append(self._hear)
        self.begin()

    def _hear(self, happening: Happening) -> None:
        if isinstance(happening, RecordingMoved):
            self.moved_to.append(happening.file)

    def begin(self) -> None:
        """From here on it counts."""
        self._start_ns = monotonic_ns()
        session = self.session
        found = [(process.pid, self._cpu_of(host)) for host, process in session.hosts.items()]
        self._cpu_s = {pid: cpu_s for pid, cpu_s in found if cpu_s is not None}

    def finish(self) -> None:
        """Call it while the session still runs."""
        session = self.session
        reporting = [host for host in session.hosts if host in session.observer.reports and host not in session.exits]
        # A short run may end before the first report that shows it active.
        session.observer.await_reports(reporting, self._start_ns, REPORT_WITHIN_S)
        self.wall_s = (monotonic_ns() - self._start_ns) / SECOND_NS
        self.loads = {host: load for host in session.hosts if (load := self._load_of(host)) is not None}
        self.states = {
            component.name: session.observer.component(component.name).get("state", State.ACTIVE.value)
            for component in session.plan.components
        }
        wards = [session.supervisor.wards[host] for host in session.hosts]
        self.deaths = {ward.name: ward.last_exit for ward in wards if ward.last_exit}
        self.restarts = session.restarts
        self.conditions = {ward.name: ward.condition for ward in wards}
        self.skipped_ticks = self._skipped_ticks()
        self.played = session.played()

    def _skipped_ticks(self) -> int:
        try:
            return int(self.session.status()["skipped_ticks"])
        except StudioError:  # a broker that died for good
            return 0

    def forced(self, host: str) -> str:
        """After the session: how the host was ended, if it did not stop when it was asked to."""
        status = self.session.hosts[host].returncode
        return f"it did not stop in time; {death(status, '')}" if status else ""

    def _cpu_of(self, host: str) -> float | None:
        try:
            times = psutil.Process(self.session.hosts[host].pid).cpu_times()
        except psutil.Error:
            return None
        return float(times.user + times.system)

    def _load_of(self, host: str) -> Load | None:
        try:
            rss = psutil.Process(self.session.hosts[host].pid).memory_info().rss
        except psutil.Error:
            return None
        cpu_s = self._cpu_of(host)
        process = self.session.hosts[host]
        if cpu_s is None or process.poll() is not None:
            return None
        before_s = self._cpu_s.get(process.pid, 0.0)  # one that was restarted counts from its start
        return Load(round(100.0 * (cpu_s - before_s) / self.wall_s, 1), round(rss / 1e6, 1))


@dataclass(frozen=True)
class ComponentResult:
    name: str
    state: str
    restarts: int
    errors: int
    error: str
    load: Load | None

    def json(self) -> dict[str, Any]:
        return {
            "state": self.state,
            "restarts": self.restarts,
            "errors": self.errors,
            "cpu_percent": self.load.cpu_percent if self.load else None,
            "rss_mb": self.load.rss_mb if self.load else None,
            "error": self.error,
        }


@dataclass(frozen=True)
class TopicResult:
    name: str
    type: str
    totals: TopicTotals
    rate_hz: float
    timed: bool
    """In lockstep no time passes between sending and handling, so there is no latency to tell."""

    def json(self) -> dict[str, Any]:
        shares = {"p50": 0.5, "p99": 0.99}
        return {
            "type": self.type,
            "count": self.totals.count,
            "rate_hz": self.rate_hz,
            "bytes": self.totals.bytes,
            "drops": self.totals.drops,
            "latency_us": {
                name: self.totals.latency_us(share) if self.timed else None for name, share in shares.items()
            },
        }


@dataclass(frozen=True)
class Result:
    project: str
    mode: str
    gate: str
    seed: int
    seconds: float
    interrupted: bool
    components: list[ComponentResult]
    topics: list[TopicResult]
    skipped_ticks: int
    """Ticks of periodic components that were left out because they were overdue by whole periods."""
    broker_restarts: int
    broker_gave_up: bool
    outcome: Mapping[str, Any] = field(default_factory=dict)
    """What the system's own judge said last."""
    moved_to: Sequence[str] = ()
    """Logs in which the recording went on after its recorder had died."""

    @property
    def failed(self) -> bool:
        return self.broker_gave_up or any(component.errors for component in self.components)

    def json(self) -> dict[str, Any]:
        return {
            "project": self.project,
            "mode": self.mode,
            "gate": self.gate,
            "seed": self.seed,
            "seconds": self.seconds,
            "interrupted": self.interrupted,
            "components": {component.name: component.json() for component in self.components},
            "topics": {topic.name: topic.json() for topic in self.topics},
            "skipped_ticks": self.skipped_ticks,
            "broker_restarts": self.broker_restarts,
            "broker_gave_up": self.broker_gave_up,
            "outcome": dict(self.outcome),
        }

    def text(self) -> Iterator[str]:
        how = " in lockstep" if self.gate == "lockstep" else ""
        ended = ", interrupted" if self.interrupted else ""
        yield f"{self.project} ran {self.seconds:.1f} s of system time{how}, mode {self.mode}{ended}"
        of_components = ("component", "state", "errors", "restarts", "CPU %", "memory MB")
        yield from table(of_components, map(_component_row, self.components))
        heads = ("topic", "type", "count", "rate Hz", "bytes", "drops", "p50 µs", "p99 µs")
        yield from table(heads, map(_topic_row, self.topics))
        if self.outcome:
            # Of several judges, each has a line of its own.
            judges = {name: told for name, told in self.outcome.items() if isinstance(told, dict)}
            yield from (f"\n  outcome of {name}: {_words(told)}" for name, told in judges.items())
            if len(judges) < len(self.outcome):
                yield f"\n  outcome: {_words({k: v for k, v in self.outcome.items() if k not in judges})}"
        if self.skipped_ticks:
            ticks, were = ("tick", "was") if self.skipped_ticks == 1 else ("ticks", "were")
            yield f"\n  {self.skipped_ticks} {ticks} of periodic components came too late and {were} left out"
        if self.broker_restarts:
            yield f"\n  the broker died and was restarted {self.broker_restarts} times; events in transit were lost"
        if self.broker_gave_up:
            yield "\n  the broker kept dying; the run ended"


def per_second(count: int, seconds: float) -> float:
    return round(count / seconds, 2) if seconds else 0.0  # one that never got going


def result_of(
    opened: LoadedProject,
    options: argparse.Namespace,
    measurement: Measurement,
    *,
    seconds: float,
    interrupted: bool,
    outcome: Mapping[str, Any],
) -> Result:
    reports = measurement.session.observer.reports
    types = {topic: kind for topic, kind, _ in topics_of(opened.system, opened.registry)}
    totals = topic_totals(reports.values(), types, measurement.played)
    return Result(
        project=opened.project.name,
        mode=mode_of(opened),
        gate=options.gate,
        seed=options.seed,
        seconds=round(seconds, 3),
        interrupted=interrupted,
        components=[_component(planned, measurement) for planned in measurement.session.plan.components],
        topics=[
            TopicResult(topic, types[topic], total, per_second(total.count, seconds), options.gate == "run")
            for topic, total in totals.items()
        ],
        skipped_ticks=measurement.skipped_ticks,
        broker_restarts=measurement.session.broker_restarts,
        broker_gave_up=measurement.session.supervisor.condition(BROKER) is Condition.GAVE_UP,
        outcome=outcome,
        moved_to=measurement.moved_to,
    )


def mode_of(opened: LoadedProject) -> str:
    modes = {source.mode for source in opened.system.sources} or {"real"}
    return modes.pop() if len(modes) == 1 else "mixed"


def _component(planned: PlannedComponent, measurement: Measurement) -> ComponentResult:
    last: Mapping[str, Any] = measurement.session.observer.component(planned.name)
    errors, error = last.get("errors", 0), last.get("error", "")
    # After the stop all are final; what counts is what they were when it came.
    state = State.ERROR.value if error else measurement.states[planned.name]
    condition = measurement.conditions[planned.host]
    if condition is not Condition.RUNNING:
        state = condition.value
    restarts = measurement.restarts.get(planned.host, 0)
    if trouble := measurement.deaths.get(planned.host) or measurement.forced(planned.host):
        errors, error = errors + max(1, restarts), "\n".join(filter(None, (error.rstrip(), trouble)))
    load = measurement.loads.get(planned.host)
    return ComponentResult(planned.name, state, restarts, errors, error, load)


def _component_row(component: ComponentResult) -> tuple[str, ...]:
    told = component.json()
    numbers = [told[key] for key in ("errors", "restarts", "cpu_percent", "rss_mb")]
    return (component.name, component.state, *map(number, numbers))


def _topic_row(topic: TopicResult) -> tuple[str, ...]:
    told = topic.json()
    numbers = [told[key] for key in ("count", "rate_hz", "bytes", "drops")]
    return (topic.name, topic.type, *map(number, [*numbers, *told["latency_us"].values()]))


def _words(outcome: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {_word(value)}" for name, value in outcome.items())


def _word(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {True: "yes", False: "no", None: "–"}[value]
    return json.dumps(value, ensure_ascii=False)
