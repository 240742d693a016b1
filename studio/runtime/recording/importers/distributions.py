"""Definitions that a bag lacks: those of the distribution of ROS 2 whose types fit the bytes of its messages.

Bags of Humble and before do not say what their types look like, and a few types have changed since: the same name,
other fields. The wrong ones would decode to nothing, or to nonsense.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

from studio.messages import MessageError, MessageTypes
from studio.runtime.recording.format.errors import LogError
from studio.runtime.recording.format.mcap_records import NO_SCHEMA, Schema
from studio.runtime.recording.importers.packed import plain

MOST_SAMPLES = 20
"""So many messages of each topic have to fit."""


class Undefined(NamedTuple):
    """A topic of a type that the bag does not define, with some of its messages."""

    topic: str
    type: str
    samples: list[bytes]


class Distributions:
    """The definitions for some topics. All are taken from one distribution if any fits them all."""

    def __init__(self, topics: Iterable[Undefined], said: str = "") -> None:
        """`said`: the distribution that the bag names."""
        self._fitting: dict[str, list[str]] = {}
        for topic in topics:
            fitting = [name for name in _names() if _fits(name, topic)]
            known = self._fitting.get(topic.type, fitting)
            self._fitting[topic.type] = [name for name in known if name in fitting]
        together = [name for name in _names() if all(name in fitting for fitting in self._fitting.values() if fitting)]
        self._together = [said] if said in together else together

    def schema_of(self, kind: str) -> Schema:
        """Without a name if no distribution has the type. Raises LogError if none fits."""
        if kind in self._fitting and any(kind in _store(name).fielddefs for name in _names()):
            fitting = self._alike(kind)
            if not fitting:
                raise LogError(
                    "the bag has no definition of it, and its bytes match no definition of any ROS 2 version"
                )
            return Schema(1, kind, "ros2msg", _text(fitting[-1][-1], kind).encode())
        types = MessageTypes.builtin()
        own = types.find_schema(kind)
        return NO_SCHEMA if own is None else Schema(1, kind, "ros2msg", types.schema_text(own).encode())

    def notes(self) -> list[str]:
        """What was decided where distributions differ."""
        notes = []
        for kind in self._fitting:
            known = [name for name in _names() if kind in _store(name).fielddefs]
            fitting = self._alike(kind)
            if not fitting or len({_fields(name, kind) for name in known}) == 1:
                continue
            taken = _list(fitting[-1])
            words = f"its messages fit the definition of ROS 2 {taken}"
            if len(fitting) > 1:
                several = " and of ".join(map(_list, fitting))
                words = f"its messages fit the definitions of ROS 2 {several} alike; that of {taken} is taken, "
                words += "which may be wrong"
            notes.append(f"the bag does not define {kind}: {words}")
        return notes

    def _alike(self, kind: str) -> list[list[str]]:
        """The distributions that fit, the oldest first, those with the same fields together."""
        fitting = self._fitting[kind]
        groups: dict[str, list[str]] = {}
        for name in [name for name in fitting if name in self._together] or fitting:
            groups.setdefault(_fields(name, kind), []).append(name)
        return list(groups.values())


def _list(names: list[str]) -> str:
    words = [name.capitalize() for name in names]
    return words[0] if len(words) == 1 else f"{words[0]} to {words[-1]}"


def _fits(name: str, topic: Undefined) -> bool:
    store = _store(name)
    if topic.type not in store.fielddefs:
        return False
    return all(_is_one(store, topic.type, sample) for sample in topic.samples)


def _is_one(store: Any, kind: str, sample: bytes) -> bool:
    try:
        store.deserialize_cdr(bytes(plain(sample)), kind)
    except MessageError:
        return True  # not the fault of a definition
    except Exception:  # rosbags raises its own and several others
        return False
    return True


@cache
def _text(name: str, kind: str) -> str:
    return str(_store(name).generate_msgdef(kind, ros_version=2)[0])


def _fields(name: str, kind: str) -> str:
    """The definition without its constants, which no message contains."""
    return "\n".join(line for line in _text(name, kind).splitlines() if "=" not in line or line.startswith("=="))


@cache
def _names() -> list[str]:
    """All distributions that rosbags knows, the oldest first."""
    from rosbags.typesys import Stores

    return [store.name.removeprefix("ROS2_").lower() for store in Stores if store.name.startswith("ROS2_")]


@cache
def _store(name: str) -> Any:
    # Each takes 100 ms, which only a bag without definitions pays.
    from rosbags.typesys import Stores, get_typestore

    return get_typestore(Stores[f"ROS2_{name.upper()}"])
