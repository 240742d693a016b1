"""Logs of the CARMEN toolkit: one message per line, plain or compressed by gzip.

Two passes, both in constant memory: the first looks at stamps and parameters, the second converts.

| line | becomes |
|---|---|
| ODOM | `/carmen/odom` Odometry |
| FLASER, ROBOTLASER1 | `/carmen/laser` Range3d, `/carmen/pose` PoseTransform, `/carmen/scan_odom` Odometry |
| RLASER, ROBOTLASER2 | the same with `rear_` in front of the last part |
| RAWLASER1 to 4 | `/carmen/raw_laser1` ... Range3d |
| TRUEPOS | `/carmen/true_pose` PoseTransform |
| PARAM | metadata `carmen.parameters` |
"""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np

from studio.messages import MessageError, Odometry, PoseTransform, Range3d
from studio.runtime.base.log_compression import Compression
from studio.runtime.recording.format.errors import LogError
from studio.runtime.recording.importers.carmen_lines import (
    LASERS,
    MESSAGES,
    ODOM,
    PARAM,
    RAW_LASERS,
    TRUE_POSE,
    LineError,
    Pose,
    Scan,
    parse_odom,
    parse_param,
    parse_scan,
    parse_stamps,
    parse_true_pose,
    poses_of_laser,
)
from studio.runtime.recording.importers.carmen_stamps import Stamper
from studio.runtime.recording.importers.carmen_survey import Survey, Surveyor
from studio.runtime.recording.importers.output import Output, Watch, writing
from studio.runtime.recording.importers.report import ImportReport
from studio.runtime.recording.importers.text_lines import TextLines

SPACING_S = 0.1
SURVEY_PART = 8
"""The first pass takes about an eighth of the time; a bar that fills half at once and then creeps tells nothing."""
FORM = "CARMEN log"
NO_ECHO_BELOW_M = 0.001
_FRONT, _REAR = ("laser", "pose", "scan_odom"), ("rear_laser", "rear_pose", "rear_scan_odom")
_PARTS = {b"FLASER": _FRONT, b"ROBOTLASER1": _FRONT, b"RLASER": _REAR, b"ROBOTLASER2": _REAR}
_ODOM_TOPIC = "/carmen/odom"
_WORD = re.compile(rb"[A-Z][A-Z0-9_]{1,39}")


def import_carmen(
    path: Path, out: Path, watch: Watch, *, compression: Compression = "none", spacing_s: float = SPACING_S
) -> ImportReport:
    """`spacing_s` is the time from line to line where no line has a stamp."""
    if not 0.0 < spacing_s <= 3600.0:
        raise LogError(f"messages cannot be {spacing_s:g} s apart", hint="e.g. 0.1")
    report = ImportReport(path, out, FORM)
    survey = Surveyor().look(TextLines(path, watch, (0, 1, SURVEY_PART)))
    with writing(report, compression) as output:
        _Conversion(output, survey, Stamper(survey.clock, spacing_s)).convert(
            TextLines(path, watch, (1, SURVEY_PART, SURVEY_PART))
        )
        if survey.params:
            output.log.add_metadata("carmen.parameters", survey.params)
    return report


