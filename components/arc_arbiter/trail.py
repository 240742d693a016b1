"""The way that was driven last, as commands: driven backwards it leads out of where nothing else does."""

from __future__ import annotations

from collections import deque


class Trail:
    """Pieces of the way, each a curvature and a length; those beyond `most_m` are forgotten."""

    def __init__(self, most_m: float) -> None:
        self._most_m = most_m
        self._pieces: deque[tuple[float, float]] = deque()
        self.length_m = 0.0

    def drove(self, curvature_per_m: float, length_m: float) -> None:
        if length_m <= 0.0:
            return
        self._pieces.append((curvature_per_m, length_m))
        self.length_m += length_m
        while self._pieces and self.length_m - self._pieces[0][1] >= self._most_m:
            self.length_m -= self._pieces.popleft()[1]

    def back(self, length_m: float) -> float | None:
        """Take this length off the end; the curvature to drive it backwards with, None when nothing is left."""
        if not self._pieces:
            return None
        curvature_per_m = self._pieces[-1][0]
        while self._pieces and length_m > 0.0:
            curvature, piece_m = self._pieces.pop()
            taken_m = min(piece_m, length_m)
            length_m -= taken_m
            self.length_m = max(0.0, self.length_m - taken_m)
            if piece_m > taken_m:
                self._pieces.append((curvature, piece_m - taken_m))
        return curvature_per_m

    def clear(self) -> None:
        self._pieces.clear()
        self.length_m = 0.0
