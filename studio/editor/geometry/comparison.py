"""The vehicle beside another model: a world of the simulator, a URDF or SDF, another assembly; or beside a log."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from studio.editor.geometry.selection import Ghost
from studio.errors import Problem
from studio.model.geometry.assembly import Model
from studio.model.geometry.differences import Difference, Tolerance, differences
from studio.model.geometry.import_model import SUFFIXES, import_model
from studio.model.geometry.library import Library
from studio.model.geometry.measured import Measured, check_measured
from studio.runtime.recording.facts.log_measures import geometry_of, measures_of

TOLERANCE = Tolerance(m=0.001, rad=0.001, share=1e-6)
LOG_SUFFIX = ".mcap"


@dataclass(frozen=True)
class Comparison:
    file: Path
    other: Model | None
    """None of a log that tells of no geometry."""
    measured: tuple[Measured, ...] = ()
    """What the events of a log say about the sensors."""

    def problems(self, model: Model) -> list[Problem]:
        hint = f"the first is this vehicle, the second {self.file.name}"
        told = [
            Problem(each.message, "warning", str(self.file), None, hint, each.subject)
            for each in self._differences(model)
        ]
        return told + (check_measured(model, self.measured, str(self.file)) if self.measured else [])

    def ghost(self, model: Model) -> Ghost | None:
        """None where nothing differs that has a place."""
        subjects = frozenset(each.subject for each in self._differences(model))
        return Ghost(self.other, subjects, self.file.name) if self.other is not None and subjects else None

    def _differences(self, model: Model) -> list[Difference]:
        """Frames of which only the other one knows are no difference: worlds often have more."""
        found = differences(model, self.other, TOLERANCE) if self.other is not None else []
        return [each for each in found if not (each.what == "missing" and each.other and ":" in each.subject)]


def compare_with(file: Path, roots: Iterable[Path]) -> Comparison:
    """StudioError where it cannot be read. A log of some size takes seconds."""
    if file.suffix.lower() == LOG_SUFFIX:
        return Comparison(file, geometry_of(file), tuple(measures_of(file)))
    if file.suffix.lower() in SUFFIXES:
        return Comparison(file, import_model(file).model)
    return Comparison(file, Library(roots).load(file))
