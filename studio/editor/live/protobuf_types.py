"""Descriptions of Protobuf messages, beside the `.msg` files of the project that plays their log. No Qt in here.

msg/protobuf.json            topic of the system -> {"message": "foxglove.Grid", "descriptors": "3f…"}
msg/3f….protobuf             a serialized FileDescriptorSet; topics share it
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path

from studio.errors import StudioError

INDEX = "protobuf.json"
LARGEST_INDEX = 4_000_000
_DIGEST = re.compile(r"[0-9a-f]{16}")

Description = tuple[str, bytes]
"""The full name of a message, and the FileDescriptorSet that has it."""


def write_descriptions(folder: Path, described: Mapping[str, Description]) -> None:
    """`folder`: of the project. Its folder `msg` is made new before (`foreign_types.write_types`)."""
    if not described:
        return
    messages = folder / "msg"
    messages.mkdir(exist_ok=True)
    index = {}
    for topic, (message, descriptors) in described.items():
        digest = hashlib.sha256(descriptors).hexdigest()[:16]
        _file(folder, digest).write_bytes(descriptors)
        index[topic] = {"message": message, "descriptors": digest}
    (messages / INDEX).write_text(json.dumps(index, indent=1), encoding="utf-8")


def read_index(folder: Path) -> dict[str, tuple[str, str]]:
    """Topic -> name of its message, and which descriptors have it; empty for a project without."""
    path = folder / "msg" / INDEX
    try:
        if path.stat().st_size > LARGEST_INDEX:
            return {}
        index = json.loads(path.read_text(encoding="utf-8"))
        return {topic: (str(each["message"]), str(each["descriptors"])) for topic, each in index.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}  # not there, or not ours: such topics are shown as bytes


def read_descriptors(folder: Path, digest: str) -> bytes:
    if not _DIGEST.fullmatch(digest):
        raise StudioError(f"{digest!r} names no descriptors", file=folder / "msg" / INDEX)
    path = _file(folder, digest)
    try:
        return path.read_bytes()
    except OSError as error:
        raise StudioError(f"cannot be read: {error.strerror}", file=path, hint="open the log again") from None


def _file(folder: Path, digest: str) -> Path:
    return folder / "msg" / f"{digest}.protobuf"
