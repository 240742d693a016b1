"""SDF files, read into links and joints. Poses are resolved as in SDF 1.7 and later (`relative_to`, `attached_to`);
where older versions mean something else by the same words, they are read as they were meant then."""

from __future__ import annotations

from functools import partial
from itertools import count
from pathlib import Path

import numpy as np
from lxml import etree

from studio.model.files import read_bytes
from studio.model.geometry.body import Drive
from studio.model.geometry.foreign_values import Foreign
from studio.model.geometry.import_tree import Raw, RawJoint, RawLink
from studio.model.geometry.joints import JointKind, Mimic
from studio.model.geometry.poses import inverse
from studio.model.geometry.rotations import Matrix
from studio.model.geometry.sdf_include import find_included, version_of
from studio.model.geometry.sdf_parts import SdfParts, is_true
from studio.model.xml_parse import as_simulators_read, parse_hardened

KINDS: dict[str, JointKind] = {"revolute": "hinge", "continuous": "hinge", "prismatic": "slider", "fixed": "fixed"}
MODEL = "__model__"
SCOPE = "::"
DEEPEST = 300
"""Frames on frames; far from what Python can nest."""
DEEPEST_MODELS = 20
"""Models in models; beyond this they include each other in circles."""
HELD = {"link", "joint", "frame", "model", "include", "plugin", "pose", "static", "self_collide", "allow_auto_disable"}
HELD_BY_JOINT = {"parent", "child", "pose", "axis", "axis2", "physics"}
HELD_BY_WORLD = {"model", "include", "frame", "joint", "name"}
UNKNOWN = (1, 4)
"""Gazebo took files that do not tell their version as the oldest that it read."""
AXES_IN_JOINT = (1, 5)
ONE_NAME_SPACE = (1, 7)


def read_sdf(root: etree._Element, foreign: Foreign) -> Raw:
    if root.get("version") is None:
        foreign.note("the file has no version: it is read as SDF 1.4")
    if (old := next(root.iter("origin"), None)) is not None:
        hint = "convert it into a newer version with `gz sdf -p`"
        raise foreign.fault(old, "<origin> belongs to SDF 1.2 and older, which Studio does not read", hint)
    world = root.find("world")
    if world is not None:
        _tell_left_out(root, world, foreign)
    top = _Model(root if world is None else world, _version(root), foreign, is_model=False)
    if not top.models:
        if top.missing:
            raise foreign.fault(root, f"it only includes models that are not here: {', '.join(top.missing)}", HINT)
        raise foreign.fault(root, "there is no <model> in it")
    (name, first), *others = top.models.items()
    raw = Raw(name or foreign.file.stem, notes=foreign.notes)
    if others:
        if world is not None and world.get("name"):
            raw.name = world.get("name", "")
        top.add_to(raw)
    else:
        raw.pose = top.pose(name)
        first.add_to(raw, is_static=first.is_static)
    if not raw.links:
        raise foreign.fault(root, "there is no <link> in it")
    return raw


def _tell_left_out(root: etree._Element, world: etree._Element, foreign: Foreign) -> None:
    """What a world holds beside its models."""
    for other in (each for each in root.iterchildren("world", "model") if each is not world):
        foreign.note(f"the {other.tag} {other.get('name')} is left out: only the first world of a file is read")
    if world.find("state") is not None:
        foreign.note("the <state> of the world is left out: models keep their poses without it")
    tags = sorted({str(child.tag) for child in world.iterchildren(etree.Element)} - HELD_BY_WORLD - {"state"})
    if tags:
        foreign.note(f"of the world, {', '.join(f'<{tag}>' for tag in tags)} is left out")


HINT = "put the model beside this file, or name its folder in GZ_SIM_RESOURCE_PATH"


