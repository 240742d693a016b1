"""How far a joint can move until shapes touch that were apart: its limits."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from studio.model.geometry.assembly import Model
from studio.model.geometry.linkage import link
from studio.model.geometry.overlaps import Solid, overlaps
from studio.model.geometry.rotations import GeometryError

STEP_RAD, STEP_M = math.radians(2.0), 0.01
"""Of the first search; what is thinner than that and moves fast may be stepped over."""
FINE_RAD, FINE_M = math.radians(0.1), 0.0005
REACH_RAD, REACH_M = math.pi, 1.0
Touching = frozenset[tuple[str, int]]


@dataclass(frozen=True)
class End:
    """One way."""

    position: float | None
    """The last one without a touch; None where nothing touches."""
    touches: str = ""
    """`Arm:box and Base:post`."""


@dataclass(frozen=True)
class Sweep:
    lower: End
    upper: End


def sweep(model: Model, name: str) -> Sweep:
    """From home both ways, with all other joints at home. `name`: as `transforms.set_joint` has it."""
    linkage = link(model)
    edge = next((each for each in linkage.edges if each.name == name and each.joint is not None), None)
    if edge is None or edge.joint is None or not edge.joint.moves:
        raise GeometryError(f"there is no joint {name} that moves", hint="choose a hinge, a slider or a wheel")
    joint = edge.joint

    def touching(position: float) -> dict[Touching, str]:
        found = overlaps(model, linkage, linkage.poses({name: position}))
        return {_pair(each.one, each.other): f"{_words(each.one)} and {_words(each.other)}" for each in found}

    at_home = set(touching(joint.home))

    def new_at(position: float) -> str:
        return next((words for pair, words in touching(position).items() if pair not in at_home), "")

    step, fine, reach = (STEP_RAD, FINE_RAD, REACH_RAD) if joint.turns else (STEP_M, FINE_M, REACH_M)
    return Sweep(*(_end(new_at, joint.home, sign * step, fine, reach) for sign in (-1.0, 1.0)))


def _end(new_at: Callable[[float], str], home: float, step: float, fine: float, reach: float) -> End:
    free = home
    for count in range(1, round(reach / abs(step)) + 1):
        position = home + count * step
        words = new_at(position)
        if words:
            return _between(new_at, free, position, words, fine)
        free = position
    return End(None)


def _between(new_at: Callable[[float], str], free: float, touched: float, words: str, fine: float) -> End:
    while abs(touched - free) > fine:
        middle = (free + touched) / 2
        here = new_at(middle)
        if here:
            touched, words = middle, here
        else:
            free = middle
    return End(free, words)


def _pair(one: Solid, other: Solid) -> Touching:
    return frozenset(((one.body, one.index), (other.body, other.index)))


def _words(solid: Solid) -> str:
    return f"{solid.body}:{solid.shape.name or type(solid.shape).__name__.lower()}"
