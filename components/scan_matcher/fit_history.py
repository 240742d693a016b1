"""How well scans usually fit the map, and whether the matcher is lost."""

from __future__ import annotations

LEARNING = 0.1
POOR = 0.5
"""Of the usual score: for a scan that fits worse, the search is wider."""
LOST_AFTER = 3
"""Scans in a row that do not fit."""


class FitHistory:
    def __init__(self) -> None:
        self.usual = 0.0
        self.misfits = 0
        """In a row."""

    @property
    def is_lost(self) -> bool:
        return self.misfits >= LOST_AFTER

    def is_poor(self, score: float, minimum: float) -> bool:
        return score < max(minimum, POOR * self.usual)

    def fits(self, score: float) -> bool:
        """Note a scan that fits; True if the matcher was lost until now."""
        self.usual = score if not self.usual else self.usual + LEARNING * (score - self.usual)
        was_lost, self.misfits = self.is_lost, 0
        return was_lost

    def misses(self) -> bool:
        """Note a scan that does not; True if the matcher is lost from now on."""
        self.misfits += 1
        return self.misfits == LOST_AFTER
