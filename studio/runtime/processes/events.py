"""What happens to the processes of a run, as values on one stream that console, log, window and tests all read."""

from __future__ import annotations

import signal
from dataclasses import dataclass


@dataclass(frozen=True)
class ProcessExited:
    """It ended without having been told to."""

    name: str
    status: int
    output: str
    """The last of what it printed."""
    level = "error"

    def __str__(self) -> str:
        return death(self.status, self.output)


@dataclass(frozen=True)
class ProcessNotStarted:
    """It was to be started, and could not be."""

    name: str
    trouble: str
    level = "error"

    def __str__(self) -> str:
        return f"its process could not be started: {self.trouble}"


@dataclass(frozen=True)
class ProcessRestarted:
    name: str
    restarts: int
    """How often until now."""
    level = "warning"

    def __str__(self) -> str:
        return f"its process runs again (restart {self.restarts})"


@dataclass(frozen=True)
class ProcessGaveUp:
    name: str
    restarts: int
    within_s: float
    level = "error"

    def __str__(self) -> str:
        often = f"{self.restarts} restarts within {self.within_s:g} s"
        return f"gave up: it ended again after {often}; restart it by hand"


@dataclass(frozen=True)
class ProcessHung:
    name: str
    silent_s: float
    level = "error"

    def __str__(self) -> str:
        return f"hung: no message from its process for {self.silent_s:.1f} s"


@dataclass(frozen=True)
class ProcessHeard:
    """One that hung speaks again."""

    name: str
    level = "warning"

    def __str__(self) -> str:
        return "no longer hung: its process responds again"


@dataclass(frozen=True)
class RecordingMoved:
    """A recorder that died has lost its file's end; the new one writes another file."""

    name: str
    file: str
    level = "warning"

    def __str__(self) -> str:
        return f"the recording continues in {self.file}"


@dataclass(frozen=True)
class RecordingGap:
    """No recorder is there, and there is no room to keep what passes until the next one is."""

    name: str
    kept_mb: float
    level = "error"

    def __str__(self) -> str:
        return f"no recorder, and {self.kept_mb:.0f} MB are buffered for the next one: further events are not recorded"


@dataclass(frozen=True)
class GeometryChanged:
    """Files of the geometry were changed while the system runs, and all components have been told."""

    assembly: str
    differences: str
    name = "geometry"
    level = "info"

    def __str__(self) -> str:
        return f"{self.assembly} has changed (first: before, second: now): {self.differences}"


@dataclass(frozen=True)
class GeometryBroken:
    assembly: str
    error: str
    name = "geometry"
    level = "error"

    def __str__(self) -> str:
        return f"{self.assembly} was changed and cannot be used; the previous geometry stays in use: {self.error}"


@dataclass(frozen=True)
class WentOtherwise:
    """A system in lockstep went over the same events again, and something else came of it."""

    text: str
    name = "lockstep"
    level = "warning"

    def __str__(self) -> str:
        return f"{self.text}; from now on, steps back end here"


@dataclass(frozen=True)
class LogNotWhole:
    """The log that is played from now on had to be brought in from elsewhere, and not all of it could be."""

    text: str
    name = "log"
    level = "warning"

    def __str__(self) -> str:
        return self.text


Happening = (
    ProcessExited
    | ProcessNotStarted
    | ProcessRestarted
    | ProcessGaveUp
    | ProcessHung
    | ProcessHeard
    | RecordingMoved
    | RecordingGap
    | GeometryChanged
    | GeometryBroken
    | WentOtherwise
    | LogNotWhole
)


def death(status: int, output: str) -> str:
    """How a process ended that should not have, and the last of what it printed."""
    how = f"exit status {status}"
    if status < 0:
        how = f"signal {signal.Signals(-status).name}" if -status in set(signal.Signals) else f"signal {-status}"
    return f"its process ended with {how}" + (f"; it printed last:\n{output.rstrip()}" if output.strip() else "")
