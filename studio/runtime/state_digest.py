"""Digests of values: equal for equal contents, in every process. "The same state" is judged by them.

Pickled bytes would not do: they differ with the order of a set, and with which of two equal objects is which.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Iterator, Mapping, Set
from enum import Enum
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import numpy as np

DIGEST_BYTES = 16
_DOUBLE = struct.Struct("<d")


def digest_of(value: Any) -> str:
    return _digest(value, []).hex()


class OutputDigests:
    """Everything that was published on each topic, in its order, as one running digest."""

    def __init__(self) -> None:
        self._topics: dict[str, bytes] = {}

    def add(self, topic: str, sequence: int, stamp_ns: int, payload: bytes | memoryview) -> None:
        digest = hashlib.blake2b(self._topics.get(topic, b""), digest_size=DIGEST_BYTES)
        digest.update(struct.pack("<Qq", sequence, stamp_ns))
        digest.update(payload)
        self._topics[topic] = digest.digest()

    def of(self, topics: Iterable[str]) -> str:
        """One digest for several topics."""
        return digest_of({topic: self._topics[topic] for topic in topics if topic in self._topics})

    def checkpoint(self) -> dict[str, bytes]:
        return dict(self._topics)

    def restore(self, saved: Mapping[str, bytes]) -> None:
        self._topics = dict(saved)


def _digest(value: Any, above: list[int]) -> bytes:
    """`above`: the values that this one is inside of; one that contains itself is named by its depth."""
    digest = hashlib.blake2b(digest_size=DIGEST_BYTES)
    if id(value) in above:
        digest.update(b"above %d" % above.index(id(value)))
        return digest.digest()
    above.append(id(value))
    try:
        for part in _parts(value, above):
            digest.update(struct.pack("<Q", len(part)))
            digest.update(part)
    finally:
        above.pop()
    return digest.digest()


def _parts(value: Any, above: list[int]) -> Iterator[bytes]:
    """The bytes that make out a value: its kind, then what it holds."""
    match value:
        case None | bool():
            yield repr(value).encode()
        case Enum():
            yield from (b"enum", _name(type(value)), value.name.encode())
        case int():
            yield from (b"int", b"%d" % value)
        case float():
            yield from (b"float", _DOUBLE.pack(value))
        case str():
            yield from (b"str", value.encode("utf-8", "surrogatepass"))
        case bytes() | bytearray() | memoryview():
            yield from (b"bytes", bytes(value))
        case np.ndarray() | np.generic():
            yield from _array_parts(np.asarray(value), above)
        case np.random.Generator():
            yield from (b"random", _digest(value.bit_generator.state, above))
        case Mapping():
            # In their order: it decides what a loop over them does.
            yield _name(type(value))
            for key, item in value.items():
                yield from (_digest(key, above), _digest(item, above))
        case Set():
            yield _name(type(value))
            yield from sorted(_digest(item, above) for item in value)
        case list() | tuple():
            yield _name(type(value))
            yield from (_digest(item, above) for item in value)
        case MethodType():
            # Of which object is told by where it is reached from: mostly it is the component itself.
            yield from (b"method", value.__qualname__.encode())
        case type() | FunctionType() | BuiltinFunctionType():
            yield from (b"named", _name(value))
        case _:
            yield from _object_parts(value, above)


def _array_parts(array: np.ndarray[Any, Any], above: list[int]) -> Iterator[bytes]:
    yield from (b"array", str(array.dtype).encode(), repr(array.shape).encode())
    if array.dtype.hasobject:
        yield _digest(array.tolist(), above)
    else:
        yield np.ascontiguousarray(array).tobytes()


def _object_parts(value: Any, above: list[int]) -> Iterator[bytes]:
    """As it would be copied: what it is made of, its attributes, its items."""
    yield _name(type(value))
    reduced = value.__reduce_ex__(4)
    if isinstance(reduced, str):
        yield reduced.encode()
        return
    _, arguments, *rest = reduced
    state, sequence, mapping = (*rest, None, None, None)[:3]
    for part in (arguments, state, *(sequence or ()), *(mapping or ())):
        yield _digest(part, above)


def _name(named: Any) -> bytes:
    return f"{getattr(named, '__module__', '')}.{getattr(named, '__qualname__', named)}".encode()
