"""What all messages share: they are values. They cannot be changed, compare by content and print short."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, ClassVar, Self, TypeVar, dataclass_transform

import numpy as np

from studio.messages.errors import MessageError
from studio.messages.fields import rules_of, shape_text
from studio.messages.layout import BUILTIN, Layouts


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Message:
    """Base of every message class.

    Two messages are equal when they have the same class and the same values; NaN equals NaN, because a message that
    went through a log has to equal the one that was sent. Messages hold arrays, so they are not hashable.
    """

    TYPE: ClassVar[str]
    """The short name that ports use: `Range3d`."""
    SCHEMA_NAME: ClassVar[str]
    """The ROS 2 name of what travels: `sensor_msgs/msg/PointCloud2`."""
    WIRE: ClassVar[dict[str, str]] = {}
    """Where a field is found in the schema, when not under its own name: `{"position": "pose.pose.position"}`."""

    SHAPE: ClassVar[dict[str, tuple[str, ...]]] = {}
    """For an array that travels flat: the schema's fields that tell its axes (numbers, or a list that is as long)."""

    LAYOUTS: ClassVar[Layouts] = BUILTIN
    """Where the schema and those it refers to are found."""

    _rules: ClassVar[tuple[tuple[str, Callable[[Any], Any]], ...]] = ()

    def __post_init__(self) -> None:
        cls = type(self)
        values = self.__dict__
        for name, convert in cls.__dict__.get("_rules") or _learn_rules(cls):
            try:
                values[name] = convert(values[name])
            except MessageError as error:
                raise MessageError(f"{cls.__name__}.{name} {error.message}") from error
            except (TypeError, ValueError, OverflowError) as error:
                raise MessageError(f"{cls.__name__}.{name}: {error}") from error
        self.verify()

    def verify(self) -> None:
        """Check what concerns more than one field; also called for every message that is decoded."""

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields changed: `message.replace(stamp_ns=self.now())`."""
        try:
            return dataclasses.replace(self, **changes)
        except TypeError as error:
            names = ", ".join(self.__dict__)
            raise MessageError(f"{type(self).__name__}: {error}", hint=f"its fields are {names}") from error

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        theirs = other.__dict__
        return all(same_value(value, theirs[name]) for name, value in self.__dict__.items())

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={short(value)}" for name, value in self.__dict__.items())
        return f"{type(self).__name__}({inside})"


M = TypeVar("M", bound=Message)


@dataclass_transform(frozen_default=True, eq_default=False, kw_only_default=True)
def message(cls: type[M]) -> type[M]:
    """Makes a message class of a class body; all its fields are given by name."""
    return dataclasses.dataclass(frozen=True, eq=False, repr=False, kw_only=True)(cls)


@dataclass_transform(frozen_default=True, eq_default=False)
def bare_message(cls: type[M]) -> type[M]:
    """As `message`, for classes so small that their fields need no names: `Float64(1.5)`."""
    return dataclasses.dataclass(frozen=True, eq=False, repr=False)(cls)


def like(template: M, **values: Any) -> M:
    """As `template.replace(**values)`, without a look at the values: for devices that send hundreds of messages a
    second, all made of the same pieces. Arrays have to be of the field's type and shape, in C order and read-only."""
    made = object.__new__(type(template))
    object.__setattr__(made, "__dict__", {**template.__dict__, **values})
    return made


def field_names(cls: type[Message]) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(cls))


def _learn_rules(cls: type[Message]) -> tuple[tuple[str, Callable[[Any], Any]], ...]:
    cls._rules = rules_of(cls)
    return cls._rules


def same_value(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray):
        return one.shape == other.shape and bool(np.array_equal(one, other, equal_nan=one.dtype.kind == "f"))
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same_value, one, other))
    return bool(one == other) or (one != one and other != other)


def short(value: Any) -> str:
    """Small arrays in full, large ones as `float32(361, 4)`."""
    if isinstance(value, np.ndarray):
        if value.size > 4:
            return f"{value.dtype}{shape_text(value.shape)}"
        return np.array2string(value, precision=6, separator=", ").replace("\n", "")
    if isinstance(value, tuple) and len(value) > 4:
        return f"({short(value[0])}, ... {len(value)} in all)"
    written = repr(value)
    return written if len(written) <= 60 else written[:57] + "..."
