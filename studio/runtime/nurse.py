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
from collections.abc import Sequence
from contextlib import suppress

from studio.runtime.clock import SECOND_NS, monotonic_ns
from studio.runtime.nursery import LENGTH, Birth

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


class Nurse:
    """One for a process, whatever runs it starts; the nursery is started when the first child is wanted."""

    def __init__(self) -> None:
        self._forget()
        os.register_at_fork(after_in_child=self._forget)

    def _forget(self) -> None:
        """Whoever is forked from this process is not the parent of this nursery."""
        self._lock = threading.Lock()
        self._nursery: subprocess.Popen[bytes] | None = None
        self._line: socket.socket | None = None
        self._started_with: dict[str, str] = {}

    def prepare(self) -> None:
        """Start the nursery beside what is to be done before the first child is wanted."""
        with self._lock:
            self._open()

    def bear(
        self, module: str, arguments: Sequence[str], *, title: str, environment: dict[str, str], outputs: Sequence[int]
    ) -> Child | None:
        """A process that runs `main()` of `module`; None where that cannot be: then it has to be started plainly."""
        if not sys.platform.startswith("linux"):
            return None
        paths = [path for path in sys.path if path]
        birth = Birth(module, list(arguments), title, environment, paths, os.getcwd())
        with self._lock:
            line = self._open()
            _adopt_orphans(True)
            try:
                request = birth.pack()
                sent = socket.send_fds(line, [request], outputs)
                line.sendall(request[sent:])
                answer = line.recv(LENGTH.size)
            except OSError:
                answer = b""
            finally:
                _adopt_orphans(False)
            if len(answer) < LENGTH.size:
                self.close()
                return None
        pid = LENGTH.unpack(answer)[0]
        return Child(pid) if pid else None

    def _open(self) -> socket.socket:
        wanted = {name: value for name, value in os.environ.items() if name.startswith(READ_AT_START)}
        alive = self._nursery is not None and self._nursery.poll() is None
        if self._line is not None and alive and wanted == self._started_with:
            return self._line
        self.close()
        self._line, theirs = socket.socketpair()
        self._line.settimeout(PATIENCE_S)
        with theirs:
            self._nursery = subprocess.Popen(
                [sys.executable, "-m", "studio.runtime.nursery", str(theirs.fileno())],
                env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
                stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()], start_new_session=True,
            )  # fmt: skip
        self._started_with = wanted
        return self._line

    def close(self) -> None:
        """End the nursery; those who were born live on."""
        if self._line is not None:
            self._line.close()
        if self._nursery is not None:
            self._nursery.kill()
            self._nursery.wait()
        self._line = self._nursery = None


def _adopt_orphans(do: bool) -> None:
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, int(do), 0, 0, 0)


nurse = Nurse()
"""Of this process."""
