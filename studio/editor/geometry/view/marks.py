"""Small figures made of lines: crosses, diamonds, boxes, and a joint with its axis and limits."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from studio.editor.views.scene.batches import Colours, Floats, colour_of, moved
from studio.model.geometry.joints import Joint
from studio.model.geometry.rotations import from_axis_angle, unit_axis

ARC_STEP_RAD = math.radians(6.0)
TINT = 0.45
LEAST_ANGLE_DEG = 0.05
LABEL_OUT = 1.25
"""Of the radius of an arc: where its angle is written."""


def tinted(colours: Colours, tone: str) -> Colours:
    """Nearer to a tone, with its shades; as it is without one."""
    if not tone:
        return colours
    made = colours.copy()
    mixed = colours[:, :3] * (1 - TINT) + np.array(colour_of(tone)[:3]) * TINT
    made[:, :3] = mixed.astype(np.uint8)
    return made


def cross_lines(at: Floats, reach: float) -> Floats:
    steps = np.eye(3) * reach
    return np.stack([at - steps, at + steps], axis=1)


def diamond(at: Floats, size: float) -> Floats:
    """Flat, in x and y."""
    corners = at + size * np.array([[1, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0.0]])
    return np.stack([corners, np.roll(corners, -1, axis=0)], axis=1)


def box_edges(size: Floats) -> Floats:
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float) * size / 2
    return np.array([[corners[i], corners[i | bit]] for i in range(8) for bit in (1, 2, 4) if not i & bit])


def joint_lines(joint: Joint, size: float, position: float | None) -> Floats:
    """The axis first; then the arc or stretch between the limits, and a hand at `position` if it is given."""
    axis = np.array(unit_axis(joint.axis))
    lines = [np.stack([-axis * size, axis * size])[None]]
    if joint.kind == "slider":
        low, high = joint.lower or 0.0, joint.upper or 0.0
        lines += [_tick(axis, axis * end, size * 0.2)[None] for end in (low, high)]
    elif joint.turns:
        side = _across(axis) * size * 0.7
        low, high = (
            (joint.lower, joint.upper) if joint.lower is not None and joint.upper is not None else (-math.pi, math.pi)
        )
        lines.append(_arc(axis, side, low, high))
        hands = [] if joint.lower is None else [low, high]
        hands += [] if position is None else [position]
        lines += [np.stack([np.zeros(3), from_axis_angle(unit_axis(joint.axis), turn) @ side])[None] for turn in hands]
    return np.concatenate(lines)


@dataclass(frozen=True)
class AxisArc:
    """From an axis of one frame to the same axis of another, at the origin of the other."""

    axis: int
    angle_deg: float
    lines: Floats
    middle: Floats


def axis_arcs(one: Floats, other: Floats, size: float) -> Iterator[AxisArc]:
    """For each axis that is turned, with a hand where it would be if it were not."""
    turned = one[:3, :3].T @ other[:3, :3]
    pose = one.copy()
    pose[:3, 3] = other[:3, 3]
    for axis, start in enumerate(np.eye(3)):
        angle = math.acos(max(-1.0, min(1.0, float(turned[axis, axis]))))
        if math.degrees(angle) < LEAST_ANGLE_DEG:
            continue
        about = np.cross(start, turned[:, axis])
        length = float(np.linalg.norm(about))
        about = about / length if length > 1e-9 else _across(start)
        arc = _arc(about, start * size, 0.0, angle)
        hand = np.stack([np.zeros(3), start * size])[None]
        middle = arc[len(arc) // 2, 0] * LABEL_OUT
        yield AxisArc(axis, math.degrees(angle), moved(np.concatenate([hand, arc]), pose), moved(middle[None], pose)[0])


def _arc(axis: Floats, side: Floats, low: float, high: float) -> Floats:
    count = max(int(abs(high - low) / ARC_STEP_RAD), 2)
    unit = (float(axis[0]), float(axis[1]), float(axis[2]))
    points = np.array([from_axis_angle(unit, turn) @ side for turn in np.linspace(low, high, count + 1)])
    return np.stack([points[:-1], points[1:]], axis=1)


def _tick(axis: Floats, at: Floats, size: float) -> Floats:
    side = _across(axis) * size
    return np.stack([at - side, at + side])


def _across(axis: Floats) -> Floats:
    """A direction across an axis: x where that is possible, so that the zero of a joint is easy to find."""
    start = np.array([1.0, 0.0, 0.0]) if abs(axis[0]) < 0.9 else np.array([0.0, 0.0, 1.0])
    side = start - axis * (start @ axis)
    found: Floats = side / np.linalg.norm(side)
    return found
