"""Colours on a terminal: only where a person looks, and not where they asked for none (https://no-color.org)."""

from __future__ import annotations

import os
import sys
from typing import TextIO

BOLD, DIM, RED, GREEN, YELLOW, BLUE = "1", "2", "31", "32", "33", "34"


def is_coloured(stream: TextIO) -> bool:
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()


def paint(text: str, *codes: str, stream: TextIO | None = None) -> str:
    """`text` in colour, if `stream` (standard output) shows colours."""
    if not codes or not text or not is_coloured(stream or sys.stdout):
        return text
    return f"\x1b[{';'.join(codes)}m{text}\x1b[0m"


def paint_verdict(text: str, *, good: bool) -> str:
    return paint(text, GREEN if good else RED)
