"""The message types that a system knows: those that Studio ships and those that a project brings."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Self

from studio.messages.errors import MessageError
from studio.messages.event_headers import EventHeaders
from studio.messages.frame_query import FrameQuery, Names
from studio.messages.generated import Factory
from studio.messages.grid import Map
from studio.messages.handled_trace import HandledTrace
from studio.messages.image import Image
from studio.messages.layout import BUILTIN, Layout, Layouts
from studio.messages.log_entries import Bookmark, ServiceCall
from studio.messages.mail import Mail
from studio.messages.message import Message
from studio.messages.motion import JointState, Odometry, Twist, Velocity
from studio.messages.msg_file import line_of, parse_msg, read_msg_file
from studio.messages.plain import Float64, String
from studio.messages.point_cloud import PointCloud2, PointField
from studio.messages.pose_transform import PoseTransform
from studio.messages.range3d import Range3d
from studio.messages.schema_text import full_text
from studio.messages.sensing import Imu, Joy, NavSatFix
from studio.messages.vote import Vote

SHIPPED: tuple[type[Message], ...] = (
    Bookmark,
    EventHeaders,
    Float64,
    FrameQuery,
    HandledTrace,
    Image,
    Imu,
    JointState,
    Joy,
    Mail,
    Map,
    Names,
    NavSatFix,
    Odometry,
    PoseTransform,
    Range3d,
    ServiceCall,
    String,
    Twist,
    Velocity,
    Vote,
)
RAW = "Bytes"
"""The type of a port that plays what nobody can read: a project that has a type of this name gets the payloads of a log
as they are."""
DEEPEST = 15
"""Python compiles at most 20 loops within each other, and a list of lists of lists is one loop each."""
_NO_MESSAGE = re.compile(r"/(srv|action)/")
_FILE_NAME = re.compile(r"[A-Z][A-Za-z0-9]*")


class MessageTypes:
    """An immutable set of message classes, found by their short names."""

    def __init__(
        self, classes: Mapping[str, type[Message]], layouts: Layouts = BUILTIN, texts: Mapping[str, str] | None = None
    ) -> None:
        self._classes = dict(classes)
        self._layouts = layouts
        self._texts = dict(texts or {})

    @classmethod
    def builtin(cls) -> Self:
        """The types that Studio ships."""
        return cls({kind.TYPE: kind for kind in SHIPPED})

    def with_folder(self, project: Path | str) -> MessageTypes:
        """These types and those of `msg/*.msg` in a project's folder; `Leg.msg` of `walker` is `walker/msg/Leg`.

        Those of others are in folders of their packages: `msg/radar_msgs/Track.msg` is `radar_msgs/msg/Track`.
        """
        folder = Path(project).resolve()
        own, others = sorted((folder / "msg").glob("*.msg")), sorted((folder / "msg").glob("*/*.msg"))
        if not own and not others:
            return self
        return _FolderReader(self, package_name(folder.name), own, others).types()

    def has_layout(self, schema_name: str) -> bool:
        """Whether messages may contain such a part without bringing its definition."""
        return schema_name in self._layouts

    def get(self, short_name: str) -> type[Message]:
        """The class of a short name such as `Range3d`."""
        try:
            return self._classes[short_name]
        except KeyError:
            raise MessageError(f"there is no message type {short_name!r}", hint=self._hint(short_name)) from None

    def find_schema(self, schema_name: str) -> type[Message] | None:
        """The class for what a log calls `sensor_msgs/msg/PointCloud2`, None if there is none."""
        wanted = message_name(schema_name)
        return next((kind for kind in self if wanted == kind.SCHEMA_NAME), None)

    def names(self) -> list[str]:
        return sorted(self._classes)

    def schema_text(self, kind: type[Message]) -> str:
        """The definition of a type with all that it refers to, as MCAP stores it under the encoding `ros2msg`."""
        return full_text(kind.SCHEMA_NAME, kind.LAYOUTS, self._texts)

    def __iter__(self) -> Iterator[type[Message]]:
        return iter(self._classes.values())

    def __len__(self) -> int:
        return len(self._classes)

    def __contains__(self, short_name: object) -> bool:
        return short_name in self._classes

    def _hint(self, short_name: str) -> str:
        lowered = {name.lower(): name for name in self._classes}
        close = difflib.get_close_matches(short_name.lower(), lowered, n=3)
        if close:
            return f"did you mean {' or '.join(lowered[name] for name in close)}?"
        return f"known are {', '.join(self.names())}; add a type as msg/{short_name}.msg to the project"


def message_name(schema_name: str) -> str:
    """`pkg/msg/AddTwoIntsEvent` for `pkg/srv/AddTwoInts_Event`: ROS 2 sends parts of services and actions as messages,
    under names that no message may have."""
    package, found, short = _NO_MESSAGE.sub("/msg/", schema_name).rpartition("/msg/")
    return schema_name if not _NO_MESSAGE.search(schema_name) else f"{package}{found}{short.replace('_', '')}"


def package_name(folder_name: str) -> str:
    """The package of a project's own types: its folder's name, in the letters that ROS 2 allows."""
    name = re.sub(r"[^a-z0-9]+", "_", folder_name.lower()).strip("_")
    return name if name[:1].isalpha() else f"project_{name}".rstrip("_")


def _with_package(schema_name: str) -> str:
    """`RadarMsgsImage` for `radar_msgs/msg/Image`."""
    package, _, short = schema_name.split("/")
    return "".join(word.capitalize() for word in package.split("_")) + short


class _FolderReader:
    """Reads a project's types, looks up what they refer to, and makes their classes."""

    def __init__(self, known: MessageTypes, package: str, files: list[Path], others: list[Path]) -> None:
        self._known = known
        self._own = {f"{package}/msg/{file.stem}": file for file in files}
        self._others = {f"{file.parent.name}/msg/{file.stem}": file for file in others}
        self._files = self._others | self._own
        self._layouts: dict[str, Layout] = dict(known._layouts)
        self._texts = dict(known._texts)
        self._depths: dict[str, int] = {}
        """How deep each type has been seen and its parts resolved; seen less deep, there is nothing new to find."""

    def types(self) -> MessageTypes:
        for name, file in self._files.items():
            self._check_name(file)
            self._layouts[name], self._texts[name] = read_msg_file(file, name)
        for name in self._files:
            self._resolve(name, ())
        made = {kind.SCHEMA_NAME: kind for kind in self._known if kind is not Range3d}
        made |= {kind.SCHEMA_NAME: kind for kind in (PointCloud2, PointField)}
        sources = {name: (file, self._texts[name]) for name, file in self._files.items()}
        factory = Factory(self._layouts, made, sources)
        classes = self._known._classes | {file.stem: factory.make(name) for name, file in self._own.items()}
        for name, file in self._others.items():
            kind = factory.make(name)
            # Packages know neither each other nor Studio: of two types of one name the later is called by both.
            kind.TYPE = file.stem if file.stem not in classes else _with_package(name)
            classes[kind.TYPE] = kind
        return MessageTypes(classes, self._layouts, self._texts)

    def _check_name(self, file: Path) -> None:
        if not _FILE_NAME.fullmatch(file.stem):
            raise MessageError("the name of a message file starts with a capital, e.g. WheelSpeeds.msg", file=file)
        if file.stem in self._known and file in self._own.values():
            raise MessageError(f"{file.stem} is a type of Studio already", file=file, hint="choose another name")

    def _resolve(self, name: str, outer: tuple[str, ...]) -> None:
        """Find all types that `name` refers to, and refuse one that contains itself."""
        if name in outer:
            chain = " in ".join(reversed([*outer[outer.index(name) :], name]))
            raise MessageError(f"a message cannot contain itself: {chain}", file=self._files.get(name))
        if len(outer) >= DEEPEST:
            raise MessageError(f"messages nest at most {DEEPEST} deep", file=self._files.get(outer[0]))
        if self._depths.get(name, -1) >= len(outer):
            return
        self._depths[name] = len(outer)
        for field in self._layouts[name].fields:
            if "/" in field.type:
                self._find(field.type, field.name, name)
                self._resolve(field.type, (*outer, name))

    def _find(self, wanted: str, field: str, user: str) -> None:
        if wanted in self._layouts:
            return
        layouts = ros_layouts(wanted)
        if not layouts:
            line = line_of(self._texts.get(user, ""), field)
            hint = self._suggestion(wanted)
            raise MessageError(f"there is no message type {wanted}", file=self._files.get(user), line=line, hint=hint)
        for name, layout in layouts.items():
            self._layouts.setdefault(name, layout)

    def _suggestion(self, wanted: str) -> str:
        names = {name.rpartition("/")[2]: name for name in self._layouts}
        close = difflib.get_close_matches(wanted.rpartition("/")[2], names, n=1)
        known = f"did you mean {names[close[0]].replace('/msg/', '/')}? " if close else ""
        return known + "types of this project need no package, all others have one, e.g. geometry_msgs/Point"


@cache
def ros_layouts(schema_name: str) -> dict[str, Layout]:
    """A standard ROS 2 type that Studio itself has no class for, with all that it refers to; empty if there is none."""
    # Loading the types of ROS 2 takes 100 ms; only a project that names such a type pays for it.
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.LATEST)
    if schema_name not in store.fielddefs:
        return {}
    text, _ = store.generate_msgdef(schema_name, ros_version=2)
    parts = re.split(r"^=+\nMSG: (.*)\n", text, flags=re.MULTILINE)
    names = [schema_name, *(name.replace("/", "/msg/") for name in parts[1::2])]
    return {name: parse_msg(part, name) for name, part in zip(names, parts[0::2], strict=True)}


def example_of(types: MessageTypes, name: str) -> Message | None:
    """A message of this type with nothing in it; None where there is no such type, or it cannot be empty."""
    try:
        return types.get(name)()
    except (MessageError, TypeError, ValueError):
        return None
