"""Message types, their ROS 2 schemas, and bytes <-> objects."""

from studio.messages.arcs import arc_poses, candidate_arcs, stopping_speed
from studio.messages.codec import decode, encode
from studio.messages.errors import MessageError
from studio.messages.event_headers import EventHeaders
from studio.messages.frame_query import FrameQuery, Names
from studio.messages.grid import Map
from studio.messages.handled_trace import Handled, HandledTrace
from studio.messages.image import Image
from studio.messages.log_entries import Bookmark, ServiceCall
from studio.messages.mail import Mail
from studio.messages.message import Message
from studio.messages.message_types import MessageTypes
from studio.messages.motion import JointState, Odometry, Twist, Velocity
from studio.messages.plain import Float64, String
from studio.messages.point_cloud import PointCloud2, PointField
from studio.messages.pose_transform import PoseTransform
from studio.messages.project_types import project_types
from studio.messages.range3d import Range3d
from studio.messages.sensing import Imu, Joy, NavSatFix
from studio.messages.vote import Vote

__all__ = [
    "Bookmark",
    "EventHeaders",
    "Float64",
    "FrameQuery",
    "Handled",
    "HandledTrace",
    "Image",
    "Imu",
    "JointState",
    "Joy",
    "Mail",
    "Map",
    "Message",
    "MessageError",
    "MessageTypes",
    "Names",
    "NavSatFix",
    "Odometry",
    "PointCloud2",
    "PointField",
    "PoseTransform",
    "Range3d",
    "ServiceCall",
    "String",
    "Twist",
    "Velocity",
    "Vote",
    "arc_poses",
    "candidate_arcs",
    "decode",
    "encode",
    "project_types",
    "stopping_speed",
]
