"""Worlds: read from SDF or made from a seed; what is not understood is refused with its place."""

from __future__ import annotations

import copy
import math
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from lxml import etree
from numpy.typing import NDArray

from studio.errors import StudioError
from studio.runtime.sim.worlds import free_space
from studio.runtime.sim.worlds.errors import SimError
from studio.runtime.sim.worlds.free_space import FreeSpace, distance_m, refuse_blocked
from studio.runtime.sim.worlds.made_worlds import block, ground, slopes_world
from studio.runtime.sim.worlds.world import Ground, Place, Solid, SolidKind, World, pose_of
from studio.runtime.sim.worlds.world_sdf import parse_world, read_world
from studio.runtime.sim.worlds.world_writing import save_world, world_sdf
from studio.runtime.sim.worlds.worlds import load_world

WORLD = """<sdf version="1.7"><world name="yard">
<light name="sun" type="directional"/>
<frame name="start"><pose>1 2 0 0 0 0.5</pose></frame>
<model name="ground"><static>true</static><link name="link"><collision name="c">
  <geometry><plane><normal>0 0 1</normal><size>10 10</size></plane></geometry></collision></link></model>
<model name="post"><static>true</static><pose>5 0 0.5 0 0 0</pose><link name="link">
  <pose>0 1 0 0 0 0</pose>
  <collision name="c"><geometry><cylinder><radius>0.2</radius><length>1</length></cylinder></geometry>
    <surface><friction><ode><mu>0.4</mu></ode></friction></surface></collision></link></model>
</world></sdf>
"""
CYLINDER = "<cylinder><radius>0.2</radius><length>1</length></cylinder>"
TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
DENTED = TETRAHEDRON.replace("f 2 3 4\n", "v 0.1 0.1 0.1\nf 2 3 5\nf 3 4 5\nf 4 2 5\n")


def sphere(text: str) -> str:
    return f"<spherical_coordinates>{text}</spherical_coordinates>"


def parse(text: str, folder: Path = Path()) -> World:
    return parse_world(text.encode(), folder / "yard.sdf")


def test_shapes_places_and_friction_are_read() -> None:
    world = parse(WORLD)
    floor, post = world.solids
    assert (floor.kind, post.kind, post.size, post.name, post.friction) == (
        "plane",
        "cylinder",
        (0.2, 1.0),
        "post",
        0.4,
    )
    assert post.pose[:3, 3].tolist() == [5.0, 1.0, 0.5]
    assert world.place("start") == Place(1.0, 2.0, 0.5)
    assert world.height_at(5.1, 1.0) == pytest.approx(1.0) and world.height_at(0.0, 0.0) == 0.0


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ('<light name="sun" type="directional"/>', '<actor name="walker"/>', 2, "<actor> in <world>"),
        ('<light name="sun" type="directional"/>', '<plugin name="p" filename="f"/>', 2, "<plugin> in <world>"),
        ("<cylinder><radius>0.2</radius><length>1</length></cylinder>", "<capsule/>", 8, "<capsule> in <geometry>"),
        ("<radius>0.2</radius>", "<radius>0</radius>", 8, "must be above 0"),
        ("<radius>0.2</radius>", "", 8, "<cylinder> needs <radius>"),
        ("<pose>0 1 0 0 0 0</pose>", "<pose>0 1 0 0 0</pose>", 7, "takes 6 numbers"),
        ("<pose>0 1 0 0 0 0</pose>", '<pose relative_to="post">0 1 0 0 0 0</pose>', 7, "relative_to"),
        ('<model name="post"><static>true</static>', '<model name="post">', 6, "post is not static"),
        ('<frame name="start">', '<frame name="start" attached_to="post">', 3, "attached_to of <frame>"),
        ('<model name="post">', '<model name="post" placement_frame="foot">', 6, "placement_frame of <model>"),
        ("<mu>0.4</mu>", "<mu>0.4</mu><mu2>0.9</mu2>", 9, "<mu2> that is not <mu>"),
        ("<mu>0.4</mu>", "<mu>-0.4</mu>", 9, "must not be below 0"),
        ("<mu>0.4</mu>", "<mu>0.4</mu><slip1>0.2</slip1>", 9, "<slip1>0.2</slip1>"),
        ("<surface>", "<surface><bounce><restitution_coefficient>1</restitution_coefficient></bounce>", 9, "<restit"),
        ("<surface>", "<surface><contact><collide_bitmask>1</collide_bitmask></contact>", 9, "<collide_bitmask>1"),
        (
            '<light name="sun" type="directional"/>',
            sphere("<world_frame_orientation>NED</world_frame_orientation>"),
            2,
            "NED",
        ),
        ('<light name="sun" type="directional"/>', sphere("<surface_model>MOON_SCS</surface_model>"), 2, "MOON_SCS"),
        ('<light name="sun" type="directional"/>', sphere("<altitude>3</altitude>"), 2, "<altitude> in"),
        (
            "<pose>0 1 0 0 0 0</pose>",
            "<visual><material><diffuse>red</diffuse></material></visual>",
            7,
            "3 or 4 numbers",
        ),
    ],
)
def test_what_is_not_understood_is_refused_with_its_line(old: str, new: str, line: int, words: str) -> None:
    assert old in WORLD
    with pytest.raises(SimError, match=words) as caught:
        parse(WORLD.replace(old, new))
    assert caught.value.line == line and caught.value.file == "yard.sdf"


