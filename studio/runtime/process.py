"""Child processes that cannot outlive their parent."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def die_with_parent() -> None:
    """Ask the kernel to kill this process when its parent dies; without it children outlive a killed launcher."""
    if not sys.platform.startswith("linux"):
        return
    parent = os.environ.get("STUDIO_PARENT")
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if parent is not None and os.getppid() != int(parent):
        sys.exit("the process that started this one is gone")
