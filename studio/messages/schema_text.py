"""Schemas as text: what a log stores beside the messages, so that others can read them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from studio.messages.layout import Layout, Layouts, WireConstant, WireField

SEPARATOR = "=" * 80
_OWN = Path(__file__).parent / "msg"


def full_text(schema_name: str, layouts: Layouts, texts: Mapping[str, str]) -> str:
    """The definition of a type, followed by those of all types it refers to, in the form that ROS 2 bags use."""
    parts = [_text(schema_name, layouts, texts)]
    for name in dependencies(schema_name, layouts):
        parts.append(f"{SEPARATOR}\nMSG: {short_reference(name)}\n{_text(name, layouts, texts)}")
    return "".join(parts)


def dependencies(schema_name: str, layouts: Layouts) -> list[str]:
    """All types that a type refers to, directly or not, each once, in the order in which they are met."""
    found: dict[str, None] = {}

    def visit(name: str) -> None:
        for field in layouts[name].fields:
            if field.type in layouts and field.type not in found:
                found[field.type] = None
                visit(field.type)

    visit(schema_name)
    return list(found)


def short_reference(schema_name: str) -> str:
    """`std_msgs/Header` for `std_msgs/msg/Header`: this is how types are named inside definitions."""
    return schema_name.replace("/msg/", "/")


def _text(schema_name: str, layouts: Layouts, texts: Mapping[str, str]) -> str:
    if schema_name in texts:
        return texts[schema_name]
    own = _OWN / f"{schema_name.rpartition('/')[2]}.msg"
    if schema_name.startswith("studio_msgs/"):
        return own.read_text(encoding="utf-8")
    return "".join(f"{line}\n" for line in _lines(layouts[schema_name]))


def _lines(layout: Layout) -> Iterator[str]:
    yield from map(_constant_line, layout.constants)
    yield from map(_field_line, layout.fields)


def _constant_line(constant: WireConstant) -> str:
    value = f'"{constant.value}"' if isinstance(constant.value, str) else constant.value
    return f"{constant.type} {constant.name}={value}"


def _field_line(field: WireField) -> str:
    bound = f"<={field.text_bound}" if field.text_bound else ""
    size = {"one": "", "array": f"[{field.size}]", "sequence": f"[<={field.size}]" if field.size else "[]"}[field.form]
    return f"{short_reference(field.type)}{bound}{size} {field.name}"