def test_what_says_only_what_is_so_anyway_is_read() -> None:
    usual = "<mu>0.4</mu><mu2>0.40</mu2><slip1>0.0</slip1><fdir1>0 0 0</fdir1>"
    world = parse(
        WORLD.replace("<mu>0.4</mu>", usual).replace('<frame name="start">', '<frame name="start" attached_to="world">')
    )
    assert world.solids[1].friction == 0.4 and world.place("start") == Place(1.0, 2.0, 0.5)
    turned = parse(WORLD.replace('<light name="sun" type="directional"/>', sphere("<heading_deg>90</heading_deg>")))
    assert turned.heading_deg == 90.0


def test_the_ground_leans_with_its_plane() -> None:
    world = parse(WORLD.replace("<normal>0 0 1</normal>", "<normal>-1 0 10</normal>"))
    assert world.ground_at(5.0, 0.0) == pytest.approx(0.5) and world.ground_at(-5.0, 3.0) == pytest.approx(-0.5)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("gone.obj", "there is no mesh"),
        ("dented.obj", "not convex"),
        ("x.dae", "not a usable mesh"),
        ("x.max", "cannot read .max"),
        ("flat.obj", "no triangle with an area"),
    ],
)
def test_meshes_that_cannot_be_used_are_told(tmp_path: Path, name: str, words: str) -> None:
    (tmp_path / "dented.obj").write_text(DENTED)
    (tmp_path / "x.dae").write_text("")
    (tmp_path / "x.max").write_text("")
    (tmp_path / "flat.obj").write_text("v 0 0 0\nv 1 0 0\nv 2 0 0\n" + "f 1 2 3\n" * 4)
    with pytest.raises(SimError, match=words) as caught:
        parse(WORLD.replace(CYLINDER, f"<mesh><uri>{name}</uri></mesh>"), tmp_path)
    assert caught.value.line == 8


def test_a_convex_mesh_and_a_missing_heightmap(tmp_path: Path) -> None:
    (tmp_path / "tip.obj").write_text(TETRAHEDRON)
    world = parse(WORLD.replace(CYLINDER, "<mesh><uri>tip.obj</uri><scale>2 2 2</scale></mesh>"), tmp_path)
    mesh = world.solids[1].mesh
    assert mesh is not None and mesh.vertices.max() == 2.0 and len(mesh.faces) == 4
    with pytest.raises(SimError, match="no heightmap image"):
        parse(WORLD.replace(CYLINDER, "<heightmap><uri>h.png</uri><size>1 1 1</size></heightmap>"), tmp_path)


