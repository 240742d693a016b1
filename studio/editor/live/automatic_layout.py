"""Which viewers a system or a log asks for by the types of its messages, where nobody has chosen any. No Qt in here.

The order is that of their places: the first stands beside the document, the second below the first, others behind it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

MOST_CURVES = 6
FIELDS: Mapping[str, tuple[str, ...]] = {
    "Velocity": ("speed_m_s", "steering_angle_rad"),
    "Twist": ("speed_m_s", "yaw_rate_rad_s"),
    "Float64": ("data",),
    "Imu": ("linear_acceleration[0]", "angular_velocity[2]"),
    "Odometry": ("linear[0]", "angular[2]"),
    "PoseTransform": ("position[0]", "position[1]"),
}
"""What is worth a curve, in the order in which it is taken: the first gives the plot its name."""
BEST_MAPS = ("terrain", "height", "elevation", "map", "occupancy")
"""Words in the name of a topic: the map that shows the world before one that was made of it."""
NO_SCAN = "path"
"""Points of this name are a plan, not what a scanner saw."""


@dataclass(frozen=True)
class Wish:
    """One viewer that should open."""

    kind: str
    settings: dict[str, Any] = field(default_factory=dict)


def wishes(state: Mapping[str, Any], kinds: Mapping[str, frozenset[str]]) -> list[Wish]:
    """For the snapshot of a system. `kinds`: the kinds of viewers that there are, and the types that each is for."""
    types = {str(name): str(told.get("type")) for name, told in state.get("topics", {}).items()}
    if not types:
        return [Wish("player")] if state.get("player") else []
    pictures = (_picture(kind, shown, types) for kind, shown in kinds.items() if kind != "plot")
    found = [wish for wish in pictures if wish is not None]
    curves = _curves(types, only_numbers=bool(found))
    if curves:
        found.append(Wish("plot", {"fields": curves}))
    if not found:
        # Of types that nobody knows there are still the rates, and what is in a message as far as it can be read.
        found = [Wish("message", {"topic": next(iter(sorted(types)))}), Wish("topics")]
    if state.get("player"):
        found.append(Wish("player"))
    return found


def _picture(kind: str, shown: frozenset[str], types: Mapping[str, str]) -> Wish | None:
    topics = [name for name, type_name in sorted(types.items()) if type_name in shown]
    if kind == "scan":
        topics = [name for name in topics if NO_SCAN not in name.rpartition("/")[2]]
    if not topics:
        return None
    return Wish(kind, {"topic": min(topics, key=_rank)} if kind in ("map", "scan") else {})


def _rank(topic: str) -> int:
    return next((place for place, word in enumerate(BEST_MAPS) if word in topic), len(BEST_MAPS))


def _curves(types: Mapping[str, str], *, only_numbers: bool) -> list[list[str]]:
    """Of numbers and commands; of poses only where there is no picture that shows them."""
    curves: list[list[str]] = []
    for type_name, paths in FIELDS.items():
        if only_numbers and type_name not in ("Float64", "Velocity", "Twist"):
            continue
        for topic in (name for name, each in sorted(types.items()) if each == type_name):
            curves += [[topic, path] for path in paths]
    return curves[:MOST_CURVES]
