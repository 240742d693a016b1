"""The runtime's side of the fork server: asks for processes, and adopts them."""

from __future__ import annotations

import os
import select
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
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

    def is_ready_now(self) -> bool:
        """Without waiting for it."""
        if not self.is_ready and select.select([self.line], [], [], 0)[0]:
            self.is_ready = self._hear() is not None
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


@dataclass
class _HostsOwn:
    """The fork server that has made the components of one host ahead of its next start, or is to make them."""

    birth: Birth
    """Of the host, when it was wanted last."""
    libraries: tuple[str, ...]
    order: str
    fork_server: _ForkServer | None = None
    is_hopeless: bool = False
    """It found nothing to make, or could not."""

    def fits(self, birth: Birth, libraries: tuple[str, ...], order: str) -> bool:
        return (self.birth, self.libraries, self.order) == (birth, libraries, order)


class ForkClient:
    """One for a process, whatever runs it starts. A fork server is started when its first child is wanted; there is one
    for every set of libraries, so that who needs none of them does not carry them along. Each gets a twin, which takes
    its place when it is killed: importing everything again takes seconds on a busy machine."""

    def __init__(self) -> None:
        self._forget()
        os.register_at_fork(after_in_child=self._forget)

    def _forget(self) -> None:
        """Whoever is forked from this process is not the parent of these fork servers."""
        self._lock = threading.Lock()
        self._fork_servers: dict[tuple[str, ...], _ForkServer] = {}
        self._twins: dict[tuple[str, ...], _ForkServer] = {}
        self._hosts_own: dict[tuple[str, str], _HostsOwn] = {}
        """By the title of the host and the run that it is in."""
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
        order: str = "",
    ) -> Child | None:
        """A process that runs `main()` of `module`; None where that cannot be: then it has to be started plainly.

        `order`: the components that a fork server of its own may make ahead of its next start (host/ahead.py).
        """
        if not sys.platform.startswith("linux"):
            return None
        wanted = tuple(sorted(set(libraries) & set(WARMERS)))
        birth = Birth(module, list(arguments), title, environment, _paths(), _folder())
        with self._lock, open(os.devnull, "rb") as nothing:
            streams = [nothing.fileno(), *outputs]
            child = self._born_of_its_own(birth, streams, wanted, order) if order else None
            return child or self._born(wanted, birth, streams)

    def _born(self, libraries: tuple[str, ...], birth: Birth, streams: Sequence[int]) -> Child | None:
        fork_server = self._fork_server(libraries)
        child = fork_server.bear(birth, streams) if fork_server else None
        if fork_server is not None and not fork_server.is_good:
            self._fork_servers.pop(libraries).close()
        return child

    def _born_of_its_own(
        self, birth: Birth, streams: Sequence[int], libraries: tuple[str, ...], order: str
    ) -> Child | None:
        """None if there is no such fork server, or what it has made no longer holds: then another one follows."""
        key = birth.title, birth.environment.get("STUDIO_RUN", "")
        own = self._hosts_own.get(key)
        if own is None or not own.fits(birth, libraries, order):
            if own is not None and own.fork_server is not None:
                own.fork_server.close()
            self._hosts_own[key] = _HostsOwn(birth, libraries, order)
            return None
        if own.fork_server is None or not own.fork_server.is_ready_now():
            return None
        child = own.fork_server.bear(birth, streams)
        if child is None:
            own.fork_server.close()
            own.fork_server = None
        return child

    def _fork_server(self, libraries: tuple[str, ...]) -> _ForkServer | None:
        started_with = {name: value for name, value in os.environ.items() if name.startswith(READ_AT_START)}
        if started_with != self._started_with:
            self._close_all()
            self._started_with = started_with
        for known in (self._fork_servers, self._twins):
            if (found := known.get(libraries)) is not None:
                if found.alive:
                    self._fork_servers[libraries] = known.pop(libraries)
                    return found
                known.pop(libraries).close()
        made = self._begun(_started) if not libraries else self._begun_in((), libraries)
        if made is not None:
            self._fork_servers[libraries] = made
        return made

    def _begun_in(self, within: tuple[str, ...], libraries: tuple[str, ...]) -> _ForkServer | None:
        """One that is itself born in the one with the libraries `within`."""
        words = ["", *libraries]
        return self._begun(lambda line: self._forked(within, words, "studio fork server", _environment(), line))

    def _begun(self, begin: Callable[[socket.socket], subprocess.Popen[bytes] | Child | None]) -> _ForkServer | None:
        ours, theirs = socket.socketpair()
        with theirs:
            process = begin(theirs)
        if process is None:
            ours.close()
            return None
        return _ForkServer(process, ours)

    def _forked(
        self, within: tuple[str, ...], words: list[str], title: str, environment: dict[str, str], line: socket.socket
    ) -> Child | None:
        birth = Birth("studio.runtime.processes.fork_server", words, title, environment, _paths(), _folder())
        with open(os.devnull, "wb") as nothing:
            return self._born(within, birth, [line.fileno(), nothing.fileno(), _errors(nothing.fileno())])

    def renew(self) -> None:
        """Wait for fork servers that were killed, or they would stay zombies until the next child is wanted. Twins take
        their places; a plain one that was of use is started again, so that the next child need not wait for it."""
        with self._lock:
            self._bury_twins()
            dead = [libraries for libraries, fork_server in self._fork_servers.items() if not fork_server.alive]
            was_ready = False
            for libraries in dead:
                fork_server = self._fork_servers[libraries]
                was_ready |= fork_server.is_ready
                if libraries in self._twins:
                    self._fork_server(libraries)
                else:
                    self._fork_servers.pop(libraries).close()
            if was_ready and () not in self._fork_servers:
                self._fork_server(())

    def insure(self) -> None:
        """Against the next death: see to twins, and to what can be made ahead of the next start of a host. Not worth
        its time in a run that lasts a second."""
        with self._lock:
            self._make_twins()
            self._renew_those_of_hosts()

    def _bury_twins(self) -> None:
        for libraries, twin in list(self._twins.items()):
            if not twin.alive:
                self._twins.pop(libraries).close()

    def _make_twins(self) -> None:
        """In themselves: all is imported there."""
        for libraries, fork_server in list(self._fork_servers.items()):
            if libraries not in self._twins and fork_server.is_ready_now():
                twin = self._begun_in(libraries, libraries)
                if twin is not None:
                    self._twins[libraries] = twin

    def _renew_those_of_hosts(self) -> None:
        for own in self._hosts_own.values():
            if own.fork_server is not None and not own.fork_server.alive:
                # One that never was ready will not be the next time either.
                own.is_hopeless = not own.fork_server.is_ready_now()
                own.fork_server.close()
                own.fork_server = None
            ordinary = self._fork_servers.get(own.libraries)
            if own.fork_server is None and not own.is_hopeless and ordinary is not None and ordinary.is_ready_now():
                own.fork_server = self._begun_for(own)

    def _begun_for(self, own: _HostsOwn) -> _ForkServer | None:
        words = [own.order, *own.libraries]
        title = own.birth.title.replace("studio", "studio fork server of", 1)
        environment = own.birth.environment
        return self._begun(lambda line: self._forked(own.libraries, words, title, environment, line))

    def close_own(self) -> None:
        """For a thread that is about to end: fork servers that would be killed with it, and stay zombies, end now."""
        ours = threading.get_ident()
        with self._lock:
            for known in (self._fork_servers, self._twins):
                for libraries, fork_server in list(known.items()):
                    if fork_server.thread == ours:
                        known.pop(libraries).close()
            for key, own in list(self._hosts_own.items()):
                if own.fork_server is not None and own.fork_server.thread == ours:
                    own.fork_server.close()
                    del self._hosts_own[key]

    def bury_strays(self) -> None:
        adoption.bury_strays()

    def close(self) -> None:
        """End the fork servers; those who were born live on."""
        with self._lock:
            self._close_all()

    def _close_all(self) -> None:
        for known in (self._fork_servers, self._twins):
            while known:
                known.popitem()[1].close()
        while self._hosts_own:
            own = self._hosts_own.popitem()[1]
            if own.fork_server is not None:
                own.fork_server.close()


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
