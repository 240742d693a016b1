"""What values look like in a few words, and arrays in a few bytes: evaluated inside a process that stands.

The window evaluates `__import__("studio.runtime.host.survey", fromlist=["x"]).names({"scan": scan})` in the frame
that is looked at. Everything comes back as JSON in a string. Nothing here changes a value, and nothing of it takes
long, whatever it is handed: huge arrays are sampled.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

COLLECTIONS = (list, tuple, dict, set, frozenset, deque)
"""Told by how many they hold: the text of all that would be long to make."""
_PLACE = re.compile(r" at 0x[0-9A-Fa-f]+")
"""Where an object lies is another place in every process, and would look like a change."""
ROWS = (list, tuple, deque)
MOST_WORDS = 80
MOST_CHILDREN = 400
SAMPLED_FROM = 4_000_000
"""An array with more values is described by some of them."""
MOST_CELLS = 512 * 512


def names(values: Mapping[str, Any]) -> str:
    """JSON: name -> type, words and whether it can be viewed as an array."""
    return json.dumps({name: _told(value) for name, value in values.items()})


def known(frame: Mapping[str, Any], wanted: Sequence[str]) -> str:
    """As `names`, of names and dotted names; those that have no value yet are left out."""
    found = {}
    for name in wanted:
        first, *rest = name.split(".")
        try:
            value = frame[first]
            for part in rest:
                value = getattr(value, part)
        except (KeyError, AttributeError):
            continue
        found[name] = value
    return names(found)


def children(value: Any) -> str:
    """As `names`, of what is within: fields, entries, items."""
    return json.dumps({name: _told(each) for name, each in _within(value)})


def array(value: Any, plane: int = 0, most_cells: int = MOST_CELLS) -> str:
    """JSON: shape, dtype, statistics, and every n-th value, packed: `unpack` gets them back.

    `plane`: of an array with three axes, which grid of it.
    """
    whole = as_array(value)
    if whole is None:
        return json.dumps({"error": f"{type(value).__name__} holds no numbers that can be shown"})
    seen, index, planes = _plane(whole, plane)
    statistics, sampled = _statistics(seen)
    steps = _steps(seen.shape[:2], most_cells)
    thin = np.ascontiguousarray(seen[tuple(slice(None, None, step) for step in steps)])
    if thin.dtype == np.bool_:
        thin = thin.view(np.uint8)
    elif thin.dtype.kind == "c":
        thin = np.abs(thin)
    packed = base64.b64encode(zlib.compress(thin.tobytes(), 1)).decode()
    return json.dumps(
        {
            "shape": list(whole.shape),
            "dtype": str(whole.dtype),
            "statistics": statistics,
            "sampled": sampled,
            "index": index,
            "planes": planes,
            "steps": list(steps),
            "data_shape": list(thin.shape),
            "data_dtype": thin.dtype.str,
            "data": packed,
        }
    )


def unpack(told: Mapping[str, Any]) -> NDArray[Any]:
    """The values that `array` has packed."""
    raw = zlib.decompress(base64.b64decode(told["data"]))
    return np.frombuffer(raw, np.dtype(str(told["data_dtype"]))).reshape([int(side) for side in told["data_shape"]])


def words(value: Any) -> str:
    """Short, and the same length whatever it holds."""
    if isinstance(value, np.ndarray):
        return _array_words(value)
    if isinstance(value, str | bytes | bytearray):
        short = value[:MOST_WORDS]
        return repr(short) + (f" … {len(value)} long" if len(value) > MOST_WORDS else "")
    if isinstance(value, bool | int | float | complex | type(None)) or np.isscalar(value):
        return _number_words(value)
    fields = _fields(value)
    if fields is not None and hasattr(type(value), "TYPE"):
        return _message_words(value, fields)
    if isinstance(value, COLLECTIONS):
        return _collection_words(value)
    try:
        text = repr(value)
    except Exception as error:  # anybody's __repr__, of an object that may be half made
        return f"its text cannot be made: {type(error).__name__}"
    if " object at 0x" in text and text.startswith("<"):
        return ""  # its type is beside it, and where it lies tells nobody anything
    text = _PLACE.sub("", text)
    return text if len(text) <= MOST_WORDS else f"{text[: MOST_WORDS - 1]}…"


def as_array(value: Any) -> NDArray[Any] | None:
    """Numbers in a row or a grid; None for what is none."""
    if isinstance(value, np.ndarray):
        found = value
    elif isinstance(value, ROWS) and value and isinstance(value[0], (int, float, np.number, *ROWS)):
        try:
            found = np.asarray([*value])
        except ValueError:
            return None
    else:
        return None
    if found.dtype.names is not None or found.dtype.kind not in "biufc" or not found.size:
        return None
    return np.atleast_1d(found)


# ---- within


def _told(value: Any) -> dict[str, Any]:
    return {"type": type(value).__name__, "words": words(value), "array": isinstance(value, np.ndarray)}


def _within(value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, Mapping):
        return [(repr(key), each) for key, each in islice(value.items(), MOST_CHILDREN)]
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [(str(number), each) for number, each in enumerate(islice(value, MOST_CHILDREN))]
    fields = _fields(value) or {}
    slots = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
    found = {name: getattr(value, name) for name in slots if isinstance(name, str) and hasattr(value, name)}
    return list(islice({**found, **fields}.items(), MOST_CHILDREN))


def _fields(value: Any) -> dict[str, Any] | None:
    found = getattr(value, "__dict__", None)
    return dict(found) if isinstance(found, dict) else None


def _array_words(value: NDArray[Any]) -> str:
    shape = f"({', '.join(map(str, value.shape))}{',' if value.ndim == 1 else ''}) {value.dtype}"
    if value.dtype == np.bool_ and value.size <= SAMPLED_FROM:
        return f"{shape}, {int(np.count_nonzero(value))} true"
    if 0 < value.size <= 4 and value.dtype.kind in "iuf":
        return f"{shape} [{', '.join(_number_words(each) for each in value.ravel().tolist())}]"
    return shape


def _number_words(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _message_words(value: Any, fields: Mapping[str, Any]) -> str:
    """Where it is, if it is somewhere; otherwise its arrays, as they are what it is about; then plain values."""
    shown = [f"{name} {_shape(each)}" for name, each in fields.items() if isinstance(each, np.ndarray)]
    place = getattr(value, "position", None)
    if isinstance(place, np.ndarray) and place.shape == (3,):
        shown = [" ".join(f"{axis} {_number_words(each)}" for axis, each in zip("xyz", place.tolist(), strict=True))]
    plain = [
        f"{name} {_number_words(each) if not isinstance(each, str) else each}"
        for name, each in fields.items()
        if isinstance(each, int | float | str) and each != "" and name != "stamp_ns"
    ]
    text = ", ".join([*shown[:2], *plain[:3]])
    return text if len(text) <= MOST_WORDS else f"{text[: MOST_WORDS - 1]}…"


def _shape(value: NDArray[Any]) -> str:
    if 0 < value.size <= 4 and value.dtype.kind in "iuf":
        return " ".join(_number_words(each) for each in value.ravel().tolist())
    return "×".join(map(str, value.shape))


def _collection_words(value: Collection[Any]) -> str:
    count = len(value)
    if not count:
        return "empty"
    if count <= 6 and isinstance(value, ROWS) and all(isinstance(each, int | float | str) for each in value):
        text = repr(value if isinstance(value, tuple) else [*value])
        if len(text) <= MOST_WORDS:
            return text
    return f"{count} {'entry' if count == 1 else 'entries'}" if isinstance(value, dict) else _items(count)


def _items(count: int) -> str:
    return f"{count} item{'' if count == 1 else 's'}"


def _statistics(whole: NDArray[Any]) -> tuple[dict[str, float | int | None], bool]:
    flat = whole.reshape(-1) if whole.flags.c_contiguous else whole.ravel() if whole.size <= SAMPLED_FROM else None
    step = max(1, whole.size // SAMPLED_FROM)
    values = flat[::step] if flat is not None else whole[tuple(slice(None, None, 16) for _ in whole.shape)].ravel()
    numbers = np.abs(values) if values.dtype.kind == "c" else values
    finite = numbers[np.isfinite(numbers)] if numbers.dtype.kind in "fc" else numbers
    nan = int(np.count_nonzero(np.isnan(numbers))) if numbers.dtype.kind in "fc" else 0
    found: dict[str, float | int | None] = {"min": None, "mean": None, "max": None, "nan": nan, "count": whole.size}
    if finite.size:
        found.update(min=float(finite.min()), mean=float(finite.mean(dtype=np.float64)), max=float(finite.max()))
    return found, values.size != whole.size


def _plane(whole: NDArray[Any], plane: int) -> tuple[NDArray[Any], list[int | None], int]:
    """What can be seen at once: a row, a grid, or a grid of colours. Of more axes, one grid: where it lies (None for
    the axes that are seen), and how many there are."""
    index: list[int | None] = []
    while whole.ndim > 3:
        whole = whole[0]
        index.append(0)
    if whole.ndim < 3 or (whole.shape[2] in (3, 4) and whole.dtype == np.uint8):
        return whole, [*index, *[None] * min(2, whole.ndim)], 1
    is_last = whole.shape[2] <= whole.shape[0]  # a few numbers for each cell, or a few grids
    count = whole.shape[2] if is_last else whole.shape[0]
    plane = max(0, min(plane, count - 1))
    if is_last:
        return whole[:, :, plane], [*index, None, None, plane], count
    return whole[plane], [*index, plane, None, None], count


def _steps(shape: tuple[int, ...], most_cells: int) -> tuple[int, ...]:
    """Every how-many-th along each side, so that at most so many are left."""
    if len(shape) == 1:
        return (max(1, -(-shape[0] // most_cells)),)
    rows, columns = 1, 1
    while -(-shape[0] // rows) * -(-shape[1] // columns) > most_cells:
        if shape[0] // rows >= shape[1] // columns:
            rows += 1
        else:
            columns += 1
    return rows, columns
