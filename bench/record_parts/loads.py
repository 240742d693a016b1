"""Records a load with a real session, and counts what of it is in the log."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from studio.runtime.base.log_compression import WHEN_RECORDING
from studio.runtime.plan.plan import Inlet, Plan, PlannedComponent, RecordingPlan
from studio.runtime.recording import LogReader
from studio.runtime.session.session import Session

HERE = Path(__file__).parent
TYPES = {"poses": "PoseTransform", "scans": "Range3d", "maps": "Map"}


@dataclass(frozen=True)
class Offer:
    """How much producers publish per second, shared out among them."""

    name: str
    poses_hz: float = 0.0
    scans_hz: float = 0.0
    maps_hz: float = 0.0
    producers: int = 1

    @property
    def events_hz(self) -> float:
        return self.poses_hz + self.scans_hz + self.maps_hz


MIXED = Offer("50 MB/s of poses, scans and maps", poses_hz=1000, scans_hz=1500, maps_hz=65)
SMALL = Offer("20,000 poses/s", poses_hz=20_000, producers=2)


@dataclass(frozen=True)
class Recorded:
    published: int
    """Events that the producers sent: not those that a producer was too early with, before the gate was open."""
    recorded: int
    """Different ones of them in the log."""
    gaps: int
    """Events that the log itself tells are missing."""
    bytes: int
    """Of the messages in the log, before compression."""
    seconds: float

    offered: float
    """Events that should have been published."""

    @property
    def lost(self) -> int:
        return self.published - self.recorded

    @property
    def share(self) -> float:
        """Of what was offered, how much the machine could publish at all."""
        return self.published / self.offered


def planned(name: str, kind: str, place: int, inlets: tuple[Inlet, ...] = (), **parameters: float) -> PlannedComponent:
    outlets = {} if kind == "Ear" else {port: f"/{name}/{port}" for port in TYPES}
    return PlannedComponent(
        name, kind, place, name, activation="trigger" if kind == "Timed" else "event", parameters=parameters,
        inlets=inlets, outlets=outlets, entry=f"components:{kind}", folder=str(HERE),
    )  # fmt: skip


def topics_of(*names: str) -> dict[str, str]:
    return {f"/{name}/{port}": kind for name in names for port, kind in TYPES.items()}


def record_load(offer: Offer, seconds: float, log: Path, compression: str = WHEN_RECORDING) -> Recorded:
    """`seconds` of it, into `log`."""
    names = [f"load{number}" for number in range(offer.producers)]
    share = {rate: getattr(offer, rate) / offer.producers for rate in ("poses_hz", "scans_hz", "maps_hz")}
    types = topics_of(*names)
    components = tuple(planned(name, "Load", place, **share) for place, name in enumerate(names))
    plan = Plan(components, types=types, recording=RecordingPlan(str(log), tuple(types), compression))
    with Session(plan) as session:
        session.launch()
        session.start("run")
        began = time.monotonic()
        time.sleep(seconds)
        took_s = time.monotonic() - began
    # The last reports of the producers come after their threads have ended.
    reports = [session.observer.component(name) for name in names]
    published = {topic: count for report in reports for topic, count in report["published"].items()}
    held_back = sum(report["paused_inputs"] for report in reports)
    return _counted(log, published, held_back, took_s, offer.events_hz * took_s)


def _counted(log: Path, published: dict[str, int], held_back: int, seconds: float, offered: float) -> Recorded:
    recorded = size = 0
    with LogReader(log) as reader:
        gaps = sum(gap.lost for gap in reader.check() if gap.topic in published)
        for topic, count in published.items():
            events = np.array([(event.sequence, len(event.payload)) for event in reader.events([topic])], np.uint64)
            numbers, sizes = events.reshape(-1, 2).T
            there = np.unique(numbers)
            recorded += int(((there >= 1) & (there <= count)).sum())
            size += int(sizes.sum())
        return Recorded(sum(published.values()) - held_back, recorded, gaps, size, seconds, offered)
