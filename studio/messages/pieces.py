"""An encoded message that is not one block of bytes yet: its arrays are where they were."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Pieces:
    """For those who copy large messages to where they belong: joining them first would be a second copy."""

    __slots__ = ("_pieces", "_size")

    def __init__(self, pieces: Sequence[Any]) -> None:
        self._pieces = pieces
        self._size = 0
        for piece in pieces:
            self._size += memoryview(piece).nbytes

    def __len__(self) -> int:
        return self._size

    def joined(self) -> bytes:
        return b"".join(self._pieces)

    def copy_to(self, room: NDArray[np.uint8]) -> None:
        """Into an array of just this length."""
        at = 0
        for piece in self._pieces:
            if size := memoryview(piece).nbytes:
                room[at : at + size] = np.frombuffer(piece, np.uint8)
                at += size
