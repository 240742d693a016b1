"""What came out of a run: for scripts as the JSON of `studio run --json`, for people as two tables."""

from __future__ import annotations

import argparse
import signal
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import psutil

from studio.cli.columns import columns
from studio.cli.opened import Opened
from studio.model.wiring import topics_of
from studio.runtime.clock import SECOND_NS, monotonic_ns
from studio.runtime.launcher import Session
from studio.runtime.lifecycle import State
from studio.runtime.plan import PlannedComponent
from studio.runtime.statistics import TopicTotals, topic_totals

REPORT_WITHIN_S = 2.0
DEAD = "dead"
"""The state of a component whose process ended by itself."""


@dataclass(frozen=True)
class Load:
    cpu_percent: float
    rss_mb: float


class Measurement:
    """Looks at a session when it starts and just before it stops, and keeps what would be gone afterwards."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.wall_s = 0.0
        self.states: dict[str, str] = {}
        self.loads: dict[str, Load] = {}
        self.deaths: dict[str, str] = {}
        """Hosts that ended by themselves: how, and the last of what they printed."""
        self.skipped_ticks = 0
        self.begin()

    def begin(self) -> None:
        """From here on it counts."""
        self._start_ns = monotonic_ns()
        session = self.session
        self._cpu_s = {host: cpu_s for host in session.hosts if (cpu_s := self._cpu_of(host)) is not None}

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
        self.deaths = {host: death(status, session.output_of(host)) for host, status in session.exits.items()}
        self.skipped_ticks = session.control.status()["skipped_ticks"]

    def forced(self, host: str) -> str:
        """After the session: how the host was ended, if it did not stop when it was asked to."""
        status = self.session.hosts[host].returncode
        return f"it did not stop when asked; {death(status, '')}" if status else ""

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
        if cpu_s is None or host not in self._cpu_s or self.session.hosts[host].poll() is not None:
            return None
        return Load(round(100.0 * (cpu_s - self._cpu_s[host]) / self.wall_s, 1), round(rss / 1e6, 1))


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

    @property
    def failed(self) -> bool:
        return any(component.errors for component in self.components)

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
            "outcome": {},  # no project has a judge yet
        }

    def text(self) -> Iterator[str]:
        how = " in lockstep" if self.gate == "lockstep" else ""
        ended = ", interrupted" if self.interrupted else ""
        yield f"{self.project} ran {self.seconds:.1f} s of system time{how}, mode {self.mode}{ended}"
        yield from _table(("component", "state", "errors", "CPU %", "memory MB"), map(_component_row, self.components))
        heads = ("topic", "type", "count", "rate Hz", "bytes", "drops", "p50 µs", "p99 µs")
        yield from _table(heads, map(_topic_row, self.topics))
        if self.skipped_ticks:
            ticks, were = ("tick", "was") if self.skipped_ticks == 1 else ("ticks", "were")
            yield f"\n  {self.skipped_ticks} {ticks} of periodic components came too late and {were} left out"
        if self.broker_restarts:
            yield f"\n  the broker died and was restarted {self.broker_restarts} times; what was under way was lost"


def result_of(
    opened: Opened, options: argparse.Namespace, measurement: Measurement, *, seconds: float, interrupted: bool
) -> Result:
    reports = measurement.session.observer.reports
    types = {topic: kind for topic, kind, _ in topics_of(opened.system, opened.registry)}
    totals = topic_totals(reports.values(), types)
    return Result(
        project=opened.project.name,
        mode=_mode(opened),
        gate=options.gate,
        seed=options.seed,
        seconds=round(seconds, 3),
        interrupted=interrupted,
        components=[_component(planned, measurement) for planned in measurement.session.plan.components],
        topics=[
            TopicResult(topic, types[topic], total, round(total.count / seconds, 2), options.gate == "run")
            for topic, total in totals.items()
        ],
        skipped_ticks=measurement.skipped_ticks,
        broker_restarts=measurement.session.broker_restarts,
    )


def _mode(opened: Opened) -> str:
    modes = {source.mode for source in opened.system.sources} or {"real"}
    return modes.pop() if len(modes) == 1 else "mixed"


def _component(planned: PlannedComponent, measurement: Measurement) -> ComponentResult:
    last: Mapping[str, Any] = measurement.session.observer.component(planned.name)
    errors, error = last.get("errors", 0), last.get("error", "")
    # After the stop all are final; what counts is what they were when it came.
    state = State.ERROR.value if error else measurement.states[planned.name]
    died = measurement.deaths.get(planned.host)
    if died is not None:
        state = DEAD
    if trouble := died or measurement.forced(planned.host):
        errors, error = errors + 1, "\n".join(filter(None, (error.rstrip(), trouble)))
    load = measurement.loads.get(planned.host)
    return ComponentResult(planned.name, state, 0, errors, error, load)


def death(status: int, output: str) -> str:
    """How a process ended that should not have, and the last of what it printed."""
    how = f"exit status {status}"
    if status < 0:
        how = f"signal {signal.Signals(-status).name}" if -status in set(signal.Signals) else f"signal {-status}"
    return f"its process ended with {how}" + (f"; it printed last:\n{output.rstrip()}" if output.strip() else "")


def _component_row(component: ComponentResult) -> tuple[str, ...]:
    told = component.json()
    return component.name, component.state, str(component.errors), _number(told["cpu_percent"]), _number(told["rss_mb"])


def _topic_row(topic: TopicResult) -> tuple[str, ...]:
    told = topic.json()
    numbers = [told[key] for key in ("count", "rate_hz", "bytes", "drops")]
    return (topic.name, topic.type, *map(_number, [*numbers, *told["latency_us"].values()]))


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}" if value % 1 else f"{value:.0f}"


def _table(heads: Sequence[str], rows: Iterator[tuple[str, ...]]) -> Iterator[str]:
    """Words to the left, numbers to the right, under their heads; nothing without rows."""
    lines = [tuple(heads), *rows]
    if len(lines) == 1:
        return
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    yield ""
    yield from columns([[cell if i < 2 else cell.rjust(widths[i]) for i, cell in enumerate(line)] for line in lines])
