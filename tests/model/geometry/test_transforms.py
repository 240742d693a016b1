from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.model.geometry.assembly import Constraint, FrameName, Model
from studio.model.geometry.body import Body, Frame
from studio.model.geometry.joints import Joint
from studio.model.geometry.library import load_model
from studio.model.geometry.linkage import link, part_of
from studio.model.geometry.poses import Pose
from studio.model.geometry.rotations import GeometryError
from studio.model.geometry.transforms import Transforms
from tests.model.geometry.graphs import random_model

SECOND = 1_000_000_000


def arm(joint: Joint | None = None) -> Model:
    hinge = joint or Joint("turn", "hinge", axis=(0.0, 0.0, 1.0), lower=-3.0, upper=3.0)
    bodies = {name: Body(name, frames=[Frame("In"), Frame("Out", Pose((1.0, 0.0, 0.0)))]) for name in "ABC"}
    constraints = [
        Constraint("ab", FrameName("A", "Out"), FrameName("B", "In"), joint=hinge),
        Constraint("cb", FrameName("C", "In"), FrameName("B", "Out")),
    ]
    return Model("arm", bodies, constraints)


def test_the_camera_of_the_raptor_is_where_the_guide_works_it_out_by_hand() -> None:
    got = Transforms(load_model("raptor"), compiled=False).get_transformation(
        "Flea:ImagePlane", "Raptor:FrontBumperCenter"
    )
    c, s = math.cos(math.radians(10)), math.sin(math.radians(10))
    x = 1.10 - 2.45 + c * 0.010 + s * 0.015
    z = 1.95 - 0.55 + 0.02 - s * 0.010 + c * 0.015
    assert np.abs(got - [[0, -s, c, x], [-1, 0, 0, 0], [0, -c, -s, z], [0, 0, 0, 1]]).max() < 1e-12
    assert got[:3, 3] == pytest.approx([-1.3375472, 0, 1.4330356], abs=1e-7)


@pytest.mark.parametrize(("laser", "degrees", "y"), [("RightLaser", 12, -0.45), ("LeftLaser", 20, 0.45)])
def test_the_lasers_of_the_raptor_look_down(laser: str, degrees: float, y: float) -> None:
    got = Transforms(load_model("raptor"), compiled=False).get_transformation(f"{laser}:ScanOrigin", "Raptor")
    assert math.degrees(math.asin(-got[2, 0])) == pytest.approx(degrees)
    assert got[1, 3] == pytest.approx(y)


def test_lists_of_bodies_and_frames() -> None:
    transforms = Transforms(arm())
    assert transforms.get_body_list() == ["A", "B", "C"]
    assert transforms.get_body_frame_list("A") == ["In", "Out"]
    with pytest.raises(GeometryError, match="there is no body D"):
        transforms.get_body_frame_list("D")


def test_a_constraint_is_crossed_either_way() -> None:
    transforms = Transforms(arm(), compiled=False)
    forward = transforms.get_transformation("C:In", "A:In")
    assert forward[:3, 3] == pytest.approx([2, 0, 0])
    assert np.abs(forward @ transforms.get_transformation("A:In", "C:In") - np.eye(4)).max() < 1e-15


def test_the_path_says_how_it_got_there() -> None:
    steps = [str(step) for step in Transforms(arm()).path("C:Out", "A:In")]
    assert steps == [
        "A:In -> A:Out  (body A)",
        "A:Out -> B:In  (constraint ab)",
        "B:In -> B:Out  (body B)",
        "B:Out -> C:In  (constraint cb, backwards)",
        "C:In -> C:Out  (body C)",
    ]


@pytest.mark.parametrize("compiled", [True, False])
def test_a_joint_is_interpolated_at_a_stamp_and_has_an_end(compiled: bool) -> None:
    transforms = Transforms(arm(), compiled=compiled)
    for second in range(5):
        transforms.set_joint("ab", second * 0.1, second * SECOND)
    got = transforms.get_transformation("B:Out", "A:Out", 1_500_000_000)
    assert math.atan2(got[1, 0], got[0, 0]) == pytest.approx(0.15)
    assert transforms.get_transformation("B:Out", "A:Out", 4 * SECOND)[1, 0] == pytest.approx(math.sin(0.4))
    assert transforms.get_transformation("B:Out", "A:Out")[1, 0] == pytest.approx(math.sin(0.4))
    for stamp, words in ((-1, "before"), (4 * SECOND + 1, "after")):
        with pytest.raises(GeometryError, match=f"{words} the stored positions of the joint ab") as caught:
            transforms.get_transformation("B:Out", "A:Out", stamp)
        assert caught.value.hint == "from 0.000000 s to 4.000000 s"
    # The joint is not on the way: no stamp is wrong.
    assert transforms.get_transformation("C:Out", "B:Out", 99 * SECOND)[0, 3] == pytest.approx(1.0)


def test_a_joint_never_heard_of_is_at_home_now_and_unknown_at_a_stamp() -> None:
    transforms = Transforms(arm(Joint("turn", "hinge", home=0.5)), compiled=False)
    assert transforms.get_transformation("B:In", "A:Out")[1, 0] == pytest.approx(math.sin(0.5))
    with pytest.raises(GeometryError, match="no position is known of the joint ab"):
        transforms.get_transformation("B:In", "A:Out", SECOND)
    transforms.set_joint("ab", 0.7)
    assert transforms.get_transformation("B:In", "A:Out")[1, 0] == pytest.approx(math.sin(0.7))


