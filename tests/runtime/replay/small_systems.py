"""Small recorded runs for the tests of replays."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from studio.messages import HandledTrace, MessageTypes, encode
from studio.runtime.host.host import create
from studio.runtime.host.in_process import InProcess
from studio.runtime.plan.plan import Plan
from studio.runtime.recording import LogReader, LogWriter
from studio.runtime.replay.event_log import EventLog
from studio.runtime.replay.inputs import inputs_of
from studio.runtime.replay.lockstep import Result, replay_inputs
from studio.runtime.wire.frames import HANDLED_TOPIC, Event, Kind
from tests.runtime.systems import Part
from tests.runtime.systems import plan as untyped

TYPES = MessageTypes.builtin()
START_NS = 1_700_000_000_000_000_000
SECOND_NS = 1_000_000_000
KINDS = {"out": "Float64", "total": "Float64", "small": "Float64", "served": "Float64", "big": "Map", "maps": "Map"}


def plan(kinds: Mapping[str, str] = {}, seed: int = 1, **parts: Part) -> Plan:
    """A plan that knows the types of its topics; `kinds` for those that are not what their names say."""
    made = untyped(seed, **parts)
    types = {topic: kinds.get(topic, KINDS[port]) for c in made.components for port, topic in c.outlets.items()}
    return replace(made, types=types)


def diamond(amount: float = 1.0) -> Plan:
    """A ticker, two ways, and one that tells in which order they came together."""
    return plan(
        {"/merger/out": "String"},
        ticker=Part("Ticker", period_s=0.01, outlets=("out",)),
        left=Part("Adder", {"raw": "ticker.out"}, {"amount": amount}, outlets=("out",)),
        right=Part("Dice", {"raw": "ticker.out"}, outlets=("out",)),
        merger=Part("Merger", {"left": "left.out", "right": "right.out"}, outlets=("out",)),
    )


def sensor_system(amount: float = 1.0) -> Plan:
    """A sensor with a thread of its own, and what comes behind it."""
    return plan(
        {"/merger/out": "String"},
        flood=Part("Flood", parameters={"rate_hz": 500.0}, outlets=("out",)),
        ticker=Part("Ticker", period_s=0.01, outlets=("out",)),
        adder=Part("Adder", {"raw": "flood.out"}, {"amount": amount}, outlets=("out",)),
        merger=Part("Merger", {"left": "adder.out", "right": "ticker.out"}, outlets=("out",)),
    )


def record_lockstep(
    path: Path, plan: Plan, seconds: float = 0.2, during: Callable[[InProcess], None] = lambda _: None
) -> Path:
    """A run of the twin in lockstep, recorded; `during` is called in the middle."""
    with EventLog(path, plan, TYPES) as log:
        twin = InProcess(plan, create, start_ns=START_NS, tap=log.take)
        twin.start()
        half_ns = round(seconds * SECOND_NS / 2)
        twin.lockstep(until_ns=START_NS + half_ns)
        during(twin)
        twin.lockstep(until_ns=START_NS + 2 * half_ns)
        twin.stop()
    return path


def replay(plan: Plan, log: Path, record: Path | None = None, *, in_process: bool = True) -> Result:
    with LogReader(log) as reader:
        return replay_inputs(inputs_of(plan, reader, {}), TYPES, in_process=in_process, record=record)


def record_traced(path: Path, plan: Plan, seconds: float, without: Collection[str] = (), batches: int = 1) -> Path:
    """As a recorder does it in a run: with the handled trace, in batches."""
    lines: list[Any] = []
    events: list[Event] = []
    twin = InProcess(plan, create, start_ns=START_NS, tap=events.append)
    for runner in twin.runners.values():
        runner.trace = lambda *line: lines.append((*line[:5], tuple(line[5]), tuple(line[6])))
    twin.start()
    twin.lockstep(until_ns=START_NS + round(seconds * SECOND_NS))
    twin.stop()
    with EventLog(path, plan, TYPES) as log:
        for event in events:
            if event.topic not in without:
                log.take(event)
        channel = log._log.add_topic(HANDLED_TOPIC, HandledTrace)
        for number in range(1, batches + 1):
            part = lines[len(lines) * (number - 1) // batches : len(lines) * number // batches]
            at_ns = START_NS + round(seconds * SECOND_NS * number / batches)
            payload = encode(HandledTrace.of(part))
            log._log.write(channel, payload, log_time_ns=at_ns, sequence=number, stamp_ns=at_ns, kind=int(Kind.TRACE))
    return path


def write_foreign(path: Path, topics: Mapping[str, Iterable[tuple[int, Any]]]) -> Path:
    """A log of others: no headers, no sequences. `topics`: name -> (log time, message)."""
    with LogWriter(path, headers=False, profile="") as log:
        rows = [(time_ns, name, message) for name, events in topics.items() for time_ns, message in events]
        for time_ns, name, message in sorted(rows, key=lambda row: row[0]):
            channel = log.add_topic(name, type(message))
            log.write(channel, encode(message), log_time_ns=time_ns, sequence=0, stamp_ns=time_ns)
    return path


def events_of(path: Path, topic: str) -> list[tuple[int, int, bytes]]:
    with LogReader(path) as log:
        return [(event.sequence, event.stamp_ns, bytes(event.payload)) for event in log.events([topic])]
