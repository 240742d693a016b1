"""A message as a tree: what is inside what, how it is called, and what it says in one line. No Qt in here."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from studio.messages.field_paths import field_at, fields_of, step_to
from studio.messages.named_content import NamedNumber

PAGE = 100
"""Elements that are listed one by one; more come in pages of as many."""
MOST_KEYS = 500
"""Keys of JSON or Protobuf that are listed without pages: a tree of ten thousand rows would halt the window."""
FEW = 8
_MEASURES = ("min", "max", "mean")
_LONGEST = 300
_UNSEEN = {code: chr(0x2400 + code) for code in range(32)} | {0x7F: "␡"}
_UNSEEN |= dict.fromkeys((133, 8232, 8233), "⏎ ")
_UNSEEN |= dict.fromkeys((*range(128, 133), *range(134, 160), *range(8234, 8239), *range(8294, 8298)), "�")


@dataclass(frozen=True)
class Page:
    """Some elements of a long list."""

    values: Any
    first: int
    last: int
    """The one behind the page."""


@dataclass(frozen=True)
class Node:
    name: str
    path: str
    """As `studio.messages.field_paths` reads it; empty for a page."""
    value: Any
    is_computed: bool = False
    """Not sent, but worked out of what was."""


def children_of(value: Any, path: str = "") -> list[Node]:
    """What is inside of a message, a field, an array or a page of one."""
    if isinstance(value, Page):
        return [Node(f"[{i}]", f"{path}[{i}]", value.values[i]) for i in range(value.first, value.last)]
    if isinstance(value, dict) and len(value) > MOST_KEYS:
        return _pages_of_keys(value)
    if _has_fields(value):
        sent = {field.name for field in dataclasses.fields(value)} if dataclasses.is_dataclass(value) else {*value}
        return [Node(name, step_to(path, name), _got(value, name), name not in sent) for name in fields_of(value)]
    if not _is_list(value) or not len(value):
        return []
    return [*_measures(value, path), *_elements(value, path)]


def has_children(value: Any) -> bool:
    """Whether there would be any, without making them."""
    is_page_or_message = isinstance(value, Page) or (dataclasses.is_dataclass(value) and not isinstance(value, type))
    return is_page_or_message or ((_is_list(value) or isinstance(value, dict)) and len(value) > 0)


def _has_fields(value: Any) -> bool:
    return isinstance(value, dict) or (dataclasses.is_dataclass(value) and not isinstance(value, type))


def is_number(value: Any) -> bool:
    """Whether it can be plotted."""
    return isinstance(value, bool | int | float | np.number | np.bool_)


def _is_list(value: Any) -> bool:
    return (isinstance(value, np.ndarray) and value.ndim > 0) or isinstance(value, list | tuple)


def _measures(value: Any, path: str) -> list[Node]:
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "biuf" or value.size <= FEW:
        return []
    known = value[~np.isnan(value)] if value.dtype.kind == "f" else value
    if not known.size:
        return []
    found = (known.min(), known.max(), known.mean())
    return [Node(name, f"{path}.{name}", each.item(), True) for name, each in zip(_MEASURES, found, strict=True)]


def _elements(value: Sequence[Any], path: str) -> list[Node]:
    if len(value) <= PAGE:
        return children_of(Page(value, 0, len(value)), path)
    starts = range(0, len(value), PAGE)
    pages = [Page(value, start, min(start + PAGE, len(value))) for start in starts]
    return [Node(f"[{page.first} … {page.last - 1}]", "", page) for page in pages]


def _pages_of_keys(value: dict[str, Any]) -> list[Node]:
    parts = (islice(value.items(), start, start + MOST_KEYS) for start in range(0, len(value), MOST_KEYS))
    pages = [dict(part) for part in parts]
    return [Node(f"{next(iter(page))} … {next(reversed(page))}", "", page) for page in pages]


def _got(message: Any, name: str) -> Any:
    try:
        return field_at(message, name)
    except Exception as error:  # computed of what this message does not have; whatever it raises is its own words
        return f"({error})"


# ---- words


def kind_words(value: Any) -> str:
    """What sort of thing it is: `float32 361 × 4`."""
    if isinstance(value, Page):
        return ""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {' × '.join(str(length) for length in value.shape)}".strip()
    if isinstance(value, list | tuple):
        return f"list of {len(value)}"
    if isinstance(value, NamedNumber):
        return "enum"
    return "object" if isinstance(value, dict) else "null" if value is None else type(value).__name__


def value_line(value: Any) -> str:
    """The value itself where it is short; of a long array what its numbers are like."""
    if isinstance(value, Page):
        return ""
    if isinstance(value, np.ndarray):
        return _array_line(value)
    if isinstance(value, list | tuple):
        if value and _has_fields(value[0]):
            return ""
        shown = ", ".join(value_line(each) for each in value[:FEW])
        return f"{shown}, …" if len(value) > FEW else shown or "empty"
    if dataclasses.is_dataclass(value):
        return ""
    if isinstance(value, dict):
        return "" if value else "empty"
    if value is None:
        return "null"
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, float | np.floating):
        return f"{value:.7g}".replace("-", "−")
    text = str(value)
    if isinstance(value, int | np.integer):
        return text.replace("-", "−")
    flat = one_line(text[:_LONGEST])
    return flat if len(text) <= _LONGEST else f"{flat} … {len(text)} characters"


def one_line(text: str) -> str:
    """What would break the line, move the writing about or not be seen at all gets a sign of its own."""
    return text.replace("\r\n", "\n").replace("\n", "⏎ ").translate(_UNSEEN)


def _array_line(value: np.ndarray) -> str:
    if not value.size:
        return "empty"
    if value.size <= FEW:
        return "  ".join(value_line(each) for each in value.reshape(-1).tolist())
    if value.dtype.kind not in "biuf":
        return f"{value.size} elements"
    finite = value[np.isfinite(value)] if value.dtype.kind == "f" else value
    if not finite.size:
        return f"none of {value.size} is a finite number"
    line = f"{finite.min():.5g} … {finite.max():.5g}, mean {finite.mean(dtype=np.float64):.5g}"
    odd = value.size - finite.size
    return (f"{line}, {odd} not finite" if odd else line).replace("-", "−")


def copy_of(value: Any) -> str:
    """All of it, as text that another program can read."""
    if isinstance(value, Page):
        return copy_of(value.values[value.first : value.last])
    return str(value.tolist()) if isinstance(value, np.ndarray | np.generic) else str(value)
