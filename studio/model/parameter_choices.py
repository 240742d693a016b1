"""What a parameter can name: worlds, vehicles, frames, topics and devices, as lists for a person to choose from."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from studio.model.geometry.assembly import Model
from studio.model.geometry_check import known_frames, names_a_frame, vehicles_in
from studio.model.sources import Specs
from studio.model.spec import ParameterSpec
from studio.model.system import System
from studio.model.wiring import topics_of
from studio.model.worlds import world_names
from studio.paths import model_roots

DEVICES = Path("/dev")
_SERIAL = ("serial/by-id/*", "ttyUSB*", "ttyACM*")
"""Names that stay the same when a device is plugged in elsewhere come first."""


def choices_of(
    parameter: ParameterSpec, system: System, specs: Specs, folder: Path, model: Model | None = None
) -> list[str]:
    """Empty for a parameter that names nothing. `model`: the geometry of the system, where it can be read."""
    if names_a_frame(parameter):
        return known_frames(model) if model is not None else []
    match parameter.kind:
        case "world":
            return [*world_names(model_roots(folder)), *_world_files(folder)]
        case "vehicle":
            return vehicles_in(model) if model is not None else []
        case "topic":
            return [topic for topic, _, _ in topics_of(system, specs)]
        case "device":
            return devices()
    return []


def devices(folder: Path = DEVICES) -> list[str]:
    """Serial devices that are plugged in."""
    return [str(path) for pattern in _SERIAL for path in sorted(folder.glob(pattern))]


def _world_files(folder: Path) -> Iterable[str]:
    """Worlds that lie in the project itself, as a parameter names them."""
    return sorted(str(path.relative_to(folder)) for path in folder.glob("*.sdf"))
