"""A vehicle as SDF for a Gazebo server: links, joints, sensors and drive, made from the same values as our own physics.

What cannot move against each other is one link, as in the embedded simulator. So a Pioneer with fifteen bodies has
three links instead of fifteen that fixed joints hold, and no mount gives way.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lxml import etree

from studio.model.geometry.rotations import Matrix, rpy_of
from studio.model.geometry.sensors import Bumper, Gps, Imu, Laser, Sensor, Ultrasonic
from studio.model.geometry.shapes import Box, Cylinder, Mesh, Sphere
from studio.runtime.sim.vehicles.vehicle import Mount, PlacedShape, Vehicle

TOUCHES = "touches"
"""The sensor that feels every shape of the vehicle; no port is called so."""
TOUCHES_HZ = 50.0
PACERS = "pacer"
"""Sensors that nobody reads. A server looks after all sensors of a kind as often as the fastest of them wants it: so
these let every sensor measure in the very step in which it is due."""
PACER_HZ = 1000.0
CASTER_FRICTION, HULL_FRICTION, TYRE_FRICTION = 0.01, 0.3, 10.0
"""A server takes the smaller friction of two surfaces: so the ground decides how well a tyre holds."""
TYPES: dict[type[Sensor], str] = {Laser: "ray", Ultrasonic: "ray", Gps: "gps", Imu: "imu"}
"""A bumper has none of its own: the sensor that feels every shape tells it. An ultrasonic sensor is a fan of rays: the
server's own sonar feels by a mesh, and misses what is thin."""
SONAR_RAYS = 9
DEFAULT_RATE_HZ = 10.0


def vehicle_sdf(vehicle: Vehicle, name: str) -> str:
    """A model called `name`. Rays and contacts are computed only while somebody subscribes to them."""
    root = etree.Element("sdf", version="1.7")
    model = etree.SubElement(root, "model", name=name)
    _text(model, "allow_auto_disable", "false")
    for index in range(len(vehicle.pieces)):
        _link(model, vehicle, index)
    for index, piece in enumerate(vehicle.pieces):
        if piece.joint is not None:
            _joint(model, vehicle, index)
    if vehicle.drive.kind == "differential":
        _differential_drive(model, vehicle)
    etree.indent(root)
    return str(etree.tostring(root, encoding="unicode")) + "\n"


def link_name(vehicle: Vehicle, index: int) -> str:
    """SDF has one name space for links and joints, and joints keep the names that the geometry knows."""
    return f"{vehicle.pieces[index].name}_link"


def sides(vehicle: Vehicle) -> tuple[list[int], list[int]]:
    """The driven wheels on the left and on the right."""
    places = {wheel: float(vehicle.place_of(wheel)[1, 3]) for wheel in vehicle.drive_joints}
    return [wheel for wheel, y in places.items() if y > 0], [wheel for wheel, y in places.items() if y <= 0]


def _link(model: etree._Element, vehicle: Vehicle, index: int) -> None:
    piece = vehicle.pieces[index]
    made = etree.SubElement(model, "link", name=link_name(vehicle, index))
    if piece.parent >= 0:
        _pose(made, piece.pose).set("relative_to", link_name(vehicle, piece.parent))
    inertial = etree.SubElement(made, "inertial")
    _text(inertial, "pose", _numbers(piece.inertia.centre) + " 0 0 0")
    _text(inertial, "mass", float(piece.inertia.mass_kg))
    inertia, m = etree.SubElement(inertial, "inertia"), piece.inertia.about_centre
    for row, column in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)):
        _text(inertia, "i" + "xyz"[row] + "xyz"[column], float(m[row, column]))
    for number, placed in enumerate(piece.shapes):
        _shape(made, placed, number, is_wheel=index in vehicle.drive_joints)
    for mount in vehicle.mounts:
        if mount.piece == index and not isinstance(mount.sensor, Bumper):
            _sensor(made, mount)
    if piece.shapes:
        _contacts(_new_sensor(made, TOUCHES, "contact", TOUCHES_HZ), range(len(piece.shapes)), piece.shapes)
    if index == 0:
        ray = _rays(_new_sensor(made, f"{PACERS}_ray", "ray", PACER_HZ), 0.0, 1, 0.0, 1)
        _range(ray, 0.01, 0.02, 0.0)
        _contacts(_new_sensor(made, f"{PACERS}_contact", "contact", PACER_HZ), [0], piece.shapes)


