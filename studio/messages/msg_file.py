"""Reads `.msg` text into layouts. The grammar is that of `rosbags`; finding the line of an error is ours."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studio.messages.errors import MessageError
from studio.messages.layout import Form, Layout, WireConstant, WireField

if TYPE_CHECKING:
    from rosbags.typesys.base import Field, Message

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
        raise MessageError("this is no field or constant of a message", file=file, line=line, hint=hint)
    try:
        return _layout(parsed[0])
    except _BadField as error:
        raise MessageError(error.problem, file=file, line=line_of(text, error.name)) from error


def line_of(text: str, name: str) -> int | None:
    """The line that declares a field or constant."""
    pattern = re.compile(rf"^\s*[^#\s]+\s+{re.escape(name)}\b")
    return next((number for number, line in enumerate(text.splitlines(), 1) if pattern.match(line)), None)


def _parsed(text: str, schema_name: str) -> list[Message]:
    # Importing rosbags takes 30 ms, and only projects with their own types need it.
    from rosbags.typesys import TypesysError
    from rosbags.typesys.msg import MSGParser

    try:
        return MSGParser(f"MSG: {schema_name}\n{text}").specification()
    except (TypesysError, AssertionError, ValueError):
        return []


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


def _layout(message: Message) -> Layout:
    fields = tuple(_field(field) for field in message.fields) or (EMPTY,)
    constants = tuple(WireConstant(item.name, item.typ.value, item.value) for item in message.constants)
    seen: set[str] = set()
    for name in [*(field.name for field in fields), *(constant.name for constant in constants)]:
        if name in seen:
            raise _BadField(name, f"{name} is declared twice")
        seen.add(name)
    return Layout(fields, constants)


def _field(field: Field) -> WireField:
    reference = field.typ.ref.name
    type_name = reference if isinstance(reference, str) else reference.value
    plain = type_name.rpartition("/")[2]
    if plain in _UNSUPPORTED:
        raise _BadField(field.name, f"{plain} is not supported; use {_UNSUPPORTED[plain]}")
    form: Form = {"scalar": "one", "array": "array", "sequence": "sequence"}[field.typ.cardinality.value]  # type: ignore[assignment]
    if form == "array" and not 1 <= field.typ.size <= LARGEST_ARRAY:
        raise _BadField(field.name, f"an array has 1 to {LARGEST_ARRAY} elements; `{type_name}[]` has any number")
    default: Any = field.value
    return WireField(field.name, type_name, form, field.typ.size, field.typ.str_size, default)
