"""What the tests of the command line share."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

STUDIO = [sys.executable, "-m", "studio"]
"""The command as a process of its own."""


@dataclass(frozen=True)
class Result:
    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Studio = Callable[..., Result]
