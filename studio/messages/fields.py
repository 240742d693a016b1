"""How a field of a message takes what a user hands in: lists become arrays, shapes and kinds are checked.

Every field has a default, and the default says what the field holds: `0.0` a float, `array(np.float64, 3)` an array of
three. `Array` and `Texts` exist for type checkers only: they tell them that a list may go in and an array comes out.
"""

from __future__ import annotations

import dataclasses
import operator
import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from studio.messages.errors import MessageError

S = TypeVar("S", bound=np.generic)
Convert = Callable[[Any], Any]
RULE = "studio.rule"


class Array(Generic[S]):
    """Type of an array field. Never instantiated: messages hold plain numpy arrays."""

    def __get__(self, instance: object, owner: type | None = None) -> NDArray[S]:
        raise NotImplementedError

    def __set__(self, instance: object, value: ArrayLike) -> None:
        raise NotImplementedError


class Texts:
    """Type of a field that holds a tuple of strings. Never instantiated."""

    def __get__(self, instance: object, owner: type | None = None) -> tuple[str, ...]:
        raise NotImplementedError

    def __set__(self, instance: object, value: Iterable[str]) -> None:
        raise NotImplementedError


@dataclass(eq=False, repr=False)
class ArrayRule:
    """Takes what numpy can turn into `dtype` without loss of kind; -1 in `shape` is any length."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    bound: int = 0

    def __call__(self, value: Any) -> NDArray[Any]:
        fits = type(value) is np.ndarray and value.dtype == self.dtype
        taken = value if fits else self._converted(value)
        if taken.shape != self.shape:
            self._check_shape(taken)
        return read_only(taken)

    def _converted(self, value: Any) -> NDArray[Any]:
        try:
            given = np.asarray(value)
        except ValueError as error:
            raise MessageError(f"needs {self}, got rows of different lengths") from error
        if given.size == 0:
            return np.zeros(self._empty_shape(given), self.dtype)
        if not np.can_cast(given.dtype, self.dtype, "same_kind"):
            self._check_kind(given)
        self._check_integer_range(given)
        return given.astype(self.dtype)

    def _empty_shape(self, given: NDArray[Any]) -> tuple[int, ...]:
        """`[]` is a fine empty list of rows, though numpy cannot know how long its rows would be."""
        if given.ndim == 1 and self.shape[:1] == (-1,):
            return (0, *(max(0, length) for length in self.shape[1:]))
        return given.shape

    def _check_kind(self, given: NDArray[Any]) -> None:
        """A list of whole numbers has numpy's signed kind, which is right for an unsigned field as well."""
        if not (given.dtype.kind in "iu" and self.dtype.kind in "iu"):
            raise MessageError(f"needs {self}, got {given.dtype}")

    def _check_integer_range(self, given: NDArray[Any]) -> None:
        if self.dtype.kind not in "iu":
            return
        limits = np.iinfo(self.dtype)
        low, high = int(given.min()), int(given.max())
        if low < limits.min or high > limits.max:
            raise MessageError(f"needs {self}: {limits.min} to {limits.max}, got {low} to {high}")

    def _check_shape(self, taken: NDArray[Any]) -> None:
        fits = taken.ndim == len(self.shape) and all(
            want in (-1, got) for want, got in zip(self.shape, taken.shape, strict=True)
        )
        if not fits:
            raise MessageError(f"needs {self}, got shape {shape_text(taken.shape)}")
        if self.bound and len(taken) > self.bound:
            raise MessageError(f"takes at most {self.bound} elements, got {len(taken)}")

    def __str__(self) -> str:
        return f"{self.dtype} of shape {shape_text(self.shape)}"


@dataclass(eq=False, repr=False)
class TextsRule:
    """Takes any iterable of strings; `length` is fixed when positive, `bound` the most that is allowed."""

    length: int = 0
    bound: int = 0
    text: Convert | None = None

    def __call__(self, value: Any) -> tuple[str, ...]:
        if isinstance(value, str):
            raise MessageError(f"needs a list of strings, got the string {value!r}")
        texts = tuple(map(self.text or text, value))
        check_count(len(texts), self.length, self.bound)
        return texts


