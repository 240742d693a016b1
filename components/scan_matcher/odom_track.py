"""Odometry by time: where the odometry was when a scan was taken."""

from __future__ import annotations

from collections import deque

from .planar import Pose

KEPT = 4096
"""Poses: the odometry of minutes in which no scan came."""


class OdomTrack:
    """Stamps may repeat: then the first pose is for the first scan with this stamp, the second for the second."""

    def __init__(self) -> None:
        self._samples: deque[tuple[int, Pose]] = deque(maxlen=KEPT)
        self._first_used = False
        """The first sample has been given to a scan with its very stamp."""

    def add(self, stamp_ns: int, pose: Pose) -> None:
        """A pose with a stamp before the last one's is left out: a track goes forward."""
        if not self._samples or stamp_ns >= self._samples[-1][0]:
            self._samples.append((stamp_ns, pose))

    def reaches(self, stamp_ns: int) -> bool:
        if not self._samples or self._samples[-1][0] < stamp_ns:
            return False
        return not (len(self._samples) == 1 and self._first_used and self._samples[0][0] == stamp_ns)

    def at(self, stamp_ns: int) -> Pose | None:
        """The pose at a time that the track reaches, between two samples on the straight way; None before the first.

        What is older is forgotten: ask in the order of time.
        """
        samples = self._samples
        while len(samples) > 1 and (
            (samples[0][0] < stamp_ns and samples[1][0] <= stamp_ns)
            or (self._first_used and samples[0][0] == samples[1][0] == stamp_ns)
        ):  # fmt: skip
            samples.popleft()
            self._first_used = False
        first_ns, first = samples[0]
        if first_ns >= stamp_ns:
            self._first_used = first_ns == stamp_ns
            return first if first_ns == stamp_ns else None
        next_ns, following = samples[1]
        return first.towards(following, (stamp_ns - first_ns) / (next_ns - first_ns))
