"""What ships is built as things are built: every shape of a vehicle touches another, and all hang together."""

from __future__ import annotations

import numpy as np
import pytest

from studio.model.geometry.assembly import Model
from studio.model.geometry.library import load_model
from studio.model.geometry.linkage import Part, link
from studio.model.geometry.outline import _around
from studio.model.geometry.shapes import Box, Cylinder, Sphere

GAP_M = 0.06
"""Brackets and mounts are not drawn."""


def boxes_of(model: Model, root: str) -> dict[str, np.ndarray]:
    """Name of each shape -> the corners of the box around it, with every joint at home."""
    linkage = link(model, root)
    poses = linkage.home_poses()
    return {
        f"{name}.{shape.name}": np.stack(_around(shape, poses[Part(name, shape.on)]))
        for name, body in model.bodies.items()
        for shape in body.shapes
        if isinstance(shape, Box | Cylinder | Sphere)
    }


@pytest.mark.parametrize(("name", "root"), [("raptor", "Raptor"), ("pioneer_2dx", ""), ("pioneer_3at", "")])
def test_no_part_of_a_vehicle_floats(name: str, root: str) -> None:
    model = load_model(name)
    boxes = boxes_of(model, root or next(iter(model.bodies)))
    reached, waiting = set(), [next(iter(boxes))]
    while waiting:
        low, high = boxes[here := waiting.pop()]
        reached.add(here)
        waiting += [
            other
            for other, (least, most) in boxes.items()
            if other not in reached and (least <= high + GAP_M).all() and (low <= most + GAP_M).all()
        ]
    assert not boxes.keys() - reached, "these hang in the air"
