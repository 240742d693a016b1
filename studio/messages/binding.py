"""Which field of a message class travels where: the class and its schema, brought together as a list of slots.

A slot is one thing to write or read; the slots of a class are in the order of the bytes. Headers and other nested
structures that the class does not show dissolve into their parts, so `Odometry` is a flat list of ten slots.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from studio.messages.errors import MessageError
from studio.messages.fields import ArrayRule, ObjectRule, ObjectsRule, rules_of
from studio.messages.layout import DURATION, HEADER, NUMBERS, TIME, Layouts, WireField
from studio.messages.message import Message


class Stamp(NamedTuple):
    """An int of nanoseconds, on the wire seconds and nanoseconds."""

    name: str


class Scalar(NamedTuple):
    name: str
    letter: str
    size: int


class Dimension(NamedTuple):
    """A number that is not a field of its own: axis `axis` of the array `array`."""

    name: str
    letter: str
    size: int
    array: str
    axis: int


class Text(NamedTuple):
    name: str
    bound: int


class Block(NamedTuple):
    """An array of fixed length."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]


class Run(NamedTuple):
    """An array of any length. `tail` are the fixed axes after the first; `axes` name the axes if they travel apart."""

    name: str
    dtype: np.dtype[Any]
    bound: int
    tail: tuple[int, ...] = ()
    axes: tuple[str, ...] = ()


class TextList(NamedTuple):
    """Strings; `length` is fixed when positive."""

    name: str
    length: int
    bound: int
    text_bound: int


class Nested(NamedTuple):
    name: str
    cls: type[Message]
    slots: tuple[Slot, ...]


class NestedList(NamedTuple):
    """Nested messages; `length` is fixed when positive."""

    name: str
    cls: type[Message]
    slots: tuple[Slot, ...]
    length: int
    bound: int


Slot = Stamp | Scalar | Dimension | Text | Block | Run | TextList | Nested | NestedList

HEADER_PATHS = {"stamp_ns": "header.stamp", "frame": "header.frame_id"}


def slots_of(cls: type[Message]) -> tuple[Slot, ...]:
    """The slots of a message class, in the order of its schema."""
    layouts = cls.LAYOUTS
    if cls.SCHEMA_NAME not in layouts:
        raise MessageError(f"{cls.__name__}: the schema {cls.SCHEMA_NAME} is not known")
    return _Binder(cls, layouts).slots()


class _Binder:
    def __init__(self, cls: type[Message], layouts: Layouts) -> None:
        self.cls = cls
        self.layouts = layouts
        self.rules: dict[str, Any] = dict(rules_of(cls))
        self.names = {self._path(field.name): field.name for field in dataclasses.fields(cls)}
        self.axes = cls.SHAPE

    def _path(self, name: str) -> str:
        stamped = self.layouts[self.cls.SCHEMA_NAME].fields[:1] == (WireField("header", HEADER),)
        return self.cls.WIRE.get(name) or (HEADER_PATHS.get(name, name) if stamped else name)

    def slots(self) -> tuple[Slot, ...]:
        return tuple(self._walk(self.cls.SCHEMA_NAME, ""))

    def _walk(self, schema: str, prefix: str) -> Iterator[Slot]:
        for wire in self.layouts[schema].fields:
            path = prefix + wire.name
            if path in self.names:
                yield self._slot(wire, self.names[path])
            elif wire.type in self.layouts and wire.form == "one":
                yield from self._walk(wire.type, path + ".")
            else:
                yield self._dimension(wire, path)

    def _dimension(self, wire: WireField, path: str) -> Slot:
        for array, axes in self.axes.items():
            if path in axes:
                number = NUMBERS[wire.type]
                return Dimension(path, number.letter, number.size, array, axes.index(path))
        raise MessageError(f"{self.cls.__name__} has no field for {self.cls.SCHEMA_NAME} {path}")

    def _slot(self, wire: WireField, name: str) -> Slot:
        if wire.form == "one":
            return self._single(wire, name)
        if wire.type == "string":
            length, bound = (wire.size, 0) if wire.form == "array" else (0, wire.size)
            return TextList(name, length, bound, wire.text_bound)
        rule = self.rules[name]
        if isinstance(rule, ObjectsRule):
            return NestedList(name, rule.kind, slots_of(rule.kind), rule.length, rule.bound)
        return self._array(wire, name, rule)

    def _single(self, wire: WireField, name: str) -> Slot:
        rule = self.rules[name]
        if wire.type == "string":
            return Text(name, wire.text_bound)
        if wire.type in NUMBERS:
            number = NUMBERS[wire.type]
            return Scalar(name, number.letter, number.size)
        if wire.type in (TIME, DURATION):
            return Stamp(name)
        if isinstance(rule, ObjectRule):
            return Nested(name, rule.kind, slots_of(rule.kind))
        return self._array(wire, name, rule)

    def _array(self, wire: WireField, name: str, rule: Any) -> Slot:
        if not isinstance(rule, ArrayRule) or rule.dtype != self._number_type(wire.type):
            raise MessageError(f"{self.cls.__name__}.{name} cannot hold {wire.type} of {self.cls.SCHEMA_NAME}")
        if wire.form != "sequence":
            return Block(name, rule.dtype, rule.shape)
        axes = self.axes.get(name, ())
        return Run(name, rule.dtype, wire.size, () if axes else rule.shape[1:], axes)

    def _number_type(self, type_name: str) -> np.dtype[Any] | None:
        if type_name in NUMBERS:
            return np.dtype(NUMBERS[type_name].dtype)
        uniform = uniform_numbers(type_name, self.layouts)
        return np.dtype(NUMBERS[uniform[0]].dtype) if uniform else None


def uniform_numbers(schema: str, layouts: Layouts) -> tuple[str, int] | None:
    """The number type and count of a structure that is nothing but equal numbers, such as a Vector3; else None."""
    types = {wire.type for wire in layouts[schema].fields}
    single = all(wire.form == "one" for wire in layouts[schema].fields)
    (only,) = types if len(types) == 1 else ("",)
    return (only, len(layouts[schema].fields)) if single and only in NUMBERS else None
