"""What is in a scene, gathered from messages: the vehicle with its frames, scans, the map, paths. No Qt in here."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import deque
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from studio.editor.look.theme import Theme
from studio.editor.views.scene.batches import (
    Batch,
    Floats,
    Label,
    Placed,
    Points,
    Scene,
    Thing,
    all_of,
    colour_of,
    moved,
)
from studio.editor.views.scene.meshes import axes, ground_grid, polyline, shape_batches, surface
from studio.editor.views.shared.map_colours import Scheme
from studio.messages import JointState, Map, Odometry, PoseTransform, Range3d
from studio.model.geometry.assembly import Model
from studio.model.geometry.linkage import Linkage, Part, frame_part, link
from studio.model.geometry.poses import inverse
from studio.model.geometry.rotations import GeometryError

LAYERS = ("vehicle", "frames", "points", "map", "path", "trail", "grid")
SHOWN_AT_FIRST = frozenset(LAYERS) - {"frames"}
TRAIL_POINTS, TRAIL_STEP_M = 3000, 0.1
REMEMBERED_POSES = 200
MOST_POINTS = 20_000
"""Of one scan; of more, some."""
JUMP_NS = 3_000_000_000
FRAME_M, BASE_M = 0.25, 0.6
LINES = 24


@dataclass
class _Frame:
    name: str
    part: Part
    pose: Floats
    is_sensor: bool


@dataclass
class Vehicle:
    """An assembly as it hangs together around one body, with its joints where they were last heard of."""

    model: Model
    root: str
    linkage: Linkage = field(init=False)
    batches: dict[Part, tuple[Batch, ...]] = field(default_factory=dict)
    frames: list[_Frame] = field(default_factory=list)
    joints: dict[str, float] = field(default_factory=dict)
    _poses: dict[Part, Floats] | None = None

    def __post_init__(self) -> None:
        self.linkage = link(self.model, self.root)
        here = {part for part, root in self.linkage.roots.items() if root == Part(self.root)}
        for name, body in self.model.bodies.items():
            for shape in body.shapes:
                part = Part(name, shape.on)
                if shape.is_visual and part in here:
                    self.batches[part] = (*self.batches.get(part, ()), *shape_batches(shape))
            sensors = {sensor.frame for sensor in body.sensors}
            for frame in body.frames:
                part, pose = frame_part(name, body, frame.name)
                if part in here:
                    self.frames.append(_Frame(f"{name}:{frame.name}", part, pose, frame.name in sensors))

    def hear(self, joints: JointState) -> None:
        known = zip(joints.names, joints.position.tolist(), strict=False)
        self.joints.update({name: position for name, position in known if math.isfinite(position)})
        self._poses = None

    def poses(self) -> dict[Part, Floats]:
        """Of every part, in the root."""
        if self._poses is None:
            self._poses = self.linkage.poses(self.joints)
        return self._poses

    def frame_pose(self, name: str) -> Floats | None:
        """Of `Body:Frame` or a body, in the root; None if it does not belong to this vehicle."""
        body, _, frame = name.partition(":")
        if body not in self.model.bodies:
            return None
        try:
            part, pose = frame_part(body, self.model.bodies[body], frame) if frame else (Part(body), np.eye(4))
        except GeometryError:
            return None
        at = self.poses().get(part)
        return at @ pose if at is not None and self.linkage.roots[part] == Part(self.root) else None

    def radius_m(self) -> float:
        """Of a ball around the root that holds all of it."""
        far = [
            float(np.linalg.norm(moved(batch.points.reshape(-1, 3), self.poses()[part]), axis=1).max())
            for part, batches in self.batches.items()
            for batch in batches
            if len(batch.points)
        ]
        return max(far, default=1.0)


class Ground:
    """A map in the scene. It has most of the triangles, which are made when they are needed: by who paints."""

    def __init__(self, map_: Map, plane: str, scheme: Scheme, most: int) -> None:
        self.map, self.plane, self.scheme, self.most = map_, plane, scheme, most
        self.pose: Floats = np.eye(4)

    @cached_property
    def batches(self) -> tuple[Batch, ...]:
        return (surface(self.map, self.plane, self.scheme, self.most),)


@dataclass
class Content:
    vehicle: Vehicle | None = None
    pose: Floats | None = None
    """Of the vehicle's root in the frame of the map."""
    trail: deque[Floats] = field(default_factory=lambda: deque(maxlen=TRAIL_POINTS))
    scans: dict[str, Floats] = field(default_factory=dict)
    """By topic, in the frame of the map."""
    unplaced: dict[str, str] = field(default_factory=dict)
    """Scans whose frame nobody knows: topic -> frame."""
    path: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    map: Map | None = None
    plane: str = ""
    scheme: Scheme | None = None
    _history: deque[tuple[int, Floats]] = field(default_factory=lambda: deque(maxlen=REMEMBERED_POSES))
    _ground: Ground | None = None

    # ---- messages

    def show_pose(self, pose: PoseTransform | Odometry) -> bool:
        """Whether it was any good."""
        matrix = np.asarray(pose.matrix if isinstance(pose, PoseTransform) else _of_odometry(pose), np.float64)
        if not np.isfinite(matrix).all():
            return False
        child = self.vehicle.frame_pose(pose.child_frame) if self.vehicle is not None else None
        root = matrix @ inverse(child) if child is not None else matrix
        if self._history and not 0 <= pose.stamp_ns - self._history[-1][0] <= JUMP_NS:
            self._history.clear()  # another place of a log, or another run
            self.trail.clear()
        self.pose = root
        self._history.append((pose.stamp_ns, root))
        if not self.trail or float(np.linalg.norm(self.trail[-1] - root[:3, 3])) >= TRAIL_STEP_M:
            self.trail.append(root[:3, 3].copy())
        return True

    def show_scan(self, topic: str, scan: Range3d, world: str = "") -> None:
        """Where its points are in the map: by the geometry, and the pose at its stamp. `world`: the map's frame."""
        points = np.asarray(scan.xyz, np.float64)
        points = points[np.isfinite(points).all(axis=1)]
        points = points[:: max(1, len(points) // MOST_POINTS)]
        self.unplaced.pop(topic, None)
        if scan.frame and scan.frame == world:
            self.scans[topic] = points
            return
        mounted = self.vehicle.frame_pose(scan.frame) if self.vehicle is not None else None
        if mounted is None:
            if self.vehicle is not None or scan.frame:
                self.unplaced[topic] = scan.frame or "no frame"
            mounted = np.eye(4)
        self.scans[topic] = moved(points, self._pose_at(scan.stamp_ns) @ mounted)

    def _pose_at(self, stamp_ns: int) -> Floats:
        if not self._history:
            return np.eye(4)
        stamps = [stamp for stamp, _ in self._history]
        place = bisect_left(stamps, stamp_ns)
        near = [self._history[i] for i in (place - 1, place) if 0 <= i < len(stamps)]
        return min(near, key=lambda each: abs(each[0] - stamp_ns))[1]

    def show_path(self, path: Range3d) -> None:
        self.path = np.asarray(path.xyz, np.float64)

    def show_map(self, map_: Map | None, plane: str, scheme: Scheme | None) -> None:
        self.map, self.plane, self.scheme = map_, plane, scheme

    def forget(self) -> None:
        """Of another run: the vehicle stays until another is told."""
        self.pose, self.map, self.path = None, None, np.zeros((0, 3))
        for kept in (self.trail, self._history, self.scans, self.unplaced):
            kept.clear()

    # ---- the scene

    def scene(self, shown: frozenset[str] | set[str], theme: Theme, distance_m: float, most_quads: int) -> Scene:
        things: list[Thing] = []
        pose = self.pose if self.pose is not None else np.eye(4)
        if "grid" in shown:
            step = 10.0 ** math.floor(math.log10(max(distance_m, 0.1) / 2.0))
            colour = colour_of(theme.control_border, 0.35)
            things.append(Placed((ground_grid(pose[:3, 3], step, LINES, colour),)))
        if "map" in shown and self.map is not None and self.scheme is not None:
            things.append(self._ground_of(self.map, self.plane, self.scheme, most_quads))
        if "trail" in shown:
            line = polyline(_lifted(np.array(self.trail).reshape(-1, 3), 0.05), colour_of(theme.text, 0.8), 2.0)
            things.append(Placed((line,)))
        if "path" in shown:
            things.append(Placed((polyline(_lifted(self.path, 0.15), colour_of(theme.accent), 3.0),)))
        if "points" in shown:
            hue = colour_of(theme.hue("Range3d"))
            things += [Placed((Points(points, all_of(hue, len(points)), 3.0),)) for points in self.scans.values()]
        labels: list[Label] = []
        if self.vehicle is not None:
            self._add_vehicle(self.vehicle, pose, shown, things, labels)
        elif "vehicle" in shown and self.pose is not None:
            things.append(Placed((axes(BASE_M),), pose))
        return Scene(tuple(things), tuple(labels))

    def _ground_of(self, map_: Map, plane: str, scheme: Scheme, most_quads: int) -> Ground:
        """One for each map."""
        known = self._ground
        if (
            known is None
            or (known.map is not map_)
            or (known.plane, known.scheme, known.most) != (plane, scheme, most_quads)
        ):
            known = self._ground = Ground(map_, plane, scheme, most_quads)
        return known

    def _add_vehicle(
        self,
        vehicle: Vehicle,
        pose: Floats,
        shown: frozenset[str] | set[str],
        things: list[Thing],
        labels: list[Label],
    ) -> None:
        poses = vehicle.poses()
        if "vehicle" in shown:
            things += [Placed(batches, pose @ poses[part]) for part, batches in vehicle.batches.items()]
            things.append(Placed((axes(BASE_M),), pose))
        if "frames" in shown:
            for frame in vehicle.frames:
                at = pose @ poses[frame.part] @ frame.pose
                things.append(Placed((axes(FRAME_M),), at))
                labels.append(Label((float(at[0, 3]), float(at[1, 3]), float(at[2, 3])), frame.name))
        labels.sort(key=lambda label: label.text)

    def extent(self, shown: frozenset[str] | set[str]) -> tuple[Floats, float]:
        """Centre and radius of a ball around what there is to see."""
        centre = self.pose[:3, 3] if self.pose is not None else np.zeros(3)
        radius = self.vehicle.radius_m() if self.vehicle is not None else 2.0
        places = [centre[None, :]]
        if "map" in shown and self.map is not None and self._ground is not None:
            places += [batch.points.reshape(-1, 3) for batch in self._ground.batches]  # of what is known of it
        if "points" in shown:
            places += [points for points in self.scans.values() if len(points)]
        around = np.concatenate(places)
        low, high = around.min(axis=0), around.max(axis=0)
        return (low + high) / 2, max(float(np.linalg.norm(high - low)) / 2, radius)


def _lifted(points: Floats, by_m: float) -> Floats:
    """Above the ground, where it can be seen."""
    return points + np.array([0.0, 0.0, by_m]) if len(points) else points


def _of_odometry(odometry: Odometry) -> Floats:
    return PoseTransform.from_quaternion(odometry.position, odometry.orientation).matrix


def drives(model: Model) -> str:
    """The body that the others hang on: the one that drives, else the first."""
    driving = [name for name, body in model.bodies.items() if body.drive is not None]
    return (driving or list(model.bodies))[0]
