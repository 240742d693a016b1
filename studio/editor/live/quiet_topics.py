"""A picture whose topic has fallen silent in a system that goes on: for how long there was no news, in words."""

from __future__ import annotations

from collections.abc import Iterable

from studio.editor.live.state import quiet_s
from studio.runtime.base.deltas import Snapshot


def quiet_words(state: Snapshot, topics: Iterable[str], *, all_of: bool = False) -> str:
    """Nothing while news come. `topics`: what the picture is made of; `all_of`: it is old only if all are silent."""
    silent = {topic: quiet_s(state, topic) for topic in topics}
    quiet = {topic: seconds for topic, seconds in silent.items() if seconds}
    if not quiet or (all_of and len(quiet) < len(silent)):
        return ""
    if len(quiet) == len(silent):
        return f"No message for {span_words(min(quiet.values()))}"
    longest = max(quiet, key=lambda topic: quiet[topic])
    others = f" and {len(quiet) - 1} more" if len(quiet) > 1 else ""
    return quiet_on(longest + others, quiet[longest])


def quiet_on(name: str, seconds: int) -> str:
    return f"No message on {name} for {span_words(seconds)}" if seconds else ""


def span_words(seconds: int) -> str:
    """`86 s`, `14 min`, `3 h`."""
    if seconds < 120:
        return f"{seconds} s"
    return f"{seconds // 60} min" if seconds < 7200 else f"{seconds // 3600} h"
