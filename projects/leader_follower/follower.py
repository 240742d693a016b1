"""Drives one robot behind another on a Gazebo classic server: a plain client, with nothing of Studio.

    python follower.py [HOST:PORT] [FOLLOWER [LEADER]]

It speaks the protocol of Gazebo 11 itself: frames of eight hexadecimal digits and a protobuf message. The poses of both
come from `~/pose/info`, what is ahead from its own laser, and `~/FOLLOWER/vel_cmd` tells the robot how to go.
"""

import itertools
import math
import queue
import socket
import struct
import sys
import threading
from collections import deque

BEHIND_M = 1.1
"""How far it stays behind, along the way of the leader."""
BACK_OFF_M = 0.65
FREE_M = 0.25
"""It stops where its laser sees something closer ahead."""
FASTEST_M_S, TURNS_RAD_S = 0.6, 1.2
AHEAD_RAD = 0.5


# ---- protobuf, as much of it as is needed


def varint(number):
    made = bytearray()
    while number > 127:
        made.append(number & 127 | 128)
        number >>= 7
    return bytes([*made, number])


def field(number, value):
    """Text and bytes with their length, floats as doubles, integers as varints."""
    if isinstance(value, float):
        return varint(number << 3 | 1) + struct.pack("<d", value)
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def fields(data):
    """Number and value of each field: doubles as floats, what has a length as bytes."""
    at = 0

    def read():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        number, kind = divmod(read(), 8)
        if kind == 0:
            yield number, read()
        elif kind == 1:
            at += 8
            yield number, struct.unpack("<d", data[at - 8 : at])[0]
        elif kind == 2:
            length = read()
            at += length
            yield number, data[at - length : at]
        else:
            at += 4
            yield number, data[at - 4 : at]


def text(data, number):
    return next((value.decode() for each, value in fields(data) if each == number), "")


def numbers(data, *wanted):
    found = dict(fields(data))
    return [float(found.get(number, 0.0)) for number in wanted]


# ---- the connections of Gazebo classic


def packet(kind, body):
    """A message for the master, or the first one to a publisher."""
    return framed(field(1, field(1, 0) + field(2, 0)) + field(2, kind) + field(3, body))


def framed(body):
    return b"%08x" % len(body) + body


def bodies(connection):
    """One after another, until the connection ends."""
    with connection.makefile("rb") as file:
        while len(head := file.read(8)) == 8:
            yield file.read(int(head, 16))


class Client:
    def __init__(self, host, port, wanted, topic):
        """`wanted`: names, and which topics they stand for; `topic`: what this program publishes."""
        self.master = socket.create_connection((host, port))
        self.own_host = self.master.getsockname()[0]
        self.listener = socket.create_server((self.own_host, 0))
        self.world = ""
        self.came = queue.SimpleQueue()
        """(topic as it was wanted, message); None at the end."""
        self.wanted, self.joined = wanted, set()
        self.topic, self.hearers = topic, []
        for work in (self._listen, self._follow):
            threading.Thread(target=work, daemon=True).start()

    def _follow(self):
        """What the master tells."""
        for body in bodies(self.master):
            kind, payload = text(body, 2), dict(fields(body)).get(3, b"")
            if kind in ("topic_namepaces_init", "topic_namespace_add"):  # spelt so
                names = [value.decode() for number, value in fields(payload) if number == 1]
                if names and not self.world:  # a server that has just been started has no world yet
                    self.world = "/gazebo/" + names[0] + "/"
                    self.master.sendall(packet("advertise", self._own()))
            elif kind == "publishers_init":
                for _, publisher in fields(payload):
                    self._join(publisher)
            elif kind in ("publisher_add", "publisher_advertise"):
                self._join(payload)
        self.came.put(None)

    def _own(self):
        port = self.listener.getsockname()[1]
        topic = self.topic.replace("~/", self.world)
        return field(1, topic) + field(2, "gazebo.msgs.Pose") + field(3, self.own_host) + field(4, port)

    def _join(self, publisher):
        topic, kind, host = (text(publisher, number) for number in (1, 2, 3))
        port = next(value for number, value in fields(publisher) if number == 4)
        for name, fits in self.wanted:
            if fits(topic) and (topic, host, port) not in self.joined:
                self.joined.add((topic, host, port))
                hear = threading.Thread(target=self._hear, args=(name, topic, kind, host, port), daemon=True)
                hear.start()

    def _hear(self, name, topic, kind, host, port):
        with socket.create_connection((host, port)) as publisher:
            own = field(1, topic) + field(2, self.own_host) + field(3, self.listener.getsockname()[1]) + field(4, kind)
            publisher.sendall(packet("sub", own))
            for body in bodies(publisher):
                self.came.put((name, body))
        self.joined.discard((topic, host, port))

    def _listen(self):
        """The server connects to hear what this program publishes."""
        while True:
            hearer, _ = self.listener.accept()
            hearer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.hearers.append(hearer)

    def tell(self, speed_m_s, turn_rad_s):
        half = -turn_rad_s / 2  # the plugin of the server turns the other way round
        turned = field(2, 0.0) + field(3, 0.0) + field(4, math.sin(half)) + field(5, math.cos(half))
        body = field(3, field(1, speed_m_s) + field(2, 0.0) + field(3, 0.0)) + field(4, turned)
        for hearer in list(self.hearers):
            try:
                hearer.sendall(framed(body))
            except OSError:
                self.hearers.remove(hearer)


