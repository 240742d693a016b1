"""Runs of the example projects to replay: recorded by the recorder, as users record them, or from a real robot."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from studio.runtime.recording.importers import import_log

CHECKOUT = Path(__file__).resolve().parents[2]
PROJECTS = CHECKOUT / "projects"
INTEL = CHECKOUT.parent / "shared" / "data" / "carmen" / "intel-corrected.log.gz"


@dataclass(frozen=True)
class Example:
    project: str
    seconds: float = 10.0
    """Of system time; of carmen_mapping all that its log holds."""


EXAMPLES = tuple(
    map(Example, ("pioneer_obstacle_avoidance", "raptor_blocks_world", "terrain_truth", "coroba_patterns"))
)
CARMEN = Example("carmen_mapping")


def record_run(project: str, seconds: float, log: Path, *words: str) -> Path:
    """`studio run --record`, in processes of its own."""
    command = [sys.executable, "-m", "studio", "run", str(PROJECTS / project), "--for", f"{seconds:g}", "--record"]
    done = subprocess.run([*command, str(log), "--trust", *words], cwd=CHECKOUT, capture_output=True, text=True)
    if done.returncode != 0 or not log.is_file():
        raise RuntimeError(f"{project} could not be recorded: {done.stderr.strip()[-500:]}")
    return log


def record_example(example: Example, log: Path) -> Path | None:
    """Its log; None for that of a real robot where that is not at hand."""
    if example is not CARMEN:
        return record_run(example.project, example.seconds, log, "--gate", "lockstep")
    if not INTEL.is_file():
        return None
    import_log(INTEL, log)
    return log
