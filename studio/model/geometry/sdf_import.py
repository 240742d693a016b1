"""SDF files, read into links and joints. Poses are resolved as in SDF 1.7 and later (`relative_to`, `attached_to`)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from lxml import etree

from studio.model.geometry.body import Drive
from studio.model.geometry.foreign_values import Foreign, colour_text, merged
from studio.model.geometry.import_tree import Raw, RawJoint, RawLink
from studio.model.geometry.joints import JointKind
from studio.model.geometry.poses import Pose, inverse
from studio.model.geometry.rotations import Matrix, from_quaternion
from studio.model.geometry.sdf import OPTICAL, TYPES
from studio.model.geometry.sensors import Bumper, Camera, Gps, Imu, Laser, Sensor, Ultrasonic
from studio.model.geometry.shapes import Shape
from studio.model.xml_schema import line_of

KINDS: dict[str, JointKind] = {"revolute": "hinge", "continuous": "hinge", "prismatic": "slider", "fixed": "fixed"}
SENSOR_KINDS = {kind: ours for ours, kind in TYPES.items()} | {
    "lidar": "laser", "gpu_lidar": "laser", "gpu_ray": "laser", "navsat": "gps", "depth": "camera",
    "depth_camera": "camera", "rgbd_camera": "camera",
}  # fmt: skip
MODEL = "__model__"
UNLIMITED = 1e9
"""Files write 1e16, 1e30 or inf for what has no limit."""
DEEPEST = 300
"""Frames on frames; far from what Python can nest."""
HELD = {"link", "joint", "frame", "plugin", "pose", "static", "self_collide", "allow_auto_disable"}


def read_sdf(root: etree._Element, foreign: Foreign) -> Raw:
    models = [*root.findall("model"), *root.findall("world/model")]
    if not models:
        raise foreign.fault(root, "there is no <model> in it")
    version = foreign.number(root, root.get("version"), 1.4)
    raw = Raw(models[0].get("name") or foreign.file.stem, notes=foreign.notes)
    for model in models:
        prefix = f"{model.get('name', '')}_" if len(models) > 1 else ""
        _Model(model, prefix, version, foreign).add_to(raw)
    for include in [*root.findall("world/include"), *root.iterfind(".//model/include")]:
        foreign.note(f"<include> of {include.findtext('uri', '?')} is left out: convert that file by itself")
    return raw


class _Model:
    def __init__(self, model: etree._Element, prefix: str, version: float, foreign: Foreign) -> None:
        self.model, self.prefix, self.foreign = model, prefix, foreign
        self.is_old = version < 1.7
        self.named: dict[str, etree._Element] = {}
        for element in model.iterchildren("link", "joint", "frame"):
            name = foreign.need(element, "name")
            if name in self.named:
                raise foreign.fault(element, f"a second {element.tag} {name}", "SDF has one name space for them all")
            self.named[name] = element
        self._poses: dict[str, Matrix] = {MODEL: np.eye(4)}

    def add_to(self, raw: Raw) -> None:
        for name in self.named:
            self._pose(name)
        links = {element.get("name", ""): self._link(element) for element in self.model.findall("link")}
        for frame in self.model.findall("frame"):
            name = frame.get("name", "")
            link = self._attached(name)
            if link is None:
                self.foreign.note(f"the frame {name} is attached to the model and not to a link, and is left out")
            else:
                pose = inverse(self._pose(link)) @ self._pose(name)
                links[link].frames.append((name, pose))
        for element in self.model.findall("joint"):
            self._joint(element, links, raw)
        raw.links += [_renamed(link, self.prefix) for link in links.values()]
        self._plugins(raw)
        for tag in sorted({str(child.tag) for child in self.model.iterchildren(etree.Element)} - HELD):
            if tag != "include":
                self.foreign.note(f"<{tag}> of the model {self.model.get('name')} is left out")

    # ---- poses

    def _pose(self, name: str, above: tuple[str, ...] = ()) -> Matrix:
        """Of a link, joint or frame in the model."""
        if name in self._poses:
            return self._poses[name]
        element = self.named.get(name)
        if element is None:
            raise self.foreign.fault(self.model, f"the frame {name} does not exist")
        if name in above or len(above) > DEEPEST:
            what = "refers to itself" if name in above else f"goes through more than {DEEPEST} others"
            raise self.foreign.fault(element, f"the pose of {name} {what}")
        written = element.find("pose")
        relative = written.get("relative_to") if written is not None else None
        if element.tag == "frame" and not relative:
            relative = element.get("attached_to")
        if element.tag == "joint" and not relative:
            relative = self._end(element, "child")
        base = self._pose(relative, (*above, name)) if relative and relative != "world" else np.eye(4)
        self._poses[name] = base @ self._written(written)
        return self._poses[name]

    def _written(self, element: etree._Element | None) -> Matrix:
        if element is None:
            return np.eye(4)
        if element.get("rotation_format") == "quat_xyzw":
            values = self.foreign.numbers(element, element.text, 7)
            if not any(values[3:]):
                raise self.foreign.fault(element, "a quaternion of length 0")
            made = np.eye(4)
            made[:3, :3], made[:3, 3] = from_quaternion(*values[3:]), values[:3]
            return made
        values = self.foreign.numbers(element, element.text, 6)
        if element.get("degrees") == "true":
            values[3:] = [math.radians(value) for value in values[3:]]
        return self.foreign.matrix(values[:3], values[3:])

    def _attached(self, name: str, above: tuple[str, ...] = ()) -> str | None:
        element = self.named.get(name)
        if element is None or name in above or len(above) > DEEPEST:
            return None
        if element.tag == "link":
            return name
        to = element.get("attached_to") if element.tag == "frame" else self._end(element, "child")
        return self._attached(to, (*above, name)) if to else None

    def _end(self, joint: etree._Element, role: str) -> str:
        end = joint.find(role)
        text = "" if end is None else (end.text or "").strip() or end.findtext("link", "").strip()
        if not text:
            raise self.foreign.fault(joint, f"the joint {joint.get('name')} has no <{role}>")
        return text

    # ---- parts

    def _link(self, element: etree._Element) -> RawLink:
        link = RawLink(element.get("name", ""))
        inertial = element.find("inertial")
        if inertial is not None:
            number = self.foreign.number
            inertia = inertial.find("inertia")
            keys = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
            moments = [number(inertia, inertia.findtext(key) if inertia is not None else None) for key in keys]
            mass = number(inertial, inertial.findtext("mass"), 1.0)
            link.mass = self.foreign.mass(inertial, mass, self._written(inertial.find("pose")), moments)
        shapes = [self._shape(part, use) for use in ("visual", "collision") for part in element.findall(use)]
        link.shapes = merged([shape for shape in shapes if shape is not None])
        for sensor in element.findall("sensor"):
            found = self._sensor(sensor)
            if found is not None:
                pose = self._written(sensor.find("pose"))
                link.sensors.append((found, pose @ OPTICAL if isinstance(found, Camera) else pose))
        return link

    def _shape(self, part: etree._Element, use: str) -> Shape | None:
        geometry = part.find("geometry")
        inner = next(geometry.iterchildren(etree.Element), None) if geometry is not None else None
        if inner is None:
            self.foreign.note(f"line {line_of(part)}: a <{use}> without geometry is left out")
            return None
        name = "".join(each if each.isalnum() or each in "_-" else "_" for each in (part.get("name") or ""))
        name = name.removesuffix(f"_{use}")
        values: dict[str, Any] = {"kind": str(inner.tag), "use": use, "name": name if name[:1].isalpha() else ""}
        values["pose"] = Pose.from_matrix(self._written(part.find("pose")))
        colour = part.find("material/diffuse")
        if colour is not None:
            shown = (colour.text or "").split()
            values["colour"] = colour_text(self.foreign.numbers(colour, " ".join([*shown, "1"][:4]), 4, 1.0))
        if inner.tag == "box":
            values["size"] = tuple(self.foreign.numbers(inner, inner.findtext("size"), 3))
        elif inner.tag in ("cylinder", "sphere"):
            values["radius"] = self.foreign.number(inner, inner.findtext("radius"))
            if inner.tag == "cylinder":
                values["length"] = self.foreign.number(inner, inner.findtext("length"))
        elif inner.tag == "mesh":
            values["file"] = inner.findtext("uri") or inner.findtext("filename") or ""
            values["scale"] = tuple(self.foreign.numbers(inner, inner.findtext("scale"), 3, 1.0))
        else:
            self.foreign.note(f"<{inner.tag}> is a shape that Studio does not know, and is left out")
            return None
        return self.foreign.shape(inner, values)

    def _sensor(self, element: etree._Element) -> Sensor | None:
        name, kind = element.get("name") or "sensor", element.get("type") or "?"
        ours = SENSOR_KINDS.get(kind)
        rate = self.foreign.number(element, element.findtext("update_rate"))
        common: dict[str, Any] = {"rate_hz": rate or None, "topic": (element.findtext("topic") or "").strip()}

        def number(path: str, default: float) -> float:
            text = element.findtext(path)
            if text is not None and text.strip().lower() in ("inf", "infinity"):
                return UNLIMITED
            return self.foreign.number(element, text, default)

        if ours == "laser":
            ray = "ray" if element.find("ray") is not None else "lidar"
            angles = number(f"{ray}/scan/horizontal/max_angle", 0) - number(f"{ray}/scan/horizontal/min_angle", 0)
            if not 0 < angles <= 2 * math.pi * (1 + 1e-6):
                self.foreign.note(f"the laser {name} sees {math.degrees(angles):g} degrees, and is left out")
                return None
            return Laser(name, "", fov_deg=_round(math.degrees(angles)),
                         beams=max(1, int(number(f"{ray}/scan/horizontal/samples", 1))),
                         range_min_m=number(f"{ray}/range/min", 0), range_max_m=number(f"{ray}/range/max", 10),
                         resolution_m=number(f"{ray}/range/resolution", 0),
                         noise_m=number(f"{ray}/noise/stddev", 0), **common)  # fmt: skip
        if ours == "camera":
            return Camera(name, "", fov_deg=_round(math.degrees(number("camera/horizontal_fov", 1.047))),
                          width_px=int(number("camera/image/width", 320)),
                          height_px=int(number("camera/image/height", 240)),
                          range_min_m=number("camera/clip/near", 0.1), range_max_m=number("camera/clip/far", 100),
                          noise=number("camera/noise/stddev", 0), **common)  # fmt: skip
        if ours == "ultrasonic":
            reach = number("sonar/max", 1)
            fov = 2 * math.degrees(math.atan2(number("sonar/radius", 0.5), reach))
            return Ultrasonic(
                name, "", fov_deg=_round(fov), range_min_m=number("sonar/min", 0), range_max_m=reach, **common
            )
        if ours == "bumper":
            touching = [(each.text or "").removesuffix("_collision") for each in element.findall("contact/collision")]
            return Bumper(name, "", shape=touching[0] if len(touching) == 1 else "", **common)
        if ours == "gps":
            sensing = "gps/position_sensing"
            return Gps(name, "", noise_m=number(f"{sensing}/horizontal/noise/stddev", 0),
                       noise_up_m=number(f"{sensing}/vertical/noise/stddev", 0), **common)  # fmt: skip
        if ours == "imu":
            gyro = number("imu/angular_velocity/x/noise/stddev", 0)
            accelerometer = number("imu/linear_acceleration/x/noise/stddev", 0)
            return Imu(name, "", noise_gyro_rad_s=gyro, noise_accelerometer_m_s2=accelerometer, **common)
        self.foreign.note(f"the sensor {name} is of the kind {kind}, which Studio does not know, and is left out")
        return None

    def _joint(self, element: etree._Element, links: dict[str, RawLink], raw: Raw) -> None:
        name, kind = element.get("name", ""), element.get("type") or "fixed"
        parent, child = (self._end(element, role) for role in ("parent", "child"))
        if "world" in (parent, child):
            self.foreign.note(f"the joint {name} holds the model to the world, and is left out")
            return
        ends = []
        for end in (parent, child):
            link = self._attached(end)
            if link is None:
                raise self.foreign.fault(element, f"the joint {name} names the link {end}, which does not exist")
            ends.append(link)
        if kind not in KINDS:
            self.foreign.note(f"the joint {name} is {kind}, which Studio does not know: taken as fixed")
        place = self._pose(name)
        before, after = inverse(self._pose(ends[0])) @ place, inverse(place) @ self._pose(ends[1])
        made = RawJoint(name, KINDS.get(kind, "fixed"), self.prefix + ends[0], self.prefix + ends[1], before, after)
        if made.kind != "fixed":
            self._axis(made, element, place, self._pose(ends[1]))
        raw.joints.append(made)

    def _axis(self, joint: RawJoint, element: etree._Element, place: Matrix, child: Matrix) -> None:
        axis = element.find("axis")
        xyz = axis.find("xyz") if axis is not None else None
        values = np.array(self.foreign.numbers(xyz, xyz.text, 3) if xyz is not None else [0.0, 0.0, 1.0])
        if axis is not None and xyz is not None:
            expressed_in = xyz.get("expressed_in")
            if expressed_in:
                frame = np.eye(4) if expressed_in == MODEL else self._pose(expressed_in)
                values = place[:3, :3].T @ frame[:3, :3] @ values
            elif self.is_old and (axis.findtext("use_parent_model_frame") or "").strip() in ("1", "true"):
                values = place[:3, :3].T @ values
        if float(np.linalg.norm(values)) < 1e-9:
            self.foreign.note(f"the joint {joint.name} has an axis without a direction: taken as fixed")
            joint.kind = "fixed"
            return
        x, y, z = values.tolist()
        joint.axis = (x, y, z)
        limit = axis.find("limit") if axis is not None else None
        if limit is None:
            return
        keys = {"lower": "lower", "upper": "upper", "effort": "effort", "velocity": "speed"}
        for key, ours in keys.items():
            text = (limit.findtext(key) or "").strip().lower()
            if text and text.lstrip("+-") not in ("inf", "infinity"):
                value = self.foreign.number(limit, text)
                if abs(value) < UNLIMITED and not (key in ("effort", "velocity") and value < 0):
                    setattr(joint, ours, value)
        if joint.lower is not None and joint.upper is not None and joint.lower > joint.upper:
            self.foreign.note(f"the limits of the joint {joint.name} are the wrong way round, and left out")
            joint.lower = joint.upper = None

    def _plugins(self, raw: Raw) -> None:
        by_name = {joint.name: joint for joint in raw.joints}
        for plugin in self.model.findall("plugin"):
            driven = [*plugin.findall("left_joint"), *plugin.findall("right_joint")]
            steered = [*plugin.findall("left_steering_joint"), *plugin.findall("right_steering_joint")]
            for elements, kind in ((driven, "drive"), (steered, "steering")):
                for element in elements:
                    joint = by_name.get((element.text or "").strip())
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
                self.foreign.note("the drive is known by its joints only: SDF does not tell the wheelbase")


def _renamed(link: RawLink, prefix: str) -> RawLink:
    link.name = prefix + link.name
    return link


def _round(value: float) -> float:
    """Degrees that went through radians."""
    return float(f"{value:.12g}")
