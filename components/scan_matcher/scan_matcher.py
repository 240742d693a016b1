"""Corrects odometry by matching each laser scan with a map of the scans before."""

from __future__ import annotations

import math
from collections import deque

import numpy as np

from studio.messages import Float64, Odometry, PoseTransform, Range3d
from studio.runtime.component import NOTICE, Component, InPort, OutPort, Parameter

from .fit_history import LOST_AFTER, FitHistory
from .hit_grid import HitGrid
from .likelihood_field import halved
from .matching import Match, Search, match
from .motion_guess import Errors, MotionGuess
from .odom_track import OdomTrack
from .planar import Floats, Pose
from .scan_lines import Scan, scan_of

WAITING = 256
"""Scans that wait for odometry."""
WIDTHS = (4.0, 2.0, 1.0)
"""Standard deviations of the likelihood fields, in cells, from coarse to fine."""
FEWEST_POINTS = 10
"""With fewer echoes a scan is not matched."""
ENOUGH_POINTS = 60
ENOUGH_NEAR = 0.5
"""With fewer echoes within `max_range_m`, or a smaller share of all, farther ones are used as well, as outdoors."""
FARTHER = 2.0
WIDER = (2.0, 4.0)
"""Times the search area for a scan that does not fit."""
SPREAD = 3.0
DOUBT = 4.0
LEAST_DOUBT_M, LEAST_DOUBT_RAD = 0.02, 0.02
MOST_M = 6.0
NEW_GROUND = 0.3
"""A scan with a smaller share of its echoes near the map, and that does not fit, shows a new place."""
OFTEN = 0.2
SURE_AGAIN = 0.5
"""Of `search_m` or `search_rad`."""
STOOD_M = 0.3
"""As long as the robot has not driven farther, odometry that never moves may be right."""
BLIND = 0.5
"""With less certainty than this, the match follows the guess in its weakest direction."""
RIVAL = 0.95
"""Where another place along the way fits this well, as in a row of equal boxes, only the guess tells which it is."""
BLIND_M = 1.0
"""This far on guesses alone is worth a warning."""
OFF_M = 0.5
"""When the guesses may have become as wrong as this, it is trouble."""
LOST = "lost: scans do not fit the map (until they fit again, poses are guesses)"
UNSURE = "unsure: the guesses from scan to scan are wrong by more than search_m or search_rad"
TRY = "poses may be wrong: send scans more often, or better odometry"
NO_WAY = "unsure: the scans do not show how far the robot drives, and there is no useful odometry"
WRONG_WAY = "unsure: the scans do not show how far the robot drives, and the odometry is wrong where they do"
MISFITS = "lost: %d scans in a row do not fit the map; the pose follows %s"
LITTLE_USE = "the odometry is of little use: where it is worse, the matcher continues the last motion instead"
FOLLOWS = (
    "for %.1f m the scans have not shown how far the robot drove, as in a bare corridor or a row of equal boxes: "
    "the pose follows %s"
)


