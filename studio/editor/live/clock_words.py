"""The clock of the running system in words. No Qt in here."""

from __future__ import annotations

from studio.editor.live.quiet_topics import span_words
from studio.runtime.base.clock import SECOND_NS, Clock, ClockKind, monotonic_ns, wall_ns
from studio.runtime.base.deltas import Snapshot

DAY_S = 86_400


def system_time_ns(state: Snapshot) -> int | None:
    """Of the running system, now; None while its clock is not known."""
    told = state.get("clock")
    if not told:
        return None
    clock = Clock(ClockKind[told["kind"].upper()], told["base_ns"], told["at_ns"], told["rate"])
    return clock.at_moment(monotonic_ns())


def time_text(state: Snapshot, digits: int = 1) -> str:
    """With so many digits of the second's parts."""
    time_ns = system_time_ns(state)
    if time_ns is None:
        return "--:--:--.-" if digits else "--:--:--"
    seconds = time_ns / SECOND_NS
    of_day = seconds % DAY_S
    second = f"{of_day % 60:04.1f}" if digits else f"{int(of_day % 60):02d}"
    return f"{int(of_day // 3600):02d}:{int(of_day % 3600 // 60):02d}:{second}"


def clock_word(state: Snapshot) -> str:
    """What kind of time it is; "" without any."""
    told = state.get("clock")
    if not told:
        return ""
    if state.get("player"):  # also where the log was made in a simulation
        return "log time"
    if told["kind"] == "wall" and behind_s(state):
        return "system time"
    return {"wall": "wall time", "log": "log time", "simulation": "sim time"}[told["kind"]]


def behind_s(state: Snapshot) -> int:
    """Seconds by which a wall clock is behind the time of day: it stands while the system is paused or frozen."""
    time_ns = system_time_ns(state)
    return 0 if time_ns is None else max(0, wall_ns() - time_ns) // SECOND_NS


def kind_tip(state: Snapshot) -> str:
    """What kind of time it is, and why it may differ from a clock on the wall."""
    told = state.get("clock")
    if not told:
        return "System time: it begins when you run the system"
    if state.get("player"):
        return "Time of the log that is played"
    if told["kind"] != "wall":
        return f"Time of the {'log' if told['kind'] == 'log' else 'simulation'}"
    behind = behind_s(state)
    if not behind:
        return "System time is the wall clock time (UTC)"
    return (
        f"System time is {span_words(behind)} behind the wall clock (UTC), because the system was paused for"
        f" {span_words(behind)} in all. A freeze and a reload are pauses, too. System time stops during a pause, so"
        " that no timeout expires"
    )


def kind_words(state: Snapshot) -> str:
    told = state.get("clock")
    if not told:
        return "not running"
    word = clock_word(state)
    if told["kind"] == "wall":
        behind = behind_s(state)
        return f"wall clock − {span_words(behind)}" if behind else f"{word} · UTC"
    return f"{word} · {told['rate']:.2f}×" if told["rate"] else f"{word} · in lockstep"
