"""JSON from outside as typed values: read once, at the border, and refused there with a reason.

`typed(Pause, read_object(raw))` makes a value of a dataclass or a TypedDict by its annotations. Depth, size and numbers
are limited; fields that nobody knows are ignored, as the protocol says; null stands for a field that was left out.
"""

from __future__ import annotations

import json
import math
import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Required,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from studio.errors import StudioError
from studio.runtime.clock import FARTHEST_NS

MOST_BYTES = 16 << 20
MOST_DEPTH = 64
MOST_SHOWN = 40
"""Characters of a value that are repeated where it is refused."""

T = TypeVar("T")
Converter = Callable[[object, str], Any]
"""Makes a typed value of a plain one; the name of the field is for the error."""


class Malformed(StudioError):
    """Bytes from outside that are not what the protocol asks for."""

    def __init__(self, message: str, *, hint: str = "", number: Any = None) -> None:
        super().__init__(message, hint=hint)
        self.number = number
        """Of the request that is refused, where it has one: its answer carries it."""


@dataclass(frozen=True)
class Between:
    """The range of a number: `Annotated[float, Between(0, 1000)]`."""

    low: float
    high: float


Number64 = Annotated[int, Between(-(2**63), 2**63 - 1)]
TimeNs = Annotated[int, Between(-FARTHEST_NS, FARTHEST_NS)]
Count = Annotated[int, Between(0, 2**53)]


def read_json(raw: bytes | str, most_bytes: int = MOST_BYTES) -> Any:
    """Plain data, whose depth and size are limited."""
    if len(raw) > most_bytes:
        raise Malformed(f"too long: {len(raw)} bytes", hint=f"at most {most_bytes}")
    try:
        content = json.loads(raw)
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:
        raise Malformed(f"not JSON: {error}") from None
    brackets = raw.count("[") + raw.count("{") if isinstance(raw, str) else raw.count(b"[") + raw.count(b"{")
    if brackets > MOST_DEPTH:
        _check_depth(content)
    return content


def read_object(raw: bytes | str, most_bytes: int = MOST_BYTES) -> dict[str, Any]:
    content = read_json(raw, most_bytes)
    if not isinstance(content, dict):
        raise Malformed(f"not an object: {_short(content)}")
    return content


def typed(kind: type[T], content: object) -> T:
    """A value of `kind`, a dataclass or TypedDict; raises Malformed where a field is missing or of another type."""
    value: T = _converter(cast(Any, kind))(content, "")
    return value


def _check_depth(content: object) -> None:
    """Level by level: whoever calls himself would end where the content wants him to."""
    level = [content]
    for _ in range(MOST_DEPTH):
        inner = (each.values() if isinstance(each, dict) else each for each in level if isinstance(each, (dict, list)))
        level = [child for children in inner for child in children if isinstance(child, (dict, list))]
        if not level:
            return
    raise _too_deep()


def _too_deep() -> Malformed:
    return Malformed("nested too deeply", hint=f"at most {MOST_DEPTH} levels")


@cache
def _converter(kind: Any) -> Converter:
    """Made once for each type."""
    if kind is Any or kind is object:
        return lambda value, _: value
    if kind in _PLAIN:
        return _PLAIN[kind]
    if is_typeddict(kind):
        return _typed_dict(kind)
    if is_dataclass(kind):
        return _dataclass(kind)
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _between(_converter(arguments[0]), arguments[1])
    if origin is Literal:
        return _one_of(arguments)
    if origin in (Union, types.UnionType):
        return _optional(_converter(next(each for each in arguments if each is not types.NoneType)))
    if origin is tuple or origin is list:
        return _sequence(origin, _converter(arguments[0]))
    if origin is dict:
        return _mapping(_converter(arguments[1]))
    raise TypeError(f"{kind} is no type of a field")


def _text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise _refusal(name, "a text", value)
    return value


def _whole(value: object, name: str) -> int:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not -(2**63) <= value < 2**64:
        raise _refusal(name, "a whole number", value)
    return value


def _finite(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or abs(value) > 1e300 or not math.isfinite(value):
        raise _refusal(name, "a finite number", value)
    return float(value)


def _yes_or_no(value: object, name: str) -> bool:
    if not isinstance(value, bool):
        raise _refusal(name, "true or false", value)
    return value


_PLAIN: Mapping[Any, Converter] = {str: _text, int: _whole, float: _finite, bool: _yes_or_no}


def _between(convert: Converter, limits: Between) -> Converter:
    def check(value: object, name: str) -> Any:
        number = convert(value, name)
        if not limits.low <= number <= limits.high:
            raise _refusal(name, f"between {limits.low:g} and {limits.high:g}", value)
        return number

    return check


def _one_of(known: tuple[Any, ...]) -> Converter:
    def check(value: object, name: str) -> Any:
        if not isinstance(value, str) or value not in known:
            raise _refusal(name, f"one of {', '.join(map(str, known))}", value)
        return value

    return check


def _optional(convert: Converter) -> Converter:
    return lambda value, name: None if value is None else convert(value, name)


def _sequence(make: Callable[[Any], Any], convert: Converter) -> Converter:
    def each(value: object, name: str) -> Any:
        if not isinstance(value, list):
            raise _refusal(name, "a list", value)
        return make([convert(item, f"{name}[{index}]") for index, item in enumerate(value)])

    return each


def _mapping(convert: Converter) -> Converter:
    def each(value: object, name: str) -> dict[str, Any]:
        return {key: convert(item, _inner(name, key)) for key, item in _object(value, name).items()}

    return each


def _typed_dict(kind: Any) -> Converter:
    plain = get_type_hints(kind)
    hints = {name: _converter(hint) for name, hint in plain.items()}
    nullable = {name for name, hint in plain.items() if types.NoneType in get_args(hint)}
    # Its own `__required_keys__` does not see into annotations that are texts, as all are here.
    marks = {name: get_origin(hint) for name, hint in get_type_hints(kind, include_extras=True).items()}
    unless = NotRequired if kind.__total__ else None
    required = {name for name, mark in marks.items() if mark is Required or (kind.__total__ and mark is not unless)}

    def make(value: object, name: str) -> Any:
        content = _object(value, name)
        made = {}
        for key, convert in hints.items():
            if content.get(key) is not None or (key in nullable and key in content):
                made[key] = convert(content[key], _inner(name, key))
            elif key in required:
                raise Malformed(f"{_inner(name, key)} is missing")
        return made

    return make


def _dataclass(kind: Any) -> Converter:
    hints = get_type_hints(kind, include_extras=True)
    known = [(each.name, _converter(hints[each.name]), _is_required(each)) for each in fields(kind) if each.init]

    def make(value: object, name: str) -> Any:
        content = _object(value, name)
        made = {}
        for key, convert, required in known:
            if content.get(key) is not None:
                made[key] = convert(content[key], _inner(name, key))
            elif required:
                raise Malformed(f"{_inner(name, key)} is missing")
        return kind(**made)

    return make


def _is_required(field: Any) -> bool:
    return field.default is MISSING and field.default_factory is MISSING


def _object(value: object, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _refusal(name, "an object", value)
    return value


def _inner(name: str, key: str) -> str:
    return f"{name}.{key}" if name else key


def _refusal(name: str, wanted: str, value: object) -> Malformed:
    return Malformed(f"{name[:100] or 'it'} must be {wanted}, not {_short(value)}")


def _short(value: object) -> str:
    if isinstance(value, (dict, list)):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value)}"
    text = json.dumps(value)
    return text if len(text) <= MOST_SHOWN else text[:MOST_SHOWN] + "…"
