"""The votes of all behaviours become one command."""

from __future__ import annotations

import math

from studio.messages import Velocity, Vote, candidate_arcs
from studio.runtime.component import Component, InPort, OutPort, Parameter

from .arbitration import Ballot, best, counted
from .trail import Trail

NS_PER_S = 1_000_000_000
STANDING_M_S = 1e-3
LONGEST_TICK_S = 0.5
"""After a pause no more than this has been driven."""


class ArcArbiter(Component):
    """Turns the votes of any number of behaviours into one steering angle and speed.

    Each arc gets the mean of all votes, weighted by confidence, and the lowest of all speeds; a veto of any behaviour
    forbids it. Behaviours that stop voting no longer count, and the vehicle stops while a required one is silent. If
    that happens while it drives, it reports trouble: a real vehicle then stays stopped until a person resumes it.
    """

    category = "processor"
    icon = "mdi6.scale-balance"
    tags = ("driving", "vote")
    activations = ("periodic",)
    period_s = 0.1
    needs_geometry = True

    votes = InPort(Vote, doc="votes of behaviours: wire as many as there are")
    command = OutPort(Velocity, doc="steering angle and speed, once per period")

    required = Parameter("", doc="names of behaviours that the vehicle needs to drive, separated by spaces")
    valid_s = Parameter(0.5, minimum=0.05, maximum=10.0, unit="s", doc="how long votes count")
    max_speed_m_s = Parameter(2.0, minimum=0.0, maximum=50.0, unit="m/s", doc="never faster than this")
    acceleration_m_s2 = Parameter(0.8, minimum=0.05, maximum=20.0, unit="m/s²", doc="how fast it may become faster")
    lateral_m_s2 = Parameter(
        1.5, minimum=0.1, maximum=20.0, unit="m/s²", doc="in turns it goes no faster than this allows"
    )
    loyalty = Parameter(
        0.3, minimum=0.0, maximum=10.0, doc="how much better a vote for the other side must be to turn the wheel there"
    )
    arcs = Parameter(25, minimum=3, maximum=201, doc="candidates")
    retreat_m = Parameter(
        0.0,
        minimum=0.0,
        maximum=50.0,
        unit="m",
        doc="how far it may drive back its way when no arc is allowed; 0: it waits",
    )
    retreat_after_s = Parameter(2.0, minimum=0.0, maximum=60.0, unit="s", doc="how long it waits before that")
    retreat_speed_m_s = Parameter(0.5, minimum=0.05, maximum=5.0, unit="m/s", doc="speed on the way back")
    vehicle = Parameter("", kind="vehicle", doc="the body that drives, where the geometry has several: left_Pioneer2DX")

    def on_activate(self) -> None:
        self._trail = Trail(self.retreat_m)
        self._start_anew()

    def on_clock_jump(self) -> None:
        self._start_anew()

    def on_parameter(self, name: str, value: object) -> None:
        if name == "retreat_m":
            self._trail = Trail(self.retreat_m)

    def _start_anew(self) -> None:
        self._heard: dict[str, tuple[int, Vote]] = {}
        self._curvature_per_m = 0.0
        self._speed_m_s = 0.0
        self._drives = False
        self.trouble = ""
        self._tick_s, self._ticked_ns = 0.0, 0
        self._standing_since_ns: int | None = None
        self._retreat_left_m = 0.0
        self._retreats = 0
        self._since_retreat_m = 0.0
        self._trail.clear()
        self._told = ""

    def on_votes(self, votes: Vote) -> None:
        behaviour = self.came_from().strip("/").partition("/")[0]
        self._heard[behaviour] = (self.now(), votes)

    def on_timer(self) -> None:
        now_ns = self.now()
        self._tick_s = min((now_ns - self._ticked_ns) / NS_PER_S, LONGEST_TICK_S) if self._ticked_ns else 0.0
        self._ticked_ns = now_ns
        voters = {
            name: vote for name, (heard_ns, vote) in sorted(self._heard.items()) if self._is_valid(heard_ns, now_ns)
        }
        missing = [name for name in self.required.split() if name not in voters]
        if missing or not voters:
            self._tell(f"stopped: no votes from {', '.join(missing) or 'any behaviour'}")
            if self._drives:
                self.trouble = f"no votes from {', '.join(missing) or 'any behaviour'}"
            self._standing_since_ns = None
            self._drive(self._curvature_per_m, 0.0)
            return
        self.trouble = ""
        if self._retreat_left_m > 0.0:
            self._retreat()
            return
        arcs_per_m = candidate_arcs(self.geometry.drive(self.vehicle).tightest_arc_per_m, self.arcs)
        self._choose(counted(voters, arcs_per_m), now_ns)

    def _is_valid(self, heard_ns: int, now_ns: int) -> bool:
        return now_ns - heard_ns <= self.valid_s * NS_PER_S

    def _choose(self, ballot: Ballot, now_ns: int) -> None:
        chosen = best(ballot, self._curvature_per_m, self.loyalty)
        if chosen is None:
            self._tell(f"stopped: every arc is vetoed, by {', '.join(ballot.vetoed_by)}")
            self._drive(self._curvature_per_m, 0.0)
            self._wait_for_a_way(now_ns)
            return
        self._standing_since_ns = None
        curvature_per_m = float(ballot.arcs_per_m[chosen])
        speed_m_s = self._allowed_speed(curvature_per_m, float(ballot.speed_m_s[chosen]))
        self._tell("drives" if speed_m_s > STANDING_M_S else "stopped: a behaviour asks for it")
        self._drive(curvature_per_m, speed_m_s)
        gone_m = self._speed_m_s * self._tick_s
        self._trail.drove(curvature_per_m, gone_m)
        self._since_retreat_m += gone_m
        if self._since_retreat_m > 2.0 * self.retreat_m:
            self._retreats = 0

    def _allowed_speed(self, curvature_per_m: float, limit_m_s: float) -> float:
        drive = self.geometry.drive(self.vehicle)
        most = min(limit_m_s, self.max_speed_m_s, drive.speed_max_m_s or math.inf)
        if abs(curvature_per_m) > 0.0:
            most = min(most, math.sqrt(self.lateral_m_s2 / abs(curvature_per_m)))
        return min(most, self._speed_m_s + self.acceleration_m_s2 * self._tick_s)

    def _wait_for_a_way(self, now_ns: int) -> None:
        if self._standing_since_ns is None:
            self._standing_since_ns = now_ns
        waited_s = (now_ns - self._standing_since_ns) / NS_PER_S
        if self._trail.length_m > 0.0 and waited_s >= self.retreat_after_s:
            self._retreats += 1
            self._since_retreat_m = 0.0
            # Each time a bit farther: from the same place the same would come out again.
            self._retreat_left_m = self.retreat_m * min(1.0, 0.4 + 0.3 * (self._retreats - 1))

    def _retreat(self) -> None:
        step_m = self.retreat_speed_m_s * self._tick_s
        curvature_per_m = self._trail.back(step_m)
        self._retreat_left_m -= step_m
        self._standing_since_ns = None
        if curvature_per_m is None:
            self._retreat_left_m = 0.0
            self._drive(self._curvature_per_m, 0.0)
            return
        self._tell("drives back the way it came")
        self._drive(curvature_per_m, -self.retreat_speed_m_s)

    def _drive(self, curvature_per_m: float, speed_m_s: float) -> None:
        self._curvature_per_m = curvature_per_m
        self._speed_m_s = max(speed_m_s, 0.0)
        self._drives = speed_m_s != 0.0
        drive = self.geometry.drive(self.vehicle)
        self.command.publish(
            Velocity.from_curvature(
                curvature_per_m, speed_m_s, drive.wheelbase_m, stamp_ns=self.now(), frame=drive.body
            )
        )  # fmt: skip

    def _tell(self, state: str) -> None:
        if state != self._told:
            self._told = state
            self.log.info(state)
