"""Solids of meshes: mass and inertia as of the shapes that they show, and what can bump in their place."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import trimesh

from studio.errors import StudioError
from studio.model.geometry.body import Body
from studio.model.geometry.mesh_solids import CONVEX, collision_shapes, mass_from_mesh, mesh_inertia, mesh_of
from studio.model.geometry.poses import Pose
from studio.model.geometry.rotations import Rotation
from studio.model.geometry.shapes import Box, Cylinder, Mesh, Shape, Sphere

PLACED = Pose((1.0, 0.2, 0.3), Rotation("rpy", (0.0, 0.0, 90.0), "degrees"))


def body_with(folder: Path, made: trimesh.Trimesh, scale: float = 1.0, pose: Pose = PLACED) -> tuple[Body, Mesh]:
    (folder / "part.stl").write_bytes(made.export(file_type="stl"))
    shape = Mesh("hull", pose, file="part.stl", scale=(scale, scale, scale))
    return Body("B", shapes=[shape], file=str(folder / "b.xml")), shape


@pytest.mark.parametrize(
    ("made", "like"),
    [
        (trimesh.creation.box((0.4, 0.2, 0.1)), Box(pose=PLACED, size=(0.4, 0.2, 0.1))),
        (trimesh.creation.cylinder(0.1, 0.5, sections=256), Cylinder(pose=PLACED, radius=0.1, length=0.5)),
        (trimesh.creation.icosphere(4, 0.2), Sphere(pose=PLACED, radius=0.2)),
    ],
)
def test_mass_and_inertia_agree_with_the_shape(tmp_path: Path, made: trimesh.Trimesh, like: Shape) -> None:
    body, shape = body_with(tmp_path, made)
    mass, is_closed = mass_from_mesh(body, shape, 2700.0)
    expected = like.of_mass(2700.0 * (like.volume_m3 or 0.0))
    given = replace(body, masses=[mass]).inertia_of()
    assert is_closed and given is not None
    assert given.mass_kg == pytest.approx(expected.mass_kg, rel=0.01)
    assert np.allclose(given.centre, expected.centre, atol=1e-4)
    assert np.allclose(given.about_centre, expected.about_centre, rtol=0.02, atol=1e-6)


def test_a_mesh_in_millimetres_is_scaled(tmp_path: Path) -> None:
    body, shape = body_with(tmp_path, trimesh.creation.box((400, 200, 100)), 0.001)
    mass, _ = mass_from_mesh(body, shape, 1000.0)
    assert mass.mass_kg == pytest.approx(8.0)


def test_an_open_mesh_counts_as_its_hull_and_a_flat_one_is_refused(tmp_path: Path) -> None:
    made = trimesh.creation.box((1, 1, 1))
    body, shape = body_with(tmp_path, trimesh.Trimesh(made.vertices, made.faces[:-1]))
    mass, is_closed = mass_from_mesh(body, shape, 1.0)
    assert not is_closed and mass.mass_kg == pytest.approx(1.0)


@pytest.mark.parametrize(("kind", "like"), [("Box", Box), ("Cylinder", Cylinder), ("Sphere", Sphere)])
def test_simple_shapes_are_around_the_mesh(tmp_path: Path, kind: str, like: type[Shape]) -> None:
    body, shape = body_with(tmp_path, trimesh.creation.box((0.4, 0.2, 0.1)))
    (made,) = collision_shapes(kind, body, shape)
    assert isinstance(made, like) and made.use == "collision" and made.name == "hull_bumps"
    assert made.extent_m >= 0.4 and np.allclose(made.pose.xyz, PLACED.xyz, atol=1e-5)
    if isinstance(made, Box):
        assert sorted(made.size) == pytest.approx([0.1, 0.2, 0.4])


def test_hulls_are_written_beside_the_mesh(tmp_path: Path) -> None:
    ring = trimesh.creation.annulus(0.3, 0.5, 0.2)
    body, shape = body_with(tmp_path, ring, pose=Pose())
    (hull,) = collision_shapes("Convex hull", body, shape)
    assert isinstance(hull, Mesh) and hull.file == "part_hull.stl" and (tmp_path / hull.file).is_file()
    solid, _ = mesh_inertia(mesh_of(body, hull), 1.0)
    whole, _ = mesh_inertia(mesh_of(body, shape), 1.0)
    assert solid.mass_kg > 1.3 * whole.mass_kg


def test_convex_parts_fill_a_ring_better_than_one_hull(tmp_path: Path) -> None:
    pytest.importorskip("vhacdx")
    body, shape = body_with(tmp_path, trimesh.creation.annulus(0.3, 0.5, 0.2), pose=Pose())
    parts = collision_shapes("Convex parts", body, shape)
    volume = sum(mesh_inertia(mesh_of(body, each), 1.0)[0].mass_kg for each in parts if isinstance(each, Mesh))
    assert 1 < len(parts) <= 16 and volume < 1.3 * mesh_inertia(mesh_of(body, shape), 1.0)[0].mass_kg


def test_a_missing_or_broken_mesh_is_said_with_its_file(tmp_path: Path) -> None:
    body, shape = body_with(tmp_path, trimesh.creation.box((1, 1, 1)))
    (tmp_path / "part.stl").write_bytes(b"no mesh")
    for kind in ("Box", *CONVEX):
        with pytest.raises(StudioError, match=r"part\.stl"):
            collision_shapes(kind, body, shape)
    (tmp_path / "part.stl").unlink()
    with pytest.raises(StudioError, match="there is no mesh"):
        mass_from_mesh(body, shape, 1.0)
