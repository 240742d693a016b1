"""Hints for names that do not exist."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from functools import lru_cache

_LONGEST = 100
"""Nobody misspells longer names by hand, and comparing them is slow."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The nearest known names, or a few of those that exist, or nothing."""
    names = tuple(dict.fromkeys(known))
    near = _near(word, names) if len(word) < _LONGEST else ()
    if near:
        return "did you mean " + " or ".join(near) + "?"
    if not names:
        return ""
    return "known: " + ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")


@lru_cache(maxsize=512)
def _near(word: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """Cached, because one missing component of a large system is missed by all its wires: 20 ms for each of them."""
    return tuple(get_close_matches(word, names, n=3, cutoff=0.6))
