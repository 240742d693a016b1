"""What Studio does with any Gazebo server. The words are those of ROS's `simulation_interfaces`.

A caller asks for `features` first. Each call returns when the server has done it, and not when it was sent; what takes
too long raises GazeboError with the reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Protocol

from studio.errors import StudioError


class Feature(StrEnum):
    PAUSE = "pause"
    STEP = "step"
    SPAWN = "spawn"
    DELETE = "delete"
    MOVE = "move"
    RESET_ALL = "reset all"
    RESET_TIME = "reset time"
    RESET_POSES = "reset poses"
    SPEED = "speed"


class Scope(StrEnum):
    """What a reset brings back."""

    ALL = "all"
    TIME = "time"
    POSES = "poses"


class GazeboError(StudioError):
    """The server did not do what it was asked for."""


@dataclass(frozen=True)
class Statistics:
    """Of a world, as its server tells several times a second."""

    sim_time_ns: int
    real_time_ns: int
    is_paused: bool
    iterations: int


@dataclass(frozen=True)
class Placement:
    """Of a model in its world: metres, and a unit quaternion x, y, z, w."""

    position_m: tuple[float, float, float] = (0.0, 0.0, 0.0)
    orientation: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0)

    def is_near(self, other: Placement) -> bool:
        """Within a millimetre, and half a degree; of a running world a model may already fall."""
        near = all(abs(one - two) < 0.001 for one, two in zip(self.position_m[:2], other.position_m[:2], strict=True))
        turned = abs(sum(one * two for one, two in zip(self.orientation, other.orientation, strict=True)))
        return near and turned > 0.99999


@dataclass(frozen=True)
class Topic:
    name: str
    type_name: str


class GazeboServer(Protocol):
    is_classic: ClassVar[bool]

    @property
    def features(self) -> frozenset[Feature]: ...

    def worlds(self) -> list[str]: ...

    def topics(self) -> list[Topic]: ...

    def statistics(self) -> Statistics: ...

    def entities(self) -> dict[str, Placement]:
        """The models of the world."""

    def world_sdf(self) -> str:
        """The world as it is now, with all models and their sensors."""

    def pause(self, is_paused: bool) -> None: ...

    def step(self, count: int) -> None:
        """Exactly so many steps of the physics, of a paused world."""

    def reset(self, scope: Scope) -> None: ...

    def set_speed(self, factor: float) -> None:
        """Wanted simulation time per real time; the server may be slower. 0: as fast as it can."""

    def spawn(self, name: str, sdf: str, placement: Placement) -> None:
        """Returns once the model is there. A model of this name that is there already is left as it is."""

    def delete(self, name: str) -> None: ...

    def move(self, name: str, placement: Placement) -> None: ...

    def close(self) -> None: ...