class _Model:
    """A model, or the world that holds some: one scope of names."""

    def __init__(self, element: etree._Element, version: tuple[int, int], foreign: Foreign, *, is_model: bool = True,
                 above: tuple[Path, ...] = ()) -> None:  # fmt: skip
        self.element, self.version, self.foreign, self.above = element, version, foreign, above
        self.parts = SdfParts(foreign)
        self.name = element.get("name") or ""
        self.is_static = is_true(element.findtext("static"))
        self.placement_frame = element.get("placement_frame") or ""
        self.written = element.find("pose") if is_model else None
        """Where it is in the scope around it; an include can say so in its place."""
        self.named: dict[str, etree._Element] = {}
        self.models: dict[str, _Model] = {}
        self.missing: list[str] = []
        self._poses: dict[object, Matrix] = {}
        self._find_names(is_model)

    def _find_names(self, is_model: bool) -> None:
        taken: dict[tuple[str, str], etree._Element] = {}
        for element in self.element.iterchildren("link", "joint", "frame"):
            name = self.foreign.need(element, "name")
            space = "" if self.version >= ONE_NAME_SPACE else str(element.tag)
            if (space, name) in taken:
                hint = "" if space else "since SDF 1.7 links, joints and frames have one name space"
                raise self.foreign.fault(element, f"a second {element.tag} {name}", hint)
            taken[space, name] = element
            # Where both may have one name, a pose or a joint means the link.
            if name not in self.named or element.tag == "link":
                self.named[name] = element
        for element in self.element.iterchildren("model", "include"):
            inner = self._included(element, is_model) if element.tag == "include" else self._nested(element)
            if inner is None:
                continue
            self._add_model(element, inner)

    def _add_model(self, element: etree._Element, inner: _Model) -> None:
        if self.version >= ONE_NAME_SPACE and inner.name in (*self.models, *self.named):
            raise self.foreign.fault(element, f"a second model {inner.name}", "give it a <name> of its own")
        if inner.name in self.models:
            # Old worlds put the same model several times, and nothing refers to it by its name.
            numbered = (f"{inner.name}_{number}" for number in count(2))
            name = next(name for name in numbered if name not in self.models)
            self.foreign.note(f"a second model {inner.name} is called {name} here")
            inner.name = name
        self.models[inner.name] = inner

    def _nested(self, element: etree._Element) -> _Model:
        return _Model(element, self.version, self.foreign, above=self.above)

    def _included(self, include: etree._Element, is_model: bool) -> _Model | None:
        """The model of another file. A world does without what is not here; a model would lack a part of itself."""
        address = (include.findtext("uri") or "").strip() or "?"
        path = find_included(address, self.foreign.file)
        if path is None:
            if is_model:
                raise self.foreign.fault(include, f"it includes {address}, which is not here", HINT)
            self.foreign.note(f"<include> of {address} is left out: it is not here")
            self.missing.append(address)
            return None
        above = (*self.above, path.resolve())
        if len(above) > DEEPEST_MODELS or path.resolve() in (*self.above, self.foreign.file.resolve()):
            raise self.foreign.fault(include, f"{address} includes itself")
        if is_true(include.get("merge")):
            hint = "convert the included file by itself, or write its links into this one"
            raise self.foreign.fault(include, f"it merges {address} into itself, which Studio cannot", hint)
        root = parse_hardened(as_simulators_read(read_bytes(path)), path)
        element = root.find("model") if root.tag == "sdf" else None
        if element is None:
            raise self.foreign.fault(include, f"it includes {address}, which is not an SDF model: {path}")
        made = _Model(element, _version(root), self.foreign.inside(path), above=above)
        made.name = (include.findtext("name") or made.name).strip()
        if include.find("pose") is not None:
            made.written = include.find("pose")
        made.placement_frame = (include.findtext("placement_frame") or made.placement_frame).strip()
        made.is_static = made.is_static or is_true(include.findtext("static"))
        return made

    # ---- into links and joints

    def add_to(self, raw: Raw, prefix: str = "", place: Matrix | None = None, *, is_static: bool = False) -> None:
        """`prefix` goes before the names; `place`: where this scope is in the model that is made."""
        place = np.eye(4) if place is None else place
        for name, inner in self.models.items():
            inner.add_to(raw, f"{prefix}{name}{SCOPE}", place @ self.pose(name), is_static=is_static or inner.is_static)
        for element in self.element.findall("link"):
            link = self.parts.link(element, prefix + element.get("name", ""), partial(self._in_link, element))
            raw.links.append(link)
            raw.places[link.name] = place @ self._pose_of(element)
            if is_static:
                raw.static.add(link.name)
        links = {link.name: link for link in raw.links}
        for frame in self.element.findall("frame"):
            self._add_frame(frame, links, prefix)
        for element in self.element.findall("joint"):
            self._add_joint(element, raw, prefix)
        self._add_plugins(raw, prefix)
        if self.element.tag == "model":
            for tag in sorted({str(child.tag) for child in self.element.iterchildren(etree.Element)} - HELD):
                self.foreign.note(f"<{tag}> of the model {self.name} is left out")

    def _add_frame(self, frame: etree._Element, links: dict[str, RawLink], prefix: str) -> None:
        name = frame.get("name", "")
        link = self._attached(name)
        if link is None:
            self.foreign.note(f"the frame {name} is attached to the model and not to a link, and is left out")
        else:
            pose = inverse(self.pose(link)) @ self._pose_of(frame)
            links[prefix + link].frames.append((name, pose))

    # ---- poses

    def pose(self, name: str, above: tuple[object, ...] = ()) -> Matrix:
        """Of a link, joint, frame or model in this scope."""
        if name in (MODEL, "world"):
            return np.eye(4)
        if name in self.named:
            return self._pose_of(self.named[name], above)
        if name in self.models:
            return self._place_of(self.models[name], above)
        scope, _, rest = name.partition(SCOPE)
        if rest and scope in self.models:
            return self._place_of(self.models[scope], above) @ self.models[scope].pose(rest)
        raise self.foreign.fault(self.element, f"the frame {name} does not exist")

    def _pose_of(self, element: etree._Element, above: tuple[object, ...] = ()) -> Matrix:
        written = element.find("pose")
        relative = written.get("relative_to") if written is not None else None
        if element.tag == "frame" and not relative:
            relative = element.get("attached_to")
        if element.tag == "joint" and not relative:
            relative = self._end(element, "child")
        return self._resolved(element, element.get("name", ""), relative, written, above)

    def _in_link(self, link: etree._Element, written: etree._Element | None) -> Matrix:
        """A shape or sensor, by its <pose>."""
        relative = written.get("relative_to") if written is not None else None
        pose = self.parts.pose(written)
        if not relative or relative == link.get("name"):
            return pose
        return inverse(self._pose_of(link)) @ self.pose(relative) @ pose

    def _place_of(self, inner: _Model, above: tuple[object, ...] = ()) -> Matrix:
        relative = inner.written.get("relative_to") if inner.written is not None else None
        place = self._resolved(inner, inner.name, relative, inner.written, above)
        return place @ inverse(inner.pose(inner.placement_frame)) if inner.placement_frame else place

    def _resolved(self, key: object, name: str, relative: str | None, written: etree._Element | None,
                  above: tuple[object, ...]) -> Matrix:  # fmt: skip
        if key not in self._poses:
            if key in above or len(above) > DEEPEST:
                what = "refers to itself" if key in above else f"goes through more than {DEEPEST} others"
                raise self.foreign.fault(self.element, f"the pose of {name} {what}")
            base = self.pose(relative, (*above, key)) if relative else np.eye(4)
            self._poses[key] = base @ self.parts.pose(written)
        return self._poses[key]

    def _attached(self, name: str, above: tuple[str, ...] = ()) -> str | None:
        """The link that a link, joint or frame belongs to, as it is called in this scope."""
        if name in above or len(above) > DEEPEST:
            return None
        scope, _, rest = name.partition(SCOPE)
        if name not in self.named and scope in self.models:
            inner = self.models[scope]._attached(rest or MODEL, ())
            return None if inner is None else f"{scope}{SCOPE}{inner}"
        if name == MODEL:
            first = self.element.find("link")
            canonical = self.element.get("canonical_link") or (first.get("name") if first is not None else None)
            return self._attached(canonical, (*above, name)) if canonical else None
        element = self.named.get(name)
        if element is None or element.tag == "link":
            return None if element is None else name
        to = element.get("attached_to") if element.tag == "frame" else self._end(element, "child")
        return self._attached(to or MODEL, (*above, name))

    def _end(self, joint: etree._Element, role: str) -> str:
        end = joint.find(role)
        text = "" if end is None else (end.text or "").strip() or end.findtext("link", "").strip()
        if not text:
            raise self.foreign.fault(joint, f"the joint {joint.get('name')} has no <{role}>")
        return text

    # ---- joints

    def _add_joint(self, element: etree._Element, raw: Raw, prefix: str) -> None:
        name, kind = element.get("name", ""), element.get("type") or "fixed"
        parent, child = (self._end(element, role) for role in ("parent", "child"))
        if "world" in (parent, child) and "world" not in self.named:
            self._hold(name, kind, self._attached(child if parent == "world" else parent), raw, prefix)
            return
        ends = []
        for end in (parent, child):
            link = self._attached(end)
            if link is None:
                raise self.foreign.fault(element, f"the joint {name} names the link {end}, which does not exist")
            ends.append(link)
        if ends[0] == ends[1]:
            raise self.foreign.fault(element, f"the joint {name} holds the link {ends[0]} to itself")
        if kind not in KINDS:
            self.foreign.note(f"the joint {name} is {kind}, which Studio does not know: taken as fixed")
        place = self._pose_of(element)
        before, after = inverse(self.pose(ends[0])) @ place, inverse(place) @ self.pose(ends[1])
        made = RawJoint(prefix + name, KINDS.get(kind, "fixed"), prefix + ends[0], prefix + ends[1], before, after)
        if made.kind != "fixed":
            self._set_axis(made, element, place, prefix)
        for tag in sorted({str(child.tag) for child in element.iterchildren(etree.Element)} - HELD_BY_JOINT):
            self.foreign.note(f"<{tag}> of joints is left out")
        raw.joints.append(made)

    def _hold(self, joint: str, kind: str, link: str | None, raw: Raw, prefix: str) -> None:
        if kind == "fixed" and link is not None:
            raw.static.add(prefix + link)
            self.foreign.note(f"the joint {joint} holds {link} to the world: here {link} is static")
        else:
            self.foreign.note(f"the joint {joint} holds the model to the world, and is left out")

    def _set_axis(self, joint: RawJoint, element: etree._Element, place: Matrix, prefix: str) -> None:
        axis = element.find("axis")
        xyz = axis.find("xyz") if axis is not None else None
        values = np.array(self.foreign.numbers(xyz, xyz.text, 3) if xyz is not None else [0.0, 0.0, 1.0])
        if axis is not None and xyz is not None:
            frame = self._axis_frame(axis, xyz)
            if frame is not None:
                values = place[:3, :3].T @ frame[:3, :3] @ values
        if float(np.linalg.norm(values)) < 1e-9:
            self.foreign.note(f"the joint {joint.name} has an axis without a direction: taken as fixed")
            joint.kind = "fixed"
            return
        x, y, z = values.tolist()
        joint.axis = (x, y, z)
        if axis is None:
            return
        if (mimic := axis.find("mimic")) is not None:
            joint.mimic = self._mimic(mimic, prefix)
        if any(self.foreign.number(each, each.text) for each in axis.iterfind("dynamics/*")):
            self.foreign.note("<dynamics> of joints (damping, friction, springs) is left out")
        if (limit := axis.find("limit")) is not None:
            self._set_limits(joint, limit)

    def _mimic(self, element: etree._Element, prefix: str) -> Mimic:
        """SDF measures the other joint from a reference."""
        values = {"multiplier": 1.0, "offset": 0.0, "reference": 0.0}
        for key in values:
            child = element.find(key)
            values[key] = self.foreign.number(child, None if child is None else child.text, values[key])
        offset = values["offset"] - values["multiplier"] * values["reference"]
        if element.get("axis", "axis") != "axis":
            self.foreign.note(f"<mimic> of {element.get('joint')} means its second axis: the first is taken")
        return Mimic(prefix + element.get("joint", ""), values["multiplier"], offset)

    def _axis_frame(self, axis: etree._Element, xyz: etree._Element) -> Matrix | None:
        """The axes in which an axis is given, None for those of the joint.

        Until SDF 1.4 they are the model's, in 1.5 and 1.6 the joint's unless `use_parent_model_frame`, from 1.7 on the
        joint's unless `expressed_in`."""
        if expressed_in := xyz.get("expressed_in"):
            return self.pose(expressed_in)
        told = axis.findtext("use_parent_model_frame")
        if self.version >= ONE_NAME_SPACE:
            if told is not None:
                self.foreign.note("use_parent_model_frame is not in SDF 1.7 and later, and is ignored")
            return None
        in_model = is_true(told) if told is not None else self.version < AXES_IN_JOINT
        return np.eye(4) if in_model else None

    def _set_limits(self, joint: RawJoint, limit: etree._Element) -> None:
        keys = {"lower": "lower", "upper": "upper", "effort": "effort", "velocity": "speed"}
        for key, ours in keys.items():
            value = self.foreign.limit(limit, limit.findtext(key))
            if value is not None and not (key in ("effort", "velocity") and value < 0):
                setattr(joint, ours, value)
        if joint.lower is not None and joint.upper is not None and joint.lower > joint.upper:
            self.foreign.note(f"the limits of the joint {joint.name} are swapped, and left out")
            joint.lower = joint.upper = None

    # ---- plugins

    def _add_plugins(self, raw: Raw, prefix: str) -> None:
        by_name = {joint.name: joint for joint in raw.joints}
        for plugin in self.element.findall("plugin"):
            driven = [*plugin.findall("left_joint"), *plugin.findall("right_joint")]
            steered = [*plugin.findall("left_steering_joint"), *plugin.findall("right_steering_joint")]
            for elements, kind in ((driven, "drive"), (steered, "steering")):
                for element in elements:
                    joint = by_name.get(prefix + (element.text or "").strip())
                    if joint is not None and joint.kind == "hinge":
                        joint.kind = kind  # type: ignore[assignment]
            base, track, radius = (self.foreign.number(plugin, plugin.findtext(key)) for key in
                                   ("wheel_base", "wheel_separation", "wheel_radius"))  # fmt: skip
            if steered and min(base, track, radius) > 0:
                speed = self.foreign.number(plugin, plugin.findtext("max_velocity")) or None
                raw.drive = Drive("ackermann", base, track, radius, speed)
            elif not driven:
                self.foreign.note(f"the plugin {plugin.get('name')} is left out")
            else:
                self.foreign.note("only the joints of the drive are imported: SDF has no wheelbase")


def _version(root: etree._Element) -> tuple[int, int]:
    text = root.get("version")
    return UNKNOWN if text is None else version_of(text)
