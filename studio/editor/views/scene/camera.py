"""From where one looks at a scene: around a place, from a distance. Plain numbers, no Qt and no GL."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
FIELD_DEG = 42.0
NEAREST_M, FARTHEST_M = 0.2, 2000.0
STEEPEST_RAD = math.pi / 2


@dataclass(frozen=True)
class Preset:
    words: str
    yaw_deg: float
    pitch_deg: float


PRESETS = (
    Preset("From behind, above and right: I", -135.0, 32.0),
    Preset("From above, x to the right: T", -90.0, 90.0),
    Preset("From the right side: S", -90.0, 0.0),
    Preset("From ahead: A", 0.0, 0.0),
)


@dataclass
class Camera:
    """z is up. `yaw` and `pitch` tell in which direction of the target the eye is."""

    target: Floats = field(default_factory=lambda: np.zeros(3))
    distance_m: float = 12.0
    yaw_rad: float = math.radians(PRESETS[0].yaw_deg)
    pitch_rad: float = math.radians(PRESETS[0].pitch_deg)
    is_flat: bool = False
    """Orthographic: what is far is as large as what is near."""

    def axes(self) -> tuple[Floats, Floats, Floats]:
        """What is right, up and towards the eye on the picture; also well defined from straight above."""
        c, s = math.cos(self.yaw_rad), math.sin(self.yaw_rad)
        back = np.array([math.cos(self.pitch_rad) * c, math.cos(self.pitch_rad) * s, math.sin(self.pitch_rad)])
        right = np.array([-s, c, 0.0])
        return right, np.cross(back, right), back

    @property
    def eye(self) -> Floats:
        found: Floats = self.target + self.distance_m * self.axes()[2]
        return found

    @property
    def nearest_m(self) -> float:
        """What is closer to the eye is not seen."""
        return -self.farthest_m if self.is_flat else max(self.distance_m / 150.0, 0.02)

    @property
    def farthest_m(self) -> float:
        return self.distance_m * 30.0 + 200.0

    def per_pixel_m(self, height: int, depth_m: float | None = None) -> float:
        """The size of a pixel at a distance along the view, by default at the target."""
        far = self.distance_m if depth_m is None or self.is_flat else depth_m
        return 2 * far * math.tan(math.radians(FIELD_DEG) / 2) / max(height, 1)

    def view_matrix(self) -> Floats:
        """World to eye: x right, y up, looking along -z."""
        turn = np.stack(self.axes())
        matrix = np.eye(4)
        matrix[:3, :3] = turn
        matrix[:3, 3] = -turn @ self.eye
        return matrix

    def projection(self, width: int, height: int) -> Floats:
        """Eye to the cube that GL clips to."""
        near, far = self.nearest_m, self.farthest_m
        scale = 1.0 / math.tan(math.radians(FIELD_DEG) / 2)
        aspect = width / max(height, 1)
        if self.is_flat:
            up = scale / self.distance_m
            made = np.diag([up / aspect, up, -2.0 / (far - near), 1.0])
            made[2, 3] = -(far + near) / (far - near)
            return made
        return np.array(
            [
                [scale / aspect, 0.0, 0.0, 0.0],
                [0.0, scale, 0.0, 0.0],
                [0.0, 0.0, -(far + near) / (far - near), -2.0 * far * near / (far - near)],
                [0.0, 0.0, -1.0, 0.0],
            ]
        )

    def project(self, points: Floats, width: int, height: int) -> tuple[Floats, Floats]:
        """Pixels (N, 2) and distances along the view (N,); what is behind the eye has a distance below `nearest_m`."""
        matrix = self.view_matrix()
        seen = np.asarray(points, np.float64).reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]
        depth = -seen[:, 2]
        scale = height / 2 / math.tan(math.radians(FIELD_DEG) / 2)
        safe = np.full_like(depth, self.distance_m) if self.is_flat else np.maximum(depth, 1e-6)
        x = width / 2 + seen[:, 0] * scale / safe
        y = height / 2 - seen[:, 1] * scale / safe
        return np.stack([x, y], axis=1), depth

    def ray(self, x: float, y: float, width: int, height: int) -> tuple[Floats, Floats]:
        """Where a line through a pixel starts, and its direction, of unit length."""
        right, up, back = self.axes()
        at = self.per_pixel_m(height)
        point = self.target + right * ((x - width / 2) * at) + up * ((height / 2 - y) * at)
        if self.is_flat:
            return point + back * self.farthest_m, -back
        along = point - self.eye
        return self.eye, along / np.linalg.norm(along)

    # ---- moving

    def orbit(self, right_px: float, up_px: float) -> None:
        self.yaw_rad = (self.yaw_rad - math.radians(right_px * 0.4) + math.pi) % (2 * math.pi) - math.pi
        self.pitch_rad = min(max(self.pitch_rad + math.radians(up_px * 0.4), -STEEPEST_RAD), STEEPEST_RAD)

    def pan(self, right_px: float, up_px: float, height: int) -> None:
        """What was under the pointer stays there, in the plane of the target."""
        per_pixel = self.per_pixel_m(height)
        right, up, _ = self.axes()
        self.target = self.target - (right * right_px + up * up_px) * per_pixel

    def zoom(self, factor: float) -> None:
        self.distance_m = min(max(self.distance_m / factor, NEAREST_M), FARTHEST_M)

    def zoom_at(self, factor: float, point: Floats) -> None:
        """What is at `point` stays where it is on the picture."""
        before = self.distance_m
        self.zoom(factor)
        self.target = point + (self.target - point) * (self.distance_m / before)

    def look_from(self, preset: Preset) -> None:
        self.yaw_rad, self.pitch_rad = math.radians(preset.yaw_deg), math.radians(preset.pitch_deg)

    def show_sphere(self, centre: Floats, radius_m: float) -> None:
        """Everything within a ball."""
        self.target = np.asarray(centre, np.float64)
        wanted = max(radius_m, 0.1) / math.sin(math.radians(FIELD_DEG) / 2)
        self.distance_m = min(max(wanted, NEAREST_M), FARTHEST_M)
