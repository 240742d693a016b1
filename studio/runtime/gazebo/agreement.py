"""Whether a vehicle on a server is what its assembly says: masses, joints and their limits, sensors and where they are.

Both sides are SDF: the world as the server has it now, and the model as it is made from the assembly.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from lxml import etree

from studio.errors import StudioError
from studio.model.geometry.poses import distance
from studio.model.geometry.rotations import Matrix, from_rpy
from studio.model.xml_parse import parse_hardened
from studio.runtime.gazebo.server import GazeboError, GazeboServer
from studio.runtime.gazebo.vehicle_sdf import PACERS, TOUCHES

SHARE, LEAST = 2e-5, 1e-5
"""A server writes six digits."""
SAME_M, SAME_RAD = 2e-5, 2e-5
BESIDES = (PACERS, TOUCHES)
"""Sensors for the connection alone, which no assembly has."""
UNLIMITED = 1e15
PARTS = {"link": "part", "joint": "joint", "sensor": "sensor"}
DEFAULT_FRAMES = {"link": "", "joint": "child", "frame": "attached_to"}
"""What has a pose in a model, and where it says what that is relative to if the pose does not."""

Fact = float | str | Matrix


@dataclass(frozen=True)
class Mismatch:
    subject: str
    """`joint front_left`, `sensor laser`."""
    what: str
    """`range_max_m`; empty where all of it is missing on one side."""
    words: str


def check(server: GazeboServer, model: str, wanted_sdf: str) -> list[Mismatch]:
    """What of the model on the server is not as wanted; nothing if all of it is."""
    return mismatches(_model(server.world_sdf(), model), _model(wanted_sdf))


def mismatches(found: etree._Element, wanted: etree._Element) -> list[Mismatch]:
    """Of two <model>."""
    mine, theirs = dict(_subjects(wanted)), dict(_subjects(found))
    told = [Mismatch(name, "", f"the {name} is missing on the server") for name in mine if name not in theirs]
    told += [Mismatch(name, "", f"the {name} is not in the assembly") for name in theirs if name not in mine]
    for name in mine:
        if name in theirs:
            told += _differing(name, theirs[name], mine[name])
    return told


def _differing(name: str, found: Mapping[str, Fact], wanted: Mapping[str, Fact]) -> Iterator[Mismatch]:
    for what, should in wanted.items():
        has = found.get(what)
        if has is None:
            yield Mismatch(name, what, f"{name}: {what} is not set on the server, {_shown(should)} in the assembly")
        elif isinstance(should, np.ndarray) and isinstance(has, np.ndarray):
            far_m, turned_rad = distance(has, should)
            if far_m > SAME_M or turned_rad > SAME_RAD:
                apart = f"{1000 * far_m:.4g} mm and {math.degrees(turned_rad):.4g} degrees"
                yield Mismatch(name, what, f"{name} is {apart} away from its pose in the assembly")
        elif not _is_same(has, should):
            yield Mismatch(
                name, what, f"{name}: {what} is {_shown(has)} on the server, {_shown(should)} in the assembly"
            )


def _is_same(one: Fact, other: Fact) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=SHARE, abs_tol=LEAST) or min(abs(one), abs(other)) > UNLIMITED
    return bool(one == other)


def _shown(fact: Fact) -> str:
    if isinstance(fact, float):
        return "unlimited" if abs(fact) > UNLIMITED else f"{fact:.6g}"
    return str(fact)


# ---- facts of an SDF model


def _subjects(model: etree._Element) -> Iterator[tuple[str, dict[str, Fact]]]:
    named = {each.get("name") or "": each for each in model if each.tag in DEFAULT_FRAMES}
    for link in model.iterchildren("link"):
        facts: dict[str, Fact] = {"place": _place(link, named)}
        _add(facts, link, "inertial/mass", "mass_kg")
        for one in ("xx", "yy", "zz"):
            _add(facts, link, f"inertial/inertia/i{one}", f"i{one}_kg_m2")
        yield f"part {link.get('name')}", facts
        for sensor in link.iterchildren("sensor"):
            if not (sensor.get("name") or "").startswith(BESIDES):
                yield f"sensor {sensor.get('name')}", dict(_sensor(sensor))
    for joint in model.iterchildren("joint"):
        facts = {"kind": joint.get("type") or "", "place": _place(joint, named)}
        for end in ("parent", "child"):
            facts[end] = (joint.findtext(end) or "").strip()
        _add(facts, joint, "axis/limit/lower", "lower")
        _add(facts, joint, "axis/limit/upper", "upper")
        facts["axis"] = " ".join(f"{value:.4g}" for value in _numbers(joint.findtext("axis/xyz"), 3) + 0.0)
        yield f"joint {joint.get('name')}", facts


def _sensor(sensor: etree._Element) -> Iterator[tuple[str, Fact]]:
    facts: dict[str, Fact] = {"kind": (sensor.get("type") or "").removeprefix("gpu_"), "place": _pose(sensor)}
    _add(facts, sensor, "update_rate", "rate_hz")
    for rays in ("ray", "lidar"):
        for way, what in (("horizontal", "beams"), ("vertical", "rows")):
            scan = f"{rays}/scan/{way}"
            ends = [_number(sensor, f"{scan}/{end}_angle") for end in ("min", "max")]
            count = _number(sensor, f"{scan}/samples")
            if count is not None and (count > 1 or way == "horizontal"):
                facts[what] = count
                if ends[0] is not None and ends[1] is not None:
                    facts["fov_deg" if way == "horizontal" else "height_deg"] = math.degrees(ends[1] - ends[0])
        for end in ("min", "max"):
            _add(facts, sensor, f"{rays}/range/{end}", f"range_{end}_m")
        _add(facts, sensor, f"{rays}/noise/stddev", "noise_m")
    for path, what in (
        ("gps/position_sensing/horizontal/noise/stddev", "noise_m"),
        ("gps/position_sensing/vertical/noise/stddev", "noise_up_m"),
        ("imu/angular_velocity/x/noise/stddev", "noise_gyro_rad_s"),
        ("imu/linear_acceleration/x/noise/stddev", "noise_accelerometer_m_s2"),
    ):
        _add(facts, sensor, path, what)
    yield from facts.items()


def _add(facts: dict[str, Fact], element: etree._Element, path: str, what: str) -> None:
    value = _number(element, path)
    if value is not None:
        facts[what] = value


def _number(element: etree._Element, path: str) -> float | None:
    text = element.findtext(path)
    try:
        return float(text) if text is not None else None
    except ValueError:
        return None


def _place(element: etree._Element, named: Mapping[str, etree._Element]) -> Matrix:
    """In its model. Classic keeps what a pose is relative to; later servers write others."""
    made, passed = _pose(element), {id(element)}
    while (base := named.get(_frame_of(element))) is not None and id(base) not in passed:
        made, element = _pose(base) @ made, base
        passed.add(id(base))
    return made


def _frame_of(element: etree._Element) -> str:
    """The name of what its pose is relative to; empty for the model."""
    pose, default = element.find("pose"), DEFAULT_FRAMES[str(element.tag)]
    said = "" if pose is None else pose.get("relative_to") or ""
    if said or not default:
        return said
    return (element.findtext(default) or element.get(default) or "").strip()


def _pose(element: etree._Element) -> Matrix:
    values = _numbers(element.findtext("pose"), 6)
    made = np.eye(4)
    made[:3, :3] = from_rpy(*(float(value) for value in values[3:]))
    made[:3, 3] = values[:3]
    return made


def _numbers(text: str | None, count: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    try:
        values = np.array([float(word) for word in (text or "").split()])
    except ValueError:
        values = np.zeros(0)
    return values if len(values) == count else np.zeros(count)


def _model(sdf: str, name: str = "") -> etree._Element:
    """The first, or the one of this name."""
    try:
        root = parse_hardened(sdf.encode())
    except StudioError as error:
        raise GazeboError(f"the server's world cannot be read: {error.message}") from None
    for model in root.iter("model"):
        above = model.getparent()
        if above is not None and above.tag != "state" and name in ("", model.get("name")):
            return model
    raise GazeboError(f"there is no model {name}")
