"""All shapes of a model as those of one body: for what is shown as a whole and not taken apart."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from studio.model.geometry.assembly import Model
from studio.model.geometry.body import Body
from studio.model.geometry.linkage import Part, link, root_places
from studio.model.geometry.poses import Pose
from studio.model.geometry.rotations import Matrix
from studio.model.geometry.shapes import Mesh


def one_body(model: Model, name: str, at: Matrix | None = None) -> Body:
    """In the axes of the model, or with the model at a pose; every joint is at home."""
    linkage = link(model)
    places, poses = root_places(model, linkage), linkage.home_poses()
    shapes = []
    for body_name, body in model.bodies.items():
        folder = Path(body.file).resolve().parent if body.file else Path()
        for shape in body.shapes:
            part = Part(body_name, shape.on)
            root = places.get(linkage.roots[part])
            pose = poses[part] @ shape.pose.matrix
            pose = pose if root is None else root @ pose
            placed = replace(shape, pose=Pose.from_matrix(pose if at is None else at @ pose), on="")
            shapes.append(replace(placed, file=str(folder / placed.file)) if isinstance(placed, Mesh) else placed)
    return Body(name, shapes=shapes)
