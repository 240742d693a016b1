"""Worlds in SDF: the part of it that stands still. What is not known here is refused by name, never skipped quietly.

A file that loads but lacks a wall is worse than one that does not load: a robot would learn to drive through it.
"""

from __future__ import annotations

import io
import math
from pathlib import Path
from typing import cast

import numpy as np
from lxml import etree
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from studio.model.close_matches import did_you_mean
from studio.model.files import read_bytes, write_atomically
from studio.model.geometry.export_tree import numbers, xyz_rpy
from studio.model.geometry.rotations import Matrix
from studio.model.xml_file import line_of, parse_hardened
from studio.runtime.sim.errors import SimError
from studio.runtime.sim.meshes import read_mesh
from studio.runtime.sim.world import FRICTION, GRASS, GREY, Place, Solid, SolidKind, Terrain, World, pose_of

CHILDREN = {
    "sdf": {"world"},
    "world": {"model", "frame", "gravity", "spherical_coordinates"},
    "model": {"static", "pose", "link"},
    "link": {"pose", "collision", "visual"},
    "collision": {"pose", "geometry", "surface"},
    "geometry": {"plane", "box", "cylinder", "sphere", "mesh", "heightmap"},
    "plane": {"normal"},
    "box": {"size"},
    "cylinder": {"radius", "length"},
    "sphere": {"radius"},
    "mesh": {"uri", "scale"},
    "heightmap": {"uri", "size", "pos"},
    "surface": {"friction"},
    "friction": {"ode"},
    "ode": {"mu"},
    "frame": {"pose"},
    "spherical_coordinates": {"latitude_deg", "longitude_deg", "elevation"},
}
"""What the simulator knows, by the element around it."""
NO_MATTER = {
    "world": {"light", "scene", "gui", "physics", "atmosphere", "magnetic_field"},
    "model": {"self_collide", "allow_auto_disable", "enable_wind"},
    "link": {"inertial", "gravity", "self_collide", "kinematic", "enable_wind"},
    "collision": {"max_contacts", "laser_retro"},
    "plane": {"size"},
    "box": set(),
    "surface": {"bounce", "contact"},
    "ode": {"mu2", "slip1", "slip2", "fdir1"},
    "heightmap": {"texture", "blend", "use_terrain_paging", "sampling"},
    "spherical_coordinates": {"surface_model", "world_frame_orientation", "heading_deg"},
}
"""What may stand in a file without a meaning here: looks, and the physics of things that move."""
MOST_PIXELS = 2049


def read_world(path: Path) -> World:
    return parse_world(read_bytes(path), path)


def parse_world(data: bytes, path: Path) -> World:
    return _Reader(path).world(parse_hardened(data, path))