@pytest.mark.parametrize("name", ["blocks", "maze", "slopes", "blocks:3", "slopes:3"])
def test_a_world_survives_being_written(tmp_path: Path, name: str) -> None:
    world = load_world(name)
    save_world(world, tmp_path / "again.sdf")
    again = read_world(tmp_path / "again.sdf")
    assert again.places == world.places
    for x, y in ((-20.0, 4.0), (2.0, 17.0), (0.3, 3.1), (15.0, -12.0)):
        assert again.height_at(x, y) == pytest.approx(world.height_at(x, y), abs=1e-3)
    assert [(one.name, one.kind, one.size) for one in again.solids] == [
        (one.name, one.kind, one.size) for one in world.solids
    ]


@pytest.mark.parametrize("is_saved", [True, False])
def test_meshes_and_terrains_survive_being_written_with_files_beside_and_without(
    tmp_path: Path, is_saved: bool
) -> None:
    (tmp_path / "tip.obj").write_text(TETRAHEDRON)
    world = parse(WORLD.replace(CYLINDER, "<mesh><uri>tip.obj</uri></mesh>"), tmp_path)
    world.terrains = load_world("slopes:3").terrains
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    if is_saved:
        save_world(world, elsewhere / "again.sdf")
        again = read_world(elsewhere / "again.sdf")
    else:
        again = parse_world(world_sdf(world), elsewhere / "sent.sdf")
    one, other = world.solids[1].mesh, again.solids[1].mesh
    assert one is not None and other is not None and np.array_equal(one.vertices, other.vertices)
    assert again.height_at(3.0, 4.0) == pytest.approx(world.height_at(3.0, 4.0), abs=1e-3)


def test_parts_of_one_name_are_written_into_files_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "tip.obj").write_text(TETRAHEDRON)
    world = parse(WORLD.replace(CYLINDER, "<mesh><uri>tip.obj</uri></mesh>"), tmp_path)
    tip = world.solids[1]
    assert tip.mesh is not None
    larger = replace(tip.mesh, vertices=tip.mesh.vertices * 3)
    world.solids.append(replace(tip, mesh=larger))
    files = save_world(world, tmp_path / "again.sdf")
    assert len(files) == len(set(files)) == 3
    sizes = [solid.mesh.vertices.max() for solid in read_world(files[0]).solids if solid.mesh is not None]
    assert sizes == [1.0, 3.0]


def test_a_file_in_the_text_that_is_none_is_told(tmp_path: Path) -> None:
    for text in ("!", "ü", "abc"):
        mesh = f"<mesh><uri>data:model/obj;base64,{text}</uri></mesh>"
        with pytest.raises(SimError, match="the uri of <mesh> is no base64"):
            parse(WORLD.replace(CYLINDER, mesh), tmp_path)


def damaged(whole: etree._Element, choose: random.Random) -> bytes:
    """One to three elements with another text, another attribute, another name, in another place, or gone."""
    root = copy.deepcopy(whole)
    for _ in range(choose.randint(1, 3)):
        every = [element for element in root.iter() if element.getparent() is not None]
        if not every:
            break
        one, other = choose.choice(every), choose.choice(every)
        text = one.text or ""
        at = choose.randrange(len(text) + 1)
        words = ("", "-1", "1e400", "1e200", "nan", "x", "0", other.text or "", text[:at] + text[at + 4 :], f"{text} 1")
        match choose.randrange(8):
            case 0:
                one.tag = other.tag
            case 1 if one is not other and one not in list(other.iterancestors()):
                other.append(one)
            case 2:
                one.getparent().remove(one)
            case 3:
                one.set(choose.choice(["name", "relative_to", "attached_to", "degrees"]), choose.choice(words))
            case _:
                one.text = choose.choice(words)
    return etree.tostring(root)


def test_whatever_is_damaged_in_a_world_is_told_as_an_error_of_ours(
    tmp_path: Path, scaled: Callable[[int], int]
) -> None:
    (tmp_path / "tip.obj").write_text(TETRAHEDRON)
    world = parse(WORLD.replace(CYLINDER, "<mesh><uri>tip.obj</uri></mesh>"), tmp_path)
    world.terrains = [replace(load_world("slopes:3").terrains[0], heights_m=np.eye(5))]
    whole, choose = etree.fromstring(world_sdf(world)), random.Random(8)
    count = scaled(100_000)
    refused = 0
    for _ in range(count):
        try:
            parse_world(damaged(whole, choose), tmp_path / "damaged.sdf")
        except StudioError:
            refused += 1
    assert refused > count / 4


