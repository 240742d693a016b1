"""Events of services and parts of actions: ROS 2 sends them as messages, under names that no message may have."""

from __future__ import annotations

import re
from collections.abc import Iterable

from studio.messages import MessageError
from studio.messages.message_types import message_name
from studio.runtime.recording.format.errors import LogError
from studio.runtime.recording.format.mcap_records import Schema
from studio.runtime.recording.importers.packed import plain

LARGEST_EMPTY_BYTES = 8
"""The four bytes before CDR, the one that stands for no field, and what fills up to four."""
_NO_MESSAGE = re.compile(r"/(srv|action)/")
_TYPE_IN_TEXT = re.compile(r"^(MSG:[ \t]*\S+|[ \t]*[A-Za-z]\w*/\S+|[ \t]*[A-Z]\w*)", re.MULTILINE | re.ASCII)


def as_message(schema: Schema) -> Schema:
    """The same with names that readers take: `pkg/msg/AddTwoIntsEvent` for `pkg/srv/AddTwoInts_Event`."""
    if schema.encoding != "ros2msg" or not _NO_MESSAGE.search(schema.name):
        return schema
    text = _TYPE_IN_TEXT.sub(lambda found: _renamed(found[0]), schema.data.decode("utf-8", "replace"))
    name = message_name(schema.name)
    _check(name, text)
    return schema._replace(name=name, data=text.encode())


def defines(name: str, text: str | bytes, samples: Iterable[bytes]) -> bool:
    """An empty text defines a message without fields, but recorders also write it where they found no definition.

    Services and actions always have fields. Of a message, `samples` tell: some of its messages, as they were recorded.
    """
    if text.strip():
        return True
    return "/msg/" in name and all(_may_be_empty(sample) for sample in samples)


def _may_be_empty(sample: bytes) -> bool:
    try:
        return len(plain(sample)) <= LARGEST_EMPTY_BYTES
    except MessageError:
        return True  # not the fault of a definition


def _renamed(found: str) -> str:
    """Only the type loses its underscores, not its package, and not the bounds behind it."""
    before, slash, short = _NO_MESSAGE.sub("/", found).rpartition("/")
    return f"{before}{slash}{short.replace('_', '')}"


def _check(name: str, text: str) -> None:
    from rosbags.typesys import get_types_from_msg

    try:
        get_types_from_msg(text, name)
    except Exception as error:  # rosbags raises its own and several others
        raise LogError(f"its definition cannot be read: {error}"[:200]) from error
