"""Programs in other languages under a debugger: whatever holds the process (gdb, lldb, VS Code), the system freezes.

The kernel tells that a process is stopped by a tracer or a signal: no debugger has to be asked for it.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from studio.runtime.debug.freeze import Freeze

LOOK_EVERY_S = 0.02
STOPPED = {"t", "T"}


def gdb_command(pid: int, program: str) -> list[str]:
    """Attaches in a terminal; the handshake signals of libraries do not stop it."""
    return ["gdb", "--quiet", "-ex", "set confirm off", "-ex", "set pagination off", "-p", str(pid), program]


def gdb_is_missing() -> str:
    """What to install; empty if gdb is there and may attach."""
    if shutil.which("gdb") is None:
        return "gdb is not installed: sudo apt install gdb"
    scope = Path("/proc/sys/kernel/yama/ptrace_scope")
    try:
        strict = int(scope.read_text()) > 0
    except (OSError, ValueError):
        return ""
    hint = "sudo sysctl kernel.yama.ptrace_scope=0, or run gdb by sudo"
    return f"the kernel lets gdb attach to children only: {hint}" if strict else ""


class NativeWatch:
    """Looks at one process, which may be restarted meanwhile."""

    def __init__(self, host: str, pid_of: Callable[[str], int | None], freeze: Freeze) -> None:
        self._host, self._pid_of, self._freeze = host, pid_of, freeze
        self._ended = threading.Event()
        self.stopped = False
        self._thread = threading.Thread(target=self._watch, name="native watch", daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while not self._ended.wait(LOOK_EVERY_S):
            stopped = is_stopped(self._pid_of(self._host))
            if stopped == self.stopped:
                continue
            self.stopped = stopped
            if stopped:
                text = "a debugger holds the process"
                self._freeze.freeze(why="pause", host=self._host, component=self._host, text=text)
            else:
                self._freeze.thaw(self._host)

    def facts(self) -> dict[str, Any]:
        stop = {"component": self._host, "reason": "pause", "text": "", "file": "", "line": 0, "function": ""}
        return {"pid": self._pid_of(self._host), "clients": 0, "stopped": stop if self.stopped else None}

    def close(self) -> None:
        self._ended.set()
        if threading.current_thread() is not self._thread:
            self._thread.join()


def is_stopped(pid: int | None) -> bool:
    """Whether a tracer or a signal holds the process."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return text.rpartition(")")[2].split()[0] in STOPPED
