"""Numbers and shapes of URDF and SDF files, which are written by many programs and few schemas."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from lxml import etree

from studio.model.files import FileError
from studio.model.geometry.body import GivenMass
from studio.model.geometry.poses import Pose
from studio.model.geometry.rotations import Matrix, from_quaternion, from_rpy
from studio.model.geometry.shapes import Box, Cylinder, Mesh, Shape, Sphere
from studio.model.geometry.xml_values import SMALLEST
from studio.model.xml_schema import line_of

UNLIMITED = 1e9
FARTHEST_M = 1e9
"""What Studio's own files take."""
LARGEST = 1e30
"""Files write 1e16 for "no limit"; cubes of larger numbers leave what floats can hold."""


class Foreign:
    """One file being read: errors name it, and what cannot be held is noted once."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.notes: list[str] = []

    def inside(self, file: Path) -> Foreign:
        """For a file that this one includes: errors name that one, notes are told together."""
        made = Foreign(file)
        made.notes = self.notes
        return made

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    def fault(self, element: etree._Element, message: str, hint: str = "") -> FileError:
        return FileError(message, file=self.file, line=line_of(element), hint=hint)

    def need(self, element: etree._Element, attribute: str) -> str:
        value = element.get(attribute)
        if value is None:
            raise self.fault(element, f"<{element.tag}> needs an attribute {attribute}")
        return value

    def numbers(self, element: etree._Element, text: str | None, count: int, default: float = 0.0) -> list[float]:
        words = (text or "").split()
        if not words:
            return [default] * count
        try:
            values = [float(word) for word in words]
            if "_" in (text or ""):  # Python takes 1_0 for 10
                raise ValueError
        except ValueError:
            raise self.fault(element, f"{(text or '')[:60]!r} in <{element.tag}> must hold numbers only") from None
        if len(values) != count:
            raise self.fault(element, f"<{element.tag}> needs {count} numbers, not {len(values)}")
        if not all(abs(value) <= LARGEST for value in values):
            raise self.fault(element, f"<{element.tag}> contains a number that is too large: {(text or '')[:60]}")
        return values

    def number(self, element: etree._Element | None, text: str | None, default: float = 0.0) -> float:
        return default if element is None or text is None else self.numbers(element, text, 1, default)[0]

    def limit(self, element: etree._Element, text: str | None) -> float | None:
        """None where nothing limits, which files write as inf, or as a very large number."""
        words = (text or "").strip().lower()
        if not words or words.lstrip("+-") in ("inf", "infinity"):
            return None
        value = self.number(element, words)
        return value if abs(value) < UNLIMITED else None

    def matrix(self, element: etree._Element, xyz: list[float], rpy: list[float]) -> Matrix:
        if max(map(abs, xyz)) > FARTHEST_M:
            raise self.fault(element, f"<{element.tag}> is farther away than {FARTHEST_M:g} m")
        made = np.eye(4)
        made[:3, :3] = from_rpy(*rpy)
        made[:3, 3] = xyz
        return made

    def quaternion(self, element: etree._Element, values: list[float]) -> Matrix:
        """The rotation (3, 3) of x, y, z, w."""
        if not any(values):
            raise self.fault(element, "a quaternion of length 0")
        return from_quaternion(*values)

    def mass(self, element: etree._Element, mass_kg: float, pose: Matrix, moments: list[float]) -> GivenMass | None:
        """None, with a note, for a mass that is no mass."""
        if mass_kg < SMALLEST:
            if mass_kg < 0:
                self.note(f"line {line_of(element)}: a mass of {mass_kg:g} kg is left out")
            return None
        xx, yy, zz, xy, xz, yz = moments
        whole = (xx, yy, zz, xy, xz, yz) if any(moments) else None
        return GivenMass(mass_kg, Pose.from_matrix(pose), whole, has_centre=True)

    def shape(self, geometry: etree._Element | None, values: dict[str, Any]) -> Shape | None:
        """`values`: the dimensions, by the names that Studio has for them; None if it has no dimensions that can be."""
        kind = values.pop("kind")
        sizes = [*values.get("size", ()), *(values[key] for key in ("radius", "length") if key in values)]
        if kind != "mesh" and (not sizes or min(sizes) < SMALLEST):
            line = line_of(geometry) if geometry is not None else None
            self.note(f"line {line}: a {kind} without size is left out")
            return None
        made: dict[str, type[Shape]] = {"box": Box, "cylinder": Cylinder, "sphere": Sphere, "mesh": Mesh}
        return made[kind](**values)


def colour_text(values: list[float]) -> str:
    return " ".join(f"{min(1.0, max(0.0, value)):g}" for value in values)


def merged(shapes: list[Shape]) -> list[Shape]:
    """A visual and a collision that are the same become one shape of both uses."""
    made: list[Shape] = []
    for shape in shapes:
        twin = next((index for index, each in enumerate(made) if _twins(each, shape)), None)
        if twin is None:
            made.append(shape)
        else:
            colour = made[twin].colour or shape.colour
            object.__setattr__(made[twin], "use", "both")
            object.__setattr__(made[twin], "colour", colour)
    return made


def _twins(one: Shape, other: Shape) -> bool:
    if type(one) is not type(other) or {one.use, other.use} != {"visual", "collision"}:
        return False
    keys = [key for key in ("size", "radius", "length", "file", "scale") if hasattr(one, key)]
    same = all(getattr(one, key) == getattr(other, key) for key in keys)
    return same and bool(np.array_equal(one.pose.matrix, other.pose.matrix))
