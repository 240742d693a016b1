"""Fields of messages by a path that a person types: `position.x`, `ranges_m.min`, `planes[0]`.

    field                        fields inside fields follow a dot: position.x
    field[3]   field[-1]         one element
    field.min  .max  .mean  .len of an array, a list or a text, where the message has no field of that name
    ["top speed"]                a key of JSON that is no such word

It is read by a grammar of its own and looks at nothing but the fields of the message: nothing in it is run as code.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from studio.messages.errors import MessageError

Path = tuple[str | int, ...]
MEASURES: dict[str, Callable[[Any], Any]] = {"min": np.min, "max": np.max, "mean": np.mean, "len": len}
AXES = ("x", "y", "z", "w")
"""Elements of a position or a rotation."""
_STEP = re.compile(r"""\.?([A-Za-z_][A-Za-z0-9_]*)|\[(-?[0-9]+)\]|\["([^"]*)"\]""")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class FieldPathError(MessageError):
    """A path that cannot be read, or leads nowhere in a message."""

    def __init__(self, message: str, hint: str = "", *, name: str = "", known: tuple[str, ...] = ()) -> None:
        super().__init__(message, hint=hint)
        self.name, self.known = name, known
        """What was not found, and what there is instead."""


def parse_path(text: str) -> Path:
    steps: list[str | int] = []
    at = 0
    while at < len(text):
        step = _STEP.match(text, at)
        if step is None:
            raise FieldPathError(f"{text[at:]!r} is not a field", hint="e.g. position.x or ranges_m.min")
        word, number, key = step.groups()
        steps.append(int(number) if number is not None else word if word is not None else key)
        at = step.end()
    return tuple(steps)


def value_at(message: object, path: Path) -> Any:
    """The value at the end of the path; None where there is no such element, or nothing to measure."""
    value: Any = message
    for step in path:
        value = _element(value, step) if isinstance(step, int) else _named(value, step)
        if value is None:
            return None
    return value


def step_to(path: str, name: str) -> str:
    """The path to a field of what is at `path`."""
    if not _WORD.fullmatch(name):
        return f'{path}["{name}"]'
    return f"{path}.{name}" if path else name


def fields_of(value: object) -> list[str]:
    """What a message shows: its fields, and what it computes of them; of an object in JSON its keys."""
    return list(value) if isinstance(value, dict) else list(shown_by(type(value)))


def field_at(value: object, name: str) -> Any:
    return value[name] if isinstance(value, dict) else getattr(value, name)


_SHOWN: dict[type, tuple[str, ...]] = {}
"""Found once for each type: a plot asks for it with every event."""


def shown_by(kind: type) -> tuple[str, ...]:
    if kind not in _SHOWN:
        names = [field.name for field in dataclasses.fields(kind)] if dataclasses.is_dataclass(kind) else []
        is_shown = [name for name in dir(kind) if not name.startswith("_")] if names else []
        computed = [name for name in is_shown if isinstance(getattr(kind, name), property)]
        _SHOWN[kind] = (*names, *computed)
    return _SHOWN[kind]


def completions(message: object, text: str) -> tuple[str, list[str]]:
    """The word at the end of a path that is being typed, and the names that it may become in such a message."""
    found = re.search(r"[A-Za-z_][\w.\[\]-]*$", text)
    if found is None:
        return "", []
    owner, dot, word = found[0].rpartition(".")
    try:
        value = value_at(message, parse_path(owner)) if dot else message
    except FieldPathError:
        return word, []
    names = [name for name in fields_of(value) if _WORD.fullmatch(name)]
    if dot and not names and hasattr(value, "__len__"):
        axes = AXES[: len(value)] if len(value) <= len(AXES) else ()
        names = [*axes, *(["len"] if isinstance(value, str) else MEASURES)]
    return word, [name for name in names if name.startswith(word) and name != word]


def numbers_in(message: object, most: int = 8) -> Iterator[str]:
    """The paths to everything in a message that is a number, and to the least and greatest of longer arrays."""
    for name in fields_of(message):
        try:
            value = field_at(message, name)
        except (MessageError, ValueError, IndexError):
            continue  # computed of what this message does not have
        yield from _numbers(step_to("", name), value, most)


def _numbers(path: str, value: Any, most: int) -> Iterator[str]:
    if isinstance(value, (bool, int, float, np.number, np.bool_)):
        yield path
    elif isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        if value.ndim == 1 and 0 < value.size <= most:
            yield from (f"{path}[{i}]" for i in range(value.size))
        elif value.size:
            yield from (f"{path}.{measure}" for measure in ("min", "max", "mean"))
    elif dataclasses.is_dataclass(value) or isinstance(value, dict):
        for name in fields_of(value):
            yield from _numbers(step_to(path, name), field_at(value, name), most)


def _named(value: Any, name: str) -> Any:
    fields = tuple(fields_of(value))
    if name in fields:
        return field_at(value, name)
    if name in MEASURES and hasattr(value, "__len__"):
        return _measure(value, name)
    if name in AXES and hasattr(value, "__len__"):
        return _element(value, AXES.index(name))
    hint = f"it has {', '.join(fields)}" if fields else "it has no fields"
    raise FieldPathError(f"there is no field {name}", hint=hint, name=name, known=fields)


def _measure(value: Any, name: str) -> Any:
    """Of what can be compared: a laser tells with NaN that it saw nothing, which is not the least distance."""
    if name == "len":
        return len(value)
    values = np.asarray(value)
    if values.dtype.kind == "f":
        values = values[~np.isnan(values)]
    return MEASURES[name](values) if values.size else None


def _element(value: Any, index: int) -> Any:
    if not hasattr(value, "__getitem__") or not hasattr(value, "__len__"):
        raise FieldPathError(f"a {type(value).__name__} has no elements")
    return value[index] if -len(value) <= index < len(value) else None
