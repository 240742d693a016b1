"""An assembly: bodies, other assemblies, and the constraints that bind `Body:Frame` to `Body:Frame`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from studio.model.geometry.body import Body
from studio.model.geometry.joints import Joint
from studio.model.geometry.poses import HERE, Pose
from studio.model.geometry.rotations import GeometryError
from studio.model.origin import Origin


class FrameName(NamedTuple):
    body: str
    frame: str

    @classmethod
    def parse(cls, text: str) -> FrameName:
        body, colon, frame = text.partition(":")
        if not (body and colon and frame):
            raise GeometryError(
                f"{text!r} is not the name of a frame", hint="write Body:Frame, e.g. Raptor:FrontBumperCenter"
            )
        return cls(body, frame)

    def __str__(self) -> str:
        return f"{self.body}:{self.frame}"


@dataclass(frozen=True)
class Member:
    """A body of the assembly: its name here, and the file that describes it."""

    name: str
    file: str
    pose: Pose | None = None
    """Where it is at first in the axes of the assembly, for what no constraint binds; None where nobody says."""
    origin: Origin | None = None


@dataclass(frozen=True)
class Inclusion:
    """Another assembly, whose bodies and constraints get `prefix` before their names."""

    prefix: str
    file: str
    origin: Origin | None = None


@dataclass(frozen=True)
class Constraint:
    """`pose` is the pose of the frame `end` in the frame `start`, after what the joint, if there is one, has moved."""

    name: str
    start: FrameName
    end: FrameName
    pose: Pose = HERE
    joint: Joint | None = None
    origin: Origin | None = None


@dataclass
class Assembly:
    name: str
    doc: str = ""
    members: list[Member] = field(default_factory=list)
    inclusions: list[Inclusion] = field(default_factory=list)
    constraints: list[Constraint] = field(default_factory=list)
    tolerance_m: float = 0.001
    tolerance_deg: float = 0.1
    """How well loops have to close."""
    pose: Pose = HERE
    """Where a world has it at first."""
    file: str | None = None


@dataclass
class Model:
    """An assembly with everything it names loaded and every prefix applied: what transforms and exports work on."""

    name: str
    bodies: dict[str, Body]
    constraints: list[Constraint]
    tolerance_m: float = 0.001
    tolerance_deg: float = 0.1
    file: str | None = None
    pose: Pose = HERE
    """Where a world has it at first."""
    placed: dict[str, Pose] = field(default_factory=dict)
    """Bodies that say where they are in the model's own axes; needed where no constraint tells it."""
    places: dict[str, tuple[str | None, int | None]] = field(default_factory=dict)
    """File and line in which each `body NAME` and `constraint NAME` is put into an assembly."""

    @classmethod
    def of_body(cls, body: Body) -> Model:
        """A body by itself, to ask for its frames."""
        return cls(body.name, {body.name: body}, [], file=body.file)

    def place_of(self, what: str, name: str) -> tuple[str | None, int | None]:
        return self.places.get(f"{what} {name}", (self.file, None))
