"""One TCP connection that never blocks: what is sent waits in a buffer, what comes is cut into bodies."""

from __future__ import annotations

import errno
import selectors
import socket
from collections.abc import Callable

from studio.errors import StudioError
from studio.runtime.base.clock import monotonic_ns
from studio.runtime.gazebo.classic.wire import FrameReader

READ_BYTES = 1 << 20
MOST_WAITING = 32 * 1024 * 1024
"""Bytes that a receiver may be behind; then it is let go, and connects again if it lives."""

_BUSY = (errno.EAGAIN, errno.EWOULDBLOCK, errno.EINPROGRESS)


class Connection:
    def __init__(
        self,
        selector: selectors.BaseSelector,
        tcp: socket.socket,
        take: Callable[[bytes], None],
        ended: Callable[[str], None],
        *,
        is_open: bool = True,
    ) -> None:
        """`take` gets each body, `ended` once the reason why there will be no more."""
        self._selector = selector
        self._tcp = tcp
        self._take = take
        self._ended = ended
        self._frames = FrameReader()
        self._waiting = bytearray()
        self._is_open = is_open
        self.is_over = False
        self.heard_ns = 0
        """When something came last, by the machine's time."""
        selector.register(tcp, selectors.EVENT_READ | (0 if is_open else selectors.EVENT_WRITE), self.serve)

    @classmethod
    def to(
        cls,
        selector: selectors.BaseSelector,
        host: str,
        port: int,
        take: Callable[[bytes], None],
        ended: Callable[[str], None],
    ) -> Connection:
        """Begins to connect; `ended` says it if that fails. Raises OSError for an address that is none."""
        address = socket.getaddrinfo(host, port, socket.AF_INET, socket.SOCK_STREAM)[0][4]
        tcp = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        tcp.setblocking(False)
        tcp.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        failed = tcp.connect_ex(address)
        if failed and failed not in _BUSY:
            tcp.close()
            raise OSError(failed, f"{host}:{port} cannot be reached")
        return cls(selector, tcp, take, ended, is_open=False)

    @property
    def own_host(self) -> str:
        return str(self._tcp.getsockname()[0])

    @property
    def own_port(self) -> int:
        return int(self._tcp.getsockname()[1])

    @property
    def is_open(self) -> bool:
        return self._is_open and not self.is_over

    def mute(self) -> None:
        """What comes is read and dropped from now on, and the end is not said."""
        self._take, self._ended = lambda body: None, lambda reason: None
        self.heard_ns = monotonic_ns()

    def send(self, frame: bytes) -> None:
        if self.is_over:
            return
        self._waiting += frame
        if len(self._waiting) > MOST_WAITING:
            self.end("it does not read its data")
        elif self._is_open:
            self._write()

    def serve(self, events: int) -> None:
        if self.is_over:
            return  # It was ended by an event of the same turn.
        if events & selectors.EVENT_WRITE:
            self._open_or_write()
        if events & selectors.EVENT_READ and not self.is_over:
            self._read()

    def end(self, reason: str = "") -> None:
        """Without a reason it was meant, and `ended` is not called."""
        if self.is_over:
            return
        self.is_over = True
        self._selector.unregister(self._tcp)
        self._tcp.close()
        if reason:
            self._ended(reason)

    def _open_or_write(self) -> None:
        failed = self._tcp.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if failed:
            self.end(_words(failed))
            return
        self._is_open = True
        self._write()

    def _write(self) -> None:
        try:
            sent = self._tcp.send(self._waiting) if self._waiting else 0
        except OSError as error:
            if error.errno not in _BUSY:
                self.end(_words(error.errno or 0))
                return
            sent = 0
        del self._waiting[:sent]
        wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if self._waiting else 0)
        self._selector.modify(self._tcp, wanted, self.serve)

    def _read(self) -> None:
        try:
            data = self._tcp.recv(READ_BYTES)
        except OSError as error:
            if error.errno not in _BUSY:
                self.end(_words(error.errno or 0))
            return
        self.heard_ns = monotonic_ns()
        if not data:
            self.end("it closed the connection")
            return
        try:
            for body in self._frames.feed(data):
                self._take(body)
                if self.is_over:
                    return
        except StudioError as bad:  # no frame of Gazebo, or no message of the type that was promised
            self.end(bad.message)


def _words(number: int) -> str:
    known = {
        errno.ECONNREFUSED: "no server listens there",
        errno.ECONNRESET: "it ended without closing the connection",
        errno.EPIPE: "it closed the connection",
        errno.ETIMEDOUT: "it did not answer in time",
        errno.EHOSTUNREACH: "that machine cannot be reached",
        errno.ENETUNREACH: "that network cannot be reached",
    }
    return known.get(number, f"the connection failed (error {number})")
