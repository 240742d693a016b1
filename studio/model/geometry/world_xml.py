"""Worlds in SDF: records to a World and back, with everything that Studio does not know kept as it was written."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from studio.model.files import FileError, read_bytes
from studio.model.geometry.pose_graph import Counted, resolved
from studio.model.geometry.poses import HERE, Pose, inverse, is_here
from studio.model.geometry.rotations import Form, GeometryError, Matrix, Rotation, angle_of, quaternion_of, rpy_of
from studio.model.geometry.shapes import Box, Cylinder, Mesh, Shape, Sphere, Use
from studio.model.geometry.tidy_poses import SAME
from studio.model.geometry.world import (
    Heightmap,
    OtherShape,
    Plane,
    World,
    WorldFrame,
    WorldInclude,
    WorldLink,
    WorldModel,
    WorldShape,
)
from studio.model.geometry.xml_values import SMALLEST, number_text, several, unique
from studio.model.origin import Origin
from studio.model.xml_parse import parse_hardened
from studio.model.xml_reconcile import Rule, reconcile
from studio.model.xml_text import Span, parse_spans
from studio.model.xml_tree import XmlNode, only, reading, tree_of

NEW_FILE = b"""<?xml version="1.0" encoding="UTF-8"?>
<sdf version="1.7">
  <world name="new">
  </world>
