"""A dozen files as other programs write them, named by what they contain: each becomes bodies of a vehicle in one step
of undo; what is lost is told, and what cannot be meant is refused with its line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from studio.errors import StudioError
from studio.model.geometry.arrange import Arrangement
from studio.model.geometry.import_edit import import_edits
from studio.model.geometry.import_model import import_model
from studio.model.geometry.joints import Mimic
from studio.model.geometry.rules import check_model
from studio.model.geometry.workspace import Workspace

EMPTY = b'<?xml version="1.0" encoding="UTF-8"?>\n<assembly name="bench" version="1">\n</assembly>\n'
FOREIGN = Path(__file__).parent / "foreign"
FILES = sorted(path.name for path in FOREIGN.iterdir() if path.suffix in (".urdf", ".sdf"))
TOLD = {
    "plugins_and_sensors_of_every_kind.sdf": "air_quality",
    "transmission_and_gazebo_tags.urdf": "transmission",
}
"""What is lost with the file, in words of its notes."""


@pytest.mark.parametrize("name", FILES)
def test_it_is_one_step_of_undo_and_nothing_is_written_before_saving(tmp_path: Path, name: str) -> None:
    main = tmp_path / "assemblies" / "bench.xml"
    workspace = Workspace.new(main, EMPTY, [])
    imported = import_model(FOREIGN / name)
    value = workspace.value()
    files, made = import_edits(imported, value, tmp_path / "bodies")  # type: ignore[arg-type]
    assert isinstance(made, Arrangement) and workspace.do_all(made.label, made.edits, new_files=files)
    assert len(workspace.assembled.model.bodies) == len(imported.model.bodies) > 0
    assert not main.exists() and not (tmp_path / "bodies").exists()
    if name in TOLD:
        assert any(TOLD[name] in note for note in imported.notes), imported.notes
    workspace.undo()
    assert workspace.text() == EMPTY and not workspace.assembled.model.bodies
    workspace.redo()
    assert {path.name for path in workspace.save()} == {"bench.xml", *(path.name for path in files)}
    again = Workspace.load(main, [])
    assert list(again.assembled.model.bodies) == list(workspace.assembled.model.bodies)


def test_what_is_meant_is_kept() -> None:
    def joints(name: str) -> dict[str, tuple[str, float | None]]:
        model = import_model(FOREIGN / name).model
        inside = [joint for body in model.bodies.values() for joint in body.joints]
        return {j.name: (j.kind, j.lower) for j in [*inside, *(c.joint for c in model.constraints if c.joint)]}

    mimics = import_model(FOREIGN / "a_joint_that_mimics_another.urdf").model.constraints[1].joint
    assert mimics is not None and mimics.mimic == Mimic("joint_0", -1.0)
    assert joints("continuous_joints.urdf") == {"joint_0": ("drive", None), "joint_1": ("hinge", -1.0)}
    held = import_model(FOREIGN / "a_world_link.urdf").model
    assert any(body.is_static for body in held.bodies.values()) or len(held.bodies) == 2
    turned = import_model(FOREIGN / "poses_in_degrees_and_quaternions.sdf")
    (constraint,) = turned.model.constraints
    assert np.allclose(constraint.pose.matrix[:3, :3], np.eye(3), atol=1e-6)


def test_suspected_units_and_missing_meshes_are_told() -> None:
    big = import_model(FOREIGN / "millimetres.urdf").model
    words = " ".join(str(each) for each in check_model(big, is_assembly=False))
    assert "millimetres" in words
    hull = import_model(FOREIGN / "a_mesh_that_is_missing.urdf")
    (shape,) = next(iter(hull.model.bodies.values())).shapes
    assert not Path(getattr(shape, "file", "")).is_file()  # the view says so beside its shapes


CHAIN = (FOREIGN / "fixed_joints_in_a_chain.urdf").read_text()
BROKEN = {
    "cut off in the middle": CHAIN[: len(CHAIN) // 2],
    "a joint to nowhere": CHAIN.replace('<child link="link_1"/>', '<child link="moon"/>'),
    "two links of one name": CHAIN.replace('<link name="link_2">', '<link name="link_1">'),
    "a number that is none": CHAIN.replace("0 0 0.5", "0 zero 0.5", 1),
    "nothing at all": "",
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_refused_with_its_line(tmp_path: Path, name: str) -> None:
    path = tmp_path / "broken.urdf"
    path.write_text(BROKEN[name])
    with pytest.raises(StudioError) as caught:
        import_model(path)
    assert caught.value.message and caught.value.line is not None
