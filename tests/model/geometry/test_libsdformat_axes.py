"""What libsdformat, the library of Gazebo, makes of the same SDF files: links, axes and static models agree."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from studio.model.geometry.import_model import import_model
from studio.model.geometry.import_tree import Imported
from studio.model.geometry.linkage import Part, link
from studio.model.geometry.poses import inverse
from studio.model.geometry.rotations import from_quaternion, unit_axis
from studio.model.geometry.sdf import to_sdf
from tests.model.geometry.test_from_elsewhere import HAND, HOUSE, SAME_NAME, SHED, WHEEL

TOLD = "<use_parent_model_frame>{0}</use_parent_model_frame>"
NESTED = """<sdf version="1.9"><model name="arm"><link name="base"><pose>0 0 1 0.1 0.2 0.3</pose></link>
  <model name="hand" placement_frame="grip"><pose relative_to="base">1 0 0 0 0.5 0</pose>
    <link name="palm"/><link name="tip"><pose relative_to="grip">0 1 0 0 0 1</pose></link>
    <frame name="grip" attached_to="palm"><pose>0 0 0.25 1 0 0</pose></frame>
    <joint name="bend" type="revolute"><parent>palm</parent><child>tip</child>
      <axis><xyz expressed_in="__model__">0 1 0</xyz></axis></joint></model>
  <joint name="wrist" type="revolute"><parent>base</parent><child>hand::palm</child><pose>0 0 0.1 0 0 0.4</pose>
    <axis><xyz expressed_in="base">1 0 1</xyz></axis></joint></model></sdf>"""
INCLUDING = """<sdf version="1.8"><model name="arm"><link name="base"><pose>1 2 3 0.1 0.2 0.3</pose></link>
  <include><uri>{0}</uri><name>left</name><pose relative_to="base">0 1 0 0 0 1.5</pose></include>
  <joint name="wrist" type="fixed"><parent>base</parent><child>left::palm</child></joint></model></sdf>"""


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    words = ["pkg-config", "--cflags", "--libs", "sdformat12"]
    flags = subprocess.run(words, capture_output=True, text=True, check=False)
    if flags.returncode != 0 or shutil.which("g++") is None:
        pytest.skip("needs g++ and Debian's libsdformat-dev")
    made = tmp_path_factory.mktemp("reader") / "sdf_axes"
    source = Path(__file__).with_name("sdf_axes.cpp")
    subprocess.run(["g++", "-std=c++17", "-o", made, source, *flags.stdout.split()], check=True)
    return made


def texts(folder: Path) -> list[str]:
    (folder / "hand").mkdir()
    (folder / "hand" / "model.sdf").write_text(HAND)
    (folder / "hand" / "model.config").write_text('<model><sdf version="1.4">model.sdf</sdf></model>')
    wheels = [
        ("1.3", "", ""), ("1.4", "", ""), ("1.5", "", ""), ("1.5", "", TOLD.format(1)),
        ("1.6", "", TOLD.format("true")), ("1.6", "", TOLD.format("false")), ("1.7", "", ""),
        ("1.7", ' expressed_in="__model__"', ""), ("1.9", ' expressed_in="wheel"', ""),
        ("1.9", ' expressed_in="axle"', ""),
    ]  # fmt: skip
    return [
        *(WHEEL.format(version=version, expressed=expressed, told=told) for version, expressed, told in wheels),
        *(HOUSE.format(static=static, more=more) for static in ("true", "false") for more in ("", SHED)),
        SAME_NAME.format("1.6").replace('type="revolute"', 'type="fixed"'),
        NESTED,
        INCLUDING.format(folder / "hand"),
    ]


@pytest.mark.soak
def test_libsdformat_finds_the_same_links_axes_and_statics(reader: Path, tmp_path: Path) -> None:
    for number, text in enumerate(texts(tmp_path)):
        path = tmp_path / f"{number}.sdf"
        path.write_text(text)
        imported = import_model(path)
        compare(reader, path, imported)
        again = tmp_path / f"{number}_again.sdf"
        again.write_text(to_sdf(imported.model).text)
        compare(reader, again, import_model(again))


def compare(reader: Path, path: Path, imported: Imported) -> None:
    read = subprocess.run([reader, path], capture_output=True, text=True, check=False)
    assert read.returncode == 0, (path.read_text(), read.stderr)
    links, axes = ours(imported)
    for kind, name, *rest in (line.split() for line in read.stdout.splitlines()):
        values = [float(value) for value in rest]
        if kind == "S":
            assert {body.is_static for body in imported.model.bodies.values()} == {name == "1"}
        elif kind == "A":
            assert axes.pop(imported.joints[name]) == pytest.approx(values, abs=1e-12), (path.read_text(), name)
        else:
            pose = links.pop(imported.bodies[name])
            assert pose[:3, 3] == pytest.approx(values[:3], abs=1e-12), (path.read_text(), name)
            assert pose[:3, :3] == pytest.approx(from_quaternion(*values[3:]), abs=1e-12)
    assert (links, axes) == ({}, {})


def ours(imported: Imported) -> tuple[dict[str, np.ndarray], dict[str, list[float]]]:
    """Links and axes in the axes of the model, joints at 0."""
    model = imported.model
    linkage = link(model)
    poses = linkage.home_poses()
    placed = {root: np.eye(4) for root in linkage.roots.values()}
    placed |= {Part(body): pose.matrix for body, pose in model.placed.items()}
    links = {body: placed[linkage.roots[Part(body)]] @ poses[Part(body)] for body in model.bodies}
    axes = {}
    for edge in linkage.edges:
        if edge.moves and edge.joint is not None:
            place = links[edge.end.body] @ inverse(edge.after)
            axes[edge.name] = (place[:3, :3] @ unit_axis(edge.joint.axis)).tolist()
    return links, axes
