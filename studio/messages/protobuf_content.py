"""Messages in Protobuf by the descriptors in a log: what they hold, for viewers and plots.

Descriptors and messages come from anywhere, so whatever is wrong with them is a `MessageError`. The JSON of Protobuf
would not do: its 64-bit numbers, times and NaN are texts, which cannot be plotted.
"""

from __future__ import annotations

from collections.abc import MutableSequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Any

import numpy as np
from google.protobuf import descriptor_pool, message_factory
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.message import DecodeError, Message

from studio.messages.errors import MessageError
from studio.messages.named_content import NamedContent, NamedNumber
from studio.messages.protobuf_scan import Scan

LARGEST_SET = 4_000_000
LARGEST_MESSAGE = 64_000_000
MOST_VALUES = 100_000
"""In one message, a quarter of a second's work. An array of numbers or bytes is one value, as is a list by itself."""
MOST_FIELDS = 10 * MOST_VALUES
"""Of all messages in one, which take memory before they are values."""
_ODD = (AttributeError, KeyError, TypeError, ValueError, RecursionError)
"""What the library raises of descriptors that no compiler wrote."""
_KINDS = {
    FieldDescriptor.CPPTYPE_DOUBLE: np.float64,
    FieldDescriptor.CPPTYPE_FLOAT: np.float32,
    FieldDescriptor.CPPTYPE_INT32: np.int32,
    FieldDescriptor.CPPTYPE_INT64: np.int64,
    FieldDescriptor.CPPTYPE_UINT32: np.uint32,
    FieldDescriptor.CPPTYPE_UINT64: np.uint64,
    FieldDescriptor.CPPTYPE_BOOL: np.bool_,
}


class ProtobufReader:
    """Reads the messages of one type."""

    def __init__(self, name: str, descriptors: bytes) -> None:
        """`descriptors`: a serialized FileDescriptorSet with the file of the type and all that it imports."""
        self.name = name
        self._descriptor = _descriptor(name, descriptors)
        self._class = message_factory.GetMessageClass(self._descriptor)
        self._scan = Scan(self._descriptor)
        self._fields: dict[str, list[_Field]] = {}

    def content(self, payload: bytes | memoryview) -> NamedContent:
        if len(payload) > LARGEST_MESSAGE:
            raise MessageError(f"a {self.name} of {len(payload)} bytes is too large to be shown")
        try:
            payload = bytes(payload)
            self._scan.check(payload, MOST_FIELDS)
            message = self._class.FromString(payload)
            return NamedContent(self.name, _Walk(self._fields).message(message, self._descriptor))
        except (DecodeError, *_ODD) as error:
            raise MessageError(f"{len(payload)} bytes cannot be read as {self.name}: {error}") from None


@dataclass(frozen=True)
class _Field:
    name: str
    descriptor: FieldDescriptor
    has_presence: bool
    numbers: Any
    """The element type of an array of it; None where it is no number."""
    choices: dict[int, NamedNumber]
    """Of an enumeration."""
    of_values: _Field | None
    """The values of a map."""


class _Walk:
    """From the message of the library to plain values."""

    def __init__(self, known: dict[str, list[_Field]]) -> None:
        self._known = known
        self._left = MOST_VALUES

    def message(self, message: Message, descriptor: Descriptor) -> dict[str, Any]:
        # By its class: a field may have the name of a method.
        is_set = type(message).HasField
        found: dict[str, Any] = {}
        for field in self._fields_of(descriptor):
            is_absent = field.has_presence and not is_set(message, field.name)
            found[field.name] = self._one(None, field) if is_absent else self._any(getattr(message, field.name), field)
        return found

    def _fields_of(self, descriptor: Descriptor) -> list[_Field]:
        if descriptor.full_name not in self._known:
            self._known[descriptor.full_name] = [_field(each) for each in descriptor.fields]
        return self._known[descriptor.full_name]

    def _any(self, value: Any, field: _Field) -> Any:
        if field.of_values is None and not isinstance(value, MutableSequence):
            return self._one(value, field)
        self._spend()  # also one that is empty
        if field.of_values is not None:
            return {_key(key): self._one(value[key], field.of_values) for key in value}
        if field.numbers is not None:
            return np.array(value, dtype=field.numbers)
        return [self._one(each, field) for each in value]

    def _one(self, value: Any, field: _Field) -> Any:
        self._spend()
        if isinstance(value, Message):
            return self.message(value, field.descriptor.message_type)
        if isinstance(value, bytes):
            return np.frombuffer(value, np.uint8)
        return field.choices.get(value, value) if field.choices else value

    def _spend(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise ValueError(f"it has more than {MOST_VALUES} values")


def _field(field: FieldDescriptor) -> _Field:
    enum, inner = field.enum_type, field.message_type
    # The first of several names of one number is its own.
    names = {each.number: each.name for each in reversed(enum.values)} if enum is not None else {}
    choices = {number: NamedNumber.of(number, name) for number, name in names.items()}
    is_map = inner is not None and inner.GetOptions().map_entry
    of_values = _field(inner.fields_by_name["value"]) if is_map else None
    return _Field(field.name, field, field.has_presence, _KINDS.get(field.cpp_type), choices, of_values)


def _key(key: Any) -> str:
    return str(key).lower() if isinstance(key, bool) else str(key)


def _descriptor(name: str, descriptors: bytes) -> Descriptor:
    if len(descriptors) > LARGEST_SET:
        raise MessageError(f"the description of {name} is larger than {LARGEST_SET // 1_000_000} MB")
    pool = descriptor_pool.DescriptorPool()
    try:
        files = {file.name: file for file in FileDescriptorSet.FromString(descriptors).file}
        for each in TopologicalSorter({key: file.dependency for key, file in files.items()}).static_order():
            if each in files:  # what is missing, and needed, the library names
                pool.AddSerializedFile(files[each].SerializeToString())
        return pool.FindMessageTypeByName(name)
    except CycleError:
        raise MessageError(f"the description of {name} in the log has files that import each other") from None
    except KeyError:
        raise MessageError(f"the description in the log has no message {name}") from None
    except (DecodeError, *_ODD) as error:
        raise MessageError(f"the description of {name} in the log is damaged: {error}") from None
