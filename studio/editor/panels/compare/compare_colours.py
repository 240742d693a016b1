"""The colours of two maps that are compared: both have the same, as somebody has chosen them. No Qt in here."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from studio.editor.views.maps.map_layers import Range
from studio.editor.views.shared.map_colours import SCHEMES, Scheme, scheme_for


@dataclass
class CompareColours:
    ranges: dict[str, Range] = field(default_factory=dict)
    """By plane, where somebody has dragged an end of the legend."""
    schemes: dict[str, str] = field(default_factory=dict)
    """By plane, where somebody has chosen others than are usual."""

    def limit(self, plane: str, limits: Range | None) -> None:
        if limits is None:
            self.ranges.pop(plane, None)
        else:
            self.ranges[plane] = limits

    def turn(self, plane: str, now: str) -> bool:
        """From the colours of this name to those that everybody can tell apart, or back; whether there are others."""
        safe = scheme_for(plane).safe or (scheme_for(plane).name if self.schemes.get(plane) else "")
        usual = next((each.name for each in SCHEMES.values() if each.safe == now), "")
        other = usual or safe
        if not other or other == now:
            return False
        self.schemes[plane] = other
        return True

    def scheme(self, plane: str) -> Scheme | None:
        """None for the usual ones."""
        return SCHEMES.get(self.schemes.get(plane, ""))

    def save(self) -> dict[str, Any]:
        return {"ranges": {plane: list(limits) for plane, limits in self.ranges.items()}, "schemes": dict(self.schemes)}

    def restore(self, kept: Any) -> None:
        """Settings come from a file: take what makes sense."""
        told = kept if isinstance(kept, dict) else {}
        ranges, schemes = told.get("ranges"), told.get("schemes")
        for plane, limits in ranges.items() if isinstance(ranges, dict) else ():
            match limits:
                case [int() | float() as low, int() | float() as high] if low < high:
                    self.ranges[str(plane)] = float(low), float(high)
        for plane, name in schemes.items() if isinstance(schemes, dict) else ():
            if name in SCHEMES:
                self.schemes[str(plane)] = name
