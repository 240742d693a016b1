"""About how much memory a state takes, so that checkpoints can be kept within bounds."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

OBJECT_BYTES = 64


def size_of(*values: Any) -> int:
    """An estimate: exact for arrays and bytes, which are what counts; each object once."""
    todo: list[Any] = list(values)
    seen: set[int] = set()
    total = 0
    while todo:
        value = todo.pop()
        if id(value) in seen or isinstance(value, type):
            continue
        seen.add(id(value))
        total += _own_size(value)
        todo.extend(_inside(value))
    return total


def _own_size(value: Any) -> int:
    if isinstance(value, np.ndarray | memoryview):
        return int(value.nbytes) + OBJECT_BYTES
    if isinstance(value, str | bytes | bytearray | Collection):
        return sys.getsizeof(value, OBJECT_BYTES)
    return OBJECT_BYTES


def _inside(value: Any) -> list[Any]:
    if isinstance(value, str | bytes | bytearray | memoryview | np.ndarray):
        return []
    if isinstance(value, Mapping):
        return [*value.keys(), *value.values()]
    if isinstance(value, Collection):
        return list(value)
    return list(getattr(value, "__dict__", {}).values())
