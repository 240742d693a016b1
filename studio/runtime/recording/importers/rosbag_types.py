"""Types of the messages in a bag, and their bytes as CDR. What a file says is checked before code is made from it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from rosbags.interfaces import Connection, MessageDefinitionFormat
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from studio.messages import MessageError
from studio.runtime.recording.format.errors import LogError
from studio.runtime.recording.format.mcap_records import NO_SCHEMA, Schema
from studio.runtime.recording.importers.packed import plain
from studio.runtime.recording.importers.ros1_names import BUILTIN, ros2_definition
from studio.runtime.recording.importers.services import defines

_TYPE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*/(msg|srv|action)/[A-Za-z][A-Za-z0-9_]*")
_LARGEST_DEFINITION = 1_000_000
_ENCODINGS = {MessageDefinitionFormat.MSG: "ros2msg", MessageDefinitionFormat.IDL: "ros2idl"}

ToCdr = Callable[[Any], bytes | memoryview]


class Described(NamedTuple):
    """What the messages of a topic are, and how each becomes CDR."""

    schema: Schema
    to_cdr: ToCdr


def described_ros2(connection: Connection, samples: Iterable[bytes]) -> Described:
    """A topic of a ROS 2 bag by the definition that the bag has of it; without a schema if it has none."""
    check_name(connection.msgtype)
    encoding, text = _ENCODINGS.get(connection.msgdef.format), connection.msgdef.data
    if encoding is None or not defines(connection.msgtype, text, samples):
        return Described(NO_SCHEMA, plain)
    return Described(Schema(1, connection.msgtype, encoding, text.encode()), plain)


def check_name(name: str) -> None:
    """A damaged database may have anything in the place of a text."""
    if not _TYPE_NAME.fullmatch(str(name)):
        raise LogError(f"{str(name)[:60]!r} is not the name of a message type")


def described_ros1(name: str, text: str) -> Described:
    """A type as ROS 1 defines it (`tf/msg/tfMessage`), with the names and the bytes that it has in ROS 2."""
    check_name(name)
    if len(text) > _LARGEST_DEFINITION:
        raise LogError(f"the definition of {name} is too long")
    own, definition = ros2_definition(name.replace("/msg/", "/"), text)
    schema = Schema(1, own.replace("/", "/msg/"), "ros2msg", definition.encode())
    store = _store_of(schema.name, definition)

    def to_cdr(data: bytes | memoryview) -> bytes:
        try:
            return bytes(store.ros1_to_cdr(bytes(data), schema.name))
        except Exception as error:  # rosbags raises its own and several others
            raise MessageError(f"these {len(data)} bytes are no {name}: {error}") from error

    return Described(schema, to_cdr)


def _store_of(name: str, definition: str) -> Any:
    """Of its own: in one bag, one name may stand for a type as it was and as it is."""
    known, store = get_typestore(Stores.LATEST), get_typestore(Stores.EMPTY)
    of_ros2 = {builtin.replace("/", "/msg/") for builtin in BUILTIN}
    for builtin in of_ros2:
        store.fielddefs[builtin], store.types[builtin] = known.fielddefs[builtin], known.types[builtin]
    for each, parsed in get_types_from_msg(definition, name).items():
        if each not in of_ros2:
            # Not by `register`, which runs the whole definition as code to make classes that nobody needs here.
            store.fielddefs[each], store.types[each] = parsed, object  # type: ignore[assignment]
    return store
