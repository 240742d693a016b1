"""How long the handlers of each component take: from pages of the handled trace, not within the executor."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from studio.messages import HandledTrace

KEPT = 200
"""Events that the median is of: as few as follow a change soon, as many as do not jump."""
DIGITS = 2
"""Of what is told: more would only flicker."""


class HandlerTimes:
    def __init__(self) -> None:
        self._took_ns: dict[str, NDArray[np.int64]] = {}

    def add(self, trace: HandledTrace) -> None:
        took_ns = trace.end_ns - trace.start_ns
        for index in np.unique(trace.component).tolist():
            name = trace.names[index]
            newest = took_ns[trace.component == index][-KEPT:]
            known = self._took_ns.get(name)
            self._took_ns[name] = newest if known is None else np.concatenate([known, newest])[-KEPT:]

    def p50_us(self, component: str) -> float | None:
        """None before it has handled anything."""
        took_ns = self._took_ns.get(component)
        if took_ns is None:
            return None
        return float(f"{float(np.median(took_ns)) / 1000:.{DIGITS}g}")
