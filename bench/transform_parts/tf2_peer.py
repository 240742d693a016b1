"""ROS tf2's BufferCore, under the Python that Debian's python3-tf2 was built for.

Started by bench/transforms.py as a process of the system's Python, so it imports nothing of Studio. Reads one line of
JSON with the graph and the queries; then `check` is answered with the poses of the queries that are at recorded stamps,
and any other line with microseconds per query.
"""

from __future__ import annotations

import json
import sys
import time
import types
from typing import Any


class Stamp:
    def __init__(self, secs: float = 0, nsecs: int = 0) -> None:
        self.secs = int(secs)
        self.nsecs = nsecs + round((secs - self.secs) * 1e9)

    def to_sec(self) -> float:
        return self.secs + self.nsecs / 1e9


class Vector3:
    x = y = z = 0.0


class Quaternion(Vector3):
    w = 1.0


class Header:
    stamp = Stamp()
    frame_id = ""


class Transform:
    def __init__(self) -> None:
        self.translation, self.rotation = Vector3(), Quaternion()


class TransformStamped:
    child_frame_id = ""

    def __init__(self) -> None:
        self.header, self.transform = Header(), Transform()


def stand_in_for_ros() -> None:
    """tf2_py asks for message classes and times of ROS, which need not be installed; plain objects do."""
    messages: Any = types.ModuleType("geometry_msgs.msg")
    for kind in (Vector3, Quaternion, Transform, TransformStamped):
        setattr(messages, kind.__name__, kind)
    package: Any = types.ModuleType("geometry_msgs")
    package.msg = messages
    rospy: Any = types.ModuleType("rospy")
    rospy.Time = rospy.Duration = Stamp
    sys.modules.update({"rospy": rospy, "geometry_msgs": package, "geometry_msgs.msg": messages})


def message(stamp_s: float, parent: str, child: str, xyz: list[float], quaternion: list[float]) -> TransformStamped:
    made = TransformStamped()
    made.header.stamp, made.header.frame_id, made.child_frame_id = Stamp(stamp_s), parent, child
    made.transform.translation.__dict__.update(zip("xyz", xyz))  # noqa: B905  # the system's Python may be an old one
    made.transform.rotation.__dict__.update(zip("xyzw", quaternion))  # noqa: B905
    return made


def numbers(found: Any) -> list[float]:
    t, q = found.transform.translation, found.transform.rotation
    return [t.x, t.y, t.z, q.x, q.y, q.z, q.w]


def main() -> None:
    stand_in_for_ros()
    import tf2_py

    graph = json.loads(sys.stdin.readline())
    core = tf2_py.BufferCore(Stamp(3600))
    for row in graph["static"]:
        core.set_transform_static(message(0.0, *row), "bench")
    for row in graph["moving"]:
        core.set_transform(message(*row), "bench")
    queries = [(foi, reference, Stamp(stamp_s)) for foi, reference, stamp_s in graph["queries"]]
    look = core.lookup_transform_core
    for line in sys.stdin:
        if line.strip() == "check":
            exact = [numbers(look(reference, foi, Stamp(stamp_s))) for foi, reference, stamp_s in graph["exact"]]
            print(json.dumps(exact), flush=True)
            continue
        calls = 0
        began = time.perf_counter()
        while time.perf_counter() - began < 0.05:
            for foi, reference, stamp in queries:
                look(reference, foi, stamp)
            calls += len(queries)
        print((time.perf_counter() - began) / calls * 1e6, flush=True)


if __name__ == "__main__":
    main()
