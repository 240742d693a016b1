"""The part of `studio info` that tells how long it takes from sensors to a topic, on each path."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from studio.cli.shared.columns import columns
from studio.cli.shared.outcome import UsageError
from studio.model.close_matches import did_you_mean
from studio.runtime.causality.paths import Latencies, LatencyBook
from studio.runtime.causality.trace import trace_of
from studio.runtime.recording import LogReader


def found(path: Path, topic: str) -> list[Latencies]:
    """Every path of the log to a topic, the slowest first."""
    wanted = topic if topic.startswith("/") else f"/{topic}"
    with LogReader(path) as log:
        if wanted not in log.topics:
            raise UsageError(f"{path.name} has no topic {wanted}", hint=did_you_mean(wanted, log.topics))
        book = LatencyBook(trace_of(log), wanted)
    book.update()
    return book.all()


def latency_json(paths: list[Latencies]) -> dict[str, Any]:
    return {
        "paths": [
            {
                "topics": list(path.topics),
                "count": len(path.times_ns),
                "p50_ms": path.quantile_ms(0.5),
                "p99_ms": path.quantile_ms(0.99),
                "most_ms": path.quantile_ms(1.0),
            }
            for path in paths
        ]
    }


def latency_text(paths: list[Latencies]) -> Iterator[str]:
    if not paths:
        yield "no path is known: no handler published it, or the log has no trace"
        return
    rows: list[tuple[str, ...]] = [("path", "times", "p50", "p99", "most")]
    for path in paths:
        times = (f"{path.quantile_ms(share):.1f} ms" for share in (0.5, 0.99, 1.0))
        rows.append((path.words, str(len(path.times_ns)), *times))
    yield from columns(rows)
