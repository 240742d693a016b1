"""The smallest messages: one value, no header."""

from __future__ import annotations

from typing import ClassVar

from studio.messages.message import Message, bare_message


@bare_message
class Float64(Message):
    """One number."""

    TYPE: ClassVar[str] = "Float64"
    SCHEMA_NAME: ClassVar[str] = "std_msgs/msg/Float64"

    data: float = 0.0


@bare_message
class String(Message):
    """One text."""

    TYPE: ClassVar[str] = "String"
    SCHEMA_NAME: ClassVar[str] = "std_msgs/msg/String"

    data: str = ""
