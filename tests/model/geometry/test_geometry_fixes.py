"""Each quick fix removes the finding that it was offered for, in one step of undo."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from studio.errors import Problem
from studio.model.geometry.closer_look import unused_frames
from studio.model.geometry.geometry_fixes import fixes_for
from studio.model.geometry.workspace import Workspace

BODY = """<body name="Cart" version="1">
  <!-- kept -->
  <frame name="Top" xyz="0 0 {top}"{turned}/>
  <frame name="Side"/>
  <frame name="Wheel" on="axle"/>
  <joint name="axle" kind="hinge" at="Side" lower="-1" upper="{upper}" angles="radians"/>
  <box name="hull" size="{size}"/>
  <mass kg="10" moments="{moments}"/>
  <laser name="scan" frame="{frame}" fov_deg="90" beams="9" range_max_m="5" range_min_m="0"/>
  <bumper name="touch" frame="Side" shape="{shape}"/>
</body>
"""
SOUND = {"top": "0.5", "turned": "", "upper": "1", "size": "1 1 1", "moments": "1 1 1 0 0 0", "frame": "Top",
         "shape": "hull"}  # fmt: skip
ASSEMBLY = """<assembly name="Train" version="1">
  <body name="A" file="cart.xml"/>
  <body name="B" file="cart.xml"/>
  <body name="C" file="cart.xml"/>
  <constraint name="ab" from="A:Top" to="B:{end}"/>
  <constraint name="ac" from="{start}" to="C:Side"/>
{more}</assembly>
"""
LOOP = '  <constraint name="bc" from="B:Top" to="C:Top" xyz="0 0 0.3"/>\n'


def workspace(folder: Path, body: dict[str, str] | None = None, **assembly: str) -> Workspace:
    (folder / "cart.xml").write_text(BODY.format(**(SOUND | (body or {}))))
    text = {"end": "Side", "start": "A:Side", "more": ""} | assembly
    (folder / "train.xml").write_text(ASSEMBLY.format(**text))
    return Workspace.load(folder / "train.xml", [folder])


def the_finding(vehicle: Workspace) -> Problem:
    return vehicle.problems()[0]


@pytest.mark.parametrize(
    ("body", "assembly", "text"),
    [
        ({"frame": "Topp"}, {}, "Use Top"),
        ({"shape": "hul"}, {}, "Use hull"),
        ({"moments": "1 1 9 0 0 0"}, {}, "Compute the inertia from the shapes"),
        ({"top": "500"}, {}, "Read it as millimetres"),
        ({"size": "1000 100 100"}, {}, "Read it as millimetres"),
        ({"upper": "90"}, {}, "Read it as degrees"),
        ({"turned": ' rpy="90 0 0" angles="radians"'}, {}, "Read it as degrees"),
        ({}, {"start": "A:Top"}, "Add the frame Top2 in the same place"),
        ({}, {"more": LOOP}, "Move it so that the loop closes"),
    ],
)
def test_the_first_fix_removes_the_finding(
    tmp_path: Path, body: dict[str, str], assembly: dict[str, str], text: str
) -> None:
    vehicle = workspace(tmp_path, body, **assembly)
    before = vehicle.texts()
    problem = the_finding(vehicle)
    fix = fixes_for(problem, vehicle)[0]
    assert fix.text == text
    assert vehicle.do_all(fix.text, fix.edits)
    assert problem.message not in [each.message for each in vehicle.problems()]
    assert all(b"kept" in each for path, each in vehicle.texts().items() if path.name == "cart.xml")
    assert vehicle.undo() and vehicle.texts() == before


def test_what_only_the_user_can_know_has_no_fix(tmp_path: Path) -> None:
    problem = Problem("something else", "error", str(tmp_path / "cart.xml"))
    assert fixes_for(problem, workspace(tmp_path)) == []


def test_a_frame_that_nothing_uses_is_removed(tmp_path: Path, checkout: Path) -> None:
    for kind in ("bodies", "assemblies"):
        shutil.copytree(checkout / "models" / kind, tmp_path / kind)
    vehicle = Workspace.load(tmp_path / "assemblies/raptor.xml", [tmp_path])
    found = unused_frames(vehicle.assembled.model)
    (fix,) = fixes_for(found[0], vehicle)
    assert fix.text == "Remove the frame" and vehicle.do_all(fix.text, fix.edits)
    assert len(unused_frames(vehicle.assembled.model)) == len(found) - 1
