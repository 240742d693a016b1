"""What is wrong between a system and its geometry is told with its line and a remedy."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from studio.model.geometry_check import check_geometry
from studio.model.history import History
from studio.model.loaded_project import open_project
from studio.model.parts import Endpoint, GeometryUse
from studio.model.spec import ComponentSpec, ParameterSpec, PortSpec, PythonEntry
from studio.model.system_edits import RemoveNodes, RenameNode, SetGeometry
from studio.model.system_xml import read_system, write_system
from tests.model.examples import Profiles

LASER = ComponentSpec(
    "laser", "sensor", PythonEntry("laser", "Laser"), (PortSpec("ranges", "out", "Range3d"),),
    parameters=(ParameterSpec("frame", "frame", "laser"),),
)  # fmt: skip
VEHICLE = ComponentSpec(
    "vehicle", "actuator", PythonEntry("vehicle", "Vehicle"),
    (PortSpec("joints", "out", "JointState"), PortSpec("command", "in", "Velocity")),
    parameters=(ParameterSpec("odometry_frame", "string", "odom"),),
)  # fmt: skip
PROFILES = Profiles(LASER, VEHICLE)
VEHICLE_XML = '<component name="v" type="vehicle"/>'


def problems(inside: str) -> list[str]:
    system = read_system(f'<system name="a">\n{inside}\n</system>'.encode(), "f")
    return [str(problem) for problem in check_geometry(system, PROFILES)]


JOINTS = "f:2: error: the joints of the geometry come from "
NO_FRAME = "and the geometry Raptor has no such frame"
LASER_XML = '<component name="l" type="laser">\n<parameter name="frame" value="RightLaser:ScanOrign"/></component>'


@pytest.mark.parametrize(
    ("inside", "told"),
    [
        ('<geometry assembly="raptor"/>', []),
        (f'<geometry assembly="raptor" joints="v.joints"/>{VEHICLE_XML}', []),
        ('\n<geometry assembly="rapter"/>', ["f:3: error: there is no model rapter (did you mean raptor?)"]),
        (
            f'<geometry assembly="raptor" joints="w.joints"/>{VEHICLE_XML}',
            [f"{JOINTS}w.joints: there is no w (known: v)"],
        ),
        (
            f'<geometry assembly="raptor" joints="v.angles"/>{VEHICLE_XML}',
            [f"{JOINTS}v.angles: v has no port angles (an out port of type JointState)"],
        ),
        (
            f'<geometry assembly="raptor" joints="v.command"/>{VEHICLE_XML}',
            [f"{JOINTS}v.command, which is an in port of type Velocity (it must be an out port of type JointState)"],
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_line(inside: str, told: list[str]) -> None:
    assert problems(inside) == told


def test_frames_that_the_geometry_does_not_have_are_told() -> None:
    (named,) = problems(f'<geometry assembly="raptor"/>\n{LASER_XML}')
    assert named.startswith(
        f"f:4: error: l.frame is RightLaser:ScanOrign, {NO_FRAME} (did you mean RightLaser:ScanOrigin"
    )
    (default,) = problems('<geometry assembly="raptor"/>\n<component name="l" type="laser"/>')
    assert default.startswith(f"f:3: warning: l.frame is laser, {NO_FRAME}") and "RightLaser:ScanOrigin" in default


def test_a_broken_model_is_told_in_its_own_file_and_where_it_is_used(tmp_path: Path, checkout: Path) -> None:
    folder = tmp_path / "project"
    (folder / "models/assemblies").mkdir(parents=True)
    assembly = folder / "models/assemblies/raptor.xml"
    shutil.copy(checkout / "models/assemblies/raptor.xml", assembly)
    assembly.write_text(assembly.read_text().replace("Flea:BottomCenter", "Flea:BottomCentre"))
    (folder / "system.xml").write_text('<system name="a" version="1">\n  <geometry assembly="raptor"/>\n</system>\n')
    inside, here = [problem for problem in open_project(folder).problems if problem.severity == "error"]
    assert (inside.file, inside.line) == (str(assembly), 14) and "BottomCentre" in inside.message
    assert (here.line, here.message) == (2, "the geometry raptor has an error")


def test_the_port_of_the_joints_follows_renames_and_goes_with_its_component() -> None:
    text = b'<system name="a" version="1">\n  <component name="v" type="vehicle"/>\n</system>\n'
    system = read_system(text)
    history = History(system)
    history.do(SetGeometry(GeometryUse("raptor", Endpoint("v", "joints"))))
    assert b'<geometry assembly="raptor" joints="v.joints"/>' in write_system(system, text)
    history.do(RenameNode("v", "car"))
    assert system.geometry == GeometryUse("raptor", Endpoint("car", "joints"))
    history.do(RemoveNodes(("car",)))
    assert system.geometry == GeometryUse("raptor")
    history.do(SetGeometry(None))
    assert b"geometry" not in write_system(system, text)
    for _ in range(4):
        history.undo()
    assert write_system(system, text) == text
