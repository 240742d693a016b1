"""What the broker itself publishes: commands and timer ticks, each counted on its topic."""

from __future__ import annotations

from studio.runtime.broker.held import Held
from studio.runtime.wire.frames import COMMAND_PREFIX, INPUT, TIMER_PREFIX, Kind, pack


class OwnEvents:
    def __init__(self, incarnation: int) -> None:
        self._before_first = (incarnation - 1) << 40
        """A restarted broker leaves a gap rather than use a number twice."""
        self.sequences: dict[str, int] = {}

    def command(self, component: str, payload: bytes, now_ns: int, epoch: int) -> Held:
        topic = COMMAND_PREFIX + component
        sequence = self._next(topic)
        frame = pack(topic, Kind.COMMAND, sequence, payload, flags=INPUT, epoch=epoch, stamp_ns=now_ns, sent_ns=now_ns)
        return Held(frame, topic, sequence, now_ns, Kind.COMMAND)

    def tick(self, component: str, due_ns: int, epoch: int) -> Held:
        topic = TIMER_PREFIX + component
        sequence = self._next(topic)
        frame = pack(topic, Kind.TIMER, sequence, stamp_ns=due_ns, sent_ns=due_ns, epoch=epoch)
        return Held(frame, topic, sequence, due_ns, Kind.TIMER)

    def coming_tick(self, component: str, number: int) -> tuple[str, int]:
        """Topic and sequence of the tick after `number` more; it stays to be sent."""
        topic = TIMER_PREFIX + component
        return topic, self.sequences.get(topic, self._before_first) + number

    def count_again(self, command: Held) -> None:
        """A command that was remembered is given once more, with the number it had."""
        self.sequences[command.topic] = max(self.sequences.get(command.topic, 0), command.sequence)

    def _next(self, topic: str) -> int:
        self.sequences[topic] = sequence = self.sequences.get(topic, self._before_first) + 1
        return sequence
