"""What a player has sent, with its sequences: forgotten from the front, given back from the end."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from studio.runtime.playing.playback_block import Next, PlaybackBlock


class SentEvents:
    def __init__(self) -> None:
        self._parts: deque[tuple[PlaybackBlock, Sequence[int]]] = deque()
        self.count = 0

    def add(self, events: PlaybackBlock, sequences: Sequence[int]) -> None:
        if sequences:
            self._parts.append((events, sequences))
            self.count += len(sequences)

    def first(self) -> tuple[Next, int]:
        events, sequences = self._parts[0]
        return events.at(0), sequences[0]

    def last(self, count: int) -> list[tuple[Next, int]]:
        """The last ones, or all if there are fewer, in the order in which they were sent."""
        found: list[tuple[Next, int]] = []
        for events, sequences in reversed(self._parts):
            missing = count - len(found)
            if missing <= 0:
                break
            begin = max(0, len(sequences) - missing)
            found += [(events.at(at), sequences[at]) for at in range(len(sequences) - 1, begin - 1, -1)]
        return found[::-1]

    def drop_first(self, count: int) -> None:
        self.count -= count
        while count:
            events, sequences = self._parts.popleft()
            if count < len(sequences):
                self._parts.appendleft((events.part(count, len(sequences)), sequences[count:]))
            count -= min(count, len(sequences))

    def drop_last(self, count: int) -> None:
        self.count -= count
        while count:
            events, sequences = self._parts.pop()
            left = len(sequences) - count
            if left > 0:
                self._parts.append((events.part(0, left), sequences[:left]))
            count -= min(count, len(sequences))
