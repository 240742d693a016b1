"""A condition on a field of a message, as a person types it: `/scan/ranges_m.min < 0.5`.

    /TOPIC/field                 a field; fields inside fields follow a dot: /pose/position.x
    field[3]   field[-1]         one element
    field.min  .max  .mean  .len of an array, a list or a text, where the message has no field of that name
    < <= > >= == !=              with a number, true, false or 'a text'

It is read by a grammar of its own and looks at nothing but the fields of the message: nothing in it is run as code.
"""

from __future__ import annotations

import dataclasses
import operator
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from studio.model.close_matches import did_you_mean
from studio.runtime.replay.errors import ReplayError

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "<=": operator.le, ">=": operator.ge, "==": operator.eq, "!=": operator.ne, "<": operator.lt, ">": operator.gt,
}  # fmt: skip
MEASURES: dict[str, Callable[[Any], Any]] = {"min": np.min, "max": np.max, "mean": np.mean, "len": len}
AXES = ("x", "y", "z", "w")
"""Elements of a position or a rotation."""
EXAMPLE = "e.g. /scan/ranges_m.min < 0.5"
_CONDITION = re.compile(r"\s*(/[^\s<>=!'\"]+)\s*(<=|>=|==|!=|<|>)\s*(\S.*?)\s*")
_STEP = re.compile(r"\.?([A-Za-z_][A-Za-z0-9_]*)|\[(-?[0-9]+)\]")

Value = float | bool | str


class ConditionError(ReplayError):
    """A condition that cannot be read, or does not fit the messages of its topic."""


@dataclass(frozen=True)
class Condition:
    text: str
    topic: str
    """The topic of the log whose messages it looks at."""
    path: tuple[str | int, ...]
    sign: str
    value: Value

    def holds(self, message: object) -> bool:
        """Whether it is true of this message. What has no elements has no least one: then it is not."""
        found = _follow(message, self.path, self.text)
        if found is None:
            return False
        try:
            return bool(np.all(OPERATORS[self.sign](found, self.value)))
        except (TypeError, ValueError):
            kind = type(found).__name__
            raise ConditionError(f"{self.text}: a {kind} cannot be compared with {self.value!r}") from None


def parse_condition(text: str, topics: Iterable[str]) -> Condition:
    """`topics` are those of the log; the longest one that the condition begins with is meant."""
    match = _CONDITION.fullmatch(text)
    if match is None:
        raise ConditionError(f"{text!r} is no condition", hint=EXAMPLE)
    place, sign, value = match.groups()
    known = list(topics)
    fitting = [topic for topic in known if place == topic or place.startswith((topic + "/", topic + ".", topic + "["))]
    if not fitting:
        hint = did_you_mean(place.rpartition("/")[0], known) or f"the log has {', '.join(known)}"
        raise ConditionError(f"{text}: no topic of the log is called so", hint=hint)
    topic = max(fitting, key=len)
    path = _path(place[len(topic) :].lstrip("/").replace("/", "."), text)
    if not path:
        raise ConditionError(f"{text}: which field of {topic}?", hint=EXAMPLE)
    return Condition(text, topic, path, sign, _value(value, text))


def _path(text: str, whole: str) -> tuple[str | int, ...]:
    steps: list[str | int] = []
    at = 0
    while at < len(text):
        step = _STEP.match(text, at)
        if step is None:
            raise ConditionError(f"{whole}: {text[at:]!r} is no field", hint=EXAMPLE)
        steps.append(step[1] if step[1] is not None else int(step[2]))
        at = step.end()
    return tuple(steps)


def _value(text: str, whole: str) -> Value:
    if text in ("true", "false"):
        return text == "true"
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    try:
        return float(text)
    except ValueError:
        raise ConditionError(f"{whole}: {text} is no number", hint="texts are written 'so'") from None


def _follow(message: object, path: tuple[str | int, ...], text: str) -> Any:
    """The value at the end of the path; None where there is no such element."""
    value: Any = message
    for step in path:
        value = _element(value, step, text) if isinstance(step, int) else _named(value, step, text)
        if value is None:
            return None
    return value


def _named(value: Any, name: str, text: str) -> Any:
    fields = _fields(value)
    if name in fields:
        return getattr(value, name)
    if name in MEASURES and hasattr(value, "__len__"):
        return _measure(value, name)
    if name in AXES and hasattr(value, "__len__"):
        return _element(value, AXES.index(name), text)
    hint = did_you_mean(name, fields) or (f"it has {', '.join(fields)}" if fields else "it has no fields")
    raise ConditionError(f"{text}: there is no field {name}", hint=hint)


def _measure(value: Any, name: str) -> Any:
    """Of what can be compared: a laser tells with NaN that it saw nothing, which is not the least distance."""
    if name == "len":
        return len(value)
    values = np.asarray(value)
    if values.dtype.kind == "f":
        values = values[~np.isnan(values)]
    return MEASURES[name](values) if values.size else None


def _element(value: Any, index: int, text: str) -> Any:
    if not hasattr(value, "__getitem__") or not hasattr(value, "__len__"):
        raise ConditionError(f"{text}: a {type(value).__name__} has no elements")
    return value[index] if -len(value) <= index < len(value) else None


def _fields(value: object) -> list[str]:
    """What a message shows: its fields, and what it computes of them."""
    if not dataclasses.is_dataclass(value):
        return []
    kind = type(value)
    computed = [name for name in dir(kind) if not name.startswith("_") and isinstance(getattr(kind, name), property)]
    return [*(field.name for field in dataclasses.fields(value)), *computed]
