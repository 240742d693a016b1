"""Components for single devices on a Gazebo server that runs by itself: server and device are parameters, so that
several can stand side by side. Their profiles are in components/.

Initialised, a component connects; activated, it subscribes its one topic; deactivated, it lets go of it. A server that
ends and comes back is connected again. Stamps go by the clock of the server.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

from studio.messages import (
    Float64,
    Image,
    Imu,
    JointState,
    NavSatFix,
    Odometry,
    PoseTransform,
    Range3d,
    String,
    Twist,
    Velocity,
)
from studio.model.geometry.library import load_model
from studio.model.spec import Activation, Category, Value
from studio.paths import model_roots
from studio.runtime.component import Component, InPort, OutPort, Parameter
from studio.runtime.gazebo import conversions
from studio.runtime.gazebo.classic_server import ClassicServer
from studio.runtime.gazebo.connections.address import Family
from studio.runtime.gazebo.connections.finding import partition_of
from studio.runtime.gazebo.device_line import DeviceLine, Kinds, NoDevice, ServerTime, Tell
from studio.runtime.gazebo.joint_drive import JointDrive
from studio.runtime.sim.vehicles.driving import AT_REST, COMMAND_HOLDS_NS, Driving, Motion
from studio.runtime.sim.vehicles.vehicle import Vehicle, vehicle_of

CLASSIC, MODERN = Family.CLASSIC, Family.MODERN
SERVER_DOC = "host:port of Gazebo classic, or gz:PARTITION/WORLD of Fortress and later"
WHERE = "map"


class GazeboDevice(Component):
    """One device; subclasses say which types of messages it has, and what they become."""

    category: ClassVar[Category] = "sensor"
    icon: ClassVar[str] = "mdi6.cube-scan"
    tags: ClassVar[tuple[str, ...]] = ("gazebo device",)
    kinds: ClassVar[Kinds] = {}

    server = Parameter("127.0.0.1:11345", doc=SERVER_DOC)
    device = Parameter("", doc="topic of the device: ~/rover/hull_link/laser/scan, or /lidar of Fortress and later")

    line: DeviceLine | None = None
    _end: Callable[[], object] | None = None
    _time: ServerTime

    @property
    def trouble(self) -> str:  # type: ignore[override]
        return self.line.trouble if self.line is not None else ""

    def on_initialize(self) -> None:
        if self.is_live():
            self._open()
        else:
            self.log.info("the system does not run by the wall clock: %s is not used", self.server)

    def on_activate(self) -> None:
        if self.line is not None:
            self._begin(self.line)

    def on_deactivate(self) -> None:
        if self._end is not None:
            self._end()
            self._end = None

    def on_finalize(self) -> None:
        self._close()

    def on_reset(self) -> None:
        self._close()
        self.on_initialize()

    def on_error(self, error: Exception) -> None:
        self._close()

    def on_parameter(self, name: str, value: Value) -> None:
        is_active = self._end is not None
        self._close()
        self.on_initialize()
        if is_active:
            self.on_activate()

    def on_clock_jump(self) -> None:
        self._time = ServerTime()

    def take(self, told: Any, stamp_ns: int) -> None:
        """In the thread of the connection: convert one message and publish it."""
        raise NotImplementedError

    def _open(self) -> None:
        line = DeviceLine(self.server, self.device)
        if not self.kinds.get(line.address.family):
            line.close()
            raise NoDevice(f"Gazebo classic has nothing for {type(self).__name__}", hint="it needs Fortress or later")
        self.line = line

    def _begin(self, line: DeviceLine) -> None:
        self._time = ServerTime()
        self._end = line.hear(self.kinds, self._take)

    def _take(self, told: Any) -> None:
        self.take(told, self._time.stamp_ns(conversions.time_ns(told), self.now()))

    def _close(self) -> None:
        self.on_deactivate()
        if self.line is not None:
            self.line.close()
            self.line = None

    # What a server has sent cannot be had again: there is nothing to go back to.

    def save_state(self) -> Any:
        return None

    def load_state(self, state: Any) -> None:
        """Nothing to take back."""


# ---- what measures


class GazeboLaser(GazeboDevice):
    """A laser range finder on a Gazebo server."""

    icon = "mdi6.radar"
    kinds = {CLASSIC: ("LaserScanStamped",), MODERN: ("LaserScan",)}  # noqa: RUF012  # a declaration

    scan = OutPort(Range3d, doc="echoes; beams without one are left out")
    frame = Parameter("Laser:ScanOrigin", kind="frame", doc="of the points: x along the middle beam, y left")

    def take(self, told: Any, stamp_ns: int) -> None:
        self.scan.publish(conversions.scan(told, stamp_ns, self.frame), stamp_ns=stamp_ns)


class GazeboLidar3d(GazeboDevice):
    """A laser range finder with several rows of beams on a Gazebo server, from its scans or its cloud of points."""

    icon = "mdi6.radar"
    kinds = {CLASSIC: ("LaserScanStamped",), MODERN: ("PointCloudPacked", "LaserScan")}  # noqa: RUF012

    points = OutPort(Range3d, doc="echoes; beams without one are left out")
    frame = Parameter("Lidar:ScanOrigin", kind="frame", doc="of the points")

    def take(self, told: Any, stamp_ns: int) -> None:
        is_cloud = "point_step" in type(told).DESCRIPTOR.fields_by_name
        convert = conversions.cloud if is_cloud else conversions.scan
        self.points.publish(convert(told, stamp_ns, self.frame), stamp_ns=stamp_ns)


class _Pictures(GazeboDevice):
    kinds = {CLASSIC: ("ImageStamped",), MODERN: ("Image",)}  # noqa: RUF012
    _unknown = -1

    def picture(self, told: Any, stamp_ns: int, frame: str) -> Image | None:
        made = conversions.image(told, stamp_ns, frame)
        kind = conversions.pixel_format(told)
        if made is None and kind != self._unknown:
            self._unknown = kind
            self.log.warning("pictures in the pixel format %d cannot be read", kind)
        return made


class GazeboCamera(_Pictures):
    """A camera on a Gazebo server."""

    icon = "mdi6.camera"

    image = OutPort(Image, doc="as the server sends them")
    frame = Parameter("Camera:ImagePlane", kind="frame", doc="of the image")

    def take(self, told: Any, stamp_ns: int) -> None:
        made = self.picture(told, stamp_ns, self.frame)
        if made is not None:
            self.image.publish(made, stamp_ns=stamp_ns)


class GazeboDepth(_Pictures):
    """A depth camera on a Gazebo server."""

    icon = "mdi6.camera-iris"

    depth = OutPort(Image, doc="metres along the optical axis, 32FC1")
    frame = Parameter("Camera:ImagePlane", kind="frame", doc="of the image")

    def take(self, told: Any, stamp_ns: int) -> None:
        made = self.picture(told, stamp_ns, self.frame)
        if made is not None and made.encoding == "32FC1":
            self.depth.publish(made, stamp_ns=stamp_ns)


class GazeboImu(GazeboDevice):
    """An inertial unit on a Gazebo server."""

    icon = "mdi6.axis-arrow"
    kinds = {CLASSIC: ("IMU",), MODERN: ("IMU",)}  # noqa: RUF012

    imu = OutPort(
        Imu, doc="attitude, rates of turn and accelerations; a classic server counts from the attitude at start"
    )
    frame = Parameter("Imu:Sensing", kind="frame", doc="of the unit")

    def take(self, told: Any, stamp_ns: int) -> None:
        self.imu.publish(conversions.imu(told, stamp_ns, self.frame), stamp_ns=stamp_ns)


class GazeboGps(GazeboDevice):
    """A satellite receiver on a Gazebo server."""

    icon = "mdi6.satellite-variant"
    kinds = {CLASSIC: ("GPS",), MODERN: ("NavSat",)}  # noqa: RUF012

    fix = OutPort(NavSatFix, doc="position on Earth")
    frame = Parameter("Gps:PhaseCenter", kind="frame", doc="of the antenna")
    origin_deg = Parameter(
        (),
        doc="latitude and longitude of the world's origin, at which a classic server mirrors positions; empty: as sent",
    )

    def take(self, told: Any, stamp_ns: int) -> None:
        mirror = (self.origin_deg[0], self.origin_deg[1]) if len(self.origin_deg) == 2 else None
        self.fix.publish(conversions.fix(told, stamp_ns, self.frame, mirror), stamp_ns=stamp_ns)


class GazeboPose(GazeboDevice):
    """Where a model is, from the poses of its world or from its odometry."""

    icon = "mdi6.map-marker"
    kinds = {CLASSIC: ("PosesStamped",), MODERN: ("Pose_V", "Odometry")}  # noqa: RUF012

    pose = OutPort(PoseTransform, doc="of the model in map")
    odometry = OutPort(Odometry, doc="pose and speed, where the device is an odometry")
    device = Parameter("~/pose/info", doc="topic: ~/pose/info, /world/NAME/pose/info, or /model/NAME/odometry")
    model = Parameter("", doc="name of the pose; an odometry has only one")
    frame = Parameter("", kind="frame", doc="frame at the model's origin")

    def take(self, told: Any, stamp_ns: int) -> None:
        if "twist" in type(told).DESCRIPTOR.fields_by_name:
            self.odometry.publish(conversions.odometry(told, stamp_ns, self.frame), stamp_ns=stamp_ns)
            pose = told.pose
        else:
            pose = next((each for each in told.pose if each.name == self.model), None)
        if pose is not None:
            self._is_told = True
            made = conversions.pose(pose, stamp_ns, WHERE, self.frame or self.model)
            self.pose.publish(made, stamp_ns=stamp_ns)

    def _begin(self, line: DeviceLine) -> None:
        super()._begin(line)
        self._is_told = False
        if line.is_classic and self.model:
            ends = [self._end, line.hear_model(self.model, self._take_first)]
            self._end = lambda: [end() for end in ends if end is not None]

    def _take_first(self, model: Any) -> None:
        """Where it rests; what moves is told by its topic."""
        if not self._is_told:
            stamp_ns = self.now()
            self.pose.publish(
                conversions.pose(model.pose, stamp_ns, WHERE, self.frame or self.model), stamp_ns=stamp_ns
            )


class GazeboJoints(GazeboDevice):
    """The joints of a model on a server of Fortress or later (its plugin JointStatePublisher tells them)."""

    icon = "mdi6.robot-industrial"
    kinds = {MODERN: ("Model",)}  # noqa: RUF012

    joints = OutPort(JointState, doc="positions and speeds")

    def take(self, told: Any, stamp_ns: int) -> None:
        self.joints.publish(conversions.joints(told, stamp_ns), stamp_ns=stamp_ns)


class GazeboContact(GazeboDevice):
    """A contact sensor on a Gazebo server."""

    icon = "mdi6.car-brake-alert"
    kinds = {CLASSIC: ("Contacts",), MODERN: ("Contacts",)}  # noqa: RUF012

    touch = OutPort(Float64, doc="1 while it touches something, else 0")
    pairs = OutPort(String, doc="JSON: which collisions touch each other, as a list of pairs")

    def take(self, told: Any, stamp_ns: int) -> None:
        pairs = conversions.touching(told)
        self.touch.publish(Float64(float(bool(pairs))), stamp_ns=stamp_ns)
        self.pairs.publish(String(json.dumps(pairs)), stamp_ns=stamp_ns)


# ---- what is commanded


class _Commanded(GazeboDevice):
    """Holds a command for 250 ms; then what it drives stands."""

    category: ClassVar[Category] = "actuator"
    activations: ClassVar[tuple[Activation, ...]] = ("periodic",)
    period_s: ClassVar[float] = 0.05

    model = Parameter("", doc="name of the model on the server, to drive it joint by joint")
    assembly = Parameter("", doc="assembly of the model, for its joints and wheels")

    _vehicle: Vehicle | None = None
    _joints: JointDrive | None = None

    def _vehicle_of(self) -> Vehicle | None:
        return vehicle_of(load_model(self.assembly, model_roots(self.project))) if self.assembly else None

    def _joints_of(self, line: DeviceLine, vehicle: Vehicle) -> JointDrive:
        """As soon as the server is there: its step decides how stiff its controllers may be."""
        address = line.address
        server = ClassicServer(address.host, address.port)
        try:
            step_s = server.physics().max_step_size
        finally:
            server.close()
        pieces = range(1, len(vehicle.pieces))
        return JointDrive(self.model, vehicle, pieces, step_s, partition_of(address.port))

    def _close(self) -> None:
        super()._close()
        if self._joints is not None:
            self._joints.close()
            self._joints = None

    @property
    def trouble(self) -> str:  # type: ignore[override]
        """That nobody publishes what this component publishes itself is none."""
        said = self.line.trouble if self.line is not None else ""
        return said if said.startswith("no Gazebo server") else ""


class GazeboDrive(_Commanded):
    """Drives a vehicle on a Gazebo server: differential, skid and Ackermann.

    A topic for twists (`~/rover/vel_cmd`, `/model/rover/cmd_vel`) drives what has a drive plugin. Without one, a
    vehicle of Gazebo classic is driven joint by joint, by its assembly.
    """

    icon = "mdi6.steering"
    kinds = {CLASSIC: ("Pose",), MODERN: ("Twist",)}  # noqa: RUF012

    twist = InPort(Twist, keep="latest", optional=True, doc="speed and rate of turn; holds for 250 ms")
    command = InPort(Velocity, keep="latest", optional=True, doc="speed and steering angle; holds for 250 ms")
    device = Parameter("", doc="topic that takes twists; empty: joint by joint")

    _tell: Tell | None = None
    _motion: Motion = AT_REST
    _told_ns: int = -COMMAND_HOLDS_NS
    _driving: Driving | None = None

    def on_twist(self, message: Twist) -> None:
        self._motion = Motion(message.speed_m_s, message.yaw_rate_rad_s)
        if self._driving is not None:
            self._motion = self._driving.wanted_turning(message.speed_m_s, message.yaw_rate_rad_s)
        self._told_ns = self.now()
        self._drive()

    def on_command(self, message: Velocity) -> None:
        if self._driving is None:
            raise NoDevice("a steering angle needs the wheelbase of the vehicle", hint="set assembly")
        self._motion, self._told_ns = self._driving.wanted(message.speed_m_s, message.steering_angle_rad), self.now()
        self._drive()

    def on_timer(self) -> None:
        if self._motion != AT_REST and self.now() - self._told_ns >= COMMAND_HOLDS_NS:
            self._motion = replace(self._motion, speed_m_s=0.0, yaw_rate_rad_s=0.0)
            self._drive()
            self._motion = AT_REST

    def _begin(self, line: DeviceLine) -> None:
        self._vehicle = self._vehicle_of()
        self._driving = Driving(self._vehicle) if self._vehicle is not None else None
        if self.device:
            self._tell = line.tell(self.kinds)
        elif self._vehicle is None or not line.is_classic or not self.model:
            raise NoDevice("there is nothing to drive", hint="set device, or model and assembly of Gazebo classic")
        self._end = lambda: None

    def _drive(self) -> None:
        line = self.line
        if line is None:
            return
        if self._tell is None:
            assert self._vehicle is not None and self._driving is not None
            self._joints = self._joints or self._joints_of(line, self._vehicle)
            self._joints.tell(self._driving.servos(self._motion))
        else:
            motion, convert = self._motion, conversions.classic_drive if line.is_classic else conversions.modern_drive
            self._tell(lambda new: convert(new, motion))


class GazeboJointCommand(_Commanded):
    """Moves joints on a Gazebo server: all of a model by its assembly (classic), or one by its topic (Fortress and
    later)."""

    icon = "mdi6.robot-industrial"
    kinds = {CLASSIC: ("Pose",), MODERN: ("Double",)}  # noqa: RUF012

    joints = InPort(JointState, keep="latest", doc="positions of joints, speeds of wheels")
    device = Parameter("", doc="topic of one joint, for example /model/rover/joint/arm/0/cmd_pos")

    _tell: Tell | None = None

    def on_joints(self, message: JointState) -> None:
        line = self.line
        if line is None:
            return
        if self._tell is not None:
            values = message.position if len(message.position) else message.velocity
            if len(values):
                self._tell(lambda new: {"data": float(values[0])})
            return
        assert self._vehicle is not None
        self._joints = self._joints or self._joints_of(line, self._vehicle)
        self._joints.tell(joint_targets(self._vehicle, message))

    def on_timer(self) -> None:
        """A position holds; nothing is to be done in time."""

    def _begin(self, line: DeviceLine) -> None:
        self._vehicle = self._vehicle_of()
        if not line.is_classic and self.device:
            self._tell = line.tell(self.kinds)
        elif not line.is_classic or self._vehicle is None or not self.model:
            raise NoDevice("there is nothing to move", hint="set model and assembly, or device of Fortress and later")
        self._end = lambda: None


def joint_targets(vehicle: Vehicle, message: JointState) -> dict[int, float]:
    """Piece -> position of its joint, or speed of its wheel; of the joints that the message names."""
    places = {name: place for place, name in enumerate(message.names)}
    found = {}
    for piece in range(1, len(vehicle.pieces)):
        values = message.velocity if piece in vehicle.drive_joints else message.position
        place = places.get(vehicle.pieces[piece].name)
        if place is not None and place < len(values):
            found[piece] = float(values[place])
    return found


DEVICES: tuple[type[GazeboDevice], ...] = (
    GazeboLaser, GazeboLidar3d, GazeboCamera, GazeboDepth, GazeboImu, GazeboGps, GazeboPose, GazeboJoints,
    GazeboContact, GazeboDrive, GazeboJointCommand,
)  # fmt: skip
