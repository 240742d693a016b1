"""Worlds in SDF: the part of it that stands still. What is not known here is refused by name, never skipped quietly.

A file that loads but lacks a wall is worse than one that does not load: a robot would learn to drive through it.
"""

from __future__ import annotations

import base64
import math
from pathlib import Path
from typing import cast

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from studio.errors import StudioError
from studio.model.close_matches import did_you_mean
from studio.model.files import read_bytes
from studio.model.geometry.heightmaps import heights_of
from studio.model.geometry.rotations import Matrix
from studio.model.xml_file import line_of, parse_hardened
from studio.model.xml_parse import as_simulators_read
from studio.runtime.sim.worlds.errors import SimError
from studio.runtime.sim.worlds.meshes import mesh_of, read_mesh
from studio.runtime.sim.worlds.world import (
    FRICTION,
    GRASS,
    GREY,
    Place,
    Solid,
    SolidKind,
    Terrain,
    Triangles,
    World,
    pose_of,
)

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
    "ode": {"mu", "mu2"},
    "frame": {"pose"},
    "spherical_coordinates": {"latitude_deg", "longitude_deg", "elevation", "heading_deg"},
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
    "ode": {"slip1", "slip2", "fdir1"},
    "heightmap": {"texture", "blend", "use_terrain_paging", "sampling"},
    "spherical_coordinates": {"surface_model", "world_frame_orientation"},
}
"""What may stand in a file without a meaning here: looks, the physics of things that move, and what ONLY allows. The
size of a plane is one of looks: SDF has every plane that can be bumped into without an end."""
ONLY = {
    "slip1": ("0",),
    "slip2": ("0",),
    "restitution_coefficient": ("0",),
    "collide_without_contact": ("false", "0"),
    "collide_bitmask": ("65535", "0xffff"),
    "surface_model": ("EARTH_WGS84",),
    "world_frame_orientation": ("ENU",),
}
"""What would matter, and may therefore only say what is so here anyway."""
FROM_ELSEWHERE = {"frame": "attached_to", "model": "placement_frame", "pose": "relative_to"}
"""Attributes by which a pose counts from somewhere else than the element around it."""
IN_PLACE = "data:"
"""A file may stand in its uri: `data:image/png;base64,...`. So a world that is sent needs nothing beside it."""


def read_world(path: Path) -> World:
    return parse_world(read_bytes(path), path)


