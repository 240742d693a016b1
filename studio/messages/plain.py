"""The smallest messages: one value, no header."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from studio.messages.message import Message


@dataclass(frozen=True, eq=False, repr=False)
class Float64(Message):
    """One number."""

    TYPE: ClassVar[str] = "Float64"
    SCHEMA_NAME: ClassVar[str] = "std_msgs/msg/Float64"

    data: float = 0.0


@dataclass(frozen=True, eq=False, repr=False)
class String(Message):
    """One text."""

    TYPE: ClassVar[str] = "String"
    SCHEMA_NAME: ClassVar[str] = "std_msgs/msg/String"

    data: str = ""
