"""Headers of logged events: what the wire carries beside the payload and a log's own records have no place for."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from studio.messages.errors import MessageError
from studio.messages.fields import Array, array
from studio.messages.message import Message, message


@message
class EventHeaders(Message):
    """A batch of headers, one array per column. Topics are named by their hash, as causes are on the wire."""

    TYPE: ClassVar[str] = "EventHeaders"
    SCHEMA_NAME: ClassVar[str] = "studio_msgs/msg/EventHeaders"

    topic: Array[np.uint64] = array(np.uint64, -1)
    sequence: Array[np.uint64] = array(np.uint64, -1)
    sent_ns: Array[np.int64] = array(np.int64, -1)
    cause_topic: Array[np.uint64] = array(np.uint64, -1)
    cause_sequence: Array[np.uint64] = array(np.uint64, -1)
    epoch: Array[np.uint32] = array(np.uint32, -1)
    kind: Array[np.uint8] = array(np.uint8, -1)
    flags: Array[np.uint8] = array(np.uint8, -1)
    origin: Array[np.uint8] = array(np.uint8, -1)

    def verify(self) -> None:
        rows = len(self.topic)
        if any(len(column) != rows for column in vars(self).values()):
            raise MessageError(f"all columns of EventHeaders have one element per event, {rows}")

    def __len__(self) -> int:
        return len(self.topic)
