"""Four wheels in one step: a body from nothing that a simulator can drive, and undo."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from studio.model.changes import ModelError
from studio.model.geometry.linkage import link
from studio.model.geometry.outline import outline_of
from studio.model.geometry.overlaps import overlaps, solids
from studio.model.geometry.part_edits import AddShape
from studio.model.geometry.rules import check_model
from studio.model.geometry.shapes import Box
from studio.model.geometry.wheels import Steering, Wheels, add_wheels, usual_wheels
from studio.model.geometry.workspace import On, Workspace

EMPTY = b'<?xml version="1.0" encoding="UTF-8"?>\n<body name="Cart" version="1">\n</body>\n'


@pytest.fixture
def cart(tmp_path: Path) -> Workspace:
    workspace = Workspace.new(tmp_path / "bodies" / "cart.xml", EMPTY, [tmp_path])
    workspace.do(AddShape(Box("chassis", size=(0.6, 0.4, 0.2))))
    return workspace


def fitted(workspace: Workspace, steering: Steering) -> None:
    body = workspace.assembled.model.bodies["Cart"]
    usual = usual_wheels(body)
    wheels = Wheels(steering, usual.wheelbase_m, usual.track_m, usual.radius_m, usual.width_m, usual.centre_m)
    label, edits = add_wheels(body, wheels)
    assert workspace.do_all(label, [On(edit) for edit in edits])


@pytest.mark.parametrize("steering", ["skid", "ackermann"])
def test_wheels_stand_under_the_body_beside_its_box(cart: Workspace, steering: Steering) -> None:
    before = cart.text()
    fitted(cart, steering)
    model = cart.assembled.model
    linkage = link(model)
    assert not list(overlaps(model, linkage, linkage.home_poses()))
    assert not [each for each in cart.problems() if each.severity == "error"]
    tyres = [each for each in solids(model, linkage.home_poses()) if each.part.joint.endswith("_wheel")]
    assert [each.pose[2, 3] - each.shape.radius for each in tyres] == pytest.approx([0.0] * 4)  # type: ignore[union-attr]
    (chassis,) = [each for each in model.bodies["Cart"].shapes if each.name == "chassis"]
    assert chassis.pose.xyz[2] == pytest.approx(0.12 + 0.1), "its lower edge is at the hubs"
    around = outline_of(model, "Cart")
    assert around.left_m == pytest.approx(around.right_m) and around.left_m > 0.2
    drive = model.bodies["Cart"].drive
    assert drive is not None and (drive.kind, drive.wheelbase_m) == (steering, 0.36)
    assert len(model.bodies["Cart"].joints) == (6 if steering == "ackermann" else 4)
    cart.undo()
    assert cart.text() == before


def test_steered_wheels_turn_about_their_kingpins(cart: Workspace) -> None:
    fitted(cart, "ackermann")
    linkage = link(cart.assembled.model)
    turned = linkage.poses({"Cart.front_left_steering": math.radians(30)})
    straight = linkage.home_poses()
    (wheel,) = [part for part in straight if part.joint == "front_left_wheel"]
    assert np.allclose(turned[wheel][:3, 3], straight[wheel][:3, 3]), "the wheel stays in its place"
    assert turned[wheel][0, 0] == pytest.approx(math.cos(math.radians(30)))


def test_a_second_drive_and_wheels_without_a_size_are_refused(cart: Workspace) -> None:
    body = cart.assembled.model.bodies["Cart"]
    with pytest.raises(ModelError, match="sizes above 0"):
        add_wheels(body, Wheels("skid", 0.4, 0.4, 0.0, 0.1))
    fitted(cart, "skid")
    with pytest.raises(ModelError, match="has a drive already"):
        add_wheels(cart.assembled.model.bodies["Cart"], usual_wheels(body))


def test_a_body_with_a_drive_is_a_vehicle_by_itself(cart: Workspace) -> None:
    model = cart.assembled.model
    assert any("one body only" in each.message for each in check_model(model))
    fitted(cart, "skid")
    assert not [each for each in check_model(cart.assembled.model) if each.severity == "error"]
