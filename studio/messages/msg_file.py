"""Reads `.msg` text into layouts. The grammar is that of `rosbags`; defaults and the line of an error are ours."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from studio.messages.errors import MessageError
from studio.messages.layout import Form, Layout, WireConstant, WireField

LARGEST_ARRAY = 1_000_000
LARGEST_FILE = 1_000_000
_UNSUPPORTED = {
    "fixed": "float64",
    "float128": "float64",
    "wchar": "string",
    "wstring": "string",
    "time": "builtin_interfaces/Time",
    "duration": "builtin_interfaces/Duration",
}
_FORMS: dict[int, Form] = {3: "array", 4: "sequence"}
"""The nodes of rosbags that hold others; 1 is a primitive, 2 a structure."""
_WITH_DEFAULT = re.compile(r"[ \t]*(?P<type>[^\s#]+)[ \t]+(?P<name>[A-Za-z]\w*)[ \t]+(?P<value>[^\s#=].*)")
EMPTY = WireField("structure_needs_at_least_one_member", "uint8")
"""What ROS 2 sends for a message without fields, for a structure in C may not be empty."""


def read_msg_file(path: Path, schema_name: str) -> tuple[Layout, str]:
    """The layout of a `.msg` file and its text."""
    try:
        data = path.read_bytes()
        text = data.decode("utf-8").replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError) as error:
        raise MessageError(f"cannot be read: {error}", file=path) from error
    if len(data) > LARGEST_FILE:
        raise MessageError(f"is larger than {LARGEST_FILE} bytes", file=path)
    return parse_msg(text, schema_name, path), text.rstrip("\n") + "\n"


def parse_msg(text: str, schema_name: str, file: Path | str | None = None) -> Layout:
    """The layout of one message definition; errors name `file` and the line."""
    parsed = _parsed(text, schema_name)
    if len(parsed) != 1:
        line = _first_bad_line(text, schema_name)
        hint = "a line is `type name`, `type[] name`, or `type NAME=value`; e.g. `float64 speed_m_s`"
        raise MessageError("this is not a field or constant of a message", file=file, line=line, hint=hint)
    try:
        return _layout(*parsed[schema_name], _defaults(text))
    except _BadField as error:
        raise MessageError(error.problem, file=file, line=line_of(text, error.name)) from error


def line_of(text: str, name: str) -> int | None:
    """The line that declares a field or constant."""
    pattern = re.compile(rf"^\s*[^#\s]+\s+{re.escape(name)}\b")
    return next((number for number, line in enumerate(text.splitlines(), 1) if pattern.match(line)), None)


def _parsed(text: str, schema_name: str) -> dict[str, tuple[list[Any], list[Any]]]:
    """Constants and fields by type, as rosbags gives them; empty when it cannot read the text."""
    # Importing rosbags takes 30 ms, and only projects with their own types need it.
    from rosbags.typesys import TypesysError, get_types_from_msg

    try:
        return dict(get_types_from_msg(text, schema_name))
    except (TypesysError, AssertionError, ValueError):
        return {}


def _first_bad_line(text: str, schema_name: str) -> int | None:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and len(_parsed(line + "\n", schema_name)) != 1:
            return number
    return None


class _BadField(Exception):
    def __init__(self, name: str, problem: str) -> None:
        super().__init__(problem)
        self.name = name
        self.problem = problem


def _layout(constants: list[Any], fields: list[Any], defaults: dict[str, Any]) -> Layout:
    seen: set[str] = set()
    for name in [*(field[0] for field in fields), *(constant[0] for constant in constants)]:
        if name in seen:
            raise _BadField(name, f"{name} is declared twice")
        seen.add(name)
    wire_fields = tuple(_field(name, node, defaults.get(name)) for name, node in fields)
    return Layout(wire_fields or (EMPTY,), tuple(WireConstant(*constant) for constant in constants))


def _field(name: str, node: Any, default: Any) -> WireField:
    form = _FORMS.get(int(node[0]), "one")
    inner, size = (node, 0) if form == "one" else node[1]
    type_name, text_bound = inner[1] if int(inner[0]) == 1 else (inner[1], 0)
    plain = type_name.rpartition("/")[2]
    if plain in _UNSUPPORTED:
        raise _BadField(name, f"{plain} is not supported; use {_UNSUPPORTED[plain]}")
    if form == "array" and not 1 <= size <= LARGEST_ARRAY:
        raise _BadField(name, f"an array has 1 to {LARGEST_ARRAY} elements; `{plain}[]` has any number")
    return WireField(name, type_name, form, size, text_bound, default)


def _defaults(text: str) -> dict[str, Any]:
    """Defaults by field name. rosbags reads over them."""
    lines = (match for line in text.splitlines() if (match := _WITH_DEFAULT.fullmatch(line)))
    return {match["name"]: _default(match["name"], match["type"], match["value"]) for match in lines}


def _default(name: str, type_name: str, value: str) -> Any:
    if "[" in type_name:
        try:
            return json.loads(value.partition("#")[0])
        except ValueError:
            raise _BadField(name, f"the default of {name} is not a list, e.g. [1, 2, 3]") from None
    # As the value of a constant rosbags reads it, with all its rules for quotes and bases.
    constants, _ = _parsed(f"{type_name.partition('<')[0]} X={value}\n", "a/msg/A").get("a/msg/A", ([], []))
    if not constants:
        raise _BadField(name, f"the default of {name}, {value!r}, does not fit its type")
    return constants[0][2]
