"""What must be true of a log, as a person writes it: `max(|/arc_arbiter/command.steering_angle_rad|) < 0.5`.

    /TOPIC.field          all values of a field, as studio.messages.field_paths reads it: /scan.ranges_m.min
    outcome.NAME          what the judge has said last: outcome.collisions == 0
    + - * / |x|           on values and numbers; < <= > >= == != and or not
    max min mean first last count any all       of all values
    longest(CONDITION)    for how many seconds it held without interruption
    duration              of the log, in seconds

A condition on values that is not put into a function must hold for all of them. Nothing in it is run as code.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.messages.field_paths import FieldPathError, parse_path, value_at
from studio.model.close_matches import did_you_mean
from studio.runtime.base.errors import ReplayError

EXAMPLE = "e.g. max(/motor/speed.data) < 2.5"
_REFERENCE = re.compile(r"(?<![\w)\].])/[A-Za-z_][\w/]*(?:\.[A-Za-z_]\w*|\[\d+\])*")
_SENTENCES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"goal within (\d+(?:\.\d+)?) s"), r"outcome.goal_reached and outcome.seconds_to_goal <= \1"),
    (re.compile(r"no collision"), "outcome.collisions == 0"),
)
"""What is asked so often that it has words of its own."""
_LONGEST = 1000


class ExpressionError(ReplayError):
    """An expression that cannot be read, or does not fit the log."""


@dataclass(frozen=True)
class Place:
    """An event: the one that decided."""

    topic: str
    sequence: int
    stamp_ns: int

    def __str__(self) -> str:
        return f"{self.topic}:{self.sequence} at {self.stamp_ns / 1e9:.3f} s"


@dataclass(frozen=True)
class Series:
    """A field of all messages of a topic, or what was computed from it."""

    topic: str
    values: NDArray[Any]
    sequences: NDArray[np.int64]
    stamps_ns: NDArray[np.int64]

    def with_values(self, values: NDArray[Any]) -> Series:
        return Series(self.topic, values, self.sequences, self.stamps_ns)

    def place(self, index: int) -> Place:
        return Place(self.topic, int(self.sequences[index]), int(self.stamps_ns[index]))


@dataclass(frozen=True)
class Single:
    """One value, and the event that it comes from, if it is one."""

    value: Any
    place: Place | None = None


Value = Series | Single


@dataclass(frozen=True)
class Finding:
    """Whether it holds; if not, what was found in its place."""

    holds: bool
    found: str = ""
    place: Place | None = None
    """The first event at which it does not hold, where there is one."""


class Expression:
    """Read once, before anything is run, so that a typing error is found out at once."""

    def __init__(self, text: str) -> None:
        self.text = text
        if len(text) > _LONGEST:
            raise ExpressionError(f"an expression of {len(text)} characters", hint=f"at most {_LONGEST}")
        plain = text.strip()
        for pattern, meaning in _SENTENCES:
            if (match := pattern.fullmatch(plain)) is not None:
                plain = match.expand(meaning)
        self.references: list[str] = []
        self._tree = self._parsed(plain)
        self._check(self._tree)

    def _parsed(self, text: str) -> ast.expr:
        def named(match: re.Match[str]) -> str:
            self.references.append(match.group())
            return f"_reference({len(self.references) - 1})"

        source = _without_bars(_REFERENCE.sub(named, text), self.text)
        try:
            return ast.parse(source, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise ExpressionError(f"{self.text!r} is not a valid expression", hint=EXAMPLE) from None

    def _check(self, tree: ast.AST) -> None:
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                known = isinstance(node.func, ast.Name) and node.func.id in (*_FUNCTIONS, "_reference", "_abs")
                if not known or node.keywords or len(node.args) != 1:
                    name = ast.unparse(node.func)
                    hint = did_you_mean(name, _FUNCTIONS) if not known else f"{name}(one thing)"
                    raise ExpressionError(f"{self.text}: {name} cannot be called so", hint=hint)
            elif isinstance(node, ast.Name) and node.id not in _NAMES:
                raise ExpressionError(f"{self.text}: what is {node.id}?", hint="topics begin with /")
            elif not isinstance(node, _ALLOWED):
                raise ExpressionError(f"{self.text}: {type(node).__name__} is not allowed here", hint=EXAMPLE)

    def finding(self, facts: Facts) -> Finding:
        """Evaluated on what has come out."""
        return _Reading(self, facts).finding(self._tree)


@dataclass(frozen=True)
class Facts:
    """What expressions can ask about."""

    series: Callable[[str, str], Series]
    """Of a topic, all values of a field; raises ExpressionError."""
    topics: Iterable[str]
    outcome: Mapping[str, Any]
    duration_s: float


def split_reference(text: str, topics: Iterable[str]) -> tuple[str, str]:
    """Topic and field path. The longest topic that it begins with is meant."""
    known = list(topics)
    fitting = [topic for topic in known if text == topic or text.startswith((topic + ".", topic + "["))]
    if not fitting:
        topic = text.partition(".")[0]
        raise ExpressionError(f"there is no topic {topic}", hint=did_you_mean(topic, known))
    topic = max(fitting, key=len)
    path = text[len(topic) :].lstrip(".")
    if not path:
        raise ExpressionError(f"which field of {topic}?", hint=EXAMPLE)
    return topic, path


def series_of(topic: str, path: str, events: Iterable[tuple[int, int, object]]) -> Series:
    """`events`: sequence, stamp and message of each. Messages without such a value are passed over."""
    try:
        parsed = parse_path(path)
        rows = [
            (sequence, stamp_ns, found)
            for sequence, stamp_ns, message in events
            if (found := value_at(message, parsed)) is not None
        ]
    except FieldPathError as error:
        hint = (did_you_mean(error.name, error.known) if error.name else "") or error.hint
        raise ExpressionError(f"{topic}: {error.message}", hint=hint) from None
    if any(np.ndim(found) for _, _, found in rows):
        raise ExpressionError(f"{topic}.{path} has many values in each message", hint=f"e.g. {topic}.{path}.max")
    sequences, stamps_ns, values = zip(*rows, strict=True) if rows else ((), (), ())
    return Series(topic, np.array(values), np.array(sequences, np.int64), np.array(stamps_ns, np.int64))


_ALLOWED = (
    ast.Call, ast.Name, ast.Load, ast.Constant, ast.Attribute, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div,
    ast.UnaryOp, ast.USub, ast.UAdd, ast.Not, ast.Compare, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq,
    ast.BoolOp, ast.And, ast.Or,
)  # fmt: skip
_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
}  # fmt: skip
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Eq: operator.eq, ast.NotEq: operator.ne,
}  # fmt: skip


def _without_bars(text: str, whole: str) -> str:
    """|x| as a call. Bars do not nest: inside of two there is no third."""
    parts = text.split("|")
    if len(parts) % 2 == 0:
        raise ExpressionError(f"{whole}: a | without its other one", hint=EXAMPLE)
    return "".join(f"_abs({part})" if number % 2 else part for number, part in enumerate(parts))


def _some(series: Series, what: str) -> Series:
    if not len(series.values):
        raise ExpressionError(f"no message on {series.topic}, so there is no {what}")
    return series


def _at(series: Series, index: int) -> Single:
    return Single(series.values[index].item(), series.place(index))


def _longest(series: Series) -> Single:
    """From each message on its value counts until the next one."""
    best_ns, since, place = 0, None, None
    for index, (holds, stamp_ns) in enumerate(zip(series.values, series.stamps_ns.tolist(), strict=True)):
        if since is not None and stamp_ns - series.stamps_ns[since] > best_ns:
            best_ns, place = int(stamp_ns - series.stamps_ns[since]), series.place(since)
        since = (index if since is None else since) if holds else None
    return Single(best_ns / 1e9, place)


def _first_that(series: Series, holds: bool) -> Place | None:
    found = np.flatnonzero(series.values.astype(bool) == holds)
    return series.place(int(found[0])) if len(found) else None


_FUNCTIONS: dict[str, Callable[[Series], Single]] = {
    "max": lambda series: _at(series, int(np.argmax(_some(series, "largest").values))),
    "min": lambda series: _at(series, int(np.argmin(_some(series, "smallest").values))),
    "mean": lambda series: Single(float(np.mean(_some(series, "mean").values))),
    "first": lambda series: _at(_some(series, "first"), 0),
    "last": lambda series: _at(_some(series, "last"), -1),
    "count": lambda series: Single(len(series.values)),
    "any": lambda series: Single(bool(np.any(series.values)), _first_that(series, True)),
    "all": lambda series: Single(bool(np.all(series.values)), _first_that(series, False)),
    "longest": _longest,
}  # fmt: skip
_NAMES = {*_FUNCTIONS, "_reference", "_abs", "outcome", "duration", "true", "false"}


class _Reading:
    """One evaluation."""

    def __init__(self, expression: Expression, facts: Facts) -> None:
        self._text = expression.text
        self._references = expression.references
        self._facts = facts

    def finding(self, tree: ast.expr) -> Finding:
        if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.And):
            # The part that fails is what a person wants to see.
            return next((each for each in map(self.finding, tree.values) if not each.holds), Finding(True))
        value = self._value(tree)
        if isinstance(value, Series):
            if value.values.dtype != bool:
                raise ExpressionError(f"{self._text} is a value and no condition", hint=EXAMPLE)
            wrong = np.flatnonzero(~_some(value, "value").values)
            return (
                Finding(False, self._found_at(tree, int(wrong[0])), value.place(int(wrong[0])))
                if len(wrong)
                else Finding(True)
            )
        if value.value:
            return Finding(True)
        return Finding(False, self._found(tree), value.place)

    def _found_at(self, tree: ast.expr, index: int) -> str:
        """The value that is compared with something else in that message."""
        left = self._value(tree.left) if isinstance(tree, ast.Compare) else None
        return f"it is {_shown(left.values[index].item())}" if isinstance(left, Series) else "it does not hold"

    def _found(self, tree: ast.expr) -> str:
        """The two sides of a comparison that does not hold."""
        if isinstance(tree, ast.Compare) and len(tree.ops) == 1:
            left, right = (self._value(each) for each in (tree.left, tree.comparators[0]))
            if isinstance(left, Single) and isinstance(right, Single):
                constant = isinstance(tree.comparators[0], ast.Constant)
                return f"it is {_shown(left.value)}" + ("" if constant else f", not {_shown(right.value)}")
        return f"{ast.unparse(tree)} is false" if isinstance(tree, ast.Attribute) else "it does not hold"

    def _value(self, tree: ast.expr) -> Value:
        match tree:
            case ast.Constant(value=constant):
                return Single(constant)
            case ast.Name(id="duration"):
                return Single(self._facts.duration_s)
            case ast.Name(id="true" | "false" as name):
                return Single(name == "true")
            case ast.Attribute(value=ast.Name(id="outcome"), attr=name):
                return self._outcome(name)
            case ast.Call(func=ast.Name(id="_reference"), args=[ast.Constant(value=int(number))]):
                return self._facts.series(*split_reference(self._references[number], self._facts.topics))
            case ast.Call(func=ast.Name(id="_abs"), args=[inside]):
                return self._apply(np.abs, self._value(inside))
            case ast.Call(func=ast.Name(id=name), args=[inside]):
                value = self._value(inside)
                if not isinstance(value, Series):
                    raise ExpressionError(f"{self._text}: {name} of a single value", hint=EXAMPLE)
                return _FUNCTIONS[name](value)
            case ast.UnaryOp(op=op, operand=inside):
                functions = {ast.Not: np.logical_not, ast.USub: np.negative, ast.UAdd: np.positive}
                return self._apply(functions[type(op)], self._value(inside))
            case ast.BinOp(left=left, op=op, right=right):
                return self._both(_ARITHMETIC[type(op)], self._value(left), self._value(right))
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return self._both(_COMPARISONS[type(op)], self._value(left), self._value(right))
            case ast.BoolOp(op=op, values=values):
                function = np.logical_and if isinstance(op, ast.And) else np.logical_or
                found = self._value(values[0])
                for each in values[1:]:
                    found = self._both(function, found, self._value(each))
                return found
        raise ExpressionError(f"{self._text} is not a valid expression", hint=EXAMPLE)

    def _outcome(self, name: str) -> Single:
        if name not in self._facts.outcome:
            if not self._facts.outcome:
                raise ExpressionError(f"{self._text}: no judge has said anything", hint="put one into the system")
            raise ExpressionError(f"the outcome has no {name}", hint=did_you_mean(name, self._facts.outcome))
        return Single(self._facts.outcome[name])

    def _apply(self, function: Callable[[Any], Any], value: Value) -> Value:
        if isinstance(value, Series):
            return value.with_values(self._tried(function, value.values))
        result = self._tried(function, value.value)
        return Single(result.item() if isinstance(result, np.generic) else result, value.place)

    def _both(self, function: Callable[[Any, Any], Any], left: Value, right: Value) -> Value:
        if isinstance(left, Series) and isinstance(right, Series):
            if left.topic != right.topic or len(left.values) != len(right.values):
                hint = "put each into a function first, e.g. max(...)"
                raise ExpressionError(f"{self._text}: messages of two topics do not come in pairs", hint=hint)
            return left.with_values(self._tried(function, left.values, right.values))
        if isinstance(left, Series):
            assert isinstance(right, Single)
            return left.with_values(self._tried(function, left.values, right.value))
        if isinstance(right, Series):
            return right.with_values(self._tried(function, left.value, right.values))
        result = self._tried(function, left.value, right.value)
        return Single(result.item() if isinstance(result, np.generic) else result, left.place or right.place)

    def _tried(self, function: Callable[..., Any], *values: Any) -> Any:
        try:
            with np.errstate(all="ignore"):
                return function(*values)
        except (TypeError, ValueError, ZeroDivisionError):
            kinds = " and ".join("nothing" if each is None else type(each).__name__ for each in values)
            raise ExpressionError(f"{self._text}: this cannot be computed of {kinds}") from None


def _shown(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {True: "true", False: "false", None: "nothing"}[value]
    return f"{value:.6g}" if isinstance(value, float) else str(value)
