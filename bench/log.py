"""Logs against the Python `mcap` library, small-mcap, foxglove-sdk, rosbags and a plain append-only file.

The workload is a drive of 17,334 messages and 200 MB: 5.8 kB scans, 200 B poses, 640 kB maps, uncompressed. Ours is
written as the recorder does it, with CRCs, headers, and a flush every 50 ms of wall time; the others with their
defaults, but without compression. Nobody syncs. Ours is read with every chunk and every sequence checked; the others as
they come, which is without checks except for the plain file. A seek is "the first message at or after t" at random
places, in a reader that stays open. Files lie in the temporary folder of the machine, that is in the memory that
caches its disk.

The logs for opening, 1 GB and 10 MB, hold mostly zeros that the file system stores as holes: they are valid and have
a summary like any other of their length, and opening reads nothing else.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.harness import OURS, Contender, Report, installed, interleave, no_garbage_collection
from bench.log_parts.opening import openings
from bench.log_parts.reading import READERS, SEEKERS
from bench.log_parts.workload import SEEKS, Workload, workload
from bench.log_parts.writing import PLAIN, WRITERS

DESCRIPTION = "writing, checked reading, seeking and opening logs, against mcap, small-mcap, foxglove-sdk and rosbags"
WRITE_GOAL, READ_GOAL, SEEK_GOAL, OPEN_GOAL = 1.5, 1.5, 0.5, 3.0
MODULES = {"mcap": "mcap", "small-mcap": "small_mcap", "foxglove-sdk": "foxglove", "rosbags": "rosbags"}


def run(rounds: int = 5, *, scale: float = 1.0) -> Report:
    """`scale` shortens the workload; the ratios stay, the figures get noisier."""
    report = Report("log", rounds)
    here = {name: installed(module) for name, module in MODULES.items()}
    for name, is_here in here.items():
        if not is_here:
            report.missing(name)
    work = workload(scale)
    with folder() as place, no_garbage_collection():
        written = interleave(everybody(here, lambda name: timed_write(WRITERS[name], name, work, place)), rounds)
        report.add("write, timed flush and CRC", "MB/s", written, against="mcap", goal=WRITE_GOAL, better="higher")
        report.add(
            "read, all checked",
            "MB/s",
            interleave(everybody(here, lambda name: timed_read(READERS[name], name, work, place)), rounds),
            against="mcap",
            goal=READ_GOAL,
            better="higher",
        )
        medians = interleave(everybody(here, lambda name: timed_seek(SEEKERS[name], name, work, place)), rounds)
        report.add("seek", "ms", medians, against=fastest(medians), goal=SEEK_GOAL)
        report.add("open: 1 GB against 10 MB", "us", openings(place, rounds), against="10 MB", goal=OPEN_GOAL)
    return report


def everybody(here: dict[str, bool], make: Callable[[str], Contender]) -> dict[str, Contender | None]:
    return {name: make(name) if here.get(name, True) else None for name in (OURS, *MODULES, PLAIN)}


def fastest(medians: dict[str, float | None]) -> str:
    """The best reader of MCAP but us; the plain file has no index to keep and no topics to tell apart."""
    peers = {name: value for name, value in medians.items() if name not in (OURS, PLAIN) and value is not None}
    return min(peers, key=lambda name: peers[name], default="mcap")


@contextmanager
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


# Timing


def timed_write(write: Callable[[Path, Workload], object], name: str, work: Workload, place: Path) -> Contender:
    def once() -> float:
        path = place / f"{name}.mcap"
        remove(path)
        began = time.perf_counter()
        write(path, work)
        return work.megabytes / (time.perf_counter() - began)

    return once


def timed_read(read: Callable[[Path], int], name: str, work: Workload, place: Path) -> Contender:
    def once() -> float:
        began = time.perf_counter()
        total = read(log_of(place, name))
        took = time.perf_counter() - began
        if total < work.megabytes * 1e6:
            raise RuntimeError(f"{name} read only {total} bytes")
        return work.megabytes / took

    return once


def timed_seek(opened: Any, name: str, work: Workload, place: Path) -> Contender:
    def once() -> float:
        with opened(log_of(place, name)) as seek:
            seek(work.times_ns[0])
            began = time.perf_counter()
            for time_ns in work.times_ns[1:]:
                seek(time_ns)
            return (time.perf_counter() - began) / SEEKS * 1000

    return once


def log_of(place: Path, name: str) -> Path:
    """What foxglove-sdk wrote is read by small-mcap, having no reader of its own; all others read their own."""
    path = place / f"{name}.mcap"
    return next(path.glob("*.mcap")) if path.is_dir() else path


def remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
