"""Child processes: they cannot outlive their parent, and are ended as whole groups."""

from __future__ import annotations

import ctypes
import os
import select
import signal
import subprocess
import sys
from collections.abc import Collection, Iterable
from typing import Protocol

from studio.runtime.base.clock import SECOND_NS, monotonic_ns

_PR_SET_PDEATHSIG = 1


class Process(Protocol):
    """A child, started (subprocess.Popen) or adopted (fork_client.Child)."""

    pid: int

    @property
    def returncode(self) -> int | None: ...
    def poll(self) -> int | None: ...
    def wait(self, timeout: float | None = None) -> int: ...
    def send_signal(self, number: int, /) -> None: ...
    def terminate(self) -> None: ...
    def kill(self) -> None: ...


def die_with_parent() -> None:
    """Ask the kernel to kill this process when its parent dies; without it children outlive a killed launcher."""
    if not sys.platform.startswith("linux"):
        return
    parent = os.environ.get("STUDIO_PARENT")
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if parent is not None and os.getppid() != int(parent):
        sys.exit("the process that started this one is gone")


def signal_group(process: Process, number: signal.Signals) -> None:
    """To a process and to all that it started, also when it has ended itself: its children may still be there."""
    try:
        os.killpg(process.pid, number)
    except (ProcessLookupError, PermissionError):
        return


def wait_all(processes: Iterable[Process], patience_s: float) -> None:
    end_ns = monotonic_ns() + int(patience_s * SECOND_NS)
    for process in processes:
        try:
            process.wait(max(0.0, (end_ns - monotonic_ns()) / SECOND_NS))
        except subprocess.TimeoutExpired:
            continue


def end_all(processes: Collection[Process], patience_s: float) -> None:
    """SIGTERM, then SIGKILL, for those who are still there."""
    for stop_signal, within_s in ((signal.SIGTERM, patience_s), (signal.SIGKILL, 5.0)):
        alive = [process for process in processes if process.poll() is None]
        for process in alive:
            signal_group(process, stop_signal)
        wait_all(alive, within_s)


def wait_for_any(processes: Iterable[Process], patience_s: float) -> None:
    """Until one of them ends: a pidfd becomes readable within a millisecond of a kill -9."""
    poller = select.poll()
    descriptors = []
    for process in processes:
        if process.returncode is None:
            try:
                descriptors.append(os.pidfd_open(process.pid))
            except ProcessLookupError:
                continue
            poller.register(descriptors[-1], select.POLLIN)
    try:
        poller.poll(patience_s * 1000)
    finally:
        for descriptor in descriptors:
            os.close(descriptor)
