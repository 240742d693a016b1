"""Votes of a behaviour for the arcs that a vehicle could drive."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from studio.messages.errors import MessageError
from studio.messages.fields import Array, array
from studio.messages.message import Message, message


@message
class Vote(Message):
    """One row per arc, one array per column; all columns have the same length.

    Curvature is 1/radius, left positive. A veto forbids the arc, whatever the votes of others.
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

    def verify(self) -> None:
        arcs = len(self.curvature_per_m)
        if not (len(self.max_speed_m_s) == len(self.vote) == len(self.confidence) == len(self.veto) == arcs):
            columns = {name: len(value) for name, value in vars(self).items() if isinstance(value, np.ndarray)}
            lengths = ", ".join(f"{name} {length}" for name, length in columns.items())
            raise MessageError(f"all columns of a Vote have one element per arc, got {lengths}")

    def __len__(self) -> int:
        return len(self.curvature_per_m)
