"""Mass, centre of mass and inertia, and how those of parts add up."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from studio.model.geometry.rotations import Matrix

SYMMETRIC_WITHIN = 1e-9
"""Of the largest element: products of inertia are often sums that cancel, and have no digits of their own."""


@dataclass(frozen=True)
class Inertia:
    """`about_centre` (kg m2) is taken about the centre of mass, along the axes in which `centre` is given."""

    mass_kg: float
    centre: Matrix
    about_centre: Matrix

    def moved(self, pose: Matrix) -> Inertia:
        """As seen from where `pose` says that the present axes are."""
        turn = pose[:3, :3]
        turned = turn @ self.about_centre @ turn.T
        # Rounding leaves xy and yx apart in their last digits; files have one number for both.
        return Inertia(self.mass_kg, turn @ self.centre + pose[:3, 3], (turned + turned.T) / 2)

    def scaled_to(self, mass_kg: float) -> Inertia:
        """The same body of another density."""
        return Inertia(mass_kg, self.centre, self.about_centre * (mass_kg / self.mass_kg))


def combined(parts: Iterable[Inertia]) -> Inertia | None:
    """Of all parts together (parallel axes); None if nothing has a mass."""
    massive = [part for part in parts if part.mass_kg > 0]
    if not massive:
        return None
    mass = math.fsum(part.mass_kg for part in massive)
    centre = sum((part.mass_kg * part.centre for part in massive), np.zeros(3)) / mass
    total = np.zeros((3, 3))
    for part in massive:
        arm = part.centre - centre
        total += part.about_centre + part.mass_kg * ((arm @ arm) * np.eye(3) - np.outer(arm, arm))
    return Inertia(mass, centre, total)


def impossible(inertia: Inertia) -> Iterator[str]:
    """What no body of any shape could have."""
    values = inertia.about_centre
    if not (math.isfinite(inertia.mass_kg) and np.isfinite(inertia.centre).all() and np.isfinite(values).all()):
        yield "mass or inertia is not a number"
        return
    if inertia.mass_kg <= 0:
        yield f"a mass of {inertia.mass_kg:g} kg"
    if np.abs(values - values.T).max() > SYMMETRIC_WITHIN * np.abs(values).max():
        yield "the inertia matrix is not symmetric"
    smallest, middle, largest = np.linalg.eigvalsh((values + values.T) / 2)
    if smallest <= 0:
        yield f"a principal moment of inertia of {smallest:.3g} kg m2, which must be positive"
    elif largest > (smallest + middle) * (1 + 1e-6):
        yield (
            f"principal moments {smallest:.3g}, {middle:.3g}, {largest:.3g} kg m2: "
            "no body has one that is larger than the two others together"
        )
