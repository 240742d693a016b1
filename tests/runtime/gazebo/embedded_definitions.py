"""Definitions of messages as a compiled library has them in its data: no headers are needed to compare with them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from google.protobuf import descriptor_pb2
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import DecodeError

Fields = dict[int, tuple[str, int, bool]]
"""By number: name, type, and whether it is repeated."""


def definitions_in(library: Path) -> dict[str, Fields]:
    found: dict[str, Fields] = {}
    for file in _files(library.read_bytes()):
        for message in file.message_type:
            found |= definitions_of(message.name, message)
    return found


def definitions_of(path: str, message: descriptor_pb2.DescriptorProto) -> dict[str, Fields]:
    """With those inside it."""
    repeated = descriptor_pb2.FieldDescriptorProto.LABEL_REPEATED
    found: dict[str, Fields] = {
        path: {each.number: (each.name, kind_of(each.type), each.label == repeated) for each in message.field}
    }
    for nested in message.nested_type:
        found |= definitions_of(f"{path}.{nested.name}", nested)
    return found


def wrong_in(ours: Descriptor, path: str, known: dict[str, Fields]) -> Iterator[str]:
    """Fields of ours that are not as they are known."""
    for field in ours.fields:
        found = known.get(path, {}).get(field.number)
        mine = (field.name, kind_of(field.type), field.is_repeated)
        if found != mine:
            yield f"{path}.{field.name}: {mine}, installed {found}"


def kind_of(kind: int) -> int:
    """Enumerations are read as numbers."""
    return FieldDescriptor.TYPE_INT32 if kind == FieldDescriptor.TYPE_ENUM else kind


def _files(data: bytes) -> Iterator[descriptor_pb2.FileDescriptorProto]:
    for start in re.finditer(rb"(?s)\x0a.[\w/]+\.proto\x12", data):
        end = _end(data, start.start())
        try:
            yield descriptor_pb2.FileDescriptorProto.FromString(data[start.start() : end])
        except DecodeError:
            continue


def _end(data: bytes, at: int) -> int:
    """Where the fields of a FileDescriptorProto end: its length is not written before it."""
    while data[at] >> 3 in range(1, 13) and data[at] & 7 in (0, 2):
        has_length, length, shift, next_at = data[at] & 7 == 2, 0, 0, at + 1
        while True:
            length |= (data[next_at] & 127) << shift
            shift, next_at = shift + 7, next_at + 1
            if data[next_at - 1] < 128:
                break
        if has_length and next_at + length > len(data):
            break
        at = next_at + (length if has_length else 0)
    return at
