"""Memory that is freed is kept for what comes next: giving it back costs a page fault for every page of it later."""

from __future__ import annotations

import ctypes
import sys

_TRIM_THRESHOLD, _TOP_PAD, _MMAP_THRESHOLD = -1, -2, -3
"""Of mallopt(3)."""
KEPT_BYTES = 64 << 20
GROWTH_BYTES = 1 << 20
MAPPED_FROM_BYTES = 32 << 20
"""What is larger is mapped, and given back when it is freed; the most that glibc allows."""


def keep_freed_memory() -> None:
    """Once, before the process has much to do. A burst of events fills and empties some megabytes every time."""
    if not sys.platform.startswith("linux"):
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # a C library without it has its own ways
    if mallopt is not None:
        mallopt(_MMAP_THRESHOLD, MAPPED_FROM_BYTES)
        mallopt(_TOP_PAD, GROWTH_BYTES)
        mallopt(_TRIM_THRESHOLD, KEPT_BYTES)
