"""What the Modelserver is asked and answers, besides poses."""

from __future__ import annotations

from typing import ClassVar

from studio.messages.fields import Texts, texts
from studio.messages.message import Message, message


@message
class FrameQuery(Message):
    """Asks where the frame `child_frame` is in `frame`; the answer is a PoseTransform of the same two frames."""

    TYPE: ClassVar[str] = "FrameQuery"
    SCHEMA_NAME: ClassVar[str] = "studio_msgs/msg/FrameQuery"
    WIRE: ClassVar[dict[str, str]] = {"child_frame": "child_frame_id"}

    stamp_ns: int = 0
    """When; 0: where joints were last."""
    frame: str = ""
    """The frame of reference."""
    child_frame: str = ""
    """The frame of interest."""


@message
class Names(Message):
    """A list of names: bodies, frames."""

    TYPE: ClassVar[str] = "Names"
    SCHEMA_NAME: ClassVar[str] = "studio_msgs/msg/Names"

    names: Texts = texts()
