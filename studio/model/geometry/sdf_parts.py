"""What a link of an SDF file holds: mass, shapes, sensors; and poses as they are written."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from lxml import etree

from studio.model.geometry.foreign_values import Foreign, colour_text, merged
from studio.model.geometry.import_tree import RawLink
from studio.model.geometry.poses import Pose
from studio.model.geometry.rotations import Matrix, from_quaternion
from studio.model.geometry.sdf import OPTICAL, TYPES
from studio.model.geometry.sensors import Bumper, Camera, Gps, Imu, Laser, Sensor, Ultrasonic
from studio.model.geometry.shapes import Shape
from studio.model.xml_schema import line_of

SENSOR_KINDS = {kind: ours for ours, kind in TYPES.items()} | {
    "lidar": "laser", "gpu_lidar": "laser", "gpu_ray": "laser", "navsat": "gps", "depth": "camera",
    "depth_camera": "camera", "rgbd_camera": "camera",
}  # fmt: skip
UNLIMITED = 1e9
"""Files write 1e16, 1e30 or inf for what has no limit."""


class SdfParts:
    def __init__(self, foreign: Foreign) -> None:
        self.foreign = foreign

    def pose(self, element: etree._Element | None) -> Matrix:
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

    def link(self, element: etree._Element, name: str) -> RawLink:
        link = RawLink(name)
        inertial = element.find("inertial")
        if inertial is not None:
            number = self.foreign.number
            inertia = inertial.find("inertia")
            keys = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
            moments = [number(inertia, inertia.findtext(key) if inertia is not None else None) for key in keys]
            mass = number(inertial, inertial.findtext("mass"), 1.0)
            link.mass = self.foreign.mass(inertial, mass, self.pose(inertial.find("pose")), moments)
        shapes = [self._shape(part, use) for use in ("visual", "collision") for part in element.findall(use)]
        link.shapes = merged([shape for shape in shapes if shape is not None])
        for sensor in element.findall("sensor"):
            found = self._sensor(sensor)
            if found is not None:
                pose = self.pose(sensor.find("pose"))
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
        values["pose"] = Pose.from_matrix(self.pose(part.find("pose")))
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


def _round(value: float) -> float:
    """Degrees that went through radians."""
    return float(f"{value:.12g}")
