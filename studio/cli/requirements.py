"""What the installed distribution says it needs, and whether it is there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import metadata

DISTRIBUTION = "robot-systems-studio"
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


def requirements() -> list[Requirement]:
    """Everything the distribution names, base first; empty when Studio runs from a folder that was never installed."""
    try:
        found = [Requirement.parse(text) for text in metadata.requires(DISTRIBUTION) or []]
    except metadata.PackageNotFoundError:
        return []
    return sorted(found, key=lambda one: (one.extra, one.name.lower()))


def _numbers(version: str) -> tuple[int, ...]:
    """(26, 0) of "26.0": enough to compare releases. A trailing zero counts for nothing: 6.12 is 6.12.0."""
    release = re.match(r"\d+(?:\.\d+)*", version)
    numbers = [int(part) for part in release[0].split(".")] if release else [0]
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)
