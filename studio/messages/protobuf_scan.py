"""How many fields the messages inside a payload of Protobuf would have, counted on the wire before it is parsed.

Two bytes make an empty message, which takes memory for each field of its type: 20 MB can ask for 80 GB.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from google.protobuf.descriptor import Descriptor, FieldDescriptor

CAREFREE_BYTES = 200_000_000
"""A payload that cannot ask for more memory is not scanned."""
_MESSAGE_BYTES, _FIELD_BYTES = 64, 16
_LENGTH, _GROUP, _END = 2, 3, 4
"""Types of values on the wire."""


@dataclass
class _Kind:
    width: int
    messages: dict[int, _Kind] = field(default_factory=dict)
    groups: dict[int, _Kind] = field(default_factory=dict)


_UNKNOWN = _Kind(0)


class Scan:
    """Of the payloads of one type."""

    def __init__(self, descriptor: Descriptor) -> None:
        kinds = _kinds(descriptor)
        self._kind = kinds[descriptor.full_name]
        self._widest = max(kind.width for kind in kinds.values())

    def check(self, payload: bytes, most: int) -> None:
        """A ValueError where there would be more fields than `most`, or the payload is damaged."""
        if len(payload) // 2 * (_MESSAGE_BYTES + self._widest * _FIELD_BYTES) <= CAREFREE_BYTES:
            return
        todo = [(0, len(payload), self._kind)]
        left = most
        while todo:
            left = self._part(payload, *todo.pop(), todo, left)

    def _part(
        self, payload: bytes, at: int, end: int, kind: _Kind, todo: list[tuple[int, int, _Kind]], left: int
    ) -> int:
        """Counts all messages directly in this part; what is inside of these is put on `todo`."""
        outer: list[_Kind] = []
        while at < end:
            tag, at = _varint(payload, at)
            number, wire = tag >> 3, tag & 7
            start, at = _value(payload, at, wire)
            if at > end:
                raise ValueError("it ends early")
            if wire == _GROUP:
                outer.append(kind)
                kind = kind.groups.get(number, _UNKNOWN)
                left -= kind.width + 1
            elif wire == _END:
                if not outer:
                    raise ValueError("a group ends that has not begun")
                kind = outer.pop()
            elif wire == _LENGTH and (inner := kind.messages.get(number)) is not None:
                left -= inner.width + 1
                todo.append((start, at, inner))
            if left < 0:
                raise ValueError("its messages have too many fields")
        return left


def _kinds(descriptor: Descriptor) -> dict[str, _Kind]:
    """All types that may be in a message, by their names."""
    kinds = {descriptor.full_name: _Kind(len(descriptor.fields))}
    todo = [descriptor]
    while todo:
        outer = todo.pop()
        for each in outer.fields:
            inner = each.message_type
            if inner is None:
                continue
            if inner.full_name not in kinds:
                kinds[inner.full_name] = _Kind(len(inner.fields))
                todo.append(inner)
            own = kinds[outer.full_name]
            by_wire = own.groups if each.type == FieldDescriptor.TYPE_GROUP else own.messages
            by_wire[each.number] = kinds[inner.full_name]
    return kinds


def _value(payload: bytes, at: int, wire: int) -> tuple[int, int]:
    """Where a value begins and ends."""
    match wire:
        case 0:
            return at, _varint(payload, at)[1]
        case 1:
            return at, at + 8
        case 2:  # _LENGTH
            length, at = _varint(payload, at)
            return at, at + length
        case 3 | 4:
            return at, at
        case 5:
            return at, at + 4
    raise ValueError(f"there is no wire type {wire}")


def _varint(payload: bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift, byte in enumerate(payload[at : at + 10]):
        value |= (byte & 127) << 7 * shift
        if byte < 128:
            return value, at + shift + 1
    raise ValueError("a number has no end")