</sdf>
"""
TRUE = ("1", "true")
FROM_ELSEWHERE = ("relative_to", "attached_to")
MODEL, SCOPE = "__model__", "::"
"""The model itself, and what is between its name and that of something in it."""
QUATERNION = "quat_xyzw"
DIGITS = 10
SAME_TURN = 3e-10
"""Radians: there and back, each rounded to DIGITS."""


def _is_true(text: str) -> bool:
    return text.strip().lower() in TRUE


def _numbers_rule(tag: str) -> Rule:
    return Rule(tag, text=True, meaning=several)


POSE = _numbers_rule("pose")
_GEOMETRY = Rule(
    "geometry",
    children=(
        Rule("plane", children=(_numbers_rule("normal"),), group="shape"),
        Rule("box", children=(_numbers_rule("size"),), group="shape"),
        Rule("cylinder", children=(_numbers_rule("radius"), _numbers_rule("length")), group="shape"),
        Rule("sphere", children=(_numbers_rule("radius"),), group="shape"),
        Rule("mesh", children=(Rule("uri", text=True), _numbers_rule("scale")), group="shape"),
        Rule("heightmap", children=(Rule("uri", text=True), *map(_numbers_rule, ("size", "pos"))), group="shape"),
    ),
)
_FRICTION = Rule("friction", children=(Rule("ode", children=tuple(map(_numbers_rule, ("mu", "mu2")))),))
_COLLISION = Rule("collision", ("name",), {"name": str}, (POSE, _GEOMETRY, Rule("surface", children=(_FRICTION,))))
_MATERIAL = Rule("material", children=tuple(map(_numbers_rule, ("ambient", "diffuse"))))
_VISUAL = Rule("visual", ("name",), {"name": str}, (POSE, _GEOMETRY, _MATERIAL))
_LINK = Rule("link", ("name",), {"name": str}, (POSE, _COLLISION, _VISUAL))
_MODEL = Rule("model", ("name",), {"name": str}, (Rule("static", text=True, meaning=_is_true), POSE, _LINK))
_INCLUDE = Rule("include", (), {}, (Rule("name", text=True), Rule("uri", text=True), POSE))
_WORLD = Rule(
    "world",
    (),
    {"name": str},
    (_numbers_rule("gravity"), Rule("frame", ("name",), {"name": str}, (POSE,)), _INCLUDE, _MODEL),
)
RULE = Rule("sdf", children=(_WORLD,))


def read_world(data: bytes | Path, file: Path | str | None = None) -> World:
    if isinstance(data, Path):
        file, data = data if file is None else file, read_bytes(data)
    return build_world(tree_of(parse_hardened(data, file)), file)


def build_world(root: XmlNode, file: Path | str | None = None) -> World:
    if root.tag != "sdf":
        hint = 'e.g. <sdf version="1.7">'
        raise FileError(f"a world starts with <sdf>, not <{root.tag[:40]}>", file=file, line=root.line, hint=hint)
    node = only(root, "world", file)
    if node is None:
        hint = "import a model into an assembly: Import in the library"
        raise FileError("there is no <world> in it", file=file, line=root.line, hint=hint)
    world = World(node.get("name") or "", element=node.element or 0, file=None if file is None else str(file))
    gravity = only(node, "gravity", file)
    if gravity is not None:
        with reading(gravity, file):
            x, y, z = _floats(gravity, 3)
            world.gravity_m_s2 = x, y, z
    for child in node.children:
        with reading(child, file):
            if child.tag == "model":
                world.models.append(_model(child, file))
            elif child.tag == "frame":
                pose, relative = _pose(child, file)
                world.frames.append(WorldFrame(_name(child), pose, relative, child.origin()))
            elif child.tag == "include":
                world.includes.append(_include(child, file))
    nodes = [(each.name, each.origin) for each in world.every()]
    unique([(name, _node_at(node, origin)) for name, origin in nodes], "model or frame", world.file)
    return world


def write_world(world: World, written: bytes = NEW_FILE) -> bytes:
    """`written`, the bytes that the world was read from, changed to what the world says now."""
    return reconcile(written, world_tree(world, written), RULE)


def world_tree(world: World, written: bytes = NEW_FILE) -> XmlNode:
    spans = parse_spans(written)
    known = _Known.of(spans, Origin(world.element))
    children = _numbers("gravity", world.gravity_m_s2, known) if world.gravity_m_s2 is not None else []
    for frame in world.frames:
        here = _Known.of(spans, frame.origin)
        children.append(_element("frame", frame.origin, _pose_nodes(frame.pose, here), name=frame.name))
    for include in world.includes:
        here = _Known.of(spans, include.origin)
        inner = [*_name_of_include(include, here), XmlNode("uri", text=include.uri), *_pose_nodes(include.pose, here)]
        children.append(_element("include", include.origin, inner))
    children += [_model_node(model, spans) for model in world.models]
    node = _element("world", Origin(world.element), children, name=world.name)
    return XmlNode("sdf", children=[node], element=0)


# ---- records to parts


def _node_at(world: XmlNode, origin: Origin | None) -> XmlNode:
    return next(each for each in world.children if origin is not None and each.element == origin.element)


def _name(node: XmlNode) -> str:
    name = (node.get("name") or "").strip()
    if not name:
        raise GeometryError(f"<{node.tag}> needs a name", hint=f'e.g. <{node.tag} name="wall">')
    return name


def _model(node: XmlNode, file: Path | str | None) -> WorldModel:
    name, (pose, relative) = _name(node), _pose(node, file)
    static = only(node, "static", file)
    links, shapes, inside = [], [], _Inside(node, file)
    for child in node.all("link"):
        with reading(child, file):
            own, count_from = _pose(child, file)
            link = WorldLink(child.get("name") or "", own, child.origin(), inside.carrier(count_from))
            links.append(link)
            shapes += list(_shapes(child, link, inside, file))
    unique([(each.name, child) for each, child in zip(links, node.all("link"), strict=True)], "link", _text(file))
    is_static = static is not None and _is_true(static.text)
    inner = tuple(shape for each in node.all("model") for shape in _shapes_of_inner(each, inside, file))
    return WorldModel(name, pose, relative, is_static, tuple(links), tuple(shapes), inner, node.origin())


def _shapes_of_inner(node: XmlNode, inside: _Inside, file: Path | str | None) -> Iterator[Shape]:
    """Of a model in a model, in the axes of the outer one."""
    with reading(node, file):
        made = _model(node, file)
        at = inside.carrier(made.relative_to).matrix @ made.pose.matrix
    for shape in (*map(made.placed, made.shapes), *made.inner):
        name = f"{made.name}{SCOPE}{shape.name}"
        yield replace(shape, name=name, pose=Pose.from_matrix(at @ shape.pose.matrix), origin=None)


def _text(file: Path | str | None) -> str | None:
    return None if file is None else str(file)


def _include(node: XmlNode, file: Path | str | None) -> WorldInclude:
    uri, name = only(node, "uri", file), only(node, "name", file)
    if uri is None or not uri.text.strip():
        raise GeometryError("<include> needs <uri>", hint="e.g. <uri>model://chair</uri>")
    pose, relative = _pose(node, file)
    address = uri.text.strip()
    called = name.text.strip() if name is not None else ""
    return WorldInclude(called or _name_in(address), address, pose, relative, node.origin())


def _name_in(uri: str) -> str:
    return uri.rstrip("/").rpartition("/")[2].partition(".")[0] or "include"


class _Inside:
    """The poses inside of a model: of its links, frames, joints and the models in it, by name."""

    def __init__(self, model: XmlNode, file: Path | str | None) -> None:
        self._file = file
        self._poses = resolved(dict(self._counted(model, ""))) if _counts_inside(model) else {}
        placed = self._poses.get(model.get("placement_frame") or "", np.eye(4))
        self._to_placement = inverse(placed)

    def carrier(self, name: str) -> Pose:
        """In the axes of the model, or of the frame by which it is placed."""
        at = self._to_placement @ self.pose(name)
        return HERE if is_here(at) else Pose.from_matrix(at)

    def carrier_in(self, link: WorldLink, name: str) -> Pose:
        """In the axes of a link."""
        if name in ("", link.name):
            return HERE
        return Pose.from_matrix(inverse(link.carrier.matrix @ link.pose.matrix) @ self.carrier(name).matrix)

    def pose(self, name: str) -> Matrix:
        if name in ("", MODEL):
            return np.eye(4)
        if name not in self._poses:
            raise GeometryError(f"the frame {name} does not exist")
        return self._poses[name]

    def _counted(self, model: XmlNode, scope: str) -> Iterator[tuple[str, Counted]]:
        yield f"{scope}{MODEL}", Counted(np.eye(4), scope.removesuffix(SCOPE))
        for node in model.children:
            name = node.get("name")
            if node.tag not in ("link", "frame", "joint", "model") or not name:
                continue
            with reading(node, self._file):
                pose, relative = _pose(node, self._file)
            if node.tag == "joint" and not relative:
                child = only(node, "child", self._file)
                relative = child.text.strip() if child is not None else ""
            at = pose.matrix
            if node.tag == "model":
                at = at @ inverse(_Inside(node, self._file).pose(node.get("placement_frame") or ""))
                yield from self._counted(node, f"{scope}{name}{SCOPE}")
            yield f"{scope}{name}", Counted(at, f"{scope}{relative}" if relative else scope.removesuffix(SCOPE))


def _counts_inside(model: XmlNode) -> bool:
    """Whether anything in it counts from a name; most models have no such thing."""
    poses = [pose for node in (*model.children, *_parts_of_links(model)) for pose in node.all("pose")]
    return bool(model.get("placement_frame")) or any(pose.get("relative_to") for pose in poses)


def _parts_of_links(model: XmlNode) -> list[XmlNode]:
    return [part for link in model.all("link") for part in link.children]


def _shapes(link: XmlNode, of: WorldLink, inside: _Inside, file: Path | str | None) -> Iterator[WorldShape]:
    """Collisions in their order, each with the visual that looks like it, then the other visuals."""
    visuals = [_world_shape(each, of, inside, "visual", file) for each in link.all("visual")]
    for node in link.all("collision"):
        made = _world_shape(node, of, inside, "collision", file)
        twin = next((index for index, each in enumerate(visuals) if _look_alike(each, made)), None)
        if twin is not None:
            seen = visuals.pop(twin)
            shape = replace(made.shape, use="both", colour=seen.shape.colour)
            other = seen.shape.name if seen.shape.name != made.shape.name else ""
            made = replace(made, shape=shape, visual=seen.visual, visual_name=other)
        yield made
    yield from visuals


def _look_alike(one: WorldShape, other: WorldShape) -> bool:
    plain = {"name": "", "colour": "", "use": "both", "origin": None}
    shapes = [replace(each.shape, **plain) for each in (one, other)]  # type: ignore[arg-type]
    return shapes[0] == shapes[1] and one.carrier == other.carrier and not isinstance(one.shape, OtherShape)


def _world_shape(node: XmlNode, link: WorldLink, inside: _Inside, use: Use, file: Path | str | None) -> WorldShape:
    with reading(node, file):
        pose, count_from = _pose(node, file)
        carrier = inside.carrier_in(link, count_from)
        colour = _find(node, "material", "diffuse") if use == "visual" else None
        words = (colour.text.split() if colour is not None else [])[:4]
        common: dict[str, Any] = {
            "name": node.get("name") or "",
            "pose": pose,
            "use": use,
            "colour": " ".join([*words, "1"][:4]) if len(words) in (3, 4) else "",
            "origin": node.origin(),
        }
        shape = _geometry(node, common, file)
        mu = _find(node, "surface", "friction", "ode", "mu")
        friction = _floats(mu, 1)[0] if mu is not None and mu.text.strip() else None
    at = {use: node.origin()}
    return WorldShape(shape, link.name, carrier, friction, collision=at.get("collision"), visual=at.get("visual"))


def _geometry(node: XmlNode, common: dict[str, Any], file: Path | str | None) -> Shape:
    geometry = only(node, "geometry", file)
    inner = geometry.children[0] if geometry is not None and geometry.children else None
    if inner is None:
        return OtherShape(tag="", **common)
    with reading(inner, file):
        match inner.tag:
            case "box":
                x, y, z = _positive(inner, "size", 3)
                return Box(size=(x, y, z), **common)
            case "cylinder":
                return Cylinder(
                    radius=_positive(inner, "radius", 1)[0], length=_positive(inner, "length", 1)[0], **common
                )
            case "sphere":
                return Sphere(radius=_positive(inner, "radius", 1)[0], **common)
            case "mesh":
                scale = _find(inner, "scale")
                x, y, z = _floats(scale, 3) if scale is not None else (1.0, 1.0, 1.0)
                return Mesh(file=_uri(inner), scale=(x, y, z), **common)
            case "plane":
                normal = _find(inner, "normal")
                x, y, z = _floats(normal, 3) if normal is not None else (0.0, 0.0, 1.0)
                return Plane(normal=(x, y, z), **common)
            case "heightmap":
                x, y, z = _positive(inner, "size", 3) if _find(inner, "size") is not None else (1.0, 1.0, 1.0)
                at = _find(inner, "pos")
                u, v, w = _floats(at, 3) if at is not None else (0.0, 0.0, 0.0)
                return Heightmap(file=_uri(inner), size=(x, y, z), position=(u, v, w), **common)
    return OtherShape(tag=inner.tag, **common)


def _uri(node: XmlNode) -> str:
    found = _find(node, "uri")
    if found is None or not found.text.strip():
        raise GeometryError(f"<{node.tag}> needs <uri>", hint="the path of a file, relative to this one")
    return found.text.strip()


def _find(node: XmlNode, *path: str) -> XmlNode | None:
    for tag in path:
        found = next(node.all(tag), None)
        if found is None:
            return None
        node = found
    return node


def _positive(parent: XmlNode, tag: str, count: int) -> tuple[float, ...]:
    node = _find(parent, tag)
    if node is None:
        raise GeometryError(f"<{parent.tag}> needs <{tag}>", hint=f"e.g. <{tag}>{' '.join(['1'] * count)}</{tag}>")
    values = _floats(node, count)
    if min(values) < SMALLEST:
        raise GeometryError(f"<{tag}> of <{parent.tag}> must be above 0", hint="in metres")
    return values


def _floats(node: XmlNode, count: int) -> tuple[float, ...]:
    try:
        values = tuple(float(word) for word in node.text.split())
    except ValueError:
        values = ()
    if len(values) != count or not all(map(math.isfinite, values)):
        raise GeometryError(f"<{node.tag}> takes {count} number{'s' * (count > 1)}, not {node.text.strip()[:60]!r}")
    return values


def _pose(parent: XmlNode, file: Path | str | None) -> tuple[Pose, str]:
    """And the frame that it counts from, where that is told."""
    node = only(parent, "pose", file)
    told = [node.get("relative_to") if node is not None else None, parent.get("attached_to")]
    relative = next((each for each in told if each), "")
    if node is None or not node.text.strip():
        return Pose(), relative
    with reading(node, file):
        if node.get("rotation_format") == QUATERNION:
            x, y, z, *turned = _floats(node, 7)
            return Pose((x, y, z), Rotation("quaternion", tuple(turned))), relative
        x, y, z, *angles = _floats(node, 6)
        unit = "degrees" if _is_true(node.get("degrees") or "") else "radians"
        return Pose((x, y, z), Rotation("rpy", tuple(angles), unit)), relative  # type: ignore[arg-type]


# ---- parts to records


class _Known:
    """What the file says of an element; nothing where there is none yet."""

    def __init__(self, span: Span | None) -> None:
        self.span = span

    @classmethod
    def of(cls, spans: Sequence[Span], origin: Origin | None) -> _Known:
        return cls(spans[origin.element] if origin is not None and origin.element < len(spans) else None)

    def __bool__(self) -> bool:
        return self.span is not None

    def child(self, tag: str) -> _Known:
        children = self.span.children if self.span is not None else []
        return _Known(next((each for each in children if each.tag == tag), None))

    @property
    def text(self) -> str:
        return self.span.text if self.span is not None else ""

    def get(self, attribute: str) -> str:
        return self.span.attributes.get(attribute, "") if self.span is not None else ""


def _element(tag: str, origin: Origin | None, children: list[XmlNode], **attributes: str) -> XmlNode:
    return XmlNode(tag, attributes, children=children, element=origin.element if origin is not None else None)


def _model_node(model: WorldModel, spans: Sequence[Span]) -> XmlNode:
    known = _Known.of(spans, model.origin)
    static = known.child("static")
    children: list[XmlNode] = []
    if static or model.is_static:
        is_same = bool(static) and _is_true(static.text) == model.is_static
        children.append(XmlNode("static", text=static.text if is_same else str(model.is_static).lower()))
    children += _pose_nodes(model.pose, known)
    for link in model.links:
        here = _Known.of(spans, link.origin)
        inner = _pose_nodes(link.pose, here)
        own = [each for each in model.shapes if each.link == link.name]
        inner += [_collision_node(each, spans) for each in own if each.shape.is_collision]
        inner += [_visual_node(each, spans) for each in own if each.shape.is_visual]
        children.append(_element("link", link.origin, inner, **({"name": link.name} if link.name else {})))
    return _element("model", model.origin, children, name=model.name)


def _collision_node(each: WorldShape, spans: Sequence[Span]) -> XmlNode:
    known = _Known.of(spans, each.collision)
    children = [*_pose_nodes(each.shape.pose, known), *_geometry_node(each.shape, known)]
    surface = known.child("surface")
    if surface or each.friction is not None:
        children.append(XmlNode("surface", children=_friction_nodes(each.friction, surface.child("friction"))))
    return _element("collision", each.collision, children, name=each.shape.name or "collision")


def _friction_nodes(friction: float | None, known: _Known) -> list[XmlNode]:
    """Both directions hold alike, unless the file says otherwise of the second one."""
    if not known and friction is None:
        return []
    ode = known.child("ode")
    if not ode and friction is None:
        return [XmlNode("friction")]
    mu, mu2 = ode.child("mu"), ode.child("mu2")
    follows = not mu or (bool(mu2) and _same_number(mu.text, mu2.text))
    inner = _numbers("mu", (friction,), ode) if friction is not None else []
    if friction is not None and follows:
        inner += _numbers("mu2", (friction,), ode)
    elif mu2 and not follows:
        inner.append(XmlNode("mu2", text=mu2.text))
    return [XmlNode("friction", children=[XmlNode("ode", children=inner)])]


def _visual_node(each: WorldShape, spans: Sequence[Span]) -> XmlNode:
    known = _Known.of(spans, each.visual)
    children = [*_pose_nodes(each.shape.pose, known), *_geometry_node(each.shape, known)]
    material = known.child("material")
    if material or each.shape.colour:
        children.append(XmlNode("material", children=_colour_nodes(each.shape.colour, material)))
    name = each.visual_name or each.shape.name or "visual"
    return _element("visual", each.visual, children, name=name)


def _colour_nodes(colour: str, known: _Known) -> list[XmlNode]:
    """In light and in shadow, unless the file has two colours for that."""
    ambient, diffuse = known.child("ambient"), known.child("diffuse")
    if not colour:
        kept = [(tag, each) for tag, each in (("ambient", ambient), ("diffuse", diffuse)) if each]
        return [XmlNode(tag, text=each.text) for tag, each in kept if len(each.text.split()) not in (3, 4)]
    values = tuple(map(float, colour.split()))
    is_same = bool(diffuse) and _kept_words(diffuse.text, values) == diffuse.text
    made: list[XmlNode] = []
    if ambient and (is_same or several(ambient.text) != several(diffuse.text)):
        made.append(XmlNode("ambient", text=ambient.text))
    elif ambient or not known:
        made.append(XmlNode("ambient", text=_kept_words(ambient.text, values)))
    return [*made, XmlNode("diffuse", text=_kept_words(diffuse.text, values))]


def _geometry_node(shape: Shape, known: _Known) -> list[XmlNode]:
    if isinstance(shape, OtherShape):
        return [XmlNode("geometry")] if known.child("geometry") else []
    tag = type(shape).__name__.lower()
    here = known.child("geometry").child(tag)
    inner: list[XmlNode] = []
    match shape:
        case Box():
            inner = _numbers("size", shape.size, here)
        case Cylinder():
            inner = [*_numbers("radius", (shape.radius,), here), *_numbers("length", (shape.length,), here)]
        case Sphere():
            inner = _numbers("radius", (shape.radius,), here)
        case Mesh():
            inner = [XmlNode("uri", text=shape.file), *_numbers("scale", shape.scale, here, (1.0, 1.0, 1.0))]
        case Plane():
            inner = _numbers("normal", shape.normal, here, (0.0, 0.0, 1.0) if here else None)
        case Heightmap():
            inner = [XmlNode("uri", text=shape.file), *_numbers("size", shape.size, here, (1.0, 1.0, 1.0))]
            inner += _numbers("pos", shape.position, here, (0.0, 0.0, 0.0))
    return [XmlNode("geometry", children=[XmlNode(tag, children=inner)])]


def _name_of_include(include: WorldInclude, known: _Known) -> list[XmlNode]:
    if not known.child("name") and include.name == _name_in(include.uri):
        return []
    return [XmlNode("name", text=include.name)]


def _pose_nodes(pose: Pose, parent: _Known) -> list[XmlNode]:
    known = parent.child("pose")
    is_quaternion = known.get("rotation_format") == QUATERNION
    unit = "degrees" if _is_true(known.get("degrees")) else "radians"
    turned = _written_turn(known, pose, "quaternion" if is_quaternion else "rpy", unit)
    if turned is None and is_quaternion:
        turned = pose.rotation.values if pose.rotation.form == "quaternion" else quaternion_of(pose.matrix[:3, :3])
    values = (*pose.xyz, *(_angles(pose.rotation, unit) if turned is None else turned))
    if not any(values) and not known.text.strip():
        return [XmlNode("pose", text=known.text)] if known else []
    return [XmlNode("pose", text=_kept_words(known.text, values))]


def _written_turn(known: _Known, pose: Pose, form: Form, unit: str) -> tuple[float, ...] | None:
    """The numbers of the file where they still say how it is turned: half a turn is half a turn either way round."""
    try:
        numbers = tuple(float(word) for word in known.text.split())
        written = Rotation(form, numbers[3:], None if form == "quaternion" else unit)  # type: ignore[arg-type]
        is_same = angle_of(written.matrix.T @ pose.rotation.matrix) < SAME_TURN
    except (ValueError, GeometryError):
        return None
    return written.values if is_same else None


def _angles(rotation: Rotation, unit: str) -> tuple[float, ...]:
    convert: Callable[[float], float] = math.degrees if unit == "degrees" else math.radians
    if rotation.form == "rpy":
        if rotation.angles == unit:
            return rotation.values
        return tuple(round(convert(value), DIGITS) + 0.0 for value in rotation.values)
    radians = rpy_of(rotation.matrix)
    return tuple(round(math.degrees(each) if unit == "degrees" else each, DIGITS) + 0.0 for each in radians)


def _numbers(
    tag: str, values: Sequence[float], parent: _Known, default: Sequence[float] | None = None
) -> list[XmlNode]:
    known = parent.child(tag)
    if not known and default is not None and tuple(values) == tuple(default):
        return []
    return [XmlNode(tag, text=_kept_words(known.text, values))]


def _kept_words(written: str, values: Sequence[float]) -> str:
    """The numbers with the words of `written` where these are still right."""
    words = written.split()
    if len(words) == 3 and len(values) == 4 and values[3] == 1.0:
        values = values[:3]  # a colour without its opacity
    if len(words) != len(values):
        return " ".join(map(number_text, values))
    kept = [word if _is_number(word, value) else number_text(value) for word, value in zip(words, values, strict=True)]
    return written if kept == words else " ".join(kept)


def _is_number(word: str, value: float) -> bool:
    try:
        return abs(float(word) - value) < SAME
    except ValueError:
        return False


def _same_number(one: str, other: str) -> bool:
    return several(one) == several(other)
