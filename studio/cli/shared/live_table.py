"""The components of a running system as a table. Few imports: `studio ctl` shows it, too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from studio.cli.shared.columns import columns
from studio.runtime.base.refusals import refusal_words

HEADS = ("component", "state", "rate Hz", "CPU %", "memory MB", "drops", "restarts")


def live_table(snapshot: dict[str, Any], *, hosts: bool = False) -> Iterator[str]:
    """Components as they are now, and what else needs attention; `hosts`: with the processes they are in."""
    rows = (
        (name, each["state"], *([each["host"]] if hosts else []), *map(number, (each[key] for key in _KEYS)))
        for name, each in snapshot.get("components", {}).items()
    )
    yield from table((*HEADS[:2], "host", *HEADS[2:]) if hosts else HEADS, rows, texts=3 if hosts else 2)
    if snapshot.get("by_hand"):
        yield f"  by hand, so that what follows counts as simulated: {', '.join(snapshot['by_hand'])}"
    for name, told in snapshot.get("components", {}).items():
        if told.get("behind_s"):
            yield f"  {name} cannot keep up: it handles events that are {told['behind_s']:.0f} s old"
    for sender, told in snapshot.get("malformed", {}).items():
        yield f"  {refusal_words(sender, told)}"
    broker = snapshot.get("processes", {}).get("broker", {})
    if broker.get("restarts") or broker.get("condition") not in (None, "running"):
        yield f"  the broker is {broker['condition']}, restarts: {broker['restarts']}"


_KEYS = ("rate_hz", "cpu_percent", "rss_mb", "drops", "restarts")


def number(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}" if value % 1 else f"{value:.0f}"


def table(heads: Sequence[str], rows: Iterator[tuple[str, ...]], texts: int = 2) -> Iterator[str]:
    """Words (the first `texts` columns) to the left, numbers to the right, under their heads; nothing without rows."""
    lines = [tuple(heads), *rows]
    if len(lines) == 1:
        return
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    yield ""
    yield from columns(
        [[cell if i < texts else cell.rjust(widths[i]) for i, cell in enumerate(line)] for line in lines]
    )
