"""`self.geometry` of a component: where frames are, what sensors and vehicle can do, answered from its own memory.

The geometry comes as an event, and so does every position of a joint: what a component is told depends on what it has
heard so far and on nothing else, so a replay gives the same answers. Nothing is built, and nothing that reads XML is
imported, before somebody asks: most hosts never do.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from studio.messages.motion import JointState
from studio.model.close_matches import did_you_mean
from studio.model.geometry.content import GeometryContent
from studio.model.geometry.rotations import GeometryError, Matrix

if TYPE_CHECKING:
    from studio.model.geometry.assembly import Model
    from studio.model.geometry.joints import Joint
    from studio.model.geometry.outline import Outline
    from studio.model.geometry.sensors import Sensor
    from studio.model.geometry.transforms import Transforms
    from studio.model.geometry.vehicle import VehicleDrive

REMEMBERED = 1000
"""Events of joints: ten seconds at 100 Hz, as much as ROS keeps."""


class Heard(NamedTuple):
    """Positions of joints at one stamp."""

    stamp_ns: int
    names: tuple[str, ...]
    positions: tuple[float, ...]


class GeometryState(NamedTuple):
    """A component's part of a checkpoint."""

    content: GeometryContent | None
    heard: tuple[Heard, ...]
    resting: dict[str, float]


