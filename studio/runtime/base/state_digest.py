"""Digests of values: equal for equal contents, in every process. "The same state" is judged by them.

Pickled bytes would not do: they differ with the order of a set, and with which of two equal objects is which.
"""

from __future__ import annotations

import hashlib
import struct
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from enum import Enum
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import numpy as np

DIGEST_BYTES = 16
_DOUBLE = struct.Struct("<d")
_LENGTHS = struct.Struct("<IQ")


def digest_of(value: Any) -> str:
    hasher = hashlib.blake2b(digest_size=DIGEST_BYTES)
    _Walk(hasher.update).put(value)
    return hasher.hexdigest()


class OutputDigests:
    """Everything that was published on each topic, in its order, as one running digest."""

    def __init__(self) -> None:
        self._topics: dict[str, bytes] = {}

    def add(self, topic: str, sequence: int, stamp_ns: int, payload: bytes | memoryview) -> bytes:
        """The digest that follows from this one event."""
        self._topics[topic] = digest = chained(self._topics.get(topic, b""), sequence, stamp_ns, payload)
        return digest

    def of(self, topics: Iterable[str]) -> str:
        """One digest for several topics."""
        return digest_of({topic: self._topics[topic] for topic in topics if topic in self._topics})

    def checkpoint(self) -> dict[str, bytes]:
        return dict(self._topics)

    def restore(self, saved: Mapping[str, bytes]) -> None:
        self._topics = dict(saved)


def chained(before: bytes, sequence: int, stamp_ns: int, payload: bytes | memoryview) -> bytes:
    """The digest of all that was published on a topic, from that of everything before and the newest event."""
    digest = hashlib.blake2b(before, digest_size=DIGEST_BYTES)
    digest.update(struct.pack("<Qq", sequence, stamp_ns))
    digest.update(payload)
    return digest.digest()


class _Walk:
    """Goes through a value and writes down what makes it out: of each part its kind, its length, its bytes."""

    def __init__(self, write: Callable[[bytes], None]) -> None:
        self._write = write
        self._above: list[int] = []
        """The containers around the part at hand; one that contains itself is named by its depth."""

    def put(self, value: Any) -> None:
        put = _PLAIN.get(type(value))
        if put is not None:
            put(self, value)
        elif id(value) in self._above:
            self._part(b"above", b"%d" % self._above.index(id(value)))
        else:
            self._above.append(id(value))
            self._put_inner(value)
            self._above.pop()

    def _put_inner(self, value: Any) -> None:
        match value:
            case dict() | Mapping():
                # In their order: it decides what a loop over them does.
                self._part(_name(type(value)), b"%d" % len(value))
                for key, item in value.items():
                    self.put(key)
                    self.put(item)
            case list() | tuple():
                self._put_items(value)
            case np.ndarray() | np.generic():
                self._put_array(np.asarray(value))
            case Set():
                self._part(_name(type(value)), "".join(sorted(map(digest_of, value))).encode())
            case np.random.Generator():
                self._part(b"random")
                self.put(value.bit_generator.state)
            case MethodType():
                # Of which object is told by where it is reached from: mostly it is the component itself.
                self._part(b"method", value.__qualname__.encode())
            case type() | FunctionType() | BuiltinFunctionType():
                self._part(b"named", _name(value))
            case Enum():
                self._part(_name(type(value)), value.name.encode())
            case _:
                self._put_object(value)

    def _put_items(self, value: Sequence[Any]) -> None:
        self._part(_name(type(value)), b"%d" % len(value))
        if value and set(map(type, value)) == {float}:
            self._part(b"floats", array("d", value).tobytes())
            return
        for item in value:
            self.put(item)

    def _put_array(self, value: np.ndarray[Any, Any]) -> None:
        self._part(b"array", f"{value.dtype} {value.shape}".encode())
        if value.dtype.hasobject:
            self.put(value.tolist())
        else:
            self._part(b"", np.ascontiguousarray(value).tobytes())

    def _put_object(self, value: Any) -> None:
        """As it would be copied: what it is made of, its attributes, its items."""
        self._part(_name(type(value)))
        reduced = value.__reduce_ex__(4)
        if isinstance(reduced, str):
            self._part(b"named", reduced.encode())
            return
        _, arguments, *rest = reduced
        state, sequence, mapping = (*rest, None, None, None)[:3]
        self.put([arguments, state, [*(sequence or ())], [*(mapping or ())]])

    def _part(self, kind: bytes, content: bytes = b"") -> None:
        self._write(_LENGTHS.pack(len(kind), len(content)) + kind)
        self._write(content)

    def put_nothing(self, value: None) -> None:
        self._part(b"none")

    def put_number(self, value: int) -> None:
        self._part(b"bool" if value is True or value is False else b"int", b"%d" % value)

    def put_float(self, value: float) -> None:
        self._part(b"float", _DOUBLE.pack(value))

    def put_text(self, value: str) -> None:
        self._part(b"str", value.encode("utf-8", "surrogatepass"))

    def put_bytes(self, value: bytes) -> None:
        self._part(b"bytes", bytes(value))


_PLAIN: dict[type, Callable[[_Walk, Any], None]] = {
    type(None): _Walk.put_nothing,
    bool: _Walk.put_number,
    int: _Walk.put_number,
    float: _Walk.put_float,
    str: _Walk.put_text,
    bytes: _Walk.put_bytes,
    bytearray: _Walk.put_bytes,
    memoryview: _Walk.put_bytes,
}


def _name(named: Any) -> bytes:
    return f"{getattr(named, '__module__', '')}.{getattr(named, '__qualname__', named)}".encode()
