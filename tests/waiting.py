"""Waiting for what other processes and threads do."""

from __future__ import annotations

import time
from collections.abc import Callable


def await_true(condition: Callable[[], object], what: str, seconds: float = 30.0) -> None:
    """Patient by default: a machine that has much to do is no defect of what is tested."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"waited {seconds:g} s for {what}"
        time.sleep(0.005)
