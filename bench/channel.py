"""The channel: run mode against zmq.proxy, 8 MB against pyzmq and iceoryx2, lockstep against REQ/REP round trips.

Ours is always a real system: a launched session, each component in a host of its own, real handlers. "Channel only"
means a message type that is nothing but bytes, so that what is compared is the channel; "with codec" is what a user's
component pays: a typed message is encoded and decoded. "Broker" is the session's broker between a source and a sink
that do no more than the peers': what a program in C would get. The peers' consumers merely receive bytes.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import zmq

from bench.channel_parts.processes import HERE, Order, OurBroker, Ours, Peers, peer, planned
from bench.channel_parts.reports import Reports
from bench.harness import Contender, Report, installed, interleave, no_garbage_collection
from studio.messages import encode
from studio.model.spec import PythonEntry
from studio.runtime.base.clock import ClockKind
from studio.runtime.component import Component
from studio.runtime.host.component_import import import_class
from studio.runtime.host.in_process import InProcess
from studio.runtime.plan.plan import Inlet, Plan, PlannedComponent
from studio.runtime.session.session import Session
from studio.runtime.wire.frames import Event

MEGABYTE = 1 << 20
ICEORYX = "iceoryx2"
System = Ours | OurBroker | Peers
S = TypeVar("S", Ours, OurBroker, Peers)


@dataclass(frozen=True)
class Amounts:
    """How much one turn of one contender measures."""

    burst: int = 10_000
    """Below the 16,384 frames that the channel keeps for a receiver: a burst can be late, but not lost."""
    bursts: int = 15
    """A burst takes some 25 ms, as long as one hiccup of the machine: it takes many for a steady median."""
    paced: int = 300
    large: int = 15
    large_bytes: int = 8 * MEGABYTE
    subscribers: int = 8
    events: int = 1000
    in_process_events: int = 20_000


def run(rounds: int = 5, amounts: Amounts | None = None) -> Report:
    amounts = amounts or Amounts()
    report = Report("channel", rounds)
    with Reports() as reports:
        for label, size, typed in (("100 B", 100, "Fix"), ("5.8 KB", 5909, "Scan")):
            run_mode(report, reports, amounts, label, size, typed)
        large(report, reports, amounts)
        fan_out(report, reports, amounts)
        lockstep(report, reports, amounts)
    if not installed(ICEORYX):
        report.missing(ICEORYX)
    return report


# Run mode.

PROXIES = ("zmq.proxy", "zmq.proxy PULL/PUB")
TYPED = {"Fix": "NavSatFix, 117 B", "Scan": "Range3d of 361 points"}


def run_mode(report: Report, reports: Reports, amounts: Amounts, label: str, size: int, typed: str) -> None:
    """Broker and handlers apart: what a host still does after a burst must not fall into its neighbour's turn."""
    with ExitStack() as stack:
        broker = {"ours": opened(stack, OurBroker(reports)), **proxies(stack, reports)}
        throughput, one_way = rates_and_ages(report, amounts, size, broker)
    between = f"run, {label}, broker between the same bare source and sink"
    with ExitStack() as stack:
        handlers = {
            "ours": opened(stack, Ours(reports, "Raw", size=size)),
            "ours with codec": opened(stack, Ours(reports, typed)),
            **proxies(stack, reports),
        }
        handled, handled_one_way = rates_and_ages(report, amounts, size, handlers)
    handler = f"run, {label}, handler to handler, channel only (with codec: {TYPED[typed]})"
    _row(report, f"{between}: throughput, none lost", "events/s", throughput, 0.8, "higher")
    # Without a goal: a typed handler costs some 8 us of Python an event and a bare recv of 100 B 0.4 us, so this row
    # says more about CPython than about the channel.
    _row(report, f"{handler}: throughput, none lost", "events/s", handled, None, "higher")
    _row(report, f"{between}: one way", "us", one_way, 1.3, "lower")
    _row(report, f"{handler}: one way", "us", handled_one_way, 1.3, "lower")


