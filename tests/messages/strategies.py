"""Messages of every type with arbitrary content, and the same messages as `rosbags` objects."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from studio.messages import EventHeaders, Handled, HandledTrace, Map, Message, MessageTypes, Range3d, Vote
from studio.messages.binding import (
    Block,
    Nested,
    NestedList,
    Run,
    Scalar,
    Slot,
    Stamp,
    Text,
    TextList,
    slots_of,
)
from studio.messages.message import field_names

SHIPPED = list(MessageTypes.builtin())
STAMPS_NS = st.integers(-(2**31) * 10**9, 2**31 * 10**9 - 1)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


def messages_of(kind: type[Message]) -> st.SearchStrategy[Any]:
    """Any message of a class."""
    if kind in SPECIAL:
        return SPECIAL[kind]()
    return st.builds(kind, **{slot.name: _values(slot) for slot in slots_of(kind)})


def _values(slot: Slot) -> st.SearchStrategy[Any]:
    match slot:
        case Stamp():
            return STAMPS_NS
        case Scalar():
            return _scalars(slot.letter)
        case Text():
            return _texts(slot.bound)
        case Block():
            return _arrays(slot.dtype, st.just(slot.shape))
        case Run():
            lengths = st.integers(0, slot.bound or 20)
            return _arrays(slot.dtype, lengths.map(lambda length: (length, *slot.tail)))
        case TextList():
            low, high = (slot.length, slot.length) if slot.length else (0, slot.bound or 5)
            return st.lists(_texts(slot.text_bound), min_size=low, max_size=high)
        case Nested():
            return messages_of(slot.cls)
        case NestedList():
            low, high = (slot.length, slot.length) if slot.length else (0, min(slot.bound or 4, 4))
            return st.lists(messages_of(slot.cls), min_size=low, max_size=high)
    raise TypeError(slot)


def _texts(bound: int) -> st.SearchStrategy[str]:
    return TEXTS.filter(lambda text: len(text.encode()) <= bound) if bound else TEXTS


def _scalars(letter: str) -> st.SearchStrategy[Any]:
    if letter == "?":
        return st.booleans()
    if letter in "fd":
        return st.floats(width=32 if letter == "f" else 64)
    limits = np.iinfo(np.dtype(letter))
    return st.integers(int(limits.min), int(limits.max))


def _arrays(dtype: np.dtype[Any], shapes: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return hnp.arrays(dtype, shapes)


def _maps() -> st.SearchStrategy[Map]:
    def build(names: list[str], rows: int, columns: int) -> st.SearchStrategy[Map]:
        return st.builds(
            Map,
            stamp_ns=STAMPS_NS,
            frame=TEXTS,
            resolution_m=st.floats(min_value=0, exclude_min=True),
            origin_m=_arrays(np.dtype("f8"), st.just((2,))),
            plane_names=st.just(names),
            planes=_arrays(np.dtype("f4"), st.just((len(names), rows, columns))),
        )

    sizes = st.tuples(st.lists(TEXTS, max_size=3), st.integers(0, 4), st.integers(0, 4))
    return sizes.flatmap(lambda size: build(*size))


def _votes() -> st.SearchStrategy[Vote]:
    def build(arcs: int) -> st.SearchStrategy[Vote]:
        column = _arrays(np.dtype("f8"), st.just((arcs,)))
        return st.builds(
            Vote,
            stamp_ns=STAMPS_NS,
            frame=TEXTS,
            curvature_per_m=column,
            max_speed_m_s=column,
            vote=column,
            confidence=column,
            veto=_arrays(np.dtype("?"), st.just((arcs,))),
        )

    return st.integers(0, 9).flatmap(build)


def _ranges() -> st.SearchStrategy[Range3d]:
    points = _arrays(np.dtype("f4"), st.integers(0, 9).map(lambda count: (count, 4)))
    return st.builds(Range3d, stamp_ns=STAMPS_NS, frame=TEXTS, points=points, is_dense=st.booleans())


def _traces() -> st.SearchStrategy[HandledTrace]:
    identities = st.lists(st.tuples(TEXTS, st.integers(0, 2**64 - 1)), max_size=3).map(tuple)
    numbers = st.integers(-(2**63), 2**63 - 1)
    rows = st.builds(Handled, TEXTS, TEXTS, st.integers(0, 2**64 - 1), numbers, numbers, identities, identities)
    return st.lists(rows, max_size=4).map(HandledTrace.of)


def _headers() -> st.SearchStrategy[EventHeaders]:
    columns = {slot.name: slot for slot in slots_of(EventHeaders) if isinstance(slot, Run)}

    def build(rows: int) -> st.SearchStrategy[EventHeaders]:
        return st.builds(
            EventHeaders, **{name: _arrays(slot.dtype, st.just((rows,))) for name, slot in columns.items()}
        )

    return st.integers(0, 9).flatmap(build)


SPECIAL: dict[type[Message], Callable[[], st.SearchStrategy[Any]]] = {
    EventHeaders: _headers,
    HandledTrace: _traces,
    Map: _maps,
    Range3d: _ranges,
    Vote: _votes,
}


@cache
def shipped_store() -> Any:
    """A rosbags store that knows all shipped types, by the schema text that we write into logs."""
    return store_for(MessageTypes.builtin())


def store_for(types: MessageTypes) -> Any:
    store = get_typestore(Stores.ROS2_JAZZY)
    for kind in types:
        store.register(get_types_from_msg(types.schema_text(kind), kind.SCHEMA_NAME))
    return store


def rosbags_bytes(store: Any, message: Message, *, little_endian: bool = True) -> bytes:
    peer = rosbags_object(store, message)
    return bytes(store.serialize_cdr(peer, message.SCHEMA_NAME, little_endian=little_endian))


def rosbags_object(store: Any, message: Message) -> Any:
    """The same content in the classes that rosbags makes for the schema."""
    if isinstance(message, Range3d):
        return _cloud_object(store, message)
    values = {_path(message, name): getattr(message, name) for name in field_names(type(message))}
    if isinstance(message, Map):
        values |= {"rows": message.rows, "columns": message.columns}
    return _structure(store, message.SCHEMA_NAME, "", values)


def _path(message: Message, name: str) -> str:
    headed = message.LAYOUTS[message.SCHEMA_NAME].fields[0].name == "header"
    default = {"stamp_ns": "header.stamp", "frame": "header.frame_id"}.get(name, name) if headed else name
    return message.WIRE.get(name, default)


def _structure(store: Any, schema: str, prefix: str, values: dict[str, Any]) -> Any:
    parts = []
    for name, description in store.fielddefs[schema][1]:
        path = prefix + name
        if path in values:
            parts.append(_value(store, description, values[path]))
        else:
            parts.append(_structure(store, description[1], path + ".", values))
    return store.types[schema](*parts)


def _value(store: Any, description: Any, value: Any) -> Any:
    if isinstance(value, Message):
        return rosbags_object(store, value)
    node, detail = int(description[0]), description[1]
    if node == 2:  # a structure that we show as a number or as an array
        parts = divmod(value, 10**9) if isinstance(value, int) else value.tolist()
        return store.types[detail](*parts)
    if isinstance(value, np.ndarray) and int(detail[0][0]) == 2:
        return [store.types[detail[0][1]](*row) for row in value.tolist()]
    if isinstance(value, np.ndarray):
        return value.reshape(-1)
    if isinstance(value, tuple):
        return [rosbags_object(store, item) if isinstance(item, Message) else item for item in value]
    return value


def _cloud_object(store: Any, message: Range3d) -> Any:
    kinds = store.types
    seconds, rest = divmod(message.stamp_ns, 10**9)
    stamp = kinds["builtin_interfaces/msg/Time"](seconds, rest)
    fields = [
        kinds["sensor_msgs/msg/PointField"](name, 4 * index, 7, 1)
        for index, name in enumerate(["x", "y", "z", "range"])
    ]
    return kinds["sensor_msgs/msg/PointCloud2"](
        header=kinds["std_msgs/msg/Header"](stamp, message.frame),
        height=1,
        width=len(message.points),
        fields=fields,
        is_bigendian=False,
        point_step=16,
        row_step=16 * len(message.points),
        data=message.points.reshape(-1).view(np.uint8),
        is_dense=message.is_dense,
    )
