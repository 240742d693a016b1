"""Messages of types that only their log knows, as they come from a system that plays it. No Qt in here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from studio.editor.live.protobuf_types import read_descriptors, read_index
from studio.errors import StudioError
from studio.messages import Message, MessageError, decode
from studio.messages.json_content import json_content
from studio.messages.message_types import RAW
from studio.messages.named_content import NamedContent

if TYPE_CHECKING:
    from studio.messages.protobuf_content import ProtobufReader


class ForeignMessages:
    """Of one system: its project has the descriptions of the Protobuf messages that it plays."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._described = read_index(folder)
        self._readers: dict[str, ProtobufReader | StudioError] = {}

    def read(self, topic: str, kind: type[Message], payload: bytes | memoryview) -> Message | dict[str, Any]:
        """What a message of `kind` holds. One in bytes may be Protobuf, JSON or text; else it stays bytes."""
        if kind.TYPE == RAW and topic in self._described:
            return self._protobuf(topic, payload)
        return read_message(kind, payload)

    def _protobuf(self, topic: str, payload: bytes | memoryview) -> dict[str, Any]:
        try:
            return self._reader(topic).content(payload)
        except StudioError as error:
            return NamedContent(RAW, {"error": str(error), "data": np.frombuffer(payload, np.uint8)})

    def _reader(self, topic: str) -> ProtobufReader:
        """Made once, when its first message comes. Descriptors that were refused once stay refused."""
        if topic not in self._readers:
            self._readers[topic] = self._made(*self._described[topic])
        reader = self._readers[topic]
        if isinstance(reader, StudioError):
            raise reader
        return reader

    def _made(self, message: str, descriptors: str) -> ProtobufReader | StudioError:
        from studio.messages.protobuf_content import ProtobufReader  # takes 100 ms, and most logs have no Protobuf

        try:
            return ProtobufReader(message, read_descriptors(self._folder, descriptors))
        except StudioError as error:
            return error


def read_message(kind: type[Message], payload: bytes | memoryview) -> Message | dict[str, Any]:
    """Of a type that only its log knows, what it holds if it is JSON, else its bytes."""
    try:
        return decode(kind, payload)
    except MessageError:
        if kind.TYPE != RAW:
            raise
    text = _text(payload)
    content = json_content(text) if text else None
    if content is not None:
        return content
    more = {"text": text} if "text" in kind.__dataclass_fields__ else {}
    return kind(data=np.frombuffer(payload, np.uint8), **more)  # type: ignore[call-arg]


def _text(payload: bytes | memoryview) -> str:
    """Empty where it is none."""
    try:
        text = bytes(payload).decode()
    except UnicodeDecodeError:
        return ""
    return text if all(letter.isprintable() or letter.isspace() for letter in text) else ""
