"""Definitions of ROS 1 messages in the words of ROS 2, whose rules for names are stricter.

Fields become snake_case, types CamelCase; `time`, `duration` and `Header` get the types that ROS 2 has for them; a
message without fields gets the member that it has in ROS 2. The order of the fields stays, and so do their bytes.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from studio.runtime.recording.format.errors import LogError

SEPARATOR = "=" * 80
DUMMY = "uint8 structure_needs_at_least_one_member"
"""What ROS 2 sends for a message without fields, for a structure in C may not be empty."""
BUILTIN = {
    "std_msgs/Header": "builtin_interfaces/Time stamp\nstring frame_id",
    "builtin_interfaces/Time": "int32 sec\nuint32 nanosec",
    "builtin_interfaces/Duration": "int32 sec\nuint32 nanosec",
}
"""These differ between ROS 1 and ROS 2."""
_RENAMED = {"tf/tfMessage": "tf2_msgs/TFMessage", "roslib/Header": "std_msgs/Header"}
_REFERENCES = {
    "time": "builtin_interfaces/Time",
    "duration": "builtin_interfaces/Duration",
    "Header": "std_msgs/Header",
}
_INTEGERS = {f"{sign}int{bits}": (sign, bits) for sign in ("", "u") for bits in (8, 16, 32, 64)}
_PRIMITIVES = {*_INTEGERS, "bool", "byte", "char", "float32", "float64", "string"}
_PART = re.compile(r"^=+[ \t]*\n[ \t]*MSG:[ \t]*(\S+)[ \t]*$", re.MULTILINE)
_TYPE = re.compile(r"[A-Za-z]\w*/[A-Za-z]\w*", re.ASCII)
_LINE = re.compile(
    r"(?P<type>[A-Za-z]\w*(?:/[A-Za-z]\w*)?)\s*(?P<array>\[\s*\d*\s*\])?\s+(?P<name>[A-Za-z_]\w*)\s*(?P<value>=.*)?",
    re.ASCII | re.DOTALL,
)
_WORD_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def ros2_definition(name: str, text: str) -> tuple[str, str]:
    """The name of a type, e.g. `tf/tfMessage`, and its text with all that it refers to, as ROS 2 would have them."""
    parts = _PART.split(text.replace("\r\n", "\n"))
    found = dict(zip([name, *parts[1::2]], parts[0::2], strict=True))
    names = _type_names(found)
    texts: dict[str, str] = {}
    for each, body in found.items():
        if names[each] not in BUILTIN:
            texts[names[each]] = _definition(each, body, names)
    own = names[name]
    if own in BUILTIN:
        texts = {own: BUILTIN[own]}
    for builtin, body in BUILTIN.items():  # a Header has a Time: it comes first
        if builtin != own and any(f"{builtin} " in known or f"{builtin}[" in known for known in texts.values()):
            texts[builtin] = body
    root = texts.pop(own)
    return own, "\n".join([root, *(f"{SEPARATOR}\nMSG: {each}\n{body}" for each, body in texts.items())]) + "\n"


def _type_names(found: Iterable[str]) -> dict[str, str]:
    names: dict[str, str] = {}
    for each in found:
        if not _TYPE.fullmatch(each):
            raise LogError(f"{each[:60]!r} is not the name of a message type")
        package, _, short = each.partition("/")
        renamed = _RENAMED.get(each) or f"{_snake(package, 'package')}/{_camel(short)}"
        names[each] = renamed if renamed in BUILTIN else _unused(renamed, names.values(), "")
    return names


def _definition(owner: str, body: str, names: dict[str, str]) -> str:
    fields: dict[str, str] = {}
    constants: dict[str, str] = {}
    for line in body.splitlines():
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        match = _LINE.fullmatch(text if _is_text_constant(text) else text.partition("#")[0].strip())
        if match is None:
            raise LogError(f"its definition has a line that cannot be read: {text[:80]!r}")
        if match["value"] is not None:
            value = _value(match["type"], match["value"][1:].strip())
            if value:
                constants.setdefault(_snake(match["name"], "constant").upper(), f"{match['type']} {{}}={value}")
            continue
        kind = _reference(match["type"], owner, names) + re.sub(r"\s", "", match["array"] or "")
        fields[_unused(_snake(match["name"], "field"), fields, "_")] = kind
    lines = [line.replace("{}", name, 1) for name, line in constants.items()]
    return "\n".join([*lines, *(f"{kind} {name}" for name, kind in fields.items())] if fields else [*lines, DUMMY])


def _is_text_constant(line: str) -> bool:
    """Such a one goes on to the end of its line, whatever is in it."""
    return re.match(r"string\s+\w+\s*=", line) is not None


def _reference(kind: str, owner: str, names: dict[str, str]) -> str:
    if kind in _PRIMITIVES:
        return kind
    if kind in _REFERENCES:
        return _REFERENCES[kind]
    full = kind if "/" in kind else f"{owner.partition('/')[0]}/{kind}"
    known = names.get(full) or _RENAMED.get(full, full if full in BUILTIN else "")
    if not known:
        raise LogError(f"its definition does not say what {full} is")
    return known


def _value(kind: str, value: str) -> str:
    """The value of a constant as ROS 2 reads it; empty for one that it would not take. No message contains it."""
    try:
        if kind == "string":
            return "" if set(value) & set("#\"'\\") else f'"{value}"'
        if kind == "bool":
            return {"true": "true", "1": "true", "false": "false", "0": "false"}.get(value.lower(), "")
        if kind in ("float32", "float64"):
            return str(float(value))
        number = int(value, 0)
    except ValueError:
        return ""
    sign, bits = _INTEGERS.get(kind, ("u", 8))
    low, high = (0, 1 << bits) if sign else (-(1 << (bits - 1)), 1 << (bits - 1))
    return str(number) if low <= number < high else ""


def _snake(name: str, otherwise: str) -> str:
    """`k_matrix` for `KMatrix`."""
    words = re.sub("_+", "_", _WORD_BOUNDARY.sub("_", name).lower()).strip("_")
    return words if words[:1].isalpha() else f"{otherwise}_{words}".rstrip("_")


def _camel(name: str) -> str:
    """`OddThing` for `odd_thing`."""
    return "".join(word[:1].upper() + word[1:] for word in name.split("_"))


def _unused(name: str, taken: Collection[str], before_number: str) -> str:
    """Two names may differ in ROS 1 only by what ROS 2 does not have."""
    number, unused = 1, name
    while unused in taken:
        number += 1
        unused = f"{name}{before_number}{number}"
    return unused
