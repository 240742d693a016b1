"""What clients of a runtime see: the whole state of a session as plain data, made from what is known anyway."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from studio.errors import StudioError
from studio.runtime.base.clock import SECOND_NS, Clock, monotonic_ns
from studio.runtime.base.deltas import Snapshot
from studio.runtime.base.refusals import Refused
from studio.runtime.base.stall import StallWatch, patience_s, why_stalled
from studio.runtime.base.typed_json import TimeNs, typed
from studio.runtime.host.statistics import topic_totals
from studio.runtime.plan.plan import PlannedComponent
from studio.runtime.processes.control import Control
from studio.runtime.processes.loads import Load, Loads
from studio.runtime.processes.supervision import Condition
from studio.runtime.server.hand_requests import services_of
from studio.runtime.server.rates import Rates
from studio.runtime.server.silent_topics import SilentTopics
from studio.runtime.session.session import Session
from studio.runtime.wire.frames import Origin

BUSY = "busy"
ANSWER_WITHIN_S = 0.1
"""The broker's, when it is asked for the time: nothing else waits for it."""
ORIGINS = {int(origin): origin.name.lower() for origin in Origin}


class BrokerStatus(Struct, frozen=True):
    """What is wanted of the broker's `status`."""

    now_ns: TimeNs
    waiting: tuple[str, ...] = ()
    malformed: dict[str, Refused] = {}


