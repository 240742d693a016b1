"""The recorder: what it costs a producer, and whether it loses anything at 50 MB/s and at 20,000 events/s.

Publishing is timed in the producer, with a listener in both systems, so that the recorder is all that differs. The
loads are real systems too: what their producers counted is looked for in the log, number by number. Each lasts 60 s,
which is what the promise is for; `--seconds` for longer or shorter.

And publishing is timed with a recorder that has been stopped, and with a viewer that has: nobody stalls a producer.
"""

from __future__ import annotations

import signal
import statistics
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import zmq

from bench.channel_parts.reports import Reports
from bench.harness import OURS, PROMISED, Report
from bench.record_parts.loads import MIXED, SMALL, TYPES, Offer, planned, record_load, topics_of
from studio.runtime.base.log_compression import WHEN_RECORDING
from studio.runtime.plan.plan import Inlet, Plan, RecordingPlan
from studio.runtime.session.session import Session
from studio.runtime.wire import addresses

WITHOUT = "without recorder"
COUNTS = {"poses": 300, "scans": 300, "maps": 60}
PROMISED_US = 1000.0
MANY = 1000
"""In a round, where it is the slowest of a thousand that counts."""
PAUSES_MS = {"poses": 1.0, "scans": 1.0, "maps": 10.0}
NAMES = {"poses": "a pose, 250 B", "scans": "a scan, 5.8 KB", "maps": "a map, 640 KB"}


def run(rounds: int = 5, seconds: float = 60.0) -> Report:
    report = Report("record", rounds)
    with tempfile.TemporaryDirectory(prefix="studio-bench-") as folder:
        publishing(report, Path(folder))
        unhindered(report, Path(folder))
        for offer in (MIXED, SMALL):
            load(report, offer, seconds, Path(folder))
    return report


def publishing(report: Report, folder: Path) -> None:
    with ExitStack() as stack:
        reports = stack.enter_context(Reports())
        systems = {OURS: stack.enter_context(_system("with", folder)), WITHOUT: stack.enter_context(_system("bare"))}
        for kind in TYPES:
            took = _in_turns(systems, kind, reports, report.rounds)
            for share, name, goal in ((0.5, "median", 1.3), (0.99, "p99", 2.0)):
                found: dict[str, float | None] = {who: _quantile_us(times, share) for who, times in took.items()}
                report.add(f"publishing {NAMES[kind]}: {name}", "us", found, against=WITHOUT, goal=goal)


def unhindered(report: Report, folder: Path) -> None:
    """Whatever recorder or viewer do: both have been stopped, and what is sent to them waits somewhere else."""
    with ExitStack() as stack:
        reports = stack.enter_context(Reports())
        held = stack.enter_context(_system("held", folder))
        systems = {OURS: held, WITHOUT: stack.enter_context(_system("free"))}
        stack.enter_context(_viewer_that_reads_nothing(held))
        assert held.recorder is not None
        held.recorder.send_signal(signal.SIGSTOP)
        stack.callback(held.recorder.send_signal, signal.SIGCONT)
        took = _in_turns(systems, "poses", reports, report.rounds, MANY)
        found: dict[str, float | None] = {who: _quantile_us(times, 0.999) for who, times in took.items()}
        what = "publishing a pose while recorder and viewer stand still: p99.9"
        report.add(what, "us", found, against=WITHOUT, goal=2.0)
        # On a machine that has more to do than it can, others take this time, with a recorder or without.
        report.add("the same", "us", {OURS: found[OURS], PROMISED: PROMISED_US}, against=PROMISED, goal=1.0)


@contextmanager
def _viewer_that_reads_nothing(session: Session) -> Iterator[None]:
    with zmq.Context() as context, context.socket(zmq.SUB) as viewer:
        viewer.linger, viewer.rcvhwm = 0, 1
        viewer.subscribe(b"/")
        viewer.connect(addresses.tap(session.folders.run))
        yield


def _in_turns(
    systems: dict[str, Session], kind: str, reports: Reports, rounds: int, count: int = 0
) -> dict[str, list[int]]:
    took: dict[str, list[int]] = {who: [] for who in systems}
    for number in range(rounds):
        for who in systems if number % 2 == 0 else reversed(systems):
            session = systems[who]
            (name,) = (each.name for each in session.plan.components if each.type == "Timed")
            for parameter, value in (("kind", kind), ("count", count or COUNTS[kind]), ("pause_ms", PAUSES_MS[kind])):
                session.command(name, {"do": "set", "name": parameter, "value": value})
            session.command(name, {"do": "trigger"})
            took[who] += reports.collect({name})[name]
    return took


def _quantile_us(times_ns: list[int], share: float) -> float:
    return statistics.quantiles(times_ns, n=1000, method="inclusive")[round(share * 1000) - 1] / 1000


@contextmanager
def _system(name: str, folder: Path | None = None) -> Iterator[Session]:
    """One that publishes and one that listens; with a `folder`, recorded."""
    types = topics_of(name)
    inlets = tuple(Inlet(port, f"/{name}/{port}") for port in TYPES)
    recording = RecordingPlan(str(folder / f"{name}.mcap"), tuple(types), WHEN_RECORDING) if folder else None
    parts = (planned(name, "Timed", 0), planned(f"{name}_ear", "Ear", 1, inlets))
    with Session(Plan(parts, types=types, recording=recording)) as session:
        session.launch()
        session.start("run")
        yield session


def load(report: Report, offer: Offer, seconds: float, folder: Path) -> None:
    log = folder / f"{len(report.rows)}.mcap"
    told = record_load(offer, seconds, log)
    log.unlink()
    found: dict[str, float | None] = {OURS: told.recorded, "published": told.published}
    reached = f"{told.bytes / told.seconds / 1e6:.1f} MB/s, {told.published / told.seconds:,.0f} events/s"
    what = f"{offer.name} for {told.seconds:.0f} s (reached: {reached}): recorded"
    report.add(what, "events", found, against="published", goal=1.0, better="higher")
    offered: dict[str, float | None] = {OURS: float(told.published), "offered": told.offered}
    report.add(f"{offer.name}: published", "events", offered, against="offered", better="higher")
