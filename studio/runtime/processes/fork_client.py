"""The runtime's side of the fork server: asks for processes, and adopts them."""

from __future__ import annotations

import os
import select
import socket
import subprocess
import sys
import threading
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from studio.runtime.base.clock import SECOND_NS, monotonic_ns
from studio.runtime.base.interpreter import module_command, own_environment
from studio.runtime.processes.fork_server import LENGTH, WARMERS, Birth
from studio.runtime.processes.orphan_reaping import Child, adoption, is_child

READY_WITHIN_S = 20.0
"""Of its start: so long it is waited for. Who is wanted later than that is started plainly until it is ready."""
ANSWER_WITHIN_S = 3.0
"""One that stands still holds up the supervision of everybody."""
READ_AT_START = ("PYTHON", "LD_", "LC_", "LANG", "OPENBLAS_", "OMP_", "MKL_", "NUMBA_", "MALLOC_", "TZ")
"""How variables begin that Python and its libraries look at once: with others, another fork server is needed."""


@dataclass
class _ForkServer:
    process: subprocess.Popen[bytes] | Child
    line: socket.socket
    started_ns: int = field(default_factory=monotonic_ns)
    is_ready: bool = False
    is_good: bool = True
    thread: int = field(default_factory=threading.get_ident)
    """Who started it: the kernel ends it with this thread."""

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def bear(self, birth: Birth, streams: Sequence[int]) -> Child | None:
        """None if it is not ready yet; or does not answer, or the system has no room: then it is no good any more."""
        if not self._await_ready():
            return None
        with ExitStack() as stack:
            reading, writing = os.pipe()
            stack.callback(os.close, writing)
            stack.callback(os.close, reading)
            with adoption:
                pid = self._ask(birth, [*streams, reading])
                child = Child(pid) if pid and is_child(pid) else None
            if child is not None:  # without a permit it ends by itself, also if it is born after all
                os.write(writing, b"!")
            self.is_good = child is not None
            return child

    def _await_ready(self) -> bool:
        """It may have to import everything first, on a machine that has much to do."""
        if not self.is_ready:
            left_s = READY_WITHIN_S - (monotonic_ns() - self.started_ns) / SECOND_NS
            poller = select.poll()
            poller.register(self.line, select.POLLIN)
            if poller.poll(max(0.0, left_s) * 1000):
                self.is_ready = self.is_good = self._hear() is not None
        return self.is_ready

    def _hear(self) -> int | None:
        self.line.settimeout(ANSWER_WITHIN_S)
        try:
            answer = self.line.recv(LENGTH.size)
        except OSError:
            return None
        return int(LENGTH.unpack(answer)[0]) if len(answer) == LENGTH.size else None

    def _ask(self, birth: Birth, descriptors: Sequence[int]) -> int:
        """The process id of who was born; 0 if nobody was."""
        request = birth.pack()
        self.line.settimeout(ANSWER_WITHIN_S)
        try:
            sent = socket.send_fds(self.line, [request], descriptors)
            self.line.sendall(request[sent:])
        except OSError:
            return 0
        return self._hear() or 0

    def close(self) -> None:
        self.line.close()
        self.process.kill()
        self.process.wait()


class ForkClient:
    """One for a process, whatever runs it starts. A fork server is started when its first child is wanted; there is one
    for every set of libraries, so that who needs none of them does not carry them along."""

    def __init__(self) -> None:
        self._forget()
        os.register_at_fork(after_in_child=self._forget)

    def _forget(self) -> None:
        """Whoever is forked from this process is not the parent of these fork servers."""
        self._lock = threading.Lock()
        self._fork_servers: dict[tuple[str, ...], _ForkServer] = {}
        self._started_with: dict[str, str] = {}

    def prepare(self) -> None:
        """Start the fork server beside what is to be done before the first child is wanted."""
        if sys.platform.startswith("linux"):
            with self._lock:
                self._fork_server(())

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
        birth = Birth(module, list(arguments), title, environment, _paths(), _folder())
        with self._lock, open(os.devnull, "rb") as nothing:
            fork_server = self._fork_server(wanted)
            child = fork_server.bear(birth, [nothing.fileno(), *outputs]) if fork_server else None
            if fork_server is not None and not fork_server.is_good:
                self._fork_servers.pop(wanted).close()
        return child

    def _fork_server(self, libraries: tuple[str, ...]) -> _ForkServer | None:
        started_with = {name: value for name, value in os.environ.items() if name.startswith(READ_AT_START)}
        if started_with != self._started_with:
            self._close_all()
            self._started_with = started_with
        found = self._fork_servers.get(libraries)
        if found is not None:
            if found.alive:
                return found
            self._closed(libraries)
        ours, theirs = socket.socketpair()
        with theirs:
            process = self._forked(libraries, theirs) if libraries else _started(theirs)
        if process is None:
            ours.close()
            return None
        self._fork_servers[libraries] = made = _ForkServer(process, ours)
        return made

    def _forked(self, libraries: tuple[str, ...], line: socket.socket) -> Child | None:
        """One with more libraries is itself born in the one without."""
        plain = self._fork_server(())
        words = list(libraries)
        birth = Birth(
            "studio.runtime.processes.fork_server", words, "studio fork server", _environment(), _paths(), _folder()
        )
        with open(os.devnull, "wb") as nothing:
            streams = [line.fileno(), nothing.fileno(), _errors(nothing.fileno())]
            return plain.bear(birth, streams) if plain else None

    def renew(self) -> None:
        """Wait for fork servers that were killed, or they would stay zombies until the next child is wanted. A plain
        one that was of use is started again, so that the next child need not wait for it."""
        with self._lock:
            dead = [libraries for libraries, fork_server in self._fork_servers.items() if not fork_server.alive]
            were_ready = [self._closed(libraries).is_ready for libraries in dead]
            if any(were_ready):
                self._fork_server(())

    def _closed(self, libraries: tuple[str, ...]) -> _ForkServer:
        fork_server = self._fork_servers.pop(libraries)
        fork_server.close()
        return fork_server

    def close_own(self) -> None:
        """For a thread that is about to end: fork servers that would be killed with it, and stay zombies, end now."""
        with self._lock:
            for libraries, fork_server in list(self._fork_servers.items()):
                if fork_server.thread == threading.get_ident():
                    self._closed(libraries)

    def bury_strays(self) -> None:
        adoption.bury_strays()

    def close(self) -> None:
        """End the fork servers; those who were born live on."""
        with self._lock:
            self._close_all()

    def _close_all(self) -> None:
        while self._fork_servers:
            self._fork_servers.popitem()[1].close()


def _started(line: socket.socket) -> subprocess.Popen[bytes]:
    words = module_command("studio.runtime.processes.fork_server")
    errors = _errors(subprocess.DEVNULL)
    return subprocess.Popen(
        words, env=_environment(), stdin=line.fileno(), stdout=subprocess.DEVNULL, stderr=errors,
        start_new_session=True,
    )  # fmt: skip


def _errors(otherwise: int) -> int:
    """Where a fork server may complain: a runtime need not have standard streams, but who is born has to."""
    try:
        os.fstat(2)
    except OSError:
        return otherwise
    return 2


def _environment() -> dict[str, str]:
    """Of a fork server."""
    return {**own_environment(), "STUDIO_PARENT": str(os.getpid())}


def _folder() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:
        return ""


def _paths() -> list[str]:
    return [path for path in sys.path if path]


fork_client = ForkClient()
"""Of this process."""