def collision_name(shapes: Sequence[PlacedShape], number: int) -> str:
    """`Raptor.bumper.3`: names of shapes need not differ, their numbers do."""
    placed = shapes[number]
    return f"{placed.body}.{placed.shape.name}.{number}"


def shape_of(collision: str) -> str:
    """`Raptor.bumper` of the collision `Raptor.bumper.3`."""
    return collision.rpartition(".")[0]


def _shape(link: etree._Element, placed: PlacedShape, number: int, *, is_wheel: bool) -> None:
    shape = placed.shape
    name = f"{placed.body}.{shape.name}.{number}"
    collision = etree.SubElement(link, "collision", name=name)
    _pose(collision, placed.pose)
    _geometry(collision, placed)
    surface = etree.SubElement(collision, "surface")
    friction = etree.SubElement(etree.SubElement(surface, "friction"), "ode")
    mu = TYRE_FRICTION if is_wheel else CASTER_FRICTION if isinstance(shape, Sphere) else HULL_FRICTION
    _text(friction, "mu", mu)
    _text(friction, "mu2", mu)
    visual = etree.SubElement(link, "visual", name=f"{name}.visual")
    _pose(visual, placed.pose)
    _geometry(visual, placed)
    if shape.colour:
        material = etree.SubElement(visual, "material")
        _text(material, "ambient", shape.colour)
        _text(material, "diffuse", shape.colour)


def _geometry(parent: etree._Element, placed: PlacedShape) -> None:
    shape, geometry = placed.shape, etree.SubElement(parent, "geometry")
    if isinstance(shape, Box):
        _text(etree.SubElement(geometry, "box"), "size", _numbers(shape.size))
    elif isinstance(shape, Cylinder):
        cylinder = etree.SubElement(geometry, "cylinder")
        _text(cylinder, "radius", float(shape.radius))
        _text(cylinder, "length", float(shape.length))
    elif isinstance(shape, Sphere):
        _text(etree.SubElement(geometry, "sphere"), "radius", float(shape.radius))
    elif isinstance(shape, Mesh):
        mesh = etree.SubElement(geometry, "mesh")
        beside = Path(placed.file).parent if placed.file else Path()
        _text(mesh, "uri", f"file://{(beside / shape.file).resolve()}")
        _text(mesh, "scale", _numbers(shape.scale))


def _joint(model: etree._Element, vehicle: Vehicle, index: int) -> None:
    piece = vehicle.pieces[index]
    assert piece.joint is not None
    kind = "prismatic" if piece.joint.kind == "slider" else "revolute"
    made = etree.SubElement(model, "joint", name=piece.name, type=kind)
    _text(made, "pose", _numbers(piece.anchor) + " 0 0 0")
    _text(made, "parent", link_name(vehicle, piece.parent))
    _text(made, "child", link_name(vehicle, index))
    axis = etree.SubElement(made, "axis")
    _text(axis, "xyz", _numbers(piece.axis))
    limit = etree.SubElement(axis, "limit")
    _text(limit, "lower", -1e16 if piece.joint.lower is None else float(piece.joint.lower))
    _text(limit, "upper", 1e16 if piece.joint.upper is None else float(piece.joint.upper))
    if piece.joint.effort is not None:
        _text(limit, "effort", float(piece.joint.effort))


def _differential_drive(model: etree._Element, vehicle: Vehicle) -> None:
    """Hears `~/<model>/vel_cmd`. It takes the track from the joints and the radius from the tyre."""
    left, right = sides(vehicle)
    plugin = etree.SubElement(model, "plugin", name="drive", filename="libDiffDrivePlugin.so")
    for side, wheels in (("left_joint", left), ("right_joint", right)):
        _text(plugin, side, vehicle.pieces[wheels[0]].name)
    joint = vehicle.pieces[left[0]].joint
    _text(plugin, "torque", float(joint.effort or 5.0) if joint is not None else 5.0)


