"""A model with everything it names as one value of plain texts: what travels, is recorded, and is compared by digest.

Files, comments and descriptions are gone from it; two models with the same digest put every frame at the same place.
Every host knows it, so it imports nothing that reads XML: `flat_model` does.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from studio.model.geometry.rotations import GeometryError


@dataclass(frozen=True)
class GeometryContent:
    name: str
    digest: str
    assembly: str
    """One flat assembly, in XML: every body by its full name, every constraint."""
    bodies: Mapping[str, str]
    """The body files that it names, in XML."""

    @classmethod
    def of(cls, name: str, assembly: str, bodies: Mapping[str, str]) -> GeometryContent:
        return cls(name, _digest(assembly, bodies), assembly, bodies)

    def json(self) -> dict[str, Any]:
        bodies = dict(self.bodies)
        return {"name": self.name, "digest": self.digest, "assembly": self.assembly, "bodies": bodies}

    @classmethod
    def of_json(cls, data: Any) -> GeometryContent:
        try:
            made = cls(data["name"], data["digest"], data["assembly"], dict(data["bodies"]))
            digest = _digest(made.assembly, made.bodies)
        except (KeyError, TypeError, ValueError) as error:
            raise GeometryError(f"not a geometry: {error!r}") from None
        if made.digest != digest:
            raise GeometryError(f"the geometry {made.name} is damaged: its digest does not match")
        return made


def _digest(assembly: str, bodies: Mapping[str, str]) -> str:
    return hashlib.sha256(json.dumps([assembly, dict(bodies)]).encode()).hexdigest()[:16]
