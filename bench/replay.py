"""Lockstep replay of a log of first_steps, against the time that the run itself would take.

The whole replay is timed, with the start of the processes. The recorded ones have to come out as the same bytes.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from bench.harness import OURS, Report
from studio.messages import MessageTypes
from studio.model.project import Project
from studio.model.registry import Registry
from studio.paths import component_roots
from studio.runtime.channel.in_process import InProcess
from studio.runtime.host import create
from studio.runtime.planning import plan_of
from studio.runtime.replay.event_log import EventLog
from studio.runtime.replay.lockstep import replay_lockstep
from studio.runtime.replay.stepping import step_through

PROJECT = Path(__file__).resolve().parent.parent / "projects" / "first_steps"
REAL_TIME = "real time"
FORWARDS = "forwards"
STEPS = 200
START_NS = 10**18


def run(rounds: int = 5, seconds: float = 600.0) -> Report:
    report = Report("replay", rounds)
    with tempfile.TemporaryDirectory(prefix="studio-bench-") as folder:
        log = record(Path(folder) / "run.mcap", seconds)
        for what, in_process, goal in (("in process", True, 60.0), ("over processes", False, 10.0)):
            outs = [Path(folder) / f"{in_process}{number}.mcap" for number in range(rounds)]
            speeds = sorted(seconds / replay(log, in_process, None) for _ in outs)
            medians = {OURS: speeds[len(speeds) // 2], REAL_TIME: 1.0}
            report.add(f"first_steps, {what}", "s/s", medians, against=REAL_TIME, goal=goal, better="higher")
            if in_process:
                recorded = sorted(seconds / replay(log, in_process, out) for out in outs)
                same = len({out.read_bytes() for out in outs}) == 1
                medians = {OURS: recorded[len(recorded) // 2], REAL_TIME: 1.0}
                report.add(f"the same, recorded, {'identical' if same else 'NOT identical'}", "s/s", medians,
                           against=REAL_TIME, better="higher")  # fmt: skip
            rounds_back = [there_and_back(log, in_process) for _ in range(rounds)]
            forwards, back = (sorted(times[index] for times in rounds_back)[rounds // 2] for index in (0, 1))
            state = "the same state" if all(times[2] for times in rounds_back) else "NOT the same state"
            report.add(
                f"{STEPS} events back, {what}, {state}", "ms", {OURS: back, FORWARDS: forwards}, against=FORWARDS
            )
    return report


def record(path: Path, seconds: float) -> Path:
    """A run of first_steps in lockstep."""
    project, registry, types = _opened()
    plan = plan_of(project.system, registry, project=project.folder)
    with EventLog(path, plan, types) as log:
        twin = InProcess(plan, create, start_ns=START_NS, tap=log.take)
        twin.start()
        twin.lockstep(until_ns=START_NS + round(seconds * 1e9))
        twin.stop()
    return path


def replay(log: Path, in_process: bool, out: Path | None) -> float:
    """Seconds that it took."""
    project, registry, types = _opened()
    began = time.perf_counter()
    replay_lockstep(project, log, specs=registry, types=types, in_process=in_process, record=out)
    return time.perf_counter() - began


def there_and_back(log: Path, in_process: bool) -> tuple[float, float, bool]:
    """Milliseconds for STEPS events forwards and for as many back, and whether that is the state of the start."""
    project, registry, types = _opened()
    with step_through(project, log, specs=registry, types=types, in_process=in_process) as opened:
        stepper = opened.stepper
        start = stepper.digest()
        moments = [time.perf_counter()]
        stepper.forward(STEPS)
        moments.append(time.perf_counter())
        stepper.back(STEPS)
        moments.append(time.perf_counter())
        return (moments[1] - moments[0]) * 1e3, (moments[2] - moments[1]) * 1e3, stepper.digest() == start


def _opened() -> tuple[Project, Registry, MessageTypes]:
    return Project.open(PROJECT), Registry.scan(component_roots(PROJECT)), MessageTypes.builtin()
