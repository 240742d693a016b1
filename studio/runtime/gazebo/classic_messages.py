"""The messages of Gazebo classic 11 that Studio uses, by names and field numbers."""

from __future__ import annotations

from functools import cache

from studio.runtime.gazebo.schema import Schema

CLASSIC = "gazebo.msgs."

TABLE = """
Time: 1 sec int32, 2 nsec int32
Packet: 1 stamp Time, 2 type string, 3 serialized_data bytes
GzString: 1 data string
GzString_V: 1 data* string
Publish: 1 topic string, 2 msg_type string, 3 host string, 4 port uint32
Publishers: 1 publisher* Publish
Subscribe: 1 topic string, 2 host string, 3 port uint32, 4 msg_type string, 5 latching bool
Request: 1 id int32, 2 request string, 3 data string, 4 dbl_data double
Response: 1 id int32, 2 request string, 3 response string, 4 type string, 5 serialized_data bytes
Vector3d: 1 x double, 2 y double, 3 z double
Quaternion: 2 x double, 3 y double, 4 z double, 5 w double
Pose: 1 name string, 2 id uint32, 3 position Vector3d, 4 orientation Quaternion
PoseStamped: 1 time Time, 2 pose Pose
PosesStamped: 1 time Time, 2 pose* Pose
LaserScan: 1 frame string, 2 world_pose Pose, 3 angle_min double, 4 angle_max double, 5 angle_step double,
    6 range_min double, 7 range_max double, 8 count uint32, 9 vertical_angle_min double,
    10 vertical_angle_max double, 11 vertical_angle_step double, 12 vertical_count uint32, 13 ranges* double,
    14 intensities* double
LaserScanStamped: 1 time Time, 2 scan LaserScan
IMU: 1 stamp Time, 2 entity_name string, 3 orientation Quaternion, 4 angular_velocity Vector3d,
    5 linear_acceleration Vector3d
GPS: 1 time Time, 2 link_name string, 3 latitude_deg double, 4 longitude_deg double, 5 altitude double,
    6 velocity_east double, 7 velocity_north double, 8 velocity_up double
Image: 1 width uint32, 2 height uint32, 3 pixel_format uint32, 4 step uint32, 5 data bytes
ImageStamped: 1 time Time, 2 image Image
Contact: 1 collision1 string, 2 collision2 string, 3 position* Vector3d, 4 normal* Vector3d, 5 depth* double,
    7 time Time, 8 world string
Contacts: 1 contact* Contact, 2 time Time
Physics: 1 type int32, 13 real_time_factor double, 14 real_time_update_rate double, 15 max_step_size double
BoxGeom: 1 size Vector3d
CylinderGeom: 1 radius double, 2 length double
SphereGeom: 1 radius double
Geometry: 1 type int32, 2 box BoxGeom, 3 cylinder CylinderGeom, 5 sphere SphereGeom
Collision: 2 name string, 5 pose Pose, 6 geometry Geometry
Joint: 1 name string
Link: 2 name string, 9 pose Pose, 11 collision* Collision
Model: 1 name string, 2 id uint32, 3 is_static bool, 4 pose Pose, 5 joint* Joint, 6 link* Link, 7 deleted bool,
    9 scale Vector3d, 12 model* Model
Scene: 1 name string, 8 model* Model
WorldReset: 1 all bool, 2 time_only bool, 3 model_only bool
WorldControl: 1 pause bool, 2 step bool, 3 multi_step uint32, 4 reset WorldReset, 5 seed uint32
WorldStatistics: 2 sim_time Time, 3 pause_time Time, 4 real_time Time, 5 paused bool, 6 iterations uint64,
    7 model_count int32
Factory: 1 sdf string, 2 sdf_filename string, 3 pose Pose, 4 edit_name string, 5 clone_model_name string,
    6 allow_renaming bool
ServerControl: 1 save_world_name string, 2 save_filename string, 3 open_filename string, 4 new_world bool,
    5 stop bool, 6 clone bool, 7 new_port uint32
"""


@cache
def classic_messages() -> Schema:
    return Schema(CLASSIC, TABLE, syntax="proto2")
