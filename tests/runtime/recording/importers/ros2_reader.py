"""Reads ROS 2 messages by their schemas alone, as strictly as rosidl reads .msg files: what passes here, others take.

Written from the specifications of .msg files and of CDR; it shares no code with Studio.
"""

from __future__ import annotations

import re
import struct
from pathlib import Path
from typing import Any, NamedTuple

from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory
from rosbags.rosbag2 import Reader as BagReader
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

SIZES = {
    "bool": "?", "byte": "B", "char": "B", "int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i",
    "uint32": "I", "int64": "q", "uint64": "Q", "float32": "f", "float64": "d",
}  # fmt: skip
PACKAGE = r"(?!.*__)(?!.*_$)[a-z][a-z0-9_]*"
FIELD = re.compile(PACKAGE)
CONSTANT = re.compile(r"[A-Z]([A-Z0-9_]?[A-Z0-9]+)*")
TYPE = re.compile(r"[A-Z][A-Za-z0-9]*")
FULL = re.compile(r"([a-z][a-z0-9_]*)/(?:(?:msg|srv|action)/)?([A-Z][A-Za-z0-9]*(?:_[A-Z][A-Za-z]*)?)")
LINE = re.compile(r"(?P<type>[A-Za-z0-9_/]+)(?P<bound><=\d+)?(?P<array>\[(?:<=)?\d*\])?\s+(?P<name>\w+)\s*(?P<rest>.*)")


class Field(NamedTuple):
    name: str
    type: str
    array: str


Definitions = dict[str, list[Field]]


def parse(name: str, text: str) -> Definitions:
    """All definitions of a schema by their full names."""
    found: Definitions = {}
    current = _full(name)
    found[current] = []
    lines = iter(text.splitlines())
    for line in lines:
        if re.fullmatch(r"=+", line):
            said = next(lines)
            assert said.startswith("MSG: "), said
            current = _full(said.removeprefix("MSG: "))
            assert current not in found, f"{current} is defined twice"
            found[current] = []
        elif line.strip() and not line.lstrip().startswith("#"):
            _add_line(found[current], line.strip(), current)
    for fields in found.values():
        for field in fields:
            assert field.type in SIZES or field.type == "string" or field.type in found, f"{field.type} is missing"
    return found


def _full(name: str) -> str:
    match = FULL.fullmatch(name)
    assert match and re.fullmatch(PACKAGE, match[1]), f"{name} is not a name of ROS 2"
    return f"{match[1]}/{match[2]}"


def _add_line(fields: list[Field], line: str, owner: str) -> None:
    match = LINE.fullmatch(line)
    assert match, f"{line!r} in {owner}"
    if match["rest"].startswith("="):
        assert CONSTANT.fullmatch(match["name"]), f"constant {match['name']} of {owner}"
        return
    assert FIELD.fullmatch(match["name"]), f"field {match['name']} of {owner}"
    assert match["name"] not in [field.name for field in fields], f"{match['name']} of {owner} is there twice"
    kind = match["type"]
    if kind not in SIZES and kind != "string":
        kind = _full(kind if "/" in kind else f"{owner.split('/')[0]}/{kind}")
    fields.append(Field(match["name"], kind, match["array"] or ""))


class Cdr:
    def __init__(self, data: bytes, definitions: Definitions) -> None:
        assert data[0] == 0 and data[1] in (0, 1), f"these bytes are not CDR: {data[:4].hex()}"
        self._order = "<" if data[1] else ">"
        self._data = data[4:]
        self._at = 0
        self._definitions = definitions

    def message(self, kind: str) -> dict[str, Any]:
        fields = self._definitions[kind]
        if not fields:  # a structure of IDL has at least one member
            self._one("uint8")
        return {field.name: self._field(field) for field in fields}

    def finish(self) -> None:
        left = len(self._data) - self._at
        assert 0 <= left <= 3, f"{left} bytes are left"

    def _field(self, field: Field) -> Any:
        if not field.array:
            return self._one(field.type)
        bound = field.array[1:-1]
        count = int(bound) if bound and not bound.startswith("<=") else self._one("uint32")
        return [self._one(field.type) for _ in range(count)]

    def _one(self, kind: str) -> Any:
        if kind == "string":
            length = self._one("uint32")
            raw = self._data[self._at : self._at + length]
            assert raw.endswith(b"\0")
            self._at += length
            return raw[:-1].decode()
        if kind not in SIZES:
            return self.message(kind)
        form = struct.Struct(self._order + SIZES[kind])
        self._at += -self._at % form.size
        (value,) = form.unpack_from(self._data, self._at)
        self._at += form.size
        return value


def read_back(path: Path) -> dict[str, list[dict[str, Any]]]:
    """All messages of a converted log by topic; rosbags and mcap-ros2-support have to read the same."""
    ours: dict[str, list[dict[str, Any]]] = {}
    with path.open("rb") as stream:
        reader = make_reader(stream, validate_crcs=True, decoder_factories=[DecoderFactory()])
        for schema, channel, message, decoded in reader.iter_decoded_messages():
            if channel.topic.startswith("/_studio/"):
                continue
            assert schema is not None and channel.message_encoding == "cdr"
            cdr = Cdr(message.data, parse(schema.name, schema.data.decode()))
            values = cdr.message(_full(schema.name))
            cdr.finish()
            _same(values, decoded)
            ours.setdefault(channel.topic, []).append(values)
    _compare_rosbags(path, ours)
    return ours


def _compare_rosbags(path: Path, ours: dict[str, list[dict[str, Any]]]) -> None:
    store = get_typestore(Stores.EMPTY)
    counts = dict.fromkeys(ours, 0)
    with BagReader(path) as bag:
        for connection in bag.connections:
            store.register(get_types_from_msg(connection.msgdef.data, connection.msgtype))
        for connection, _, data in bag.messages():
            if connection.topic in ours:
                _same(ours[connection.topic][counts[connection.topic]], store.deserialize_cdr(data, connection.msgtype))
                counts[connection.topic] += 1
    assert counts == {topic: len(values) for topic, values in ours.items()}


def _same(ours: Any, theirs: Any) -> None:
    if isinstance(ours, dict):
        for name, value in ours.items():
            _same(value, getattr(theirs, name))
    elif isinstance(ours, list):
        others = list(theirs)
        assert len(ours) == len(others)
        for one, other in zip(ours, others, strict=True):
            _same(one, other)
    else:
        assert ours == theirs or (ours != ours and theirs != theirs), (ours, theirs)
