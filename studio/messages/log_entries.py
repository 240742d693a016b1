"""What a log tells beside the data: service calls, and the words of those who watched."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from studio.messages.fields import Array, array
from studio.messages.message import Message, message


@message
class ServiceCall(Message):
    """A request, or the reply to one: which of them, the topic says."""

    TYPE: ClassVar[str] = "ServiceCall"
    SCHEMA_NAME: ClassVar[str] = "studio_msgs/msg/ServiceCall"

    caller: str = ""
    provider: str = ""
    service: str = ""
    deadline_s: float = 0.0
    """How long the caller waits; 0 in a reply."""
    error: str = ""
    """Of a reply: why there is none. Of a request: why the caller no longer waits."""
    data: Array[np.uint8] = array(np.uint8, -1)
    """The request or reply, encoded; empty with an error."""


@message
class Bookmark(Message):
    """A moment of a run that somebody found worth a word."""

    TYPE: ClassVar[str] = "Bookmark"
    SCHEMA_NAME: ClassVar[str] = "studio_msgs/msg/Bookmark"

    stamp_ns: int = 0
    frame: str = ""
    text: str = ""
