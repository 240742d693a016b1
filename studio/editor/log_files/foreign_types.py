"""Types that only a log describes: what their definitions in it become, so that they can be looked at. No Qt in here.

A definition in the form of ROS 2 becomes the files of its packages, `msg/radar_msgs/Track.msg`, which a project can
have. What is described in any other way, or not at all, is bytes; Protobuf is, too, and `protobuf_types` keeps its
descriptors for the viewers.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from studio.messages import MessageTypes
from studio.messages.errors import MessageError
from studio.messages.message_types import RAW

Definition = tuple[str, str]
"""The name of a schema, and its text."""
BYTES = """\
# Of a type that cannot be read here.
uint8[] data
string text  # the same, where it is text: JSON for example
"""
_PART = re.compile(r"^=+[ \t]*\n[ \t]*MSG:[ \t]*(\S+)[ \t]*\n", re.MULTILINE)
_NAME = re.compile(r"([a-z][a-z0-9_]*)/(?:msg/)?([A-Z][A-Za-z0-9]*)")


def write_types(folder: Path, definitions: Mapping[str, Definition], topics: Iterable[str]) -> dict[str, str]:
    """The types of these topics as files of the project in `folder`: topic -> its type there. For a thread of its own:
    a log may describe a hundred types."""
    files: dict[str, str] = {}
    for definition in dict.fromkeys(definitions.values()):
        own = _files_of(*definition)
        # It brings all its parts, so the others matter only where it describes one of theirs in another way.
        differs = any(files.get(name, text) != text for name, text in own.items())
        if _can_be_read(files | own if differs else own):
            files |= own
    shutil.rmtree(folder / "msg", ignore_errors=True)
    topics = list(topics)
    _write(folder, files)
    types = MessageTypes.builtin().with_folder(folder)
    found: dict[str, str] = {}
    for topic in topics:
        kind = types.find_schema(definitions[topic][0]) if topic in definitions else None
        found[topic] = kind.TYPE if kind is not None else RAW
    if RAW in found.values():
        _write(folder, {f"{RAW}.msg": BYTES})
    return found


def _files_of(name: str, text: str) -> dict[str, str]:
    """File in `msg` -> its text, of a type and of all parts of it that Studio does not have; empty if one of them has
    no name that a file could have."""
    parts = _PART.split(text.replace("\r\n", "\n"))
    files: dict[str, str] = {}
    known = MessageTypes.builtin()
    for each, body in zip([name, *parts[1::2]], parts[0::2], strict=True):
        match = _NAME.fullmatch(each)
        if match is None:
            return {}
        package, short = match.groups()
        if not known.has_layout(f"{package}/msg/{short}"):
            files[f"{package}/{short}.msg"] = body.rstrip("\n") + "\n"
    return files


def _can_be_read(files: Mapping[str, str]) -> bool:
    with TemporaryDirectory() as folder:
        _write(Path(folder), files)
        try:
            MessageTypes.builtin().with_folder(folder)
        except MessageError:
            return False
    return True


def _write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / "msg" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
