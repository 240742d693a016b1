"""Message classes made from layouts: what a project's `.msg` file becomes in Python.

A header becomes `stamp_ns` and `frame`, a time `<name>_ns`, and whatever consists of x, y, z (and w) alone becomes an
array, as in the classes that Studio ships. All other structures become message classes of their own.
"""

from __future__ import annotations

import dataclasses
import keyword
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from studio.messages.errors import MessageError
from studio.messages.fields import (
    RULE,
    ArrayRule,
    Convert,
    IntegerRule,
    ObjectRule,
    ObjectsRule,
    TextRule,
    TextsRule,
    rounded,
)
from studio.messages.layout import DURATION, HEADER, NUMBERS, TIME, Layouts, WireField
from studio.messages.message import Message
from studio.messages.msg_file import line_of

_ARRAY_LIKE = (("x", "y"), ("x", "y", "z"), ("x", "y", "z", "w"))
_RESERVED = frozenset(dir(Message)) | {"LAYOUTS", "TYPE", "SCHEMA_NAME"}
LARGEST_MESSAGE = 5000
"""Fields, nested ones included: an encoder is one function, and has to stay one that Python can compile."""


class Factory:
    """Makes each class once. `classes` maps schema names to classes, and grows."""

    def __init__(
        self, layouts: Layouts, classes: dict[str, type[Message]], sources: Mapping[str, tuple[Path, str]] | None = None
    ) -> None:
        """`sources` are the files and texts of the schemas, for error messages."""
        self.layouts = layouts
        self.classes = classes
        self.sources = sources or {}
        self._sizes: dict[str, int] = {}

    def make(self, schema_name: str) -> type[Message]:
        if schema_name not in self.classes:
            if self.size(schema_name) > LARGEST_MESSAGE:
                raise self._error(
                    schema_name, "", f"there are more than {LARGEST_MESSAGE} fields, nested ones included"
                )
            self.classes[schema_name] = self._class(schema_name)
        return self.classes[schema_name]

    def size(self, schema_name: str) -> int:
        """How many fields a message has in all."""
        if schema_name not in self._sizes:
            nested = (field.type for field in self.layouts[schema_name].fields if field.type in self.layouts)
            self._sizes[schema_name] = len(self.layouts[schema_name].fields) + sum(map(self.size, nested))
        return self._sizes[schema_name]

    def _class(self, schema_name: str) -> type[Message]:
        layout = self.layouts[schema_name]
        short = schema_name.rpartition("/")[2]
        fields, wire = self._fields(schema_name)
        space: dict[str, Any] = {
            "__doc__": f"{schema_name}, from its .msg file.",
            "__module__": __name__,
            "TYPE": short,
            "SCHEMA_NAME": schema_name,
            "WIRE": wire,
            "LAYOUTS": self.layouts,
        }
        space |= {python_name(constant.name): constant.value for constant in layout.constants}
        return dataclasses.make_dataclass(
            short, fields, bases=(Message,), namespace=space, frozen=True, eq=False, repr=False, kw_only=True
        )

    def _fields(self, schema_name: str) -> tuple[list[tuple[str, Any, Any]], dict[str, str]]:
        fields: list[tuple[str, Any, Any]] = []
        wire_paths: dict[str, str] = {}
        for wire, path in self._shown(schema_name):
            name = _name_for(wire, path)
            if name in wire_paths:
                problem = f"{path} and {wire_paths[name]} are both {name} in Python; rename one"
                raise self._error(schema_name, wire.name, problem)
            wire_paths[name] = path
            fields.append((name, Any, self._dataclass_field(schema_name, wire)))
        return fields, wire_paths

    def _error(self, schema_name: str, field: str, problem: str) -> MessageError:
        file, text = self.sources.get(schema_name, (None, ""))
        return MessageError(problem if file else f"{schema_name}: {problem}", file=file, line=line_of(text, field))

    def _shown(self, schema_name: str) -> list[tuple[WireField, str]]:
        """The fields that users see, with their paths: a header is opened, everything else is as in the schema."""
        shown: list[tuple[WireField, str]] = []
        for wire in self.layouts[schema_name].fields:
            if wire == WireField("header", HEADER):
                shown += [(WireField("stamp", TIME), "header.stamp"), (WireField("frame", "string"), "header.frame_id")]
            else:
                shown.append((wire, wire.name))
        return shown

    def _dataclass_field(self, schema_name: str, wire: WireField) -> Any:
        rule, start = self._one(wire) if wire.form == "one" else self._many(wire)
        try:
            value = rule(start if wire.default is None else wire.default)
        except (MessageError, TypeError, ValueError) as error:
            problem = f"the default of {wire.name}, {wire.default!r}, does not fit its type"
            raise self._error(schema_name, wire.name, problem) from error
        return dataclasses.field(default_factory=lambda: value, metadata={RULE: rule})

    def _one(self, wire: WireField) -> tuple[Convert, Any]:
        if wire.type == "string":
            return TextRule(wire.text_bound), ""
        if wire.type in NUMBERS:
            return _number_rule(wire.type), 0
        if wire.type in (TIME, DURATION):
            return IntegerRule(-(2**31) * 10**9, 2**31 * 10**9 - 1), 0
        array = self._array_like(wire.type)
        if array:
            return ArrayRule(array[0], (array[1],)), _rest_position(array[1], array[0])
        kind = self.make(wire.type)
        return ObjectRule(kind), kind()

    def _many(self, wire: WireField) -> tuple[Convert, Any]:
        length, bound = (wire.size, 0) if wire.form == "array" else (0, wire.size)
        if wire.type == "string":
            return TextsRule(length, bound, TextRule(wire.text_bound)), [""] * length
        array = self._array_like(wire.type)
        if array or wire.type in NUMBERS:
            dtype, tail = (array[0], array[1:]) if array else (np.dtype(NUMBERS[wire.type].dtype), ())
            return ArrayRule(dtype, (length or -1, *tail), bound), np.zeros((length, *tail), dtype)
        kind = self.make(wire.type)
        return ObjectsRule(kind, length, bound), (kind(),) * length

    def _array_like(self, schema_name: str) -> tuple[np.dtype[Any], int] | None:
        """The number type and the count of a structure that consists of x, y, z alone."""
        fields = self.layouts[schema_name].fields if schema_name in self.layouts else ()
        names = tuple(field.name for field in fields)
        kinds = {(field.type, field.form, field.default) for field in fields}
        if names not in _ARRAY_LIKE or len(kinds) != 1 or fields[0].type not in NUMBERS or fields[0].form != "one":
            return None
        return np.dtype(NUMBERS[fields[0].type].dtype), len(fields)


def _name_for(wire: WireField, path: str) -> str:
    timed = wire.type in (TIME, DURATION) and wire.form == "one" and not wire.name.endswith("_ns")
    return python_name(wire.name + "_ns" if timed else wire.name)


def python_name(name: str) -> str:
    """Names that Python or every message has already used get an underscore at the end."""
    return name + "_" if keyword.iskeyword(name) or name in _RESERVED else name


def _number_rule(type_name: str) -> Convert:
    dtype = np.dtype(NUMBERS[type_name].dtype)
    if dtype.kind == "b":
        return bool
    if dtype.kind == "f":
        return rounded if dtype.itemsize == 4 else float
    limits = np.iinfo(dtype)
    return IntegerRule(int(limits.min), int(limits.max))


def _rest_position(count: int, dtype: np.dtype[Any]) -> Any:
    """Zeros; but four are a quaternion, and the one that does not turn is 0, 0, 0, 1."""
    return np.array([0, 0, 0, 1] if count == 4 else [0] * count, dtype)
