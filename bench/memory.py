"""Memory of the window with six panels on the running Raptor: flat over an hour, with `--seconds 3600`.

The peer is the window itself in its first twelfth: after 5 minutes of an hour, when all that is kept for a while (the
history of plots and maps, caches of text and pictures) is there. The processes of the system are told with it.
"""

from __future__ import annotations

from bench.harness import OURS, Report
from bench.viewers_parts.memory import measured

EARLY = "early"
GOAL = 1.1
SHARES = (1 / 12, 1 / 2, 1.0)
"""Of the time: 5, 30 and 60 minutes of an hour."""


def run(rounds: int = 1, *, seconds: float = 360.0) -> Report:
    """Once, however many rounds are wanted: it takes its time."""
    report = Report("memory", rounds)
    told = measured(tuple(seconds / 60 * share for share in SHARES))
    first, *later = told
    for each in later:
        for kind, what in (("rss", "window"), ("own", "its own, without libraries")):
            compared: dict[str, float | None] = {OURS: each["window"][kind], EARLY: first["window"][kind]}
            report.add(f"{what}, after {each['minutes']:.1f} min", "MB", compared, against=EARLY, goal=GOAL)
    for name, early in first["processes"].items():
        last = told[-1]["processes"].get(name)
        compared = {OURS: last["own"] if last else None, EARLY: early["own"]}  # what is shared is counted elsewhere
        if last:
            report.add(f"{name} at the end", "MB", compared, against=EARLY)
    return report
