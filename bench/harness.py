"""What every benchmark shares: contenders interleaved in one run, medians, ratios against a named peer.

The same test drifts two- to threefold between runs on a small machine, but inside one run, with the contenders taking
turns (A B C, C B A, ...), ratios hold. So a goal is always a ratio, also where it is one of a promise in seconds.

    def run(rounds: int = 5) -> Report:
        report = Report("messages", rounds)
        medians = interleave({"ours": lambda: per_call_us(encode), "rosbags": lambda: per_call_us(peer)}, rounds)
        report.add("encode pose", "us", medians, against="rosbags", goal=1.2)
        return report
"""

from __future__ import annotations

import gc
import importlib.util
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

Better = Literal["lower", "higher"]
Contender = Callable[[], float]
OURS = "ours"
PROMISED = "promised"
"""A peer that is a number we have given our word for: then the goal is 1 of it."""
MINIMUM_ROUNDS = 5


@dataclass(frozen=True)
class Row:
    """One comparison. `ratio` is ours ÷ the peer named by `against`; `goal` is the ratio we promise."""

    what: str
    unit: str
    ours: float
    peers: Mapping[str, float | None] = field(default_factory=dict)
    against: str = ""
    goal: float | None = None
    better: Better = "lower"

    @property
    def ratio(self) -> float | None:
        peer = self.peers.get(self.against)
        return self.ours / peer if peer else None

    @property
    def met(self) -> bool | None:
        """Whether the goal is reached; None without a goal or without the peer."""
        if self.ratio is None or self.goal is None:
            return None
        return self.ratio <= self.goal if self.better == "lower" else self.ratio >= self.goal

    def to_json(self) -> dict[str, Any]:
        return {
            "what": self.what,
            "unit": self.unit,
            "ours": self.ours,
            "peers": dict(self.peers),
            "ratio": self.ratio,
            "against": self.against,
            "goal": self.goal,
            "better": self.better,
            "met": self.met,
        }


@dataclass
class Report:
    bench: str
    rounds: int
    rows: list[Row] = field(default_factory=list)
    install: dict[str, str] = field(default_factory=dict)
    """For each peer that is not here, the command that would install it."""

    def add(
        self,
        what: str,
        unit: str,
        medians: Mapping[str, float | None],
        *,
        against: str = "",
        goal: float | None = None,
        better: Better = "lower",
    ) -> Row:
        """A row from the medians of `interleave`: the one named "ours", and the peers."""
        peers = {name: value for name, value in medians.items() if name != OURS}
        row = Row(what, unit, _present(medians[OURS]), peers, against, goal, better)
        self.rows.append(row)
        return row

    def missing(self, peer: str, command: str = "make bench") -> None:
        self.install[peer] = command

    @property
    def met(self) -> bool:
        return all(row.met is not False for row in self.rows)

    def to_json(self) -> dict[str, Any]:
        rows = [row.to_json() for row in self.rows]
        return {"bench": self.bench, "rounds": self.rounds, "rows": rows, "install": self.install}


def interleave(contenders: Mapping[str, Contender | None], rounds: int = MINIMUM_ROUNDS) -> dict[str, float | None]:
    """The median of each contender's results over `rounds`, run in turns, every other round in reverse order.

    A contender that is None (a peer that is not installed) stays None.
    """
    present = {name: contender for name, contender in contenders.items() if contender is not None}
    results: dict[str, list[float]] = {name: [] for name in present}
    for round_number in range(rounds):
        names = list(present)
        for name in names if round_number % 2 == 0 else reversed(names):
            results[name].append(present[name]())
    return {name: statistics.median(results[name]) if name in results else None for name in contenders}


def per_call_us(function: Callable[[], object], *, at_least_ms: float = 5.0) -> float:
    """Mean microseconds per call over a batch that takes `at_least_ms`, with the garbage collector off."""
    function()
    calls, enough_ns = 1, at_least_ms * 1e6
    with no_garbage_collection():
        while True:
            began = time.perf_counter_ns()
            for _ in range(calls):
                function()
            took = time.perf_counter_ns() - began
            if took >= enough_ns:
                return took / calls / 1000
            calls = max(calls * 2, int(calls * enough_ns / max(took, 1)))


@contextmanager
def no_garbage_collection() -> Iterator[None]:
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def table(report: Report) -> str:
    """The report for people: one line per row, numbers aligned, goals judged."""
    peers = list(dict.fromkeys(name for row in report.rows for name in row.peers))
    lines = [["", "unit", OURS, *peers, "ratio", "goal", ""]]
    lines += [_line(row, peers) for row in report.rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    text = [f"{report.bench}: median of {report.rounds} interleaved rounds"]
    text += [_aligned(line, widths) for line in lines]
    text += [f"{peer} is not installed; to get it: {command}" for peer, command in report.install.items()]
    return "\n".join(text)


def _line(row: Row, peers: list[str]) -> list[str]:
    numbers = [_number(row.peers.get(peer)) if peer in row.peers else "" for peer in peers]
    ratio = f"{row.ratio:.2f} of {row.against}" if row.ratio is not None else ""
    sign = "≤" if row.better == "lower" else "≥"
    goal = f"{sign} {row.goal:g}" if row.goal is not None else ""
    verdict = {True: "met", False: "MISSED", None: ""}[row.met]
    return [row.what, row.unit, _number(row.ours), *numbers, ratio, goal, verdict]


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def _aligned(line: list[str], widths: list[int]) -> str:
    first, *rest = (
        cell.ljust(width) if column < 2 else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(line, widths, strict=True))
    )
    return "  ".join([first, *rest]).rstrip()


def _present(value: float | None) -> float:
    if value is None:
        raise ValueError(f'a report needs a contender named "{OURS}"')
    return value
