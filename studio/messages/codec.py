"""Messages to bytes and back: plain CDR, byte for byte what ROS 2 sends for the same schema.

Codecs are made on first use, a millisecond per class. Small messages are copied on arrival, which detaches them from
the buffer they came in and aligns their numbers; large ones are looked at where they lie, unless their numbers are not
aligned there. Arrays are read-only in either case.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from studio.messages.binding import Slot, slots_of
from studio.messages.emit_decode import make_decoder
from studio.messages.emit_encode import make_encoder
from studio.messages.errors import MessageError
from studio.messages.message import Message
from studio.messages.pieces import Pieces

M = TypeVar("M", bound=Message)
Buffer = bytes | bytearray | memoryview
View = Callable[[Any, "np.dtype[Any]", int, int], NDArray[Any]]
Decode = Callable[[Any, int, View], Any]

COPIED_BYTES = 16 * 1024
"""Up to here a copy costs less than asking numpy whether it is needed."""

_DAMAGE = (struct.error, ValueError, TypeError, IndexError, OverflowError, AttributeError)


class Codec(NamedTuple):
    encode: Callable[[Any], bytes]
    decode: Decode
    decode_big_endian: Decode
    slots: tuple[Slot, ...]
    """What can fail to be encoded, one field after the other."""


_codecs: dict[type[Message], Codec] = {}
_to_pieces: dict[type[Message], Callable[[Any], Pieces]] = {}


def encode(message: Message) -> bytes:
    """The CDR bytes of a message, with the four bytes that say so in front."""
    codec = _codecs.get(type(message)) or codec_of(type(message))
    try:
        return codec.encode(message)
    except _DAMAGE as error:
        raise _explained(message, error) from error


def encode_in_pieces(message: Message) -> Pieces:
    """The same bytes, with arrays that are not copied yet."""
    cls = type(message)
    to_pieces = _to_pieces.get(cls)
    if to_pieces is None:
        to_pieces = _to_pieces[cls] = make_encoder(cls.__name__, codec_of(cls).slots, Pieces)
    try:
        return to_pieces(message)
    except _DAMAGE as error:
        raise _explained(message, error) from error


def decode(cls: type[M], data: Buffer) -> M:
    """The message that `data` holds. Raises MessageError, and nothing else, when it does not hold one."""
    codec = _codecs.get(cls) or codec_of(cls)
    try:
        size = len(data) - 4
        if data[:2] == b"\0\1" and size <= COPIED_BYTES:
            message: M = codec.decode(bytes(data[4:]), size, np.frombuffer)
        else:
            message = _decode_other(codec, memoryview(data).cast("B"))
    except _DAMAGE as error:
        raise MessageError(f"these {_length(data)} bytes are not a {cls.__name__}: {error}") from error
    except MessageError as error:
        raise MessageError(f"these {_length(data)} bytes are not a {cls.__name__}: {error.message}") from error
    return message


def _decode_other(codec: Codec, data: memoryview) -> Any:
    """Large messages, and those of a big-endian machine."""
    kind = bytes(data[:2])
    if len(data) < 4 or kind not in (b"\0\0", b"\0\1"):
        raise MessageError("plain CDR starts with 00 01 or 00 00 and two more bytes")
    body = data[4:]
    if kind == b"\0\1":
        return codec.decode(body, len(body), aligned_view)
    return codec.decode_big_endian(body, len(body), swapped_view)


def aligned_view(body: Any, dtype: np.dtype[Any], count: int, offset: int) -> NDArray[Any]:
    values = np.frombuffer(body, dtype, count, offset)
    if not values.flags.aligned:
        values = values.copy()
    values.flags.writeable = False
    return values


def swapped_view(body: Any, dtype: np.dtype[Any], count: int, offset: int) -> NDArray[Any]:
    values = np.frombuffer(body, dtype.newbyteorder(">"), count, offset).astype(dtype)
    values.flags.writeable = False
    return values


def codec_of(cls: Any) -> Codec:
    """The codec of a class, made if need be."""
    if cls not in _codecs:
        if not (isinstance(cls, type) and issubclass(cls, Message) and hasattr(cls, "SCHEMA_NAME")):
            raise MessageError(f"needs a message, got {getattr(cls, '__name__', cls)}")
        _codecs[cls] = make_codec(cls, slots_of(cls))
    return _codecs[cls]


def make_codec(cls: type[Message], slots: tuple[Slot, ...]) -> Codec:
    @cache
    def big_endian() -> Decode:
        return make_decoder(cls, slots, ">")

    def decode_big_endian(body: Any, size: int, view: View) -> Any:
        return big_endian()(body, size, view)

    return Codec(make_encoder(cls.__name__, slots), make_decoder(cls, slots, "<"), decode_big_endian, slots)


def register_codec(cls: type[Message], codec: Codec) -> None:
    """Use a codec made by hand."""
    _codecs[cls] = codec
    _to_pieces[cls] = lambda message: Pieces((codec.encode(message),))


def _explained(message: Message, error: Exception) -> MessageError:
    """`struct` does not say which number is out of range: ask it for one field after the other."""
    cls = type(message)
    for name, encode_field in _field_encoders(codec_of(cls).slots):
        try:
            encode_field(message)
        except _DAMAGE as reason:
            return MessageError(f"{cls.__name__}.{name} cannot be sent: {reason}")
    return MessageError(f"{cls.__name__} cannot be sent: {error}")


@cache
def _field_encoders(slots: tuple[Slot, ...]) -> list[tuple[str, Callable[[Any], bytes]]]:
    return [(slot.name, make_encoder(slot.name, (slot,))) for slot in slots]


def _length(data: object) -> str:
    try:
        return str(len(data))  # type: ignore[arg-type]
    except TypeError:
        return type(data).__name__
