"""Limits of joints, found by moving them until something touches."""

from __future__ import annotations

import math

import pytest

from studio.model.geometry.assembly import Model
from studio.model.geometry.body import Body, Frame
from studio.model.geometry.joint_sweep import sweep
from studio.model.geometry.joints import Joint, JointKind
from studio.model.geometry.poses import Pose
from studio.model.geometry.rotations import GeometryError
from studio.model.geometry.shapes import Box


def machine(kind: JointKind, *posts: tuple[float, float]) -> Model:
    """An arm of 1 m along x that turns about z, or slides along it, above a base that does not bump; with posts."""
    base = Box("base", Pose((0.0, 0.0, -0.5)), use="visual", size=(0.2, 0.2, 0.2))
    arm = Box("arm", Pose((0.5, 0.0, 0.0)), "swing", size=(1.0, 0.1, 0.1))
    hub = Box("hub", size=(0.02, 0.02, 0.02))
    joint = Joint("swing", kind, "Top", axis=(0.0, 0.0, 1.0) if kind == "hinge" else (1.0, 0.0, 0.0))
    post = [Box(f"post_{number}", Pose((x, y, 0.0)), size=(0.1, 0.1, 1.0)) for number, (x, y) in enumerate(posts)]
    crane = Body("Crane", frames=[Frame("Top"), Frame("Foot")], shapes=[base, arm, hub], joints=[joint])
    yard = Body("Yard", frames=[Frame("Ground")], shapes=[*post], is_static=True)
    return Model("machine", {"Crane": crane, "Yard": yard}, [], placed={"Crane": Pose(), "Yard": Pose()})


def test_a_hinge_is_stopped_on_both_sides_by_what_it_meets() -> None:
    found = sweep(machine("hinge", (0.0, 0.8), (0.6, -0.6)), "Crane.swing")
    assert found.upper.position is not None and found.lower.position is not None
    # The side of the arm is 5 cm from its middle, that of the post as much.
    assert found.upper.position == pytest.approx(math.pi / 2 - math.asin(0.1 / 0.75), abs=math.radians(1.5))
    assert found.lower.position == pytest.approx(-math.pi / 4, abs=math.radians(10))
    assert found.upper.touches == "Crane:arm and Yard:post_0" and "post_1" in found.lower.touches


def test_a_slider_stops_before_a_wall_and_goes_free_the_other_way() -> None:
    found = sweep(machine("slider", (1.4, 0.0)), "Crane.swing")
    assert found.upper.position == pytest.approx(0.35, abs=0.002)
    assert found.lower.position is None and found.lower.touches == ""


def test_what_touches_at_home_does_not_count() -> None:
    found = sweep(machine("hinge", (0.9, 0.0)), "Crane.swing")
    assert found.lower.position is None and found.upper.position is None


def test_a_joint_that_is_not_there_is_refused() -> None:
    with pytest.raises(GeometryError, match=r"no joint Crane\.turn"):
        sweep(machine("hinge"), "Crane.turn")