def parse_world(data: bytes, path: Path) -> World:
    return _Reader(path).world(parse_hardened(as_simulators_read(data), path))


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
                self.known(element)
                x, y, _, _, _, yaw = self.six(element.find("pose"))
                made.places[element.get("name", "")] = Place(x, y, yaw)
            elif element.tag == "gravity":
                x, y, z = self.floats(element, 3)
                made.gravity_m_s2 = (x, y, z)
            elif element.tag == "spherical_coordinates":
                self.known(element)
                made.latitude_deg = self.number(element, "latitude_deg", made.latitude_deg)
                made.longitude_deg = self.number(element, "longitude_deg", made.longitude_deg)
                made.elevation_m = self.number(element, "elevation", made.elevation_m)
                made.heading_deg = self.number(element, "heading_deg", made.heading_deg)
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
            mesh = self.mesh(shape, scale)
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
        return Terrain(name, (x_m, y_m), self.image(shape) * z_m, moved, friction, colour)

    def image(self, shape: etree._Element) -> NDArray[np.float64]:
        """Heights from 0 to 1, first row at least y: an image has its first row at the top."""
        data, name = self.in_place(shape), "the image"
        if data is None:
            path = self.beside(shape)
            if not path.is_file():
                raise self.error(shape, f"there is no heightmap image {path}", "the path is relative to this file")
            data, name = read_bytes(path), path.name
        try:
            return heights_of(data, name)
        except StudioError as error:
            raise self.error(shape, error.message, error.hint) from None

    def mesh(self, shape: etree._Element, scale: tuple[float, ...]) -> Triangles:
        data, by, line = self.in_place(shape), str(self.path), line_of(shape)
        if data is None:
            return read_mesh(self.beside(shape), scale, by=by, line=line)
        return mesh_of(data, "the mesh", ".obj", scale, by=by, line=line)

    # ---- values

    def known(self, element: etree._Element) -> list[etree._Element]:
        """Its children that have a meaning; SimError for the first that is not known at all."""
        kind = str(element.tag)
        has_meaning, no_matter = CHILDREN.get(kind, set()), NO_MATTER.get(kind, set())
        kept = []
        self.from_here(element)
        for child in element:
            tag = str(child.tag)
            self.only_as_here(child)
            if tag in has_meaning:
                kept.append(child)
            elif tag not in no_matter:
                hint = did_you_mean(tag, sorted(has_meaning))
                raise self.error(child, f"<{tag}> in <{kind}> is not supported by the embedded simulator", hint)
        return kept

    def from_here(self, element: etree._Element) -> None:
        attribute = FROM_ELSEWHERE.get(str(element.tag))
        if attribute is not None and element.get(attribute, "") not in ("", "world" if element.tag == "frame" else ""):
            hint = "write the pose from the element around it"
            raise self.error(element, f"{attribute} of <{element.tag}> is not supported", hint)

    def only_as_here(self, element: etree._Element) -> None:
        for found in element.iter(*ONLY):
            text, allowed = (found.text or "").strip(), ONLY[str(found.tag)]
            if text.lower() not in [each.lower() for each in allowed] and _number(text) != _number(allowed[0]):
                hint = f"leave it out, or write {allowed[0]}"
                raise self.error(found, f"<{found.tag}>{text}</{found.tag}> is not supported", hint)

    def pose(self, element: etree._Element) -> Matrix:
        x, y, z, roll, pitch, yaw = self.six(element.find("pose"))
        return pose_of(x, y, z, roll, pitch, yaw)

    def six(self, pose: etree._Element | None) -> tuple[float, ...]:
        if pose is None:
            return (0.0,) * 6
        self.from_here(pose)
        values = self.floats(pose, 6)
        if pose.get("degrees") == "true":
            values = (*values[:3], *(math.radians(value) for value in values[3:]))
        return values

    def floats(self, element: etree._Element, count: int, most: int | None = None) -> tuple[float, ...]:
        try:
            values = tuple(float(word) for word in (element.text or "").split())
        except ValueError:
            values = ()
        if not count <= len(values) <= (most or count) or not all(map(math.isfinite, values)):
            wanted = f"{count} or {most}" if most else str(count)
            raise self.error(element, f"<{element.tag}> takes {wanted} numbers, not {(element.text or '').strip()!r}")
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
        ode = collision.find("surface/friction/ode")
        if ode is None:
            return FRICTION
        along, across = self.number(ode, "mu", FRICTION), ode.find("mu2")
        if along < 0:
            raise self.error(ode, "<mu> must not be below 0")
        if across is not None and self.floats(across, 1)[0] != along:
            raise self.error(across, "a <mu2> that is not <mu> is not supported", "tyres hold alike in all directions")
        return along

    def colour(self, link: etree._Element) -> tuple[float, float, float, float] | None:
        diffuse = link.find("visual/material/diffuse")
        if diffuse is None:
            return None
        red, green, blue, *rest = self.floats(diffuse, 3, 4)
        return red, green, blue, rest[0] if rest else 1.0

    def uri(self, shape: etree._Element) -> str:
        found = shape.find("uri")
        return ((found.text or "") if found is not None else "").strip()

    def in_place(self, shape: etree._Element) -> bytes | None:
        """The file that stands in the uri itself."""
        text = self.uri(shape)
        if not text.startswith(IN_PLACE):
            return None
        try:
            return base64.b64decode(text.partition(";base64,")[2], validate=True)
        except ValueError as error:
            raise self.error(shape, f"the uri of <{shape.tag}> is no base64: {error}") from None

    def beside(self, shape: etree._Element) -> Path:
        text = self.uri(shape)
        if not text or "://" in text.replace("file://", ""):
            raise self.error(shape, f"<{shape.tag}> needs the path of a file, not {text!r}", "relative to this file")
        return self.path.parent / text.removeprefix("file://")

    def error(self, element: etree._Element, message: str, hint: str = "") -> SimError:
        return SimError(message, file=self.path, line=line_of(element), hint=hint)


def _number(text: str) -> float | str:
    """Of `0`, `0.0` and `0e0` the same."""
    try:
        return float(text)
    except ValueError:
        return text
