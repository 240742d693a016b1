"""Tells whether every device of the bench is alive."""

from __future__ import annotations

import json
import math

from studio.messages import NavSatFix, Odometry, Range3d, String
from studio.runtime.component import Component, InPort


class BenchWatch(Component):
    """Writes to the log, once per period, what came from each device and what its last value was."""

    category = "processor"
    icon = "mdi6.clipboard-pulse"
    tags = ("log", "bench")
    activations = ("periodic",)
    period_s = 1.0

    sick = InPort(Range3d, optional=True, doc="scans of the SICK")
    hokuyo = InPort(Range3d, optional=True, doc="scans of the Hokuyo")
    fix = InPort(NavSatFix, optional=True, doc="positions of the satellite receiver")
    odometry = InPort(Odometry, optional=True, doc="positions of the vehicle")
    vehicle = InPort(String, optional=True, doc="state of the vehicle")

    def on_activate(self) -> None:
        self.counts = dict.fromkeys(("sick", "hokuyo", "fix", "odometry"), 0)
        self._before = dict(self.counts)
        self._last: dict[str, str] = {}
        self._vehicle: dict[str, object] = {}

    def on_sick(self, scan: Range3d) -> None:
        self._saw_scan("sick", scan)

    def on_hokuyo(self, scan: Range3d) -> None:
        self._saw_scan("hokuyo", scan)

    def _saw_scan(self, name: str, scan: Range3d) -> None:
        self.counts[name] += 1
        nearest = f"{float(scan.ranges_m.min()):.2f} m" if len(scan) else "nothing"
        self._last[name] = f"{len(scan)} points, nearest {nearest}"

    def on_fix(self, fix: NavSatFix) -> None:
        self.counts["fix"] += 1
        deviation = math.sqrt(float(fix.position_covariance[0, 0]))
        here = f"{fix.latitude_deg:.6f} {fix.longitude_deg:.6f} ± {deviation:.1f} m"
        self._last["fix"] = here if fix.has_fix else "no fix"

    def on_odometry(self, odometry: Odometry) -> None:
        self.counts["odometry"] += 1
        x, y = odometry.position[:2]
        self._last["odometry"] = f"{x:.2f} {y:.2f} m, {odometry.linear[0]:.2f} m/s"

    def on_vehicle(self, state: String) -> None:
        told = json.loads(state.data)
        refused = told.pop("refused")
        if told != self._vehicle:
            self._vehicle = told
            self.log.info("vehicle: %s, %d commands refused so far", json.dumps(told), refused)

    def on_timer(self) -> None:
        for name, count in self.counts.items():
            came = count - self._before[name]
            self.log.info("%s: %d came, %s", name, came, self._last.get(name, "nothing so far"))
        self._before = dict(self.counts)
