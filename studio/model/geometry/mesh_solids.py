"""What a mesh is as a solid: mass and inertia, and the simple shapes that can bump in its place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from studio.model.changes import ModelError
from studio.model.files import write_atomically
from studio.model.geometry.body import Body, GivenMass
from studio.model.geometry.inertia import Inertia, impossible
from studio.model.geometry.mesh_files import MeshData, read_mesh_file
from studio.model.geometry.poses import Pose
from studio.model.geometry.rotations import Matrix
from studio.model.geometry.shapes import Box, Cylinder, Mesh, Shape, Sphere
from studio.model.geometry.tidy_poses import tidy

LEAST_M = 1e-4
"""A flat mesh gets a box that can be stood on."""
MOST_HULLS = 16


def mesh_of(body: Body, shape: Mesh) -> MeshData:
    """In the axes of the shape, with its scale."""
    line = shape.origin.line if shape.origin else None
    return read_mesh_file(mesh_file(body, shape), by=body.file, line=line).scaled(shape.scale)


def mesh_file(body: Body, shape: Mesh) -> Path:
    """Relative to the body file."""
    folder = Path(body.file).parent if body.file else Path()
    return folder / shape.file.removeprefix("file://")


# ---- mass


def mesh_inertia(mesh: MeshData, density_kg_m3: float) -> tuple[Inertia, bool]:
    """Of even density, and whether the mesh is closed; one that is not counts as its convex hull."""
    made = _trimesh(mesh)
    is_closed = bool(made.is_watertight and made.volume > 0)
    solid = made if is_closed else made.convex_hull
    solid.density = density_kg_m3
    inertia = Inertia(float(solid.mass), np.asarray(solid.center_mass), np.asarray(solid.moment_inertia))
    for reason in impossible(inertia):
        raise ModelError(f"the mesh encloses no solid: {reason}", hint="give the mass by hand")
    return inertia, is_closed


def mass_from_mesh(body: Body, shape: Mesh, density_kg_m3: float) -> tuple[GivenMass, bool]:
    """For the part that the shape is on, in the place of what it has."""
    inertia, is_closed = mesh_inertia(mesh_of(body, shape), density_kg_m3)
    return as_mass(inertia.moved(shape.pose.matrix), shape.on, body), is_closed


def as_mass(inertia: Inertia, on: str, body: Body) -> GivenMass:
    """As it is written in a file, with as many digits as a scale has."""
    old = next((mass for mass in body.masses if mass.on == on), None)
    x, y, z = (round(float(value), 6) + 0.0 for value in inertia.centre)
    m = inertia.about_centre
    moments = tuple(float(f"{value:.9g}") + 0.0 for value in (m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2]))
    kg = float(f"{inertia.mass_kg:.6g}")
    made = GivenMass(kg, Pose((x, y, z)), moments, on, has_centre=True)  # type: ignore[arg-type]
    return made if old is None else replace(made, origin=old.origin)


# ---- shapes that bump


def bounding_box(mesh: MeshData, like: Shape) -> Box:
    """The smallest one, turned as it has to be; along the axes where that is as small."""
    low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
    straight = np.maximum(high - low, LEAST_M)
    to_origin, extents = _bounds().oriented_bounds(_trimesh(mesh))
    if float(np.prod(extents)) > 0.95 * float(np.prod(straight)):
        centre = np.eye(4)
        centre[:3, 3] = (low + high) / 2
        return Box(**_common(like, centre), size=_three(straight))
    return Box(**_common(like, np.linalg.inv(to_origin)), size=_three(np.maximum(extents, LEAST_M)))


def bounding_cylinder(mesh: MeshData, like: Shape) -> Cylinder:
    found = _bounds().minimum_cylinder(_trimesh(mesh))
    radius, length = max(float(found["radius"]), LEAST_M), max(float(found["height"]), LEAST_M)
    return Cylinder(**_common(like, np.asarray(found["transform"])), radius=_round(radius), length=_round(length))


def bounding_sphere(mesh: MeshData, like: Shape) -> Sphere:
    import trimesh.nsphere as nsphere

    around: Any = nsphere.minimum_nsphere
    centre, radius = around(_trimesh(mesh))
    pose = np.eye(4)
    pose[:3, 3] = centre
    return Sphere(**_common(like, pose), radius=_round(max(float(radius), LEAST_M)))


def convex_hull(mesh: MeshData, like: Mesh, body: Body) -> list[Shape]:
    """Written as an STL beside the mesh."""
    return [_written(_trimesh(mesh).convex_hull, body, like, "hull")]


def convex_parts(mesh: MeshData, like: Mesh, body: Body) -> list[Shape]:
    """Several convex meshes that fill it better than one hull; each is written beside the mesh."""
    import trimesh
    from trimesh.decomposition import convex_decomposition

    try:
        parts = convex_decomposition(_trimesh(mesh), maxConvexHulls=MOST_HULLS)
    except ImportError as error:
        raise ModelError("convex decomposition needs vhacdx", hint="pip install vhacdx, or take the hull") from error
    hulls = [trimesh.Trimesh(**part, process=False) for part in parts]
    return [_written(hull, body, like, f"part{number + 1}") for number, hull in enumerate(hulls)]


SIMPLE: dict[str, Callable[[MeshData, Shape], Shape]] = {
    "Box": bounding_box,
    "Cylinder": bounding_cylinder,
    "Sphere": bounding_sphere,
}
CONVEX: dict[str, Callable[[MeshData, Mesh, Body], list[Shape]]] = {
    "Convex hull": convex_hull,
    "Convex parts": convex_parts,
}


def collision_shapes(kind: str, body: Body, shape: Mesh) -> list[Shape]:
    """`kind`: of SIMPLE or CONVEX."""
    mesh = mesh_of(body, shape)
    if kind in SIMPLE:
        return [SIMPLE[kind](mesh, shape)]
    return CONVEX[kind](mesh, shape, body)


def _written(hull: Any, body: Body, like: Mesh, word: str) -> Mesh:
    source = mesh_file(body, like)
    path = source.with_name(f"{source.stem}_{word}.stl")
    write_atomically(path, hull.export(file_type="stl"))
    file = str(Path(like.file).with_name(path.name))
    return Mesh(**_common(like, np.eye(4), word), file=file)


def _common(like: Shape, pose: Matrix, word: str = "bumps") -> dict[str, Any]:
    """Name, part and pose of a shape in the place of `like`."""
    inner = like.pose.matrix @ pose
    placed = like.pose if np.allclose(pose, np.eye(4), atol=1e-9) else tidy(_rounded(inner))
    name = f"{like.name}_{word}" if like.name else ""
    return {"name": name, "pose": placed, "on": like.on, "use": "collision"}


def _rounded(pose: Matrix) -> Matrix:
    made = np.array(pose, dtype=np.float64)
    made[:3, 3] = np.round(made[:3, 3], 6)
    return made


def _three(values: Any) -> tuple[float, float, float]:
    x, y, z = (_round(float(value)) for value in values)
    return x, y, z


def _round(value: float) -> float:
    return round(value, 6)


def _bounds() -> Any:
    import trimesh.bounds

    return trimesh.bounds


def _trimesh(mesh: MeshData) -> Any:
    """With vertices in the same place joined, as STL has each of them several times."""
    import trimesh

    return trimesh.Trimesh(mesh.vertices, mesh.faces, process=True)
