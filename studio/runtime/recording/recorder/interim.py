"""Keeps what passes the channel while no recorder is there, until the next one has it in its file.

The run's own process listens: from the moment the death is noticed to the moment the new recorder says that it hears
everything. Then it hands over all it has, and forgets it when the recorder has written it. What the dead recorder had
not brought to its file yet, 50 ms, is lost with it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import zmq

from studio.runtime.base.clock import SECOND_NS, monotonic_ns
from studio.runtime.channel.payloads import Leases, PayloadError
from studio.runtime.wire import addresses
from studio.runtime.wire.frames import AGAIN, HEADER_BYTES, SHARED, FrameError, Kind, pack, split, subscription

MOST_KEPT_BYTES = 256 << 20
STUDIO_TOPICS = b"/_studio/"
MACHINERY = frozenset({Kind.MARKER, Kind.BEAT, Kind.HELLO, Kind.READY, Kind.ACK, Kind.SWEEP, Kind.AHEAD})
"""Meant for the recorder that has died, and not for the log."""
HEARD_WITHIN_NS = 2 * SECOND_NS
TAKEN_WITHIN_MS = 10_000
LOOK_EVERY_MS = 20
END, TAKEN = b"", b"taken"
FLAGS_AT, EPOCH_AT, SEQUENCE_AT, STAMP_AT = 2, 4, 8, 16
"""Where these stand in the header of a frame; the stamp follows the sequence."""
_WORD = "/_studio/interim"


def address(run: Path) -> str:
    """Where the next recorder fetches what was kept."""
    return addresses.endpoint(run, "interim")


def identity(frame: bytes) -> bytes:
    """What two copies of a frame have in common: topic, kind, epoch and sequence. Flags and payload differ where one of
    them has its payload in shared memory. What has no number of its own is told apart by its bytes."""
    at = (frame.find(b"\0") & ~7) + 8
    named = frame[: at + FLAGS_AT] + frame[at + EPOCH_AT : at + STAMP_AT]
    return named if any(frame[at + SEQUENCE_AT : at + STAMP_AT]) else frame


class Once:
    """What was handed over comes by the channel as well, for a while: it is written once."""

    def __init__(self) -> None:
        self._known: set[bytes] = set()

    def note(self, frame: bytes) -> None:
        self._known.add(identity(frame))

    def is_new(self, frame: bytes) -> bool:
        return not (self._known and identity(frame) in self._known)

    def forget(self) -> None:
        self._known.clear()

    def __bool__(self) -> bool:
        return bool(self._known)


class Interim:
    """One thread, only while a recorder is missing. `said` is told once when more passes than is kept."""

    def __init__(self, run: Path, shared: Path | None, said: Callable[[int], None]) -> None:
        self._run = run
        self._shared = shared
        self._said = said
        self._leases: Leases | None = None
        self._kept: list[bytes] = []
        self._bytes = 0
        self.dropped = 0
        """Frames that had no room, since a recorder was last there."""
        self._thread: threading.Thread | None = None
        self._begun, self._is_back, self._over = threading.Event(), threading.Event(), threading.Event()

    @property
    def holds(self) -> bool:
        """Whether a recorder that starts now has something to fetch."""
        return self._thread is not None and self._thread.is_alive()

    def begin(self, topics: Iterable[str], index: int) -> None:
        """The recorder with this index has died. Again, before the next one has taken everything: that stays here."""
        self._end_thread()
        self._is_back.clear()
        self._over.clear()
        self._begun.clear()
        wanted = [*map(subscription, topics), STUDIO_TOPICS]
        self._thread = threading.Thread(target=self._keep, args=(wanted, index), name="interim recorder", daemon=True)
        self._thread.start()
        self._begun.wait(1.0)

    def hand_over(self) -> None:
        """The new recorder hears everything from here on."""
        self._is_back.set()

    def forget(self) -> None:
        """Nobody will fetch it any more."""
        self._end_thread()
        self._kept, self._bytes, self.dropped = [], 0, 0

    def _end_thread(self) -> None:
        if self._thread is not None:
            self._over.set()
            self._thread.join()
            self._thread = None

    # The thread.

    def _keep(self, wanted: list[bytes], index: int) -> None:
        # In the place of the recorder, so that producers wait until shared payloads are copied; the next recorder takes
        # that place when it starts, and waits for the same ones.
        self._leases = Leases.offered(self._shared, index)
        # A context of its own, gone with the thread: a run has as many descriptors after a restart as before.
        with zmq.Context() as context, _Sockets(context, self._run, wanted) as (heard, words, taker):
            self._begun.set()
            while not self._is_back.is_set():
                if self._over.is_set():
                    return
                if heard.poll(LOOK_EVERY_MS):
                    self._take(heard)
            self._catch_up(heard, words)
            self._give(taker)

    def _catch_up(self, heard: zmq.Socket[bytes], words: zmq.Socket[bytes]) -> None:
        """All that the broker has passed on before the recorder was ready: a word of ours comes behind it."""
        words.send(pack(_WORD, Kind.LOG, 1))
        end_ns = monotonic_ns() + HEARD_WITHIN_NS
        while not self._over.is_set() and monotonic_ns() < end_ns:
            if heard.poll(LOOK_EVERY_MS) and self._take(heard):
                return

    def _take(self, heard: zmq.Socket[bytes]) -> bool:
        """Everything that has come; True if our own word was among it."""
        found = False
        with suppress(zmq.Again):
            while True:
                frame = heard.recv(zmq.DONTWAIT)
                if frame.startswith(_OUR_WORD):
                    found = True
                else:
                    self._keep_one(frame)
        return found

    def _keep_one(self, frame: bytes) -> None:
        try:
            _, header, handle = split(frame)
            if header.kind == Kind.SWEEP and self._leases is not None:
                self._leases.sweep(bytes(handle).decode(errors="replace"), header.sequence)
            if header.kind in MACHINERY or header.flags & AGAIN:
                return
            if header.flags & SHARED:
                frame = self._whole(frame, handle)
        except FrameError:
            return  # the recorder would have refused it, too
        except PayloadError:
            self._drop()
            return
        if self._bytes + len(frame) > MOST_KEPT_BYTES:
            self._drop()
            return
        self._bytes += len(frame)
        self._kept.append(frame)

    def _whole(self, frame: bytes, handle: memoryview) -> bytes:
        """The same with its payload, which is in shared memory."""
        if self._leases is None:
            raise PayloadError("a shared payload, and no shared memory")
        payload = self._leases.open(handle)
        start = len(frame) - len(handle) - HEADER_BYTES
        head = bytearray(frame[: start + HEADER_BYTES])
        head[start + FLAGS_AT] &= ~SHARED
        return b"".join((head, payload))

    def _drop(self) -> None:
        self.dropped += 1
        if self.dropped == 1:
            self._said(self._bytes)

    def _give(self, taker: zmq.Socket[bytes]) -> None:
        """To the recorder, and forget it when that has it in its file."""
        with suppress(zmq.Again):
            for frame in self._pieces():
                while not self._over.is_set():
                    if taker.poll(LOOK_EVERY_MS, zmq.POLLOUT):
                        taker.send(frame, zmq.DONTWAIT)
                        break
            for _ in range(TAKEN_WITHIN_MS // LOOK_EVERY_MS):
                if self._over.is_set():
                    return
                if taker.poll(LOOK_EVERY_MS) and taker.recv(zmq.DONTWAIT) == TAKEN:
                    self._kept, self._bytes, self.dropped = [], 0, 0
                    return

    def _pieces(self) -> Iterator[bytes]:
        yield from self._kept
        yield END


class _Sockets:
    """Those of the thread, gone with it."""

    def __init__(self, context: zmq.Context[zmq.Socket[bytes]], run: Path, wanted: list[bytes]) -> None:
        self._all = [context.socket(kind) for kind in (zmq.SUB, zmq.PUSH, zmq.PAIR)]
        heard, words, taker = self._all
        for socket in self._all:
            socket.linger = 0
            socket.reconnect_ivl = addresses.RECONNECT_MS
        heard.rcvhwm = taker.sndhwm = 0
        heard.connect(addresses.out_of(run))
        for topic in wanted:
            heard.subscribe(topic)
        words.connect(addresses.into(run))
        taker.bind(address(run))

    def __enter__(self) -> tuple[zmq.Socket[bytes], zmq.Socket[bytes], zmq.Socket[bytes]]:
        heard, words, taker = self._all
        return heard, words, taker

    def __exit__(self, *_: object) -> None:
        for socket in self._all:
            socket.close()


_OUR_WORD = subscription(_WORD)
