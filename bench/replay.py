"""Lockstep replay of recorded runs, against the time that the run itself took, and whether the same bytes come out.

The whole replay is timed, with the start of the processes. Ten replays of a run that the recorder has written in real
time have to come out as the same bytes, in process and over processes. The goals are for first_steps; the figures of
the other examples tell what a system costs that computes something. A way through a log is gone by its player in a
running system, and can be gone back afterwards; it is set against the same way as a replay over processes goes it.
`--seconds` is the length of first_steps' log.
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import redirect_stdout
from pathlib import Path

from bench.harness import OURS, Report, interleave
from bench.replay_parts.examples import CARMEN, EXAMPLES, PROJECTS, Example, record_example, record_run
from bench.replay_parts.ways import replayed_s, sought_s
from studio.model.loaded_project import open_project
from studio.runtime.host.host import create
from studio.runtime.host.in_process import InProcess
from studio.runtime.plan.planning import plan_of
from studio.runtime.replay.event_log import EventLog
from studio.runtime.replay.lockstep import replay_lockstep
from studio.runtime.replay.stepping import step_through

FIRST = "first_steps"
REAL_TIME = "real time"
FORWARDS = "forwards"
REPLAYS = "replays"
REPLAYED = "replayed"
DRIVEN = "raptor_blocks_world"
WAY_GOAL = 1.3
STEPS = 200
TEN = 10
LIVE_S = 10.0
START_NS = 10**18
WAYS = (("in process", True, 60.0), ("over processes", False, 10.0))


def run(rounds: int = 5, seconds: float = 600.0) -> Report:
    report = Report("replay", rounds)
    with tempfile.TemporaryDirectory(prefix="studio-bench-") as folder:
        first_steps(report, Path(folder), seconds)
        identity(report, Path(folder), LIVE_S)
        for example in (*EXAMPLES, CARMEN):
            other_example(report, Path(folder), example)
        way(report, Path(folder), DRIVEN)
    return report


def first_steps(report: Report, folder: Path, seconds: float) -> None:
    """How fast, and 200 events there and back."""
    log = record_twin(folder / "run.mcap", seconds)
    for what, in_process, goal in WAYS:
        speeds = sorted(replay(FIRST, log, in_process)[0] for _ in range(report.rounds))
        medians = {OURS: speeds[len(speeds) // 2], REAL_TIME: 1.0}
        report.add(f"{FIRST}, {what}", "s/s", medians, against=REAL_TIME, goal=goal, better="higher")
        back_and_forth = [there_and_back(log, in_process) for _ in range(report.rounds)]
        forwards, back = (sorted(times[index] for times in back_and_forth)[report.rounds // 2] for index in (0, 1))
        took = {OURS: back, FORWARDS: forwards}
        report.add(f"{STEPS} events back, {what}", "ms", took, against=FORWARDS)
        same = sum(times[2] for times in back_and_forth)
        report.add(f"{STEPS} events there and back, {what}: the state of the start", "times",
                   {OURS: same, REPLAYS: len(back_and_forth)}, against=REPLAYS, goal=1.0, better="higher")  # fmt: skip


def identity(report: Report, folder: Path, seconds: float) -> None:
    """Of a run in real time, with the recorder."""
    log = record_run(FIRST, seconds, folder / "live.mcap")
    all_outs: list[Path] = []
    for what, in_process, _ in WAYS:
        outs = [folder / f"live {what} {number}.mcap" for number in range(TEN)]
        for out in outs:
            replay(FIRST, log, in_process, out)
        add_identity(report, f"a recorded run of {FIRST}, {what}: the same bytes", outs)
        all_outs += outs
    add_identity(report, f"a recorded run of {FIRST}, both ways: the same bytes", all_outs)


def other_example(report: Report, folder: Path, example: Example) -> None:
    log = record_example(example, folder / f"{example.project}.mcap")
    if log is None:
        report.missing("the Intel log", f"for {example.project}: put intel-corrected.log.gz into ../shared/data/carmen")
        return
    outs = []
    for what, in_process, _ in WAYS:
        outs.append(folder / f"{example.project} {what}.mcap")
        if in_process:
            replay(example.project, log, in_process)  # what is compiled when it is first used is here now
        speed, _ = replay(example.project, log, in_process, outs[-1])
        medians = {OURS: speed, REAL_TIME: 1.0}
        report.add(f"{example.project}, {what}, recorded", "s/s", medians, against=REAL_TIME, better="higher")
    add_identity(report, f"{example.project}, both ways: the same bytes", outs)
    for path in (*outs, log):
        path.unlink()


def way(report: Report, folder: Path, project: str, seconds: float = 10.0) -> None:
    """Seeking to the end of a log in a running system, checkpoints and all."""
    log = record_run(project, seconds, folder / "way.mcap", "--gate", "lockstep")
    with redirect_stdout(sys.stderr):
        contenders = {OURS: lambda: sought_s(project, log), REPLAYED: lambda: replayed_s(project, log)}
        medians = interleave(contenders, report.rounds)
    report.add(f"{project}, a way through {seconds:g} s of log", "s", medians, against=REPLAYED, goal=WAY_GOAL)


def add_identity(report: Report, what: str, logs: Iterable[Path]) -> None:
    """How many of them are as most of them are."""
    contents = Counter(map(digest, logs))
    counts = {OURS: float(max(contents.values())), REPLAYS: float(contents.total())}
    report.add(what, "replays", counts, against=REPLAYS, goal=1.0, better="higher")


def digest(log: Path) -> bytes:
    with log.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def record_twin(path: Path, seconds: float) -> Path:
    """A run of first_steps in lockstep: ten minutes of it without ten minutes' wait."""
    opened = open_project(PROJECTS / FIRST)
    plan = plan_of(opened.system, opened.registry, project=opened.folder)
    with EventLog(path, plan, opened.types) as log:
        twin = InProcess(plan, create, start_ns=START_NS, tap=log.take)
        twin.start()
        twin.lockstep(until_ns=START_NS + round(seconds * 1e9))
        twin.stop()
    return path


def replay(project: str, log: Path, in_process: bool, out: Path | None = None) -> tuple[float, int]:
    """How many times as fast as the run, and how many events."""
    opened = open_project(PROJECTS / project)
    began = time.perf_counter()
    with redirect_stdout(sys.stderr):  # what components print does not belong into the report
        result = replay_lockstep(
            opened.project, log, specs=opened.registry, types=opened.types, in_process=in_process, record=out
        )
    took_s = time.perf_counter() - began
    if result.failures:
        raise RuntimeError(f"the replay of {project} failed: {result.failures}")
    return result.system_s / took_s, result.delivered


def there_and_back(log: Path, in_process: bool) -> tuple[float, float, bool]:
    """Milliseconds for STEPS events forwards and for as many back, and whether that is the state of the start."""
    opened = open_project(PROJECTS / FIRST)
    with step_through(
        opened.project, log, specs=opened.registry, types=opened.types, in_process=in_process
    ) as stepping:
        stepper = stepping.stepper
        start = stepper.digest()
        moments = [time.perf_counter()]
        stepper.forward(STEPS)
        moments.append(time.perf_counter())
        stepper.back(STEPS)
        moments.append(time.perf_counter())
        return (moments[1] - moments[0]) * 1e3, (moments[2] - moments[1]) * 1e3, stepper.digest() == start