class _Reader:
    def __init__(self, path: Path) -> None:
        self.path = path

    def world(self, root: etree._Element) -> World:
        if root.tag != "sdf":
            raise self.error(root, f"a world starts with <sdf>, not <{root.tag}>", 'e.g. <sdf version="1.7">')
        self.known(root)
        found = root.findall("world")
        if len(found) != 1:
            raise self.error(root, f"{len(found)} worlds in one file", "one <world> in each file")
        made = World(found[0].get("name", self.path.stem), file=str(self.path))
        for element in self.known(found[0]):
            if element.tag == "model":
                self.model(made, element)
            elif element.tag == "frame":
                x, y, _, _, _, yaw = self.six(element.find("pose"))
                made.places[element.get("name", "")] = Place(x, y, yaw)
            elif element.tag == "gravity":
                x, y, z = self.floats(element, 3)
                made.gravity_m_s2 = (x, y, z)
            elif element.tag == "spherical_coordinates":
                made.latitude_deg = self.number(element, "latitude_deg", made.latitude_deg)
                made.longitude_deg = self.number(element, "longitude_deg", made.longitude_deg)
                made.elevation_m = self.number(element, "elevation", made.elevation_m)
        return made

    def model(self, world: World, element: etree._Element) -> None:
        name = element.get("name", "")
        self.known(element)
        static = element.find("static")
        if static is None or (static.text or "").strip() not in ("true", "1"):
            message = f"the model {name} is not static: only vehicles move here"
            raise self.error(element, message, "add <static>true</static>")
        base = self.pose(element)
        is_alone = len(element.findall("link/collision")) == 1
        for link in element.findall("link"):
            self.known(link)
            at = base @ self.pose(link)
            colour = self.colour(link)
            for collision in link.findall("collision"):
                self.known(collision)
                label = name if is_alone else f"{name}/{collision.get('name', '')}"
                self.collision(world, collision, label, at @ self.pose(collision), colour)

    def collision(
        self,
        world: World,
        element: etree._Element,
        name: str,
        at: Matrix,
        colour: tuple[float, float, float, float] | None,
    ) -> None:
        geometry = element.find("geometry")
        shapes = self.known(geometry) if geometry is not None else []
        if len(shapes) != 1:
            raise self.error(element, f"{name} has {len(shapes)} shapes", "one shape in each <geometry>")
        shape = shapes[0]
        self.known(shape)
        friction = self.friction(element)
        if shape.tag == "heightmap":
            world.terrains.append(self.heightmap(shape, name, at, friction, colour or GRASS))
            return
        size: tuple[float, ...] = ()
        mesh = None
        if shape.tag == "box":
            size = self.positive(shape, "size", 3)
        elif shape.tag == "cylinder":
            size = (*self.positive(shape, "radius", 1), *self.positive(shape, "length", 1))
        elif shape.tag == "sphere":
            size = self.positive(shape, "radius", 1)
        elif shape.tag == "mesh":
            scale = self.positive(shape, "scale", 3) if shape.find("scale") is not None else (1.0, 1.0, 1.0)
            mesh = read_mesh(self.beside(shape), scale, by=str(self.path), line=line_of(shape))
        else:
            at = at @ self.turned(shape)
        kind = cast(SolidKind, shape.tag)
        tint = colour or (GRASS if kind == "plane" else GREY)
        world.solids.append(Solid(name, kind, size, at, friction, tint, mesh, str(self.path), line_of(element)))

    def turned(self, plane: etree._Element) -> Matrix:
        """A plane is at z = 0 of its pose; its normal may lean."""
        normal = plane.find("normal")
        if normal is None:
            return np.eye(4)
        x, y, z = self.floats(normal, 3)
        length = math.hypot(x, y, z)
        if z <= 0 or length < 1e-9:
            raise self.error(normal, "the normal of a plane points up", "e.g. <normal>0 0 1</normal>")
        return pose_of(0, 0, 0, -math.asin(y / length), math.atan2(x, z), 0)

    def heightmap(
        self,
        shape: etree._Element,
        name: str,
        at: Matrix,
        friction: float,
        colour: tuple[float, float, float, float],
    ) -> Terrain:
        if not np.allclose(at[:3, :3], np.eye(3)):
            raise self.error(shape, f"the heightmap {name} is turned", "heightmaps lie along the axes of the world")
        x_m, y_m, z_m = self.positive(shape, "size", 3)
        position = shape.find("pos")
        moved = at @ pose_of(*self.floats(position, 3)) if position is not None else at
        path = self.beside(shape)
        if not path.is_file():
            raise self.error(shape, f"there is no heightmap image {path}", "the path is relative to this file")
        return Terrain(name, (x_m, y_m), self.image(path, shape) * z_m, moved, friction, colour)

    def image(self, path: Path, shape: etree._Element) -> NDArray[np.float64]:
        """Heights from 0 to 1, first row at least y: an image has its first row at the top."""
        try:
            with Image.open(path) as image:
                pixels = np.array(image if image.mode.startswith("I") else image.convert("L"))
        except (UnidentifiedImageError, OSError, ValueError) as error:
            raise self.error(shape, f"{path.name} is no image: {error}", "a PNG with one grey channel") from None
        if pixels.ndim != 2 or not all(2 <= side <= MOST_PIXELS for side in pixels.shape):
            raise self.error(shape, f"{path.name} has the shape {pixels.shape}", f"2 to {MOST_PIXELS} pixels a side")
        white = 65535.0 if pixels.dtype != np.uint8 else 255.0
        return np.ascontiguousarray(pixels[::-1].astype(np.float64) / white)

    # ---- values

    def known(self, element: etree._Element) -> list[etree._Element]:
        """Its children that have a meaning; SimError for the first that is not known at all."""
        kind = str(element.tag)
        has_meaning, no_matter = CHILDREN.get(kind, set()), NO_MATTER.get(kind, set())
        kept = []
        for child in element:
            tag = str(child.tag)
            if tag in has_meaning:
                kept.append(child)
            elif tag not in no_matter:
                hint = did_you_mean(tag, sorted(has_meaning))
                raise self.error(child, f"<{tag}> in <{kind}> is not supported by the embedded simulator", hint)
        return kept

    def pose(self, element: etree._Element) -> Matrix:
        x, y, z, roll, pitch, yaw = self.six(element.find("pose"))
        return pose_of(x, y, z, roll, pitch, yaw)

    def six(self, pose: etree._Element | None) -> tuple[float, ...]:
        if pose is None:
            return (0.0,) * 6
        if pose.get("relative_to"):
            raise self.error(pose, "a pose relative_to another is not supported", "write it from the element around it")
        values = self.floats(pose, 6)
        if pose.get("degrees") == "true":
            values = (*values[:3], *(math.radians(value) for value in values[3:]))
        return values

    def floats(self, element: etree._Element, count: int) -> tuple[float, ...]:
        try:
            values = tuple(float(word) for word in (element.text or "").split())
        except ValueError:
            values = ()
        if len(values) != count or not all(map(math.isfinite, values)):
            raise self.error(element, f"<{element.tag}> takes {count} numbers, not {(element.text or '').strip()!r}")
        return values

    def positive(self, parent: etree._Element, tag: str, count: int) -> tuple[float, ...]:
        element = parent.find(tag)
        if element is None:
            raise self.error(parent, f"<{parent.tag}> needs <{tag}>", f"e.g. <{tag}>{' '.join(['1'] * count)}</{tag}>")
        values = self.floats(element, count)
        if min(values) <= 0:
            raise self.error(element, f"<{tag}> must be above 0")
        return values

    def number(self, parent: etree._Element, tag: str, default: float) -> float:
        element = parent.find(tag)
        return default if element is None else self.floats(element, 1)[0]

    def friction(self, collision: etree._Element) -> float:
        for path in ("surface", "surface/friction", "surface/friction/ode"):
            found = collision.find(path)
            if found is not None:
                self.known(found)
        mu = collision.find("surface/friction/ode/mu")
        return FRICTION if mu is None else max(0.0, self.floats(mu, 1)[0])

    def colour(self, link: etree._Element) -> tuple[float, float, float, float] | None:
        diffuse = link.find("visual/material/diffuse")
        if diffuse is None:
            return None
        red, green, blue, *rest = (*(float(word) for word in (diffuse.text or "").split()), 0.5, 0.5, 0.5)[:4]
        return red, green, blue, rest[0] if rest else 1.0

    def beside(self, shape: etree._Element) -> Path:
        uri = shape.find("uri")
        text = ((uri.text or "") if uri is not None else "").strip()
        if not text or "://" in text.replace("file://", ""):
            raise self.error(shape, f"<{shape.tag}> needs the path of a file, not {text!r}", "relative to this file")
        return self.path.parent / text.removeprefix("file://")

    def error(self, element: etree._Element, message: str, hint: str = "") -> SimError:
        return SimError(message, file=self.path, line=line_of(element), hint=hint)


