"""Which topic of a server feeds which port of a project's sources: matched by type and name, changed by hand, kept.

Kept in `gazebo.json` beside `system.xml`. What is matched automatically is not written down: only what the user chose,
so that a renamed topic is found again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from studio.errors import StudioError
from studio.model.files import write_atomically
from studio.model.sources import Source
from studio.runtime.gazebo.server import Topic

FILE = "gazebo.json"
NONE = ""
"""Chosen by hand: no topic for this port."""
CLOCK = "clock"
FITTING: Mapping[str, tuple[str, ...]] = {
    "Range3d": ("LaserScanStamped", "LaserScan", "PointCloudPacked"),
    "PoseTransform": ("PosesStamped", "Pose", "PoseStamped", "Pose_V", "Odometry"),
    "Odometry": ("Odometry", "PoseStamped", "Pose"),
    "Image": ("ImageStamped", "Image"),
    "Imu": ("IMU",),
    "Gps": ("GPS", "NavSat"),
    "GeoPoint": ("GPS", "NavSat"),
    "JointState": ("Model", "JointState"),
    "Velocity": ("Pose", "Twist"),
    "Twist": ("Pose", "Twist"),
    "String": ("Contacts",),
}
"""Type of a port -> types of Gazebo that can feed it, or that it can command; the best first."""
SAME = {
    "cmd": "command", "vel": "command", "velocity": "command", "lidar": "laser", "scan": "laser", "ranges": "laser",
    "contacts": "collision", "bumper": "collision", "info": "", "gazebo": "", "world": "", "model": "",
}  # fmt: skip
"""Words that mean the same in the names of topics and ports; those of nothing tell nothing."""


@dataclass(frozen=True)
class Port:
    """Of a source of the project."""

    source: str
    name: str
    type: str
    is_command: bool
    """From the project to the server."""

    def __str__(self) -> str:
        return f"{self.source}.{self.name}"


@dataclass(frozen=True)
class Match:
    port: Port
    topic: str
    """Empty: none."""
    how: str
    """`auto`, `by hand`, or why there is none."""


def ports_of(sources: Iterable[Source]) -> list[Port]:
    """Of all sources, without what only a simulator of ours knows."""
    return [
        Port(source.name, port.name, port.type, port.direction == "in")
        for source in sources
        for port in source.ports
        if not port.truth
    ]


class MappingError(StudioError):
    """The file of a mapping cannot be read."""


def load_choices(project: Path) -> dict[str, str]:
    """Port -> topic, as the user chose."""
    try:
        told = json.loads((project / FILE).read_text())["topics"]
        return {str(port): str(topic) for port, topic in told.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
        raise MappingError(f"cannot be read: {error}", file=project / FILE, hint="correct or remove it") from None


def save_choices(project: Path, choices: Mapping[str, str]) -> None:
    """Without any choice there is no file."""
    file = project / FILE
    if choices:
        text = json.dumps({"topics": dict(sorted(choices.items()))}, indent=2)
        write_atomically(file, f"{text}\n".encode())
    else:
        file.unlink(missing_ok=True)


def match(ports: Iterable[Port], topics: Iterable[Topic], choices: Mapping[str, str]) -> list[Match]:
    """For each port at most one topic; a topic feeds one port, the one whose name is nearest."""
    ports, known = list(ports), list(topics)
    found: dict[Port, Match] = {}
    taken: set[str] = set()
    for port in ports:
        chosen = choices.get(str(port))
        if chosen is not None:
            taken.add(chosen)
            found[port] = Match(port, chosen, "by hand")
    likely = [
        (_nearness(port, topic), str(port), topic.name, port)
        for port in ports
        if port not in found
        for topic in known
        if _fits(port, topic)
    ]
    for _, _, name, port in sorted(likely, key=lambda each: (-each[0], each[1], each[2])):
        if port not in found and name not in taken:
            found[port] = Match(port, name, "auto")
            taken.add(name)
    return [found.get(port, Match(port, NONE, _why_none(port))) for port in ports]


def fitting(port: Port, topics: Iterable[Topic]) -> list[Topic]:
    """What the user can choose from, the nearest first."""
    return sorted((each for each in topics if _fits(port, each)), key=lambda each: (-_nearness(port, each), each.name))


def _fits(port: Port, topic: Topic) -> bool:
    short = topic.type_name.rpartition(".")[2]
    if short not in FITTING.get(port.type, ()):
        return False
    return not (port.is_command or short == "Pose") or bool(_words(topic.name) & {"command", "odometry", "pose"})


def _nearness(port: Port, topic: Topic) -> float:
    """Shared words of the names, then the order of types."""
    types = FITTING[port.type]
    mine, its = _words(port.name), _words(topic.name)
    shared = len(mine & its)
    best = types.index(topic.type_name.rpartition(".")[2])
    return shared * 10 - len(its - mine) - 2 * best


def _words(name: str) -> set[str]:
    parts = re.findall(r"[a-z]+|[A-Z][a-z]*", name)
    found = {SAME.get(part.lower(), part.lower()) for part in parts}
    return found - {""}


def _why_none(port: Port) -> str:
    return "no topic of its type" if port.type in FITTING else f"Gazebo has no equivalent of {port.type}"
