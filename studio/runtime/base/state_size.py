"""About how much memory a state takes, so that checkpoints can be kept within bounds."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

import numpy as np

OBJECT_BYTES = 64

_Kind = tuple[Callable[[Any], int], Callable[[Any], Iterable[Any]] | None]
"""How large a value of a class is by itself, and what is inside; None: nothing is."""
_KINDS: dict[type, _Kind] = {}
"""Found once for each class: otherwise a checkpoint takes longer to be measured than to be made."""
_PLAIN = (int, float, complex, type(None), np.generic, type)


def size_of(*values: Any) -> int:
    """An estimate: exact for arrays and bytes, which are what counts; each object once."""
    todo: list[Any] = list(values)
    seen: set[int] = set()
    total = 0
    while todo:
        value = todo.pop()
        if (known := id(value)) in seen:
            continue
        seen.add(known)
        cls = type(value)
        size, inside = _KINDS.get(cls) or _KINDS.setdefault(cls, _kind(cls))
        total += size(value)
        if inside is not None:
            todo.extend(inside(value))
    return total


def _kind(cls: type) -> _Kind:
    if issubclass(cls, np.ndarray | memoryview):
        return _array_size, None
    if issubclass(cls, str | bytes | bytearray):
        return _container_size, None
    if issubclass(cls, _PLAIN):
        return _object_size, None
    if issubclass(cls, Mapping):
        return _container_size, _of_mapping
    if issubclass(cls, Collection):
        return _container_size, list
    return _object_size, _of_object


def _array_size(value: Any) -> int:
    return int(value.nbytes) + OBJECT_BYTES


def _container_size(value: Any) -> int:
    return sys.getsizeof(value, OBJECT_BYTES)


def _object_size(_: Any) -> int:
    return OBJECT_BYTES


def _of_mapping(value: Any) -> Iterable[Any]:
    return [*value.keys(), *value.values()]


def _of_object(value: Any) -> Iterable[Any]:
    return getattr(value, "__dict__", {}).values()
