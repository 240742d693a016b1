"""JSON from outside as typed values: read once, at the border, and refused there with a reason.

`typed(Pause, read_object(raw))` makes a value of a `msgspec.Struct`, a dataclass or a TypedDict by its annotations.
Depth, size and numbers are limited; fields that nobody knows are ignored, as the protocol says. JSON itself is read by
Python's own module, because messages that pass through may hold NaN and infinities, which msgspec always refuses.
"""

from __future__ import annotations

import json
import re
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from msgspec import Meta, ValidationError, convert

from studio.errors import StudioError
from studio.runtime.base.clock import FARTHEST_NS

MOST_BYTES = 16 << 20
MOST_DEPTH = 64

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")
"""Half of a character, or one that is written in two halves."""

T = TypeVar("T")
Number64 = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
TimeNs = Annotated[int, Meta(ge=-FARTHEST_NS, le=FARTHEST_NS)]
Count = Annotated[int, Meta(ge=0, le=2**53)]
Finite = Annotated[float, Meta(ge=-1e300, le=1e300)]


class Malformed(StudioError):
    """Bytes from outside that are not what the protocol asks for."""

    def __init__(self, message: str, *, hint: str = "", number: Any = None) -> None:
        super().__init__(message, hint=hint)
        self.number = number
        """Of the request that is refused, where it has one: its answer carries it."""


def read_json(raw: bytes | str, most_bytes: int = MOST_BYTES) -> Any:
    """Plain data, whose depth and size are limited."""
    if len(raw) > most_bytes:
        raise Malformed(f"too long: {len(raw)} bytes", hint=f"at most {most_bytes}")
    try:
        text = raw if isinstance(raw, str) else raw.decode()  # json itself would take half characters, and UTF-16
        content = json.loads(text)
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:
        raise Malformed(f"not JSON: {error}") from None
    if text.count("[") + text.count("{") > MOST_DEPTH:
        _check_depth(content)
    if _SURROGATE.search(text):
        _check_characters(content)
    return content


def read_object(raw: bytes | str, most_bytes: int = MOST_BYTES) -> dict[str, Any]:
    content = read_json(raw, most_bytes)
    if not isinstance(content, dict):
        raise Malformed("it must be an object")
    return content


def typed(kind: type[T], content: object) -> T:
    """A value of `kind`; raises Malformed where a field is missing or of another type.

    In a Struct null stands for a field that was left out, where the field may be left out.
    """
    defaults = getattr(kind, "__struct_defaults__", ())
    if defaults and isinstance(content, dict) and None in content.values():
        optional = kind.__struct_fields__[-len(defaults) :]  # type: ignore[attr-defined]
        content = {name: value for name, value in content.items() if value is not None or name not in optional}
    try:
        return convert(content, kind)
    except ValidationError as error:
        raise Malformed(_words(str(error), kind)) from None
    except UnicodeEncodeError:
        raise _half_a_character() from None


def _check_depth(content: object) -> None:
    """Level by level: whoever calls himself would end where the content wants him to."""
    level = [content]
    for _ in range(MOST_DEPTH):
        inner = (each.values() if isinstance(each, dict) else each for each in level if isinstance(each, (dict, list)))
        level = [child for children in inner for child in children if isinstance(child, (dict, list))]
        if not level:
            return
    raise _too_deep()


def _check_characters(content: object) -> None:
    """Half of a character, which JSON can write, cannot be said to anybody again."""
    try:
        json.dumps(content, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise _half_a_character() from None


def _half_a_character() -> Malformed:
    return Malformed("a text contains half of a character (a lone surrogate)")


def _too_deep() -> Malformed:
    return Malformed("nested too deeply", hint=f"at most {MOST_DEPTH} levels")


_LONGEST_SHOWN = 100
_WORDS = {
    "int": "a whole number", "float": "a number", "str": "a text", "bool": "true or false", "array": "a list",
    "object": "an object", "null": "null", ">=": "at least", "<=": "at most",
}  # fmt: skip


def _words(says: str, kind: Any) -> str:
    """What msgspec says, in words for people: "Expected `int`, got `str` - at `$.count`"."""
    what, where = says, ""
    head, at, tail = says.rpartition(" - at `")
    if at:
        what, where = head, tail.removesuffix("`").removeprefix("key in ").removeprefix("$").removeprefix(".")
    name = _short(where) or "it"
    match what.split("`"):
        case ["Object missing required field ", field, ""]:
            return f"{where}.{field} is missing" if where else f"{field} is missing"
        case ["Expected ", wanted, ", got ", given, ""]:
            kinds = " or ".join(_WORDS.get(each, each) for each in wanted.split(" | ") if each != "null")
            return f"{name} must be {kinds}, not {_WORDS.get(given, given)}"
        case ["Expected ", _, limit]:
            sign, _, number = limit.strip().partition(" ")
            return f"{name} must be {_WORDS.get(sign, sign)} {number}"
    if what.startswith("Invalid enum value") and (known := _choices(get_type_hints(kind).get(where))):
        given = _short(what.removeprefix("Invalid enum value "))
        return f"{name} must be one of {', '.join(map(str, known))}, not {given}"
    return f"{name}: {what[0].lower()}{_short(what[1:])}"


def _choices(annotation: Any) -> tuple[Any, ...]:
    """What a Literal allows, also one that may be left out."""
    inner = get_args(annotation)
    if get_origin(annotation) is Literal:
        return inner
    return tuple(choice for each in inner for choice in _choices(each))


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "…"