class Geometry:
    """The geometry of the system. Frames are `Body:Frame`, a body's name alone is its origin."""

    def __init__(self, content: GeometryContent | None = None) -> None:
        self._content = content
        self._heard: deque[Heard] = deque(maxlen=REMEMBERED)
        self._unused: list[Heard] = []
        """Heard since somebody asked last."""
        self._resting: dict[str, float] = {}
        """Where joints were before time jumped."""
        self._rigid: dict[tuple[str, str], Matrix] = {}
        self._still: Transforms | None = None
        self._moving: Transforms | None = None
        self._drives: dict[str, VehicleDrive] = {}
        self._outlines: dict[str, Outline] = {}

    # ---- what components ask

    def __bool__(self) -> bool:
        """Whether the system has a geometry at all."""
        return self._content is not None

    @property
    def name(self) -> str:
        return self._content.name if self._content else ""

    @property
    def digest(self) -> str:
        """Tells one geometry from another; empty if there is none."""
        return self._content.digest if self._content else ""

    @property
    def model(self) -> Model:
        """Everything: bodies with shapes, masses and joints, and the constraints between them. Not to be changed."""
        if self._content is None:
            raise GeometryError("this system has no geometry", hint='add <geometry assembly="..."/> to system.xml')
        from studio.model.geometry.flat_model import model_of

        return model_of(self._content)

    def transform(self, foi: str, frame_of_reference: str, at_ns: int | None = None) -> Matrix:
        """The pose of the frame of interest in the frame of reference, 4x4 and read-only: `in_for = result @ in_foi`.

        `at_ns`: the stamp at which moving joints are looked at; without it they are where they were last heard of, or
        at home. A stamp outside of what was heard of a joint on the way is a GeometryError that names the joint.
        """
        known = self._rigid.get((foi, frame_of_reference))
        return known if known is not None else self._transform(foi, frame_of_reference, at_ns)

    def bodies(self) -> list[str]:
        return list(self.model.bodies)

    def frames(self, body: str) -> list[str]:
        """Names of a body's frames, without the body's name."""
        return self._fixed().get_body_frame_list(body)

    def sensor(self, name: str, kind: str = "") -> Any:
        """Data of a sensor: `RightLaser.scan`, or the body's name if it has one only. See `fov_deg`, `range_max_m`,
        `rate_hz` and so on; its `frame` is the full name of the frame that it measures in."""
        found = self.sensors()
        of_body = [each for each in found if each.partition(".")[0] == name]
        if name not in found and len(of_body) != 1:
            hint = f"name one: {', '.join(of_body)}" if of_body else did_you_mean(name, found)
            raise GeometryError(f"the geometry {self.name} has no sensor {name}", hint=hint or "it has none at all")
        sensor = found[name if name in found else of_body[0]]
        if kind not in ("", sensor.KIND):
            raise GeometryError(f"{name} is a {sensor.KIND}, not a {kind}")
        return sensor

    def sensors(self, kind: str = "") -> dict[str, Sensor]:
        """All sensors, or those of a kind (`laser`, `camera`, ...), by `Body.sensor`."""
        return {
            f"{name}.{sensor.name}": _placed(name, sensor)
            for name, body in self.model.bodies.items()
            for sensor in body.sensors
            if kind in ("", sensor.KIND)
        }

    def drive(self, body: str = "") -> VehicleDrive:
        """Wheelbase, track, limits of steering and speed: of the body that drives, or of the one that is named."""
        from studio.model.geometry.vehicle import drive_of

        if body not in self._drives:
            self._drives[body] = drive_of(self.model, body)
        return self._drives[body]

    def outline(self, body: str = "") -> Outline:
        """How much room the vehicle takes around the origin of its body, with all that is mounted on it."""
        from studio.model.geometry.outline import outline_of

        if body not in self._outlines:
            self._outlines[body] = outline_of(self.model, self.drive(body).body)
        return self._outlines[body]

    def joint(self, name: str) -> Joint:
        """A moving joint with its limits, by its full name: `Raptor.front_left_steering`."""
        edge = next((edge for edge in self._fixed().linkage.edges if edge.name == name and edge.moves), None)
        if edge is None or edge.joint is None:
            hint = did_you_mean(name, self.joint_names()) or "nothing in this geometry moves"
            raise GeometryError(f"there is no moving joint {name}", hint=hint)
        return edge.joint

    def joint_names(self) -> list[str]:
        return self._fixed().joint_names()

    # ---- what the runtime tells it

    def take(self, content: GeometryContent | None) -> bool:
        """Another geometry from here on; whether it differs. What was heard of the joints stays."""
        if content == self._content:
            return False
        self._content = content
        self._forget()
        return True

    def hear(self, joints: JointState, stamp_ns: int) -> None:
        """Positions of joints; a message without a stamp of its own was true when its event was."""
        heard = Heard(joints.stamp_ns or stamp_ns, joints.names, tuple(joints.position.tolist()))
        self._heard.append(heard)
        if self._moving is not None:
            self._unused.append(heard)
            if len(self._unused) > REMEMBERED:  # nobody asks any more: what is needed is in _heard
                self._moving = None
                self._unused.clear()

    def jump(self) -> None:
        """Time goes on elsewhere: joints stay where they are, but nothing is known of any stamp."""
        for heard in sorted(self._heard):
            self._resting.update(zip(heard.names, heard.positions, strict=False))
        self._heard.clear()
        self._unused.clear()
        self._moving = None

    def checkpoint(self) -> GeometryState:
        return GeometryState(self._content, tuple(self._heard), dict(self._resting))

    def restore(self, state: GeometryState) -> None:
        self._content = state.content
        self._heard = deque(state.heard, maxlen=REMEMBERED)
        self._resting = dict(state.resting)
        self._forget()

    def __deepcopy__(self, _: Any) -> Geometry:
        """A component may keep a reference to it in its state; the runtime keeps what it has heard."""
        return self

    # ---- inside

    def _forget(self) -> None:
        self._rigid.clear()
        self._drives.clear()
        self._outlines.clear()
        self._unused.clear()
        self._still = self._moving = None

    def _fixed(self) -> Transforms:
        """For what does not move: few queries, so that no compiled code has to be loaded for them."""
        from studio.model.geometry.transforms import Transforms

        if self._still is None:
            self._still = Transforms(self.model, remembered=1, compiled=False)
        return self._still

    def _transform(self, foi: str, frame_of_reference: str, at_ns: int | None) -> Matrix:
        # Which code computes depends on the frames alone: its last digits must not depend on who asked before.
        fixed = self._fixed()
        if fixed.is_rigid(foi, frame_of_reference):
            made = fixed.get_transformation(foi, frame_of_reference)
            self._rigid[foi, frame_of_reference] = made
        else:
            moving = self._up_to_date()
            stamped = () if at_ns is None else (at_ns,)
            made = moving.get_transformation(foi, frame_of_reference, *stamped)
        made.setflags(write=False)
        return made

    def _up_to_date(self) -> Transforms:
        from studio.model.geometry.transforms import Transforms

        if self._moving is None:
            self._moving = Transforms(self.model, remembered=REMEMBERED)
            _set(self._moving, self._resting)
            self._unused = list(self._heard)
        moving = self._moving
        for heard in self._unused:
            _set(moving, dict(zip(heard.names, heard.positions, strict=False)), heard.stamp_ns)
        self._unused.clear()
        return moving


def _set(transforms: Transforms, positions: dict[str, float], stamp_ns: int | None = None) -> None:
    """Names that the model does not know, and positions that are none, are left out."""
    known: Sequence[str] = transforms.joint_names()
    for name, position in positions.items():
        if name in known and position - position == 0.0:
            transforms.set_joint(name, position, stamp_ns)


def _placed(body: str, sensor: Sensor) -> Sensor:
    return replace(sensor, frame=f"{body}:{sensor.frame}")
