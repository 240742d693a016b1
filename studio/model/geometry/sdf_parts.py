"""What a link of an SDF file holds: mass, shapes, sensors; and poses as they are written."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from lxml import etree

from studio.model.geometry.foreign_values import UNLIMITED, Foreign, colour_text, merged
from studio.model.geometry.import_tree import RawLink
from studio.model.geometry.poses import Pose
from studio.model.geometry.rotations import Matrix
from studio.model.geometry.sdf import OPTICAL, TYPES
from studio.model.geometry.sensors import Bumper, Camera, Gps, Imu, Laser, Sensor, Ultrasonic
from studio.model.geometry.shapes import Shape
from studio.model.xml_schema import line_of

SENSOR_KINDS = {kind: ours for ours, kind in TYPES.items()} | {
    "lidar": "laser", "gpu_lidar": "laser", "gpu_ray": "laser", "navsat": "gps", "depth": "camera",
    "depth_camera": "camera", "rgbd_camera": "camera",
}  # fmt: skip
TRUE = ("1", "true")
USUAL = {"gravity": True, "kinematic": False}
"""Of a link; another value is told."""
READ = {*USUAL, "pose", "inertial", "visual", "collision", "sensor", "self_collide", "enable_wind", "velocity_decay"}

PoseInLink = Callable[[etree._Element | None], Matrix]
"""Where a part is in its link, by its <pose>."""


class SdfParts:
    def __init__(self, foreign: Foreign) -> None:
        self.foreign = foreign

    def pose(self, element: etree._Element | None) -> Matrix:
        if element is None:
            return np.eye(4)
        if element.get("frame"):
            self.foreign.note("the attribute frame of <pose> is ignored, as simulators do")
        form = element.get("rotation_format", "euler_rpy")
        if form == "quat_xyzw":
            values = self.foreign.numbers(element, element.text, 7)
            made = self.foreign.matrix(element, values[:3], [0.0, 0.0, 0.0])
            made[:3, :3] = self.foreign.quaternion(element, values[3:])
            return made
        if form != "euler_rpy":
            raise self.foreign.fault(element, f"the rotation_format {form} is not known")
        values = self.foreign.numbers(element, element.text, 6)
        if is_true(element.get("degrees")):
            values[3:] = [math.radians(value) for value in values[3:]]
        return self.foreign.matrix(element, values[:3], values[3:])

    def link(self, element: etree._Element, name: str, pose: PoseInLink) -> RawLink:
        link = RawLink(name)
        self._tell_left_out(element, name)
        inertial = element.find("inertial")
        if inertial is not None:
            number = self.foreign.number
            inertia = inertial.find("inertia")
            keys = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
            moments = [number(inertia, inertia.findtext(key) if inertia is not None else None) for key in keys]
            mass = number(inertial, inertial.findtext("mass"), 1.0)
            link.mass = self.foreign.mass(inertial, mass, self.pose(inertial.find("pose")), moments)
        shapes = [self._shape(part, use, pose) for use in ("visual", "collision") for part in element.findall(use)]
        link.shapes = merged([shape for shape in shapes if shape is not None])
        for sensor in element.findall("sensor"):
            found = self._sensor(sensor)
            if found is not None:
                link.sensors.append((found, pose(sensor.find("pose")) @ self._axes(found, sensor)))
        return link

    def _axes(self, sensor: Sensor, element: etree._Element) -> Matrix:
        """What the frame of a sensor is here: the middle of a laser's view, the image plane of a camera."""
        if isinstance(sensor, Camera):
            return self.pose(element.find("camera/pose")) @ OPTICAL
        horizontal = element.find("*/scan/horizontal") if isinstance(sensor, Laser) else None
        if horizontal is None:
            return np.eye(4)
        ends = (self.foreign.number(horizontal, horizontal.findtext(key)) for key in ("min_angle", "max_angle"))
        return self.foreign.matrix(horizontal, [0.0, 0.0, 0.0], [0.0, 0.0, sum(ends) / 2])

    def _tell_left_out(self, link: etree._Element, name: str) -> None:
        for tag in sorted({str(child.tag) for child in link.iterchildren(etree.Element)} - READ):
            self.foreign.note(f"<{tag}> of links is left out")
        for tag, usual in USUAL.items():
            text = link.findtext(tag)
            if text is not None and is_true(text) != usual:
                self.foreign.note(f"<{tag}> {text.strip()} of the link {name} is left out")

    def _shape(self, part: etree._Element, use: str, pose: PoseInLink) -> Shape | None:
        geometry = part.find("geometry")
        inner = next(geometry.iterchildren(etree.Element), None) if geometry is not None else None
        if inner is None:
            self.foreign.note(f"line {line_of(part)}: a <{use}> without geometry is left out")
            return None
        name = "".join(each if each.isalnum() or each in "_-" else "_" for each in (part.get("name") or ""))
        name = name.removesuffix(f"_{use}")
        values: dict[str, Any] = {"kind": str(inner.tag), "use": use, "name": name if name[:1].isalpha() else ""}
        values["pose"] = Pose.from_matrix(pose(part.find("pose")))
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
            if (layers := int(number(f"{ray}/scan/vertical/samples", 1))) > 1:
                self.foreign.note(f"the laser {name} has {layers} layers, and only the level one is imported")
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


def is_true(text: str | None) -> bool:
    return (text or "").strip().lower() in TRUE


def _round(value: float) -> float:
    """Degrees that went through radians."""
    return float(f"{value:.12g}")
