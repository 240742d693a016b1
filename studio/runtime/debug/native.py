"""Programs in other languages under a debugger: whatever holds the process (gdb, lldb, VS Code), the system freezes.

The kernel tells that a process is stopped by a tracer or a signal: no debugger has to be asked for it. A gdb that was
started by our command also tells where (in_gdb.py).
"""

from __future__ import annotations

import json
import re
import shutil
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from studio.runtime.debug.freeze import Freeze

LOOK_EVERY_S = 0.02
LOOKS_TO_BELIEVE = 3
"""A debugger stops a process for moments that nobody means: for the condition of a breakpoint, or within a step."""
STOPPED = {"t", "T"}
IN_GDB = Path(__file__).with_name("in_gdb.py")
PTRACE_SCOPE = Path("/proc/sys/kernel/yama/ptrace_scope")
CAP_SYS_PTRACE = 1 << 19


def gdb_command(pid: int) -> list[str]:
    """Attaches in a terminal; asks nothing, and tells the runtime where the program stands.

    The program is the one that runs: on the disk there may be a newer one meanwhile.
    """
    settings = ["-iex", "set confirm off", "-iex", "set pagination off"]
    return ["gdb", "--quiet", *settings, "-ix", str(IN_GDB), "-p", str(pid), f"/proc/{pid}/exe"]


@dataclass(frozen=True)
class Obstacle:
    """Why gdb cannot be used here, and the command that changes it; empty if it can."""

    words: str = ""
    remedy: str = ""

    def __str__(self) -> str:
        return f"{self.words}: {self.remedy}" if self.remedy else self.words


def gdb_obstacle(scope: Path = PTRACE_SCOPE) -> Obstacle:
    if shutil.which("gdb") is None:
        return Obstacle("gdb is not installed", "sudo apt install gdb")
    try:
        level = int(scope.read_text())
    except (OSError, ValueError):  # a kernel without this rule
        return Obstacle()
    if level >= 3:
        return Obstacle("This kernel lets no debugger attach (kernel.yama.ptrace_scope is 3) until it is restarted")
    if level > 0 and not _may_trace_all():
        words = "This kernel lets a debugger attach to its own children only, unless you change that"
        return Obstacle(words, "sudo sysctl kernel.yama.ptrace_scope=0")
    return Obstacle()


def _may_trace_all() -> bool:
    with suppress(OSError, ValueError, IndexError):
        status = Path("/proc/self/status").read_text()
        return bool(int(status.partition("CapEff:")[2].split()[0], 16) & CAP_SYS_PTRACE)
    return False


class NativeWatch:
    """Looks at one process, which may be restarted meanwhile."""

    def __init__(self, host: str, pid_of: Callable[[str], int | None], freeze: Freeze, run: Path) -> None:
        self._host, self._pid_of, self._freeze = host, pid_of, freeze
        self._told_file = run / f"gdb.{host}.json"
        self._ended = threading.Event()
        self.stop: dict[str, Any] | None = None
        """Where it stands, as the snapshot shows it; None while it does not."""
        self._differs = 0
        """How often it was seen otherwise than `stop` says."""
        self._thread = threading.Thread(target=self._watch, name="native watch", daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while not self._ended.wait(LOOK_EVERY_S):
            pid = self._pid_of(self._host)
            held = is_stopped(pid)
            told = self._told(pid) if held else None
            self._differs = self._differs + 1 if held != (self.stop is not None) else 0
            believed = self._differs >= LOOKS_TO_BELIEVE
            if told is not None:
                if told != self.stop:
                    self._stands(told)
            elif held and believed:
                self._stands({"reason": "pause", "text": "", "file": "", "line": 0, "function": "", "caller": ""})
            elif not held and believed:
                self.stop = None
                self._freeze.thaw(self._host, by_person=is_traced(pid))  # gdb that has left continues nobody

    def _told(self, pid: int | None) -> dict[str, Any] | None:
        """What gdb says; nothing of a process that was there before."""
        try:
            told = json.loads(self._told_file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return {**told, "component": self._host} if told.pop("pid", None) == pid else None

    def _stands(self, stop: dict[str, Any]) -> None:
        self.stop = {"component": self._host, **stop}
        self._freeze.freeze(
            why=stop["reason"],
            host=self._host,
            component=self._host,
            file=stop["file"],
            line=stop["line"],
            text=stop["text"] or in_words(self._host, stop),
        )

    def facts(self) -> dict[str, Any]:
        return {"pid": self._pid_of(self._host), "clients": 0, "stopped": self.stop}

    def close(self) -> None:
        self._ended.set()
        if threading.current_thread() is not self._thread:
            self._thread.join()
        with suppress(OSError):
            self._told_file.unlink()


def in_words(name: str, stop: dict[str, Any]) -> str:
    if not stop["function"]:
        return f"a debugger holds {name}"
    return f"{name} is stopped in {stop['function']}" + (f", called by {stop['caller']}" if stop["caller"] else "")


def is_traced(pid: int | None) -> bool:
    """Whether a debugger is attached to the process."""
    try:
        text = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
    return not re.search(r"^TracerPid:\s*0$", text, re.MULTILINE)


def is_stopped(pid: int | None) -> bool:
    """Whether a tracer or a signal holds the process."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return text.rpartition(")")[2].split()[0] in STOPPED
