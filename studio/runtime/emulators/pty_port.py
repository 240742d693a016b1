"""A serial port with an emulated device at its other end: a pseudo-terminal, a thread, and faults on demand.

A pseudo-terminal has no baud rate: what is sent is garbled whenever the rate that the program has set is not the
device's. Bytes leave at the pace of the rate, so that a scanner is as slow as the real one.
"""

from __future__ import annotations

import fcntl
import os
import random
import select
import struct
import threading
import tty
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from studio.runtime.base.clock import SECOND_NS, monotonic_ns

TCGETS2 = 0x802C542A
"""Asks for the settings of a terminal with its speed as a plain number; the constant of Linux on x86 and ARM."""
SPEED_AT = 40
BITS_PER_BYTE = 10
SLEEP_NS = 50_000_000
IN_ONE_GO_NS = 5_000_000
"""Bytes of this much line time are written together: a thread that wakes for every byte would eat a core."""

Said = bytes | Callable[[], None]
"""What a device sends, or does once everything before it has left (changing its rate)."""


class Device(Protocol):
    """A device: told what arrives and what time it is, it answers with what it sends."""

    baud: int

    def hear(self, data: bytes, now_ns: int) -> Iterable[Said]: ...

    def tick(self, now_ns: int, idle: bool) -> Iterable[Said]:
        """`idle` tells whether the line is free; scanners leave a scan out when it is not."""

    def due_ns(self) -> int | None:
        """When it wants to say something next."""


@dataclass
class Faults:
    """What is wrong with the line; may be changed while it is in use. Chances are per telegram, 0 to 1."""

    noise: float = 0.0
    """Garbage before a telegram."""
    flip: float = 0.0
    """One bit of it is wrong."""
    cut: float = 0.0
    """Its end is missing."""
    slow: float = 1.0
    """The line is slower by this factor; telegrams come in small pieces."""


class PtyPort:
    """Runs a device behind `link`, a symbolic link to the terminal that programs open."""

    def __init__(self, device: Device, link: Path, faults: Faults | None = None, seed: int = 0) -> None:
        self.device = device
        self.link = link
        self.faults = faults or Faults()
        self._random = random.Random(seed)
        self._outbox: deque[Said] = deque()
        self._free_at_ns = 0
        """When the line will have carried all that was written."""
        self._lock = threading.RLock()
        """Held while the device is touched: tests look into it and press its bumper."""
        self._master = self._slave = -1
        self._ended = False
        self._wake_read, self._wake_write = os.pipe()
        self.plug_in()
        self._thread = threading.Thread(target=self._run, name=f"emulator at {link.name}", daemon=True)
        self._thread.start()

    def __enter__(self) -> PtyPort:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def lock(self) -> threading.RLock:
        return self._lock

    # Cables.

    def plug_in(self) -> None:
        with self._lock:
            if self._master >= 0:
                return
            self._master, self._slave = os.openpty()
            tty.setraw(self._slave)
            os.set_blocking(self._master, False)
            place = self.link.with_name(f".{self.link.name}.new")
            place.unlink(missing_ok=True)
            place.symlink_to(os.ttyname(self._slave))
            place.replace(self.link)
        self._wake()

    def unplug(self) -> None:
        """The device vanishes from the system, as a USB plug that is pulled; the device itself goes on."""
        with self._lock:
            if self._master < 0:
                return
            self.link.unlink(missing_ok=True)
            for descriptor in (self._master, self._slave):
                os.close(descriptor)
            self._master = self._slave = -1
            self._outbox.clear()
        self._wake()

    def close(self) -> None:
        self._ended = True
        self._wake()
        self._thread.join()
        self.unplug()
        os.close(self._wake_read)
        os.close(self._wake_write)

    def _wake(self) -> None:
        os.write(self._wake_write, b"!")

    # The thread.

    def _run(self) -> None:
        while not self._ended:
            with self._lock:
                master = self._master
                wait_ns = self._turn()
            watched = [self._wake_read, *([master] if master >= 0 else [])]
            try:
                ready, _, _ = select.select(watched, [], [], wait_ns / SECOND_NS)
            except OSError:  # unplugged since
                continue
            if self._wake_read in ready:
                os.read(self._wake_read, 4096)

    def _turn(self) -> int:
        """Read, let the device act, write; returns how long nothing will have to be done."""
        now_ns = monotonic_ns()
        device = self.device
        heard = self._read()
        if heard:
            self._say(device.hear(heard, now_ns))
        due_ns = device.due_ns()
        if due_ns is not None and due_ns <= now_ns:
            self._say(device.tick(now_ns, not self._outbox))
        self._write(now_ns)
        due_ns = device.due_ns()
        waits = [SLEEP_NS]
        if due_ns is not None:
            waits.append(due_ns - now_ns)
        if self._outbox:
            waits.append(max(1_000_000, self._free_at_ns - now_ns))
        return max(0, min(waits))

    def _read(self) -> bytes:
        if self._master < 0:
            return b""
        try:
            data = os.read(self._master, 4096)
        except (BlockingIOError, OSError):
            return b""
        return data if self._rate() == self.device.baud else self._random.randbytes(len(data))

    def _say(self, said: Iterable[Said]) -> None:
        if self._master < 0:
            for each in said:
                if callable(each):
                    each()
            return
        self._outbox.extend(self._spoil(each) if isinstance(each, bytes) else each for each in said)

    def _spoil(self, telegram: bytes) -> bytes:
        chance, faults = self._random.random, self.faults
        if chance() < faults.cut:
            telegram = telegram[: self._random.randrange(len(telegram))]
        if telegram and chance() < faults.flip:
            spoilt = bytearray(telegram)
            spoilt[self._random.randrange(len(spoilt))] ^= 1 << self._random.randrange(8)
            telegram = bytes(spoilt)
        if chance() < faults.noise:
            telegram = self._random.randbytes(self._random.randint(1, 40)) + telegram
        return telegram

    def _write(self, now_ns: int) -> None:
        """As much as the line carries in a few milliseconds."""
        while self._outbox and (callable(self._outbox[0]) or self._free_at_ns <= now_ns + IN_ONE_GO_NS):
            said = self._outbox.popleft()
            if not isinstance(said, bytes):
                if self._free_at_ns > now_ns:  # the device changes its rate only when its answer has left
                    self._outbox.appendleft(said)
                    return
                said()
                continue
            byte_ns = int(BITS_PER_BYTE * SECOND_NS / self.device.baud * self.faults.slow)
            count = max(1, IN_ONE_GO_NS // byte_ns)
            piece, rest = said[:count], said[count:]
            if rest:
                self._outbox.appendleft(rest)
            self._free_at_ns = max(now_ns, self._free_at_ns) + len(piece) * byte_ns
            if piece and self._rate() != self.device.baud:
                piece = self._random.randbytes(len(piece))
            with suppress(BlockingIOError, OSError):  # nobody reads: a real line loses bytes, too
                os.write(self._master, piece)

    def _rate(self) -> int:
        """What the program at the other end has set."""
        settings = fcntl.ioctl(self._master, TCGETS2, bytes(44))
        return int(struct.unpack_from("<I", settings, SPEED_AT)[0])