# ---- writing


def world_sdf(world: World, image_of: dict[str, str] | None = None) -> bytes:
    """The world as SDF that `read_world`, and Gazebo, read again. Images of terrains are named by `image_of`."""
    root = etree.Element("sdf", version="1.7")
    made = etree.SubElement(root, "world", name=world.name)
    _text(made, "gravity", numbers(world.gravity_m_s2))
    place = etree.SubElement(made, "spherical_coordinates")
    _text(place, "surface_model", "EARTH_WGS84")
    for tag, value in (
        ("latitude_deg", world.latitude_deg),
        ("longitude_deg", world.longitude_deg),
        ("elevation", world.elevation_m),
        ("heading_deg", 0.0),
    ):
        _text(place, tag, repr(value))
    for name, at in world.places.items():
        _text(etree.SubElement(made, "frame", name=name), "pose", numbers((at.x_m, at.y_m, 0, 0, 0, at.heading_rad)))
    for solid in world.solids:
        if solid.kind == "mesh":
            raise SimError(f"{solid.name} is a mesh, which is not written", hint="keep the file that names it")
        _write_solid(made, solid)
    for terrain in world.terrains:
        low, high = float(terrain.heights_m.min()), float(terrain.heights_m.max())
        link = _write_link(made, terrain.name, terrain.pose @ pose_of(0, 0, low), terrain.colour, terrain.friction)
        for shape in link:
            heightmap = etree.SubElement(shape, "heightmap")
            _text(heightmap, "uri", (image_of or {}).get(terrain.name, f"{terrain.name}.png"))
            _text(heightmap, "size", numbers((*terrain.size_m, max(high - low, 1e-3))))
    etree.indent(root)
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + etree.tostring(root) + b"\n"


def save_world(world: World, path: Path) -> list[Path]:
    """Write the world, and an image beside it for each terrain. Returns the files."""
    images = {terrain.name: f"{path.stem}_{terrain.name}.png" for terrain in world.terrains}
    for terrain in world.terrains:
        heights = terrain.heights_m - terrain.heights_m.min()
        pixels = np.round(heights / max(float(heights.max()), 1e-3) * 65535).astype(np.uint16)
        stream = io.BytesIO()
        Image.fromarray(pixels[::-1]).save(stream, "PNG")
        write_atomically(path.with_name(images[terrain.name]), stream.getvalue())
    write_atomically(path, world_sdf(world, images))
    return [path, *(path.with_name(name) for name in images.values())]


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


def _write_solid(world: etree._Element, solid: Solid) -> None:
    for geometry in _write_link(world, solid.name.replace("/", "_"), solid.pose, solid.colour, solid.friction):
        shape = etree.SubElement(geometry, solid.kind)
        if solid.kind == "plane":
            _text(shape, "normal", "0 0 1")
            _text(shape, "size", "200 200")
        elif solid.kind == "box":
            _text(shape, "size", numbers(solid.size))
        else:
            _text(shape, "radius", repr(solid.size[0]))
            if solid.kind == "cylinder":
                _text(shape, "length", repr(solid.size[1]))