def test_a_seed_makes_one_world_with_a_way_through() -> None:
    one, again, other = load_world("blocks:1"), load_world("blocks:1"), load_world("blocks:2")
    assert [solid.size for solid in one.solids] == [solid.size for solid in again.solids]
    assert [solid.size for solid in one.solids] != [solid.size for solid in other.solids]
    for world in (one, other, load_world("maze:5")):
        clearance = 0.3 if world.name.startswith("maze") else 1.2
        assert math.isfinite(FreeSpace.of(world, clearance).shortest_m(world.place("start"), world.place("goal")))


def test_slopes_are_as_steep_as_they_are_told_to_be() -> None:
    heights = slopes_world(2, steepest=0.2).terrains[0].heights_m
    assert np.hypot(*np.gradient(heights, 80.0 / 128)).max() == pytest.approx(0.2)


def test_a_goal_in_a_wall_is_refused_by_name() -> None:
    world = World(
        "yard", [ground(), block("shed", 3.0, 0.0, (2.0, 2.0, 2.0)), block("kerb", 0.0, 3.0, (2.0, 2.0, 0.1))]
    )
    with pytest.raises(SimError, match=r"the goal at \(3, 0\.5\) is inside shed"):
        refuse_blocked(world, "goal", Place(3.0, 0.5), 0.5)
    with pytest.raises(SimError, match=r"0\.50 m from shed, too close by 0\.30 m"):
        refuse_blocked(world, "goal", Place(1.5, 0.0), 0.8)
    refuse_blocked(world, "goal", Place(0.0, 3.0), 0.5)  # a wheel climbs a kerb of 10 cm


def test_an_unknown_world_names_those_there_are() -> None:
    with pytest.raises(SimError, match="there is no world block") as caught:
        load_world("block")
    assert "blocks" in caught.value.hint


def test_free_space_compares_a_solid_only_with_the_cells_near_it(monkeypatch: pytest.MonkeyPatch) -> None:
    choose = random.Random(4)

    def solid(number: int) -> Solid:
        kind, size = choose.choice([("box", (1.0, 3.0, 0.5)), ("cylinder", (0.5, 2.0)), ("sphere", (0.7,))])
        lean = [choose.uniform(-2.0, 2.0) if number % 2 else 0.0 for _ in range(3)]
        pose = pose_of(choose.uniform(-30, 30), choose.uniform(-30, 30), 0.4, *lean)
        return Solid(f"solid_{number}", cast(SolidKind, kind), size, pose)

    world = World("yard", [ground(), *map(solid, range(200))])
    cells = 0

    def counted(solid: Solid, x_m: NDArray[np.float64], y_m: NDArray[np.float64]) -> NDArray[np.float64]:
        nonlocal cells
        cells += x_m.size
        return distance_m(solid, x_m, y_m)

    monkeypatch.setattr(free_space, "distance_m", counted)
    made = FreeSpace.of(world, 0.6, 0.25)
    rows, columns = made.free.shape
    assert cells < 0.02 * made.free.size * len(world.solids)
    x, y = np.meshgrid(
        made.x0_m + (np.arange(columns) + 0.5) * made.cell_m, made.y0_m + (np.arange(rows) + 0.5) * made.cell_m
    )
    nearest = np.min([distance_m(each, x, y) for each in free_space.obstacles(world)], axis=0)
    assert np.array_equal(made.free, nearest >= 0.6)


def test_the_ground_is_looked_up_once_for_all_obstacles(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World("yard", [ground(), *(block(f"b{n}", n, 0.0, (0.5, 0.5, 0.5)) for n in range(50))])
    looks: list[World] = []

    def counted(self: World) -> Ground:
        looks.append(self)
        return Ground([ground()], [])

    monkeypatch.setattr(World, "ground", counted)
    distance, name = free_space.clearance_at(world, -2.0, 0.0)
    assert distance == pytest.approx(1.75) and name == "b0"
    assert len(looks) == 1