class Snapshots:
    """Makes snapshots; keeps what rates and loads need from one to the next."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._loads = Loads()
        self._load_of: dict[int, Load] = {}
        self._control: Control | None = None
        self._gate_ns = 0
        self.refused_by_broker: dict[str, Refused] = {}
        self._rates = Rates()
        self._silent_topics = SilentTopics()
        self._stall = StallWatch()
        self._waits_for: list[str] = []
        """Hosts whose answer the closed gate is waiting for."""

    def measure(self) -> None:
        """CPU and memory, and what the broker has refused; about once a second, as it costs some."""
        self._ask_broker()
        pids = [process.pid for process in self._session.processes().values() if process.returncode is None]
        self._load_of = self._loads.measure(pids)

    def make(self, about: Mapping[str, Any]) -> Snapshot:
        session = self._session
        clock = self._clock(session.observer.clock)
        components = {component.name: self._component(component) for component in session.plan.components}
        topics = self._topics(clock["base_ns"] if clock else 0, goes=_goes(session, about))
        return {
            **about,
            "gate": session.mode,
            "stalled": self._stalled(components, topics, about),
            "by_hand": list(session.plan.by_hand),
            "clock": clock,
            "components": components,
            "processes": {name: self._process(name) for name in session.processes()},
            "topics": topics,
            "recording": session.plan.recording.file if session.plan.recording else None,
            "recorder": self._recorder(),
        }

    def _stalled(self, components: Snapshot, topics: Snapshot, about: Mapping[str, Any]) -> Snapshot | None:
        """For how long no event has passed in a system that claims to run, and why; None while events flow."""
        count = sum(told["handled"] for told in components.values()) + sum(told["count"] for told in topics.values())
        is_frozen = bool((about.get("debug") or {}).get("frozen"))
        runs = self._session.mode == "run" and not is_frozen
        patience = patience_s(components, self._session.rate)
        seconds = self._stall.quiet_s(count, monotonic_ns(), runs=runs, patience_s=patience)
        if not seconds:
            return None
        return {"seconds": seconds, "why": why_stalled(components, about.get("player"), self._waits_for)}

    def _recorder(self) -> Snapshot | None:
        """How far the log is; None while none is written."""
        if self._session.plan.recording is None:
            return None
        return dict(self._session.observer.recording() or {})

    def _clock(self, clock: Clock | None) -> Snapshot | None:
        """A line over CLOCK_MONOTONIC: whoever knows it can tell the time without asking.

        One that stands goes from event to event, and only the broker knows how far it has come.
        """
        if clock is None:
            return None
        self._waits_for = []
        base_ns = clock.base_ns if clock.rate else self._time_of_the_gate(clock.base_ns)
        at_ns = clock.at_ns if clock.rate else 0
        return {"kind": clock.kind.name.lower(), "base_ns": base_ns, "at_ns": at_ns, "rate": clock.rate}

    def _time_of_the_gate(self, otherwise_ns: int) -> int:
        status = self._ask_broker()
        if status is None:
            self._gate_ns = max(self._gate_ns, otherwise_ns)
        else:
            self._gate_ns, self._waits_for = status.now_ns, list(status.waiting)
        return self._gate_ns

    def _ask_broker(self) -> BrokerStatus | None:
        """None where it is busy, or being restarted."""
        if self._control is None:
            self._control = Control(self._session.folders.run)
        try:
            status = typed(BrokerStatus, self._control.status(ANSWER_WITHIN_S))
        except StudioError:
            return None
        self.refused_by_broker = status.malformed
        return status

    def close(self) -> None:
        if self._control is not None:
            self._control.close()

    def _process(self, name: str) -> Snapshot:
        session = self._session
        process = session.processes()[name]
        ward = session.supervisor.wards.get(name)
        load = self._load_of.get(process.pid)
        return {
            "pid": process.pid if process.returncode is None else None,
            "condition": session.supervisor.condition(name).value,
            "restarts": ward.restarts if ward else 0,
            "last_exit": ward.last_exit if ward else "",
            "cpu_percent": load.cpu_percent if load else None,
            "rss_mb": load.rss_mb if load else None,
            "dropped_output_bytes": session.outputs.dropped_bytes(name),
        }

    def _component(self, planned: PlannedComponent) -> Snapshot:
        session = self._session
        host = planned.host
        report: Mapping[str, Any] = session.observer.reports.get(host) or {}
        told = report.get("components", {}).get(planned.name, {})
        load = self._load_of.get(session.hosts[host].pid) if host in session.hosts else None
        handled = told.get("handled", 0)
        drops = _drops(report, planned)
        return {
            "type": planned.type,
            "host": host,
            "state": shown_state(session.supervisor.condition(host), told, report),
            "rate_hz": self._busy_rate(planned, told),
            "behind_s": report.get("behind_s", 0.0),
            "handled": handled,
            "handler_p50_us": told.get("handler_p50_us"),
            "errors": told.get("errors", 0),
            "error": told.get("error", ""),
            "trouble": told.get("trouble", ""),
            "failed_on": told.get("failed_on", {}),
            "drops": sum(drops.values()),
            "dropped": {topic: count for topic, count in drops.items() if count},
            "restarts": session.restarts.get(host, 0),
            "cpu_percent": load.cpu_percent if load else None,
            "rss_mb": load.rss_mb if load else None,
            "activation": told.get("activation", planned.activation),
            "period_s": planned.period_ns / SECOND_NS,
            "parameters": {**planned.parameters, **told.get("parameters", {})},
            "shown": told.get("shown", {}),
            "inputs": inputs_of(planned),
            "accepts": dict(planned.accepts),
            "outputs": dict(planned.outlets),
            "services": services_of(planned, session.plan),
            "origin": ORIGINS[planned.origin],
        }

    def _busy_rate(self, planned: PlannedComponent, told: Mapping[str, Any]) -> float:
        """How often a component works: a periodic one with every tick, and not also with each message that arrives.

        Others work with every event. One that has a thread of its own, as sensors have, works with every message it
        publishes.
        """
        heard_ns = self._session.observer.heard_ns.get(planned.host, 0)
        if "ticks" in told and told.get("activation", planned.activation) == "periodic":
            return self._rates.rate_hz("ticks of " + planned.name, told["ticks"], heard_ns)
        published = max(told.get("published", {}).values(), default=0)
        comes = self._rates.rate_hz("component " + planned.name, told.get("handled", 0), heard_ns)
        goes = self._rates.rate_hz("outputs of " + planned.name, published, heard_ns)
        return max(comes, goes)

    def _topics(self, stands_ns: int, *, goes: bool) -> Snapshot:
        """`stands_ns`: how far a clock has come that goes from event to event."""
        session, clock = self._session, self._session.observer.clock
        now_ns, played = monotonic_ns(), session.played()
        # Without hosts that have left: somebody else may send their topics now, and count them from the beginning.
        reports = [report for host, report in list(session.observer.reports.items()) if host in session.plan.greeted]
        totals = topic_totals(reports, session.plan.types, played)
        heard_ns = max((session.observer.heard_ns.get(host, 0) for host in session.hosts), default=0)
        counted_ns = {topic: now_ns if topic in played else heard_ns for topic in totals}
        at_ns = clock.at_moment(now_ns) if clock is not None and clock.rate else stands_ns
        return {
            topic: {
                "type": session.plan.types[topic],
                "count": total.count,
                "rate_hz": self._rates.rate_hz("topic " + topic, total.count, counted_ns[topic]),
                "quiet_s": self._silent_topics.quiet_s(topic, total.count, at_ns, counted_ns[topic], goes=goes),
                "drops": total.drops,
                "bytes": total.bytes,
                "latency_us": {"p50": total.latency_us(0.5), "p99": total.latency_us(0.99)},
            }
            for topic, total in totals.items()
        }


def _goes(session: Session, about: Mapping[str, Any]) -> bool:
    """Whether events are to be expected: what hangs on a log that stands is as silent as the log."""
    player = about.get("player")
    return session.mode == "run" and (not player or bool(player.get("playing")))


def shown_state(condition: Condition, told: Mapping[str, Any], report: Mapping[str, Any]) -> str:
    """How a component is: what its process is like if that is not well, else its own state."""
    if condition is not Condition.RUNNING:
        return str(condition.value)
    if report.get("busy_s") and told.get("state") == "active":
        return BUSY
    return str(told.get("state", Condition.STARTING.value))


def inputs_of(planned: PlannedComponent) -> dict[str, list[str]]:
    """By port, all topics that are wired to it."""
    found: dict[str, list[str]] = {}
    for inlet in planned.inlets:
        found.setdefault(inlet.port, []).append(inlet.topic)
    return found


def _drops(report: Mapping[str, Any], planned: PlannedComponent) -> dict[str, int]:
    """By topic, events that it should have got: lost on the way to its host, or replaced by newer ones."""
    topics = report.get("topics", {})
    return {
        topic: int(told.get("lost", 0)) + int(told.get("dropped", {}).get(planned.name, 0))
        for topic in {inlet.topic for inlet in planned.inlets}
        if (told := topics.get(topic)) is not None
    }
