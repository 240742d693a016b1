"""Which readings of a CARMEN log are no echoes.

A scanner tells "no echo" as one large value, and a log tells it as a maximum: in its newer lines, or as PARAM
`robot_front_laser_max`. Both are often wrong: such a PARAM is what the robot's programs wanted to use, and the value is
what the scanner's driver made of it. So all readings are counted first.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

CELL_M = 0.01
CELLS = 20_000
DEFAULT_MAXIMUM_M = 80.0
"""Of FLASER and RLASER without a PARAM: SICK scanners tell errors as 81.83 m to 81.91 m."""
SICK_ERRORS_M = (81.825, 81.915)
_SICK_CELL = 8191
FEW = 0.001
"""A smaller share of readings beyond a maximum does not prove it wrong: lines may be damaged."""
PILED = 0.002
FEWEST_PILED = 20
NEAREST_PILE_M = 3.0
"""Small scanners see 4 m."""
LONELY = 0.05
"""The usual count around a pile, as a share of it. A wall is seen at many distances."""
AROUND = 10
JUMP_M = 0.3
"""Beside a beam without an echo is one that is far from it; beside a beam on a wall mostly the same wall."""
MOSTLY = 0.75
"""The last beam of a wall has a jump on one of its two sides."""
METRES = 0.5
"""With a smaller share of readings within `CELLS`, they are hardly in metres."""


@dataclass(frozen=True)
class EchoLimit:
    """Up to where a reading is an echo."""

    pile_m: float = math.inf
    instead_m: float | None = None
    """Where the maximum that the log tells is not believed."""
    notes: tuple[str, ...] = ()

    def of(self, told_m: float) -> float:
        return min(told_m if self.instead_m is None else self.instead_m, self.pile_m)


class Readings:
    """How often each range came in one kind of line, in centimetres."""

    def __init__(self) -> None:
        self._count = np.zeros(CELLS + 1, np.int64)
        self._edges = np.zeros(CELLS + 1, np.int64)
        self._jumps = np.zeros(CELLS + 1, np.int64)
        self.told_m = 0.0
        """The largest maximum that a line tells."""

    def add(self, words: list[bytes], told_m: float = 0.0) -> None:
        """Raises ValueError for what is not a number."""
        self.told_m = max(self.told_m, told_m)
        ranges_m = np.array(words, "S32").astype(np.float64) if words else np.zeros(0)
        ranges_m = ranges_m[np.isfinite(ranges_m)]
        low_m, high_m = SICK_ERRORS_M
        ranges_m = np.where((ranges_m > low_m) & (ranges_m < high_m), _SICK_CELL * CELL_M, ranges_m)
        cells = np.clip(np.rint(ranges_m / CELL_M), 0, CELLS).astype(np.int64)
        self._count += _counted(cells)
        differ = cells[1:] != cells[:-1]
        jump = differ & (np.abs(np.diff(ranges_m)) > JUMP_M)
        for side in (cells[1:], cells[:-1]):
            self._edges += _counted(side[differ])
            self._jumps += _counted(side[jump])

    def limit(self, name: str, told_m: float, told_by: str) -> EchoLimit:
        """`told_m` is what the log says, `told_by` where."""
        piles = self._piles()
        notes = [_pile_note(name, cell, int(self._count[cell])) for cell in piles]
        if self._count[CELLS] > METRES * self._count.sum():
            notes.append(f"most readings of {name} are too large for metres: they may be in centimetres or millimetres")
        pile_m = min(piles, default=CELLS * 10) * CELL_M - CELL_M / 2
        beyond = self._echoes_beyond(told_m, piles)
        if beyond <= FEW * self._count.sum():
            return EchoLimit(pile_m, None, tuple(notes))
        many = self._echoes_beyond(DEFAULT_MAXIMUM_M, piles) > FEW * self._count.sum()
        share = beyond / int(self._count.sum())
        notes.append(
            f"{beyond} readings of {name} ({share:.1%}) are beyond the maximum of {told_m:g} m ({told_by}):"
            " they vary as echoes do, so they were kept"
        )
        return EchoLimit(pile_m, math.inf if many else DEFAULT_MAXIMUM_M, tuple(notes))

    def _piles(self) -> list[int]:
        """Values that mean no echo: far, frequent, alone, with jumps beside them, and hardly any echo beyond."""
        beams = int(self._count.sum())
        frequent = np.flatnonzero(self._count >= max(FEWEST_PILED, PILED * beams))
        found: list[int] = []
        for cell in frequent[::-1].tolist():
            if cell * CELL_M < NEAREST_PILE_M or int(self._count[cell + 1 :].sum()) - self._sum(found) > FEW * beams:
                break
            if self._is_pile(cell):
                found.append(cell)
        return found

    def _is_pile(self, cell: int) -> bool:
        around = np.delete(self._count[cell - AROUND : cell + AROUND + 1], AROUND)
        lonely = np.median(around) <= LONELY * self._count[cell]
        return bool(lonely and self._jumps[cell] >= MOSTLY * self._edges[cell])

    def _echoes_beyond(self, told_m: float, piles: list[int]) -> int:
        first = min(round(told_m / CELL_M), CELLS) + 2
        no_echoes = {*piles, _SICK_CELL}
        return int(self._count[first:].sum()) - self._sum([cell for cell in no_echoes if cell >= first])

    def _sum(self, cells: list[int]) -> int:
        return int(self._count[cells].sum()) if cells else 0


def _counted(cells: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.bincount(cells, minlength=CELLS + 1)


def _pile_note(name: str, cell: int, count: int) -> str:
    is_sick = cell == _SICK_CELL
    value = "81.83 m to 81.91 m" if is_sick else f"{cell * CELL_M:.2f} m" + (" or more" if cell == CELLS else "")
    return f"{count} readings of {name} are {value}: so many equal ones at the far end mean no echo"
