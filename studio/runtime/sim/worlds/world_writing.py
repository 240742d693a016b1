"""Worlds as SDF files: written so that the simulator, and Gazebo, read them again."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
from lxml import etree
from PIL import Image

from studio.model.files import write_atomically
from studio.model.geometry.export_tree import numbers, xyz_rpy
from studio.model.geometry.rotations import Matrix
from studio.runtime.sim.worlds.meshes import obj_of
from studio.runtime.sim.worlds.world import FRICTION, Solid, Terrain, World, pose_of

UriOf = Callable[[str, str, bytes], str]
"""Of a part's name, the ending of its file and what is in that."""
MEDIA = {".png": "data:image/png;base64,", ".obj": "data:model/obj;base64,"}


def world_sdf(world: World) -> bytes:
    """The world as SDF that `read_world` reads again. Images of terrains, and meshes, stand in the text itself, which
    needs nothing beside it (but is not for Gazebo)."""
    return _sdf(world, lambda _, ending, data: MEDIA[ending] + base64.b64encode(data).decode())


def _sdf(world: World, uri_of: UriOf) -> bytes:
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
        _write_solid(made, solid, uri_of)
    for terrain in world.terrains:
        low, high = float(terrain.heights_m.min()), float(terrain.heights_m.max())
        link = _write_link(made, terrain.name, terrain.pose @ pose_of(0, 0, low), terrain.colour, terrain.friction)
        uri = uri_of(terrain.name, ".png", _image(terrain))
        for shape in link:
            heightmap = etree.SubElement(shape, "heightmap")
            _text(heightmap, "uri", uri)
            _text(heightmap, "size", numbers((*terrain.size_m, max(high - low, 1e-3))))
    etree.indent(root)
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + etree.tostring(root) + b"\n"


def save_world(world: World, path: Path) -> list[Path]:
    """Write the world, and beside it an image for each terrain and a file for each mesh. Returns the files."""
    made: dict[str, bytes] = {}

    def uri_of(name: str, ending: str, data: bytes) -> str:
        stem, number = f"{path.stem}_{name.replace('/', '_')}", 1
        file = stem + ending
        while file in made:  # several parts may have one name
            number += 1
            file = f"{stem}_{number}{ending}"
        made[file] = data
        return file

    sdf = _sdf(world, uri_of)
    for file, data in made.items():
        write_atomically(path.with_name(file), data)
    write_atomically(path, sdf)
    return [path, *map(path.with_name, made)]


def _image(terrain: Terrain) -> bytes:
    heights = terrain.heights_m - terrain.heights_m.min()
    pixels = np.round(heights / max(float(heights.max()), 1e-3) * 65535).astype(np.uint16)
    stream = io.BytesIO()
    Image.fromarray(pixels[::-1]).save(stream, "PNG")
    return stream.getvalue()


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


def _write_solid(world: etree._Element, solid: Solid, uri_of: UriOf) -> None:
    uri = uri_of(solid.name, ".obj", obj_of(solid.mesh)) if solid.mesh is not None else ""
    for geometry in _write_link(world, solid.name.replace("/", "_"), solid.pose, solid.colour, solid.friction):
        shape = etree.SubElement(geometry, solid.kind)
        if solid.kind == "plane":
            _text(shape, "normal", "0 0 1")
            _text(shape, "size", "200 200")
        elif solid.kind == "box":
            _text(shape, "size", numbers(solid.size))
        elif solid.mesh is not None:
            _text(shape, "uri", uri)
        else:
            _text(shape, "radius", repr(solid.size[0]))
            if solid.kind == "cylinder":
                _text(shape, "length", repr(solid.size[1]))
