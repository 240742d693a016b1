"""The handled trace of a host, written down as cheaply as it can be: it is on the path of every event."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from studio.messages import HandledTrace

Identity = tuple[str, int]
MOST_ROWS = 100_000
"""Rows that may wait to be sent; a host that cannot send them loses the newest and says so."""


class _Columns:
    def __init__(self) -> None:
        self.component = array("I")
        self.topic = array("I")
        self.sequence = array("Q")
        self.start_ns = array("q")
        self.end_ns = array("q")
        self.read_count = array("I")
        self.read_topic = array("I")
        self.read_sequence = array("Q")
        self.published_count = array("I")
        self.published_topic = array("I")
        self.published_sequence = array("Q")


class TraceBook:
    """Written by the executor, emptied by the I/O thread.

    `take` swaps the pages and gives those that it swapped out the time before: by then the executor has long
    finished the row that it may have been writing, and neither thread ever waits for the other.
    """

    def __init__(self) -> None:
        self.left_out = 0
        self._names: dict[str, int] = {}
        self._page = _Columns()
        self._settling = _Columns()

    def note(
        self,
        component: str,
        topic: str,
        sequence: int,
        start_ns: int,
        end_ns: int,
        read: Sequence[Identity],
        published: Sequence[Identity],
    ) -> None:
        page, index = self._page, self._index
        if len(page.component) >= MOST_ROWS:
            self.left_out += 1
            return
        page.component.append(index(component))
        page.topic.append(index(topic))
        page.sequence.append(sequence)
        page.start_ns.append(start_ns)
        page.read_count.append(len(read))
        for name, number in read:
            page.read_topic.append(index(name))
            page.read_sequence.append(number)
        page.published_count.append(len(published))
        for name, number in published:
            page.published_topic.append(index(name))
            page.published_sequence.append(number)
        page.end_ns.append(end_ns)

    def _index(self, name: str) -> int:
        names = self._names
        found = names.get(name)
        if found is None:
            found = names[name] = len(names)
        return found

    def take(self) -> HandledTrace | None:
        """The rows that were written before the last call; None if there were none."""
        page, self._settling, self._page = self._settling, self._page, _Columns()
        if not page.component:
            return None
        columns = {name: _numbers(column) for name, column in vars(page).items()}
        return HandledTrace(names=tuple(self._names), **columns)


def _numbers(column: array[int]) -> NDArray[np.generic]:
    return np.frombuffer(column, {"I": np.uint32, "Q": np.uint64, "q": np.int64}[column.typecode])