class ScanMatcher(Component):
    """Corrects the drift of odometry: matches each scan with a map of the scans before.

    A wide search around the pose that the odometry tells, then a fine descent. The first scan is taken where the
    odometry says it is. A scan waits until the odometry has reached its stamp.
    """

    category = "processor"
    icon = "mdi6.layers-search"
    tags = ("laser", "odometry", "slam")

    scan = InPort(Range3d, doc="echoes in the frame of the laser, with stamps that never decrease")
    odom = InPort(Odometry, doc="raw odometry: one pose at each scan's stamp, or poses often enough to go between them")
    pose = OutPort(PoseTransform, doc="pose of the laser in the map, one for each scan, with the scan's stamp")
    score = OutPort(Float64, doc="how well the scan fits the map, 0 to 1, sent just before the pose")

    frame = Parameter("map", doc="name of the frame that the poses are in")
    cell_m = Parameter(0.05, minimum=0.01, maximum=1.0, unit="m", doc="size of a cell of the map; read at the start")
    max_range_m = Parameter(20.0, minimum=0.5, unit="m", doc="echoes farther away are not used, unless few are nearer")
    search_m = Parameter(0.5, minimum=0.0, maximum=10.0, unit="m", doc="search distance around the guess")
    search_rad = Parameter(0.3, minimum=0.0, maximum=3.15, unit="rad", doc="search angle around the guess")
    search_step_rad = Parameter(0.025, minimum=0.001, maximum=0.5, unit="rad", doc="step between the angles tried")
    odom_deviation_m = Parameter(0.1, minimum=0.001, unit="m", doc="error of the odometry between two scans")
    odom_deviation_rad = Parameter(0.2, minimum=0.001, unit="rad", doc="the same for the direction")
    minimum_score = Parameter(0.2, minimum=0.0, maximum=1.0, doc="a scan that fits worse gets the guess as its pose")
    key_m = Parameter(0.1, minimum=0.0, unit="m", doc="distance after which the next scan is added to the map")
    key_rad = Parameter(0.05, minimum=0.0, unit="rad", doc="or the turn after which it is")
    mount_x_m = Parameter(0.0, unit="m", doc="position of the laser on the robot, forward")
    mount_y_m = Parameter(0.0, unit="m", doc="position of the laser on the robot, to the left")
    mount_yaw_rad = Parameter(0.0, unit="rad", doc="direction of the laser on the robot")

    def on_activate(self) -> None:
        self._matched = self._not_fitting = self._without_odom = 0
        self._driven_m = self._all_blind_m = 0.0
        self._warned: set[str] = set()
        self._forget()

    def on_deactivate(self) -> None:
        tell = self.log.warning if self._not_fitting > OFTEN * (self._matched + self._not_fitting) else self.log.info
        tell(
            "%d scans matched, %d did not fit, %d without odometry",
            self._matched, self._not_fitting, self._without_odom,
        )  # fmt: skip
        if self._all_blind_m >= BLIND_M:
            self.log.log(
                NOTICE, "for %.1f of %.1f m the scans did not show how far the robot drove: poses are guesses there",
                self._all_blind_m, self._driven_m,
            )  # fmt: skip

    def on_clock_jump(self) -> None:
        """The robot may be anywhere now: the map is of no use."""
        self._forget()

    def _forget(self) -> None:
        self._map = HitGrid(self.cell_m)
        self._scans: deque[Range3d] = deque(maxlen=WAITING)
        self._track = OdomTrack()
        self._motion = MotionGuess()
        self._history = FitHistory()
        self._unsure = False
        self._blind_m = 0.0
        """Driven where the scans do not show how far; what they show after that is taken off again."""
        self.trouble = ""
        self._pose = Pose(0.0, 0.0, 0.0)
        self._key: Pose | None = None
        """Of the last scan in the map."""

    def on_scan(self, scan: Range3d) -> None:
        self._scans.append(scan)
        self._catch_up()

    def on_odom(self, odom: Odometry) -> None:
        robot = Pose(float(odom.position[0]), float(odom.position[1]), odom.yaw_rad)
        if not all(map(math.isfinite, robot)):  # one NaN would stay in the pose for ever
            self.log.warning("ignored odometry that is not finite: %s", robot)
            return
        self._track.add(odom.stamp_ns, robot @ Pose(self.mount_x_m, self.mount_y_m, self.mount_yaw_rad))
        self._catch_up()

    def _catch_up(self) -> None:
        while self._scans and self._track.reaches(self._scans[0].stamp_ns):
            scan = self._scans.popleft()
            odom = self._track.at(scan.stamp_ns)
            if odom is None:
                self._without_odom += 1
            else:
                self._take(scan, odom)

    def _take(self, scan: Range3d, odom: Pose) -> None:
        """`odom` is where the laser was by the odometry alone."""
        guess = self._motion.guess(odom)
        points, scale = self._usable(scan)
        found = self._match(points, scale, guess)
        fits = found.score >= self.minimum_score
        shows = found.certainty >= BLIND or not self._motion.is_judged
        self._motion.learn(odom, found.pose, matched=fits and shows and self._key is not None)
        self._measure_blind(found, guess)
        self._pose = found.pose
        self._tell_doubt()
        if (fits or found.overlap < NEW_GROUND) and self._is_key(found.pose):
            self._key = found.pose
            self._map.add(found.pose.apply(points))
        self.score.publish(Float64(found.score))
        self.pose.publish(self._told(scan))

    def _usable(self, scan: Range3d) -> tuple[Floats, int]:
        """The echoes to match, and how many times larger the cells are to be: a scan with little nearby needs both."""
        points = scan.xyz[:, :2].astype(np.float64)
        with np.errstate(invalid="ignore"):
            far_m = np.hypot(points[:, 0], points[:, 1])
            near = far_m <= self.max_range_m
            echoes = far_m <= FARTHER * self.max_range_m
        if near.sum() >= max(ENOUGH_NEAR * echoes.sum(), ENOUGH_POINTS):
            return points[near], 1
        return points[echoes], 2 if echoes.sum() > near.sum() else 1

    def _match(self, points: Floats, scale: int, guess: Pose) -> Match:
        if len(points) < FEWEST_POINTS:
            self._not_fitting += 1
            return Match(guess, 0.0, certainty=0.0)
        if self._key is None:  # the map is empty
            return Match(guess, 1.0)
        scan = scan_of(points)
        found = self._fit(scan, scale, guess, self._search(1.0))
        for wider in WIDER:
            if not self._history.is_poor(found.score, self.minimum_score) or found.overlap < NEW_GROUND:
                break
            found = max(found, self._fit(scan, scale, guess, self._search(wider)), key=lambda each: each.score)
        return self._judged(found, guess)

    def _judged(self, found: Match, guess: Pose) -> Match:
        if found.score >= self.minimum_score:
            self._matched += 1
            if self._history.fits(found.score):
                self.log.log(NOTICE, "scans fit again")
            return found
        self._not_fitting += 1
        if self._history.misses():
            self.log.warning(MISFITS, LOST_AFTER, self._guide())
        return Match(guess, found.score, found.overlap, certainty=0.0)

    def _search(self, wider: float) -> Search:
        """As wide as the parameters ask, and as the guesses so far were wrong."""
        errors = self._motion.errors
        reach_m = min(max(self.search_m, SPREAD * errors.along_m) * wider, MOST_M)
        reach_rad = min(max(self.search_rad, SPREAD * errors.turn_rad) * wider, math.pi)
        deviation_m, deviation_rad = self._doubt(errors, wider > 1.0)
        return Search(
            reach_m if self.search_m else 0.0, reach_rad if self.search_rad else 0.0, self.search_step_rad,
            deviation_m * wider, deviation_rad * wider,
            wide=wider > 1.0,
        )  # fmt: skip

    def _doubt(self, errors: Errors, wide: bool) -> tuple[float, float]:
        """How wrong the guess may be, in metres and radians: as it was lately, once that is known and better."""
        most_m, most_rad = max(self.odom_deviation_m, errors.along_m), max(self.odom_deviation_rad, errors.turn_rad)
        if wide or not self._motion.is_judged:
            return most_m, most_rad
        return (
            min(max(LEAST_DOUBT_M, DOUBT * errors.along_m), most_m),
            min(max(LEAST_DOUBT_RAD, DOUBT * errors.turn_rad), most_rad),
        )

    def _fit(self, scan: Scan, scale: int, guess: Pose, search: Search) -> Match:
        cell_m = scale * self.cell_m
        placed = guess.apply(scan.points)
        around_m = search.reach_m + 2.0 * WIDTHS[0] * cell_m
        hit, corner_m = self._map.window(placed.min(axis=0) - around_m, placed.max(axis=0) + around_m)
        hit = halved(hit) if scale == 2 else hit
        return match(scan, guess, hit, corner_m, cell_m, search, tuple(width * cell_m for width in WIDTHS))

    def _measure_blind(self, found: Match, guess: Pose) -> None:
        if self._key is None:
            return
        way_m = self._pose.distance_m(found.pose)
        if found.certainty >= BLIND and found.rival <= RIVAL:
            self._driven_m += way_m
            self._blind_m = max(0.0, self._blind_m - way_m)
            return
        way_m = max(way_m, self._pose.distance_m(guess))  # one box on, the robot seems to stand
        self._driven_m += way_m
        self._blind_m += way_m
        self._all_blind_m += way_m
        if self._blind_m >= BLIND_M:
            self._warn_once(FOLLOWS, BLIND_M, self._guide())

    def _guide(self) -> str:
        return "the odometry" if self._motion.uses_odometry else "the last motion"

    def _warn_once(self, text: str, *values: object) -> None:
        if text not in self._warned:
            self._warned.add(text)
            self.log.warning(text, *values)

    def _tell_doubt(self) -> None:
        """Scans that fit are no proof where guesses are far off: in a building many places look alike."""
        if self._motion.is_judged and not self._motion.uses_odometry and self._driven_m > STOOD_M:
            self._warn_once(LITTLE_USE)
        unsure, errors = self._is_unsure(), self._motion.errors
        if unsure and not self._unsure:
            self.log.warning(UNSURE + ": %.1f m and %.0f° on average", errors.along_m, math.degrees(errors.turn_rad))
        elif self._unsure and not unsure:
            self.log.info("the guesses from scan to scan are good again")
        self._unsure = unsure
        if self._history.is_lost:
            self.trouble = LOST
        elif unsure:
            self.trouble = f"{UNSURE} ({TRY})"
        else:
            self.trouble = self._trouble_of_blindness()

    def _trouble_of_blindness(self) -> str:
        if self._blind_m < BLIND_M:
            return ""
        if not self._motion.uses_odometry:
            return NO_WAY
        return WRONG_WAY if self._blind_m * self._motion.wrong_share >= OFF_M else ""

    def _is_unsure(self) -> bool:
        errors, least = self._motion.errors, SURE_AGAIN if self._unsure else 1.0
        if not self.search_m or not self.search_rad:
            return False
        return errors.along_m > least * self.search_m or errors.turn_rad > least * self.search_rad

    def _is_key(self, pose: Pose) -> bool:
        if self._key is None:
            return True
        moved = self._key.inverse() @ pose
        return math.hypot(moved.x_m, moved.y_m) >= self.key_m or abs(moved.yaw_rad) >= self.key_rad

    def _told(self, scan: Range3d) -> PoseTransform:
        pose = self._pose
        return PoseTransform.from_xyz_rpy(
            pose.x_m, pose.y_m, yaw_rad=pose.yaw_rad, stamp_ns=scan.stamp_ns, frame=self.frame, child_frame=scan.frame
        )
