"""The messages of gz-msgs that Studio uses, by names and field numbers, the same from Fortress to Jetty.

Up to transport 11 (Fortress) a type is called `ignition.msgs.X` on the wire, from 12 on `gz.msgs.X`.
"""

from __future__ import annotations

import re
from functools import cache

from studio.runtime.gazebo.schema import Schema

GZ, IGNITION = "gz.msgs.", "ignition.msgs."
PREFIXES = (GZ, IGNITION)

TABLE = """
Time: 1 sec int64, 2 nsec int32
Header: 1 stamp Time, 2 data* Header.Map
Header.Map: 1 key string, 2 value* string
Empty: 1 unused bool
Boolean: 1 header Header, 2 data bool
Int32: 1 header Header, 2 data int32
UInt32: 1 header Header, 2 data uint32
Float: 1 header Header, 2 data float
Double: 1 header Header, 2 data double
StringMsg: 1 header Header, 2 data string
StringMsg_V: 1 header Header, 2 data* string
Clock: 1 header Header, 2 system Time, 3 real Time, 4 sim Time
Vector3d: 1 header Header, 2 x double, 3 y double, 4 z double
Quaternion: 1 header Header, 2 x double, 3 y double, 4 z double, 5 w double
Pose: 1 header Header, 2 name string, 3 id uint32, 4 position Vector3d, 5 orientation Quaternion
Pose_V: 1 header Header, 2 pose* Pose
Twist: 1 header Header, 2 linear Vector3d, 3 angular Vector3d
Wrench: 1 header Header, 2 force Vector3d, 3 torque Vector3d, 4 force_offset Vector3d
Odometry: 1 header Header, 2 pose Pose, 3 twist Twist
Actuators: 1 header Header, 2 position* double, 3 velocity* double, 4 normalized* double
IMU: 1 header Header, 2 entity_name string, 3 orientation Quaternion, 4 angular_velocity Vector3d,
    5 linear_acceleration Vector3d
NavSat: 1 header Header, 2 latitude_deg double, 3 longitude_deg double, 4 altitude double, 5 velocity_east double,
    6 velocity_north double, 7 velocity_up double, 8 frame_id string
LaserScan: 1 header Header, 2 frame string, 3 world_pose Pose, 4 angle_min double, 5 angle_max double,
    6 angle_step double, 7 range_min double, 8 range_max double, 9 count uint32, 10 vertical_angle_min double,
    11 vertical_angle_max double, 12 vertical_angle_step double, 13 vertical_count uint32, 14 ranges* double,
    15 intensities* double
PointCloudPacked: 1 header Header, 2 field* PointCloudPacked.Field, 3 height uint32, 4 width uint32,
    5 is_bigendian bool, 6 point_step uint32, 7 row_step uint32, 8 data bytes, 9 is_dense bool
PointCloudPacked.Field: 1 name string, 2 offset uint32, 3 datatype int32, 4 count uint32
Image: 1 header Header, 2 width uint32, 3 height uint32, 4 step uint32, 5 data bytes, 6 pixel_format_type int32
Entity: 1 header Header, 2 id uint64, 3 name string, 4 type int32
PID: 1 header Header, 2 target_optional Double, 3 p_gain_optional Double, 4 i_gain_optional Double,
    5 d_gain_optional Double, 6 i_max_optional Double, 7 i_min_optional Double, 8 limit_optional Double
JointCmd: 1 header Header, 2 name string, 3 axis int32, 5 position PID, 6 velocity PID, 7 reset bool,
    8 force_optional Double
JointWrench: 1 header Header, 2 body_1_name string, 3 body_1_id uint32, 4 body_2_name string, 5 body_2_id uint32,
    6 body_1_wrench Wrench, 7 body_2_wrench Wrench
Contact: 1 header Header, 2 collision1 Entity, 3 collision2 Entity, 4 position* Vector3d, 5 normal* Vector3d,
    6 depth* double, 7 wrench* JointWrench, 8 world Entity
Contacts: 1 header Header, 2 contact* Contact
Axis: 1 header Header, 2 xyz Vector3d, 3 limit_lower double, 4 limit_upper double, 5 limit_effort double,
    6 limit_velocity double, 7 damping double, 8 friction double, 10 position double, 11 velocity double,
    12 force double, 13 acceleration double, 14 xyz_expressed_in string
Inertial: 1 header Header, 2 mass double, 3 pose Pose, 4 ixx double, 5 ixy double, 6 ixz double, 7 iyy double,
    8 iyz double, 9 izz double
LidarSensor: 1 header Header, 2 display_scan bool, 3 horizontal_samples int32, 4 horizontal_resolution double,
    5 horizontal_min_angle double, 6 horizontal_max_angle double, 7 vertical_samples int32,
    8 vertical_resolution double, 9 vertical_min_angle double, 10 vertical_max_angle double, 11 range_min double,
    12 range_max double, 13 range_resolution double
Sensor: 1 header Header, 2 name string, 3 id uint32, 4 parent string, 5 parent_id uint32, 6 type string,
    7 always_on bool, 8 update_rate double, 9 pose Pose, 12 visualize bool, 13 topic string, 20 lidar LidarSensor
SdfGeneratorConfig:
BoxGeom: 1 header Header, 2 size Vector3d
CylinderGeom: 1 header Header, 2 radius double, 3 length double
SphereGeom: 1 header Header, 2 radius double
Geometry: 1 header Header, 2 type int32, 3 box BoxGeom, 4 cylinder CylinderGeom, 6 sphere SphereGeom
Visual: 1 header Header, 2 name string, 9 pose Pose, 10 geometry Geometry
Joint: 1 header Header, 2 name string, 3 id uint32, 4 type int32, 5 parent string, 6 parent_id uint32,
    7 child string, 8 child_id uint32, 9 pose Pose, 10 axis1 Axis, 11 axis2 Axis, 21 sensor* Sensor
Link: 1 header Header, 2 id uint32, 3 name string, 4 self_collide bool, 5 gravity bool, 6 kinematic bool,
    7 enabled bool, 9 inertial Inertial, 10 pose Pose, 11 visual* Visual, 13 sensor* Sensor
Model: 1 header Header, 2 name string, 3 id uint32, 4 is_static bool, 5 pose Pose, 6 joint* Joint, 7 link* Link,
    8 deleted bool, 10 scale Vector3d, 11 self_collide bool, 12 model* Model
Scene: 1 header Header, 2 name string, 9 model* Model, 11 joint* Joint
EntityFactory: 1 header Header, 2 sdf string, 3 sdf_filename string, 4 model Model, 6 clone_name string,
    7 pose Pose, 8 name string, 9 allow_renaming bool, 10 relative_to string
EntityFactory_V: 1 header Header, 2 data* EntityFactory
WorldReset: 1 header Header, 2 all bool, 3 time_only bool, 4 model_only bool
WorldControl: 1 header Header, 2 pause bool, 3 step bool, 4 multi_step uint32, 5 reset WorldReset, 6 seed uint32,
    7 run_to_sim_time Time
WorldStatistics: 1 header Header, 2 sim_time Time, 3 pause_time Time, 4 real_time Time, 5 paused bool,
    6 iterations uint64, 7 model_count int32, 9 real_time_factor double, 10 step_size Time
Physics: 1 header Header, 14 real_time_factor double, 15 real_time_update_rate double, 16 max_step_size double
ServerControl: 1 header Header, 2 save_world_name string, 3 save_filename string, 4 open_filename string,
    5 new_world bool, 6 stop bool, 7 clone bool, 8 new_port uint32
Discovery: 1 header Header, 2 version uint32, 3 process_uuid string, 4 type int32, 5 flags Discovery.Flags,
    6 sub Discovery.Subscriber, 7 pub Discovery.Publisher
Discovery.Flags: 1 relay bool, 2 no_relay bool
Discovery.Subscriber: 1 topic string
Discovery.Publisher: 1 topic string, 2 address string, 3 process_uuid string, 4 node_uuid string, 5 scope int32,
    6 msg_pub Discovery.MessagePublisher, 7 srv_pub Discovery.ServicePublisher
Discovery.MessagePublisher: 1 ctrl string, 2 msg_type string, 3 throttled bool, 4 msgs_per_sec uint64
Discovery.ServicePublisher: 1 socket_id string, 2 request_type string, 3 response_type string
"""


CLASSIC_PID = """
PID: 1 header Header, 9 target_optional Double, 10 p_gain_optional Double, 11 i_gain_optional Double,
    12 d_gain_optional Double, 13 i_max_optional Double, 14 i_min_optional Double, 15 limit_optional Double
"""
"""In the version that Gazebo classic 11 has its fields have other numbers."""


@cache
def messages_in_classic() -> Schema:
    """Those that a server of Gazebo classic hears by gz-transport: the targets of its joints."""
    wanted = {"Time", "Header", "Header.Map", "Double", "StringMsg", "JointCmd"}
    lines = [line for line in re.sub(r"\n[ ]+", " ", TABLE.strip()).splitlines() if line.partition(":")[0] in wanted]
    place = next(place for place, line in enumerate(lines) if line.startswith("JointCmd"))
    return Schema(IGNITION, "\n".join([*lines[:place], CLASSIC_PID.strip(), *lines[place:]]))


@cache
def messages(prefix: str = GZ) -> Schema:
    return Schema(prefix, TABLE)
