"""The recorder: what it costs a producer, and whether it loses anything at 50 MB/s and at 20,000 events/s.

Publishing is timed in the producer, with a listener in both systems, so that the recorder is all that differs. The
loads are real systems too: what their producers counted is looked for in the log, number by number. `--rounds` is also
the length of a load, in seconds; the promise is for 60.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bench.channel_parts.reports import Reports
from bench.harness import OURS, Report
from bench.record_parts.loads import MIXED, SMALL, TYPES, Offer, planned, record_load, topics_of
from studio.runtime.launcher import Session
from studio.runtime.plan import Inlet, Plan, RecordingPlan

WITHOUT = "without recorder"
COUNTS = {"poses": 300, "scans": 300, "maps": 60}
PAUSES_MS = {"poses": 1.0, "scans": 1.0, "maps": 10.0}
NAMES = {"poses": "a pose, 250 B", "scans": "a scan, 5.8 KB", "maps": "a map, 640 KB"}


def run(rounds: int = 5) -> Report:
    report = Report("record", rounds)
    with tempfile.TemporaryDirectory(prefix="studio-bench-") as folder:
        publishing(report, Path(folder))
        for offer in (MIXED, SMALL):
            load(report, offer, float(rounds), Path(folder))
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


def _in_turns(systems: dict[str, Session], kind: str, reports: Reports, rounds: int) -> dict[str, list[int]]:
    took: dict[str, list[int]] = {who: [] for who in systems}
    for number in range(rounds):
        for who in systems if number % 2 == 0 else reversed(systems):
            session = systems[who]
            (name,) = (each.name for each in session.plan.components if each.type == "Timed")
            for parameter, value in (("kind", kind), ("count", COUNTS[kind]), ("pause_ms", PAUSES_MS[kind])):
                session.command(name, {"do": "set", "name": parameter, "value": value})
            session.command(name, {"do": "trigger"})
            took[who] += reports.collect({name})[name]
    return took


def _quantile_us(times_ns: list[int], share: float) -> float:
    return statistics.quantiles(times_ns, n=100, method="inclusive")[round(share * 100) - 1] / 1000


@contextmanager
def _system(name: str, folder: Path | None = None) -> Iterator[Session]:
    """One that publishes and one that listens; with a `folder`, recorded."""
    types = topics_of(name)
    inlets = tuple(Inlet(port, f"/{name}/{port}") for port in TYPES)
    recording = RecordingPlan(str(folder / f"{name}.mcap"), tuple(types)) if folder else None
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
