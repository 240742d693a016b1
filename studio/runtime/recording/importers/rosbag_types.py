"""Definitions of the messages in a bag. What stands in a file is checked before code is made from it."""

from __future__ import annotations

import re
from typing import Any

from rosbags.interfaces import Connection, MessageDefinitionFormat
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from studio.messages import MessageTypes
from studio.runtime.recording.errors import LogError
from studio.runtime.recording.mcap_records import NO_SCHEMA, Schema

_TYPE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*/msg/[A-Za-z][A-Za-z0-9_]*")
_FIELD_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LARGEST_DEFINITION = 1_000_000
_OF_ROS2 = ("std_msgs/msg/Header", "builtin_interfaces/msg/Time", "builtin_interfaces/msg/Duration")
"""These differ between ROS 1 and ROS 2, and rosbags converts them."""
_ENCODINGS = {MessageDefinitionFormat.MSG: "ros2msg", MessageDefinitionFormat.IDL: "ros2idl"}


def schema_of(connection: Connection) -> Schema:
    """The schema of a topic of a ROS 2 bag. Bags before 2023 do not bring it along."""
    check_name(connection.msgtype)
    encoding = _ENCODINGS.get(connection.msgdef.format)
    if encoding is not None:
        return Schema(1, connection.msgtype, encoding, connection.msgdef.data.encode())
    types = MessageTypes.builtin()
    kind = types.find_schema(connection.msgtype)
    if kind is not None:
        return Schema(1, connection.msgtype, "ros2msg", types.schema_text(kind).encode())
    store = get_typestore(Stores.LATEST)
    if connection.msgtype not in store.fielddefs:
        return NO_SCHEMA
    text, _ = store.generate_msgdef(connection.msgtype, ros_version=2)
    return Schema(1, connection.msgtype, "ros2msg", text.encode())


def check_name(name: str) -> None:
    if not _TYPE_NAME.fullmatch(name):
        raise LogError(f"{name[:60]!r} is no name of a message type")


class Ros1Types:
    """Types as a ROS 1 bag defines them: converts their messages to CDR."""

    def __init__(self) -> None:
        known = get_typestore(Stores.LATEST)
        self._store: Any = get_typestore(Stores.EMPTY)
        for name in _OF_ROS2:
            self._store.fielddefs[name], self._store.types[name] = known.fielddefs[name], known.types[name]

    def add(self, connection: Connection) -> Schema:
        check_name(connection.msgtype)
        if len(connection.msgdef.data) > _LARGEST_DEFINITION:
            raise LogError(f"the definition of {connection.msgtype} is too long")
        for name, (constants, fields) in get_types_from_msg(connection.msgdef.data, connection.msgtype).items():
            check_name(name)
            for field in [constant[0] for constant in constants] + [field[0] for field in fields]:
                if not _FIELD_NAME.fullmatch(field):
                    raise LogError(f"{field[:60]!r} of {name} is no name of a field")
            if name not in _OF_ROS2:
                # Not by `register`, which runs the whole definition as code to make classes that nobody needs here.
                self._store.fielddefs.setdefault(name, (constants, fields))
                self._store.types.setdefault(name, object)
        text, _ = self._store.generate_msgdef(connection.msgtype, ros_version=2)
        return Schema(1, connection.msgtype, "ros2msg", text.encode())

    def to_cdr(self, data: bytes, name: str) -> bytes:
        return bytes(self._store.ros1_to_cdr(data, name))
