"""Children that others have borne for this process: how it comes by them, and what they are to it."""

from __future__ import annotations

import ctypes
import os
import select
import signal
import subprocess
import threading
from contextlib import suppress
from pathlib import Path

from studio.runtime.base.clock import SECOND_NS, monotonic_ns

_PR_SET_CHILD_SUBREAPER = 36
_PR_GET_CHILD_SUBREAPER = 37

_children: set[int] = set()
"""Process ids of those who have not been waited for yet."""


class Child:
    """A process that was adopted; what subprocess.Popen is for one that was started."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._lock = threading.Lock()
        _children.add(pid)

    def poll(self) -> int | None:
        with self._lock:
            if self.returncode is None:
                try:
                    pid, status = os.waitpid(self.pid, os.WNOHANG)
                except ChildProcessError:  # somebody else has waited for it: nobody knows how it ended
                    self.returncode = 0
                else:
                    if pid:
                        self.returncode = os.waitstatus_to_exitcode(status)
                if self.returncode is not None:
                    _children.discard(self.pid)
            return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        end_ns = None if timeout is None else monotonic_ns() + int(timeout * SECOND_NS)
        while (status := self.poll()) is None:
            left_ms = None if end_ns is None else (end_ns - monotonic_ns()) / 1e6
            if left_ms is not None and left_ms <= 0:
                assert timeout is not None
                raise subprocess.TimeoutExpired(f"process {self.pid}", timeout)
            self._await_end(left_ms)
        return status

    def _await_end(self, patience_ms: float | None) -> None:
        try:
            descriptor = os.pidfd_open(self.pid)
        except ProcessLookupError:
            return
        try:
            poller = select.poll()
            poller.register(descriptor, select.POLLIN)
            poller.poll(patience_ms)
        finally:
            os.close(descriptor)

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class _Adoption:
    """While somebody is in it this process adopts orphans. There is one flag, for all its threads and nurses."""

    def __init__(self) -> None:
        self._reset()
        os.register_at_fork(after_in_child=self._reset)

    def _reset(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._before = False
        self._strays: set[int] = set()

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._before = _adopts_orphans()
                _adopt_orphans(True)
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                _adopt_orphans(self._before)
            self._strays |= _strays()

    def bury_strays(self) -> None:
        """Wait for orphans of others that came to us in such a moment: nobody else will, and they would be zombies."""
        with self._lock:
            self._strays -= _children  # of one who was just being born
            for pid in list(self._strays):
                try:
                    if os.waitpid(pid, os.WNOHANG)[0]:
                        self._strays.discard(pid)
                except ChildProcessError:
                    self._strays.discard(pid)


adoption = _Adoption()


def _strays() -> set[int]:
    """Children of this process that it has not started: they are of a session which is neither ours nor their own."""
    ours, found = os.getsid(0), set()
    for listed in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):  # a thread that has just ended
            found |= {int(word) for word in listed.read_text().split()} - _children
    return {pid for pid in found if _session_of(pid) not in (None, ours, pid)}


def _session_of(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except ProcessLookupError:
        return None


def is_child(pid: int) -> bool:
    try:
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _adopt_orphans(do: bool) -> None:
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, int(do), 0, 0, 0)


def _adopts_orphans() -> bool:
    flag = ctypes.c_int()
    ctypes.CDLL(None, use_errno=True).prctl(_PR_GET_CHILD_SUBREAPER, ctypes.byref(flag), 0, 0, 0)
    return bool(flag.value)