class _Conversion:
    def __init__(self, output: Output, survey: Survey, stamper: Stamper) -> None:
        self._output = output
        self._report = output.report
        self._survey = survey
        self._stamper = stamper
        self._scan_pose: list[bytes] | None = None
        """The words of the pose in the line before, if that was a scan: an echo would repeat them."""
        self._pose_frame = "map" if survey.corrected else "odom"
        self._angles: dict[bytes, str] = {}
        """What the angles of the first scan of each kind of line were taken from."""
        self._missing_beams = 0
        self._beams = 0

    def convert(self, lines: TextLines) -> None:
        number = 0
        for number, line in lines:
            try:
                self._take(line.split(), number)
            except (LineError, MessageError) as error:
                self._report.damaged(str(error), number)
        if lines.damage:
            self._report.damaged(lines.damage, number)
        self._open_odometry()
        self._report.notes += self._stamper.notes()
        self._report.notes += self._own_notes()

    def _open_odometry(self) -> None:
        """A log may have no odometry but that in the lines of its scans: a source that plays both finds both topics."""
        topics = self._report.topics
        if _ODOM_TOPIC not in topics and any(name.endswith("scan_odom") for name in topics):
            self._output.add_topic(_ODOM_TOPIC, Odometry, ODOM.decode())
            self._report.notes.append(f"no ODOM lines: {_ODOM_TOPIC} is empty, the odometry comes from the scans")

    def _own_notes(self) -> list[str]:
        notes = [*self._angles.values(), *(note for limit in self._survey.limits.values() for note in limit.notes)]
        if self._survey.corrected:
            notes.append("the poses of its scans were corrected: they are in frame map")
        if self._missing_beams:
            notes.append(f"{self._missing_beams} of {self._beams} beams had no echo and were left out")
        return notes

    def _take(self, words: list[bytes], number: int) -> None:
        if not words or words[0].startswith(b"#"):
            return
        word = words[0]
        if word in MESSAGES:
            self._take_message(words, number)
        elif word == PARAM:
            parse_param(words)  # the survey has it
        elif _WORD.fullmatch(word):
            self._report.leave_out(word.decode(), "Studio has no type for such lines")
        else:
            raise LineError(f"{word[:20].decode('utf-8', 'replace')!r} is not the name of a CARMEN message")

    def _take_message(self, words: list[bytes], number: int) -> None:
        """Parse all of the line before its time is taken: a damaged one must not move the clock."""
        word = words[0]
        before, self._scan_pose = self._scan_pose, None
        if len(words) < 4:
            raise LineError("ends early")
        stamps = parse_stamps(words)
        if word == ODOM:
            odom = parse_odom(words)
            echo = self._survey.echoes and before == words[1:4]
            times = self._stamper.times_of(word, stamps, number, echo=echo)
            self._odometry("odom", word, odom.pose, odom.speed_m_s, odom.yaw_rate_rad_s, times)
        elif word == TRUE_POSE:
            true = parse_true_pose(words).true
            times = self._stamper.times_of(word, stamps, number, echo=False)
            self._pose("true_pose", word, true, "world", "base_link", times)
        elif word in LASERS:
            scan = parse_scan(words, self._survey.params)
            times = self._stamper.times_of(word, stamps, number, echo=False)
            self._scan(words, scan, times)

    def _scan(self, words: list[bytes], scan: Scan, times: tuple[int, int]) -> None:
        word = words[0]
        if word in RAW_LASERS:
            name = word.decode().lower().replace("raw", "raw_")
            self._ranges(name, word, scan, times)
            return
        laser, pose, odom = _PARTS[word]
        self._scan_pose, _ = poses_of_laser(words)
        if scan.robot is not None:
            self._odometry(odom, word, scan.robot, scan.speed_m_s, scan.yaw_rate_rad_s, times)
        if scan.laser is not None:
            self._pose(pose, word, scan.laser, self._pose_frame, laser, times)
        self._ranges(laser, word, scan, times)

    def _ranges(self, name: str, word: bytes, scan: Scan, times: tuple[int, int]) -> None:
        limit_m = self._survey.limits[word].of(scan.maximum_m) if word in self._survey.limits else scan.maximum_m
        message = Range3d.from_polar(
            scan.ranges_m,
            scan.angles.start_rad,
            scan.angles.step_rad,
            minimum_m=NO_ECHO_BELOW_M,
            maximum_m=float(np.nextafter(limit_m, 0.0)),  # a reading of the maximum itself is no echo
            stamp_ns=times[0],
            frame=name,
        )
        if word not in self._angles:
            self._angles[word] = _angle_note(word, scan)
        self._beams += len(scan.ranges_m)
        self._missing_beams += len(scan.ranges_m) - len(message)
        self._publish(name, word, message, times)

    def _odometry(
        self, name: str, word: bytes, pose: Pose, speed_m_s: float, yaw_rate_rad_s: float, times: tuple[int, int]
    ) -> None:
        message = Odometry.planar(*pose, speed_m_s, yaw_rate_rad_s, stamp_ns=times[0])
        self._publish(name, word, message, times)

    def _pose(self, name: str, word: bytes, pose: Pose, frame: str, child: str, times: tuple[int, int]) -> None:
        message = PoseTransform.from_xyz_rpy(
            pose.x_m, pose.y_m, yaw_rad=pose.yaw_rad, stamp_ns=times[0], frame=frame, child_frame=child
        )
        self._publish(name, word, message, times)

    def _publish(
        self, name: str, word: bytes, message: Range3d | Odometry | PoseTransform, times: tuple[int, int]
    ) -> None:
        topic = f"/carmen/{name}"
        self._output.add_topic(topic, type(message), word.decode())
        self._output.publish(topic, message, *times)


def _angle_note(word: bytes, scan: Scan) -> str:
    first_deg, step_deg = math.degrees(scan.angles.start_rad), math.degrees(scan.angles.step_rad)
    last_deg = first_deg + step_deg * max(len(scan.ranges_m) - 1, 0)
    return f"{word.decode()}: {len(scan.ranges_m)} beams from {first_deg:.4g}° to {last_deg:.4g}° ({scan.angles.told})"
