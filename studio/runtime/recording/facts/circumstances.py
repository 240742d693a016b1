"""What bit-identity depends on: versions and CPU features, as logs store them."""

from __future__ import annotations

import platform
from importlib import metadata
from pathlib import Path

import numpy as np

from studio import __version__
from studio.runtime.plan.plan import Plan
from studio.runtime.recording.reading.log_reader import LogReader

METADATA = "studio"
DECISIVE = ("studio", "python", "numpy", "machine", "cpu")


def circumstances(plan: Plan) -> dict[str, str]:
    features = np.show_config(mode="dicts").get("SIMD Extensions", {}).get("found", [])
    return {
        "studio": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "pyzmq": metadata.version("pyzmq"),
        "machine": platform.machine(),
        "cpu": " ".join(features),
        "seed": str(plan.seed),
        "project": Path(plan.project).name,
    }


def changed_circumstances(log: LogReader, plan: Plan) -> list[str]:
    """In words, what was different when the log was recorded; results may then differ in their last digits."""
    now = circumstances(plan)
    stored = next((values for name, values in log.metadata() if name == METADATA), {})
    return [
        f"recorded with {name} {stored[name] or 'none'}, now {now[name] or 'none'}"
        for name in DECISIVE
        if name in stored and stored[name] != now[name]
    ]


def recorded_seed(log: LogReader) -> int:
    """The seed of the recorded run; 0 if the log does not tell."""
    stored = next((values for name, values in log.metadata() if name == METADATA), {})
    try:
        return int(stored.get("seed", "0"))
    except ValueError:
        return 0
