"""The runtime's side of the nursery: asks for processes, and adopts them."""

from __future__ import annotations

import ctypes
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import NamedTuple

from studio.runtime.clock import SECOND_NS, monotonic_ns
from studio.runtime.nursery import LENGTH, WARMERS, Birth

PATIENCE_S = 20.0
"""For an answer: it may have to import everything first, on a machine that has much to do."""
READ_AT_START = ("PYTHON", "LD_", "LC_", "LANG", "OPENBLAS_", "OMP_", "MKL_", "NUMBA_", "MALLOC_", "TZ")
"""How variables begin that Python and its libraries look at once: with others, another nursery is needed."""
_PR_SET_CHILD_SUBREAPER = 36


class Child:
    """A process that was adopted; what subprocess.Popen is for one that was started."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._lock = threading.Lock()

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


class _Nursery(NamedTuple):
    process: subprocess.Popen[bytes] | Child
    line: socket.socket

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def bear(self, birth: Birth, streams: Sequence[int]) -> Child | None:
        """None if it does not answer, or if the system has no room for another process."""
        request = birth.pack()
        _adopt_orphans(True)
        try:
            sent = socket.send_fds(self.line, [request], streams)
            self.line.sendall(request[sent:])
            answer = self.line.recv(LENGTH.size)
        except OSError:
            return None
        finally:
            _adopt_orphans(False)
        pid = LENGTH.unpack(answer)[0] if len(answer) == LENGTH.size else 0
        return Child(pid) if pid else None

    def close(self) -> None:
        self.line.close()
        self.process.kill()
        self.process.wait()


class Nurse:
    """One for a process, whatever runs it starts. A nursery is started when its first child is wanted; there is one for
    every set of libraries, so that who needs none of them does not carry them along."""

    def __init__(self) -> None:
        self._forget()
        os.register_at_fork(after_in_child=self._forget)

    def _forget(self) -> None:
        """Whoever is forked from this process is not the parent of these nurseries."""
        self._lock = threading.Lock()
        self._nurseries: dict[tuple[str, ...], _Nursery] = {}
        self._started_with: dict[str, str] = {}

    def prepare(self) -> None:
        """Start the nursery beside what is to be done before the first child is wanted."""
        if sys.platform.startswith("linux"):
            with self._lock:
                self._nursery(())

    def bear(
        self,
        module: str,
        arguments: Sequence[str],
        *,
        title: str,
        environment: dict[str, str],
        outputs: Sequence[int],
        libraries: Iterable[str] = (),
    ) -> Child | None:
        """A process that runs `main()` of `module`; None where that cannot be: then it has to be started plainly."""
        if not sys.platform.startswith("linux"):
            return None
        wanted = tuple(sorted(set(libraries) & set(WARMERS)))
        birth = Birth(module, list(arguments), title, environment, _paths(), os.getcwd())
        with self._lock, open(os.devnull, "rb") as nothing:
            nursery = self._nursery(wanted)
            child = nursery.bear(birth, [nothing.fileno(), *outputs]) if nursery else None
            if child is None and nursery is not None:
                self._nurseries.pop(wanted).close()
        return child

    def _nursery(self, libraries: tuple[str, ...]) -> _Nursery | None:
        started_with = {name: value for name, value in os.environ.items() if name.startswith(READ_AT_START)}
        if started_with != self._started_with:
            self._close_all()
            self._started_with = started_with
        found = self._nurseries.get(libraries)
        if found is not None:
            if found.alive:
                return found
            self._nurseries.pop(libraries).close()
        ours, theirs = socket.socketpair()
        ours.settimeout(PATIENCE_S)
        with theirs:
            process = self._forked(libraries, theirs) if libraries else _started(theirs)
        if process is None:
            ours.close()
            return None
        self._nurseries[libraries] = made = _Nursery(process, ours)
        return made

    def _forked(self, libraries: tuple[str, ...], line: socket.socket) -> Child | None:
        """One with more libraries is itself born in the one without."""
        plain = self._nursery(())
        environment = dict(os.environ)
        birth = Birth("studio.runtime.nursery", list(libraries), "studio nursery", environment, _paths(), os.getcwd())
        return plain.bear(birth, [line.fileno(), 1, 2]) if plain else None

    def close(self) -> None:
        """End the nurseries; those who were born live on."""
        with self._lock:
            self._close_all()

    def _close_all(self) -> None:
        while self._nurseries:
            self._nurseries.popitem()[1].close()


def _started(line: socket.socket) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(_paths())}
    words = [sys.executable, "-m", "studio.runtime.nursery"]
    return subprocess.Popen(words, env=environment, stdin=line.fileno(), start_new_session=True)


def _paths() -> list[str]:
    return [path for path in sys.path if path]


def _adopt_orphans(do: bool) -> None:
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, int(do), 0, 0, 0)


nurse = Nurse()
"""Of this process."""
