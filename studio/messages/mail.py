"""Letters: what one component sends to another by name, without a wire between them."""

from __future__ import annotations

import builtins
from typing import ClassVar, Self, TypeVar

import numpy as np

from studio.messages.codec import decode, encode
from studio.messages.errors import MessageError
from studio.messages.fields import Array, array
from studio.messages.message import Message, message

M = TypeVar("M", bound=Message)
EVERYBODY = "*"


@message
class Mail(Message):
    """A message for the component called `to`, or for all that have an inbox."""

    TYPE: ClassVar[str] = "Mail"
    SCHEMA_NAME: ClassVar[str] = "studio_msgs/msg/Mail"

    to: str = ""
    sender: str = ""
    type: str = ""
    data: Array[np.uint8] = array(np.uint8, -1)

    @classmethod
    def of(cls, content: Message, *, to: str, sender: str) -> Self:
        return cls(to=to, sender=sender, type=content.TYPE, data=np.frombuffer(encode(content), np.uint8))

    def holds(self, kind: builtins.type[Message]) -> bool:
        """Whether the content is of this type: an inbox takes letters of all kinds."""
        return self.type == kind.TYPE

    def content(self, kind: builtins.type[M]) -> M:
        if not self.holds(kind):
            raise MessageError(f"this mail holds a {self.type}, not a {kind.TYPE}", hint="check holds() first")
        return decode(kind, self.data.tobytes())

    def is_for(self, component: str) -> bool:
        return self.to in (component, EVERYBODY)