# ---- following


class Follower:
    def __init__(self):
        self.leader = self.own = None
        self.way = deque()
        """Where the leader was, and this robot has not been yet."""
        self.free_m = math.inf

    def see(self, scan):
        """The closest echo ahead, of a LaserScanStamped."""
        told = dict(fields(scan))[2]
        first, step = numbers(told, 3, 5)
        ranges = []
        for number, value in fields(told):
            if number == 13:
                packed = isinstance(value, bytes)
                ranges += struct.unpack(f"<{len(value) // 8}d", value) if packed else [value]
        ahead = [r for i, r in enumerate(ranges) if abs(first + i * step) < AHEAD_RAD and math.isfinite(r) and r > 0.06]
        self.free_m = min(ahead, default=math.inf)

    def take_poses(self, poses, own, leader):
        for number, pose in fields(poses):
            if number == 2 and text(pose, 1) in (own, leader):
                parts = dict(fields(pose))
                x, y = numbers(parts[3], 1, 2)
                qx, qy, qz, qw = numbers(parts[4], 2, 3, 4, 5)
                at = x, y, math.atan2(2 * (qw * qz + qx * qy), 1 - 2 * (qy * qy + qz * qz))
                if text(pose, 1) == own:
                    self.own = at
                else:
                    self.leader = at
                    if not self.way or math.dist(self.way[-1], at[:2]) > 0.05:
                        self.way.append(at[:2])

    def motion(self):
        """Speed and rate of turn."""
        if self.own is None or self.leader is None:
            return 0.0, 0.0
        here, heading = self.own[:2], self.own[2]
        while len(self.way) > 1 and math.dist(here, self.way[0]) < 0.25:
            self.way.popleft()
        points = [here, *self.way, self.leader[:2]]
        left_m = sum(math.dist(one, other) for one, other in itertools.pairwise(points))
        near_m = math.dist(here, self.leader[:2])
        aside = math.remainder(self._bearing(self.way[0]) - heading, 2 * math.pi)
        if near_m < BACK_OFF_M:
            to_leader = math.remainder(self._bearing(self.leader[:2]) - heading, 2 * math.pi)
            return (-0.25 if abs(to_leader) < 1.2 else 0.25), 0.0
        if left_m < BEHIND_M:
            return 0.0, 0.0
        speed = min(FASTEST_M_S, 1.2 * (left_m - BEHIND_M)) * max(0.0, math.cos(1.5 * min(1.0, abs(aside))))
        if self.free_m < FREE_M:
            speed = 0.0
        return speed, max(-TURNS_RAD_S, min(TURNS_RAD_S, 2.0 * aside))

    def _bearing(self, to):
        return math.atan2(to[1] - self.own[1], to[0] - self.own[0])


def main(server="127.0.0.1:11345", own="follower", leader="leader"):
    host, _, port = server.rpartition(":")
    wanted = [
        ("poses", lambda topic: topic.endswith("/pose/info") and "/local/" not in topic),
        ("scan", lambda topic: f"/{own}/" in topic and topic.endswith("/laser/scan")),
    ]
    client = Client(host, int(port), wanted, f"~/{own}/vel_cmd")
    follower = Follower()
    print(f"{own} follows {leader} on {server}; Ctrl-C ends it", flush=True)
    while (came := client.came.get()) is not None:
        name, body = came
        if name == "scan":
            follower.see(body)
        else:
            follower.take_poses(body, own, leader)
            client.tell(*follower.motion())


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (OSError, KeyboardInterrupt) as error:
        sys.exit(f"no Gazebo server: {error}" if isinstance(error, OSError) else 0)
