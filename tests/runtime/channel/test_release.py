"""A broker that lets much go at once: all that is said meanwhile is heard."""

from __future__ import annotations

from collections import deque

import pytest

from studio.runtime.base.clock import Clock, ClockKind
from studio.runtime.broker import forwarder as of_forwarder
from studio.runtime.broker.forwarder import Forwarder
from studio.runtime.plan.plan import Plan
from studio.runtime.wire.frames import ALL_TOPIC, INPUT, Kind, Mark, Marker, pack, split

HELD = 1_000
EACH_NS = 10_000_000
"""A busy machine takes ten seconds for all of it."""
ALIVE_EVERY_NS = 500_000_000
HUNG_AFTER_NS = 1_500_000_000
ALIVE = pack(
    ALL_TOPIC, Kind.MARKER, 0, Marker(Mark.ALIVE, 0, False, Clock(ClockKind.WALL, 0, 0, 1.0)).payload()
)  # fmt: skip


def event(number: int) -> bytes:
    return pack("/sensor/out", Kind.DATA, number, bytes(8), flags=INPUT)


class SlowLine:
    """Every frame takes long to send. The broker says twice a second that it is there, behind a flood of events."""

    def __init__(self) -> None:
        self.now_ns = 0
        self.sent: list[tuple[int, bytes]] = []
        self.waiting = deque([event(number) for number in range(HELD)])
        self._said_ns = 0

    def monotonic_ns(self) -> int:
        return self.now_ns

    def proxy(self) -> None: ...
    def wake(self) -> None: ...
    def forget_wakes(self) -> None: ...
    def close(self) -> None: ...

    def forward(self, frame: bytes) -> None:
        self.now_ns += EACH_NS
        self.sent.append((self.now_ns, frame))
        if self.now_ns - self._said_ns > ALIVE_EVERY_NS:
            self._said_ns = self.now_ns
            self.waiting.append(ALIVE)
            if self.now_ns < HELD * EACH_NS:
                self.waiting.append(event(HELD + self.now_ns // EACH_NS))

    def receive(self) -> list[bytes]:
        return [self.waiting.popleft()] if self.waiting else []

    def await_frame(self, most_ms: int) -> bool:
        return bool(self.waiting)


def test_a_broker_that_lets_much_go_does_not_look_hung(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was killed after five seconds, by the soak that holds tens of thousands of frames on a busy machine."""
    line = SlowLine()
    monkeypatch.setattr(of_forwarder, "monotonic_ns", line.monotonic_ns)
    forwarder = Forwarder(line, Plan(()), Clock(ClockKind.WALL, 0, 0, 0.0), 1)
    while line.waiting:
        forwarder.absorb()
    forwarder.keep_strays()
    assert len(forwarder.agenda) == HELD
    forwarder.run()
    said_ns = [at_ns for at_ns, frame in line.sent if frame == ALIVE]
    assert (
        max(after - before for before, after in zip([0, *said_ns], [*said_ns, line.now_ns], strict=True))
        < HUNG_AFTER_NS
    )
    numbers = [split(frame)[1].sequence for _, frame in line.sent if split(frame)[0] == "/sensor/out"]
    assert numbers[:HELD] == list(range(HELD)) and len(numbers) > HELD, (
        "all of it, in its order, and what came meanwhile"
    )
    assert not len(forwarder.agenda)
