"""Where a part of a model was read, so that messages name the line and saving finds the element again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Origin:
    element: int
    """Which element of the file, counted in document order; the root is 0."""
    line: int | None = None
    inner: Mapping[str, int | None] = field(default_factory=dict)
    """Lines of what has no value of its own: `parameter cutoff_hz`, `port laser`."""

    def line_in(self, what: str, name: str) -> int | None:
        return self.inner.get(f"{what} {name}", self.line)
