"""One case: a process that runs or feeds the system, and what is said of the log that it leaves."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from studio.messages import MessageTypes
from studio.runtime.base.clock import SECOND_NS, monotonic_ns
from studio.runtime.base.interpreter import module_command, own_environment
from studio.runtime.cases.case import Case
from studio.runtime.cases.judging import Failure, Judged, judge
from studio.runtime.causality.why import why
from studio.runtime.recording import LogReader

LAST_LINES = 12
"""Of what a run that failed has printed."""
LONGEST_CHAIN = 8


@dataclass
class CaseResult:
    case: Case
    seconds: float
    """By the clock on the wall."""
    log: Path
    trouble: str = ""
    """Why it did not run to its end."""
    judged: Judged = field(default_factory=Judged)
    causes: list[str] = field(default_factory=list)
    """Of the event that decided, the first one first."""
    accepted: bool = False

    @property
    def passed(self) -> bool:
        return not self.trouble and not self.judged.failures

    @property
    def failures(self) -> list[str]:
        return [self.trouble] if self.trouble else [str(each) for each in self.judged.failures]


@dataclass(frozen=True)
class CaseRunner:
    """Where cases are run."""

    project: Path
    types: MessageTypes
    folder: Path
    """For their logs."""
    accept: bool = False

    def results(self, cases: Sequence[Case], jobs: int) -> Iterator[CaseResult]:
        """In the order of the cases."""
        pool = ThreadPoolExecutor(max_workers=jobs, thread_name_prefix="case")
        try:
            yield from pool.map(self.run, cases)
        finally:
            pool.shutdown(cancel_futures=True)

    def run(self, case: Case) -> CaseResult:
        begun_ns = monotonic_ns()
        log = self.folder / f"{case.name}.mcap"
        told, trouble = self._run(case, log)
        result = CaseResult(case, 0.0, log, trouble)
        if not trouble:
            if self.accept and case.golden:
                result.trouble, result.accepted = self._accept(case), True
            result.judged = judge(case, log, told.get("outcome", {}), self.types)
            result.causes = list(_causes(log, result.judged.failures))
        result.seconds = (monotonic_ns() - begun_ns) / SECOND_NS
        return result

    def _accept(self, case: Case) -> str:
        """What comes out now is golden from now on: recorded once more, with nothing else in it."""
        case.golden_log.parent.mkdir(exist_ok=True)
        new = case.golden_log.with_suffix(".new.mcap")
        new.unlink(missing_ok=True)
        _, trouble = self._run(case, new, "--topics", *case.golden)
        if trouble:
            new.unlink(missing_ok=True)
        else:
            new.replace(case.golden_log)
        return trouble

    def _run(self, case: Case, log: Path, *more: str) -> tuple[dict[str, Any], str]:
        """What the command told, or why it failed."""
        words = _words(case, self.project, log)
        done = subprocess.run(
            [*module_command("studio", *words), *more], stdin=subprocess.DEVNULL, capture_output=True, text=True,
            env=own_environment(), check=False,
        )  # fmt: skip
        if done.returncode:
            lines = [line for line in done.stderr.splitlines() if line.strip()][-LAST_LINES:]
            return {}, "\n".join(lines) or f"it ended with status {done.returncode}"
        return json.loads(done.stdout), ""


def _words(case: Case, project: Path, log: Path) -> list[str]:
    given = [word for each in case.given for word in ("--set", each)]
    common = ["--seed", str(case.seed), *given, "--record", str(log), "--json"]
    alone = [] if case.over_processes else ["--in-process"]
    if case.log is not None:
        return ["replay", str(project), "--log", str(case.log), "--lockstep", *alone, *common]
    pace = ["--gate", "lockstep", "--rate", "0"] if case.over_processes else []
    return ["run", str(project), "--mode", "simulated", "--for", str(case.for_s), *alone, *pace, *common]


def _causes(log: Path, failures: Sequence[Failure]) -> Iterator[str]:
    place = next((each.place for each in failures if each.place is not None), None)
    if place is None:
        return
    with LogReader(log) as reader:
        chain = why(reader, place.topic, place.sequence).chain[-LONGEST_CHAIN:]
    for link in chain:
        by = f" by {link.component}" if link.component else ""
        yield f"{link.topic}:{link.sequence}{by}"
