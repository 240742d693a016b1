"""Measurements: numbers agree with the transforms, and the texts that are copied give the same numbers again."""

from __future__ import annotations

import numpy as np
import pytest

from studio.errors import StudioError
from studio.model.geometry.assembly import Constraint, FrameName
from studio.model.geometry.assembly_xml import read_assembly
from studio.model.geometry.library import load_model
from studio.model.geometry.measurement import Measurement, loops, measure
from studio.model.geometry.poses import Pose
from studio.model.geometry.rotations import from_quaternion
from studio.model.geometry.transforms import Transforms


@pytest.fixture(scope="module")
def measured() -> Measurement:
    return measure(Transforms(load_model("raptor"), compiled=False), "Flea:ImagePlane", "Raptor:FrontBumperCenter")


def test_the_path_goes_through_bodies_and_constraints(measured: Measurement) -> None:
    assert measured.frames == (
        "Raptor:FrontBumperCenter", "Raptor:TopCenterRail", "Flea:BottomCenter", "Flea:ImagePlane",
    )  # fmt: skip
    assert [step.via for step in measured.steps] == ["body Raptor", "constraint camera_mount", "body Flea"]
    assert measured.is_rigid and measured.distance_m == pytest.approx(1.960, abs=1e-3)
    assert measured.axis_angles_deg == pytest.approx((90.0, 90.0, 100.0))


def test_copied_texts_say_the_same(measured: Measurement) -> None:
    names: dict[str, np.ndarray] = {}
    exec(measured.as_python(), names)
    assert np.allclose(names["T"], measured.matrix, atol=1e-11)
    xml = f'<assembly name="x" version="1">{measured.as_xml()}</assembly>'
    (constraint,) = read_assembly(xml.encode()).constraints
    assert np.allclose(constraint.pose.matrix, measured.matrix, atol=1e-9)
    words = measured.as_ros_static_transform().split()
    values = {key: float(value) for key, value in zip(words[4:18:2], words[5:18:2], strict=True)}
    assert np.allclose([values[f"--{key}"] for key in "xyz"], measured.xyz_m)
    turned = from_quaternion(*(values[f"--{key}"] for key in ("qx", "qy", "qz", "qw")))
    assert np.allclose(turned, measured.matrix[:3, :3], atol=1e-9)
    assert words[-4:] == ["--frame-id", "Raptor:FrontBumperCenter", "--child-frame-id", "Flea:ImagePlane"]


def test_what_is_not_there_is_said_with_the_name_that_was_meant() -> None:
    transforms = Transforms(load_model("raptor"), compiled=False)
    with pytest.raises(StudioError, match="Flea has no frame ImagePlan") as error:
        measure(transforms, "Flea:ImagePlan", "Raptor")
    assert "ImagePlane" in error.value.hint


def test_loops_tell_their_closing_error() -> None:
    brace = Constraint("brace", FrameName("Flea", "LensCenter"), FrameName("Gps", "PhaseCenter"), Pose((0.1, 0.2, 0.3)))

    model = load_model("raptor")
    model.constraints.append(brace)
    transforms = Transforms(model, compiled=False)
    (loop,) = loops(model, transforms.linkage)
    assert loop.constraint == "brace" and loop.path == ("camera_mount", "gps_mount") and not loop.closes
    assert loop.error_m > 0.1
