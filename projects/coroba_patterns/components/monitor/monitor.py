"""Monitoring: listens to any channel, and changes nothing."""

from __future__ import annotations

from studio.messages import Float64, Joy, Odometry, Twist
from studio.runtime.component import Component, InPort


class Monitor(Component):
    """Writes to the log, once per second, what it last heard on each of its ports and how often.

    Wire to it whatever is of interest; several wires may lead to one port.
    """

    icon = "mdi6.monitor-eye"
    tags = ("viewer", "log")
    activations = ("periodic",)
    period_s = 1.0

    stick = InPort(Joy, optional=True, doc="how a stick is held")
    command = InPort(Twist, optional=True, doc="commands for a vehicle")
    pose = InPort(Odometry, optional=True, doc="where a vehicle is")
    number = InPort(Float64, optional=True, doc="anything that is one number: distances, bumps")

    def on_activate(self) -> None:
        self._heard: dict[str, tuple[int, str]] = {}

    def on_stick(self, stick: Joy) -> None:
        self._hear(f"left {stick.axis(0):.2f}, forward {stick.axis(1):.2f}")

    def on_command(self, twist: Twist) -> None:
        self._hear(f"{twist.speed_m_s:.2f} m/s, {twist.yaw_rate_rad_s:.2f} rad/s")

    def on_pose(self, pose: Odometry) -> None:
        self._hear(f"at {pose.position[0]:.1f} {pose.position[1]:.1f}")

    def on_number(self, number: Float64) -> None:
        self._hear(f"{number.data:.2f}")

    def _hear(self, text: str) -> None:
        count, _ = self._heard.get(self.came_from(), (0, ""))
        self._heard[self.came_from()] = (count + 1, text)

    def on_timer(self) -> None:
        for topic, (count, text) in sorted(self._heard.items()):
            self.log.info("%s, %d in the last second: %s", topic, count, text)
        self._heard = {topic: (0, text) for topic, (_, text) in self._heard.items()}