def test_stamps_may_come_late_and_old_ones_are_forgotten() -> None:
    transforms = Transforms(arm(), remembered=4, compiled=False)
    for stamp in (10, 30, 20, 40, 40):
        transforms.set_joint("ab", stamp / 100, stamp)
    assert transforms.get_transformation("B:In", "A:Out", 25)[1, 0] == pytest.approx(math.sin(0.25))
    for stamp in range(50, 500, 10):
        transforms.set_joint("ab", stamp / 100, stamp)
        span = transforms.joint_span("ab")
        assert span is not None and span[1] == stamp and span[0] <= max(10, stamp - 30)
    with pytest.raises(GeometryError, match="before"):
        transforms.get_transformation("B:In", "A:Out", 40)
    assert transforms.get_transformation("B:In", "A:Out", 475)[1, 0] == pytest.approx(math.sin(4.75))


def test_setting_a_joint_builds_nothing_anew() -> None:
    transforms = Transforms(load_model("raptor"), compiled=False)
    linkage, ints = transforms.linkage, transforms._ints
    before = transforms.get_transformation("Raptor:FrontLeftWheel", "Raptor")
    transforms.set_joint("Raptor.front_left_steering", 0.2, SECOND)
    assert not np.allclose(before, transforms.get_transformation("Raptor:FrontLeftWheel", "Raptor"))
    assert transforms.linkage is linkage and transforms._ints is ints


def test_errors_name_what_is_meant() -> None:
    transforms = Transforms(load_model("raptor"))
    with pytest.raises(GeometryError, match=r"Raptor has no frame FrontBumperCentre \(did you mean FrontBumperCenter"):
        transforms.get_transformation("Flea:ImagePlane", "Raptor:FrontBumperCentre")
    with pytest.raises(GeometryError, match=r"there is no frame Fla:ImagePlane .*Flea:ImagePlane"):
        transforms.path("Fla:ImagePlane", "Raptor")
    with pytest.raises(GeometryError, match="there is no moving joint steering"):
        transforms.set_joint("steering", 0.0)
    with pytest.raises(GeometryError, match="nan is not a position"):
        transforms.set_joint("Raptor.front_left_wheel", math.nan)


def test_frames_that_are_not_connected() -> None:
    model = arm()
    model.constraints.pop()
    for compiled in (True, False):
        with pytest.raises(GeometryError, match="C:In is not connected with A:In"):
            Transforms(model, compiled=compiled).get_transformation("C:In", "A:In")


def test_a_frame_on_a_joint_that_does_not_exist_is_told() -> None:
    model = Model.of_body(Body("A", frames=[Frame("F", on="elbow")], file="a.xml"))
    with pytest.raises(GeometryError, match=r"a\.xml: A:F is on the joint elbow, which does not exist"):
        Transforms(model)


def test_the_message_carries_the_same_matrix() -> None:
    message = Transforms(arm(), compiled=False).pose_transform("C:In", "A:In")
    assert (message.frame, message.child_frame) == ("A:In", "C:In")
    assert message.matrix[0, 3] == pytest.approx(2.0)


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.booleans())
def test_compiled_and_plain_agree(seed: int, chain: bool) -> None:
    model = random_model(seed, chain=chain)
    one, other = Transforms(model), Transforms(model, compiled=False)
    rng = np.random.default_rng(seed)
    for name in one.joint_names():
        for stamp in [*np.sort(rng.integers(0, 1000, 5)).tolist(), 0, 1000]:
            position = float(rng.uniform(-2, 2))
            one.set_joint(name, position, stamp)
            other.set_joint(name, position, stamp)
    names = one.frame_names()
    for _ in range(10):
        foi, frame_of_reference = rng.choice(names, 2)
        stamp = int(rng.integers(0, 1000))
        got = one.get_transformation(foi, frame_of_reference, stamp)
        assert np.abs(got - other.get_transformation(foi, frame_of_reference, stamp)).max() < 1e-12


def test_random_graphs_agree_with_pytransform3d(scaled: Callable[[int], int]) -> None:
    managers = pytest.importorskip("pytransform3d.transform_manager", reason="the peer: pip install pytransform3d")
    rng = np.random.default_rng(3)
    for seed in range(scaled(5_000)):
        model = random_model(seed, bodies=int(rng.integers(2, 12)), chain=bool(rng.integers(2)))
        transforms = Transforms(model)
        manager = managers.TransformManager(check=False)
        for edge in link(model).edges:
            position = float(rng.uniform(-2, 2))
            if edge.moves:
                transforms.set_joint(edge.name, position)
            manager.add_transform(str(edge.end), str(edge.start), edge.at(position))
        names = transforms.frame_names()
        for name in names:
            part, pose = part_of(model, FrameName.parse(name))
            manager.add_transform(name, str(part), pose)
        for _ in range(5):
            foi, frame_of_reference = (str(name) for name in rng.choice(names, 2))
            ours = transforms.get_transformation(foi, frame_of_reference)
            assert np.abs(ours - manager.get_transform(foi, frame_of_reference)).max() < 1e-9


def test_a_plain_query_does_not_wait_for_numba() -> None:
    code = (
        "import sys; from studio.model.geometry.library import load_model;"
        "from studio.model.geometry.transforms import Transforms;"
        "Transforms(load_model('raptor'), compiled=False).get_transformation('Flea', 'Raptor');"
        "print('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
