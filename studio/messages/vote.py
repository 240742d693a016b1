"""Votes of a behaviour for the arcs that a vehicle could drive."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from studio.messages.errors import MessageError
from studio.messages.fields import Array, array
from studio.messages.message import Message, message


@message
class Vote(Message):
    """One row per arc, one array per column; all columns have the same length.

    Curvature is 1/radius, left positive. A vote goes from -1 (rather not) to 1 (best), a confidence from 0 (no opinion)
    to 1. A veto forbids the arc, whatever the votes of others. A speed that is not finite is no limit.
    """

    TYPE: ClassVar[str] = "Vote"
    SCHEMA_NAME: ClassVar[str] = "studio_msgs/msg/Vote"

    stamp_ns: int = 0
    frame: str = ""
    curvature_per_m: Array[np.float64] = array(np.float64, -1)
    max_speed_m_s: Array[np.float64] = array(np.float64, -1)
    vote: Array[np.float64] = array(np.float64, -1)
    confidence: Array[np.float64] = array(np.float64, -1)
    veto: Array[np.bool_] = array(np.bool_, -1)

    @classmethod
    def over(
        cls,
        curvature_per_m: ArrayLike,
        *,
        vote: ArrayLike = 0.0,
        confidence: ArrayLike = 1.0,
        max_speed_m_s: ArrayLike = np.inf,
        veto: ArrayLike = False,
        stamp_ns: int = 0,
        frame: str = "",
    ) -> Self:
        """Votes for these arcs; a single number holds for all of them. Without `max_speed_m_s` none is slowed down."""
        arcs = np.asarray(curvature_per_m, np.float64)
        return cls(
            stamp_ns=stamp_ns,
            frame=frame,
            curvature_per_m=arcs,
            max_speed_m_s=_column(max_speed_m_s, arcs),
            vote=_column(vote, arcs),
            confidence=_column(confidence, arcs),
            veto=_column(veto, arcs),
        )

    def verify(self) -> None:
        arcs = len(self.curvature_per_m)
        if not (len(self.max_speed_m_s) == len(self.vote) == len(self.confidence) == len(self.veto) == arcs):
            columns = {name: len(value) for name, value in vars(self).items() if isinstance(value, np.ndarray)}
            lengths = ", ".join(f"{name} {length}" for name, length in columns.items())
            raise MessageError(f"all columns of a Vote have one element per arc, got {lengths}")

    def __len__(self) -> int:
        return len(self.curvature_per_m)


def _column(value: ArrayLike, arcs: NDArray[np.float64]) -> ArrayLike:
    given = np.asarray(value)
    return np.full(arcs.shape, given) if given.ndim == 0 else given
