"""One slot of shared memory, as its producer knows it."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from studio.messages.pieces import Pieces
from studio.runtime.channel.slots import (
    EXPECTED,
    HEADER_WORDS,
    LEASED,
    MOST_HOSTS,
    PAGE,
    RELEASED,
    TICKET,
    WORDS_OF_PAGE,
    Hosts,
    Segment,
    barrier,
    slot_field,
)

Data = bytes | bytearray | memoryview | NDArray[Any]


class Slot:
    """`waiting`: (host index, incarnation) of those that have not let go."""

    __slots__ = ("field", "header", "kept_until", "kind", "page", "segment", "size", "ticket", "waiting")

    def __init__(self, segment: Segment, page: int, kind: int) -> None:
        self.segment = segment
        self.page = page
        self.kind = kind
        self.size = segment.slot_pages * PAGE
        self.field = slot_field(segment.name, page)
        self.header = segment.words[page * WORDS_OF_PAGE : page * WORDS_OF_PAGE + HEADER_WORDS]
        self.ticket = self.kept_until = 0
        self.waiting: list[tuple[int, int]] = []

    def is_free(self, hosts: Hosts, calls: int) -> bool:
        """`calls`: how many payloads the pool was asked to take, with those it refused: no slot is kept for ever."""
        header, ticket, living = self.header, self.ticket, hosts.words
        self.waiting = [
            (index, incarnation)
            for index, incarnation in self.waiting
            if header[RELEASED + index] != ticket and living[index] == incarnation
        ]
        return not self.waiting and calls >= self.kept_until

    def strike(self, host: tuple[int, int]) -> bool:
        """Wait no longer for one that has not looked at the payload. False: it does, and what it sees must not change.

        It marks its cell and then looks whether it is expected; here it is the other way round, so one sees the other.
        """
        index, incarnation = host
        self.header[EXPECTED + index] = 0
        barrier()
        if self.header[RELEASED + index] == self.ticket | LEASED:
            self.header[EXPECTED + index] = incarnation
            return False
        self.waiting = [each for each in self.waiting if each != host]
        return True

    def void(self) -> None:
        """Until it is filled: whoever copies without a lease sees that the ticket changed."""
        self.header[TICKET] = 0
        self.header[EXPECTED : EXPECTED + MOST_HOSTS] = _NOBODY
        barrier()

    def fill(self, data: Data | Pieces) -> None:
        """Copy `data`, of the length that was reserved, and let it be read."""
        pieces = data if isinstance(data, Pieces) else Pieces((data,))
        pieces.copy_to(self.segment.payload(self.page, len(pieces)))
        barrier()
        self.header[TICKET] = self.ticket


_NOBODY = memoryview(bytes(8 * MOST_HOSTS)).cast("Q")
