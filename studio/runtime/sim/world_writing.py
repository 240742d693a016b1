"""Worlds as SDF files: written so that the simulator, and Gazebo, read them again."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from lxml import etree
from PIL import Image

from studio.model.files import write_atomically
from studio.model.geometry.export_tree import numbers, xyz_rpy
from studio.model.geometry.rotations import Matrix
from studio.runtime.sim.meshes import obj_of
from studio.runtime.sim.world import FRICTION, Solid, Terrain, World, pose_of

MEDIA = {".png": "data:image/png;base64,", ".obj": "data:model/obj;base64,"}


def world_sdf(world: World, file_of: Mapping[str, str] | None = None) -> bytes:
    """The world as SDF that `read_world` reads again. Images of terrains, and meshes, are named by `file_of`; those
    that are not stand in the text itself, which then needs nothing beside it (but is not for Gazebo)."""
    root = etree.Element("sdf", version="1.7")
    made = etree.SubElement(root, "world", name=world.name)
    _text(made, "gravity", numbers(world.gravity_m_s2))
    place = etree.SubElement(made, "spherical_coordinates")
    _text(place, "surface_model", "EARTH_WGS84")
    for tag, value in (
        ("latitude_deg", world.latitude_deg),
        ("longitude_deg", world.longitude_deg),
        ("elevation", world.elevation_m),
        ("heading_deg", world.heading_deg),
    ):
        _text(place, tag, repr(value))
    for name, at in world.places.items():
        _text(etree.SubElement(made, "frame", name=name), "pose", numbers((at.x_m, at.y_m, 0, 0, 0, at.heading_rad)))
    for solid in world.solids:
        _write_solid(made, solid, file_of or {})
    for terrain in world.terrains:
        low, high = float(terrain.heights_m.min()), float(terrain.heights_m.max())
        link = _write_link(made, terrain.name, terrain.pose @ pose_of(0, 0, low), terrain.colour, terrain.friction)
        for shape in link:
            heightmap = etree.SubElement(shape, "heightmap")
            _text(heightmap, "uri", (file_of or {}).get(terrain.name) or _in_place(".png", _image(terrain)))
            _text(heightmap, "size", numbers((*terrain.size_m, max(high - low, 1e-3))))
    etree.indent(root)
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + etree.tostring(root) + b"\n"


def save_world(world: World, path: Path) -> list[Path]:
    """Write the world, and beside it an image for each terrain and a file for each mesh. Returns the files."""
    made = {terrain.name: (".png", _image(terrain)) for terrain in world.terrains}
    made |= {solid.name: (".obj", obj_of(solid.mesh)) for solid in world.solids if solid.mesh is not None}
    names = {name: f"{path.stem}_{name.replace('/', '_')}{ending}" for name, (ending, _) in made.items()}
    for name, (_, data) in made.items():
        write_atomically(path.with_name(names[name]), data)
    write_atomically(path, world_sdf(world, names))
    return [path, *(path.with_name(name) for name in names.values())]


def _image(terrain: Terrain) -> bytes:
    heights = terrain.heights_m - terrain.heights_m.min()
    pixels = np.round(heights / max(float(heights.max()), 1e-3) * 65535).astype(np.uint16)
    stream = io.BytesIO()
    Image.fromarray(pixels[::-1]).save(stream, "PNG")
    return stream.getvalue()


def _in_place(ending: str, data: bytes) -> str:
    return MEDIA[ending] + base64.b64encode(data).decode()


def _text(parent: etree._Element, tag: str, text: str) -> None:
    etree.SubElement(parent, tag).text = text


def _write_link(
    world: etree._Element, name: str, pose: Matrix, colour: tuple[float, ...], friction: float
) -> list[etree._Element]:
    """The two empty geometries of a new static model."""
    model = etree.SubElement(world, "model", name=name)
    _text(model, "static", "true")
    _text(model, "pose", " ".join(xyz_rpy(pose)))
    link = etree.SubElement(model, "link", name="link")
    collision = etree.SubElement(link, "collision", name="collision")
    found = [etree.SubElement(collision, "geometry")]
    if friction != FRICTION:
        ode = etree.SubElement(etree.SubElement(etree.SubElement(collision, "surface"), "friction"), "ode")
        _text(ode, "mu", repr(friction))
    visual = etree.SubElement(link, "visual", name="visual")
    found.append(etree.SubElement(visual, "geometry"))
    material = etree.SubElement(visual, "material")
    for tag in ("ambient", "diffuse"):
        _text(material, tag, numbers(colour))
    return found


def _write_solid(world: etree._Element, solid: Solid, file_of: Mapping[str, str]) -> None:
    for geometry in _write_link(world, solid.name.replace("/", "_"), solid.pose, solid.colour, solid.friction):
        shape = etree.SubElement(geometry, solid.kind)
        if solid.kind == "plane":
            _text(shape, "normal", "0 0 1")
            _text(shape, "size", "200 200")
        elif solid.kind == "box":
            _text(shape, "size", numbers(solid.size))
        elif solid.mesh is not None:
            _text(shape, "uri", file_of.get(solid.name) or _in_place(".obj", obj_of(solid.mesh)))
        else:
            _text(shape, "radius", repr(solid.size[0]))
            if solid.kind == "cylinder":
                _text(shape, "length", repr(solid.size[1]))
