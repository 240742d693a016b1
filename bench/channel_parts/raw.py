"""A message that is only bytes: what the channel costs when nothing has to be encoded or decoded."""

from __future__ import annotations

import struct
from typing import Any, ClassVar, Self

from studio.messages import Float64, Message
from studio.messages.codec import codec_of, register_codec

HEAD = b"\0\1\0\0"
_TIME = struct.Struct("<q")


class Raw(Message):
    """`data` when sent: the payload with the four bytes every payload begins with; when received: what follows them."""

    TYPE: ClassVar[str] = "Raw"
    SCHEMA_NAME: ClassVar[str] = "bench_msgs/msg/Raw"
    data: Any

    def __init__(self, data: Any) -> None:
        self.__dict__["data"] = data

    @classmethod
    def of_size(cls, size: int, sent_ns: int) -> Self:
        return cls(HEAD + stamped(size - len(HEAD), sent_ns))


def stamped(size: int, sent_ns: int) -> bytes:
    """Bytes that begin with the moment they were sent."""
    return _TIME.pack(sent_ns) + bytes(size - _TIME.size)


def sent_of(data: Any, start: int = 0) -> int:
    moment: int = _TIME.unpack_from(data, start)[0]
    return moment


def _decode(body: Any, _size: int, _view: Any) -> Raw:
    return Raw(body)


_PASS_ON = codec_of(Float64)._replace(encode=lambda message: message.data, decode=_decode, decode_big_endian=_decode)
register_codec(Raw, _PASS_ON)
