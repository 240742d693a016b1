from __future__ import annotations

import math

import numpy as np
import pytest

from studio.model.geometry.body import Body, GivenMass
from studio.model.geometry.inertia import Inertia, combined, impossible
from studio.model.geometry.poses import Pose
from studio.model.geometry.rotations import Rotation
from studio.model.geometry.rules import check_body
from studio.model.geometry.shapes import Box, Cylinder, Mesh, Sphere


def test_a_steel_cube() -> None:
    inertia = Body("Cube", shapes=[Box(size=(0.1, 0.1, 0.1), density_kg_m3=7850)]).inertia_of()
    assert inertia is not None
    assert inertia.mass_kg == pytest.approx(7.85)
    assert np.allclose(inertia.about_centre, np.eye(3) * 7.85 * 0.01 / 6)


def test_a_ball_and_a_rod() -> None:
    ball = Sphere(radius=0.5).of_mass(2.0)
    assert ball.about_centre[0, 0] == pytest.approx(0.4 * 2.0 * 0.25)
    rod = Cylinder(radius=1e-6, length=2.0).of_mass(3.0)
    assert rod.about_centre[0, 0] == pytest.approx(3.0 * 4.0 / 12.0)


def test_two_halves_of_a_box_are_the_box() -> None:
    halves = [Box(size=(1.0, 0.4, 0.2), pose=Pose((x, 0.0, 0.0))).of_mass(1.0) for x in (-0.5, 0.5)]
    whole, together = Box(size=(2.0, 0.4, 0.2)).of_mass(2.0), combined(halves)
    assert together is not None
    assert np.allclose(together.about_centre, whole.about_centre)
    assert np.allclose(together.centre, 0)


def test_a_turned_shape_has_turned_moments() -> None:
    lying = Cylinder(radius=0.1, length=1.0, pose=Pose(rotation=Rotation("rpy", (90, 0, 0), "degrees"))).of_mass(1.0)
    assert lying.about_centre[1, 1] == pytest.approx(0.005)


def test_what_was_weighed_overrules_densities() -> None:
    body = Body("A", shapes=[Box(size=(1, 1, 1), density_kg_m3=1)], masses=[GivenMass(6.0)])
    inertia = body.inertia_of()
    assert inertia is not None
    assert inertia.mass_kg == 6.0
    assert inertia.about_centre[0, 0] == pytest.approx(1.0)


def test_without_density_and_mass_nothing_is_invented() -> None:
    assert Body("A", shapes=[Box(size=(1, 1, 1)), Mesh(file="a.stl")]).inertia_of() is None


@pytest.mark.parametrize(
    ("moments", "words"),
    [
        ((1, 1, 3, 0, 0, 0), "larger than the two others"),
        ((1, 1, -1, 0, 0, 0), "must be positive"),
        ((1, 1, 1, 2, 0, 0), "must be positive"),
        ((1, 1, math.nan, 0, 0, 0), "not a number"),
    ],
)
def test_impossible_inertia_is_told(moments: tuple[float, ...], words: str) -> None:
    body = Body("A", masses=[GivenMass(1.0, moments=moments)])  # type: ignore[arg-type]
    inertia = body.inertia_of()
    assert inertia is not None
    assert any(words in reason for reason in impossible(inertia))
    assert any("impossible inertia of A" in problem.message for problem in check_body(body))


def test_an_inertia_that_is_symmetric_up_to_rounding_is_symmetric() -> None:
    """Turned by angles that no float holds, xy and yx differ in their last digits, and both are as good as 0."""
    rng = np.random.default_rng(3)
    for _ in range(200):
        angles = tuple(float(angle) for angle in rng.uniform(-math.pi, math.pi, 3))
        pose = Pose(rotation=Rotation("rpy", angles, "radians"))
        body = Body("A", masses=[GivenMass(1.0, pose, (0.2, 0.2, 0.2, 0.0, 0.0, 0.0))])
        inertia = body.inertia_of()
        assert inertia is not None
        assert list(impossible(inertia)) == []
        assert np.array_equal(inertia.about_centre, inertia.about_centre.T), "files hold one number for both"


@pytest.mark.parametrize(("apart", "told"), [(1e-3, ["the inertia matrix is not symmetric"]), (1e-15, [])])
def test_an_inertia_that_is_not_symmetric_is_still_told(apart: float, told: list[str]) -> None:
    matrix = np.diag([1.0, 1.0, 1.0])
    matrix[0, 1] = apart
    assert list(impossible(Inertia(1.0, np.zeros(3), matrix))) == told
