"""Protobuf messages from a compact table, without generated code and without an installed Gazebo.

    Time: 1 sec int64, 2 nsec int32
    Header: 1 stamp Time, 2 data* Header.Map

A line is a message, and indented lines go on with it; a field is its number, its name (`*`: repeated) and its type.
Fields that a table leaves out are skipped when a message is read, and enumerations are `int32`: a value that a later
version added must be no error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.descriptor import Descriptor
from google.protobuf.message import DecodeError, Message

from studio.errors import StudioError

_Field = descriptor_pb2.FieldDescriptorProto
_SCALARS = {
    "double": _Field.TYPE_DOUBLE,
    "float": _Field.TYPE_FLOAT,
    "int32": _Field.TYPE_INT32,
    "int64": _Field.TYPE_INT64,
    "uint32": _Field.TYPE_UINT32,
    "uint64": _Field.TYPE_UINT64,
    "sint32": _Field.TYPE_SINT32,
    "bool": _Field.TYPE_BOOL,
    "string": _Field.TYPE_STRING,
    "bytes": _Field.TYPE_BYTES,
}


class SchemaError(StudioError):
    """A type that no table has, or bytes that are not of the type."""


class Schema:
    """The message classes of one family. `prefix` is what the family puts before a name, for example `gz.msgs.`."""

    def __init__(self, prefix: str, table: str, *, syntax: str = "proto3") -> None:
        self.prefix = prefix
        package = prefix.rstrip(".")
        file = descriptor_pb2.FileDescriptorProto(name=f"{package}.proto", package=package, syntax=syntax)
        for name, fields in _lines(table):
            _add_message(file, package, name, fields)
        pool = descriptor_pool.DescriptorPool()
        pool.Add(file)
        self._classes = {
            each.name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{package}.{each.name}"))
            for each in file.message_type
        }

    def __contains__(self, type_name: object) -> bool:
        return isinstance(type_name, str) and self.short(type_name) in self._classes

    def names(self) -> list[str]:
        return sorted(self._classes)

    def full(self, name: str) -> str:
        """`LaserScan` as it is written on the wire."""
        return self.prefix + name

    def short(self, type_name: str) -> str:
        return type_name.rpartition(".")[2] if "." in type_name else type_name

    def new(self, name: str, /, **fields: Any) -> Any:
        """A message. Its fields depend on the table, so its type cannot be known to a type checker."""
        return self._class(name)(**fields)

    def read(self, name: str, payload: bytes) -> Any:
        try:
            return self._class(name).FromString(payload)
        except DecodeError as error:
            raise SchemaError(f"{len(payload)} bytes are not a {self.full(name)}: {error}") from None

    def descriptor(self, name: str) -> Descriptor:
        return self._class(name).DESCRIPTOR

    def _class(self, name: str) -> type[Message]:
        found: type[Message] | None = self._classes.get(self.short(name))
        if found is None:
            raise SchemaError(f"the type {name} is not known here", hint="its bytes can be passed on, but not read")
        return found


def _lines(table: str) -> Iterator[tuple[str, list[str]]]:
    for line in re.sub(r"\n[ ]+", " ", table.strip()).splitlines():
        name, _, fields = line.partition(":")
        yield name.strip(), [field.strip() for field in fields.split(",") if field.strip()]


def _add_message(file: descriptor_pb2.FileDescriptorProto, package: str, name: str, fields: list[str]) -> None:
    outer, _, inner = name.rpartition(".")
    parents = {each.name: each for each in file.message_type}
    message = parents[outer].nested_type.add() if outer else file.message_type.add()
    message.name = inner
    for field in fields:
        number, label, kind = field.split()
        added = message.field.add(name=label.rstrip("*"), number=int(number))
        added.label = _Field.LABEL_REPEATED if label.endswith("*") else _Field.LABEL_OPTIONAL
        if kind in _SCALARS:
            added.type = _SCALARS[kind]
        else:
            added.type = _Field.TYPE_MESSAGE
            added.type_name = f".{package}.{kind}"
