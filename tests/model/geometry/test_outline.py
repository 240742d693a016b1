from __future__ import annotations

import pytest

from studio.model.geometry.assembly import Model
from studio.model.geometry.body import Body
from studio.model.geometry.library import load_model
from studio.model.geometry.outline import outline_of
from studio.model.geometry.poses import Pose
from studio.model.geometry.rotations import GeometryError
from studio.model.geometry.shapes import Box, Cylinder, Sphere


def test_the_raptor_with_its_lasers_and_wheels() -> None:
    outline = outline_of(load_model("raptor"), "Raptor")
    assert outline.front_m == pytest.approx(2.45, abs=0.1)
    assert outline.rear_m == pytest.approx(0.42, abs=0.1)
    assert outline.left_m == outline.right_m == pytest.approx(0.75)  # the tyres stick out
    assert outline.reach_m > 2.45


def test_shapes_that_are_only_seen_do_not_count() -> None:
    body = Body("B", shapes=[Sphere(radius=0.5), Box(size=(9.0, 9.0, 9.0), use="visual")])
    outline = outline_of(Model("M", {"B": body}, []), "B")
    assert (outline.front_m, outline.left_m, outline.height_m) == (0.5, 0.5, 0.5)


def test_an_origin_that_is_outside_has_a_negative_side() -> None:
    body = Body("B", shapes=[Cylinder(radius=0.1, length=1.0, pose=Pose((2.0, 0.0, 0.5)))])
    outline = outline_of(Model("M", {"B": body}, []), "B")
    assert [outline.front_m, outline.rear_m] == pytest.approx([2.1, -1.9])


def test_what_has_no_shape_and_what_does_not_exist_is_said() -> None:
    model = Model("M", {"B": Body("B")}, [])
    with pytest.raises(GeometryError, match="no shape to bump with"):
        outline_of(model, "B")
    with pytest.raises(GeometryError, match="no body C"):
        outline_of(model, "C")
