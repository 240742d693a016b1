"""A condition to stop at, as an example of how one is written: of a topic that really plays. No Qt in here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from studio.editor.live.automatic_layout import FIELDS

CONDITIONS = {"Range3d": "ranges_m.min < 0.8"} | {kind: f"{fields[0]} > 1" for kind, fields in FIELDS.items()}
"""Type -> what may be asked of it, the likeliest first."""
ANY = "/laser/ranges_m.min < 0.8"


def stop_example(played: Iterable[str], topics: Mapping[str, Any]) -> str:
    """`played`: topics of the system that a log feeds; `topics`: what its runtime tells of them."""
    types = {topics[topic]["type"]: topic for topic in sorted(played, reverse=True) if topic in topics}
    return next((f"{types[kind]}/{asked}" for kind, asked in CONDITIONS.items() if kind in types), ANY)
