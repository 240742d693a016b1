"""Runs within gdb (`gdb -ix in_gdb.py -p PID`): tells the runtime where a program of its system stands.

The kernel tells the runtime that the process is held. Only gdb knows in which function and line, and why: that goes
into a file of the run's folder, which is found through the environment of the process. gdb brings its own Python.
"""

from __future__ import annotations

import json
import os
import signal
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import gdb  # type: ignore[import-untyped]

LOOK_EVERY_S = 0.3
MOST_FRAMES = 64
"""Looked at for one whose source is there."""
ASKED_FOR = ("SIGINT", "SIGSTOP", "SIGTRAP", "0")
"""Somebody stopped it; any other signal is a fault of the program."""

_was_there: set[int] = set()
"""Processes that have been stopped before: the first time gdb attaches, later it steps."""


def stop_file(pid: int) -> Path | None:
    """None of a process that is not Studio's."""
    try:
        words = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return None
    environment = dict(word.partition(b"=")[::2] for word in words)
    run, host = (environment.get(name, b"").decode(errors="replace") for name in (b"STUDIO_RUN", b"STUDIO_HOST"))
    return Path(run, f"gdb.{host}.json") if run and host else None


def stopped(event: Any) -> None:
    pid = gdb.selected_inferior().pid
    file = stop_file(pid)
    if file is None:
        return
    reason, text = why(event)
    _was_there.add(pid)
    told = {"pid": pid, "reason": reason, "text": text, **place()}
    half = file.with_suffix(".new")
    with suppress(OSError):  # a run that is over has no folder any more
        half.write_text(json.dumps(told), encoding="utf-8")
        os.replace(half, file)


def why(event: Any) -> tuple[str, str]:
    if isinstance(event, gdb.BreakpointEvent):
        return "breakpoint", ""
    if isinstance(event, gdb.SignalEvent):
        name = str(event.stop_signal)
        return ("pause", "") if name in ASKED_FOR else ("exception", name)
    return ("step" if gdb.selected_inferior().pid in _was_there else "pause"), ""


def place() -> dict[str, Any]:
    """The function that stands, and the nearest line whose source is on this computer: its own, or of a caller."""
    top = frame = gdb.newest_frame()
    told = {"function": name_of(top), "file": "", "line": 0, "caller": ""}
    for _ in range(MOST_FRAMES):
        if frame is None:
            break
        source = frame.find_sal()
        file = source.symtab.fullname() if source.symtab is not None else ""
        if file and os.path.isfile(file):
            caller = name_of(frame) if frame != top else ""
            return {**told, "file": file, "line": int(source.line), "caller": caller}
        frame = frame.older()
    return told


def name_of(frame: Any) -> str:
    return str(frame.name() or "")


def goes_on(_: Any) -> None:
    """The old place is not true any more, before the process has moved from it."""
    file = stop_file(gdb.selected_inferior().pid)
    if file is not None:
        with suppress(OSError):
            file.unlink()


def let_go_of_the_dead() -> None:
    """Who was killed while gdb held it stays a zombie until gdb looks, and cannot be started again before that."""
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())  # they are gdb's own
    while not threading.Event().wait(LOOK_EVERY_S):
        for pid in [pid for pid in list(_was_there) if is_dead(pid)]:
            _was_there.discard(pid)
            gdb.post_event(lambda pid=pid: bury(pid))


def is_dead(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return False


def bury(pid: int) -> None:
    if gdb.selected_inferior().pid == pid:
        print(f"process {pid} was killed")
        gdb.execute("kill")


class Unbreak(gdb.Command):  # type: ignore[misc]
    """Delete the breakpoints that were set with this location: unbreak LOCATION.

    `clear` does not find one that was set at a line without code, and has been put to the next.
    """

    def __init__(self) -> None:
        super().__init__("unbreak", gdb.COMMAND_BREAKPOINTS, gdb.COMPLETE_LOCATION)

    def invoke(self, location: str, _: bool) -> None:
        wanted = location.replace('"', "").strip()
        for point in gdb.breakpoints():
            if point.location == wanted:
                point.delete()


Unbreak()
threading.Thread(target=let_go_of_the_dead, daemon=True).start()
with suppress(gdb.error):  # one that cannot fetch sources from the net need not be told; the others would ask first
    gdb.execute("set debuginfod enabled off")
gdb.events.stop.connect(stopped)
gdb.events.cont.connect(goes_on)