@dataclass(eq=False, repr=False)
class TextRule:
    """A string of at most `bound` bytes of UTF-8."""

    bound: int = 0

    def __call__(self, value: Any) -> str:
        taken = text(value)
        if self.bound and len(taken.encode("utf-8", "surrogatepass")) > self.bound:
            raise MessageError(f"takes at most {self.bound} bytes, got {len(taken)} characters")
        return taken


@dataclass(eq=False, repr=False)
class IntegerRule:
    """A whole number within what its type can hold."""

    low: int
    high: int

    def __call__(self, value: Any) -> int:
        taken = operator.index(value)
        if not self.low <= taken <= self.high:
            raise MessageError(f"takes {self.low} to {self.high}, got {taken}")
        return taken


@dataclass(eq=False, repr=False)
class ObjectRule:
    """A nested message of one class."""

    kind: type

    def __call__(self, value: Any) -> Any:
        if not isinstance(value, self.kind):
            raise MessageError(f"needs a {self.kind.__name__}, got {type(value).__name__}")
        return value


@dataclass(eq=False, repr=False)
class ObjectsRule:
    """A list of nested messages of one class; `length` is fixed when positive."""

    kind: type
    length: int = 0
    bound: int = 0

    def __call__(self, value: Any) -> tuple[Any, ...]:
        objects = tuple(map(ObjectRule(self.kind), value))
        check_count(len(objects), self.length, self.bound)
        return objects


_FLOAT32 = struct.Struct("<f")


def rounded(value: Any) -> float:
    """A number that travels as float32 is rounded at once, so that it equals what arrives."""
    (taken,) = _FLOAT32.unpack(_FLOAT32.pack(float(value)))
    return float(taken)


def check_count(count: int, length: int, bound: int) -> None:
    if length and count != length:
        raise MessageError(f"needs {length} elements, got {count}")
    if bound and count > bound:
        raise MessageError(f"takes at most {bound} elements, got {count}")


def text(value: Any) -> str:
    if not isinstance(value, str):
        raise MessageError(f"needs a string, got {type(value).__name__}")
    return value


def read_only(values: NDArray[Any]) -> NDArray[Any]:
    """A read-only view in C order, so that the codec may copy it in one piece. The caller's array stays writable."""
    flags = values.flags
    if not flags.c_contiguous:
        values = np.array(values, order="C")
    elif flags.writeable:
        values = values.view()
    else:
        return values
    values.setflags(write=False)  # in half of the time that `flags.writeable = False` takes; it runs for every array
    return values


def shape_text(shape: tuple[int, ...]) -> str:
    return (
        "(" + ", ".join("N" if length < 0 else str(length) for length in shape) + ("," if len(shape) == 1 else "") + ")"
    )


def array(dtype: type[S], *shape: int, default: ArrayLike | None = None) -> Array[S]:
    """An array field. -1 in `shape` is any length. The default is zeros, or nothing where a length is open."""
    rule = ArrayRule(np.dtype(dtype), shape)
    start = np.zeros([max(0, length) for length in shape], dtype) if default is None else np.array(default, dtype)
    return cast("Array[S]", ruled(rule, start))


def texts() -> Texts:
    """A field that holds any number of strings."""
    return cast("Texts", dataclasses.field(default=(), metadata={RULE: TextsRule()}))


def float32(default: float = 0.0) -> float:
    """A field that holds one number of single precision."""
    return dataclasses.field(default=rounded(default), metadata={RULE: rounded})


def ruled(rule: Convert, start: Any) -> Any:
    """A dataclass field whose default is shared: rules return immutable values."""
    value = rule(start)
    return dataclasses.field(default_factory=lambda: value, metadata={RULE: rule})


_SCALARS: dict[type, Convert] = {bool: bool, int: operator.index, float: float, str: text}


def rules_of(cls: type) -> tuple[tuple[str, Convert], ...]:
    """The conversion of each field of a message class, from its metadata or from the type of its default."""
    return tuple(
        (field.name, field.metadata.get(RULE) or _SCALARS[type(field.default)]) for field in dataclasses.fields(cls)
    )
