"""A condition on a field of a message, as a person types it: `/scan/ranges_m.min < 0.5`.

    /TOPIC/field                 a field, as studio.messages.field_paths reads it: /pose/position.x
    < <= > >= == !=              with a number, true, false or 'a text'

Nothing in it is run as code.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from studio.messages.field_paths import FieldPathError, Path, parse_path, value_at
from studio.model.close_matches import did_you_mean
from studio.runtime.base.errors import ReplayError

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "<=": operator.le, ">=": operator.ge, "==": operator.eq, "!=": operator.ne, "<": operator.lt, ">": operator.gt,
}  # fmt: skip
EXAMPLE, EXAMPLE_OF_FIELD = "e.g. /scan/ranges_m.min < 0.5", "e.g. ranges_m.min < 0.5"
_CONDITION = re.compile(r"(/[^\s<>=!'\"]+)\s*(<=|>=|==|!=|<|>)\s*(\S.*)")

Value = float | bool | str


class ConditionError(ReplayError):
    """A condition that cannot be read, or does not fit the messages of its topic."""


@dataclass(frozen=True)
class Condition:
    text: str
    topic: str
    """The topic of the log whose messages it looks at."""
    path: Path
    sign: str
    value: Value

    def holds(self, message: object) -> bool:
        """Whether it is true of this message. What has no elements has no least one: then it is not."""
        try:
            found = value_at(message, self.path)
        except FieldPathError as error:
            raise _named_in(self.text, error) from None
        if found is None:
            return False
        try:
            return bool(np.all(OPERATORS[self.sign](found, self.value)))
        except (TypeError, ValueError):
            kind = type(found).__name__
            raise ConditionError(f"{self.text}: a {kind} cannot be compared with {self.value!r}") from None


def parse_condition(text: str, topics: Iterable[str]) -> Condition:
    """`topics` are those of the log; the longest one that the condition begins with is meant."""
    return _parse(text, text, topics, EXAMPLE)


def condition_on(topic: str, text: str) -> Condition:
    """On one topic, which `text` may leave out; it is called in errors as it was typed."""
    if text.startswith("/"):
        return parse_condition(text, [topic])
    return _parse(f"{topic}/{text}", text, [topic], EXAMPLE_OF_FIELD)


def _parse(whole: str, text: str, topics: Iterable[str], example: str) -> Condition:
    match = _CONDITION.fullmatch(whole.strip())  # a pattern that strips the end takes hours for a long text
    if match is None:
        raise ConditionError(f"{text!r} is not a valid condition", hint=example)
    place, sign, value = match.groups()
    known = list(topics)
    fitting = [topic for topic in known if place == topic or place.startswith((topic + "/", topic + ".", topic + "["))]
    if not fitting:
        hint = did_you_mean(place.rpartition("/")[0], known) or f"the log has {', '.join(known)}"
        raise ConditionError(f"{text}: the log has no such topic", hint=hint)
    topic = max(fitting, key=len)
    try:
        path = parse_path(place[len(topic) :].lstrip("/").replace("/", "."))
    except FieldPathError as error:
        raise ConditionError(f"{text}: {error.message}", hint=example) from None
    if not path:
        raise ConditionError(f"{text}: name a field of {topic}", hint=example)
    return Condition(text, topic, path, sign, _value(value, text))


def _value(text: str, whole: str) -> Value:
    if text in ("true", "false"):
        return text == "true"
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    try:
        return float(text)
    except ValueError:
        raise ConditionError(f"{whole}: {text} is not a number", hint="put texts in quotes: 'text'") from None


def _named_in(text: str, error: FieldPathError) -> ConditionError:
    hint = (did_you_mean(error.name, error.known) if error.name else "") or error.hint
    return ConditionError(f"{text}: {error.message}", hint=hint)