# ---- sensors


def _new_sensor(link: etree._Element, name: str, kind: str, rate_hz: float) -> etree._Element:
    made = etree.SubElement(link, "sensor", name=name, type=kind)
    is_dear = kind in ("ray", "contact") and rate_hz != PACER_HZ
    _text(made, "always_on", "false" if is_dear else "true")
    _text(made, "update_rate", float(rate_hz))
    return made


def _sensor(link: etree._Element, mount: Mount) -> None:
    sensor = mount.sensor
    made = _new_sensor(link, mount.port, TYPES[type(sensor)], sensor.rate_hz or DEFAULT_RATE_HZ)
    _pose(made, mount.pose)
    if isinstance(sensor, Laser):
        ray = _rays(made, math.radians(sensor.fov_deg), sensor.beams, 0.0, 1)
        _range(ray, sensor.range_min_m, sensor.range_max_m, sensor.resolution_m)
        _ray_noise(ray, sensor.noise_m)
    elif isinstance(sensor, Ultrasonic):
        fov = math.radians(sensor.fov_deg)
        ray = _rays(made, fov, SONAR_RAYS, fov, SONAR_RAYS)
        _range(ray, sensor.range_min_m, sensor.range_max_m, 0.0)
    elif isinstance(sensor, Gps):
        sensing = etree.SubElement(etree.SubElement(made, "gps"), "position_sensing")
        _noise(etree.SubElement(sensing, "horizontal"), sensor.noise_m)
        _noise(etree.SubElement(sensing, "vertical"), sensor.noise_up_m)
    elif isinstance(sensor, Imu):
        imu = etree.SubElement(made, "imu")
        for what, deviation in (
            ("angular_velocity", sensor.noise_gyro_rad_s),
            ("linear_acceleration", sensor.noise_accelerometer_m_s2),
        ):
            part = etree.SubElement(imu, what)
            for axis in "xyz":
                _noise(etree.SubElement(part, axis), deviation)


def _rays(made: etree._Element, width: float, count: int, height: float, rows: int) -> etree._Element:
    ray = etree.SubElement(made, "ray")
    scan = etree.SubElement(ray, "scan")
    for tag, angle, samples in (("horizontal", width, count), ("vertical", height, rows)):
        if samples > 1 or tag == "horizontal":
            part = etree.SubElement(scan, tag)
            _text(part, "samples", str(samples))
            _text(part, "resolution", "1")
            _text(part, "min_angle", -angle / 2)
            _text(part, "max_angle", angle / 2)
    return ray


def _range(ray: etree._Element, least_m: float, most_m: float, step_m: float) -> None:
    made = etree.SubElement(ray, "range")
    _text(made, "min", float(least_m))
    _text(made, "max", float(most_m))
    if step_m:
        _text(made, "resolution", float(step_m))


def _ray_noise(ray: etree._Element, deviation: float) -> None:
    if deviation:
        noise = etree.SubElement(ray, "noise")
        _text(noise, "type", "gaussian")
        _text(noise, "mean", 0.0)
        _text(noise, "stddev", float(deviation))


def _noise(parent: etree._Element, deviation: float) -> None:
    noise = etree.SubElement(parent, "noise", type="gaussian")
    _text(noise, "mean", 0.0)
    _text(noise, "stddev", float(deviation))


def _contacts(made: etree._Element, numbers: Sequence[int], shapes: Sequence[PlacedShape]) -> None:
    contact = etree.SubElement(made, "contact")
    for number in numbers:
        _text(contact, "collision", collision_name(shapes, number))


# ---- XML


def _text(parent: etree._Element, tag: str, value: Any) -> etree._Element:
    made = etree.SubElement(parent, tag)
    made.text = value if isinstance(value, str) else repr(value)
    return made


def _pose(parent: etree._Element, pose: Matrix) -> etree._Element:
    return _text(parent, "pose", _numbers([*pose[:3, 3], *rpy_of(pose[:3, :3])]))


def _numbers(values: Any) -> str:
    return " ".join(repr(float(value)) for value in values)