def proxies(stack: ExitStack, reports: Reports) -> dict[str, System]:
    return {
        "zmq.proxy": opened(stack, proxied(reports, "PUB", "XSUB", "XPUB")),
        "zmq.proxy PULL/PUB": opened(stack, proxied(reports, "PUSH", "PULL", "PUB")),
    }


def rates_and_ages(
    report: Report, amounts: Amounts, size: int, contenders: Mapping[str, System]
) -> tuple[dict[str, float | None], dict[str, float | None]]:
    burst, paced = Order(amounts.burst, size), Order(amounts.paced, size, pace_us=1000)
    rates = turns(contenders, lambda each: per_second(each, burst, amounts.bursts), report.rounds)
    return rates, turns(contenders, lambda each: age_us(each, paced), report.rounds)


def _row(
    report: Report, what: str, unit: str, medians: Mapping[str, float | None], goal: float | None, better: Any
) -> None:
    report.add(what, unit, medians, against=PROXIES[0], goal=goal, better=better)


def proxied(reports: Reports, sends: str, front: str, back: str) -> Peers:
    name = f"proxy-{front}"
    into, out = (f"ipc://{reports.folder}/{name}.{side}" for side in ("in", "out"))
    between = ["proxy", front, into, back, out]
    return Peers(reports, name, ["zmq-source", sends, into, "connect"], ["zmq-sink", "SUB", out, "connect"], between)


def per_second(contender: System, order: Order, bursts: int) -> float:
    """Events per second from the sending of the first to the arrival of the last of a burst.

    Counted from the first arrival instead, whoever lets a burst pile up before the consumer wakes would look fastest.
    """
    took_ns: float = statistics.median(max(contender.measure(order).values()) for _ in range(bursts))
    return order.count / took_ns * 1e9


def age_us(contender: System, order: Order) -> float:
    """Median time from before the sending of a message until the last of its receivers is done with it."""
    ages = contender.measure(order).values()
    last: float = statistics.median(max(of_one) for of_one in zip(*ages, strict=True))
    return last / 1000


# Large payloads.


def large(report: Report, reports: Reports, amounts: Amounts) -> None:
    size = amounts.large_bytes
    order = Order(amounts.large, size, pace_us=10_000, read=True)
    with ExitStack() as stack:
        contenders: dict[str, System | None] = {
            "ours": opened(stack, Ours(reports, "BigRaw", size=size, sink_kind="Raw")),
            "ours with codec": opened(stack, Ours(reports, "Image", size=size)),
            "pyzmq": opened(stack, direct(reports, "PUSH", "PULL")),
            "pyzmq copy=False": opened(stack, direct(reports, "PUSH", "PULL", "-nocopy")),
            ICEORYX: opened(stack, through_iceoryx(reports, size)) if installed(ICEORYX) else None,
        }
        ages = turns(contenders, lambda each: age_us(each, order), report.rounds)
    what = f"run, {size // MEGABYTE} MB read in full, channel only (with codec: Image)"
    report.add(f"{what}: one way", "us", ages, against="pyzmq", goal=0.8)
    report.add(f"{what}: one way", "us", ages, against=ICEORYX, goal=1.25)


def direct(reports: Reports, sends: str, receives: str, copying: str = "", sinks: int = 1) -> Peers:
    name = f"direct-{sends}{copying}-{sinks}"
    address = f"ipc://{reports.folder}/{name}"
    source, sink = (
        ["zmq-source", sends, address, "bind" + copying],
        ["zmq-sink", receives, address, "connect" + copying],
    )
    return Peers(reports, name, source, sink, sinks=sinks)


def through_iceoryx(reports: Reports, size: int) -> Peers:
    service = f"studio/bench/{reports.folder.name}"
    return Peers(reports, ICEORYX, ["iceoryx-source", service, str(size)], ["iceoryx-sink", service, str(size)])


