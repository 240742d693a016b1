"""Messages as plain data and back: what JSON holds, and what people type on a command line."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from studio.messages.errors import MessageError
from studio.messages.fields import ObjectRule, ObjectsRule, rules_of
from studio.messages.message import Message, field_names


def as_plain(value: Any) -> Any:
    """A message, or what is in one, as numbers, texts, lists and dictionaries. Nothing is left out."""
    if isinstance(value, Message):
        return {name: as_plain(getattr(value, name)) for name in field_names(type(value))}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (list, tuple)):
        return [as_plain(each) for each in value]
    if isinstance(value, dict):
        return {name: as_plain(each) for name, each in value.items()}
    return value


def from_plain(kind: type[Message], data: Any) -> Message:
    """The message that `data` stands for. What it does not name has its default; where a message has but one field,
    its value alone will do."""
    names = field_names(kind)
    if isinstance(data, Message):
        return data
    if not isinstance(data, dict):
        if len(names) != 1:
            hint = f"its fields: {', '.join(names)}; e.g. {example_of(kind)}"
            raise MessageError(f"a {kind.__name__} is not a single value", hint=hint)
        data = {names[0]: data}
    unknown = [name for name in data if name not in names]
    if unknown:
        raise MessageError(f"{kind.__name__} has no field {unknown[0]}", hint=f"its fields: {', '.join(names)}")
    rules = dict(rules_of(kind))
    return kind(**{name: _taken(rules.get(name), value) for name, value in data.items()})


def _taken(rule: Any, value: Any) -> Any:
    if isinstance(rule, ObjectRule):
        return from_plain(rule.kind, value)
    if isinstance(rule, ObjectsRule) and isinstance(value, list):
        return [from_plain(rule.kind, each) for each in value]
    return value


def example_of(kind: type[Message]) -> str:
    """A short text that could be typed for such a message, for hints."""
    shown: list[str] = []
    for field in dataclasses.fields(kind):
        if field.name not in ("stamp_ns", "frame") and len(shown) < 2:
            default = as_plain(getattr(kind(), field.name))
            shown.append(f'"{field.name}": {_written(default)}')
    return "'{" + ", ".join(shown) + "}'"


def _written(value: Any) -> str:
    if isinstance(value, str):
        return '"text"'
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "[" + ", ".join(map(_written, value[:3])) + ("" if len(value) <= 3 else ", ...") + "]"
    return "{...}" if isinstance(value, dict) else str(value)
