"""Which commands may move something real: the rules that `Actuator` applies to each of them, as plain functions."""

from __future__ import annotations

from enum import StrEnum

from studio.runtime.base.clock import SECOND_NS
from studio.runtime.wire.frames import Event, Kind, Origin

VALID_NS = 250_000_000
"""How long a command may act, counted from the moment it was sent."""
AHEAD_NS = 50_000_000
"""Clocks of one machine agree; what was sent later than this from now comes from a clock that stands or jumped."""
LONGEST_PATH_S = 60.0
"""What is so slow that its path would take longer is stopped by its age long before."""


class Refused(StrEnum):
    """Why a command was not carried out."""

    NO_EVENT = "it did not come over a channel"
    NOT_LIVE = "the system does not run by the wall clock"
    ORIGIN = "it was made from logged or simulated data"
    EPOCH = "it was sent before the last switch or restart, when the actuator was not armed"
    OLD = "it is older than 250 ms"
    AHEAD = "it was sent in the future"
    OLD_DATA = "it was made from old data"
    LATCHED = "a fault is latched"
    STOPPED = "it is in a safety stop until a person resumes it"
    DISARMED = "the actuator is not armed"


def refusal(
    event: Event | None,
    now_ns: int,
    *,
    armed_epoch: int | None,
    latched: bool,
    stopped: bool = False,
    live: bool = True,
    oldest_data_ns: int = 0,
) -> Refused | None:
    """Why the command in `event` must not be carried out at system time `now_ns`; None if it may be."""
    if event is None or event.kind != Kind.DATA:
        return Refused.NO_EVENT
    checks = (
        (not live, Refused.NOT_LIVE),
        (event.origin != Origin.REAL, Refused.ORIGIN),
        (armed_epoch is not None and event.epoch != armed_epoch, Refused.EPOCH),
        (now_ns - event.sent_ns >= VALID_NS, Refused.OLD),
        (event.sent_ns - now_ns > AHEAD_NS, Refused.AHEAD),
        (oldest_data_ns > 0 and now_ns - event.stamp_ns > oldest_data_ns, Refused.OLD_DATA),
        (latched, Refused.LATCHED),
        (armed_epoch is None, Refused.DISARMED),
        (stopped, Refused.STOPPED),
    )
    return next((reason for broken, reason in checks if broken), None)


def path_time_ns(path_m: float, speed_m_s: float) -> int | None:
    """How long a way of `path_m` takes; None for what does not move, and for what is not a number."""
    speed_m_s = abs(speed_m_s)
    return int(path_m / speed_m_s * SECOND_NS) if speed_m_s * LONGEST_PATH_S > path_m else None