def fan_out(report: Report, reports: Reports, amounts: Amounts) -> None:
    size, sinks = amounts.large_bytes, amounts.subscribers
    order = Order(amounts.large, size, pace_us=40_000, read=True)
    with ExitStack() as stack:
        contenders: dict[str, System] = {
            "ours": opened(stack, Ours(reports, "BigRaw", sinks, size=size, sink_kind="Raw")),
            "pyzmq": opened(stack, direct(reports, "PUB", "SUB", sinks=sinks)),
            "pyzmq copy=False": opened(stack, direct(reports, "PUB", "SUB", "-nocopy", sinks=sinks)),
        }
        ages = turns(contenders, lambda each: age_us(each, order), report.rounds)
    what = f"run, {size // MEGABYTE} MB to {sinks} subscribers, read in full by all, channel only"
    report.add(f"{what}: until the last is done", "us", ages, against="pyzmq", goal=0.25)


# Lockstep.


def lockstep(report: Report, reports: Reports, amounts: Amounts) -> None:
    with ExitStack() as stack:
        small, scans = (stack.enter_context(looping(kind)) for kind in ("Loop", "ScanLoop"))
        contenders: dict[str, Contender | None] = {
            "ours": lambda: us_per_event(small, amounts.events),
            "REQ/REP": stack.enter_context(round_trips(reports, amounts.events)),
        }
        medians = interleave(contenders, report.rounds)
        report.add("lockstep, one receiver: per event", "us", medians, against="REQ/REP", goal=3.0)
        here = in_process("Loop")
        rates = rates_of(here, small, amounts, report.rounds)
        what = "lockstep in process"
        report.add(f"{what}, no codec", "events/s", rates, against="over processes", goal=100.0, better="higher")
        recorded = in_process("ScanLoop", lambda event: encode(event.message))
        rates = rates_of(recorded, scans, amounts, report.rounds)
        what += ", 5.8 KB scans encoded for a recorder"
        report.add(what, "events/s", rates, against="over processes", goal=5.0, better="higher")


def rates_of(here: InProcess, there: Session, amounts: Amounts, rounds: int) -> Mapping[str, float | None]:
    contenders: dict[str, Contender | None] = {
        "ours": lambda: 1e6 / us_per_event(here, amounts.in_process_events),
        "over processes": lambda: 1e6 / us_per_event(there, amounts.events),
    }
    return interleave(contenders, rounds)


def loop_plan(kind: str) -> Plan:
    return Plan((planned("loop", kind, 0, outlets={"out": "/loop/out"}, inlets=(Inlet("inp", "/loop/out"),)),))


@contextmanager
def looping(kind: str) -> Iterator[Session]:
    with Session(loop_plan(kind), clock=ClockKind.SIMULATION, start_ns=0) as session:
        session.launch()
        session.start()
        yield session


def in_process(kind: str, tap: Callable[[Event], Any] | None = None) -> InProcess:
    system = InProcess(loop_plan(kind), make)
    system.start()
    system.tap = tap
    return system


def make(component: PlannedComponent) -> Component:
    module, _, cls = component.entry.partition(":")
    return import_class(Path(HERE), PythonEntry(module, cls))()


def us_per_event(system: Session | InProcess, events: int) -> float:
    with no_garbage_collection():
        began = time.perf_counter_ns()
        delivered = system.lockstep(count=events)
        return (time.perf_counter_ns() - began) / delivered / 1000


@contextmanager
def round_trips(reports: Reports, count: int) -> Iterator[Contender]:
    address = f"ipc://{reports.folder}/reply"
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    process = peer("reply", ["reply", address])
    reports.collect({"reply"})
    socket = context.socket(zmq.REQ)
    socket.connect(address)

    def per_trip_us() -> float:
        began = time.perf_counter_ns()
        for _ in range(count):
            socket.send(bytes(100))
            socket.recv()
        return (time.perf_counter_ns() - began) / count / 1000

    try:
        yield per_trip_us
    finally:
        process.kill()
        process.communicate()
        context.destroy(linger=0)


# Both.


def opened(stack: ExitStack, contender: S) -> S:
    stack.callback(contender.close)
    return contender


def turns(
    contenders: Mapping[str, System | None], measure: Callable[[System], float], rounds: int
) -> dict[str, float | None]:
    def turn(contender: System) -> Contender:
        return lambda: measure(contender)

    return interleave({name: turn(each) if each is not None else None for name, each in contenders.items()}, rounds)
