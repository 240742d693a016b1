"""What Studio says it needs, and whether it is there."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path

from studio.installation import DISTRIBUTION
from studio.paths import PACKAGE

_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)\s*(?P<bounds>[^;]*)(?:;.*extra\s*==\s*['\"](?P<extra>[\w-]+)['\"])?")
_BOUND = re.compile(r"(>=|<)\s*([\d.]+)")


@dataclass(frozen=True)
class Requirement:
    name: str
    bounds: str = ""
    extra: str = ""
    """"" is the base: needed everywhere."""

    @classmethod
    def parse(cls, text: str) -> Requirement:
        match = _REQUIREMENT.match(text)
        if match is None:
            return cls(text)
        return cls(match["name"], match["bounds"].strip(" ()"), match["extra"] or "")

    def installed_version(self) -> str | None:
        try:
            return metadata.version(self.name)
        except metadata.PackageNotFoundError:
            return None

    def accepts(self, version: str) -> bool:
        for sign, bound in _BOUND.findall(self.bounds):
            below = _numbers(version) < _numbers(bound)
            if below != (sign == "<"):
                return False
        return True


def requirements(checkout: Path = PACKAGE.parent) -> list[Requirement]:
    """Everything Studio names, base first; empty when it runs from a folder that was never installed."""
    try:
        found = [Requirement.parse(text) for text in metadata.requires(DISTRIBUTION) or []]
    except metadata.PackageNotFoundError:
        return []
    if (checkout / "pyproject.toml").is_file():
        # What was noted when the checkout was installed does not know what the checkout needs since then.
        found = _named_in(checkout / "pyproject.toml")
    return sorted(found, key=lambda one: (one.extra, one.name.lower()))


def _named_in(file: Path) -> list[Requirement]:
    project = tomllib.loads(file.read_text(encoding="utf-8"))["project"]
    extras = {"": project.get("dependencies", []), **project.get("optional-dependencies", {})}
    return [replace(Requirement.parse(text), extra=extra) for extra, texts in extras.items() for text in texts]


def _numbers(version: str) -> tuple[int, ...]:
    """(26, 0) of "26.0": enough to compare releases. A trailing zero counts for nothing: 6.12 is 6.12.0."""
    release = re.match(r"\d+(?:\.\d+)*", version)
    numbers = [int(part) for part in release[0].split(".")] if release else [0]
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)
